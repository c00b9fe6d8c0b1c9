//! An open PDF.

use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use docmill_pdf_request::{ErrorCode, Failure};

use super::ffi::{FormFillInfo, Handle};
use super::file::Access;
use super::{Page, Session, utf16};
use crate::mentions::mentions;
use crate::qpdf::{fields, survey};

/// `FPDF_ERR_PASSWORD` and `FPDF_ERR_SECURITY`.
const PASSWORD: u64 = 4;
const SECURITY: u64 = 5;

/// pdfium keeps what it has read of a document in memory, so that long ones are opened anew after so many pages: 84 KiB a page in
/// a file of 23 KiB a page.
const PAGES_AT_ONCE: usize = 250;

/// An open document. Pages are loaded as they are needed.
pub struct Document<'s> {
    pub(super) session: &'s Session<'s>,
    access: Box<Access>,
    password: Option<CString>,
    pub(super) handle: Handle,
    /// Null if the document has no form to draw.
    pub(super) form: Handle,
    /// Its form has more fields than can be drawn.
    skips_fields: bool,
    /// Points of a unit, of pages whose unit is not a point.
    units: Rc<HashMap<u32, f32>>,
    /// pdfium keeps a pointer to it until the form is closed.
    callbacks: Box<FormFillInfo>,
}

impl std::fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

impl<'s> Document<'s> {
    /// Opens a file. pdfium reads its parts on demand, also after its name is removed.
    ///
    /// # Errors
    /// If the file is damaged, or needs another password.
    pub fn open(session: &'s Session<'s>, path: &Path, password: Option<&str>) -> Result<Self, Failure> {
        let internal = |error: std::io::Error| {
            Failure::new(ErrorCode::Internal, "The file could not be opened.", error.kind().to_string())
        };
        let file = Arc::new(File::open(path).map_err(internal)?);
        let access = Access::to(Arc::clone(&file)).map_err(internal)?;
        // PDF passwords can't contain NUL.
        let given = password.map(CString::new).transpose().map_err(|_| wrong_password())?;
        let mut document = Self::load(session, Box::new(access), given)?;
        // Few files have units, and reading the pages for them takes time. Objects in streams can't be searched.
        if mentions(&file, &[b"/UserUnit", b"/ObjStm"]).map_err(internal)? {
            document.units = Rc::new(survey::units(path, password));
        }
        // pdfium follows every path to a field when the first page is opened.
        document.skips_fields = document.has_form() && fields::are_too_many(path, password);
        document.open_form();
        Ok(document)
    }

    fn load(session: &'s Session<'s>, access: Box<Access>, given: Option<CString>) -> Result<Self, Failure> {
        let password = given.as_ref().map_or(std::ptr::null(), |password| password.as_ptr().cast::<c_char>());
        // SAFETY: the password ends with a NUL and is valid during the call. The access to the file is not moved or changed until
        // `drop` has closed the document.
        let handle = unsafe { (session.api.FPDF_LoadCustomDocument)(access.pointer(), password) };
        if handle.is_null() {
            // SAFETY: takes no arguments and returns the last call's error.
            let error = unsafe { (session.api.FPDF_GetLastError)() };
            return Err(match error {
                PASSWORD if given.is_some() => wrong_password(),
                PASSWORD => Failure::new(
                    ErrorCode::PasswordRequired,
                    "The PDF is encrypted. Send its password with the source.",
                    "pdfium: password",
                ),
                SECURITY => Failure::new(
                    ErrorCode::UnsupportedFormat,
                    "The PDF is encrypted in a way that is not supported. Send a copy without encryption.",
                    "pdfium: unknown security handler",
                ),
                other => corrupt(format!("pdfium: error {other}")),
            });
        }
        let callbacks = Box::new(FormFillInfo { version: 1, callbacks: [std::ptr::null_mut(); 63] });
        let form = std::ptr::null_mut();
        Ok(Self {
            session,
            access,
            password: given,
            handle,
            form,
            skips_fields: false,
            units: Rc::default(),
            callbacks,
        })
    }

    /// The number of pages.
    pub fn pages(&self) -> u32 {
        // SAFETY: The document is open.
        u32::try_from(unsafe { (self.session.api.FPDF_GetPageCount)(self.handle) }).unwrap_or(0)
    }

