//! How many paths lead to a document's form fields: fields may share their kids, so that a small file can have billions.

#![allow(unsafe_code, reason = "a C interface has no safe form")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;

use super::ffi::NAMES;
use crate::library::first;

/// Most paths, far more than forms have fields.
const MOST: usize = 100_000;
/// How deeply pdfium follows kids.
const DEPTH: u8 = 32;
/// `QPDF_ERRORS`.
const ERRORS: c_int = 2;

/// `qpdf_data`.
type Handle = *mut c_void;
/// `qpdf_oh`.
type ObjectHandle = c_uint;

/// Functions of `qpdf/qpdf-c.h` in qpdf 11 and 12, valid as long as the library, which is never unloaded.
struct Functions {
    init: unsafe extern "C" fn() -> Handle,
    cleanup: unsafe extern "C" fn(*mut Handle),
    set_suppress_warnings: unsafe extern "C" fn(Handle, c_int),
    silence_errors: unsafe extern "C" fn(Handle),
    read: unsafe extern "C" fn(Handle, *const c_char, *const c_char) -> c_int,
    get_root: unsafe extern "C" fn(Handle) -> ObjectHandle,
    get_key: unsafe extern "C" fn(Handle, ObjectHandle, *const c_char) -> ObjectHandle,
    is_dictionary: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    is_array: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    has_key: unsafe extern "C" fn(Handle, ObjectHandle, *const c_char) -> c_int,
    get_array_n_items: unsafe extern "C" fn(Handle, ObjectHandle) -> c_int,
    get_array_item: unsafe extern "C" fn(Handle, ObjectHandle, c_int) -> ObjectHandle,
    release: unsafe extern "C" fn(Handle, ObjectHandle),
    _library: Library,
}

impl Functions {
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
                get_root: *library.get(c"qpdf_get_root")?,
                get_key: *library.get(c"qpdf_oh_get_key")?,
                is_dictionary: *library.get(c"qpdf_oh_is_dictionary")?,
                is_array: *library.get(c"qpdf_oh_is_array")?,
                has_key: *library.get(c"qpdf_oh_has_key")?,
                get_array_n_items: *library.get(c"qpdf_oh_get_array_n_items")?,
                get_array_item: *library.get(c"qpdf_oh_get_array_item")?,
                release: *library.get(c"qpdf_oh_release")?,
                _library: library,
            })
        }
    }
}

/// Whether more paths lead to the fields of this file than can be followed. A file that qpdf can't read has none.
pub(crate) fn are_too_many(path: &Path, password: Option<&str>) -> bool {
    static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();
    let functions = FUNCTIONS.get_or_init(|| first(&NAMES, Functions::load_from).ok());
    let password = CString::new(password.unwrap_or_default());
    let (Some(functions), Ok(path), Ok(password)) = (functions, CString::new(path.as_os_str().as_bytes()), password)
    else {
        return false;
    };
    File::open(functions, &path, &password).is_some_and(|file| file.paths() >= MOST)
}

/// An open file.
struct File<'f> {
    functions: &'f Functions,
    handle: Handle,
}

impl<'f> File<'f> {
    fn open(functions: &'f Functions, path: &CStr, password: &CStr) -> Option<Self> {
        // SAFETY: The handle is new, and closed in `drop`. Both texts end with a NUL and live during the call.
        let (file, status) = unsafe {
            let file = Self { functions, handle: (functions.init)() };
            (functions.silence_errors)(file.handle);
            (functions.set_suppress_warnings)(file.handle, 1);
            let status = (functions.read)(file.handle, path.as_ptr(), password.as_ptr());
            (file, status)
        };
        (status & ERRORS == 0).then_some(file)
    }

    /// The paths to all fields, counted up to `MOST`.
    fn paths(&self) -> usize {
        // SAFETY: The file is open.
        let root = self.object(unsafe { (self.functions.get_root)(self.handle) });
        let mut left = MOST;
        if let Some(form) = root.child(c"/AcroForm") {
            form.for_each(c"/Fields", &mut |field| field.walk(DEPTH, &mut left));
        }
        MOST - left
    }

    fn object(&self, handle: ObjectHandle) -> Object<'_> {
        Object { file: self, handle }
    }
}

impl Drop for File<'_> {
    fn drop(&mut self) {
        // SAFETY: The handle is open, and is closed once.
        unsafe { (self.functions.cleanup)(ptr::from_mut(&mut self.handle)) };
    }
}

/// An object of an open file.
struct Object<'f> {
    file: &'f File<'f>,
    handle: ObjectHandle,
}

impl<'f> Object<'f> {
    fn walk(&self, depth: u8, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 || depth == 0 {
            return *left > 0;
        }
        let mut is_first = true;
        self.for_each(c"/Kids", &mut |kid| {
            // Kids without names and kids are widgets, which pdfium does not follow.
            let is_widget = is_first && !kid.has(c"/T") && !kid.has(c"/Kids");
            is_first = false;
            !is_widget && kid.walk(depth - 1, left)
        });
        *left > 0
    }

    /// Calls `each` with the dictionaries in the list under `key` until it returns false.
    fn for_each(&self, key: &CStr, each: &mut dyn FnMut(&Object<'_>) -> bool) {
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

    fn child(&self, key: &CStr) -> Option<Object<'f>> {
        self.value(key).filter(Self::is_dictionary)
    }

    /// `None` if this is not a dictionary.
    fn value(&self, key: &CStr) -> Option<Object<'f>> {
        // SAFETY: File and object are open, and the key ends with a NUL. A missing one is answered with a null object.
        let value = || unsafe { (self.file.functions.get_key)(self.file.handle, self.handle, key.as_ptr()) };
        self.is_dictionary().then(|| self.file.object(value()))
    }

    fn is_dictionary(&self) -> bool {
        // SAFETY: File and object are open.
        unsafe { (self.file.functions.is_dictionary)(self.file.handle, self.handle) != 0 }
    }

    fn has(&self, key: &CStr) -> bool {
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

#[cfg(test)]
mod tests {
    use lopdf::{Document, Object, dictionary};

    use super::*;

    /// A form of `levels` levels, each of which has the one below as many times as `kids` says.
    fn are_too_many_of(levels: usize, kids: usize) -> bool {
        let mut document = Document::with_version("1.7");
        let mut field = document
            .add_object(dictionary! { "FT" => Object::Name(b"Tx".to_vec()), "T" => Object::string_literal("a") });
        for _ in 0..levels {
            let kids = vec![Object::Reference(field); kids];
            field = document.add_object(dictionary! { "T" => Object::string_literal("a"), "Kids" => kids });
        }
        let form = dictionary! { "Fields" => vec![Object::Reference(field)] };
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "AcroForm" => form });
        document.trailer.set("Root", catalog);
        let file = tempfile::NamedTempFile::new().unwrap();
        document.save(file.path()).unwrap();
        are_too_many(file.path(), None)
    }

    #[test]
    fn paths_of_fields_are_counted_up_to_a_limit() {
        assert!(!are_too_many_of(3, 2));
        assert!(!are_too_many_of(1, MOST - 100), "a long list");
        assert!(!are_too_many_of(60, 1), "deeper than pdfium follows");
        assert!(are_too_many_of(25, 2), "33 million paths");
        assert!(!are_too_many(Path::new("/nowhere/at/all.pdf"), Some("\0")));
    }
}
