//! OCR: `tesseract/` is the library, `page` prepares pages for it, `clean` improves poor scans, `face` finds sizes and bold type, and
//! `layer` adds the result to the page as invisible text. Which pages to read, and why, is up to the tools.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod clean;
mod face;
mod layer;
mod page;
mod tesseract;

pub use face::Sizes;
pub use layer::{TextLayer, placed};
pub use page::{How, Orienter, PageText, picture, read, unread};
pub use tesseract::{Reader, Tesseract};

/// A page below this confidence has so many wrong words that somebody should check it.
pub const LOW_CONFIDENCE: f32 = 70.0;

/// How far the lines of a picture are from level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// Degrees to rotate the picture clockwise to level its lines.
    pub degrees: f32,
    /// 3 and more is reliable.
    pub confidence: f32,
}

/// The text of a picture in reading order. Places are in pixels from the upper left corner.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// Without empty ones.
    pub lines: Vec<Line>,
}

/// Words in reading order.
#[derive(Clone, Debug)]
pub struct Line {
    /// At least one.
    pub words: Vec<Word>,
    /// How its letters stand.
    pub direction: Direction,
    /// The baseline of an upright line: a point on the left and one on the right.
    pub baseline: Option<[(f32, f32); 2]>,
    /// How wide its strokes are in pixels, if that was measured.
    pub stroke: Option<f32>,
}

/// A word and where it is.
#[derive(Clone, Debug)]
pub struct Word {
    /// In logical order, without spaces.
    pub text: String,
    /// From 0 to 100.
    pub confidence: f32,
    /// The left edge.
    pub left: f32,
    /// The upper edge.
    pub top: f32,
    /// The right edge.
    pub right: f32,
    /// The lower edge.
    pub bottom: f32,
}

/// The direction of the tops of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The text is upright.
    Up,
    /// It is turned clockwise.
    Right,
    /// It is upside down.
    Down,
    /// It is turned counter-clockwise.
    Left,
}

impl Text {
    /// The number of words.
    pub fn words(&self) -> usize {
        self.lines.iter().map(|line| line.words.len()).sum()
    }

    /// The mean confidence of all characters, each with its word's confidence. `None` without text.
    pub fn confidence(&self) -> Option<f32> {
        let characters: usize = self.all().map(|word| word.text.chars().count()).sum();
        (characters > 0).then(|| self.certainty() / characters as f32)
    }

    /// The sum of the characters' confidence: more of what is read for sure is better.
    fn certainty(&self) -> f32 {
        self.all().map(|word| word.confidence * word.text.chars().count() as f32).sum()
    }

    fn all(&self) -> impl Iterator<Item = &Word> {
        self.lines.iter().flat_map(|line| &line.words)
    }
}
