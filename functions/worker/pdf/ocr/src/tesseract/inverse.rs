//! White text on black: the models only read dark letters, so leptonica finds dark areas with text, which are then inverted.

use std::ffi::c_int;
use std::ptr;

use docmill_pdf_core::pdfium::GreyBitmap;

use super::Reader;
use super::ffi::{Api, Handle};

/// Samples below this are dark.
const DARK: u8 = 128;
/// Pixels in a word of leptonica's pictures. The first one is the highest bit.
const IN_WORD: usize = 32;

/// A black and white picture of leptonica's.
struct Mask<'r> {
    api: &'r Api,
    handle: Handle,
}

impl Drop for Mask<'_> {
    fn drop(&mut self) {
        // SAFETY: The picture is ours, and is destroyed once.
        unsafe { (self.api.pixDestroy)(&raw mut self.handle) };
    }
}

impl Reader {
    /// Inverts white text on black areas. The rest of the picture is unchanged.
    pub(crate) fn turn_inverse_text(&self, picture: &mut GreyBitmap) {
        let Some(areas) = self.dark_areas(picture) else { return };
        let width = picture.width.max(1) as usize;
        let length = areas.words_of_a_line();
        let Some(words) = areas.words() else { return };
        for (row, words) in picture.data.chunks_exact_mut(width).zip(words.chunks_exact(length)) {
            for (pixels, word) in row.chunks_mut(IN_WORD).zip(words).filter(|(_, word)| **word != 0) {
                for (bit, pixel) in pixels.iter_mut().enumerate() {
                    if word >> (IN_WORD - 1 - bit) & 1 == 1 {
                        *pixel = u8::MAX - *pixel;
                    }
                }
            }
        }
    }

    /// Finds dark areas with text, if the picture has any.
    fn dark_areas(&self, picture: &GreyBitmap) -> Option<Mask<'_>> {
        let ink = self.ink(picture)?;
        let mut areas = ptr::null_mut();
        // SAFETY: `ink` is a picture of one bit a pixel, which is only read. Both results are ours; the last argument is for
        // debugging, and may be null.
        let turned = unsafe { (self.api.pixAutoPhotoinvert)(ink.handle, 0, &raw mut areas, ptr::null_mut()) };
        drop(Mask { api: &self.api, handle: turned });
        (!areas.is_null()).then(|| Mask { api: &self.api, handle: areas })
    }

    /// Where a picture is dark.
    fn ink(&self, picture: &GreyBitmap) -> Option<Mask<'_>> {
        let (width, height) = (c_int::try_from(picture.width).ok()?, c_int::try_from(picture.height).ok()?);
        if width == 0 || height == 0 {
            return None;
        }
        // SAFETY: The sides are positive. Null is returned where there is no memory.
        let handle = unsafe { (self.api.pixCreate)(width, height, 1) };
        let mut ink = (!handle.is_null()).then(|| Mask { api: &self.api, handle })?;
        let length = ink.words_of_a_line();
        let words = ink.words_mut()?;
        for (row, words) in picture.data.chunks_exact(picture.width as usize).zip(words.chunks_exact_mut(length)) {
            for (pixels, word) in row.chunks(IN_WORD).zip(words) {
                for (bit, _) in pixels.iter().enumerate().filter(|(_, pixel)| **pixel < DARK) {
                    *word |= 1 << (IN_WORD - 1 - bit);
                }
            }
        }
        Some(ink)
    }
}

impl Mask<'_> {
    fn words_of_a_line(&self) -> usize {
        // SAFETY: The picture is alive.
        usize::try_from(unsafe { (self.api.pixGetWpl)(self.handle) }).unwrap_or(0).max(1)
    }

    /// The first word, and how many there are.
    fn data(&self) -> Option<(*mut u32, usize)> {
        // SAFETY: The picture is alive.
        let (data, height) = unsafe { ((self.api.pixGetData)(self.handle), (self.api.pixGetHeight)(self.handle)) };
        let words = usize::try_from(height).ok()? * self.words_of_a_line();
        (!data.is_null()).then_some((data, words))
    }

    fn words(&self) -> Option<&[u32]> {
        let (data, words) = self.data()?;
        // SAFETY: The picture is alive, and has this many words.
        Some(unsafe { std::slice::from_raw_parts(data, words) })
    }

    fn words_mut(&mut self) -> Option<&mut [u32]> {
        let (data, words) = self.data()?;
        // SAFETY: The picture is alive, has this many words, and nobody else has it.
        Some(unsafe { std::slice::from_raw_parts_mut(data, words) })
    }
}
