//! Requests and results of tools.

use std::path::PathBuf;

use docmill_domain::time::Timestamp;
use image::ImageFormat;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{OfficeFile, Tool};

/// One run of one tool.
#[derive(Clone, Serialize, Deserialize)]
pub struct Request {
    pub tool: Tool,
    /// In the order given by the client.
    pub sources: Vec<Source>,
    /// The tool's options: valid against its published schema.
    pub options: Value,
    /// An existing empty directory for this request's results and temporary files.
    pub directory: PathBuf,
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
    pub path: PathBuf,
    pub media: Media,
    /// The name it came with, without a path.
    #[serde(default)]
    pub name: Option<String>,
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
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("media", &self.media).finish_non_exhaustive()
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Media {
    Pdf,
    Jpeg,
    Png,
    Webp,
    Tiff,
    Gif,
    Bmp,
    Svg,
    Text,
    Markdown,
    Json,
    /// One JSON value for each line.
    JsonLines,
    Html,
    Zip,
    /// A message in MIME format.
    Eml,
    /// A message in Outlook's format.
    Msg,
    /// An attachment of a message, of any kind: no tool opens it.
    Other,
    /// A result, or read by its own structure.
    Office(OfficeFile),
}

impl Media {
    /// The format of a picture made of pixels. `None` for everything else.
    pub(crate) const fn pixels(self) -> Option<ImageFormat> {
        match self {
            Self::Jpeg => Some(ImageFormat::Jpeg),
            Self::Png => Some(ImageFormat::Png),
            Self::Webp => Some(ImageFormat::WebP),
            Self::Tiff => Some(ImageFormat::Tiff),
            Self::Gif => Some(ImageFormat::Gif),
            Self::Bmp => Some(ImageFormat::Bmp),
            Self::Pdf
            | Self::Svg
            | Self::Text
            | Self::Markdown
            | Self::Json
            | Self::JsonLines
            | Self::Html
            | Self::Zip
            | Self::Eml
            | Self::Msg
            | Self::Other
            | Self::Office(_) => None,
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Tiff => "tiff",
            Self::Gif => "gif",
            Self::Bmp => "bmp",
            Self::Svg => "svg",
            Self::Text => "txt",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Html => "html",
            Self::Zip => "zip",
            Self::Eml => "eml",
            Self::Msg => "msg",
            Self::Other => "bin",
            Self::Office(file) => file.extension(),
        }
    }

    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Tiff => "image/tiff",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
            Self::Svg => "image/svg+xml",
            Self::Text => "text/plain; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Json => "application/json",
            Self::JsonLines => "application/x-ndjson",
            Self::Html => "text/html; charset=utf-8",
            Self::Zip => "application/zip",
            Self::Eml => "message/rfc822",
            Self::Msg => "application/vnd.ms-outlook",
            Self::Other => "application/octet-stream",
            Self::Office(file) => file.content_type(),
        }
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

/// The result of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// At least one, in their order.
    pub artifacts: Vec<Artifact>,
    /// The tool's report.
    #[serde(default)]
    pub report: Option<Value>,
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// One file of the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// A plain name in the request's directory.
    pub file: String,
    pub media: Media,
    #[serde(default)]
    pub pages: Option<u32>,
    /// In pixels.
    #[serde(default)]
    pub width: Option<u32>,
    #[serde(default)]
    pub height: Option<u32>,
    /// The file name for the client, with extension. `None`: derived from the source.
    #[serde(default)]
    pub filename: Option<String>,
}

impl Artifact {
    pub fn new(file: impl Into<String>, media: Media) -> Self {
        Self { file: file.into(), media, pages: None, width: None, height: None, filename: None }
    }
}

/// A difference between source and result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable and machine-readable, e.g. `signature_broken`.
    pub code: String,
    pub message: String,
    #[serde(default)]
    pub detail: Option<String>,
}

impl Warning {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into(), detail: None }
    }

    pub(crate) fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}
