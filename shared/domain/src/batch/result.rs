//! What became of a batch's items, as its owner reads it.

use std::fmt;

use serde::Serialize;

use super::refusal::Refusal;
use crate::job::{DownloadView, JobId, JobStatus};
use crate::link::SentLink;
use crate::time::SentTime;

/// What became of an item.
// The documentation of the members is that of the API.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BatchResult"))]
pub struct BatchResultView {
    /// The place of the item in the batch, from 0.
    pub index: u32,
    /// The job's id; absent if the item could not become a job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// Of the job. An item without a job is `queued`, or `failed` if none can be created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: JobStatus,
    /// The name of the primary result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The media type of the primary result.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Size of the primary result.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Of the primary result, in lower-case hexadecimal.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Downloads the primary result. It is a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<SentLink>,
    /// When the link ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<SentTime>,
    /// Why the job failed, or could not be created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What to do about it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// Names of files are the account's data: never log them.
impl fmt::Debug for BatchResultView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchResultView")
            .field("index", &self.index)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl BatchResultView {
    /// An item without a result or an error.
    pub const fn new(index: u32, status: JobStatus) -> Self {
        Self {
            index,
            job_id: None,
            status,
            filename: None,
            content_type: None,
            bytes: None,
            sha256: None,
            url: None,
            expires_at: None,
            error_code: None,
            error_message: None,
        }
    }

    /// The same with the job's primary result.
    #[must_use]
    pub fn with_result(self, result: DownloadView) -> Self {
        let DownloadView { url, expires_at, filename, content_type, bytes, sha256, index: _ } = result;
        Self {
            filename: Some(filename),
            content_type: Some(content_type),
            bytes: Some(bytes),
            sha256: Some(sha256),
            url: Some(url),
            expires_at: Some(expires_at),
            ..self
        }
    }

    /// The same with the reason why there is no result.
    #[must_use]
    pub fn with_error(self, code: &str, message: &str) -> Self {
        Self { error_code: Some(code.to_owned()), error_message: Some(message.to_owned()), ..self }
    }
}

/// A ZIP with results, 500 MiB at most unless it has a single one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ArchiveFile"))]
pub struct ArchiveFileView {
    /// What the ZIP is saved as.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub filename: String,
    /// Size of the ZIP.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub bytes: u64,
    /// How many results it has.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub results: u32,
    /// Downloads the ZIP. It is a secret.
    pub url: SentLink,
    /// When the link ends.
    pub expires_at: SentTime,
}

/// An item that could not become a job, as its owner reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RefusedItem", description = ""))]
pub struct RefusedItemView {
    /// The place of the item in the batch, from 0.
    pub index: u32,
    /// Why no job was created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub error: Refusal,
}
