//! Which words of a picture the page's own text has in the same places: they are what their fonts say, and that is searched.

use strsim::{levenshtein, normalized_levenshtein};

use super::needle::{Needles, blurred, normal};
use super::reading::{Glyph, Reading};
use crate::ocr::{Line, Text, Word};
use crate::pdfium::Rect;

/// Dots of an em from which on a word can be told from others.
const LEAST_EM: f32 = 16.0;
/// How much of a word has to be the same. OCR has some letters wrong; another word has most.
const ALIKE: f64 = 0.75;
/// Letters of a word that is short: one may be wrong, and below that none.
const SHORT: usize = 3;
/// Words beside one that is not known, which are read with it, so that a pattern finds what goes over several words.
const BESIDE: usize = 3;
/// Words times characters: a page with more is read as if it had no text.
const PAIRS: usize = 50_000_000;

/// The places of the words that are known, in points.
pub(super) fn words(read: &Text, dpi: f32, text: &Reading, needles: &Needles) -> Vec<Rect> {
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
    (0..places.len()).filter(|at| places[around(*at)].iter().all(Option::is_some)).filter_map(|at| places[at]).collect()
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

/// Whether both are the same word, one of them read by OCR. Numbers have to be the same.
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
