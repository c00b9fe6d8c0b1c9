//! A copy of a document, of what pdfium has read of its file.

use std::ffi::{c_int, c_ulong, c_void};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use docmill_pdf_request::Failure;

use super::Document;
use super::document::corrupt;

/// `FPDF_FILEWRITE`, version 1. What follows is ours: pdfium passes the pointer on.
#[repr(C)]
pub(super) struct FileWrite {
    version: c_int,
    write: unsafe extern "C" fn(*mut FileWrite, *const c_void, c_ulong) -> c_int,
    file: File,
    room: u64,
    /// pdfium goes on after a failure.
    is_whole: bool,
}

impl Document<'_> {
    /// Writes a copy without protection and with sound cross references, of at most so many bytes.
    ///
    /// # Errors
    /// If pdfium can't write it, or it would be larger.
    pub fn copy(&self, path: &Path, most: u64) -> Result<(), Failure> {
        /// `FPDF_REMOVE_SECURITY`.
        const REMOVE_SECURITY: c_ulong = 3;
        let save = self.session.api.FPDF_SaveAsCopy.ok_or_else(|| corrupt("pdfium: cannot copy".to_owned()))?;
        let file = File::create(path).map_err(|error| Failure::io(&error))?;
        let mut target = FileWrite { version: 1, write, file, room: most, is_whole: true };
        // SAFETY: The document is open, and the structure lives during the call, in which alone pdfium uses it.
        let is_saved = unsafe { save(self.handle, &raw mut target, REMOVE_SECURITY) } != 0;
        if is_saved && target.is_whole { Ok(()) } else { Err(corrupt("pdfium: not copied".to_owned())) }
    }
}

/// # Safety
///
/// The target is one of ours, and the data has `size` bytes.
unsafe extern "C" fn write(target: *mut FileWrite, data: *const c_void, size: c_ulong) -> c_int {
    let Ok(size) = usize::try_from(size) else { return 0 };
    if data.is_null() || size == 0 {
        return 1;
    }
    // SAFETY: As the caller promises. Nothing else uses the target during the call.
    let (target, data) = unsafe { (&mut *target, std::slice::from_raw_parts(data.cast::<u8>(), size)) };
    let room = target.room.checked_sub(size as u64);
    target.room = room.unwrap_or(0);
    target.is_whole &= room.is_some() && target.file.write_all(data).is_ok();
    c_int::from(target.is_whole)
}

#[cfg(test)]
mod tests {
    use docmill_pdf_request::ErrorCode;

    use super::super::Pdfium;
    use super::*;

    #[test]
    fn a_copy_has_the_pages_of_a_file_without_a_table_and_no_more_bytes_than_allowed() {
        let bytes =
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
            3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R/Size 4>>\n";
        let directory = tempfile::tempdir().unwrap();
        let (file, copy) = (directory.path().join("a.pdf"), directory.path().join("b.pdf"));
        std::fs::write(&file, bytes).unwrap();
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let document = Document::open(&session, &file, None).unwrap();
        document.copy(&copy, 1 << 20).unwrap();
        assert_eq!(lopdf::Document::load(&copy).unwrap().get_pages().len(), 1);
        assert_eq!(document.copy(&copy, 20).unwrap_err().code, ErrorCode::CorruptDocument);
    }
}
