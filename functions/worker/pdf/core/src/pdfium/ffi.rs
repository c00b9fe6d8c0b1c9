//! pdfium's C API, bound by name at start. Names, arguments and results are those of pdfium's public headers.

use std::ffi::{c_char, c_double, c_float, c_int, c_uchar, c_uint, c_ulong, c_void};

use libloading::Library;

use super::copy::FileWrite;

/// `FPDF_DOCUMENT`, `FPDF_PAGE` and other opaque pointers.
pub(super) type Handle = *mut c_void;

/// `FS_RECTF`: in points, with the origin at the page's lower left.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RectF {
    pub left: c_float,
    pub top: c_float,
    pub right: c_float,
    pub bottom: c_float,
}

/// `FS_MATRIX`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct MatrixF {
    pub a: c_float,
    pub b: c_float,
    pub c: c_float,
    pub d: c_float,
    pub e: c_float,
    pub f: c_float,
}

/// `FPDF_IMAGEOBJ_METADATA`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImageMetadata {
    pub width: c_uint,
    pub height: c_uint,
    pub horizontal_dpi: c_float,
    pub vertical_dpi: c_float,
    pub bits_per_pixel: c_uint,
    pub colorspace: c_int,
    pub marked_content_id: c_int,
}

/// `FPDF_LIBRARY_CONFIG`, version 2.
#[repr(C)]
pub(super) struct LibraryConfig {
    pub version: c_int,
    pub user_font_paths: *const *const c_char,
    pub isolate: *mut c_void,
    pub v8_embedder_slot: c_uint,
}

/// `FPDF_FORMFILLINFO` without callbacks. The reserved space is larger than any version of the struct.
#[repr(C)]
pub(super) struct FormFillInfo {
    pub version: c_int,
    pub callbacks: [*mut c_void; 63],
}

/// `FPDF_FILEACCESS`.
#[repr(C)]
pub(super) struct FileAccess {
    pub length: c_ulong,
    /// Given `parameter`, a position and a buffer of so many bytes. Returns 0 on errors.
    pub read: unsafe extern "C" fn(*mut c_void, c_ulong, *mut c_uchar, c_ulong) -> c_int,
    pub parameter: *mut c_void,
}

macro_rules! bindings {
    (
        required { $(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)* }
        optional { $(fn $newer:ident($($newer_argument:ty),*) $(-> $newer_result:ty)?;)* }
    ) => {
        /// The functions that were found in one library, which stays loaded until the process ends.
        #[allow(non_snake_case, reason = "These are the names of the C API.")]
        #[derive(Clone, Copy)]
        pub(super) struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            $(pub $newer: Option<unsafe extern "C" fn($($newer_argument),*) $(-> $newer_result)?>,)*
        }

        impl Api {
            /// # Safety
            ///
            /// The library must be pdfium: its functions must have the types that its headers give them.
            pub(super) unsafe fn bind(library: &'static Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: The caller vouches for the library, and the types above are those of the headers.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }?,)*
                    // SAFETY: As above.
                    $($newer: unsafe { library.get(concat!(stringify!($newer), "\0").as_bytes()) }.ok().map(|symbol| *symbol),)*
                })
            }
        }
    };
}

