//! File formats: what they are called, what kind of file they are, and which conversions exist.
//!
//! Outside this crate, only requests, responses and file names hold a format as a string. To add a format, add a line to the table in
//! `format.rs`; tools list groups of formats, so their lists follow.

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

mod container;
mod family;
mod format;
mod group;

pub use container::Container;
pub use family::Family;
pub use format::{Format, UnknownFormat};
pub use group::Group;
