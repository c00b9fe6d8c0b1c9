//! Links to results as their owner reads them.

use std::fmt;

use serde::Serialize;

use super::result::Output;
use crate::link::SentLink;
use crate::time::SentTime;

/// A file of a result.
// The documentation of the members is that of the API.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Download", description = ""))]
pub struct DownloadView {
    /// A signed link. Fetch it with GET and without a key. Keep it secret.
    pub url: SentLink,
    /// When the link stops working.
    pub expires_at: SentTime,
    /// What the file is saved as.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub filename: String,
    /// Its media type.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub content_type: String,
    /// Its size.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub bytes: u64,
    /// Lower-case hexadecimal.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub sha256: String,
    /// In a list: which file, as in `job.outputs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

/// Names of files are the account's data: never log them.
impl fmt::Debug for DownloadView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DownloadView").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl DownloadView {
    /// The only file, or one of a list at this index.
    pub fn of(output: &Output, url: &str, expires_at: SentTime, index: Option<usize>) -> Self {
        Self {
            url: SentLink(url.to_owned()),
            expires_at,
            filename: output.filename.clone(),
            content_type: output.content_type.clone(),
            bytes: output.bytes,
            sha256: output.sha256.clone(),
            index,
        }
    }
}
