//! The annotations of a page: the places of form fields, and whether others have text.

use super::ffi::{Handle, RectF};
use super::{Page, Rect, utf16};

/// `FPDF_ANNOT_FREETEXT`, `…_STAMP` and `…_WIDGET`.
const FREE_TEXT: std::ffi::c_int = 3;
const STAMP: std::ffi::c_int = 13;
const WIDGET: std::ffi::c_int = 20;
/// Most annotations of a page that are looked at.
const MOST: i32 = 10_000;

/// A field where a page shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Widget {
    /// The field's full name. Empty if it has none.
    pub name: String,
    /// Where it is.
    pub area: Rect,
}

impl Page<'_> {
    /// The fields that the page has.
    pub fn widgets(&self) -> Vec<Widget> {
        self.annotations(|annotation| self.widget(annotation))
    }

    /// Whether it has annotations that show text of their own.
    pub fn shows_notes(&self) -> bool {
        let Some(kind) = self.session().api.FPDFAnnot_GetSubtype else { return false };
        // SAFETY: The annotation is open.
        let is_note = |annotation| matches!(unsafe { kind(annotation) }, FREE_TEXT | STAMP).then_some(());
        !self.annotations(is_note).is_empty()
    }

    /// What `read` finds in the annotations, each of which is open while it is read.
    fn annotations<T>(&self, read: impl Fn(Handle) -> Option<T>) -> Vec<T> {
        let api = self.session().api;
        let (Some(count), Some(get), Some(close)) =
            (api.FPDFPage_GetAnnotCount, api.FPDFPage_GetAnnot, api.FPDFPage_CloseAnnot)
        else {
            return Vec::new();
        };
        // SAFETY: The page is open.
        let count = unsafe { count(self.handle) }.min(MOST);
        let mut found = Vec::new();
        for index in 0..count {
            // SAFETY: The page is open. An annotation that it does not have is null.
            let annotation = unsafe { get(self.handle, index) };
            if annotation.is_null() {
                continue;
            }
            found.extend(read(annotation));
            // SAFETY: It was opened above, and is closed once.
            unsafe { close(annotation) };
        }
        found
    }

    fn widget(&self, annotation: Handle) -> Option<Widget> {
        let api = self.session().api;
        let (kind, bounds, name) = (api.FPDFAnnot_GetSubtype?, api.FPDFAnnot_GetRect?, api.FPDFAnnot_GetFormFieldName?);
        let mut area = RectF::default();
        // SAFETY: The annotation is open, and the rectangle lives during the call.
        if unsafe { kind(annotation) != WIDGET || bounds(annotation, &raw mut area) == 0 } {
            return None;
        }
        // SAFETY: Form and annotation are open; without a form there is no name; the buffer has the length that is said.
        let name = utf16(|buffer, length| unsafe { name(self.document.form, annotation, buffer, length) });
        Some(Widget { name, area: self.place(area.left, area.bottom, area.right, area.top) })
    }
}
