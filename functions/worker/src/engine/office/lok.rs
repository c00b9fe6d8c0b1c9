//! LibreOfficeKit's C interface: unsafe code that only the set-up of children has besides.
//!
//! LibreOfficeKit's C interface is two tables of functions, each with its size in front. The tables only ever grow at
//! their end, so the prefixes that are declared here fit every LibreOffice since 7.4; `start` checks that they do.

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
    /// Never called; its parameters do not matter here.
    sign_document: unsafe extern "C" fn(),
    run_loop: unsafe extern "C" fn(*mut Kit, Poll, Wake, *mut c_void),
    /// Never called; its parameters do not matter here.
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

/// Callbacks that ask for a password, to open and to edit a document; LibreOffice waits for an answer to each.
const ASKS_FOR_PASSWORD: c_int = 20;
const ASKS_FOR_PASSWORD_TO_EDIT: c_int = 21;
/// Features 1 and 2: have these questions asked at all.
const PASSWORD_FEATURES: c_ulonglong = 1 | 2;

/// LibreOffice, loaded into this process. It can be started once per process and never be unloaded.
#[derive(Debug)]
pub(super) struct Office {
    kit: *mut Kit,
    desk: &'static Desk,
}

/// Where LibreOffice asks for passwords.
struct Desk {
    kit: *mut Kit,
    /// The document that is being loaded.
    url: RefCell<CString>,
    password: RefCell<Option<CString>>,
    asked: Cell<u32>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk")
    }
}

/// Why a document was not loaded.
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
        // SAFETY: the arguments are C strings; the library's constructors are LibreOffice's own start.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            return Err(io::Error::other("LibreOffice's library can't be loaded"));
        }
        // SAFETY: the handle is open and the name a C string.
        let symbol = unsafe { libc::dlsym(handle, c"libreofficekit_hook_2".as_ptr()) };
        if symbol.is_null() {
            return Err(io::Error::other("LibreOffice's library has no LibreOfficeKit"));
        }
        // SAFETY: this is the type that LibreOfficeKitInit.h gives the function of this name.
        let hook: Hook = unsafe { std::mem::transmute::<*mut c_void, Hook>(symbol) };
        // SAFETY: both arguments are C strings, which the function copies.
        let kit = unsafe { hook(program.as_ptr(), profile.as_ptr()) };
        // SAFETY: LibreOfficeKit has just made it, and is never unloaded.
        unsafe { Self::of(kit) }
    }

    /// # Safety
    /// A kit that is not null must point to its table for as long as the process lives.
    unsafe fn of(kit: *mut Kit) -> io::Result<Self> {
        // SAFETY: by the caller's promise; each table begins with its size.
        let class = unsafe { kit.as_ref().and_then(|kit| whole(kit.class)) };
        let Some(class) = class else {
            return Err(io::Error::other("LibreOfficeKit did not start, or is older than LibreOffice 7.4"));
        };
        let desk = Box::leak(Box::new(Desk {
            kit,
            url: RefCell::default(),
            password: RefCell::new(None),
            asked: Cell::new(0),
        }));
        // SAFETY: the table is as large as declared, and the desk lives as long as the process.
        unsafe {
            (class.set_optional_features)(kit, PASSWORD_FEATURES);
            (class.register_callback)(kit, answer, ptr::from_ref(desk).cast_mut().cast());
        }
        Ok(Self { kit, desk })
    }

    fn class(&self) -> &KitClass {
        // SAFETY: `of` checked that the kit has a table of this size, which lives as long as the process.
        unsafe { &*(*self.kit).class }
    }

    /// Loads a document from a `file:` URL. `options`: LibreOfficeKit's load options.
    pub(super) fn load(
        &self,
        url: &str,
        options: &str,
        password: Option<&str>,
    ) -> io::Result<Result<Document<'_>, NotLoaded>> {
        let (url, options) = (c_string(url.as_bytes())?, c_string(options.as_bytes())?);
        let given = password.is_some();
        self.desk.url.borrow_mut().clone_from(&url);
        *self.desk.password.borrow_mut() = password.map(|password| c_string(password.as_bytes())).transpose()?;
        self.desk.asked.set(0);
        // SAFETY: the kit is alive, and both arguments are C strings that it copies.
        let raw = unsafe { (self.class().document_load_with_options)(self.kit, url.as_ptr(), options.as_ptr()) };
        if !raw.is_null() {
            // SAFETY: LibreOfficeKit has just made this document.
            return unsafe { Document::of(raw) }.map(Ok);
        }
        Ok(Err(match self.desk.asked.get() {
            0 => NotLoaded::Damaged,
            _ if given => NotLoaded::WrongPassword,
            _ => NotLoaded::NeedsPassword,
        }))
    }

    /// Adds the fonts of a file to those that documents find. What LibreOffice can't read adds none.
    pub(super) fn add_font(&self, file: &Path) -> io::Result<()> {
        let file = url::Url::from_file_path(file).map_err(|()| io::Error::other("a path is not absolute"))?;
        let file = c_string(file.as_str().as_bytes())?;
        // SAFETY: the kit is alive, and both arguments are C strings that it copies.
        unsafe { (self.class().set_option)(self.kit, c"addfont".as_ptr(), file.as_ptr()) };
        Ok(())
    }

    /// Gives this thread to LibreOffice, which calls `work` back. In this mode it starts no thread of its own, so that
    /// forking inside `work` is safe. Returns when LibreOffice ends by itself, which it has no reason to.
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
    // SAFETY: `run` passed this pointer to a live `Turn`, and all happens on one thread. LibreOffice polls again while
    // it loads a document: `busy` is read and written through the pointer, so that no two references exist then.
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

