//! The file of a document, which pdfium reads by callbacks.

use std::ffi::{c_int, c_uchar, c_ulong, c_void};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use super::ffi::FileAccess;

/// Gives pdfium the bytes of a file.
pub(super) struct Access {
    callbacks: FileAccess,
    file: Arc<File>,
}

impl Access {
    pub(super) fn to(file: Arc<File>) -> std::io::Result<Self> {
        let length = c_ulong::try_from(file.metadata()?.len()).unwrap_or(c_ulong::MAX);
        Ok(Self::of(file, length))
    }

    fn of(file: Arc<File>, length: c_ulong) -> Self {
        let parameter = Arc::as_ptr(&file).cast_mut().cast();
        Self { callbacks: FileAccess { length, read, parameter }, file }
    }

    /// Another access to the same file.
    pub(super) fn again(&self) -> Self {
        Self::of(Arc::clone(&self.file), self.callbacks.length)
    }

    /// Valid as long as the access lives.
    pub(super) fn pointer(&self) -> *const FileAccess {
        &raw const self.callbacks
    }
}

/// # Safety
///
/// The parameter points to an open `File`, and the buffer has room for `size` bytes.
unsafe extern "C" fn read(parameter: *mut c_void, position: c_ulong, buffer: *mut c_uchar, size: c_ulong) -> c_int {
    let Ok(size) = usize::try_from(size) else { return 0 };
    // SAFETY: as the caller promises. The file is shared, and reading at a position needs no exclusive access.
    let (file, buffer) =
        unsafe { (&*parameter.cast_const().cast::<File>(), std::slice::from_raw_parts_mut(buffer, size)) };
    c_int::from(file.read_exact_at(buffer, position).is_ok())
}
