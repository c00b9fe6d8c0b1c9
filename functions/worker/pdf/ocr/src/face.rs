//! The type of lines that were read: their size by letters of known height, and whether it is bold by the width of strokes. Readers
//! tell headings by both.

use docmill_pdf_core::pdfium::GreyBitmap;

use super::{Direction, Line, Text, Word};

/// How high capitals and tall letters are, in ems, and how high low letters are, in tall ones if a page does not tell.
const TALL: f32 = 0.7;
const LOW: f32 = 0.72;
/// Lines have the same size if theirs differ by less than the first factor, and those with low letters only, which tell less, the size of
/// a line beside them if it differs by less than the second.
const SAME: f32 = 1.08;
const NEAR: f32 = 1.25;
/// Most sizes of a document.
const SIZES: usize = 100;
/// Strokes of bold type are wider than those of most text by this factor, relative to the size of both.
const BOLD: f32 = 1.28;
/// The least letters of a line whose strokes tell its weight.
const LETTERS: usize = 3;
/// A pixel is dark below the middle of the darkest and the lightest one of a word. These differ by that much at least.
const CONTRAST: u8 = 60;
/// Longer runs of dark pixels, in heights of the word, are rules and horizontal strokes.
const LONGEST: f32 = 0.45;

/// The type of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// The em, in points.
    pub size: f32,
    pub bold: bool,
}

/// Measures the strokes of each upright line.
pub(super) fn measure(picture: &GreyBitmap, text: &mut Text) {
    for line in text.lines.iter_mut().filter(|line| line.direction == Direction::Up) {
        let mut runs = Runs::default();
        line.words.iter().for_each(|word| runs.add(picture, word));
        let letters = line.words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphanumeric()).count();
        line.stroke = (letters >= LETTERS && runs.count > 0).then(|| runs.length as f32 / runs.count as f32);
    }
}

/// Runs of dark pixels along rows.
#[derive(Default)]
struct Runs {
    count: usize,
    length: usize,
}

impl Runs {
    fn add(&mut self, picture: &GreyBitmap, word: &Word) {
        let width = picture.width as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let pixel = |value: f32, most: u32| (value.max(0.0) as usize).min(most as usize);
        let (left, right) = (pixel(word.left, picture.width), pixel(word.right, picture.width));
        let (top, bottom) = (pixel(word.top, picture.height), pixel(word.bottom, picture.height));
        let rows = || (top..bottom).filter_map(|y| picture.data.get(y * width + left..y * width + right));
        let (mut darkest, mut lightest) = (u8::MAX, 0);
        for value in rows().flatten() {
            (darkest, lightest) = (darkest.min(*value), lightest.max(*value));
        }
        if lightest.saturating_sub(darkest) < CONTRAST {
            return;
        }
        let middle = darkest + (lightest - darkest) / 2;
        let longest = (word.bottom - word.top) * LONGEST;
        for row in rows() {
            for run in row.chunk_by(|a, b| (*a < middle) == (*b < middle)) {
                if run.first().is_some_and(|first| *first < middle) && run.len() as f32 <= longest {
                    self.count += 1;
                    self.length += run.len();
                }
            }
        }
    }
}

/// The sizes of a document's type on the pages so far, in points: each page is measured a little differently.
#[derive(Debug, Default)]
pub struct Sizes(Vec<f32>);

impl Sizes {
    /// A size that is known, if one is as good as the same.
    fn known(&mut self, size: f32) -> f32 {
        let nearest = self.0.iter().copied().min_by(|a, b| (a - size).abs().total_cmp(&(b - size).abs()));
        nearest.filter(|known| is_same(*known, size, SAME)).unwrap_or_else(|| {
            if self.0.len() < SIZES {
                self.0.push(size);
            }
            size
        })
    }
}

/// The types of these lines, with the points of a pixel. `None` for lines whose letters have no known height.
pub(super) fn faces(lines: &[Line], scale: f32, known: &mut Sizes) -> Vec<Option<Face>> {
    let heights: Vec<Heights> = lines.iter().map(heights).collect();
    let em = |height: f32| height * scale / TALL;
    let mut sizes: Vec<Option<f32>> = heights.iter().map(|of| of.tall.map(em)).collect();
    let of_text = weighted(lines, &sizes, |_, size| Some(size));
    alike(&mut sizes, of_text, known);
    let low = median(heights.iter().filter_map(|of| Some(of.low? / of.tall?)).collect()).unwrap_or(LOW);
    for (at, height) in heights.iter().enumerate() {
        if let (Some(None), Some(height)) = (sizes.get(at), height.low) {
            let own = em(height / low);
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|at| *sizes.get(at)?);
            let near = beside.chain(of_text).find(|size| is_same(*size, own, NEAR)).unwrap_or_else(|| known.known(own));
            if let Some(size) = sizes.get_mut(at) {
                *size = Some(near);
            }
        }
    }
    let weight = |line: &Line, size: f32| Some(line.stroke? / size);
    let of_strokes = weighted(lines, &sizes, weight);
    let face = |(line, size): (&Line, Option<f32>)| {
        let size = size?;
        let bold = weight(line, size).zip(of_strokes).is_some_and(|(own, usual)| own > usual * BOLD);
        Some(Face { size, bold })
    };
    lines.iter().zip(sizes).map(face).collect()
}

