//! The outline of a glyph of a Type 1 or CFF program: for Type 1, with resolved subroutine calls and grouped hints.

use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::cs::CommandSink;
use read_fonts::ps::encoding::PredefinedEncoding;
use read_fonts::types::{Fixed, GlyphId};

use super::type1::Type1;

const DEPTH: u8 = 10;
/// Most steps of a glyph, including its subroutines.
const STEPS: u32 = 100_000;

/// In units of the font.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Begins a contour at `[x, y]`.
    Move([f64; 2]),
    /// A line to `[x, y]`.
    Line([f64; 2]),
    /// A cubic curve: two control points and its end.
    Curve([f64; 6]),
    /// From here on, the group of hints with this index applies.
    Hints(usize),
}

/// Where stems lie, and how wide they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hints {
    /// `[bottom, height]` of each.
    pub horizontal: Vec<[f64; 2]>,
    /// `[left, width]` of each.
    pub vertical: Vec<[f64; 2]>,
}

/// A glyph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// How far the next glyph is.
    pub width: f64,
    /// Its contours, one after the other.
    pub steps: Vec<Step>,
    /// In the order of their use; the first counts from the start.
    pub hints: Vec<Hints>,
}

impl Outline {
    /// Whether it has no line that could be filled.
    pub fn is_blank(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Move(_) | Step::Hints(_)))
    }
}

/// The outline of a glyph of a CFF program, with one group of hints, which is empty. `None` if it is damaged.
pub fn of_compact(font: &CffFontRef<'_>, glyph: u16) -> Option<Outline> {
    let glyph = GlyphId::new(glyph.into());
    let subfont = font.subfont(font.subfont_index(glyph)?, &[]).ok()?;
    let mut pen = Pen::default();
    let width = font.evaluate_charstring(&subfont, glyph, &[], &mut pen).ok()?;
    Some(Outline { width: width.map_or(0.0, Fixed::to_f64), steps: pen.0, hints: vec![Hints::default()] })
}

#[derive(Default)]
struct Pen(Vec<Step>);

impl CommandSink for Pen {
    fn move_to(&mut self, x: Fixed, y: Fixed) {
        self.0.push(Step::Move([x.to_f64(), y.to_f64()]));
    }
    fn line_to(&mut self, x: Fixed, y: Fixed) {
        self.0.push(Step::Line([x.to_f64(), y.to_f64()]));
    }
    fn curve_to(&mut self, a: Fixed, b: Fixed, c: Fixed, d: Fixed, e: Fixed, f: Fixed) {
        self.0.push(Step::Curve([a, b, c, d, e, f].map(Fixed::to_f64)));
    }
    fn close(&mut self) {}
}

/// A number that counts something. `None` if it is negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and the cast saturates")]
fn count(number: f64) -> Option<usize> {
    (number >= 0.0).then_some(number as usize)
}

/// `None` if the outline is damaged, or needs a PostScript interpreter.
pub fn read(font: &Type1, name: &str) -> Option<Outline> {
    let mut reader = Reader {
        font,
        outline: Outline { hints: vec![Hints::default()], ..Outline::default() },
        stack: Vec::new(),
        results: Vec::new(),
        at: [0.0; 2],
        bearing: [0.0; 2],
        origin: [0.0; 2],
        flex: None,
        is_open: false,
        is_part: false,
        left: STEPS,
    };
    reader.run(font.glyph(name)?, DEPTH)?;
    Some(reader.outline)
}

#[derive(PartialEq)]
enum End {
    Glyph,
    Subroutine,
}

struct Reader<'f> {
    font: &'f Type1,
    outline: Outline,
    stack: Vec<f64>,
    /// The values that PostScript returns.
    results: Vec<f64>,
    at: [f64; 2],
    bearing: [f64; 2],
    /// The position of a part of a composed glyph.
    origin: [f64; 2],
    /// The points of a curve that may be a line, while it is being described.
    flex: Option<Vec<[f64; 2]>>,
    is_open: bool,
    is_part: bool,
    left: u32,
}

