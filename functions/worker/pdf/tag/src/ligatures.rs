//! Ligatures that a map of characters leaves out: told by what they look like, which is the font's own letters side by side.

use std::collections::HashMap;

use docmill_pdf_fonts::stated::Stated;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

/// The letters of ligatures that fonts have.
const SEQUENCES: [&str; 23] = [
    "ti", "tt", "ft", "fi", "fl", "ff", "ffi", "ffl", "fft", "tti", "tf", "fj", "ffj", "ct", "st", "sp", "ch", "ck",
    "Th", "fb", "fh", "fk", "tty",
];
/// The least part of the ink that a ligature and its letters share. Ligatures of known fonts share 0.74 and more, other glyphs at most 0.6.
const LEAST: f32 = 0.7;
/// By how much the best letters must be better than others.
const AHEAD: f32 = 0.015;
/// How much wider or narrower than its letters a ligature may be.
const STRETCH: std::ops::RangeInclusive<f32> = 0.75..=1.2;
/// Lines at which glyphs are compared, and where they begin and end, in parts of an em.
const LINES: u8 = 64;
const BOTTOM: f32 = -0.3;
const HEIGHT: f32 = 1.3;
/// Pieces of a curve.
const PIECES: u8 = 8;
/// Most pieces of a glyph.
const MOST: usize = 20_000;

/// Where the ink of a glyph begins and ends on each line.
type Ink = Vec<Line>;
type Line = Vec<(f32, f32)>;

/// The letters of the glyphs of these codes. `glyph`: that of a code.
pub(super) fn texts(
    data: &[u8],
    stated: &Stated<'_>,
    codes: &[u16],
    glyph: &dyn Fn(u16) -> Option<u16>,
) -> HashMap<u16, String> {
    let (false, Ok(font)) = (codes.is_empty(), FontRef::new(data)) else { return HashMap::new() };
    let letters = letters(&font, stated, glyph);
    let shape = |code: &u16| Some((*code, read(&letters, &Shape::new(&font, glyph(*code)?)?)?));
    codes.iter().filter_map(shape).collect()
}

/// The glyphs of the letters that ligatures have.
fn letters(font: &FontRef<'_>, stated: &Stated<'_>, glyph: &dyn Fn(u16) -> Option<u16>) -> HashMap<char, Shape> {
    let mut found = HashMap::new();
    for code in 1..=u16::MAX {
        let text = stated.of(code).unwrap_or_default();
        let mut letters = text.chars();
        let (Some(letter), None) = (letters.next(), letters.next()) else { continue };
        if !SEQUENCES.iter().any(|sequence| sequence.contains(letter)) || found.contains_key(&letter) {
            continue;
        }
        if let Some(shape) = glyph(code).and_then(|glyph| Shape::new(font, glyph)) {
            found.insert(letter, shape);
        }
    }
    found
}

/// The letters that a glyph looks like. `None` if it looks like none, or like several.
fn read(letters: &HashMap<char, Shape>, glyph: &Shape) -> Option<String> {
    let alike = |sequence: &'static str| {
        let shapes: Option<Vec<&Shape>> = sequence.chars().map(|letter| letters.get(&letter)).collect();
        Some((likeness(glyph, &shapes?)?, sequence))
    };
    let mut found: Vec<(f32, &str)> = SEQUENCES.into_iter().filter_map(alike).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    let (best, text) = *found.first()?;
    let next = found.get(1).map_or(0.0, |(next, _)| *next);
    (best >= LEAST && best - next >= AHEAD).then(|| text.to_owned())
}