bindings! {
    required {
        fn FPDF_InitLibraryWithConfig(*const LibraryConfig);
        fn FPDF_GetLastError() -> c_ulong;
        fn FPDF_LoadCustomDocument(*const FileAccess, *const c_char) -> Handle;
        fn FPDF_LoadMemDocument(*const c_void, c_int, *const c_char) -> Handle;
        fn FPDF_CloseDocument(Handle);
        fn FPDF_GetPageCount(Handle) -> c_int;
        fn FPDF_GetFileVersion(Handle, *mut c_int) -> c_int;
        fn FPDF_GetMetaText(Handle, *const c_char, *mut c_void, c_ulong) -> c_ulong;
        fn FPDF_GetPageLabel(Handle, c_int, *mut c_void, c_ulong) -> c_ulong;
        fn FPDF_LoadPage(Handle, c_int) -> Handle;
        fn FPDF_ClosePage(Handle);
        fn FPDFPage_GetRotation(Handle) -> c_int;
        fn FPDF_GetPageBoundingBox(Handle, *mut RectF) -> c_int;
        fn FPDFBitmap_CreateEx(c_int, c_int, c_int, *mut c_void, c_int) -> Handle;
        fn FPDFBitmap_FillRect(Handle, c_int, c_int, c_int, c_int, c_ulong);
        fn FPDFBitmap_Destroy(Handle);
        fn FPDF_RenderPageBitmap(Handle, Handle, c_int, c_int, c_int, c_int, c_int, c_int);
        fn FPDF_RenderPageBitmapWithMatrix(Handle, Handle, *const MatrixF, *const RectF, c_int);
        fn FPDFDOC_InitFormFillEnvironment(Handle, *mut FormFillInfo) -> Handle;
        fn FPDFDOC_ExitFormFillEnvironment(Handle);
        fn FORM_OnAfterLoadPage(Handle, Handle);
        fn FORM_OnBeforeClosePage(Handle, Handle);
        fn FPDF_FFLDraw(Handle, Handle, Handle, c_int, c_int, c_int, c_int, c_int, c_int);
        fn FPDFText_LoadPage(Handle) -> Handle;
        fn FPDFText_ClosePage(Handle);
        fn FPDFText_CountChars(Handle) -> c_int;
        fn FPDFText_GetUnicode(Handle, c_int) -> c_uint;
        fn FPDFText_GetFontSize(Handle, c_int) -> c_double;
        fn FPDFText_GetFontInfo(Handle, c_int, *mut c_void, c_ulong, *mut c_int) -> c_ulong;
        fn FPDFText_GetCharBox(Handle, c_int, *mut c_double, *mut c_double, *mut c_double, *mut c_double) -> c_int;
        fn FPDFPage_CountObjects(Handle) -> c_int;
        fn FPDFPage_GetObject(Handle, c_int) -> Handle;
        fn FPDFPageObj_GetType(Handle) -> c_int;
        fn FPDFPageObj_GetBounds(Handle, *mut c_float, *mut c_float, *mut c_float, *mut c_float) -> c_int;
        fn FPDFLink_Enumerate(Handle, *mut c_int, *mut Handle) -> c_int;
        fn FPDFLink_GetAnnotRect(Handle, *mut RectF) -> c_int;
        fn FPDFLink_GetAction(Handle) -> Handle;
        fn FPDFAction_GetURIPath(Handle, Handle, *mut c_void, c_ulong) -> c_ulong;
    }
    optional {
        fn FPDFText_GetLooseCharBox(Handle, c_int, *mut RectF) -> c_int;
        fn FPDFText_GetCharAngle(Handle, c_int) -> c_float;
        fn FPDFText_IsGenerated(Handle, c_int) -> c_int;
        fn FPDFText_GetMatrix(Handle, c_int, *mut MatrixF) -> c_int;
        fn FPDFPageObj_CountMarks(Handle) -> c_int;
        fn FPDFPageObj_GetMark(Handle, c_ulong) -> Handle;
        fn FPDFPageObjMark_GetParamIntValue(Handle, *const c_char, *mut c_int) -> c_int;
        fn FPDFPageObjMark_GetParamStringValue(Handle, *const c_char, *mut c_void, c_ulong, *mut c_ulong) -> c_int;
        fn FPDFPageObjMark_RemoveParam(Handle, Handle, *const c_char) -> c_int;
        fn FPDFText_HasUnicodeMapError(Handle, c_int) -> c_int;
        fn FPDFText_GetTextObject(Handle, c_int) -> Handle;
        fn FPDFFormObj_CountObjects(Handle) -> c_int;
        fn FPDFFormObj_GetObject(Handle, c_ulong) -> Handle;
        fn FPDFPageObj_GetMatrix(Handle, *mut MatrixF) -> c_int;
        fn FPDFTextObj_GetTextRenderMode(Handle) -> c_int;
        fn FPDFImageObj_GetImageMetadata(Handle, Handle, *mut ImageMetadata) -> c_int;
        fn FPDFCatalog_IsTagged(Handle) -> c_int;
        fn FPDF_GetFormType(Handle) -> c_int;
        fn FPDFPageObj_GetFillColor(Handle, *mut c_uint, *mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
        fn FPDFPath_GetDrawMode(Handle, *mut c_int, *mut c_int) -> c_int;
        fn FPDFPath_CountSegments(Handle) -> c_int;
        fn FPDFPath_GetPathSegment(Handle, c_int) -> Handle;
        fn FPDFPathSegment_GetPoint(Handle, *mut c_float, *mut c_float) -> c_int;
        fn FPDFPathSegment_GetType(Handle) -> c_int;
        fn FPDFPageObjMark_GetName(Handle, *mut c_void, c_ulong, *mut c_ulong) -> c_int;
        fn FPDFTextObj_GetFont(Handle) -> Handle;
        fn FPDFFont_GetAscent(Handle, c_float, *mut c_float) -> c_int;
        fn FPDFFont_GetDescent(Handle, c_float, *mut c_float) -> c_int;
        fn FPDFFont_GetGlyphWidth(Handle, c_uint, c_float, *mut c_float) -> c_int;
        fn FPDFFont_GetGlyphPath(Handle, c_uint, c_float) -> Handle;
        fn FPDFGlyphPath_CountGlyphSegments(Handle) -> c_int;
        fn FPDFGlyphPath_GetGlyphPathSegment(Handle, c_int) -> Handle;
        fn FPDFFont_GetFontName(Handle, *mut c_void, c_ulong) -> c_ulong;
        fn FPDFFont_GetFamilyName(Handle, *mut c_void, c_ulong) -> c_ulong;
        fn FPDFFont_GetBaseFontName(Handle, *mut c_void, c_ulong) -> c_ulong;
        fn FPDFBookmark_GetFirstChild(Handle, Handle) -> Handle;
        fn FPDFBookmark_GetNextSibling(Handle, Handle) -> Handle;
        fn FPDFBookmark_GetTitle(Handle, *mut c_void, c_ulong) -> c_ulong;
        fn FPDFBookmark_GetDest(Handle, Handle) -> Handle;
        fn FPDFBookmark_GetAction(Handle) -> Handle;
        fn FPDFAction_GetDest(Handle, Handle) -> Handle;
        fn FPDFDest_GetDestPageIndex(Handle, Handle) -> c_int;
        fn FPDFPage_GetAnnotCount(Handle) -> c_int;
        fn FPDFPage_GetAnnot(Handle, c_int) -> Handle;
        fn FPDFPage_CloseAnnot(Handle);
        fn FPDFAnnot_GetSubtype(Handle) -> c_int;
        fn FPDFAnnot_GetRect(Handle, *mut RectF) -> c_int;
        fn FPDF_SaveAsCopy(Handle, *mut FileWrite, c_ulong) -> c_int;
        fn FPDFAnnot_GetFormFieldName(Handle, Handle, *mut c_void, c_ulong) -> c_ulong;
    }
}
