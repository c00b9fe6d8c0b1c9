//! What a tool is asked to do, and what it answers. The tools and whoever calls them know each other by this alone.

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

mod failure;
mod request;
mod tool;

pub use failure::{ErrorCode, Failure};
pub use request::{Artifact, Limits, Outcome, PageBreak, PictureLimits, Request, Source, Warning};
pub use tool::Tool;
