//! Finds words in a picture that the page's own text has in the same places. Their fonts are right, and that text is searched.

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_ocr::{Line, Text, Word};
use strsim::{levenshtein, normalized_levenshtein};

use super::needle::{Needles, blurred, normal};
use super::reading::{Glyph, Reading};

/// Dots per em needed to tell words apart.
const LEAST_EM: f32 = 16.0;
/// How similar a word must be. OCR gets some letters wrong, but most letters of another word differ.
const ALIKE: f64 = 0.75;
/// Words with up to this many letters count as short: below that, none may be wrong.
const SHORT: usize = 3;
/// Words next to an unknown one that are read with it, so that patterns can match several words.
const BESIDE: usize = 3;
/// Words times characters: a page with more is treated as if it had no text.
const PAIRS: usize = 50_000_000;

/// The places of these words, in points.
pub(super) fn places(read: &Text, dpi: f32, text: &Reading, needles: &Needles) -> Vec<Rect> {
    if read.words().saturating_mul(text.glyphs.len()) > PAIRS {
        return Vec::new();
    }
    let beside = if needles.have_patterns() { BESIDE } else { 0 };
    read.lines.iter().flat_map(|line| of_line(line, dpi, text, needles, beside)).collect()
}

fn of_line(line: &Line, dpi: f32, text: &Reading, needles: &Needles, beside: usize) -> Vec<Rect> {
    let places: Vec<Option<Rect>> = line
        .words
        .iter()
        .map(|word| {
            let place = place(word, dpi);
            is_known(word, place, dpi, text, needles).then_some(place)
        })
        .collect();
    let around = |at: usize| at.saturating_sub(beside)..(at + beside + 1).min(places.len());
    let are_known = |at: usize| places.get(around(at)).is_some_and(|places| places.iter().all(Option::is_some));
    places.iter().enumerate().filter(|(at, _)| are_known(*at)).filter_map(|(_, place)| *place).collect()
}

fn place(word: &Word, dpi: f32) -> Rect {
    let scale = 72.0 / dpi;
    Rect { x0: word.left * scale, y0: word.top * scale, x1: word.right * scale, y1: word.bottom * scale }
}

fn is_known(word: &Word, place: Rect, dpi: f32, text: &Reading, needles: &Needles) -> bool {
    let inside: Vec<&Glyph> = text.glyphs.iter().filter(|glyph| place.contains(glyph.area.center())).collect();
    let is_clear = |glyph: &&Glyph| glyph.size * dpi / 72.0 >= LEAST_EM;
    if inside.is_empty() || !inside.iter().all(is_clear) {
        return false;
    }
    let said: String = inside.iter().map(|glyph| glyph.value).collect();
    agree(&word.text, &said) && !needles.resemble(&blurred(&word.text)) && !needles.resemble(&blurred(&said))
}

/// Whether both are the same word, one of them read by OCR. Numbers must be equal.
fn agree(read: &str, said: &str) -> bool {
    let has_number = |text: &str| normal(text).chars().any(char::is_numeric);
    let (one, other) = (blurred(read), blurred(said));
    if has_number(read) || has_number(said) {
        return one == other;
    }
    match other.chars().count() {
        SHORT => levenshtein(&one, &other) <= 1,
        letters if letters > SHORT => normalized_levenshtein(&one, &other) >= ALIKE,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_read_with_a_mistake_but_not_as_another() {
        for (read, said) in
            [("Harvest", "Harvest"), ("Harvost,", "Harvest,"), ("ofﬁce", "office"), ("0f", "of"), ("—", "-")]
        {
            assert!(agree(read, said), "{read} {said}");
        }
        for (read, said) in [("Griffinshire", "Harvest"), ("x", "y"), ("1984", "1948"), ("Hall", "Mill"), ("word", "")]
        {
            assert!(!agree(read, said), "{read} {said}");
        }
    }
}
