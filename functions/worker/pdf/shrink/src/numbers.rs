//! Shortens the numbers of content: digits that move nothing as far as can be seen. Many programs write six or more.

use std::collections::HashMap;
use std::ops::Range;

use docmill_pdf_core::filters;
use docmill_pdf_core::filters::{Condition, Unpacked};
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::tokens::{Token, Tokens};
use lopdf::{Document, Object, ObjectId};

use crate::UNPACKED_BYTES;
use crate::scan::{Placements, multiply};

/// How far a place may move, in points: a twelfth of a dot of a printer with 1,200 dots per inch.
const MOVE: f32 = 0.005;
/// Digits of a color's part after the point: a viewer has two and a half.
const COLOR_DIGITS: usize = 4;
/// The most digits after the point. More are beyond the numbers that are read here.
const MOST_DIGITS: usize = 5;
/// Larger numbers are not exact enough to be written again.
const LARGEST: f32 = 10_000.0;
const SAVED_STATES: usize = 512;
type Matrix = [f32; 6];
const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Shortens the numbers of these pages and of the forms that they draw. Returns whether any was.
pub(super) fn shorten(document: &mut Document, pages: &[ObjectId], placements: &Placements) -> bool {
    let mut shorter: Vec<(ObjectId, Vec<u8>)> = Vec::new();
    let mut uses: HashMap<ObjectId, u32> = HashMap::new();
    let contents: Vec<Vec<ObjectId>> = pages.iter().map(|page| document.get_page_contents(*page)).collect();
    contents.iter().flatten().for_each(|stream| *uses.entry(*stream).or_default() += 1);
    for (page, streams) in pages.iter().zip(&contents) {
        // Another page may draw them at another scale.
        if streams.iter().any(|stream| uses.get(stream) != Some(&1)) {
            continue;
        }
        let Ok(entries) = document.get_dictionary(*page) else { continue };
        let mut state = State::new(PageSpace::of(document, entries).unit);
        shorter.extend(streams.iter().map_while(|id| Some((*id, state.shortened(&content(document, *id)?)))));
    }
    for (form, scale) in &placements.forms {
        if let Some(content) = content(document, *form) {
            shorter.push((*form, State::new(*scale).shortened(&content)));
        }
    }
    let mut any = false;
    for (id, content) in shorter {
        let Ok(stream) = document.get_object_mut(id).and_then(Object::as_stream_mut) else { continue };
        if !stream.allows_compression {
            continue;
        }
        stream.set_plain_content(content);
        any = true;
    }
    any
}

/// The whole content of a stream. `None` if it can't be read to its end.
fn content(document: &Document, id: ObjectId) -> Option<Vec<u8>> {
    let stream = document.get_object(id).and_then(Object::as_stream).ok()?;
    let Unpacked { bytes, condition } = filters::unpack(stream, UNPACKED_BYTES).ok()?;
    (condition == Condition::Sound).then(|| bytes.into_owned())
}

/// The graphics state, as far as it scales.
struct State {
    base: f32,
    current: Matrix,
    saved: Vec<Matrix>,
}

/// The numbers before an operator: their places and values.
#[derive(Default)]
struct Operands {
    numbers: Vec<(Range<usize>, f32)>,
    has_others: bool,
}

impl State {
    /// `base`: how many points a unit of the content takes at most.
    fn new(base: f32) -> Self {
        Self { base, current: IDENTITY, saved: Vec::new() }
    }

