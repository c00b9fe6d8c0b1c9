//! libtesseract's C API (`tesseract/capi.h` of version 5) and a few functions of leptonica, bound by name at run time.

use std::ffi::{c_char, c_float, c_int, c_uchar, c_void};

use libloading::Library;

/// Debian 12 and 13.
const NAME: &str = "libtesseract.so.5";

/// `TessBaseAPI`, `TessResultIterator`, `Pix` and all the others: only the libraries look behind these.
pub(super) type Handle = *mut c_void;

macro_rules! bindings {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions, valid as long as the library, which is never unloaded.
        #[allow(non_snake_case, reason = "These are the names of the C API.")]
        #[derive(Clone, Copy)]
        pub(super) struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Loads the library, and with it leptonica, on which it depends.
            pub(super) fn load() -> Result<Self, libloading::Error> {
                // SAFETY: A library of the system's packages. Its initialisers, and those of what it depends on, have no obligations.
                let library = unsafe { Library::new(NAME) }?;
                // It is never unloaded: its functions are called until the process ends.
                let library: &'static Library = Box::leak(Box::new(library));
                Ok(Self {
                    // SAFETY: The library is libtesseract by its name, and the types are those of its headers and of leptonica's.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,)*
                })
            }
        }
    };
}

bindings! {
    fn TessBaseAPICreate() -> Handle;
    fn TessBaseAPIDelete(Handle);
    fn TessBaseAPIInit2(Handle, *const c_char, *const c_char, c_int) -> c_int;
    fn TessBaseAPISetVariable(Handle, *const c_char, *const c_char) -> c_int;
    fn TessBaseAPISetPageSegMode(Handle, c_int);
    fn TessBaseAPISetImage(Handle, *const c_uchar, c_int, c_int, c_int, c_int);
    fn TessBaseAPISetSourceResolution(Handle, c_int);
    fn TessBaseAPIGetThresholdedImage(Handle) -> Handle;
    fn TessBaseAPIDetectOrientationScript(Handle, *mut c_int, *mut c_float, *mut *const c_char, *mut c_float) -> c_int;
    fn TessBaseAPIRecognize(Handle, *mut c_void) -> c_int;
    fn TessBaseAPIGetIterator(Handle) -> Handle;
    fn TessBaseAPIClear(Handle);
    fn TessBaseAPIClearAdaptiveClassifier(Handle);
    fn TessResultIteratorDelete(Handle);
    fn TessResultIteratorNext(Handle, c_int) -> c_int;
    fn TessResultIteratorGetUTF8Text(Handle, c_int) -> *mut c_char;
    fn TessResultIteratorConfidence(Handle, c_int) -> c_float;
    fn TessResultIteratorGetPageIterator(Handle) -> Handle;
    fn TessPageIteratorIsAtBeginningOf(Handle, c_int) -> c_int;
    fn TessPageIteratorBoundingBox(Handle, c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
    fn TessPageIteratorBaseline(Handle, c_int, *mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
    fn TessPageIteratorOrientation(Handle, *mut c_int, *mut c_int, *mut c_int, *mut c_float);
    fn TessDeleteText(*mut c_char);
    fn pixFindSkew(Handle, *mut c_float, *mut c_float) -> c_int;
    fn pixAutoPhotoinvert(Handle, c_int, *mut Handle, Handle) -> Handle;
    fn pixCreate(c_int, c_int, c_int) -> Handle;
    fn pixGetData(Handle) -> *mut u32;
    fn pixGetHeight(Handle) -> c_int;
    fn pixGetWpl(Handle) -> c_int;
    fn pixDestroy(*mut Handle);
}
