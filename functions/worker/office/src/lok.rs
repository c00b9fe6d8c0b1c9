//! LibreOfficeKit's C interface. Apart from setting up children, this is the engine's only unsafe code.
//!
//! The interface consists of two tables of functions that begin with their size and only grow at the end. So the prefixes
//! declared here match every LibreOffice since 7.4; `start` checks their size.

#![allow(unsafe_code, reason = "a C interface has no safe form")]

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_ulonglong, c_void};
use std::io;
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

#[repr(C)]
struct Kit {
    class: *const KitClass,
}

#[repr(C)]
struct KitClass {
    size: usize,
    destroy: unsafe extern "C" fn(*mut Kit),
    document_load: unsafe extern "C" fn(*mut Kit, *const c_char) -> *mut RawDocument,
    get_error: unsafe extern "C" fn(*mut Kit) -> *mut c_char,
    document_load_with_options: unsafe extern "C" fn(*mut Kit, *const c_char, *const c_char) -> *mut RawDocument,
    free_error: unsafe extern "C" fn(*mut c_char),
    register_callback: unsafe extern "C" fn(*mut Kit, Callback, *mut c_void),
    get_filter_types: unsafe extern "C" fn(*mut Kit) -> *mut c_char,
    set_optional_features: unsafe extern "C" fn(*mut Kit, c_ulonglong),
    set_document_password: unsafe extern "C" fn(*mut Kit, *const c_char, *const c_char),
    get_version_info: unsafe extern "C" fn(*mut Kit) -> *mut c_char,
    run_macro: unsafe extern "C" fn(*mut Kit, *const c_char) -> c_int,
    /// Never called, so its parameters don't matter.
    sign_document: unsafe extern "C" fn(),
    run_loop: unsafe extern "C" fn(*mut Kit, Poll, Wake, *mut c_void),
    /// Never called, so its parameters don't matter.
    send_dialog_event: unsafe extern "C" fn(),
    set_option: unsafe extern "C" fn(*mut Kit, *const c_char, *const c_char),
}

#[repr(C)]
struct RawDocument {
    class: *const DocumentClass,
}

#[repr(C)]
struct DocumentClass {
    size: usize,
    destroy: unsafe extern "C" fn(*mut RawDocument),
    save_as: unsafe extern "C" fn(*mut RawDocument, *const c_char, *const c_char, *const c_char) -> c_int,
}

type Hook = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut Kit;
type Callback = unsafe extern "C" fn(c_int, *const c_char, *mut c_void);
type Poll = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;
type Wake = unsafe extern "C" fn(*mut c_void);

/// Callbacks that ask for a password to open or edit a document. LibreOffice waits for an answer.
const ASKS_FOR_PASSWORD: c_int = 20;
const ASKS_FOR_PASSWORD_TO_EDIT: c_int = 21;
/// Features 1 and 2: enable these callbacks.
const PASSWORD_FEATURES: c_ulonglong = 1 | 2;

/// LibreOffice, loaded into this process. It can only be started once and is never unloaded.
#[derive(Debug)]
pub(super) struct Office {
    kit: *mut Kit,
    prompts: &'static PasswordPrompts,
}

/// State for LibreOffice's password callbacks.
struct PasswordPrompts {
    kit: *mut Kit,
    /// The document being loaded.
    url: RefCell<CString>,
    password: RefCell<Option<CString>>,
    asked: Cell<u32>,
}

impl std::fmt::Debug for PasswordPrompts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordPrompts")
    }
}

/// Why a document could not be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotLoaded {
    Damaged,
    NeedsPassword,
    WrongPassword,
}

