//! The characters of a page with their positions. Searches them, and returns the areas of the matches.

use docmill_pdf_core::pdfium::{Character, Rect};
use docmill_pdf_ocr::Text;

use super::needle::{Hit, Needles, push_normal};

/// The widest gap between letters that still counts as part of a word, in ems.
const TIGHT_EM: f32 = 0.3;
/// The narrowest gap that counts as a space where only positions are known, in ems.
const SPACE_EM: f32 = 0.2;
/// The part of a line's height that areas leave out at the top and at the bottom, so that they don't touch other lines.
const INSET: f32 = 0.06;

/// A character and its position on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    pub(super) value: char,
    pub(super) area: Rect,
    /// The font size in points.
    pub(super) size: f32,
    spaced: bool,
    is_upright: bool,
}

/// The characters of a page, extracted from its text or read by OCR.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) glyphs: Vec<Glyph>,
    /// Positions are those of whole words, as OCR reports them.
    by_word: bool,
}

/// How spaces between characters are treated in a search.
#[derive(Clone, Copy, Debug)]
enum Spaces {
    AsRead,
    /// Joins words that are hyphenated or split by a small gap.
    Joined,
    /// Joins single letters.
    Letters,
    None,
}

impl Reading {
    pub(super) fn of_text(characters: &[Character]) -> Self {
        let glyph = |character: &Character| Glyph {
            value: character.value,
            area: character.area,
            size: character.size,
            spaced: character.spaced,
            is_upright: character.angle.is_multiple_of(180),
        };
        Self { glyphs: characters.iter().map(glyph).collect(), by_word: false }
    }

    /// From the OCR of a page picture with this resolution.
    pub(super) fn of_picture(text: &Text, dpi: f32) -> Self {
        let scale = 72.0 / dpi.max(1.0);
        let mut glyphs = Vec::new();
        for word in text.lines.iter().flat_map(|line| &line.words) {
            // One point more on each side, since OCR places words by whole pixels.
            let area = Rect {
                x0: word.left * scale - 1.0,
                y0: word.top * scale - 1.0,
                x1: word.right * scale + 1.0,
                y1: word.bottom * scale + 1.0,
            };
            for (position, value) in word.text.chars().enumerate() {
                glyphs.push(Glyph { value, area, size: area.height(), spaced: position == 0, is_upright: true });
            }
        }
        Self { glyphs, by_word: true }
    }

    /// Returns the areas of all matches, each with the index of its entry in `text`. A match over several lines has several
    /// areas; `true` marks its first one.
    pub(super) fn find(&self, needles: &Needles) -> Vec<(Rect, usize, bool)> {
        let mut found = self.find_as_it_is(needles);
        if !self.by_word {
            let seen: Vec<Rect> = found.iter().map(|(area, ..)| *area).collect();
            let placed = self.as_placed().find_as_it_is(needles);
            found.extend(
                placed.into_iter().filter(|(area, ..)| !seen.iter().any(|known| known.contains(area.center()))),
            );
        }
        found
    }

    /// The same characters, ordered from top to bottom and from left to right instead of by their order in the file.
    fn as_placed(&self) -> Self {
        let mut glyphs = self.glyphs.clone();
        let place = |glyph: &Glyph| {
            let (x, y) = glyph.area.center();
            if glyph.is_upright { (glyph.is_upright, y, x) } else { (glyph.is_upright, x, -y) }
        };
        glyphs.sort_by(|one, other| place(one).0.cmp(&place(other).0).then(place(one).1.total_cmp(&place(other).1)));
        let mut placed: Vec<Glyph> = Vec::with_capacity(glyphs.len());
        for line in glyphs.chunk_by(same_line) {
            let mut line = line.to_vec();
            line.sort_by(|one, other| place(one).2.total_cmp(&place(other).2));
            let gaps: Vec<f32> = line.windows(2).filter_map(|pair| Some(gap(pair.first()?, pair.last()?))).collect();
            let is_spaced = std::iter::once(true).chain(gaps.iter().map(|gap| *gap > SPACE_EM));
            placed.extend(line.into_iter().zip(is_spaced).map(|(glyph, spaced)| Glyph { spaced, ..glyph }));
        }
        Self { glyphs: placed, by_word: false }
    }

