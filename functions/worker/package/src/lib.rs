//! Office Open XML and OpenDocument packages: ZIP archives of parts that refer to each other. They are opened within limits, read,
//! written again with changed parts, and made from scratch. All code that opens a document's package uses this crate.

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

mod changes;
mod error;
mod limits;
pub mod markup;
mod new;
mod opendocument;
mod package;
pub mod relations;
pub mod types;

pub use changes::{Changes, Packing};
pub use error::Error;
pub use limits::Limits;
pub use new::NewPackage;
pub use package::{Disk, Memory, Package, Part, decoded};
pub use relations::{Relation, Relations};

#[cfg(test)]
mod tests;
