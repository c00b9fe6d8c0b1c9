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

/// For each character whether it belongs to the word of the one before, however far apart they are.
pub(super) fn glued(characters: &[Character], page: (f32, f32)) -> Vec<bool> {
    let areas: Vec<Rect> = characters.iter().map(|character| upright(&character.area, character.angle, page)).collect();
    let mut glued = vec![false; characters.len()];
    let mut start = 0;
    for end in 1..=characters.len() {
        let goes_on = end < characters.len()
            && is_one_line((&characters[end - 1], &areas[end - 1]), (&characters[end], &areas[end]));
        if goes_on {
            continue;
        }
        glue(&characters[start..end], &areas[start..end], &mut glued[start..end]);
        start = end;
    }
    glued
}

fn is_one_line((left, left_area): (&Character, &Rect), (right, right_area): (&Character, &Rect)) -> bool {
    let size = left.size;
    left.angle == right.angle
        && left.tag == right.tag
        && (size - right.size).abs() < size * 0.05
        && (left_area.center().1 - right_area.center().1).abs() < size * 0.2
        && right_area.x0 > left_area.x0
        && right_area.x0 - left_area.x1 < size * 3.0
}

/// Marks the characters of a line, if it is letter-spaced.
fn glue(line: &[Character], areas: &[Rect], glued: &mut [bool]) {
    let Some(size) = line.first().map(|character| character.size).filter(|_| line.len() > LEAST) else { return };
    let gap = |at: usize| areas[at].x0 - areas[at - 1].x1;
    let mut gaps: Vec<f32> = (1..line.len()).filter(|at| !line[*at].parted).map(gap).collect();
    gaps.sort_by(f32::total_cmp);
    let Some(usual) = gaps.get(gaps.len() / 2).copied() else { return };
    let by = (DIFFERS.0 * size).max(DIFFERS.1 * usual);
    let is_alike = |gap: f32| (gap - usual).abs() <= by;
    let letters = line.iter().filter(|character| character.value.is_alphabetic()).count();
    let is_spaced = APART.contains(&(usual / size))
        && gaps.iter().filter(|gap| is_alike(**gap)).count() >= LEAST
        // The others are between words, as wide as a space more.
        && gaps.iter().all(|gap| is_alike(*gap) || *gap > usual + by)
        && letters as f32 >= line.len() as f32 * LETTERS
        && !line.iter().any(|character| is_cjk(character.value) || is_rtl(character.value));
    if is_spaced {
        for at in (1..line.len()).filter(|at| !line[*at].parted && is_alike(gap(*at))) {
            glued[at] = true;
        }
    }
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
