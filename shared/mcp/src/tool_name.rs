//! The tools of the server. Few, so that they leave an assistant room for its task.

/// A tool of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolName {
    /// Lists the API's tools.
    ListTools,
    /// Says what a tool takes.
    DescribeTool,
    /// Creates a job, and waits for it.
    RunTool,
    /// Shows a job with links to its result.
    GetJob,
    /// Reads a text that a job made.
    ReadResult,
    /// Ends a job.
    CancelJob,
    /// Makes a link to send a file to.
    CreateUpload,
}

impl ToolName {
    /// In the order in which assistants see them.
    pub const ALL: [Self; 7] = [
        Self::ListTools,
        Self::DescribeTool,
        Self::RunTool,
        Self::GetJob,
        Self::ReadResult,
        Self::CancelJob,
        Self::CreateUpload,
    ];

    /// As assistants call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ListTools => "list_tools",
            Self::DescribeTool => "describe_tool",
            Self::RunTool => "run_tool",
            Self::GetJob => "get_job",
            Self::ReadResult => "read_result",
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
            Self::ListTools | Self::DescribeTool | Self::GetJob | Self::ReadResult | Self::CancelJob => false,
        }
    }

    /// Whether a server has this tool. One with files of its own uploads them itself.
    pub(crate) const fn is_offered(self, has_files: bool) -> bool {
        match self {
            Self::CreateUpload => !has_files,
            Self::ListTools
            | Self::DescribeTool
            | Self::RunTool
            | Self::GetJob
            | Self::ReadResult
            | Self::CancelJob => true,
        }
    }
}
