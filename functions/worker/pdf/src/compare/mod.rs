//! Compares two documents: which pages belong together, which words differ, and which areas look different.
//!
//! `pairs` matches pages, `words` finds removed and added words, `areas` compares pictures, and `found` describes the results.

mod areas;
mod found;
mod pairs;
mod words;

pub(crate) use areas::{Picture, areas};
pub(crate) use found::{ComparedPage, data, report};
pub(crate) use pairs::{Pair, pairs};
pub(crate) use words::{Changed, changed};

use docmill_pdf_core::image::luma;
use docmill_pdf_core::pdfium::{Background, Page, Rect};
use docmill_pdf_request::Failure;

/// Pages with fewer words are matched by their looks.
const FEW_WORDS: usize = 8;
/// Size of the thumbnail for matching such pages, in pixels.
const THUMBNAIL: u32 = 32;

/// A page's content, and how to recognise it in the other document.
#[derive(Debug)]
pub(crate) struct Content {
    /// Width and height in points, as shown.
    pub(crate) size: (f32, f32),
    /// In reading order.
    pub(crate) words: Vec<Word>,
    /// Grey values, for a page with few words.
    thumbnail: Option<Vec<u8>>,
}

/// A unit of comparison: a word, or a character of a script without spaces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// Points from the top left corner of the page as shown.
    pub(crate) place: Rect,
}

impl Content {
    pub(crate) fn read(page: &Page<'_>, number: u32) -> Result<Self, Failure> {
        let words = docmill_pdf_text::words_in_order(docmill_pdf_text::read(page, number, false)?);
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