    fn find_as_it_is(&self, needles: &Needles) -> Vec<(Rect, usize, bool)> {
        let mut ranges: Vec<(usize, usize, usize)> = Vec::new();
        for spaces in [Spaces::AsRead, Spaces::Joined, Spaces::Letters] {
            let (text, positions) = self.text(spaces);
            let hits = if self.by_word { needles.find_alike(&text) } else { needles.find(&text) };
            ranges.extend(hits.iter().filter_map(|hit| Self::range(hit, &positions)));
        }
        let (text, positions) = self.text(Spaces::None);
        let parts = |index: usize| self.glyphs.get(index).is_none_or(|glyph| glyph.spaced);
        ranges.extend(needles.find_squeezed(&text).iter().filter_map(|(hit, whole)| {
            let (first, last, entry) = Self::range(hit, &positions)?;
            (!whole || parts(first) && parts(last + 1)).then_some((first, last, entry))
        }));
        ranges.sort_unstable();
        ranges.dedup();
        ranges
            .into_iter()
            .flat_map(|(first, last, entry)| {
                let areas = self.areas(first, last).into_iter().enumerate();
                areas.map(move |(number, area)| (area, entry, number == 0))
            })
            .collect()
    }

    fn range(hit: &Hit, positions: &[Option<usize>]) -> Option<(usize, usize, usize)> {
        let inside = positions.get(hit.start..hit.end)?;
        let first = inside.iter().flatten().min()?;
        let last = inside.iter().flatten().max()?;
        Some((*first, *last, hit.entry))
    }

    /// The text to search, and for each of its bytes the index of its character.
    fn text(&self, spaces: Spaces) -> (String, Vec<Option<usize>>) {
        let (mut text, mut positions) = (String::new(), Vec::new());
        for (index, glyph) in self.glyphs.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| self.glyphs.get(before));
            if let Some(before) = before.filter(|_| glyph.spaced) {
                match spaces {
                    Spaces::Joined if is_hyphen(before.value) && !same_line(before, glyph) => {
                        text.pop();
                        positions.truncate(text.len());
                    }
                    Spaces::Joined if !self.by_word && same_line(before, glyph) && gap(before, glyph) < TIGHT_EM => {}
                    Spaces::Letters if self.stands_alone(index) && self.stands_alone(index - 1) => {}
                    Spaces::None => {}
                    Spaces::AsRead | Spaces::Joined | Spaces::Letters => {
                        text.push(' ');
                        positions.resize(text.len(), None);
                    }
                }
            }
            push_normal(&mut text, glyph.value);
            // A combining mark may have made the letter before it longer.
            positions.truncate(text.len());
            positions.resize(text.len(), Some(index));
        }
        (text, positions)
    }

    fn stands_alone(&self, index: usize) -> bool {
        self.glyphs.get(index).is_some_and(|glyph| glyph.spaced)
            && self.glyphs.get(index + 1).is_none_or(|next| next.spaced)
    }

    /// Returns one rectangle for each line of these characters.
    fn areas(&self, first: usize, last: usize) -> Vec<Rect> {
        let mut areas: Vec<(Rect, Glyph)> = Vec::new();
        for glyph in self.glyphs.get(first..=last).unwrap_or_default() {
            match areas.last_mut() {
                // All characters of a word that OCR read have the area of the word.
                Some((area, _)) if *area == glyph.area => {}
                Some((area, before)) if same_line(before, glyph) && gap(before, glyph).abs() < 3.0 => {
                    *area = area.union(&glyph.area);
                    *before = *glyph;
                }
                _ => areas.push((glyph.area, *glyph)),
            }
        }
        let inset = |(area, glyph): (Rect, Glyph)| {
            if self.by_word {
                return area;
            }
            let (x, y) = if glyph.is_upright { (0.0, INSET * area.height()) } else { (INSET * area.width(), 0.0) };
            Rect { x0: area.x0 + x, y0: area.y0 + y, x1: area.x1 - x, y1: area.y1 - y }
        };
        areas.into_iter().map(inset).collect()
    }

    /// The text of the characters that lie in an area, a line each.
    pub(super) fn lines_in(&self, area: &Rect) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut before: Option<&Glyph> = None;
        for glyph in self.glyphs.iter().filter(|glyph| lies_in(glyph, area)) {
            match (before, lines.last_mut()) {
                (Some(before), Some(line)) if same_line(before, glyph) => {
                    if glyph.spaced {
                        line.push(' ');
                    }
                    line.push(glyph.value);
                }
                _ => lines.push(glyph.value.to_string()),
            }
            before = Some(glyph);
        }
        lines
    }

    /// The words of the characters outside all areas.
    pub(super) fn words_outside(&self, areas: &[Rect]) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for glyph in self.glyphs.iter().filter(|glyph| !areas.iter().any(|area| lies_in(glyph, area))) {
            match words.last_mut() {
                Some(word) if !glyph.spaced => word.push(glyph.value),
                _ => words.push(glyph.value.to_string()),
            }
        }
        words
    }
}

