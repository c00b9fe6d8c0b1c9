//! Calls from one engine to another.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Conversion, Engine, Failure, Source, Task};

/// Calls another engine for a part of a task, with the task's deadline, limits and fonts.
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

/// A directory for one call, so that leftovers can't affect later calls or attempts.
pub(super) fn room(task: &Task<'_>, name: &str) -> Result<PathBuf, Failure> {
    let made = tempfile::Builder::new().prefix(name).tempdir_in(task.scratch);
    Ok(made.map_err(|error| Failure::internal(format!("no directory: {error}")))?.keep())
}
