//! How far a running job is.

use serde::{Deserialize, Serialize};

/// How far a running job is that makes many files, such as a mail merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// The step that runs, counted from 1 in the order of `steps`.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub step: u32,
    /// The files that it has made.
    pub done: u32,
    /// The files that it is to make.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub total: u32,
}

/// Progress as it is stored. An earlier attempt's is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedProgress {
    /// The attempt that noted it.
    pub attempt: u32,
    /// How far it is.
    pub progress: Progress,
}
