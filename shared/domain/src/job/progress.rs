//! How far a running job is.

use serde::{Deserialize, Serialize};

/// The files that the current step has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Counted from 1, in the order of the job's `steps`.
    pub step: u32,
    pub done: u32,
    pub total: u32,
}

/// Progress as it is stored. An earlier attempt's is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedProgress {
    pub attempt: u32,
    pub progress: Progress,
}
