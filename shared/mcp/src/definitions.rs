//! The tools' definitions: titles, descriptions, schemas and hints.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use crate::schemas;
use crate::tool_name::ToolName;

/// The tool as an assistant sees it.
pub(crate) fn definition(tool: ToolName, has_files: bool) -> Tool {
    let (title, description) = texts(tool);
    let shown = Tool::new(tool.as_str(), description, object(schemas::input(tool, has_files)));
    let shown = shown.with_title(title).with_annotations(annotations(tool));
    match schemas::output(tool) {
        Some(schema) => shown.with_raw_output_schema(object(schema)),
        None => shown,
    }
}

const fn texts(tool: ToolName) -> (&'static str, &'static str) {
    match tool {
        ToolName::ListTools => (
            "List document tools",
            "Lists the document tools that you can run (convert, merge, split, compress, OCR, redact and more), each with a \
             description and its price in credits.",
        ),
        ToolName::DescribeTool => (
            "Describe a document tool",
            "Returns the JSON Schema of a tool's input and options, its limits, and the format of its result. Read it before \
             you use options.",
        ),
        ToolName::RunTool => (
            "Run a document tool",
            "Runs a tool on documents, and waits for its result: links to the resulting files, valid for ten minutes. If it \
             takes longer than `waitSeconds`, you get the job instead: call get_job until it has ended. A failed job costs \
             nothing.",
        ),
        ToolName::GetJob => (
            "Get a job",
            "Waits until a job has ended, at most `waitSeconds`, and returns its status and fresh links to its files. Results \
             are kept for a day.",
        ),
        ToolName::CancelJob => ("Cancel a job", "Cancels a job that has not ended. Its credits come back."),
        ToolName::CreateUpload => (
            "Create an upload link",
            "Returns a link for uploading one file: send the bytes with the `method` and all `headers` of the answer to its \
             `url`, then use the `id` as `uploadId` in run_tool. Only needed for files that have no URL.",
        ),
    }
}

fn annotations(tool: ToolName) -> ToolAnnotations {
    let annotations = ToolAnnotations::new();
    match tool {
        ToolName::ListTools | ToolName::DescribeTool | ToolName::GetJob => {
            annotations.read_only(true).open_world(false)
        }
        // Documents come from anywhere, and none of them is changed.
        ToolName::RunTool => annotations.read_only(false).destructive(false).open_world(true),
        ToolName::CancelJob => annotations.read_only(false).destructive(true).idempotent(true).open_world(false),
        ToolName::CreateUpload => annotations.read_only(false).destructive(false).open_world(false),
    }
}

fn object(schema: Value) -> Arc<rmcp::model::JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        // Schemas are literals; a test reads each.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Arc::default(),
    }
}
