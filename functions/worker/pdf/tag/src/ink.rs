//! The ink of glyphs, line by line.

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

/// Pieces of a curve.
const PIECES: u8 = 8;
/// Most pieces of a glyph.
const MOST: usize = 20_000;

type Point = (f32, f32);

/// Where ink begins and ends on a line.
pub(super) type Line = Vec<(f32, f32)>;

/// The outline of a glyph as straight pieces, in ems.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    pieces: Vec<(Point, Point)>,
    start: Point,
    at: Point,
}

impl Drawing {
    /// `None` if the glyph draws nothing.
    pub(super) fn of_glyph(font: &FontRef<'_>, glyph: u16) -> Option<Self> {
        let size = Size::unscaled();
        let em = f32::from(font.metrics(size, LocationRef::default()).units_per_em).max(1.0);
        let mut drawing = Self::default();
        let settings = DrawSettings::unhinted(size, LocationRef::default());
        font.outline_glyphs().get(GlyphId::new(u32::from(glyph)))?.draw(settings, &mut drawing).ok()?;
        let ems = |(x, y): Point| (x / em, y / em);
        drawing.pieces.iter_mut().for_each(|(from, to)| (*from, *to) = (ems(*from), ems(*to)));
        drawing.is_drawn().then_some(drawing)
    }

    pub(super) fn is_drawn(&self) -> bool {
        !self.pieces.is_empty()
    }

    /// Left, bottom, right and top.
    pub(super) fn bounds(&self) -> [f32; 4] {
        let none = [f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY];
        self.pieces
            .iter()
            .flat_map(|(from, to)| [from, to])
            .fold(none, |[left, bottom, right, top], (x, y)| [left.min(*x), bottom.min(*y), right.max(*x), top.max(*y)])
    }

    /// Where the glyph has ink at a height: by its winding, as font programs are filled.
    pub(super) fn ink(&self, y: f32) -> Line {
        let crossed = self.pieces.iter().filter(|((_, from), (_, to))| (*from <= y) != (*to <= y));
        let place = |&((x0, y0), (x1, y1)): &(Point, Point)| {
            (x0 + (y - y0) * (x1 - x0) / (y1 - y0), if y1 > y0 { 1 } else { -1 })
        };
        let mut places: Vec<(f32, i32)> = crossed.map(place).collect();
        places.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (mut winding, mut from, mut found) = (0, 0.0, Vec::new());
        for (x, direction) in places {
            if winding == 0 {
                from = x;
            }
            winding += direction;
            if winding == 0 {
                found.push((from, x));
            }
        }
        found
    }

    fn curve(&mut self, point: impl Fn(f32) -> Point) {
        for piece in 1..=PIECES {
            let (x, y) = point(f32::from(piece) / f32::from(PIECES));
            self.line_to(x, y);
        }
    }
}

impl OutlinePen for Drawing {
    fn move_to(&mut self, x: f32, y: f32) {
        (self.start, self.at) = ((x, y), (x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        if self.pieces.len() < MOST {
            self.pieces.push((self.at, (x, y)));
        }
        self.at = (x, y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let (x0, y0) = self.at;
        self.curve(|t| {
            let [a, b, c] = [(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t];
            (a * x0 + b * cx + c * x, a * y0 + b * cy + c * y)
        });
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (x0, y0) = self.at;
        self.curve(|t| {
            let u = 1.0 - t;
            let [a, b, c, d] = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
            (a * x0 + b * cx0 + c * cx1 + d * x, a * y0 + b * cy0 + c * cy1 + d * y)
        });
    }

    fn close(&mut self) {
        let (x, y) = self.start;
        if self.at != self.start {
            self.line_to(x, y);
        }
    }
}
