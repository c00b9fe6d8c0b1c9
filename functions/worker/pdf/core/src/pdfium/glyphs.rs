//! Caches FreeType's glyph metrics while pdfium is in use.
//!
//! pdfium requests the box of a glyph every time a page shows it, and FreeType reads the outline every time. For Chinese text,
//! this took three quarters of the CPU time. pdfium calls `FT_Load_Glyph` by name, and the dynamic linker prefers the program's
//! function to a library's, so programs export the one below (`build.rs`). If they don't, or if pdfium contains its own FreeType,
//! it is never called, and the worker's log says so.

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_long, c_short, c_uint, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use libloading::Library;

/// `FT_LOAD_NO_SCALE` with or without `FT_LOAD_IGNORE_GLOBAL_ADVANCE_WIDTH`: font units, independent of the size. Such glyphs are
/// never drawn.
const NO_SCALE: c_int = 1;
const IGNORE_GLOBAL_ADVANCE_WIDTH: c_int = 1 << 9;
/// `FT_FACE_FLAG_MULTIPLE_MASTERS`: glyphs depend on the current design.
const MULTIPLE_MASTERS: c_long = 1 << 8;
/// `FT_Err_Invalid_Library_Handle`.
const NO_LIBRARY: c_int = 0x21;

type LoadGlyph = unsafe extern "C" fn(*mut Face, c_uint, c_int) -> c_int;

/// `FT_Generic`: data that a program attaches to a face, and a function that FreeType calls before it frees the face.
#[repr(C)]
struct Generic {
    data: *mut c_void,
    finalizer: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The used public fields of `FT_FaceRec`. FreeType never changes their order.
#[repr(C)]
pub(crate) struct Face {
    num_faces: c_long,
    face_index: c_long,
    face_flags: c_long,
    style_flags: c_long,
    num_glyphs: c_long,
    family_name: *mut c_char,
    style_name: *mut c_char,
    num_fixed_sizes: c_int,
    available_sizes: *mut c_void,
    num_charmaps: c_int,
    charmaps: *mut c_void,
    generic: Generic,
    bbox: [c_long; 4],
    measures: [c_short; 8],
    glyph: *mut Slot,
}

/// The first fields of `FT_GlyphSlotRec`.
#[repr(C)]
struct Slot {
    library: *mut c_void,
    face: *mut c_void,
    next: *mut c_void,
    glyph_index: c_uint,
    generic: Generic,
    metrics: Metrics,
}

/// `FT_Glyph_Metrics`.
type Metrics = [c_long; 8];

/// By glyph and flags.
type Known = HashMap<(c_uint, c_int), Metrics>;

/// Set while pdfium is in use. Other callers get FreeType's own results.
static KEEPING: AtomicBool = AtomicBool::new(false);

/// Set once pdfium has called [`FT_Load_Glyph`] below.
static ASKED: AtomicBool = AtomicBool::new(false);

pub(super) fn keep(keeping: bool) {
    KEEPING.store(keeping, Ordering::Relaxed);
}

/// Whether pdfium calls the function below instead of FreeType's. Known after it has read text.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// FreeType's own function in the system's library, which pdfium links to.
fn freetype() -> Option<LoadGlyph> {
    static FOUND: OnceLock<Option<LoadGlyph>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // SAFETY: FreeType's initialisers have no obligations.
        let library: &'static Library = Box::leak(Box::new(unsafe { Library::new("libfreetype.so.6") }.ok()?));
        // SAFETY: This is the type that FreeType's headers give the function.
        unsafe { library.get::<LoadGlyph>(b"FT_Load_Glyph\0") }.ok().map(|found| *found)
    })
}

/// Replaces `FT_Load_Glyph`: a glyph that was loaded before in font units only gets its metrics, without the outline.
///
/// # Safety
///
/// As for FreeType: `face` is an open face that one thread uses at a time.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn FT_Load_Glyph(face: *mut Face, glyph: c_uint, flags: c_int) -> c_int {
    let Some(load) = freetype() else { return NO_LIBRARY };
    if KEEPING.load(Ordering::Relaxed) {
        ASKED.store(true, Ordering::Relaxed);
    }
    let plain = flags & !IGNORE_GLOBAL_ADVANCE_WIDTH == NO_SCALE;
    // SAFETY: the caller guarantees that the face is valid or null.
    let known = unsafe {
        match face.as_mut() {
            Some(face) if plain && KEEPING.load(Ordering::Relaxed) => known(face),
            Some(_) | None => None,
        }
    };
    let Some((known, slot)) = known else {
        // SAFETY: the same as the caller's call.
        return unsafe { load(face, glyph, flags) };
    };
    // SAFETY: `known` found both in the open face, and nothing else uses them during this call.
    unsafe {
        if let Some(metrics) = (*known).get(&(glyph, flags)) {
            (*slot).metrics = *metrics;
            return 0;
        }
        let error = load(face, glyph, flags);
        if error == 0 {
            (*known).insert((glyph, flags), (*slot).metrics);
        }
        error
    }
}

/// The cached metrics of a face, and where FreeType writes its results. `None` if the face can't be cached, or if something else
/// is attached to it.
fn known(face: &mut Face) -> Option<(*mut Known, *mut Slot)> {
    if face.face_flags & MULTIPLE_MASTERS != 0 || face.glyph.is_null() {
        return None;
    }
    if face.generic.data.is_null() && face.generic.finalizer.is_none() {
        face.generic.data = Box::into_raw(Box::<Known>::default()).cast();
        face.generic.finalizer = Some(forget);
    }
    let own = face.generic.finalizer.is_some_and(|finalizer| std::ptr::fn_addr_eq(finalizer, FORGET));
    own.then_some((face.generic.data.cast(), face.glyph))
}

const FORGET: unsafe extern "C" fn(*mut c_void) = forget;

/// # Safety
///
/// Only FreeType calls this, once for each face that `known` has attached data to.
unsafe extern "C" fn forget(face: *mut c_void) {
    // SAFETY: As above: the data is a box of `known`.
    unsafe {
        let generic = &mut (*face.cast::<Face>()).generic;
        drop(Box::from_raw(std::mem::replace(&mut generic.data, std::ptr::null_mut()).cast::<Known>()));
    }
}
