//! Text that `ActualText` replaces (ISO 32000-2, 14.9.4).
//!
//! The pdfium of LibreOffice 25.2 uses it, but then drops as many letters at the end of the line. Chromium writes every ligature
//! this way. For that version, replacements are removed from the page in memory before its text is read, and inserted again where
//! a font does not define a glyph's meaning.

use std::collections::HashMap;
use std::ffi::{c_int, c_ulong};
use std::rc::Rc;

use super::ffi::Handle;
use super::{Page, utf16};

const ACTUAL_TEXT: &std::ffi::CStr = c"ActualText";

/// A replacement and its mark. Several objects can share a mark, whose text then counts once.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub mark: Handle,
    pub text: Rc<str>,
}

/// The replacements of a page, by text object.
#[derive(Debug, Default)]
pub(super) struct Replacements(HashMap<Handle, Replacement>);

impl Replacements {
    /// Removes all replacements from the page in memory and returns them. A second call returns nothing.
    pub(super) fn take(page: &Page<'_>) -> Self {
        let (mut marks, mut found) = (HashMap::new(), HashMap::new());
        page.walk(&mut |object| {
            if object.is_text() {
                for mark in page.marks(object.handle) {
                    let text = marks.entry(mark).or_insert_with(|| page.take_text(object.handle, mark));
                    if let Some(text) = text {
                        found.insert(object.handle, Replacement { mark, text: Rc::clone(text) });
                    }
                }
            }
            true
        });
        Self(found)
    }

    /// The replacement of a character that its font doesn't map to Unicode.
    pub(super) fn of(&self, page: &Page<'_>, text: Handle, index: c_int) -> Option<&Replacement> {
        if self.0.is_empty() {
            return None;
        }
        let api = page.session().api;
        let (unnamed, object) = (api.FPDFText_HasUnicodeMapError?, api.FPDFText_GetTextObject?);
        // SAFETY: The text page is open, and the index is below its count.
        let object = unsafe { if unnamed(text, index) == 1 { object(text, index) } else { return None } };
        self.0.get(&object)
    }
}

impl Page<'_> {
    pub(super) fn marks(&self, object: Handle) -> Vec<Handle> {
        let api = self.session().api;
        let (Some(count), Some(get)) = (api.FPDFPageObj_CountMarks, api.FPDFPageObj_GetMark) else { return Vec::new() };
        // SAFETY: The object is the open page's.
        let count = unsafe { count(object) }.max(0).unsigned_abs();
        // SAFETY: As above. A mark that there is not is null.
        let marks = (0..count).map(|index| unsafe { get(object, index.into()) });
        marks.filter(|mark| !mark.is_null()).collect()
    }

    /// Whether a mark has this name, in UTF-16, of at most 15 units.
    pub(super) fn is_named(&self, mark: Handle, wanted: &[u16]) -> bool {
        let Some(name) = self.session().api.FPDFPageObjMark_GetName else { return false };
        let (mut buffer, mut bytes) = ([0u16; 16], 0);
        let size = size_of_val(&buffer) as c_ulong;
        // SAFETY: The mark is the open page's; the buffer has the length that is said; the number lives during the call.
        let known = unsafe { name(mark, buffer.as_mut_ptr().cast(), size, &raw mut bytes) } != 0;
        // The name ends with a NUL.
        known && bytes == 2 * (wanted.len() as c_ulong + 1) && buffer.starts_with(wanted)
    }

    fn take_text(&self, object: Handle, mark: Handle) -> Option<Rc<str>> {
        let api = self.session().api;
        let (read, remove) = (api.FPDFPageObjMark_GetParamStringValue?, api.FPDFPageObjMark_RemoveParam?);
        let text = utf16(|buffer, length| {
            let mut bytes = 0;
            // SAFETY: The mark is the open page's; the buffer has the length that is said; the number lives during the call.
            let known = unsafe { read(mark, ACTUAL_TEXT.as_ptr(), buffer, length, &raw mut bytes) };
            if known == 0 { 0 } else { bytes }
        });
        // SAFETY: Mark and object are the open page's. A mark without the parameter stays as it is.
        let removed = unsafe { remove(object, mark, ACTUAL_TEXT.as_ptr()) } != 0;
        removed.then(|| text.into())
    }
}