/// Whether a character lies in an area, with its middle and more than a corner.
pub(super) fn lies_in(glyph: &Glyph, area: &Rect) -> bool {
    let shared = |low: f32, high: f32, from: f32, to: f32| (high.min(to) - low.max(from)).max(0.0);
    let inside =
        shared(glyph.area.x0, glyph.area.x1, area.x0, area.x1) * shared(glyph.area.y0, glyph.area.y1, area.y0, area.y1);
    area.contains(glyph.area.center()) && inside >= 0.25 * glyph.area.width() * glyph.area.height()
}

const fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{ad}' | '\u{2010}' | '\u{2011}')
}

fn same_line(one: &Glyph, other: &Glyph) -> bool {
    let ((x1, y1), (x2, y2)) = (one.area.center(), other.area.center());
    let (apart, height) = if one.is_upright { (y1 - y2, one.area.height()) } else { (x1 - x2, one.area.width()) };
    one.is_upright == other.is_upright && apart.abs() < 0.6 * height.max(one.size * 0.5)
}

/// The room between two characters of a line, in ems.
fn gap(one: &Glyph, other: &Glyph) -> f32 {
    let room = if one.is_upright {
        (other.area.x0 - one.area.x1).max(one.area.x0 - other.area.x1)
    } else {
        (other.area.y0 - one.area.y1).max(one.area.y0 - other.area.y1)
    };
    room / one.size.max(0.1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Characters of 10 points side by side; `|` begins a line, and a space leaves a gap.
    fn reading(text: &str, space: f32) -> Reading {
        let (mut x, mut y, mut spaced) = (0.0, 0.0, true);
        let mut glyphs = Vec::new();
        for value in text.chars() {
            match value {
                '|' => (x, y, spaced) = (0.0, y + 12.0, true),
                ' ' => (x, spaced) = (x + space, true),
                value => {
                    let area = Rect { x0: x, y0: y, x1: x + 5.0, y1: y + 10.0 };
                    glyphs.push(Glyph { value, area, size: 10.0, spaced, is_upright: true });
                    (x, spaced) = (x + 5.0, false);
                }
            }
        }
        Reading { glyphs, by_word: false }
    }

    fn found(text: &str, space: f32, literal: &str) -> Vec<(f32, f32)> {
        let needles =
            Needles::new(&serde_json::from_value::<Vec<_>>(json!([{ "literal": literal }])).unwrap()).unwrap();
        reading(text, space).find(&needles).into_iter().map(|(area, ..)| (area.x0, area.x1)).collect()
    }

    #[test]
    fn words_are_found_across_lines_hyphens_and_gaps() {
        assert_eq!(found("a secret b", 5.0, "secret"), [(10.0, 40.0)]);
        assert_eq!(found("a sec-|ret b", 5.0, "secret"), [(10.0, 30.0), (0.0, 15.0)]);
        assert_eq!(found("a sec ret b", 2.0, "secret"), [(7.0, 39.0)]);
        assert_eq!(found("a sec ret b", 5.0, "secret").len(), 1);
        assert_eq!(found("to her", 5.0, "the"), [], "short words need their letters side by side");
        assert_eq!(found("a s e c r e t b", 5.0, "secret").len(), 1);
        assert_eq!(found("John|Smith", 5.0, "John Smith").len(), 2);
        assert_eq!(found("se\u{fb01}ret", 5.0, "sefiret"), [(0.0, 30.0)]);
    }
}
