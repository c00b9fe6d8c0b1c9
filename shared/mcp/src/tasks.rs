//! Jobs as tasks (extension `io.modelcontextprotocol/tasks`): a task's id is its job's.

use jiff::Timestamp;
use rmcp::model::{CallToolResult, DetailedTask, JsonObject, Task, TaskPayload, TaskStatus};
use serde_json::Value;

/// How long a client should wait before it asks again.
const POLL_MS: u64 = 2000;

/// The task of a job that has not ended; `None` if it has.
pub(crate) fn of_unfinished(job: &Value) -> Option<Task> {
    matches!(job["status"].as_str(), Some("queued" | "processing")).then(|| task(job, TaskStatus::Working)).flatten()
}

/// A job's task with its result, which is what the call would have returned.
pub(crate) fn detailed(job: &Value, result: &CallToolResult) -> Option<DetailedTask> {
    let payload = match job["status"].as_str()? {
        "queued" | "processing" => TaskPayload::Working,
        "canceled" => TaskPayload::Cancelled,
        // A failed job is a completed call with an error in it: `failed` is for errors of the protocol.
        _ => TaskPayload::Completed { result: object(result)? },
    };
    Some(DetailedTask::new(task(job, payload.status())?, payload))
}

fn task(job: &Value, status: TaskStatus) -> Option<Task> {
    let text = |name: &str| job[name].as_str();
    let created = text("createdAt")?;
    let updated = ["finishedAt", "startedAt"].into_iter().find_map(text).unwrap_or(created);
    let task = Task::new(text("id")?, status, created, updated).with_poll_interval_ms(POLL_MS);
    // Unlimited until the job has ended: the result is kept from then on.
    Some(match text("expiresAt").and_then(|expires| milliseconds(created, expires)) {
        Some(ttl) => task.with_ttl_ms(ttl),
        None => task,
    })
}

fn milliseconds(from: &str, to: &str) -> Option<u64> {
    let (from, to): (Timestamp, Timestamp) = (from.parse().ok()?, to.parse().ok()?);
    u64::try_from(to.as_millisecond() - from.as_millisecond()).ok()
}

fn object(result: &CallToolResult) -> Option<JsonObject> {
    match serde_json::to_value(result).ok()? {
        Value::Object(object) => Some(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    }
}