fn is_same(a: f32, b: f32, factor: f32) -> bool {
    a.max(b) < a.min(b) * factor
}

/// How high letters stand above the baseline of their line, in pixels: the median of words with tall ones, or of numbers, and of
/// words with low ones only.
#[derive(Default)]
struct Heights {
    tall: Option<f32>,
    low: Option<f32>,
}

fn heights(line: &Line) -> Heights {
    let (Direction::Up, Some([(x1, y1), (x2, y2)])) = (line.direction, line.baseline) else {
        return Heights::default();
    };
    let slope = (y2 - y1) / (x2 - x1).max(1.0);
    // Measured at the centre of a word, since the box of a sloping word is higher than its letters.
    let above = |word: &Word| {
        y1 + slope * (f32::midpoint(word.left, word.right) - x1)
            - word.top
            - slope.abs() * (word.right - word.left) / 2.0
    };
    let of = |is: fn(&str) -> bool| {
        median(line.words.iter().filter(|word| is(&word.text)).map(above).filter(|height| *height > 0.0).collect())
    };
    Heights { tall: of(is_tall).or_else(|| of(is_number)), low: of(is_low) }
}

/// Whether the highest letter of a word is a capital or one as high.
fn is_tall(word: &str) -> bool {
    let is_accented = |c: char| !c.is_ascii() && c.is_uppercase();
    word.contains(|c: char| c.is_ascii_uppercase() || matches!(c, 'b' | 'd' | 'f' | 'h' | 'k' | 'l' | 'ß'))
        && !word.contains(is_accented)
}

/// Most digits are as high as capitals.
fn is_number(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit())
}

/// Whether all letters of a word are low.
fn is_low(word: &str) -> bool {
    let is_low = |c: char| matches!(c, 'a' | 'c' | 'e' | 'g' | 'm'..='s' | 'u'..='z' | '.' | ',');
    word.chars().all(is_low) && word.contains(char::is_alphabetic)
}

/// The value of most text: the median over lines, each as often as it has characters.
fn weighted(lines: &[Line], sizes: &[Option<f32>], value: impl Fn(&Line, f32) -> Option<f32>) -> Option<f32> {
    let length = |line: &Line| line.words.iter().map(|word| word.text.chars().count()).sum::<usize>();
    let values = lines.iter().zip(sizes).filter_map(|(line, size)| Some((value(line, (*size)?)?, length(line))));
    let mut values: Vec<(f32, usize)> = values.collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, length)| length).sum::<usize>() / 2;
    let mut before = 0;
    let middle = values.iter().find(|(_, length)| {
        before += length;
        before > half
    });
    middle.map(|(value, _)| *value)
}

/// Gives lines of about the same size the same one: first those of the text, since no two lines have the same letters.
fn alike(sizes: &mut [Option<f32>], of_text: Option<f32>, known: &mut Sizes) {
    let of_text = of_text.map(|size| (size, known.known(size)));
    let mut others: Vec<&mut f32> = Vec::new();
    for size in sizes.iter_mut().flatten() {
        match of_text {
            Some((measured, text)) if is_same(measured, *size, SAME) => *size = text,
            Some(_) | None => others.push(size),
        }
    }
    others.sort_by(|a, b| a.total_cmp(b));
    for group in others.chunk_by_mut(|a, b| is_same(**a, **b, SAME)) {
        let middle = group.get(group.len() / 2).map(|size| known.known(**size)).unwrap_or_default();
        group.iter_mut().for_each(|size| **size = middle);
    }
}

