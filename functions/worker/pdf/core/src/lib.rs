//! What tools for PDFs stand on.
//!
//! `qpdf/` and `pdfium/` bind the two libraries, which [`Libraries`] finds. `objects` reads objects that may refer to anything, including
//! themselves and nothing; `filters` unpacks their data; `tokens`, `operations` and `content` read what a page draws; `pages`, `space`, `rectangle`, `matrix` and `transform` know where.
//! `picture/` has pictures in PDFs, `image/` those in files. `fonts/` has the installed fonts.
//!
//! It knows no tools and no options.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod character_map;
pub mod content;
pub mod deferred_pictures;
pub mod filters;
pub mod fonts;
pub mod headings;
pub mod image;
pub mod language;
pub mod letters;
pub mod libraries;
mod library;
pub mod long_numbers;
pub mod matrix;
pub mod memory_budget;
pub mod mentions;
pub mod numbering;
pub mod objects;
pub mod operations;
pub mod pages;
pub mod pdfium;
pub mod picture;
pub mod pixels;
pub mod qpdf;
pub mod rectangle;
pub mod space;
pub mod text_state;
pub mod tokens;
pub mod transform;
pub mod writer;
pub mod xml;

pub use libraries::Libraries;
