//! Ligatures that a map of characters leaves out: told by what they look like, which is the font's own letters side by side.

use std::collections::HashMap;

use docmill_pdf_fonts::stated::Stated;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

use super::ink::{Drawing, Line};

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

/// Where the ink of a glyph begins and ends on each line.
type Ink = Vec<Line>;

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

/// A glyph, in ems.
struct Shape {
    advance: f32,
    ink: Ink,
}

impl Shape {
    /// `None` if the glyph draws nothing.
    fn new(font: &FontRef<'_>, glyph: u16) -> Option<Self> {
        let em = f32::from(font.metrics(Size::unscaled(), LocationRef::default()).units_per_em).max(1.0);
        let metrics = font.glyph_metrics(Size::unscaled(), LocationRef::default());
        let advance = metrics.advance_width(GlyphId::new(u32::from(glyph))).filter(|width| *width > 0.0)?;
        let drawing = Drawing::of_glyph(font, glyph)?;
        let advance = advance / em;
        let line = |line: u8| drawing.ink(BOTTOM + HEIGHT * f32::from(line) / f32::from(LINES));
        Some(Self { advance, ink: (0..LINES).map(line).collect() })
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
