//! A picture in memory that pdfium draws into.

use std::ffi::{c_int, c_ulong};

use docmill_pdf_request::{ErrorCode, Failure};

use super::ffi::Handle;
use super::{Page, Session};

/// `FPDFBitmap_BGRx` and `FPDFBitmap_BGRA`, with the order of colors turned to RGB by `REVERSE_BYTE_ORDER`.
const FORMAT_RGBX: c_int = 3;
const FORMAT_RGBA: c_int = 4;
/// `FPDF_ANNOT` and `FPDF_REVERSE_BYTE_ORDER`.
const ANNOTATIONS: c_int = 0x01;
const REVERSED: c_int = 0x10;

/// The background of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Red, green and blue.
    Color([u8; 3]),
    /// Nothing: what the page does not paint has no color.
    Transparent,
}

/// Rows of red, green, blue and alpha, one byte each. Alpha is 255 unless the background is transparent.
#[derive(Debug)]
pub struct Bitmap {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The rows, without padding.
    pub data: Vec<u8>,
    /// Whether its alpha says something.
    pub transparent: bool,
}

impl Page<'_> {
    /// Draws the page with annotations and form fields at a size that the caller has limited.
    ///
    /// # Errors
    /// If the bitmap can't be made, for example for lack of memory.
    pub fn render(&self, width: u32, height: u32, background: Background) -> Result<Bitmap, Failure> {
        self.render_with(width, height, background, true)
    }

    /// The same on white, without annotations and form fields.
    ///
    /// # Errors
    /// As for [`Self::render`].
    pub fn render_content(&self, width: u32, height: u32) -> Result<Bitmap, Failure> {
        self.render_with(width, height, Background::Color([255; 3]), false)
    }

    fn render_with(
        &self,
        width: u32,
        height: u32,
        background: Background,
        annotations: bool,
    ) -> Result<Bitmap, Failure> {
        let too_large = || Failure::new(ErrorCode::RenderFailed, "The picture of this page is too large.", "bitmap");
        let (w, h) =
            (c_int::try_from(width).map_err(|_| too_large())?, c_int::try_from(height).map_err(|_| too_large())?);
        let stride = w.checked_mul(4).ok_or_else(too_large)?;
        let bytes =
            (width as usize).checked_mul(4).and_then(|row| row.checked_mul(height as usize)).ok_or_else(too_large)?;
        let transparent = background == Background::Transparent;
        let mut data = vec![0u8; bytes];
        let api = self.session().api;
        // SAFETY: The memory has `stride` bytes for each row, and outlives the bitmap, which is destroyed below.
        let handle = unsafe {
            let format = if transparent { FORMAT_RGBA } else { FORMAT_RGBX };
            (api.FPDFBitmap_CreateEx)(w, h, format, data.as_mut_ptr().cast(), stride)
        };
        let bitmap = Target::of(self.session(), handle).ok_or_else(too_large)?;
        if let Background::Color([r, g, b]) = background {
            // pdfium takes BGR here, because the bitmap is in RGB order.
            let color = 0xff00_0000 | c_ulong::from(b) << 16 | c_ulong::from(g) << 8 | c_ulong::from(r);
            // SAFETY: The bitmap is alive, and the rectangle is all of it.
            unsafe { (api.FPDFBitmap_FillRect)(bitmap.handle, 0, 0, w, h, color) };
        }
        let flags = if annotations { REVERSED | ANNOTATIONS } else { REVERSED };
        // SAFETY: Bitmap, page and form are alive, on the one thread that holds the session.
        unsafe {
            (api.FPDF_RenderPageBitmap)(bitmap.handle, self.handle, 0, 0, w, h, 0, flags);
            if annotations && !self.document.form.is_null() {
                (api.FPDF_FFLDraw)(self.document.form, bitmap.handle, self.handle, 0, 0, w, h, 0, flags);
            }
        }
        drop(bitmap);
        Ok(Bitmap { width, height, data, transparent })
    }
}

/// pdfium's handle of the bitmap's memory.
pub(super) struct Target<'s> {
    session: &'s Session<'s>,
    pub(super) handle: Handle,
}

impl<'s> Target<'s> {
    /// Wraps a bitmap that pdfium has just created; `None` if it failed.
    pub(super) fn of(session: &'s Session<'s>, handle: Handle) -> Option<Self> {
        (!handle.is_null()).then_some(Self { session, handle })
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        // SAFETY: It was created once and is destroyed once. The memory is not pdfium's.
        unsafe { (self.session.api.FPDFBitmap_Destroy)(self.handle) };
    }
}