    fn shortened(&mut self, content: &[u8]) -> Vec<u8> {
        let mut new = Vec::with_capacity(content.len());
        let mut copied = 0;
        let mut tokens = Tokens::new(content);
        let mut operands = Operands::default();
        while let Some(token) = tokens.next() {
            match token {
                Token::Number(value) => operands.numbers.push((tokens.place(), value)),
                Token::Operator(operator) => {
                    for (place, text) in self.replacements(operator, &operands, content) {
                        new.extend_from_slice(content.get(copied..place.start).unwrap_or_default());
                        new.extend_from_slice(text.as_bytes());
                        copied = place.end;
                    }
                    self.apply(operator, &operands);
                    operands = Operands::default();
                }
                Token::Name(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => operands.has_others = true,
            }
        }
        new.extend_from_slice(content.get(copied..).unwrap_or_default());
        new
    }

    /// The operands that can be written in fewer bytes.
    fn replacements(&self, operator: &[u8], operands: &Operands, content: &[u8]) -> Vec<(Range<usize>, String)> {
        let (from, digits) = match operator {
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" => (0, self.digits()),
            // What comes before is a scale.
            b"cm" | b"Tm" if operands.numbers.len() == 6 => (4, self.digits()),
            b"g" | b"G" | b"rg" | b"RG" | b"k" | b"K" | b"sc" | b"SC" | b"scn" | b"SCN" => (0, COLOR_DIGITS),
            _ => return Vec::new(),
        };
        if operands.has_others {
            return Vec::new();
        }
        let shorter = |(place, value): &(Range<usize>, f32)| {
            let text = written(*value, digits)?;
            let old = content.get(place.clone())?;
            (text.len() < old.len() && old.contains(&b'.')).then(|| (place.clone(), text))
        };
        operands.numbers.iter().skip(from).filter_map(shorter).collect()
    }

    /// How many digits after the point a place needs at this scale.
    fn digits(&self) -> usize {
        let [a, b, c, d, ..] = self.current;
        let scale = self.base * (a * a + b * b + c * c + d * d).sqrt() / std::f32::consts::SQRT_2;
        (0..=MOST_DIGITS)
            .find(|digits| scale * 0.1f32.powi(i32::try_from(*digits).unwrap_or(0)) <= MOVE * 2.001)
            .unwrap_or(MOST_DIGITS + 1)
    }

    fn apply(&mut self, operator: &[u8], operands: &Operands) {
        match operator {
            b"q" if self.saved.len() < SAVED_STATES => self.saved.push(self.current),
            b"Q" => self.current = self.saved.pop().unwrap_or(self.current),
            b"cm" => {
                let numbers: Vec<f32> = operands.numbers.iter().map(|(_, value)| *value).collect();
                if let Ok(matrix) = Matrix::try_from(numbers) {
                    self.current = multiply(matrix, self.current);
                }
            }
            _ => {}
        }
    }
}

/// A number with at most so many digits after the point. `None` if it can't be told exactly enough.
fn written(value: f32, digits: usize) -> Option<String> {
    if digits > MOST_DIGITS || !value.is_finite() || value.abs() >= LARGEST {
        return None;
    }
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text.as_str() };
    Some(match text.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(rest) => rest.strip_prefix("0.").map_or_else(|| text.to_owned(), |part| format!("-.{part}")),
        None => text.strip_prefix("0.").map_or_else(|| text.to_owned(), |part| format!(".{part}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(content: &str) -> String {
        String::from_utf8(State::new(1.0).shortened(content.as_bytes())).unwrap()
    }

    #[test]
    fn places_and_colors_lose_the_digits_that_nobody_sees() {
        assert_eq!(shortened("241.265625 -0.343351 l 0.9534948097 0 1 rg"), "241.27 -.34 l .9535 0 1 rg");
        assert_eq!(shortened("1.000001 0 -0.000001 7 re"), "1 0 0 7 re");
    }

    #[test]
    fn digits_follow_the_scale() {
        assert_eq!(
            shortened("q 100 0 0 100 0 0 cm 0.123456 0.5 l Q 0.123456 1 l"),
            "q 100 0 0 100 0 0 cm .1235 .5 l Q .12 1 l"
        );
        assert_eq!(shortened("0.01 0 0 0.01 3.14159 0 cm 1234.5678 1 l"), "0.01 0 0 0.01 3.14 0 cm 1235 1 l");
        // A scale keeps its digits, and so does what is enlarged beyond measure.
        assert_eq!(shortened("1.23456789 0 0 1.2 0 0 Tm"), "1.23456789 0 0 1.2 0 0 Tm");
        let huge = "100000 0 0 100000 0 0 cm 0.12345678 0.1 l";
        assert_eq!(shortened(huge), huge);
    }

    #[test]
    fn all_else_stays_as_it_is() {
        for same in [
            "(1.23456 l) Tj",
            "[1.23456 (a)] TJ",
            "0.123456 w",
            "/P 0.123456 scn",
            "123456.789 1 l",
            "1.23456 2.34567 Td",
        ] {
            assert_eq!(shortened(same), same);
        }
        let picture = "BI /W 1 /H 1 /BPC 8 /CS /G ID 1.23456 l EI 1.23456 1 l";
        assert_eq!(shortened(picture), "BI /W 1 /H 1 /BPC 8 /CS /G ID 1.23456 l EI 1.23 1 l");
    }
}
