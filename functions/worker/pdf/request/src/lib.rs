//! What a tool is asked to do, and what it answers. The tools and whoever calls them know each other by this alone.

mod failure;
mod request;
mod tool;

pub use failure::{ErrorCode, Failure};
pub use request::{Artifact, Limits, Outcome, PictureLimits, Request, Source, Warning};
pub use tool::Tool;
