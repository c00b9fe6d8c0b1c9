//! Structure of PDF files: pages, outlines, names, forms, tags, layers. All reads are defensive: objects may refer to anything,
//! including themselves and nothing.
//!
//! `open` and `repair/` get a document out of any source, `assembly/` makes one of many, and `label/` draws text. It knows tools only by
//! their requests.

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
#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

pub mod assembly;
pub mod attachments;
mod direct_pages;
pub mod field_text;
pub mod fields;
mod flat_tags;
pub mod flatten;
mod form_tags;
mod free_text;
pub mod impose;
pub mod invisible;
pub mod label;
pub mod metadata;
pub mod open;
pub mod overlay;
pub mod repair;
pub mod side_by_side;
pub mod stamp;
pub mod tagged;
pub mod visible;

pub use assembly::links::Targets;
pub use assembly::{Assembly, PageUse, Part};
pub use open::{open, open_deferring};
