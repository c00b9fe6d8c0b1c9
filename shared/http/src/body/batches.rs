//! Bodies about batches.

use docmill_domain::batch::{ArchiveFileView, BatchResultView, BatchView, RefusedItemView};
use docmill_domain::job::JobView;
use serde::Serialize;

/// One batch.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BatchResponse", description = ""))]
pub struct BatchBody {
    /// As it is now.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub batch: BatchView,
}

/// A page of the account's batches, newest first.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BatchesResponse", description = ""))]
pub struct BatchesBody {
    /// Those that the filter admits.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub batches: Vec<BatchView>,
    /// The `cursor` of the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of a batch's jobs, in the order of its items.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "BatchJobsResponse", description = ""))]
pub struct BatchJobsBody {
    /// Those that were created so far.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub jobs: Vec<JobView>,
    /// Items among those of this page that could not become jobs. Nothing was charged for them.
    pub refused: Vec<RefusedItemView>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A page of what became of a batch's items.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "BatchResultsResponse", description = "")
)]
pub struct BatchResultsBody {
    /// One for each item of the page.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub results: Vec<BatchResultView>,
    /// On the first page only.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveBody>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The archive of all results, if the request asks for one, on the first page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ArchiveBody {
    /// In the order of the items.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub files: Vec<ArchiveFileView>,
    /// Results that had expired or were deleted before the archive was made.
    pub left_out: u32,
}