/// The part of all ink of a glyph and of letters side by side that both have. `None`: their widths differ too much.
fn likeness(glyph: &Shape, letters: &[&Shape]) -> Option<f32> {
    let stretch = glyph.advance / letters.iter().map(|letter| letter.advance).sum::<f32>();
    if !STRETCH.contains(&stretch) {
        return None;
    }
    let (mut shared, mut all) = (0.0, 0.0);
    for (line, own) in glyph.ink.iter().enumerate() {
        let mut at = 0.0;
        let mut beside = Vec::new();
        for letter in letters {
            beside.extend(letter.ink.get(line).into_iter().flatten().map(|(from, to)| (from + at, to + at)));
            at += letter.advance * stretch;
        }
        let beside = merged(beside);
        let both = length(&merged(own.iter().chain(&beside).copied().collect()));
        shared += length(own) + length(&beside) - both;
        all += both;
    }
    (all > 0.0).then(|| shared / all)
}

/// A glyph, in its font's units.
struct Shape {
    advance: f32,
    ink: Ink,
}

impl Shape {
    /// `None` if the glyph draws nothing.
    fn new(font: &FontRef<'_>, glyph: u16) -> Option<Self> {
        let (id, size) = (GlyphId::new(u32::from(glyph)), Size::unscaled());
        let em = f32::from(font.metrics(size, LocationRef::default()).units_per_em);
        let advance =
            font.glyph_metrics(size, LocationRef::default()).advance_width(id).filter(|width| *width > 0.0)?;
        let mut pen = Pen::default();
        let settings = DrawSettings::unhinted(size, LocationRef::default());
        font.outline_glyphs().get(id)?.draw(settings, &mut pen).ok()?;
        let line = |line: u8| pen.ink(em * (BOTTOM + HEIGHT * f32::from(line) / f32::from(LINES)));
        (!pen.pieces.is_empty()).then(|| Self { advance, ink: (0..LINES).map(line).collect() })
    }
}

type Point = (f32, f32);

/// The outline of a glyph, as straight pieces.
#[derive(Default)]
struct Pen {
    pieces: Vec<(Point, Point)>,
    start: Point,
    at: Point,
}

impl Pen {
    fn curve(&mut self, point: impl Fn(f32) -> Point) {
        for piece in 1..=PIECES {
            let (x, y) = point(f32::from(piece) / f32::from(PIECES));
            self.line_to(x, y);
        }
    }

    /// Where a line is in the glyph: by its winding, as font programs are filled.
    fn ink(&self, y: f32) -> Vec<(f32, f32)> {
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
}

impl OutlinePen for Pen {
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
        self.line_to(x, y);
    }
}

fn merged(mut spans: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut found: Vec<(f32, f32)> = Vec::new();
    for (from, to) in spans {
        match found.last_mut() {
            Some((_, last)) if from <= *last => *last = last.max(to),
            _ => found.push((from, to)),
        }
    }
    found
}

fn length(spans: &[(f32, f32)]) -> f32 {
    spans.iter().map(|(from, to)| to - from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ligature_is_told_by_the_letters_that_it_looks_like() {
        let font = FontRef::new(include_bytes!("../../../../../infra/worker/fonts/Gelasio-Regular.ttf")).unwrap();
        let glyph = |letter: char| u16::try_from(font.charmap().map(letter).unwrap().to_u32()).unwrap();
        let shape = |letter: char| Shape::new(&font, glyph(letter)).unwrap();
        let letters: HashMap<char, Shape> = "fijlthsc".chars().map(|letter| (letter, shape(letter))).collect();
        let joined = |one: char, other: char| {
            let (one, other) = (shape(one), shape(other));
            let begin = one.advance * 0.97;
            let line = |(one, other): (&Line, &Line)| {
                merged(one.iter().copied().chain(other.iter().map(|(from, to)| (from + begin, to + begin))).collect())
            };
            Shape { advance: begin + other.advance, ink: one.ink.iter().zip(&other.ink).map(line).collect() }
        };
        assert_eq!(read(&letters, &joined('f', 'i')).as_deref(), Some("fi"));
        assert_eq!(read(&letters, &joined('t', 'i')).as_deref(), Some("ti"));
        assert_eq!(read(&letters, &joined('t', 't')).as_deref(), Some("tt"));
        assert_eq!(read(&letters, &shape('n')), None);
    }
}
