//! Letter-spaced type, as in headings: its letters are as far apart as words of other type.

use docmill_pdf_core::pdfium::{Character, Rect};

use super::scripts::{is_cjk, is_rtl};
use super::turned::upright;

/// How far apart the letters of such type are, in ems. Those that are closer are words without this rule.
const APART: std::ops::RangeInclusive<f32> = 0.1..=0.6;
/// How much these gaps differ, in ems and as a share of the usual one.
const DIFFERS: (f32, f32) = (0.12, 0.35);
/// The least gaps within words of a line.
const LEAST: usize = 4;
/// The least share of letters.
const LETTERS: f32 = 0.8;

/// A character and where it stands on the upright page.
type Placed<'c> = (&'c Character, Rect);

/// For each character whether it belongs to the word of the one before, however far apart they are.
pub(super) fn glued(characters: &[Character], page: (f32, f32)) -> Vec<bool> {
    let placed: Vec<Placed<'_>> =
        characters.iter().map(|character| (character, upright(&character.area, character.angle, page))).collect();
    placed.chunk_by(is_one_line).flat_map(glued_in_line).collect()
}

fn is_one_line((left, left_area): &Placed<'_>, (right, right_area): &Placed<'_>) -> bool {
    let size = left.size;
    left.angle == right.angle
        && left.tag == right.tag
        && (size - right.size).abs() < size * 0.05
        && (left_area.center().1 - right_area.center().1).abs() < size * 0.2
        && right_area.x0 > left_area.x0
        && right_area.x0 - left_area.x1 < size * 3.0
}

/// The characters of a line that are glued, if it is letter-spaced.
fn glued_in_line(line: &[Placed<'_>]) -> Vec<bool> {
    let none = vec![false; line.len()];
    let Some(size) = line.first().map(|(character, _)| character.size).filter(|_| line.len() > LEAST) else {
        return none;
    };
    // Before each character but the first. `None`: there is a space.
    let gaps: Vec<Option<f32>> = line
        .iter()
        .zip(line.iter().skip(1))
        .map(|((_, before), (character, area))| (!character.parted).then_some(area.x0 - before.x1))
        .collect();
    let mut sorted: Vec<f32> = gaps.iter().flatten().copied().collect();
    sorted.sort_by(f32::total_cmp);
    let Some(usual) = sorted.get(sorted.len() / 2).copied() else { return none };
    let by = (DIFFERS.0 * size).max(DIFFERS.1 * usual);
    let is_alike = |gap: f32| (gap - usual).abs() <= by;
    let letters = line.iter().filter(|(character, _)| character.value.is_alphabetic()).count();
    let is_spaced = APART.contains(&(usual / size))
        && sorted.iter().filter(|gap| is_alike(**gap)).count() >= LEAST
        // The others are between words, as wide as a space more.
        && sorted.iter().all(|gap| is_alike(*gap) || *gap > usual + by)
        && letters as f32 >= line.len() as f32 * LETTERS
        && !line.iter().any(|(character, _)| is_cjk(character.value) || is_rtl(character.value));
    if !is_spaced {
        return none;
    }
    std::iter::once(false).chain(gaps.into_iter().map(|gap| gap.is_some_and(is_alike))).collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use docmill_pdf_core::pdfium::{Font, Tag, TextObject};

    /// Letters of 8 points in a size of 10, as far apart as these gaps say; `_` is a space.
    fn words(text: &str, gaps: &[f32]) -> String {
        let (mut x, mut parted, mut gaps) = (0.0, false, gaps.iter().copied().cycle());
        let mut characters = Vec::new();
        for value in text.chars() {
            if value == '_' {
                x += 3.0;
                parted = true;
                continue;
            }
            characters.push(Character {
                value,
                area: Rect { x0: x, y0: 0.0, x1: x + 8.0, y1: 10.0 },
                baseline: None,
                size: 10.0,
                spaced: false,
                parted: std::mem::take(&mut parted),
                font: Rc::new(Font::default()),
                object: TextObject::default(),
                angle: 0,
                tag: Tag::None,
            });
            x += 8.0 + gaps.next().unwrap_or(0.0);
        }
        let glued = glued(&characters, (600.0, 800.0));
        characters.iter().zip(glued).fold(String::new(), |mut words, (character, glued)| {
            if !glued {
                words.push(' ');
            }
            words.push(character.value);
            words
        })
    }

    #[test]
    fn letters_that_are_equally_far_apart_are_words() {
        assert_eq!(words("CORNELL_UNIVERSITY", &[3.0]), " CORNELL UNIVERSITY");
        // A move instead of a space.
        assert_eq!(words("ABCDEFG", &[4.0, 4.2, 9.0]), " ABC DEF G");
    }

    #[test]
    fn letters_of_other_words_stay_apart() {
        assert_eq!(words("A_B_C_D_E_F_G", &[3.0]), " A B C D E F G");
        assert_eq!(words("ABCDEFG", &[20.0]), " A B C D E F G", "columns");
        assert_eq!(words("1234567", &[4.0]), " 1 2 3 4 5 6 7");
        assert_eq!(words("ABCDEFG", &[0.0, 3.0, 6.0]), " A B C D E F G", "all kinds of gaps");
    }
}
