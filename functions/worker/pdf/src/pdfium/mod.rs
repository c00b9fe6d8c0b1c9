//! pdfium: drawing pages and reading their text. LibreOffice ships a copy of it, which may be years old: functions that it
//! may lack are optional. All calls into it, and thus all `unsafe` code, are in this module.

#![allow(unsafe_code, reason = "This module is the boundary to a C library.")]

mod bitmap;
mod document;
mod ffi;
mod glyphs;
mod grey;
mod library;
mod objects;
mod page;
mod text;

pub(crate) use bitmap::{Background, Bitmap};
pub(crate) use document::Document;
pub(crate) use grey::{GreyBitmap, View};
pub(crate) use library::{Pdfium, Session, missing};
pub(crate) use page::{Page, Rect};
pub(crate) use text::{Character, Font, TextPage};

/// UTF-16 text that a function writes to a buffer of its caller: called first for the length in bytes, then for the text.
fn utf16(mut read: impl FnMut(*mut std::ffi::c_void, std::ffi::c_ulong) -> std::ffi::c_ulong) -> String {
    const MOST: std::ffi::c_ulong = 1 << 20;
    let bytes = read(std::ptr::null_mut(), 0).min(MOST);
    let mut buffer = vec![0u16; usize::try_from(bytes / 2).unwrap_or(0)];
    if buffer.is_empty() {
        return String::new();
    }
    read(buffer.as_mut_ptr().cast(), bytes / 2 * 2);
    let end = buffer.iter().position(|unit| *unit == 0).unwrap_or(buffer.len());
    String::from_utf16_lossy(&buffer[..end])
}
