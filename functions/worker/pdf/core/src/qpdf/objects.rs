//! Objects of files, by libqpdf's interface for C.

#![allow(unsafe_code, reason = "a C interface has no safe form")]

use std::ffi::{CStr, CString, c_char, c_double, c_int, c_uint, c_ulonglong, c_void};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::ffi::NAMES;
use crate::library::first;

/// `QPDF_WARNINGS` and `QPDF_ERRORS`.
const WARNINGS: c_int = 1;
const ERRORS: c_int = 2;

/// Larger files are read from the disk as qpdf asks for their objects. It takes three times as long as from memory: each object is a
/// call of the system.
const IN_MEMORY: u64 = 8 << 20;

/// `qpdf_data`.
type Handle = *mut c_void;
/// `qpdf_oh`.
type ObjectHandle = c_uint;

/// Functions of `qpdf/qpdf-c.h` in qpdf 11 and 12, valid as long as the library, which is never unloaded.
pub(super) struct Functions {
    init: unsafe extern "C" fn() -> Handle,
    cleanup: unsafe extern "C" fn(*mut Handle),
    set_suppress_warnings: unsafe extern "C" fn(Handle, c_int),
    silence_errors: unsafe extern "C" fn(Handle),
    read: unsafe extern "C" fn(Handle, *const c_char, *const c_char) -> c_int,
    read_memory: unsafe extern "C" fn(Handle, *const c_char, *const c_char, c_ulonglong, *const c_char) -> c_int,
    get_root: unsafe extern "C" fn(Handle) -> ObjectHandle,
    get_key: unsafe extern "C" fn(Handle, ObjectHandle, *const c_char) -> ObjectHandle,
    is_dictionary: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    is_array: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    has_key: unsafe extern "C" fn(Handle, ObjectHandle, *const c_char) -> c_int,
    get_array_n_items: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    get_array_item: unsafe extern "C" fn(Handle, ObjectHandle, c_int) -> ObjectHandle,
    get_numeric_value: unsafe extern "C" fn(Handle, ObjectHandle) -> c_double,
    get_num_pages: unsafe extern "C" fn(Handle) -> c_int,
    get_page_n: unsafe extern "C" fn(Handle, usize) -> ObjectHandle,
    more_warnings: unsafe extern "C" fn(Handle) -> c_int,
    get_error: unsafe extern "C" fn(Handle) -> *mut c_void,
    release: unsafe extern "C" fn(Handle, ObjectHandle),
    _library: Library,
}

impl Functions {
    /// The functions, loaded once. `None` if this machine has no libqpdf.
    fn get() -> Option<&'static Self> {
        static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
        FUNCTIONS.get_or_init(|| first(&NAMES, Self::load_from).ok()).as_ref()
    }

    fn load_from(name: &str) -> Result<Self, libloading::Error> {
        // SAFETY: libqpdf's initialisers only set up its own tables, and each symbol has the type that its header declares.
        unsafe {
            let library = Library::new(name)?;
            Ok(Self {
                init: *library.get(c"qpdf_init")?,
                cleanup: *library.get(c"qpdf_cleanup")?,
                set_suppress_warnings: *library.get(c"qpdf_set_suppress_warnings")?,
                silence_errors: *library.get(c"qpdf_silence_errors")?,
                read: *library.get(c"qpdf_read")?,
                read_memory: *library.get(c"qpdf_read_memory")?,
                get_root: *library.get(c"qpdf_get_root")?,
                get_key: *library.get(c"qpdf_oh_get_key")?,
                is_dictionary: *library.get(c"qpdf_oh_is_dictionary")?,
                is_array: *library.get(c"qpdf_oh_is_array")?,
                has_key: *library.get(c"qpdf_oh_has_key")?,
                get_array_n_items: *library.get(c"qpdf_oh_get_array_n_items")?,
                get_array_item: *library.get(c"qpdf_oh_get_array_item")?,
                get_numeric_value: *library.get(c"qpdf_oh_get_numeric_value")?,
                get_num_pages: *library.get(c"qpdf_get_num_pages")?,
                get_page_n: *library.get(c"qpdf_get_page_n")?,
                more_warnings: *library.get(c"qpdf_more_warnings")?,
                get_error: *library.get(c"qpdf_get_error")?,
                release: *library.get(c"qpdf_oh_release")?,
                _library: library,
            })
        }
    }
}

/// An open file.
pub(super) struct File {
    functions: &'static Functions,
    handle: Handle,
    /// Something was wrong with it, and could be repaired.
    is_damaged: bool,
    /// What libqpdf reads from until it is closed, if the file is small.
    _bytes: Option<Vec<u8>>,
}

