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
    shown.with_title(title).with_annotations(annotations(tool))
}

const fn texts(tool: ToolName) -> (&'static str, &'static str) {
    match tool {
        ToolName::ListTools => (
            "List document tools",
            "Lists the document tools (convert, merge, split, OCR, redact, extract and more) with their prices in credits.",
        ),
        ToolName::DescribeTool => (
            "Describe a document tool",
            "What a tool takes and makes, and its options. Read it before you use options.",
        ),
        ToolName::RunTool => (
            "Run a document tool",
            "Runs a tool on documents and waits for its result: short text (Markdown, JSON, CSV) itself, other files as links \
             that work for ten minutes. After `waitSeconds` you get the job instead: call get_job until it has ended. A failed \
             job costs nothing.",
        ),
        ToolName::GetJob => (
            "Get a job",
            "Waits until a job has ended and returns its status, and its result like run_tool. Results are kept for a day.",
        ),
        ToolName::ReadResult => (
            "Read a text result",
            "Returns a piece of a text result (50 KB) from `offset` on, or the lines with the text `search`.",
        ),
        ToolName::CancelJob => ("Cancel a job", "Cancels a job that has not ended. Its credits come back."),
        ToolName::CreateUpload => (
            "Create an upload link",
            "For a file without a URL: returns a link to send its bytes to, with the given `method` and `headers`. Then use the \
             `id` as `uploadId`.",
        ),
    }
}

fn annotations(tool: ToolName) -> ToolAnnotations {
    let annotations = ToolAnnotations::new();
    match tool {
        ToolName::ListTools | ToolName::DescribeTool | ToolName::GetJob | ToolName::ReadResult => {
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
