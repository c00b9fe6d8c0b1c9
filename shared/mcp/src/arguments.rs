//! The tools' arguments, and the API's requests that they mean.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::api::Request;

/// The API's longest wait.
pub(crate) const LONGEST_WAIT_SECONDS: u64 = 25;
pub(crate) const USUAL_WAIT_SECONDS: u64 = 20;

/// Arguments of a tool, or what is wrong with them, for the model.
pub(crate) fn parse<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, String> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| format!("The arguments do not match the tool's input schema: {error}."))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTools {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DescribeTool {
    tool: String,
    pub(crate) option: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ReadResult {
    pub(crate) job_id: String,
    #[serde(default)]
    pub(crate) file: usize,
    #[serde(default)]
    pub(crate) offset: u64,
    pub(crate) search: Option<String>,
}

impl DescribeTool {
    pub(crate) fn request(self) -> Result<Request, String> {
        // Only a part of the answer, which is chosen later.
        Ok(Request::GetToolSchema { tool: in_path("tool", self.tool)? })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunTool {
    tool: String,
    pub(crate) input: Map<String, Value>,
    options: Option<Value>,
    then: Option<Value>,
    output: Option<Value>,
    #[serde(default = "usual_wait")]
    wait_seconds: u64,
    idempotency_key: Option<String>,
    pub(crate) save_to: Option<String>,
}

impl RunTool {
    /// Breaches in the API's answer have the same paths as in the arguments.
    pub(crate) fn request(self) -> Result<Request, String> {
        let mut body = Map::from_iter([("toolSlug".into(), json!(self.tool)), ("input".into(), self.input.into())]);
        let others = [("options", self.options), ("then", self.then), ("output", self.output)];
        body.extend(others.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let wait_seconds = Some(seconds(self.wait_seconds)?).filter(|seconds| *seconds > 0);
        Ok(Request::CreateJob { body, wait_seconds, idempotency_key: self.idempotency_key })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GetJob {
    job_id: String,
    #[serde(default = "usual_wait")]
    wait_seconds: u64,
    pub(crate) save_to: Option<String>,
}

impl GetJob {
    pub(crate) fn request(self) -> Result<Request, String> {
        let job = in_path("jobId", self.job_id)?;
        Ok(match seconds(self.wait_seconds)? {
            0 => Request::GetDownload { job },
            wait_seconds => Request::GetJob { job, wait_seconds },
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CancelJob {
    job_id: String,
}

impl CancelJob {
    pub(crate) fn request(self) -> Result<Request, String> {
        Ok(Request::CancelJob { job: in_path("jobId", self.job_id)? })
    }
}

const fn usual_wait() -> u64 {
    USUAL_WAIT_SECONDS
}

fn seconds(seconds: u64) -> Result<u64, String> {
    let expected = || format!("`waitSeconds` must be from 0 to {LONGEST_WAIT_SECONDS}.");
    Some(seconds).filter(|seconds| *seconds <= LONGEST_WAIT_SECONDS).ok_or_else(expected)
}

/// Text that stays one segment of a path, whatever follows.
pub(crate) fn in_path(name: &str, text: String) -> Result<String, String> {
    let is_safe = !text.is_empty() && text.chars().all(|next| next.is_ascii_alphanumeric() || "-_".contains(next));
    if is_safe { Ok(text) } else { Err(format!("`{name}` must consist of letters, digits, - and _.")) }
}