impl Reader<'_> {
    fn run(&mut self, code: &[u8], depth: u8) -> Option<End> {
        let mut bytes = code.iter().copied();
        while let Some(byte) = bytes.next() {
            self.left = self.left.checked_sub(1)?;
            let number = match byte {
                32..=246 => i32::from(byte) - 139,
                247..=250 => (i32::from(byte) - 247) * 256 + i32::from(bytes.next()?) + 108,
                251..=254 => -(i32::from(byte) - 251) * 256 - i32::from(bytes.next()?) - 108,
                255 => i32::from_be_bytes([bytes.next()?, bytes.next()?, bytes.next()?, bytes.next()?]),
                12 => {
                    let second = bytes.next()?;
                    if let Some(end) = self.escaped(second, depth)? {
                        return Some(end);
                    }
                    continue;
                }
                operator => {
                    if let Some(end) = self.operator(operator, depth)? {
                        return Some(end);
                    }
                    continue;
                }
            };
            self.stack.push(f64::from(number));
        }
        Some(End::Subroutine)
    }

    /// The inner `None`: more follows.
    #[allow(clippy::option_option, reason = "a failure, and no end yet")]
    fn operator(&mut self, operator: u8, depth: u8) -> Option<Option<End>> {
        match operator {
            1 => self.stem(true, &[0])?,
            3 => self.stem(false, &[0])?,
            4 => self.move_by([0.0, self.argument(0)?])?,
            5 => self.line_by([self.argument(0)?, self.argument(1)?])?,
            6 => self.line_by([self.argument(0)?, 0.0])?,
            7 => self.line_by([0.0, self.argument(0)?])?,
            8 => {
                let [a, b, c, d, e, f] = self.arguments()?;
                self.curve_by([a, b, c, d, e, f])?;
            }
            9 => self.is_open = false,
            10 => {
                let number = self.stack.pop()?;
                let code = self.font.subroutines.get(count(number)?)?;
                let end = self.run(code, depth.checked_sub(1)?)?;
                return Some((end == End::Glyph).then_some(end));
            }
            11 => return Some(Some(End::Subroutine)),
            13 => {
                let [bearing, width] = self.arguments()?;
                self.begin([bearing, 0.0], width);
            }
            14 => return Some(Some(End::Glyph)),
            21 => self.move_by([self.argument(0)?, self.argument(1)?])?,
            22 => self.move_by([self.argument(0)?, 0.0])?,
            30 => {
                let [a, b, c, d] = self.arguments()?;
                self.curve_by([0.0, a, b, c, d, 0.0])?;
            }
            31 => {
                let [a, b, c, d] = self.arguments()?;
                self.curve_by([a, 0.0, b, c, 0.0, d])?;
            }
            _ => return None,
        }
        self.stack.clear();
        Some(None)
    }

    #[allow(clippy::option_option, reason = "a failure, and no end yet")]
    fn escaped(&mut self, operator: u8, depth: u8) -> Option<Option<End>> {
        match operator {
            // The dot of an i. Only old interpreters treat it specially.
            0 => {}
            1 => self.stem(false, &[0, 2, 4])?,
            2 => self.stem(true, &[0, 2, 4])?,
            6 => {
                let parts = self.arguments()?;
                self.compose(parts, depth)?;
                return Some(Some(End::Glyph));
            }
            7 => {
                let [x, y, width, _] = self.arguments()?;
                self.begin([x, y], width);
            }
            12 => {
                let (divisor, dividend) = (self.stack.pop()?, self.stack.pop()?);
                self.stack.push(Some(dividend / divisor).filter(|quotient| quotient.is_finite())?);
                return Some(None);
            }
            16 => {
                self.call_postscript()?;
                return Some(None);
            }
            17 => {
                let result = self.results.pop()?;
                self.stack.push(result);
                return Some(None);
            }
            33 => {
                let [x, y] = self.arguments()?;
                self.at = [x + self.origin[0], y + self.origin[1]];
            }
            _ => return None,
        }
        self.stack.clear();
        Some(None)
    }

    fn argument(&self, index: usize) -> Option<f64> {
        self.stack.get(index).copied()
    }

    fn arguments<const N: usize>(&self) -> Option<[f64; N]> {
        self.stack.first_chunk().copied()
    }

    fn begin(&mut self, bearing: [f64; 2], width: f64) {
        if !self.is_part {
            self.outline.width = width;
        }
        self.bearing = bearing;
        self.at = [bearing[0] + self.origin[0], bearing[1] + self.origin[1]];
    }

    fn stem(&mut self, is_horizontal: bool, places: &[usize]) -> Option<()> {
        for place in places {
            let (start, width) = (self.argument(*place)?, self.argument(place + 1)?);
            let group = self.outline.hints.last_mut()?;
            let ([left, bottom], [x, y]) = (self.bearing, self.origin);
            let (stems, bearing, origin) =
                if is_horizontal { (&mut group.horizontal, bottom, y) } else { (&mut group.vertical, left, x) };
            stems.push([start + bearing + origin, width]);
        }
        Some(())
    }

    fn new_hints(&mut self) {
        let is_used = self.outline.steps.last().is_some_and(|step| !matches!(step, Step::Hints(_)));
        let is_empty = self.outline.hints.last().is_some_and(|hints| *hints == Hints::default());
        if is_used || !is_empty {
            self.outline.hints.push(Hints::default());
            self.outline.steps.push(Step::Hints(self.outline.hints.len() - 1));
        }
    }

    fn moved(&mut self, by: [f64; 2]) -> [f64; 2] {
        self.at = [self.at[0] + by[0], self.at[1] + by[1]];
        self.at
    }

    fn move_by(&mut self, by: [f64; 2]) -> Option<()> {
        let to = self.moved(by);
        if self.flex.is_none() {
            self.is_open = true;
            self.outline.steps.push(Step::Move(to));
        }
        Some(())
    }

    fn line_by(&mut self, by: [f64; 2]) -> Option<()> {
        let to = self.moved(by);
        self.is_open.then(|| self.outline.steps.push(Step::Line(to)))
    }

    fn curve_by(&mut self, by: [f64; 6]) -> Option<()> {
        let [a, b, c] = [[by[0], by[1]], [by[2], by[3]], [by[4], by[5]]].map(|by| self.moved(by));
        self.is_open.then(|| self.outline.steps.push(Step::Curve([a[0], a[1], b[0], b[1], c[0], c[1]])))
    }

    /// The few procedures that every interpreter supports: flex and hint replacement.
    fn call_postscript(&mut self) -> Option<()> {
        let (procedure, count) = (self.stack.pop()?, self.stack.pop()?);
        let first = self.stack.len().checked_sub(self::count(count)?)?;
        let arguments = self.stack.split_off(first);
        self.results.clear();
        match (self::count(procedure.trunc())?, arguments.as_slice()) {
            (1, []) => self.flex = Some(Vec::new()),
            (2, []) => self.flex.as_mut()?.push(self.at),
            (0, [_, x, y]) => {
                // The first point is a reference and not part of the curves.
                let [_, first @ .., d, e, f] = <[[f64; 2]; 7]>::try_from(self.flex.take()?).ok()?;
                if !self.is_open {
                    return None;
                }
                for [a, b, c] in [first, [d, e, f]] {
                    self.outline.steps.push(Step::Curve([a[0], a[1], b[0], b[1], c[0], c[1]]));
                }
                self.results = vec![*y, *x];
            }
            (3, [subroutine]) => {
                self.new_hints();
                self.results = vec![*subroutine];
            }
            (12 | 13, _) => {}
            _ => return None,
        }
        Some(())
    }

    /// A letter and its accent.
    fn compose(&mut self, [accent_bearing, x, y, letter, accent]: [f64; 5], depth: u8) -> Option<()> {
        if self.is_part {
            return None;
        }
        self.is_part = true;
        let shift = [self.bearing[0] + x - accent_bearing, y];
        for (code, origin) in [(letter, [0.0; 2]), (accent, shift)] {
            let name = PredefinedEncoding::Standard.name(u8::try_from(count(code.trunc())?).ok()?);
            let code = self.font.glyph(name)?;
            self.stack.clear();
            self.new_hints();
            self.is_open = false;
            self.origin = origin;
            self.run(code, depth.checked_sub(1)?)?;
        }
        Some(())
    }
}
