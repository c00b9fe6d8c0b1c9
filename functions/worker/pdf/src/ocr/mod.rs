//! Reading the text of pictures: `tesseract/` is the library, `page` decides how a page is shown to it, `layer` puts what was
//! read over the page, invisibly.

mod layer;
mod page;
mod tesseract;

pub(crate) use layer::{TextLayer, placed};
pub(crate) use page::{How, PageText, picture, read, unread};
pub(crate) use tesseract::{Reader, Tesseract};

/// Below this confidence, a page has so many wrong words that somebody has to look at it.
pub(crate) const LOW_CONFIDENCE: f32 = 70.0;

/// How far the lines of a picture are from level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Skew {
    /// Degrees by which the picture is to be turned clockwise for its lines to be level.
    pub degrees: f32,
    /// 3 and more is reliable.
    pub confidence: f32,
}

/// What was read in one picture, in reading order. Places are in pixels from the upper left corner.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub lines: Vec<Line>,
}

/// Words one after the other, in the order in which they are read.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub words: Vec<Word>,
    pub direction: Direction,
    /// Where the letters of an upright line stand: a point at its left, and one at its right.
    pub baseline: Option<[(f32, f32); 2]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// In logical order, without spaces.
    pub text: String,
    /// From 0 to 100.
    pub confidence: f32,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// Where the tops of the letters point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Right,
    Down,
    Left,
}

impl Text {
    pub(crate) fn words(&self) -> usize {
        self.lines.iter().map(|line| line.words.len()).sum()
    }

    /// The mean confidence of the characters, each of which has its word's. `None` if nothing was read.
    pub(crate) fn confidence(&self) -> Option<f32> {
        let words = || self.lines.iter().flat_map(|line| &line.words);
        let characters: usize = words().map(|word| word.text.chars().count()).sum();
        let sum: f32 = words().map(|word| word.confidence * word.text.chars().count() as f32).sum();
        (characters > 0).then(|| sum / characters as f32)
    }
}
