//! What a job yields: files, a report, and how they came about.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Warning;

/// One stored file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    pub format: String,
    pub content_type: String,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pages: Option<u32>,
    /// In pixels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub height: Option<u32>,
    /// Lower-case hexadecimal. This and the file name are empty once the job is deleted.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub sha256: String,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub filename: String,
}

impl Output {
    /// What remains of a deleted job's output: how large it was.
    pub fn size_alone(&self) -> Self {
        Self { sha256: String::new(), filename: String::new(), ..self.clone() }
    }
}

/// What a job yields beside its primary result. Where it is too large for the job's item, it lies in the bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Every file, in order. With one file, it is the primary result itself.
    #[serde(default)]
    pub outputs: Vec<Output>,
    /// What the last tool reports about its work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report: Option<Value>,
}

/// Larger results go to the bucket: no item grows with what users send.
pub const MAX_INLINE_RESULTS_BYTES: usize = 4 << 10;

/// Where a job's results are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredResults {
    /// In the job's item.
    Inline(Results),
    /// As JSON beside the files themselves. `files`: how many there are.
    Manifest { files: usize },
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

/// One step of a job that has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRun {
    pub tool_slug: String,
    pub engine: EngineInfo,
    pub duration_ms: u64,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    pub name: String,
    pub version: String,
}
