//! A job's result: files, a report, and how they were made.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Timings, Traces, Warning};
use crate::time::Timestamp;

/// The result of a completed job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Output {
    /// The extension of its format, such as `pdf`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub format: String,
    /// Its media type.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub content_type: String,
    /// Its size.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub bytes: u64,
    /// Pages of a document. Absent for other files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pages: Option<u32>,
    /// Of a picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width: Option<u32>,
    /// Of a picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub height: Option<u32>,
    /// Lower-case hexadecimal. Absent once the job is deleted.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub sha256: String,
    /// Absent once the job is deleted.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub filename: String,
}

impl Output {
    /// The output of a deleted job, reduced to its size.
    pub fn size_alone(&self) -> Self {
        Self { sha256: String::new(), filename: String::new(), ..self.clone() }
    }
}

/// A job's results beside the primary one. If they are too large for the job's item, they are in the bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// All files in order. If there is only one, it is the primary result.
    #[serde(default)]
    pub outputs: Vec<Output>,
    /// The last tool's report.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report: Option<Value>,
}

/// Larger results go to the bucket to keep items small.
pub const MAX_INLINE_RESULTS_BYTES: usize = 4 << 10;

/// Where a job's results are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredResults {
    /// In the job's item.
    Inline(Results),
    /// As JSON next to the files. `files` is their number.
    Manifest {
        /// How many files the result has.
        files: usize,
    },
}

impl StoredResults {
    /// How many files there are besides the primary result.
    pub fn files(&self) -> usize {
        match self {
            Self::Inline(results) => results.outputs.len(),
            Self::Manifest { files } => *files,
        }
    }
}

/// A tool that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Step"))]
pub struct StepRun {
    /// The tool's slug.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub tool_slug: String,
    /// The program that did the work.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub engine: EngineInfo,
    /// In milliseconds.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub duration_ms: u64,
    /// The tool's own. The job's are those of all tools.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
    /// As the job's, of a step before the last, unless it is large.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    pub report: Option<Value>,
}

/// The program that made the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Engine"))]
pub struct EngineInfo {
    /// Of an [`EngineKind`](crate::tool::EngineKind).
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub name: String,
    /// The program's own version.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub version: String,
}

/// The result of a completed job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The primary result.
    pub output: Output,
    /// Its key in the files bucket.
    pub output_key: String,
    /// All files and the report, or where they are described.
    pub results: Option<StoredResults>,
    /// The tools that ran; empty if there was one.
    pub steps: Vec<StepRun>,
    /// The program that ran the first tool.
    pub engine: EngineInfo,
    /// Of the attempt that completed the job.
    pub timings: Timings,
    /// How the result differs from its sources.
    pub warnings: Vec<Warning>,
    /// What the receipt needs.
    #[serde(default)]
    pub traces: Traces,
    /// When the result was stored, and delivered if that was asked for.
    pub finished_at: Timestamp,
    /// The result can be downloaded until then.
    pub expires_at: Timestamp,
}
