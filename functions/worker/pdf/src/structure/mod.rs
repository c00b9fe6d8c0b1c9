//! Structure of PDF files: pages, outlines, names, forms, tags, layers. All reads are defensive: objects may refer to anything,
//! including themselves and nothing.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

pub(crate) mod assembly;
pub(crate) mod attachments;
pub(crate) mod character_map;
pub(crate) mod content;
pub(crate) mod deferred_pictures;
pub(crate) mod field_text;
pub(crate) mod fields;
pub(crate) mod flatten;
mod free_text;
pub(crate) mod impose;
pub(crate) mod invisible;
pub(crate) mod letters;
pub(crate) mod metadata;
pub(crate) mod objects;
pub(crate) mod open;
pub(crate) mod operations;
pub(crate) mod overlay;
pub(crate) mod pages;
pub(crate) mod side_by_side;
pub(crate) mod space;
pub(crate) mod stamp;
pub(crate) mod tagged;
pub(crate) mod tokens;
pub(crate) mod transform;
pub(crate) mod visible;
pub(crate) mod writer;

pub(crate) use assembly::{Assembly, PageUse, Part};
pub(crate) use open::{open, open_deferring};
pub(crate) use space::PageSpace;

use crate::{ErrorCode, Failure};
use writer::WriteError;

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Io(error) => Failure::io(&error),
            WriteError::TooLarge { limit } => Self::new(
                ErrorCode::RenderFailed,
                format!("The result is larger than {} MiB, which is the limit. Select fewer pages.", limit >> 20),
                "result beyond the limit",
            ),
        }
    }
}
