//! Bodies about jobs and their results.

use docmill_domain::job::{DownloadView, JobView};
use serde::Serialize;

/// One job.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "JobResponse", description = ""))]
pub struct JobBody {
    /// As it is now.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub job: JobView,
}

/// A page of the account's jobs, newest first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "JobsResponse", description = ""))]
pub struct JobsBody {
    /// Those that the filter admits.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub jobs: Vec<JobView>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A job that the request waited for, with links to its result if it completed in time.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WaitResponse", description = ""))]
pub struct WaitBody {
    /// As it is after the wait.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub job: JobView,
    /// A link to the result, if the job completed while the request waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub download: Option<DownloadView>,
    /// Links to all files, if there are several.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<Downloads>,
}

/// A completed job with links to its result: the primary one and each file, or only the file that the request names.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DownloadResponse", description = ""))]
pub struct DownloadBody {
    /// The completed job.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub job: JobView,
    /// The primary result, or the file that the request names.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub download: DownloadView,
    /// Links to all files, if there are several.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub downloads: Option<Downloads>,
}

/// The signed receipt of a job. Its schema is written by hand, since a statement may get further members.
#[derive(Debug, Serialize)]
pub struct ReceiptBody {
    /// The statement and its signature.
    pub receipt: serde_json::Value,
}

/// Links to each file of the result, 1,000 at most.
#[derive(Debug, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Downloads(pub Vec<DownloadView>);

impl From<DownloadBody> for WaitBody {
    fn from(DownloadBody { job, download, downloads }: DownloadBody) -> Self {
        Self { job, download: Some(download), downloads }
    }
}
