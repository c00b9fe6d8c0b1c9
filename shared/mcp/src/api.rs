//! What the tools need of the `/v1` API, whatever carries it.

use std::fmt;

use serde_json::{Map, Value, json};

/// A way to reach the API: with a key over HTTP, or as an admitted caller within a function.
pub trait Api: Send + Sync + 'static {
    /// Sends one request. An error response is an answer too.
    fn send(&self, request: Request) -> impl Future<Output = Result<Answer, Unreachable>> + Send;
}

/// One request to the API. Ids and slugs are safe in a path. `Debug` shows no content.
pub enum Request {
    /// The tools that the key may use.
    ListTools,
    /// What jobs of a tool are made of.
    GetToolSchema {
        /// The tool's slug.
        tool: String,
    },
    /// A new job.
    CreateJob {
        /// The request, with its `toolSlug`.
        body: Map<String, Value>,
        /// How long the answer may wait for the end.
        wait_seconds: Option<u64>,
        /// Makes a repeated request the same.
        idempotency_key: Option<String>,
    },
    /// A job, now or once it has ended.
    GetJob {
        /// The job's id.
        job: String,
        /// How long the answer may wait for the end: at least 1.
        wait_seconds: u64,
    },
    /// Links to the result of a job.
    GetDownload {
        /// The job's id.
        job: String,
    },
    /// A piece of a result's file as text: answered by [`crate::reading::body_of_piece`].
    ReadResult {
        /// The job's id.
        job: String,
        /// Which file of the result, from 0.
        file: usize,
        /// The first byte.
        from: u64,
        /// How many bytes at most.
        most: u64,
    },
    /// The end of a job that has not ended.
    CancelJob {
        /// The job's id.
        job: String,
    },
    /// A link to send a file to.
    CreateUpload {
        /// What the file is.
        body: Map<String, Value>,
    },
}

impl Request {
    /// Method, path and query.
    pub fn target(&self) -> (&'static str, String) {
        match self {
            Self::ListTools => ("GET", "/v1/tools".into()),
            Self::GetToolSchema { tool } => ("GET", format!("/v1/tools/{tool}/schema")),
            Self::CreateJob { wait_seconds: None, .. } => ("POST", "/v1/jobs".into()),
            Self::CreateJob { wait_seconds: Some(seconds), .. } => ("POST", format!("/v1/jobs?wait={seconds}")),
            Self::GetJob { job, wait_seconds } => ("GET", format!("/v1/jobs/{job}?wait={wait_seconds}")),
            Self::GetDownload { job } => ("GET", format!("/v1/jobs/{job}/download")),
            // Over HTTP, the link of the answer leads to the bytes.
            Self::ReadResult { job, file, .. } => ("GET", format!("/v1/jobs/{job}/download?output={file}")),
            Self::CancelJob { job } => ("POST", format!("/v1/jobs/{job}/cancel")),
            Self::CreateUpload { .. } => ("POST", "/v1/uploads".into()),
        }
    }

    /// The JSON body, if there is one.
    pub const fn body(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::CreateJob { body, .. } | Self::CreateUpload { body } => Some(body),
            Self::ListTools
            | Self::GetToolSchema { .. }
            | Self::GetJob { .. }
            | Self::GetDownload { .. }
            | Self::ReadResult { .. }
            | Self::CancelJob { .. } => None,
        }
    }

    /// The value of the header `Idempotency-Key`.
    pub fn idempotency_key(&self) -> Option<&str> {
        match self {
            Self::CreateJob { idempotency_key, .. } => idempotency_key.as_deref(),
            Self::ListTools
            | Self::GetToolSchema { .. }
            | Self::GetJob { .. }
            | Self::GetDownload { .. }
            | Self::ReadResult { .. }
            | Self::CancelJob { .. }
            | Self::CreateUpload { .. } => None,
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (method, target) = self.target();
        write!(f, "{method} {target}")
    }
}

/// The API's response.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON body with its envelope: `ok`, `requestId`, and the result or the error.
    pub body: Value,
    /// Of the header `Retry-After`.
    pub retry_after_seconds: Option<u64>,
}

impl Answer {
    /// Stands for the answer that did not come.
    pub(crate) fn unreachable(why: &Unreachable) -> Self {
        let error = json!({"code": "unavailable", "message": why.0});
        Self { status: 503, body: json!({"error": error}), retry_after_seconds: None }
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("status", &self.status).finish_non_exhaustive()
    }
}

/// Why there is no answer, for the user of the tools.
#[derive(Debug)]
pub struct Unreachable(pub String);