impl File {
    /// `None` if it can't be read.
    pub(super) fn open(path: &Path, password: Option<&str>) -> Option<Self> {
        let functions = Functions::get()?;
        let is_small = fs::metadata(path).ok()?.len() <= IN_MEMORY;
        let bytes = if is_small { Some(fs::read(path).ok()?) } else { None };
        let path = CString::new(path.as_os_str().as_bytes()).ok()?;
        let password = CString::new(password.unwrap_or_default()).ok()?;
        // SAFETY: The handle is new, and closed in `drop`. Both texts end with a NUL and live during the call. The file keeps the bytes
        // as they are until the handle is closed: moving a vector leaves what it holds in place.
        let (mut file, status) = unsafe {
            let handle = (functions.init)();
            (functions.silence_errors)(handle);
            (functions.set_suppress_warnings)(handle, 1);
            let status = match &bytes {
                Some(bytes) => {
                    let (start, length) = (bytes.as_ptr().cast(), bytes.len() as c_ulonglong);
                    (functions.read_memory)(handle, path.as_ptr(), start, length, password.as_ptr())
                }
                None => (functions.read)(handle, path.as_ptr(), password.as_ptr()),
            };
            (Self { functions, handle, is_damaged: false, _bytes: bytes }, status)
        };
        file.is_damaged = status & WARNINGS != 0;
        (status & ERRORS == 0).then_some(file)
    }

    /// The catalog.
    pub(super) fn root(&self) -> Object<'_> {
        // SAFETY: The file is open.
        self.object(unsafe { (self.functions.get_root)(self.handle) })
    }

    /// Its pages, in order. `None` if the page tree can't be followed.
    pub(super) fn pages(&self) -> Option<impl Iterator<Item = Object<'_>>> {
        // SAFETY: The file is open.
        let count = usize::try_from(unsafe { (self.functions.get_num_pages)(self.handle) }).ok()?;
        // SAFETY: As above, and the index is below the count.
        Some((0..count).map(|index| self.object(unsafe { (self.functions.get_page_n)(self.handle, index) })))
    }

    /// Whether something was wrong with what was read so far.
    pub(super) fn is_damaged(&self) -> bool {
        // SAFETY: The file is open.
        self.is_damaged || unsafe { (self.functions.more_warnings)(self.handle) } != 0
    }

    fn object(&self, handle: ObjectHandle) -> Object<'_> {
        Object { file: self, handle }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: The handle is open, and is closed once. libqpdf would print an error that nobody took; the one returned is its own.
        unsafe {
            (self.functions.get_error)(self.handle);
            (self.functions.cleanup)(ptr::from_mut(&mut self.handle));
        }
    }
}

/// An object of an open file.
pub(super) struct Object<'f> {
    file: &'f File,
    handle: ObjectHandle,
}

impl<'f> Object<'f> {
    /// Calls `each` with the dictionaries in the list under `key` until it returns false.
    pub(super) fn for_each(&self, key: &CStr, each: &mut dyn FnMut(&Object<'_>) -> bool) {
        let Some(list) = self.value(key) else { return };
        let (api, file) = (self.file.functions, self.file);
        // SAFETY: File and object are open. What is not a list is asked for nothing.
        let items = unsafe {
            if (api.is_array)(file.handle, list.handle) == 0 {
                return;
            }
            (api.get_array_n_items)(file.handle, list.handle)
        };
        for at in 0..items {
            // SAFETY: As above, and the index is below the length.
            let item = file.object(unsafe { (api.get_array_item)(file.handle, list.handle, at) });
            if item.is_dictionary() && !each(&item) {
                return;
            }
        }
    }

    pub(super) fn child(&self, key: &CStr) -> Option<Object<'f>> {
        self.value(key).filter(Self::is_dictionary)
    }

    /// `None` if this is not a dictionary.
    pub(super) fn value(&self, key: &CStr) -> Option<Object<'f>> {
        // SAFETY: File and object are open, and the key ends with a NUL. A missing one is answered with a null object.
        let value = || unsafe { (self.file.functions.get_key)(self.file.handle, self.handle, key.as_ptr()) };
        self.is_dictionary().then(|| self.file.object(value()))
    }

    /// 0 if it is no number.
    pub(super) fn number(&self) -> f64 {
        // SAFETY: File and object are open.
        unsafe { (self.file.functions.get_numeric_value)(self.file.handle, self.handle) }
    }

    pub(super) fn is_dictionary(&self) -> bool {
        // SAFETY: File and object are open.
        unsafe { (self.file.functions.is_dictionary)(self.file.handle, self.handle) != 0 }
    }

    pub(super) fn has(&self, key: &CStr) -> bool {
        // SAFETY: File and object are open, and the object is a dictionary.
        unsafe { (self.file.functions.has_key)(self.file.handle, self.handle, key.as_ptr()) != 0 }
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        // SAFETY: File and object are open, and the object is released once.
        unsafe { (self.file.functions.release)(self.file.handle, self.handle) };
    }
}