    /// Reads pages, counted from 0, one after the other.
    ///
    /// # Errors
    /// If a page can't be loaded, or `each` fails.
    pub fn for_each_page(
        &self,
        indices: impl IntoIterator<Item = u32>,
        mut each: impl FnMut(u32, &Page<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.for_each_page_until(indices, |index, page| each(index, page).map(ControlFlow::Continue))
    }

    /// The same until `each` breaks.
    ///
    /// # Errors
    /// As for [`Self::for_each_page`].
    pub fn for_each_page_until(
        &self,
        indices: impl IntoIterator<Item = u32>,
        mut each: impl FnMut(u32, &Page<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), Failure> {
        let indices: Vec<u32> = indices.into_iter().collect();
        let mut parts = indices.chunks(PAGES_AT_ONCE);
        let mut flow = self.read(parts.next().unwrap_or_default(), &mut each)?;
        while flow.is_continue()
            && let Some(part) = parts.next()
        {
            flow = self.anew()?.read(part, &mut each)?;
        }
        Ok(())
    }

    /// pdfium drops a font with the last page that uses it, so each page stays open until the next one is.
    fn read(
        &self,
        indices: &[u32],
        each: &mut impl FnMut(u32, &Page<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<ControlFlow<()>, Failure> {
        let mut open = None;
        for index in indices {
            if each(*index, open.insert(self.page(*index)?))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The same file, of which nothing is in memory yet.
    fn anew(&self) -> Result<Self, Failure> {
        let mut document = Self::load(self.session, Box::new(self.access.again()), self.password.clone())?;
        document.skips_fields = self.skips_fields;
        document.units = Rc::clone(&self.units);
        document.open_form();
        Ok(document)
    }

    /// Fields are drawn from now on, if they can be.
    fn open_form(&mut self) {
        if self.skips_fields || !self.form.is_null() {
            return;
        }
        let callbacks = &raw mut *self.callbacks;
        // SAFETY: the document is open. The structure outlives the form, because `drop` closes the form first. Without callbacks,
        // pdfium runs no scripts, opens no files and asks no questions.
        self.form = unsafe { (self.session.api.FPDFDOC_InitFormFillEnvironment)(self.handle, callbacks) };
    }

    /// One page, counted from 0.
    ///
    /// # Errors
    /// If there is no such page, or it is damaged.
    pub fn page(&self, index: u32) -> Result<Page<'_>, Failure> {
        Page::open(self, index)
    }

    /// Points of a unit of this page.
    pub(super) fn unit(&self, index: u32) -> f32 {
        self.units.get(&index).copied().unwrap_or(1.0)
    }

    /// `17` for PDF 1.7.
    pub fn version(&self) -> Option<i32> {
        let mut version = 0;
        // SAFETY: The document is open, and the number lives during the call.
        (unsafe { (self.session.api.FPDF_GetFileVersion)(self.handle, &raw mut version) } != 0).then_some(version)
    }

    /// The label of a page, as a viewer shows it: `iv`, `A-3`. Empty if the page has no label.
    pub fn page_label(&self, index: u32) -> String {
        let Ok(index) = i32::try_from(index) else { return String::new() };
        // SAFETY: the document is open, and the buffer has the given length.
        utf16(|buffer, length| unsafe { (self.session.api.FPDF_GetPageLabel)(self.handle, index, buffer, length) })
    }

    /// An entry of the information dictionary, such as `Title`. Empty if it is missing.
    pub fn metadata(&self, key: &std::ffi::CStr) -> String {
        // SAFETY: the document is open, the key ends with a NUL, and the buffer has the given length.
        utf16(|buffer, length| unsafe {
            (self.session.api.FPDF_GetMetaText)(self.handle, key.as_ptr(), buffer, length)
        })
    }

    /// Whether it may have form fields.
    pub fn has_form(&self) -> bool {
        // SAFETY: The document is open. Without a form, the answer is `FORMTYPE_NONE`, which is 0.
        self.session.api.FPDF_GetFormType.is_some_and(|form| unsafe { form(self.handle) } != 0)
    }

    /// Its form has more fields than can be drawn.
    pub fn skips_fields(&self) -> bool {
        self.skips_fields
    }

    /// Whether it says that it is tagged. `false` if this copy of pdfium does not tell.
    pub fn is_tagged(&self) -> bool {
        // SAFETY: The document is open.
        self.session.api.FPDFCatalog_IsTagged.is_some_and(|tagged| unsafe { tagged(self.handle) } != 0)
    }
}

impl Drop for Document<'_> {
    fn drop(&mut self) {
        // SAFETY: pages borrow the document, so all of them are closed. The form is closed before the document.
        unsafe {
            if !self.form.is_null() {
                (self.session.api.FPDFDOC_ExitFormFillEnvironment)(self.form);
            }
            (self.session.api.FPDF_CloseDocument)(self.handle);
        }
    }
}

fn wrong_password() -> Failure {
    Failure::new(
        ErrorCode::WrongPassword,
        "The password does not open this PDF. Check it and try again.",
        "pdfium: password",
    )
}

pub(super) fn corrupt(cause: String) -> Failure {
    Failure::new(
        ErrorCode::CorruptDocument,
        "The PDF is damaged and can't be read. Open it in the program that made it and save it again.",
        cause,
    )
}

#[cfg(test)]
mod tests {
    use super::super::Pdfium;
    use super::*;

    #[test]
    fn what_cannot_be_opened_is_an_error_of_its_kind() {
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let directory = tempfile::TempDir::new().unwrap();
        let file = directory.path().join("a.pdf");
        std::fs::write(&file, b"%PDF-1.7\n\xFF\xFE no objects").unwrap();
        let code = |path: &Path, password| Document::open(&session, path, password).unwrap_err().code;
        assert_eq!(code(&file, None), ErrorCode::CorruptDocument);
        assert_eq!(code(Path::new("/nowhere/at/all.pdf"), None), ErrorCode::Internal);
        assert_eq!(code(Path::new("/a\0b"), None), ErrorCode::Internal);
        assert_eq!(code(&file, Some("a\0b")), ErrorCode::WrongPassword);
        assert_eq!(code(directory.path(), None), ErrorCode::CorruptDocument);
    }

    /// The title ends in an unpaired surrogate.
    const PAGE: &[u8] =
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1\
>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n4 0 obj<</Title<FEFFD8000041>>>endobj\n\
trailer<</Root 1 0 R/Info 4 0 R/Size 5>>\n";

    #[test]
    fn a_page_that_is_not_there_is_an_error_and_any_metadata_are_text() {
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), PAGE).unwrap();
        let document = Document::open(&session, file.path(), None).unwrap();
        assert_eq!(document.pages(), 1);
        for index in [1, i32::MAX.cast_unsigned(), u32::MAX] {
            assert_eq!(document.page(index).unwrap_err().code, ErrorCode::CorruptDocument);
        }
        assert_eq!(document.page_label(u32::MAX), "");
        assert_eq!(
            (document.metadata(c"Title"), document.metadata(c"Author")),
            ("\u{FFFD}A".to_owned(), String::new())
        );
        let page = document.page(0).unwrap();
        let too_large = page.render(u32::MAX, 9, super::super::Background::Transparent).unwrap_err();
        assert_eq!(too_large.code, ErrorCode::RenderFailed);
        assert_eq!(page.text().unwrap().string(), "");
    }

    #[test]
    fn each_of_many_pages_is_read_in_its_turn_after_the_name_of_the_file_is_removed() {
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let file = tempfile::NamedTempFile::new().unwrap();
        let widths = 10..610;
        let kids: String = (3..603).map(|number| format!("{number} 0 R ")).collect();
        let mut pdf = format!(
            "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[{kids}]/Count 600>>endobj\n"
        );
        for (number, width) in (3..).zip(widths.clone()) {
            pdf += &format!("{number} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} 9]>>endobj\n");
        }
        pdf += "trailer<</Root 1 0 R/Size 603>>\n";
        std::fs::write(file.path(), pdf).unwrap();
        let document = Document::open(&session, file.path(), None).unwrap();
        file.close().unwrap();
        let mut seen = Vec::new();
        let see = |index, page: &Page<'_>| {
            seen.push((index, page.size().0));
            Ok(())
        };
        document.for_each_page((0..600).rev(), see).unwrap();
        let expected: Vec<_> = (0..600).zip(widths).map(|(index, width)| (index, width as f32)).rev().collect();
        assert_eq!(seen, expected);
        let mut until = Vec::new();
        let look = |index, _: &Page<'_>| {
            until.push(index);
            Ok(if index == 400 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        document.for_each_page_until(0..600, look).unwrap();
        assert_eq!(until, (0..=400).collect::<Vec<_>>());
    }
}
