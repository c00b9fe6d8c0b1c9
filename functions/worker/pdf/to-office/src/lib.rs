//! pdf-to-office: Word documents and presentations of a document's structure, as `docmill-pdf-extract` finds it. Workbooks of its
//! tables are written there.
//!
//! `flow` and `running` say what follows from the source's pages: which paragraphs go on, where pages begin, and which headers and
//! footers they share. `docx/` and `pptx/` write the parts of the packages. It reads no PDF.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod docx;
mod flow;
mod geometry;
mod grid;
mod parts;
mod pptx;
mod running;
mod theme;
mod units;
mod xml;

pub use docx::docx;
pub use parts::Source;
pub use pptx::pptx;

/// How a Word document shows the pages of its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// As text that flows from page to page.
    #[default]
    Flow,
    /// Page by page, with everything at its place.
    Exact,
}
