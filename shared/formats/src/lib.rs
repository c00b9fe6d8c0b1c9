//! File formats: what they are called, what kind of file they are, and which conversions exist.
//!
//! A format is a string only on the wire and in names of files. A new format is a line in the table of `format.rs`, and whatever its
//! kind of file needs: the tools' files name groups, so that their lists follow.

#![warn(missing_docs, clippy::missing_errors_doc)]

mod container;
mod family;
mod format;
mod group;

pub use container::Container;
pub use family::Family;
pub use format::{Format, UnknownFormat};
pub use group::Group;