impl Office {
    /// Loads LibreOffice from its program directory. `profile` is a `file:` URL.
    pub(super) fn start(program: &Path, profile: &str) -> io::Result<Self> {
        let library = c_string(program.join("libmergedlo.so").as_os_str().as_bytes())?;
        let (program, profile) = (c_string(program.as_os_str().as_bytes())?, c_string(profile.as_bytes())?);
        // SAFETY: the arguments are C strings. Loading the library runs LibreOffice's constructors.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(io::Error::other("LibreOffice's library can't be loaded"));
        }
        // SAFETY: the handle is open, and the name is a C string.
        let symbol = unsafe { libc::dlsym(handle, c"libreofficekit_hook_2".as_ptr()) };
        if symbol.is_null() {
            return Err(io::Error::other("LibreOffice's library has no LibreOfficeKit"));
        }
        // SAFETY: LibreOfficeKitInit.h declares this type for the function.
        let hook: Hook = unsafe { std::mem::transmute::<*mut c_void, Hook>(symbol) };
        // SAFETY: both arguments are C strings, and the function copies them.
        let kit = unsafe { hook(program.as_ptr(), profile.as_ptr()) };
        // SAFETY: LibreOfficeKit has just created it, and it is never unloaded.
        unsafe { Self::of(kit) }
    }

    /// # Safety
    /// A non-null kit must point to its table for the whole life of the process.
    unsafe fn of(kit: *mut Kit) -> io::Result<Self> {
        // SAFETY: guaranteed by the caller. Each table begins with its size.
        let class = unsafe { kit.as_ref().and_then(|kit| whole(kit.class)) };
        let Some(class) = class else {
            return Err(io::Error::other("LibreOfficeKit did not start, or is older than LibreOffice 7.4"));
        };
        let prompts = Box::leak(Box::new(PasswordPrompts {
            kit,
            url: RefCell::default(),
            password: RefCell::new(None),
            asked: Cell::new(0),
        }));
        // SAFETY: the table has the declared size, and the prompts are never freed.
        unsafe {
            (class.set_optional_features)(kit, PASSWORD_FEATURES);
            (class.register_callback)(kit, answer, ptr::from_ref(prompts).cast_mut().cast());
        }
        Ok(Self { kit, prompts })
    }

    fn class(&self) -> &KitClass {
        // SAFETY: `of` checked the table's size, and the table is never freed.
        unsafe { &*(*self.kit).class }
    }

    /// Loads a document from a `file:` URL. `options` are LibreOfficeKit's load options.
    pub(super) fn load(
        &self,
        url: &str,
        options: &str,
        password: Option<&str>,
    ) -> io::Result<Result<Document<'_>, NotLoaded>> {
        let (url, options) = (c_string(url.as_bytes())?, c_string(options.as_bytes())?);
        let given = password.is_some();
        self.prompts.url.borrow_mut().clone_from(&url);
        *self.prompts.password.borrow_mut() = password.map(|password| c_string(password.as_bytes())).transpose()?;
        self.prompts.asked.set(0);
        // SAFETY: the kit is valid, and it copies both C strings.
        let raw = unsafe { (self.class().document_load_with_options)(self.kit, url.as_ptr(), options.as_ptr()) };
        if !raw.is_null() {
            // SAFETY: LibreOfficeKit has just created this document.
            return unsafe { Document::of(raw) }.map(Ok);
        }
        Ok(Err(match self.prompts.asked.get() {
            0 => NotLoaded::Damaged,
            _ if given => NotLoaded::WrongPassword,
            _ => NotLoaded::NeedsPassword,
        }))
    }

    /// Adds the fonts of a file for documents. Unreadable files are ignored.
    pub(super) fn add_font(&self, file: &Path) -> io::Result<()> {
        let file = url::Url::from_file_path(file).map_err(|()| io::Error::other("a path is not absolute"))?;
        let file = c_string(file.as_str().as_bytes())?;
        // SAFETY: the kit is valid, and it copies both C strings.
        unsafe { (self.class().set_option)(self.kit, c"addfont".as_ptr(), file.as_ptr()) };
        Ok(())
    }

    /// Gives this thread to LibreOffice, which calls `work`. In this mode, LibreOffice starts no threads of its own, so that
    /// `work` can fork safely. Returns if LibreOffice ends, which it should not.
    pub(super) fn run(&self, work: &mut dyn FnMut(&Self)) {
        let mut turn = Turn { office: self, work, busy: false };
        // SAFETY: `turn` outlives the loop, and only `poll` uses the pointer.
        unsafe { (self.class().run_loop)(self.kit, poll, wake, ptr::from_mut(&mut turn).cast()) };
    }
}

struct Turn<'a> {
    office: &'a Office,
    work: &'a mut dyn FnMut(&Office),
    busy: bool,
}

unsafe extern "C" fn poll(data: *mut c_void, _microseconds: c_int) -> c_int {
    let turn = data.cast::<Turn<'_>>();
    // SAFETY: `run` passed a pointer to a live `Turn`, and everything runs on one thread. LibreOffice polls again while it loads
    // a document, so `busy` is accessed through the pointer to avoid two references.
    unsafe {
        if !(*turn).busy {
            (*turn).busy = true;
            ((*turn).work)((*turn).office);
            (*turn).busy = false;
        }
    }
    0
}

unsafe extern "C" fn wake(_data: *mut c_void) {}

/// Answers a password callback: once with the given password, then with none, or LibreOffice would ask forever.
///
/// For older Word formats, LibreOffice only passes the file's name and looks up the callback by the answer's address, so the
/// answer must contain the loaded address.
unsafe extern "C" fn answer(kind: c_int, _asked: *const c_char, prompts: *mut c_void) {
    if kind != ASKS_FOR_PASSWORD && kind != ASKS_FOR_PASSWORD_TO_EDIT {
        return;
    }
    // SAFETY: `of` registered the prompts, which are never freed.
    let prompts = unsafe { &*prompts.cast::<PasswordPrompts>() };
    let password = match kind {
        ASKS_FOR_PASSWORD => {
            prompts.asked.set(prompts.asked.get() + 1);
            prompts.password.borrow_mut().take()
        }
        _ => None,
    };
    // SAFETY: the kit is valid, the URL is a C string, and the password is null or a C string.
    unsafe {
        let class = &*(*prompts.kit).class;
        let url = prompts.url.borrow();
        (class.set_document_password)(
            prompts.kit,
            url.as_ptr(),
            password.as_ref().map_or(ptr::null(), |text| text.as_ptr()),
        );
    }
}

