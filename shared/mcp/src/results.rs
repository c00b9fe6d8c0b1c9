//! The API's answers as results of tools.
//!
//! Errors are results, too, so that the model sees them and can act on them: the API's code, message and details, as JSON. They have no
//! structured content, since that would have to match the tool's output schema.

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Map, Value, json};

use crate::api::Answer;

/// What a job's result keeps of the job. The rest is what the caller sent, or stands with the files.
const JOB_MEMBERS: [&str; 13] = [
    "id",
    "status",
    "toolSlug",
    "testMode",
    "createdAt",
    "finishedAt",
    "expiresAt",
    "waitingFor",
    "credits",
    "report",
    "steps",
    "warnings",
    "error",
];
const FILE_MEMBERS: [&str; 5] = ["filename", "contentType", "bytes", "url", "expiresAt"];
/// What a list of tools keeps of each.
const TOOL_MEMBERS: [&str; 6] = ["slug", "name", "description", "category", "creditCost", "state"];

const NEXT: &str = "The job has not ended. Call get_job with its id to wait for it.";

/// An error that the model can act on.
pub(crate) fn error(message: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// The answer's members, or its error.
pub(crate) fn of_answer(answer: &Answer) -> CallToolResult {
    if is_error(answer) { refusal(answer) } else { structured(answer.body.clone(), Vec::new()) }
}

pub(crate) fn of_tools(answer: &Answer) -> CallToolResult {
    let Some(tools) = answer.body["tools"].as_array() else { return of_answer(answer) };
    let tools: Vec<_> = tools.iter().map(|tool| only(tool, &TOOL_MEMBERS)).collect();
    structured(json!({"tools": tools, "requestId": answer.body["requestId"]}), Vec::new())
}

/// The answer about a job: links to its files, what it waits for, or why there are none.
pub(crate) fn of_job(answer: &Answer) -> CallToolResult {
    let job = &answer.body["job"];
    match job["status"].as_str() {
        Some("failed" | "expired" | "deleted") => job_without_result(answer),
        // An ended job is no error to who asks for it, but to who wanted to cancel it.
        Some(_) if is_error(answer) && answer.body["error"]["code"] != "job_canceled" => refusal(answer),
        Some(status) => {
            let ended = matches!(status, "completed" | "canceled");
            let files = files(&answer.body);
            let links = files.iter().filter_map(link).collect();
            let mut members =
                json!({"job": only(job, &JOB_MEMBERS), "files": files, "requestId": answer.body["requestId"]});
            if !ended {
                members["next"] = json!(NEXT);
            }
            structured(members, links)
        }
        None => of_answer(answer),
    }
}

/// Adds where a file was saved.
pub(crate) fn saved(mut result: CallToolResult, path: &str) -> CallToolResult {
    let files = result.structured_content.as_mut().and_then(|content| content.get_mut("files"));
    if let Some(file) = files.and_then(|files| files.get_mut(0)) {
        file["savedTo"] = json!(path);
    }
    result.content.push(ContentBlock::text(format!("Saved to {path}")));
    result
}

/// The result's file.
pub(crate) fn primary(result: &CallToolResult) -> Option<&Value> {
    result.structured_content.as_ref()?["files"].get(0)
}

fn is_error(answer: &Answer) -> bool {
    answer.status >= 400
}

/// JSON as structured content and, for clients that don't read that, as text. The text leaves links out, which follow by
/// themselves.
fn structured(content: Value, links: Vec<ContentBlock>) -> CallToolResult {
    let mut text = content.clone();
    if let Some(files) = text["files"].as_array_mut() {
        files.iter_mut().filter_map(Value::as_object_mut).for_each(|file| _ = file.remove("url"));
    }
    let mut result =
        CallToolResult::success(std::iter::once(ContentBlock::text(text.to_string())).chain(links).collect());
    result.structured_content = Some(content);
    result
}

/// The API's error.
fn refusal(answer: &Answer) -> CallToolResult {
    let mut members = Map::new();
    for name in ["error", "requestId"] {
        members.insert(name.into(), answer.body[name].clone());
    }
    if let Some(seconds) = answer.retry_after_seconds {
        members.insert("retryAfterSeconds".into(), json!(seconds));
    }
    if answer.body["job"].is_object() {
        members.insert("job".into(), only(&answer.body["job"], &JOB_MEMBERS));
    }
    error(Value::Object(members).to_string())
}

fn job_without_result(answer: &Answer) -> CallToolResult {
    if is_error(answer) {
        return refusal(answer);
    }
    let job = &answer.body["job"];
    let reason = job["error"].as_object().cloned().map(Value::Object);
    let reason = reason.unwrap_or_else(
        || json!({"code": "output_expired", "message": "The result is no longer kept. Run the tool again."}),
    );
    let members = json!({"error": reason, "job": only(job, &JOB_MEMBERS), "requestId": answer.body["requestId"]});
    error(members.to_string())
}

/// The result first, then what it consists of, if that is something else.
fn files(body: &Value) -> Vec<Value> {
    let each = body["downloads"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parts = if each.len() > 1 { each } else { &[] };
    body["download"]
        .as_object()
        .map(|_| &body["download"])
        .into_iter()
        .chain(parts)
        .map(|file| only(file, &FILE_MEMBERS))
        .collect()
}

fn link(file: &Value) -> Option<ContentBlock> {
    let resource = Resource::new(file["url"].as_str()?, file["filename"].as_str()?);
    let resource = resource.with_mime_type(file["contentType"].as_str()?).with_size(file["bytes"].as_u64()?);
    Some(ContentBlock::resource_link(resource))
}

/// These members of an object, as far as it has them.
fn only(object: &Value, names: &[&str]) -> Value {
    names.iter().filter_map(|name| Some(((*name).to_owned(), object.get(*name)?.clone()))).collect::<Map<_, _>>().into()
}
