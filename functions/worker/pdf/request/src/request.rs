//! Requests and results of tools.

use std::path::PathBuf;

use docmill_domain::time::Timestamp;
use docmill_formats::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Tool;

/// One run of one tool.
#[derive(Clone, Serialize, Deserialize)]
pub struct Request {
    /// Which one.
    pub tool: Tool,
    /// In the order given by the client.
    pub sources: Vec<Source>,
    /// The tool's options: valid against its published schema.
    pub options: Value,
    /// An existing empty directory for this request's results and temporary files.
    pub directory: PathBuf,
    /// What it may use.
    pub limits: Limits,
    /// The moment of `{date}`. The tools read no clock, so that results are reproducible.
    pub now: Timestamp,
}

/// Options contain passwords and what users fill in: none of it may be logged.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request").field("tool", &self.tool).field("sources", &self.sources).finish_non_exhaustive()
    }
}

/// A local file, identified by its content.
#[derive(Clone, Serialize, Deserialize)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub media: Format,
    /// The name it came with, without a path.
    #[serde(default)]
    pub name: Option<String>,
    /// Opens it, if it is encrypted.
    #[serde(default)]
    pub password: Option<String>,
    /// Pages to take, counted from 1, e.g. `1-3,5`; `z` is the last one.
    #[serde(default)]
    pub page_range: Option<String>,
    /// Its title in the outline of a merged file.
    #[serde(default)]
    pub title: Option<String>,
    /// The base of relative references in it, without query and fragment.
    #[serde(default)]
    pub base: Option<String>,
    /// Bytes of the damaged file that this one was repaired from.
    #[serde(skip)]
    pub damaged_bytes: Option<u64>,
}

impl Source {
    /// A file of this format, of which nothing else is known.
    pub const fn new(path: PathBuf, media: Format) -> Self {
        Self { path, media, name: None, password: None, page_range: None, title: None, base: None, damaged_bytes: None }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("media", &self.media).finish_non_exhaustive()
    }
}

/// Limits of a run. The caller also watches memory and time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Pages of a result, and of all sources together.
    pub pages: u32,
    /// Bytes of all results together.
    pub output_bytes: u64,
    /// Pixels of one bitmap.
    pub pixels: u64,
    /// Memory of this process in bytes.
    pub memory_bytes: u64,
}

/// What pictures may have at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureLimits {
    /// Dots per inch.
    pub dpi: u16,
    /// The quality of JPEG, from 1 to 100.
    pub quality: u8,
}

/// A break between two pages of a document, by the words on either side.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBreak {
    /// The last words before it.
    pub before: String,
    /// The first words after it.
    pub after: String,
}

/// A document's text is not printed.
impl std::fmt::Debug for PageBreak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageBreak").finish_non_exhaustive()
    }
}

/// The result of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// At least one, in their order.
    pub artifacts: Vec<Artifact>,
    /// The tool's report.
    #[serde(default)]
    pub report: Option<Value>,
    /// What differs from the source.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// One file of the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// A plain name in the request's directory.
    pub file: String,
    /// What it is.
    pub media: Format,
    /// Of a document. `None` if they are not counted yet.
    #[serde(default)]
    pub pages: Option<u32>,
    /// In pixels.
    #[serde(default)]
    pub width: Option<u32>,
    /// In pixels.
    #[serde(default)]
    pub height: Option<u32>,
    /// The file name for the client, with extension. `None`: derived from the source.
    #[serde(default)]
    pub filename: Option<String>,
}

impl Artifact {
    /// A file that is not measured yet.
    pub fn new(file: impl Into<String>, media: Format) -> Self {
        Self { file: file.into(), media, pages: None, width: None, height: None, filename: None }
    }
}

/// A difference between source and result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable and machine-readable, e.g. `signature_invalidated`.
    pub code: String,
    /// What the job's owner is told.
    pub message: String,
    /// What a program may read, such as a name of a font.
    #[serde(default)]
    pub detail: Option<String>,
}

impl Warning {
    /// Without a detail.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), detail: None }
    }

    /// Adds a detail that a program may read.
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}
