//! extract-document: the structure of any document, by one model. Readers make it, writers write it.
//!
//! `model` is the document, as its published schema describes it. `pdf/` makes it of a PDF's text, and `own/` of office files, HTML,
//! Markdown, CSV and e-mail. `write/` writes it as Markdown, HTML, plain text, tables, workbooks and chunks. It knows no options or
//! requests of tools, and recognises no text itself.

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

pub mod message;
pub mod model;
pub mod own;
pub mod pdf;
pub mod pictures;
#[cfg(test)]
mod schema;
pub mod write;
