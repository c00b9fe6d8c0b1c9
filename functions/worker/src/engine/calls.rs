//! Calls of one engine by another.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Conversion, Engine, Failure, Source, Task};

/// Has another engine do a part of a task, with the task's deadline, limits and fonts.
pub(super) async fn call(
    engine: &dyn Engine,
    tool: &str,
    sources: Vec<Source>,
    options: &Value,
    scratch: &Path,
    task: &Task<'_>,
) -> Result<Conversion, Failure> {
    let (deadline, limits, fonts) = (task.deadline, task.limits, task.fonts);
    engine.convert(Task { tool, sources, options, scratch, deadline, limits, fonts }).await
}

/// A directory for one call: what one leaves is not in the next one's way, nor in that of another attempt.
pub(super) fn room(task: &Task<'_>, name: &str) -> Result<PathBuf, Failure> {
    let made = tempfile::Builder::new().prefix(name).tempdir_in(task.scratch);
    Ok(made.map_err(|error| Failure::internal(format!("no directory: {error}")))?.keep())
}
