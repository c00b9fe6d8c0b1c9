//! The families of the fonts on a page.

use std::collections::{BTreeSet, HashSet};
use std::ffi::{c_ulong, c_void};

use super::Page;
use super::ffi::{Api, Handle};
use super::text::whole_name;

/// Longer names are cut.
const LONGEST_NAME: usize = 128;

/// A font's family: older copies of pdfium know no other name of a text's font. `Noto Serif` is `NotoSerif` in other names.
pub fn family(name: &str) -> String {
    let name = whole_name(name);
    // `Baekmuk Batang` is a family, and `Baekmuk-Batang` its font.
    let family = if name.starts_with("Baekmuk-") { name } else { name.split(['-', ',']).next().unwrap_or_default() };
    family.chars().filter(|c| !c.is_whitespace() && *c != '-').collect()
}

impl Page<'_> {
    /// The families of all fonts that text is drawn with.
    pub fn families(&self) -> BTreeSet<String> {
        let (mut seen, mut families) = (HashSet::new(), BTreeSet::new());
        self.walk(&mut |object| {
            let font = if object.is_text() { self.font(object.handle) } else { None };
            if let Some(font) = font.filter(|font| seen.insert(font.addr())) {
                families.extend(self.family_of(font));
            }
            true
        });
        families
    }

    /// The font of a text of this page.
    pub(super) fn font(&self, text: Handle) -> Option<Handle> {
        // SAFETY: The object is the open page's, and a text.
        let font = unsafe { (self.session().api.FPDFTextObj_GetFont?)(text) };
        (!font.is_null()).then_some(font)
    }

    /// The family of a font of this page.
    pub(super) fn family_of(&self, font: Handle) -> Option<String> {
        let api = self.session().api;
        let name = api.FPDFFont_GetBaseFontName.or(api.FPDFFont_GetFontName)?;
        // SAFETY: The font is that of a text of the open page.
        Some(family(&unsafe { read_name(name, font) }?))
    }
}

type Name = unsafe extern "C" fn(Handle, *mut c_void, c_ulong) -> c_ulong;

/// The family of the font that is drawn with.
///
/// # Safety
///
/// The font is that of a text of an open page.
pub(super) unsafe fn name_of(api: &Api, font: Handle) -> Option<String> {
    // SAFETY: The caller vouches for the font.
    unsafe { read_name(api.FPDFFont_GetFamilyName.or(api.FPDFFont_GetFontName)?, font) }
}

/// # Safety
///
/// The font is that of a text of an open page.
unsafe fn read_name(name: Name, font: Handle) -> Option<String> {
    let mut buffer = [0u8; LONGEST_NAME];
    // SAFETY: The caller vouches for the font, and the buffer lives during the call.
    let length = unsafe { name(font, buffer.as_mut_ptr().cast(), buffer.len() as c_ulong) };
    let bytes = buffer.get(..usize::try_from(length).ok()?.checked_sub(1)?)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}
