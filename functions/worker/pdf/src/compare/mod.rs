//! Two documents side by side: which pages belong together, which of their words differ, and which areas look different.
//!
//! `pairs` finds the pages that belong together, `words` what was removed and added, `areas` where two pictures differ; `found`
//! tells all of it.

mod areas;
mod found;
mod pairs;
mod words;

pub(crate) use areas::{Picture, areas};
pub(crate) use found::{ComparedPage, data, report};
pub(crate) use pairs::{Pair, pairs};
pub(crate) use words::{Changed, changed};

use crate::Failure;
use crate::image::luma;
use crate::pdfium::{Background, Page, Rect};
use crate::text;

/// Pages with fewer words are recognised by how they look.
const FEW_WORDS: usize = 8;
/// Pixels on each side of the picture by which such a page is recognised.
const THUMBNAIL: u32 = 32;

/// What a page says, and how it can be recognised in another version of its document.
#[derive(Debug)]
pub(crate) struct Content {
    /// Width and height in points, as the page is shown.
    pub(crate) size: (f32, f32),
    /// In the order of reading.
    pub(crate) words: Vec<Word>,
    /// Shades of grey, of a page with few words.
    thumbnail: Option<Vec<u8>>,
}

/// What is compared as a whole: a word, or a character of a script without spaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// As the page is shown: in points from its top left corner.
    pub(crate) place: Rect,
}

impl Content {
    pub(crate) fn read(page: &Page<'_>, number: u32) -> Result<Self, Failure> {
        let words = text::words_in_order(text::read(page, number, false)?);
        let words = words.map(|word| Word { text: word.text, place: word.place });
        let words: Vec<Word> = words.flat_map(words::split).collect();
        let thumbnail = if words.len() < FEW_WORDS {
            let picture = page.render(THUMBNAIL, THUMBNAIL, Background::Color([255; 3]))?;
            Some(luma(&picture.data))
        } else {
            None
        };
        Ok(Self { size: page.size(), words, thumbnail })
    }
}
