//! A mark: an object of the document that is put on pages.

use docmill_pdf_core::matrix::Matrix;
use lopdf::ObjectId;

/// Something to put on a page: an object, its size, and the matrix from its units to a box of that size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) form: ObjectId,
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) matrix: Matrix,
    /// It may be scaled down to fit.
    pub(super) shrinks: bool,
}
