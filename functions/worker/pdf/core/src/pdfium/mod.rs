//! pdfium: drawing pages and reading their text. LibreOffice ships a copy of it, which may be years old: functions that it
//! may lack are optional. All calls into it, and thus all `unsafe` code, are in this module.

#![allow(unsafe_code, reason = "This module is the boundary to a C library.")]

mod bands;
mod bitmap;
mod copy;
mod document;
mod drawn;
mod families;
mod ffi;
mod fields;
mod file;
mod glyphs;
mod grey;
mod library;
mod looks;
mod marks;
mod objects;
mod outline;
mod page;
mod paths;
mod replaced;
mod text;

pub use bands::Bands;
pub use bitmap::{Background, Bitmap};
pub use document::Document;
pub use drawn::{DrawnFont, DrawnGlyph, Segment};
pub use families::family;
pub use fields::Widget;
pub use grey::{GreyBitmap, View};
pub use library::{Pdfium, Session, missing};
pub use looks::{Looks, Paint, Reach, Shape, TextLook, TextObject};
pub use marks::{Mark, Marks, Tag};
pub use outline::Bookmark;
pub use page::{Page, Rect};
pub use paths::{DrawnPath, Form};
pub use text::{Character, Font, TextPage};

/// UTF-16 text from a function that writes to a buffer: called first for the length in bytes, then for the text.
fn utf16(mut read: impl FnMut(*mut std::ffi::c_void, std::ffi::c_ulong) -> std::ffi::c_ulong) -> String {
    const MOST: std::ffi::c_ulong = 1 << 20;
    let bytes = read(std::ptr::null_mut(), 0).min(MOST);
    let mut buffer = vec![0u16; usize::try_from(bytes / 2).unwrap_or(0)];
    if buffer.is_empty() {
        return String::new();
    }
    read(buffer.as_mut_ptr().cast(), bytes / 2 * 2);
    String::from_utf16_lossy(buffer.split(|unit| *unit == 0).next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fake pdfium function: reports a length in bytes and writes these units.
    fn read(bytes: std::ffi::c_ulong, units: &[u16]) -> String {
        utf16(|buffer, length| {
            let room = usize::try_from(length / 2).unwrap();
            if !buffer.is_null() {
                // SAFETY: The buffer has the length that is said.
                let buffer = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u16>(), room) };
                buffer.iter_mut().zip(units).for_each(|(place, unit)| *place = *unit);
            }
            bytes
        })
    }

    #[test]
    fn text_of_any_length_and_any_units_is_read() {
        let hello: Vec<u16> = "hello\0".encode_utf16().collect();
        assert_eq!(read(12, &hello), "hello");
        assert_eq!(read(0, &hello), "");
        assert_eq!(read(1, &hello), "", "half a unit is not a character");
        assert_eq!(read(7, &hello), "hel", "no zero at its end");
        assert_eq!(read(4, &[0xD800, 0x41]), "\u{FFFD}A", "half a pair");
        assert_eq!(read(std::ffi::c_ulong::MAX, &hello), "hello", "no more than a megabyte is asked for");
    }
}
