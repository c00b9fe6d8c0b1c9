//! The API's answers as results of tools.
//!
//! Everything is there once, as text: a structured copy would cost an assistant the same tokens again. Errors are results, too, so that
//! the model sees them and can act on them: the API's code, message and details, as JSON.

use docmill_findings::findings_of;
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Map, Value, json};

use crate::api::Answer;
use crate::outline;
use crate::reading::Piece;

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

const NEXT: &str =
    "The job has not ended. Call get_job with its id to wait for it, and with saveTo if its result is to be saved.";

/// An error that the model can act on.
pub(crate) fn error(message: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(message)])
}

/// The answer's members, or its error.
pub(crate) fn of_answer(answer: &Answer) -> CallToolResult {
    if is_error(answer) { refusal(answer) } else { told(answer.body.clone(), Vec::new()) }
}

pub(crate) fn of_tools(answer: &Answer) -> CallToolResult {
    let Some(tools) = answer.body["tools"].as_array() else { return of_answer(answer) };
    let tools: Vec<_> = tools.iter().map(|tool| only(tool, &TOOL_MEMBERS)).collect();
    told(json!({"tools": tools}), Vec::new())
}

/// The answer about a job: links to its files, what it waits for, or why there are none.
pub(crate) fn of_job(answer: &Answer) -> CallToolResult {
    let job = &answer.body["job"];
    match job["status"].as_str() {
        Some("failed" | "expired" | "deleted") => job_without_result(answer),
        // An ended job is no error to who asks for it, but to who wanted to cancel it.
        Some(_) if is_error(answer) && answer.body["error"]["code"] != "job_canceled" => refusal(answer),
        Some(status) => {
            let files = files(&answer.body);
            let mut members = members(answer, &files);
            if !matches!(status, "completed" | "canceled") {
                members["next"] = json!(NEXT);
            }
            told(members, files.iter().filter_map(link).collect())
        }
        None => of_answer(answer),
    }
}

fn members(answer: &Answer, files: &[Value]) -> Value {
    let job = &answer.body["job"];
    let mut members = json!({"job": only(job, &JOB_MEMBERS), "files": files, "requestId": answer.body["requestId"]});
    let found = findings_of(job);
    if !found.is_empty() {
        members["found"] = json!(found);
    }
    members
}

/// A tool as it is called.
pub(crate) fn of_description(answer: &Answer, option: Option<&str>) -> CallToolResult {
    if is_error(answer) {
        return refusal(answer);
    }
    match outline::of_tool(&answer.body, option) {
        Ok(tool) => told(tool, Vec::new()),
        Err(message) => error(message),
    }
}

/// The job whose result is in the answer itself, or begins there.
pub(crate) fn of_read(answer: &Answer, piece: &Piece) -> CallToolResult {
    let files = files(&answer.body);
    let mut members = members(answer, &files);
    let mut blocks = vec![ContentBlock::text(piece.text.clone())];
    if let Some(next) = piece.next {
        members["next"] =
            json!(format!("This is the beginning of {} bytes. read_result with offset {next} goes on.", piece.bytes));
        blocks.extend(files.iter().filter_map(link));
    }
    told(members, blocks)
}

/// A piece of a result.
pub(crate) fn of_piece(piece: Piece) -> CallToolResult {
    let place = match piece.next {
        Some(next) => json!({"bytes": piece.bytes, "next": next}),
        None => json!({"bytes": piece.bytes}),
    };
    told(place, vec![ContentBlock::text(piece.text)])
}

pub(crate) fn of_search(found: Value) -> CallToolResult {
    told(found, Vec::new())
}

/// The job whose result was saved. It needs no link.
pub(crate) fn of_saved(answer: &Answer, path: &str) -> CallToolResult {
    let mut files = files(&answer.body);
    if let Some(file) = files.first_mut() {
        file["savedTo"] = json!(path);
    }
    told(members(answer, &files), Vec::new())
}

/// The job whose result could not be saved.
pub(crate) fn of_unsaved(answer: &Answer, message: &str) -> CallToolResult {
    let next = "The result is kept. Call get_job with its id and another saveTo.";
    let job = only(&answer.body["job"], &JOB_MEMBERS);
    error(json!({"error": {"message": message}, "job": job, "next": next}).to_string())
}

/// The files of a completed job.
pub(crate) fn files_of(answer: &Answer) -> Vec<Value> {
    let is_completed = answer.body["job"]["status"] == "completed" && !is_error(answer);
    if is_completed { files(&answer.body) } else { Vec::new() }
}

fn is_error(answer: &Answer) -> bool {
    answer.status >= 400
}

/// JSON as text, and what follows it. Links are not in the text, because they follow by themselves.
fn told(mut content: Value, blocks: Vec<ContentBlock>) -> CallToolResult {
    if let Some(files) = content.get_mut("files").and_then(Value::as_array_mut) {
        files.iter_mut().filter_map(Value::as_object_mut).for_each(|file| _ = file.remove("url"));
    }
    CallToolResult::success(std::iter::once(ContentBlock::text(content.to_string())).chain(blocks).collect())
}

/// The API's error.
pub(crate) fn refusal(answer: &Answer) -> CallToolResult {
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