fn median(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of words whose letters have the heights of a type of this size, 12 pixels each, with their strokes.
    fn line(text: &str, size: f32, stroke: f32) -> Line {
        let height = |word: &str| if is_low(word) { size * TALL * LOW } else { size * TALL };
        let mut left = 0.0;
        let words = text.split(' ').map(|text| {
            let right = left + 12.0 * text.chars().count() as f32;
            let word =
                Word { text: text.to_owned(), confidence: 90.0, left, top: 100.0 - height(text), right, bottom: 100.0 };
            left = right + 6.0;
            word
        });
        let words: Vec<Word> = words.collect();
        let baseline = Some([(0.0, 100.0), (left, 100.0)]);
        Line { words, direction: Direction::Up, baseline, stroke: Some(stroke) }
    }

    fn faces(lines: &[Line]) -> Vec<Option<Face>> {
        super::faces(lines, 1.0, &mut Sizes::default())
    }

    fn sizes(lines: &[Line]) -> Vec<f32> {
        faces(lines).into_iter().map(|face| face.map_or(0.0, |face| face.size.round())).collect()
    }

    #[test]
    fn lines_without_tall_letters_are_as_large_as_others() {
        let text = || line("Some words of the text that runs on", 30.0, 3.0);
        assert_eq!(sizes(&[text(), line("so we can see our own", 30.0, 3.0), line("2,024", 30.0, 3.0)]), [30.0; 3]);
        assert_eq!(sizes(&[line("so we can", 30.0, 3.0)]), [30.0], "nothing tells how high tall letters are");
        let signs = line("— …", 30.0, 3.0);
        assert!(faces(&[text(), signs])[1].is_none());
    }

    #[test]
    fn sizes_that_differ_by_a_trifle_are_those_of_the_text() {
        let text = |size: f32| line("Some words of the text that runs on over lines", size, 3.0);
        let lines = [
            line("Results", 40.0, 3.0),
            text(30.0),
            text(30.5),
            text(29.5),
            line("Methods", 41.0, 3.0),
            text(30.0),
            line("Table 1: small", 26.0, 3.0),
        ];
        assert_eq!(sizes(&lines), [41.0, 30.0, 30.0, 30.0, 41.0, 30.0, 26.0]);
    }

    #[test]
    fn the_pages_of_a_document_have_the_same_sizes() {
        let mut known = Sizes::default();
        let mut page = |size: f32, heading: f32| -> Vec<f32> {
            let lines =
                [line("Results", heading, 3.0), line("Some words of the text that runs on over lines", size, 3.0)];
            super::faces(&lines, 0.5, &mut known)
                .into_iter()
                .map(|face| face.map_or(0.0, |face| face.size.round()))
                .collect()
        };
        assert_eq!(page(30.0, 40.0), [20.0, 15.0]);
        assert_eq!(page(31.8, 41.9), [20.0, 15.0]);
        assert_eq!(page(36.0, 60.0), [30.0, 18.0], "other sizes");
    }

    #[test]
    fn a_line_with_low_letters_only_is_as_large_as_the_one_beside_it() {
        let text = || line("Some words of the text that runs on over lines", 30.0, 3.0);
        let lines = [
            text(),
            line("Several requirements", 40.0, 3.0),
            line("so we can", 45.0, 3.0),
            text(),
            line("so we can", 26.0, 3.0),
        ];
        assert_eq!(sizes(&lines), [30.0, 40.0, 40.0, 30.0, 30.0]);
    }

    #[test]
    fn a_line_is_bold_by_the_width_of_its_strokes_for_its_size() {
        let text = || line("Some words of the text that runs on over lines", 30.0, 3.0);
        let bold = |line: Line| faces(&[text(), text(), text(), line])[3].is_some_and(|face| face.bold);
        assert!(bold(line("Results", 30.0, 4.2)) && bold(line("Results", 60.0, 8.4)));
        assert!(
            !bold(line("Results", 30.0, 3.3)) && !bold(line("Results", 60.0, 6.0)),
            "larger type has wider strokes"
        );
        assert!(!bold(Line { stroke: None, ..line("Results", 30.0, 3.0) }));
    }

    #[test]
    fn sloping_lines_are_no_larger() {
        let mut sloping = line("Some words of the text", 30.0, 3.0);
        // One pixel lower every 60.
        for word in &mut sloping.words {
            let down = |x: f32| x / 60.0;
            (word.top, word.bottom) = (word.top + down(word.left), word.bottom + down(word.right));
        }
        sloping.baseline = Some([(0.0, 100.0), (600.0, 110.0)]);
        let found = faces(&[sloping])[0].map(|face| face.size.round());
        assert_eq!(found, Some(30.0));
    }

    #[test]
    fn strokes_are_runs_of_dark_pixels() {
        // Strokes of 3 pixels every 10, and a rule along the bottom.
        let pixel = |x: u32, y: u32| if y >= 28 || x % 10 < 3 { 20 } else { 230 };
        let data = (0..30).flat_map(|y| (0..100).map(move |x| pixel(x, y))).collect();
        let picture = GreyBitmap { width: 100, height: 30, data, dpi: 200.0 };
        let measured = |text: &str, right: f32| {
            let word = Word { text: text.to_owned(), confidence: 90.0, left: 0.0, top: 0.0, right, bottom: 30.0 };
            let line = Line { words: vec![word], direction: Direction::Up, baseline: None, stroke: None };
            let mut text = Text { lines: vec![line] };
            measure(&picture, &mut text);
            text.lines[0].stroke
        };
        assert_eq!((measured("letters", 100.0), measured("letters", 1e9)), (Some(3.0), Some(3.0)));
        assert_eq!(measured("1.", 100.0), None, "too little");
        let blank = GreyBitmap { data: vec![230; 3000], ..picture.clone() };
        let mut text = Text { lines: vec![line("letters", 30.0, 3.0)] };
        measure(&blank, &mut text);
        assert_eq!(text.lines[0].stroke, None);
    }
}