/// A loaded document.
#[derive(Debug)]
pub(super) struct Document<'a> {
    raw: *mut RawDocument,
    _office: PhantomData<&'a Office>,
}

impl Document<'_> {
    /// # Safety
    /// LibreOfficeKit must have created the document, and no other code may destroy it.
    unsafe fn of(raw: *mut RawDocument) -> io::Result<Self> {
        // SAFETY: a document points to its table while it exists, and each table begins with its size.
        if unsafe { raw.as_ref().and_then(|raw| whole(raw.class)) }.is_none() {
            return Err(io::Error::other("LibreOfficeKit's documents have no functions to save them"));
        }
        Ok(Self { raw, _office: PhantomData })
    }

    /// Writes the document to a `file:` URL. Returns whether LibreOffice reports success.
    pub(super) fn save(&self, url: &str, format: &str, options: &str) -> io::Result<bool> {
        let (url, format) = (c_string(url.as_bytes())?, c_string(format.as_bytes())?);
        let options = c_string(options.as_bytes())?;
        // SAFETY: the document is valid, `of` checked that its table has this function, and it copies all C strings.
        let saved =
            unsafe { ((*(*self.raw).class).save_as)(self.raw, url.as_ptr(), format.as_ptr(), options.as_ptr()) };
        Ok(saved != 0)
    }
}

impl Drop for Document<'_> {
    fn drop(&mut self) {
        // SAFETY: the document is valid, `of` checked that its table has this function, and it is not used afterwards.
        unsafe { ((*(*self.raw).class).destroy)(self.raw) };
    }
}

/// A table of functions, if it has at least the declared size. An older LibreOffice's table may be smaller, and must not be
/// referenced.
///
/// # Safety
/// A non-null table must begin with its size in bytes, and must stay valid and unchanged.
unsafe fn whole<'a, T>(table: *const T) -> Option<&'a T> {
    // SAFETY: the caller guarantees that the size can be read, and then that many bytes.
    unsafe { if !table.is_null() && *table.cast::<usize>() >= size_of::<T>() { table.as_ref() } else { None } }
}

fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(io::Error::other)
}

/// Returns freed memory to the system, if the allocator is jemalloc.
pub(super) fn return_freed_memory() {
    type Control = unsafe extern "C" fn(*const c_char, *mut c_void, *mut usize, *mut c_void, usize) -> c_int;
    /// All arenas: `MALLCTL_ARENAS_ALL` in jemalloc's header.
    const PURGE: &CStr = c"arena.4096.purge";
    // SAFETY: the default handle searches loaded libraries; the function has this type; this control takes and returns nothing. A
    // failure does not matter.
    unsafe {
        let control = libc::dlsym(libc::RTLD_DEFAULT, c"mallctl".as_ptr());
        if !control.is_null() {
            let control = std::mem::transmute::<*mut c_void, Control>(control);
            control(PURGE.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), 0);
        }
    }
}

/// LibreOffice's last error, for the helper's start. Never shown to users.
impl Office {
    pub(super) fn last_error(&self) -> String {
        // SAFETY: the kit is valid. The text is a C string of LibreOffice, which is copied and then freed.
        unsafe {
            let text = (self.class().get_error)(self.kit);
            if text.is_null() {
                return String::new();
            }
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            (self.class().free_error)(text);
            copy
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(program: &Path) -> String {
        Office::start(program, "file:///nowhere").unwrap_err().to_string()
    }

    #[test]
    fn a_missing_or_wrong_library_is_an_error() {
        let directory = tempfile::TempDir::new().unwrap();
        assert_eq!(why(directory.path()), "LibreOffice's library can't be loaded");
        let library = directory.path().join("libmergedlo.so");
        std::fs::write(&library, "not a library").unwrap();
        assert_eq!(why(directory.path()), "LibreOffice's library can't be loaded");
        std::fs::remove_file(&library).unwrap();
        std::os::unix::fs::symlink(any_library(), &library).unwrap();
        assert_eq!(why(directory.path()), "LibreOffice's library has no LibreOfficeKit");
        assert!(Office::start(Path::new("/a\0b"), "file:///nowhere").is_err());
    }

    /// The C library that this process uses.
    fn any_library() -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let path =
            maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(|path| path.ends_with("libc.so.6"));
        path.unwrap().to_owned()
    }

    #[test]
    fn a_kit_or_document_without_its_functions_is_an_error() {
        // Tables that end after their size, as an older LibreOffice's might.
        let small = size_of::<usize>();
        let mut kit = Kit { class: ptr::null() };
        let mut document = RawDocument { class: ptr::null() };
        // SAFETY: each is null, or points to a table that begins with its size and lives until the end of this test.
        unsafe {
            assert!(Office::of(ptr::null_mut()).is_err());
            assert!(Office::of(&raw mut kit).is_err());
            assert!(Document::of(ptr::null_mut()).is_err());
            assert!(Document::of(&raw mut document).is_err());
            kit.class = ptr::from_ref(&small).cast();
            document.class = ptr::from_ref(&small).cast();
            assert!(Office::of(&raw mut kit).is_err());
            assert!(Document::of(&raw mut document).is_err());
        }
    }
}
