//! Finds the library, and serialises all calls to it.

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use docmill_pdf_request::{ErrorCode, Failure};
use libloading::Library;

use super::ffi::{Api, LibraryConfig};
use super::glyphs;
use crate::library::first;

/// LibreOffice's copy, then copies of other packages under the usual name.
const CANDIDATES: [&str; 4] = [
    "/usr/lib/libreoffice/program/libpdfiumlo.so",
    "/usr/lib64/libreoffice/program/libpdfiumlo.so",
    "/opt/libreoffice/program/libpdfiumlo.so",
    "libpdfium.so",
];

/// A page with text in a font that is not embedded: drawing it makes pdfium list the installed fonts.
const FONT_PAGE: &[u8] =
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/TrueType\
/BaseFont/Arial>>>>>>>>endobj\n4 0 obj<</Length 24>>stream\nBT /F 9 Tf (Docmill) Tj ET\nendstream endobj\n\
trailer<</Root 1 0 R/Size 5>>\n";

/// A page with the letters `xc`, the first of which has an `ActualText` of two other letters.
const REPLACED_PAGE: &[u8] =
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 9]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1\
/BaseFont/Helvetica>>>>>>>>endobj\n4 0 obj<</Length 80>>stream\n\
/Span<</ActualText(ab)>>BDC BT /F 9 Tf (x) Tj ET EMC BT /F 9 Tf 9 0 Td (c) Tj ET\nendstream endobj\n\
trailer<</Root 1 0 R/Size 5>>\n";

/// pdfium has global state without locks, so only one session may exist at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// pdfium, loaded and initialised once for the whole process.
#[derive(Clone)]
pub struct Pdfium {
    api: Api,
    path: PathBuf,
    loses_replaced_text: bool,
}

impl std::fmt::Debug for Pdfium {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pdfium").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Pdfium {
    /// Loads the first known copy that has all functions that the tools need.
    ///
    /// # Errors
    /// Which copies were tried, and why none can be used.
    pub fn load() -> Result<Self, String> {
        first(&CANDIDATES, |path| Self::open(Path::new(path))).map_err(|causes| format!("no pdfium: {causes}"))
    }

    fn open(path: &Path) -> Result<Self, libloading::Error> {
        // SAFETY: A library of the system's packages. Its initialisers have no obligations.
        let library = unsafe { Library::new(path) }?;
        // It is never unloaded: its functions are called until the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: The candidates are pdfium by their names, and a library without its functions is turned down.
        let api = unsafe { Api::bind(library) }?;
        let config = LibraryConfig {
            version: 2,
            user_font_paths: std::ptr::null(),
            isolate: std::ptr::null_mut(),
            v8_embedder_slot: 0,
        };
        let mut pdfium = Self { api, path: path.to_owned(), loses_replaced_text: false };
        // SAFETY: Called once for this library, with a configuration that lives during the call.
        unsafe { (pdfium.api.FPDF_InitLibraryWithConfig)(&raw const config) };
        pdfium.session().find_fonts();
        let replaced = pdfium.session().text_of(REPLACED_PAGE);
        pdfium.loses_replaced_text = !replaced.contains('c');
        Ok(pdfium)
    }

    /// The path of the copy in use.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether glyph metrics are cached. Known since the library was loaded, which reads a page.
    pub(crate) fn keeps_glyphs(&self) -> bool {
        glyphs::asked()
    }

    /// Waits until no other thread uses pdfium. A tool takes one session for its whole run: a second one on the same thread
    /// would wait forever.
    pub fn session(&self) -> Session<'_> {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        glyphs::keep(true);
        Session { api: &self.api, loses_replaced_text: self.loses_replaced_text, _alone: alone }
    }
}

/// The right to call pdfium on this thread.
pub struct Session<'l> {
    pub(super) api: &'l Api,
    /// pdfium drops letters of lines with `ActualText`: see `replaced`.
    pub(super) loses_replaced_text: bool,
    _alone: MutexGuard<'l, ()>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        glyphs::keep(false);
    }
}

impl Session<'_> {
    /// pdfium lists the installed fonts when it first needs one. Doing so before the fork gives all children the list.
    fn find_fonts(&self) {
        self.text_of(FONT_PAGE);
    }

    /// The characters of the first page of a built-in document.
    fn text_of(&self, document: &'static [u8]) -> String {
        let (api, mut text) = (self.api, String::new());
        let Ok(length) = i32::try_from(document.len()) else { return text };
        // SAFETY: The document lives in a constant, and is closed below.
        let document =
            unsafe { (api.FPDF_LoadMemDocument)(document.as_ptr().cast::<c_void>(), length, std::ptr::null()) };
        if document.is_null() {
            return text;
        }
        // SAFETY: The document is open; the page and the text page are closed in this block if they were opened; indexes
        // are below the count.
        unsafe {
            let page = (api.FPDF_LoadPage)(document, 0);
            if !page.is_null() {
                let characters = (api.FPDFText_LoadPage)(page);
                if !characters.is_null() {
                    let count = (api.FPDFText_CountChars)(characters);
                    let units = (0..count).map(|index| (api.FPDFText_GetUnicode)(characters, index));
                    text.extend(units.filter_map(char::from_u32));
                    (api.FPDFText_ClosePage)(characters);
                }
                (api.FPDF_ClosePage)(page);
            }
            (api.FPDF_CloseDocument)(document);
        }
        text
    }
}

/// The error of a tool if pdfium is missing.
pub fn missing(cause: &str) -> Failure {
    Failure::new(
        ErrorCode::Internal,
        "The service can't render PDF files at the moment. Please try again later.",
        cause,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_the_functions_is_an_error() {
        let cause = first(&["libc.so.6"], |path| Pdfium::open(Path::new(path))).unwrap_err();
        assert!(cause.contains("FPDF_InitLibraryWithConfig"), "{cause}");
        assert_eq!(missing("no pdfium").code, ErrorCode::Internal);
    }
}