/// Answers a question for a password: with the one given, once; then with none, or LibreOffice would ask for ever.
///
/// For Word's older format LibreOffice asks by the file's name alone, and looks for its question by what it is answered with:
/// the answer has to name the address that was loaded.
unsafe extern "C" fn answer(kind: c_int, _asked: *const c_char, desk: *mut c_void) {
    if kind != ASKS_FOR_PASSWORD && kind != ASKS_FOR_PASSWORD_TO_EDIT {
        return;
    }
    // SAFETY: `of` registered the desk, which is never freed.
    let desk = unsafe { &*desk.cast::<Desk>() };
    let password = match kind {
        ASKS_FOR_PASSWORD => {
            desk.asked.set(desk.asked.get() + 1);
            desk.password.borrow_mut().take()
        }
        _ => None,
    };
    // SAFETY: the kit is alive; the URL is a C string; the password is null or one too.
    unsafe {
        let class = &*(*desk.kit).class;
        let url = desk.url.borrow();
        (class.set_document_password)(
            desk.kit,
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
        // SAFETY: a document points to its table for as long as it lives, and each table begins with its size.
        if unsafe { raw.as_ref().and_then(|raw| whole(raw.class)) }.is_none() {
            return Err(io::Error::other("LibreOfficeKit's documents have no functions to save them"));
        }
        Ok(Self { raw, _office: PhantomData })
    }

    /// Writes the document to a `file:` URL; says whether LibreOffice believes that it did.
    pub(super) fn save(&self, url: &str, format: &str, options: &str) -> io::Result<bool> {
        let (url, format) = (c_string(url.as_bytes())?, c_string(format.as_bytes())?);
        let options = c_string(options.as_bytes())?;
        // SAFETY: the document is alive, `of` checked that its table has this function, and all arguments are C strings that
        // it copies.
        let saved =
            unsafe { ((*(*self.raw).class).save_as)(self.raw, url.as_ptr(), format.as_ptr(), options.as_ptr()) };
        Ok(saved != 0)
    }
}

impl Drop for Document<'_> {
    fn drop(&mut self) {
        // SAFETY: the document is alive, `of` checked that its table has this function, and it is not used any more.
        unsafe { ((*(*self.raw).class).destroy)(self.raw) };
    }
}

/// A table of functions, if it is as large as declared here. An older LibreOffice's may be smaller: no reference to such
/// a table may exist.
///
/// # Safety
/// A table that is not null must begin with its size in bytes, and live and not change from now on.
unsafe fn whole<'a, T>(table: *const T) -> Option<&'a T> {
    // SAFETY: by the caller's promise, the size can be read, and then as many bytes as it says.
    unsafe { if !table.is_null() && *table.cast::<usize>() >= size_of::<T>() { table.as_ref() } else { None } }
}

fn c_string(bytes: &[u8]) -> io::Result<CString> {
    CString::new(bytes).map_err(io::Error::other)
}

/// Gives the system back what was allocated and freed, if the allocator is jemalloc.
pub(super) fn return_freed_memory() {
    type Control = unsafe extern "C" fn(*const c_char, *mut c_void, *mut usize, *mut c_void, usize) -> c_int;
    /// All arenas: `MALLCTL_ARENAS_ALL` of its header.
    const PURGE: &CStr = c"arena.4096.purge";
    // SAFETY: the default handle looks through what is loaded; the function of this name has this type; this control takes
    // and answers nothing. That it fails has no consequence.
    unsafe {
        let control = libc::dlsym(libc::RTLD_DEFAULT, c"mallctl".as_ptr());
        if !control.is_null() {
            let control = std::mem::transmute::<*mut c_void, Control>(control);
            control(PURGE.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), 0);
        }
    }
}

/// LibreOffice's last error, for the helper's own start; never shown to a user.
impl Office {
    pub(super) fn last_error(&self) -> String {
        // SAFETY: the kit is alive; the text is a C string of LibreOffice's, freed by it after it was copied.
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
    fn a_library_that_is_missing_or_another_one_is_an_error() {
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
        // Tables that end behind their size, as an older LibreOffice's might.
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
