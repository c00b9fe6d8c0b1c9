//! The tools of the server. Few, so that they leave an assistant room for its task.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::Value;

use crate::schemas;

/// A tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    ListTools,
    DescribeTool,
    RunTool,
    GetJob,
    CancelJob,
    CreateUpload,
}

impl ToolName {
    pub const ALL: [Self; 6] =
        [Self::ListTools, Self::DescribeTool, Self::RunTool, Self::GetJob, Self::CancelJob, Self::CreateUpload];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListTools => "list_tools",
            Self::DescribeTool => "describe_tool",
            Self::RunTool => "run_tool",
            Self::GetJob => "get_job",
            Self::CancelJob => "cancel_job",
            Self::CreateUpload => "create_upload",
        }
    }

    /// `None` if there is no such tool.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    /// Whether a call counts against the rate limit of creating, not of reading.
    pub const fn creates(self) -> bool {
        match self {
            Self::RunTool | Self::CreateUpload => true,
            Self::ListTools | Self::DescribeTool | Self::GetJob | Self::CancelJob => false,
        }
    }

    /// Whether a server has this tool. One with files of its own uploads them itself.
    pub(crate) const fn is_offered(self, has_files: bool) -> bool {
        match self {
            Self::CreateUpload => !has_files,
            Self::ListTools | Self::DescribeTool | Self::RunTool | Self::GetJob | Self::CancelJob => true,
        }
    }

    pub(crate) fn definition(self, has_files: bool) -> Tool {
        let (title, description) = self.texts();
        let tool = Tool::new(self.as_str(), description, object(schemas::input(self, has_files)));
        let tool = tool.with_title(title).with_annotations(self.annotations());
        match schemas::output(self) {
            Some(schema) => tool.with_raw_output_schema(object(schema)),
            None => tool,
        }
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::ListTools => (
                "List document tools",
                "Lists the document tools that you can run (convert, merge, split, compress, OCR, redact and more), each with a \
                 description and its price in credits.",
            ),
            Self::DescribeTool => (
                "Describe a document tool",
                "Returns the JSON Schema of a tool's input and options, its limits, and the format of its result. Read it before \
                 you use options.",
            ),
            Self::RunTool => (
                "Run a document tool",
                "Runs a tool on documents, and waits for its result: links to the resulting files, valid for ten minutes. If it \
                 takes longer than `waitSeconds`, you get the job instead: call get_job until it has ended. A failed job costs \
                 nothing.",
            ),
            Self::GetJob => (
                "Get a job",
                "Waits until a job has ended, at most `waitSeconds`, and returns its status and fresh links to its files. Results \
                 are kept for a day.",
            ),
            Self::CancelJob => ("Cancel a job", "Cancels a job that has not ended. Its credits come back."),
            Self::CreateUpload => (
                "Create an upload link",
                "Returns a link for uploading one file: send the bytes with the `method` and all `headers` of the answer to its \
                 `url`, then use the `id` as `uploadId` in run_tool. Only needed for files that have no URL.",
            ),
        }
    }

    fn annotations(self) -> ToolAnnotations {
        let annotations = ToolAnnotations::new();
        match self {
            Self::ListTools | Self::DescribeTool | Self::GetJob => annotations.read_only(true).open_world(false),
            // Documents come from anywhere, and none of them is changed.
            Self::RunTool => annotations.read_only(false).destructive(false).open_world(true),
            Self::CancelJob => annotations.read_only(false).destructive(true).idempotent(true).open_world(false),
            Self::CreateUpload => annotations.read_only(false).destructive(false).open_world(false),
        }
    }
}

fn object(schema: Value) -> Arc<rmcp::model::JsonObject> {
    match schema {
        Value::Object(object) => Arc::new(object),
        // Schemas are literals; a test reads each.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Arc::default(),
    }
}
