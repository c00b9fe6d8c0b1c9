//! What an assistant may put into its context without a call: the tools' descriptions, and results that are text.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use serde_json::{Value, json};

use crate::api::{Answer, Api, Request};
use crate::arguments::in_path;
use crate::outline;
use crate::reading;

const TOOLS: &str = "docmill://tools/";
const JOBS: &str = "docmill://jobs/";
const FILES: &str = "/files/";
/// A longer text is read piece by piece. An answer of a Lambda function may have 6 MB.
const MOST_BYTES: u64 = 1_000_000;

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
enum Address {
    Tool(String),
    Result { job: String, file: usize },
}

impl Address {
    fn parse(uri: &str) -> Option<Self> {
        if let Some(tool) = uri.strip_prefix(TOOLS) {
            return in_path("tool", tool.to_owned()).ok().map(Self::Tool);
        }
        let (job, file) = uri.strip_prefix(JOBS)?.split_once(FILES)?;
        Some(Self::Result { job: in_path("jobId", job.to_owned()).ok()?, file: file.parse().ok()? })
    }
}

/// The tools that the key may run, one resource each. Results are not listed: a template says how they are named.
pub(crate) async fn list<A: Api>(api: &A, ttl_ms: u64) -> Result<ListResourcesResult, ErrorData> {
    let answer = answered(api, Request::ListTools).await?;
    let tools = answer.body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let resources = tools.iter().filter_map(of_tool).collect();
    // A key may be restricted to some tools.
    Ok(ListResourcesResult::with_all_items(resources).with_ttl_ms(ttl_ms).with_cache_scope(CacheScope::Private))
}

fn of_tool(tool: &Value) -> Option<Resource> {
    let (slug, name) = (tool["slug"].as_str()?, tool["name"].as_str()?);
    let resource = Resource::new(format!("{TOOLS}{slug}"), slug).with_title(name).with_mime_type("application/json");
    Some(resource.with_description(tool["description"].as_str()?))
}

pub(crate) fn templates(ttl_ms: u64) -> ListResourceTemplatesResult {
    let tool = ResourceTemplate::new(format!("{TOOLS}{{tool}}"), "tool")
        .with_title("A document tool")
        .with_description("What the tool takes and makes, and its options.")
        .with_mime_type("application/json");
    let result = ResourceTemplate::new(format!("{JOBS}{{jobId}}{FILES}{{file}}"), "result")
        .with_title("A text result")
        .with_description("A result of a completed job that is text, up to 1 MB. The first file is 0.");
    ListResourceTemplatesResult::with_all_items(vec![tool, result])
        .with_ttl_ms(ttl_ms)
        .with_cache_scope(CacheScope::Public)
}

/// The description of a tool as JSON, or the whole text of a result.
pub(crate) async fn read<A: Api>(api: &A, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let address = Address::parse(uri).ok_or_else(|| not_found(uri))?;
    let content = match address {
        Address::Tool(tool) => {
            let answer = answered(api, Request::GetToolSchema { tool }).await?;
            let described =
                outline::of_tool(&answer.body, None).map_err(|message| ErrorData::internal_error(message, None))?;
            ResourceContents::text(described.to_string(), uri).with_mime_type("application/json")
        }
        Address::Result { job, file } => {
            let piece = reading::piece(api, &job, file, 0, MOST_BYTES).await.map_err(|answer| refused(&answer))?;
            if piece.next.is_some() {
                let message =
                    format!("The text has {} bytes. Read it piece by piece with the tool read_result.", piece.bytes);
                return Err(ErrorData::invalid_params(message, Some(json!({"jobId": job, "file": file}))));
            }
            ResourceContents::text(piece.text, uri)
        }
    };
    Ok(ReadResourceResult::new(vec![content]))
}

fn not_found(uri: &str) -> ErrorData {
    let message = format!("There is no such resource. Addresses are {TOOLS}TOOL and {JOBS}JOB{FILES}0.");
    ErrorData::resource_not_found(message, Some(json!({"uri": uri})))
}

async fn answered<A: Api>(api: &A, request: Request) -> Result<Answer, ErrorData> {
    let answer = api.send(request).await.map_err(|unreachable| ErrorData::internal_error(unreachable.0, None))?;
    if answer.status >= 400 { Err(refused(&answer)) } else { Ok(answer) }
}

/// The API's error as one of the protocol.
fn refused(answer: &Answer) -> ErrorData {
    let error = &answer.body["error"];
    let message = error["message"].as_str().unwrap_or("The resource could not be read.").to_owned();
    let data = Some(json!({"code": error["code"], "requestId": answer.body["requestId"]}));
    match answer.status {
        404 => ErrorData::resource_not_found(message, data),
        400..500 => ErrorData::invalid_params(message, data),
        _ => ErrorData::internal_error(message, data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_tools_and_files_are_read() {
        assert_eq!(Address::parse("docmill://tools/merge-pdf"), Some(Address::Tool("merge-pdf".into())));
        let result = Address::Result { job: "01a".into(), file: 2 };
        assert_eq!(Address::parse("docmill://jobs/01a/files/2"), Some(result));
        for wrong in [
            "docmill://tools/",
            "docmill://tools/../jobs",
            "docmill://jobs/01a",
            "docmill://jobs/01a/files/x",
            "docmill://jobs/01a?x/files/0",
            "file:///etc/passwd",
            "",
        ] {
            assert_eq!(Address::parse(wrong), None, "{wrong}");
        }
    }
}
