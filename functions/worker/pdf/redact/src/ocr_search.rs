//! Finds matches in a drawn page by OCR.
//!
//! Everything visible on a page is read, as closely as necessary:
//!
//! 1. A page with text is read once, at a resolution that suffices for the size of its text. A word is known if OCR and the
//!    page's own text agree on it in the same place (`confirmed_words.rs`). The page's own text is searched too, so nothing can hide in
//!    known words.
//! 2. Everything else is read at 300 dots per inch, in two layouts: pictures, outlines, text with false fonts, small print, and
//!    all words that resemble a redacted text (`unread.rs`). What one layout takes for a drawing, the other may read.
//!
//! A page with little or no text, such as a scan, is only read in the second way. All readings are searched.

use docmill_pdf_core::image::resized;
use docmill_pdf_core::pdfium::{GreyBitmap, Rect};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_ocr::{Reader, Text, unread};
use docmill_pdf_request::Failure;
use fast_image_resize::{FilterType, PixelType};

use super::confirmed_words;
use super::needle::Needles;
use super::reading::Reading;
use super::unread::Unread;

/// Pages with at least this many characters are read in two steps. For fewer, it is not worth it.
const TEXT: usize = 120;
/// Dots per em of usual text, and the lowest resolution of the first reading.
const EM: f32 = 25.0;
const LEAST_DPI: f32 = 150.0;
/// The first reading must be this much coarser to be worth it.
const COARSER: f32 = 0.8;

/// A match: its place, and the index of its entry.
pub(super) type Found = (Rect, usize);

/// A drawn page and its text.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) picture: GreyBitmap,
    pub(super) text: Reading,
}

impl Shown {
    /// Finds matches in everything that the page shows.
    pub(super) fn find(&self, reader: &mut Reader, needles: &Needles) -> Result<Vec<Found>, Failure> {
        let Some(small) = self.dpi_of_text().and_then(|dpi| smaller(&self.picture, dpi)) else {
            return closely(reader, &Unread::whole(&self.picture), needles);
        };
        let first = reader.read_once(&small).ok_or_else(unread)?;
        let mut found = search(&first, small.dpi, needles);
        let known = confirmed_words::places(&first, small.dpi, &self.text, needles);
        if let Some(rest) = Unread::without(&self.picture, &known) {
            found.extend(closely(reader, &rest, needles)?);
        }
        Ok(found)
    }

    /// The resolution at which most of the page's text can be read. `None` if it has little text.
    fn dpi_of_text(&self) -> Option<f32> {
        let mut sizes: Vec<f32> = self.text.glyphs.iter().map(|glyph| glyph.size).collect();
        if sizes.len() < TEXT {
            return None;
        }
        let middle = sizes.len() / 2;
        let (_, size, _) = sizes.select_nth_unstable_by(middle, f32::total_cmp);
        Some((72.0 * EM / size.max(1.0)).max(LEAST_DPI))
    }
}

fn search(text: &Text, dpi: f32, needles: &Needles) -> Vec<Found> {
    Reading::of_picture(text, dpi).find(needles).into_iter().map(|(area, entry, _)| (area, entry)).collect()
}

/// Reads a picture in both layouts.
fn closely(reader: &mut Reader, rest: &Unread<'_>, needles: &Needles) -> Result<Vec<Found>, Failure> {
    let texts = reader.read_twice(&rest.picture).ok_or_else(unread)?;
    Ok(texts.into_iter().flat_map(|text| search(&rest.placed(text), rest.picture.dpi, needles)).collect())
}

/// The picture at a lower resolution. `None` if it is hardly lower.
fn smaller(picture: &GreyBitmap, dpi: f32) -> Option<GreyBitmap> {
    let scale = dpi / picture.dpi;
    if scale > COARSER {
        return None;
    }
    let [width, height] = [picture.width, picture.height].map(|side| whole((side as f32 * scale).round()).max(1));
    let size = (picture.width, picture.height);
    let data = resized(&picture.data, PixelType::U8, size, (width, height), FilterType::Lanczos3)?;
    Some(GreyBitmap { width, height, data, dpi: picture.dpi * width as f32 / picture.width as f32 })
}
