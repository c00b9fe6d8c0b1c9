//! A page's picture without its known words.

use std::borrow::Cow;

use docmill_pdf_core::pdfium::{GreyBitmap, Rect};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_ocr::Text;

/// Empty rows that are kept between rows with content.
const ROOM: u32 = 40;
/// Pixels around a word that are painted over unless they are dark: they belong to the word's edges.
const EDGE: usize = 3;
/// A pixel that differs this much from the background belongs to something else.
const DARK: u8 = 110;

/// What is left to read.
#[derive(Debug)]
pub(super) struct Unread<'p> {
    pub(super) picture: Cow<'p, GreyBitmap>,
    /// The row of the page for each row of the picture. Empty if they are the same.
    rows: Vec<u32>,
}

impl<'p> Unread<'p> {
    pub(super) fn whole(picture: &'p GreyBitmap) -> Self {
        Self { picture: Cow::Borrowed(picture), rows: Vec::new() }
    }

    /// The picture without these words, whose places are in points, and without most empty rows. `None` if nothing is left.
    pub(super) fn without(picture: &'p GreyBitmap, words: &[Rect]) -> Option<Self> {
        let mut left = picture.clone();
        for word in words {
            paint_over(&mut left, word);
        }
        let rows = rows_to_read(&left);
        if rows.is_empty() {
            return None;
        }
        let width = left.width as usize;
        let of_row = |row: &u32| left.data.get(*row as usize * width..(*row as usize + 1) * width).unwrap_or_default();
        let data = rows.iter().flat_map(of_row).copied().collect();
        let picture = GreyBitmap {
            width: left.width,
            height: u32::try_from(rows.len()).unwrap_or(u32::MAX),
            data,
            dpi: left.dpi,
        };
        Some(Self { picture: Cow::Owned(picture), rows })
    }

    /// The recognised text with its places on the page.
    pub(super) fn placed(&self, mut text: Text) -> Text {
        let place = |row: f32| self.rows.get((whole(row) as usize).min(self.rows.len().saturating_sub(1)));
        for word in text.lines.iter_mut().flat_map(|line| &mut line.words) {
            for row in [&mut word.top, &mut word.bottom] {
                *row = place(*row).map_or(*row, |place| *place as f32);
            }
        }
        text
    }
}

/// The rows with anything to read, and some around each.
fn rows_to_read(picture: &GreyBitmap) -> Vec<u32> {
    let width = picture.width.max(1) as usize;
    let is_plain = |row: &[u8]| row.first().is_none_or(|first| row.iter().all(|pixel| pixel == first));
    let with_something: Vec<u32> =
        (0..).zip(picture.data.chunks_exact(width)).filter(|(_, row)| !is_plain(row)).map(|(at, _)| at).collect();
    let mut rows: Vec<u32> = Vec::new();
    for at in with_something {
        let from = at.saturating_sub(ROOM / 2).max(rows.last().map_or(0, |last| last + 1));
        let to = (at + ROOM / 2).min(picture.height.saturating_sub(1));
        rows.extend(from..=to);
    }
    rows
}

/// Paints over a word with its surrounding color.
fn paint_over(picture: &mut GreyBitmap, word: &Rect) {
    let scale = picture.dpi / 72.0;
    let width = picture.width as usize;
    let range = |from: f32, to: f32, most: u32| {
        let from = whole((from * scale).floor()).saturating_sub(1).min(most) as usize;
        from..whole((to * scale).ceil()).saturating_add(1).min(most) as usize
    };
    let (columns, rows) = (range(word.x0, word.x1, picture.width), range(word.y0, word.y1, picture.height));
    let wide = |range: &std::ops::Range<usize>, most: u32| {
        range.start.saturating_sub(EDGE)..(range.end + EDGE).min(most as usize)
    };
    let (all_columns, all_rows) = (wide(&columns, picture.width), wide(&rows, picture.height));
    let background = most_frequent(
        all_rows
            .clone()
            .flat_map(|y| {
                let is_edge = !rows.contains(&y);
                let (columns, all) = (columns.clone(), all_columns.clone());
                all.filter(move |x| is_edge || !columns.contains(x)).map(move |x| y * width + x)
            })
            .filter_map(|at| picture.data.get(at).copied()),
    );
    for y in all_rows {
        for x in all_columns.clone() {
            let Some(pixel) = picture.data.get_mut(y * width + x) else { continue };
            if rows.contains(&y) && columns.contains(&x) || pixel.abs_diff(background) < DARK {
                *pixel = background;
            }
        }
    }
}

fn most_frequent(pixels: impl Iterator<Item = u8>) -> u8 {
    let mut counts = [0u32; 256];
    for pixel in pixels {
        counts.get_mut(usize::from(pixel)).into_iter().for_each(|count| *count += 1);
    }
    (0..=u8::MAX).zip(counts).rev().max_by_key(|(_, count)| *count).map_or(u8::MAX, |(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_pdf_ocr::{Direction, Line, Word};

    /// A picture with one dot per point and a dark square at each of these places.
    fn picture(squares: &[(usize, usize)]) -> GreyBitmap {
        let (width, height) = (100, 300);
        let mut data = vec![200; width * height];
        for (left, top) in squares {
            for y in *top..top + 10 {
                data[y * width + left..y * width + left + 10].fill(0);
            }
        }
        GreyBitmap { width: width as u32, height: height as u32, data, dpi: 72.0 }
    }

    const WORD: Rect = Rect { x0: 20.0, y0: 100.0, x1: 30.0, y1: 110.0 };

    #[test]
    fn nothing_is_left_of_a_page_of_known_words() {
        assert!(Unread::without(&picture(&[(20, 100)]), &[WORD]).is_none());
        assert!(Unread::without(&picture(&[]), &[]).is_none());
    }

    #[test]
    fn unknown_words_stay_in_place() {
        let source = picture(&[(20, 100), (45, 100), (20, 250)]);
        let rest = Unread::without(&source, &[WORD]).unwrap();
        let row = |y: u32| {
            let start = rest.rows.iter().position(|row| *row == y).unwrap() * 100;
            &rest.picture.data[start..start + 100]
        };
        let dark = |row: &[u8]| row.iter().filter(|pixel| **pixel < 100).count();
        assert_eq!((dark(row(105)), row(105)[50], row(105)[25]), (10, 0, 200), "only the known word is gone");
        assert_eq!((dark(row(255)), row(255)[25]), (10, 0));
        assert!(rest.picture.height < 120 && !rest.rows.contains(&180), "empty rows are left out");
        let word = Word { text: "x".to_owned(), confidence: 90.0, left: 20.0, top: 0.0, right: 30.0, bottom: 0.0 };
        let at = |y| rest.rows.iter().position(|row| *row == y).unwrap() as f32;
        let word = Word { top: at(250), bottom: at(259), ..word };
        let line = Line { words: vec![word], direction: Direction::Up, baseline: None, stroke: None };
        let placed = rest.placed(Text { lines: vec![line] });
        assert_eq!((placed.lines[0].words[0].top, placed.lines[0].words[0].bottom), (250.0, 259.0));
    }
}
