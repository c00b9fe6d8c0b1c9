//! The log line for the end of a job.

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use crate::domain::job::{Job, JobErrorCode, Timings};
use crate::domain::tool::EngineKind;
use crate::store::jobs::Completion;

/// The code in a completed job's line.
const COMPLETED: &str = "completed";

/// Logs a completed job.
pub fn completed(job: &Job, completion: &Completion) {
    let Timings { queued_ms, fetch_ms, convert_ms, store_ms } = completion.timings;
    ended(job, Level::INFO, COMPLETED)
        .with_some(field::PAGES, completion.output.pages)
        .with(field::BYTES, completion.output.bytes)
        .with(field::WARNINGS, completion.warnings.len())
        .measure(&[
            (metric::QUEUED_MS, queued_ms),
            (metric::FETCH_MS, fetch_ms),
            (metric::CONVERT_MS, convert_ms),
            (metric::STORE_MS, store_ms),
        ])
        .write();
}

/// Logs a failed and refunded job.
pub fn failed(job: &Job, code: JobErrorCode, cause: &str) {
    // Faults of documents are normal operation.
    let level = if code == JobErrorCode::Internal { Level::ERROR } else { Level::INFO };
    ended(job, level, code.as_str())
        .with(field::CAUSE, cause)
        .count(metric::CREDITS_REFUNDED, job.charge.total())
        .write();
}

fn ended(job: &Job, level: Level, code: &'static str) -> Line {
    let render_mode = job.options.get("renderMode").and_then(serde_json::Value::as_str);
    Line::new(level, "job ended")
        .with(field::JOB_ID, job.id.to_string())
        .with(field::ACCOUNT, job.account.as_str())
        .with(field::TOOL, job.tool.as_str())
        .with(field::ENGINE, EngineKind::of(&job.tool, render_mode).as_str())
        .with(field::ATTEMPT, job.attempts)
        .with(field::CODE, code)
        .measure(&[(metric::JOBS, 1)])
}
