//! Bullets that are drawn as shapes, as browsers do.

use std::rc::Rc;

use docmill_pdf_core::pdfium::{Font, Rect, Tag};

use super::words::Word;

/// Sizes of bullets in ems, and how much wider than high they are at most.
const SIZE: std::ops::Range<f32> = 0.15..0.65;
const WIDER: f32 = 1.4;
/// How far a bullet is from its text, and from other text, in ems.
const GAP: std::ops::Range<f32> = 0.1..2.5;
const ALONE: f32 = 2.5;
/// How far its middle is from that of its line, in ems.
const OFF: f32 = 0.3;
/// Pages with more small shapes have drawings.
const MOST: usize = 500;

/// A bullet for each small shape that stands before a line. `shapes`: with the text upright.
pub(super) fn bullets(words: &[Word], shapes: &[Rect]) -> Vec<Word> {
    let is_small = |shape: &&Rect| {
        let (width, height) = (shape.width(), shape.height());
        width > 1.0 && height > 1.0 && width.max(height) < 12.0 && width < height * WIDER && height < width * WIDER
    };
    let small: Vec<&Rect> = shapes.iter().filter(is_small).take(MOST + 1).collect();
    if small.len() > MOST {
        return Vec::new();
    }
    small.into_iter().filter_map(|shape| bullet(words, shape)).collect()
}

fn bullet(words: &[Word], shape: &Rect) -> Option<Word> {
    let in_line = |word: &&Word| (word.area.center().1 - shape.center().1).abs() < word.size * 0.5;
    let line: Vec<&Word> = words.iter().filter(in_line).collect();
    let before = |word: &Word| if word.is_rtl() { shape.x0 - word.area.x1 } else { word.area.x0 - shape.x1 };
    let next = line.iter().filter(|word| before(word) >= 0.0).min_by(|a, b| before(a).total_cmp(&before(b)))?;
    let em = next.size;
    let is_before = GAP.contains(&(before(next) / em))
        && SIZE.contains(&(shape.height() / em))
        && (next.area.center().1 - shape.center().1).abs() < em * OFF;
    let beside = |word: &&&Word| {
        let gap = if next.is_rtl() { word.area.x0 - shape.x1 } else { shape.x0 - word.area.x1 };
        gap > -em && gap < em * ALONE
    };
    if !is_before || line.iter().any(|word| beside(&word)) {
        return None;
    }
    let area = Rect { x0: shape.x0, x1: shape.x1, ..next.area };
    let (font, text) = (Rc::new(Font::default()), "•".to_owned());
    Some(Word {
        area,
        place: *shape,
        baseline: None,
        size: em,
        font,
        text,
        tail: None,
        raised: None,
        link: None,
        tag: Tag::None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_shape_before_a_line_is_a_bullet() {
        let words = [Word::at("first", 60.0, 100.0, 10.0, false), Word::at("line", 100.0, 100.0, 10.0, false)];
        let dot = |x: f32, y: f32, size: f32| Rect { x0: x, y0: y, x1: x + size, y1: y + size };
        let found = bullets(&words, &[dot(50.0, 103.0, 4.0)]);
        assert_eq!(found.iter().map(|word| (word.text.as_str(), word.area.y0)).collect::<Vec<_>>(), [("•", 100.0)]);
        let others = [dot(92.0, 103.0, 4.0), dot(20.0, 103.0, 4.0), dot(50.0, 120.0, 4.0), dot(50.0, 98.0, 9.0)];
        assert!(bullets(&words, &others).is_empty(), "between words, far away, below, or as large as a letter");
        assert!(bullets(&words, &[dot(50.0, 103.0, 4.0); MOST + 1]).is_empty(), "a drawing");
    }

    #[test]
    fn it_stands_on_the_right_of_text_from_right_to_left() {
        let words = [Word::at("سطر", 60.0, 100.0, 10.0, false)];
        let right = words[0].area.x1 + 6.0;
        assert_eq!(bullets(&words, &[Rect { x0: right, y0: 103.0, x1: right + 4.0, y1: 107.0 }]).len(), 1);
        assert!(bullets(&words, &[Rect { x0: 50.0, y0: 103.0, x1: 54.0, y1: 107.0 }]).is_empty());
    }
}
