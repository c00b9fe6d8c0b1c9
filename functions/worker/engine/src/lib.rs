//! What engines are asked, and what they answer. They convert checked sources to files, or say why they can't. None calls another: that is
//! for recipes (`docmill-plan`).

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod failure;
mod inspection;
mod operation;
pub mod page;
mod registry;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use async_trait::async_trait;
use docmill_domain::job::{EngineInfo, Warning};
pub use docmill_domain::limits::Limits;
use docmill_fonts::{InstalledFonts, OwnFonts};
use docmill_formats::Format;
pub use docmill_pdf_request::{PageBreak, PictureLimits};
use serde_json::Value;

pub use failure::Failure;
pub use inspection::{Encoding, Inspection};
pub use operation::Operation;
pub use registry::Engines;

/// A call of an engine, as planned.
pub struct Task<'a> {
    /// What is asked for.
    pub operation: Operation,
    /// In request order. Most engines take one.
    pub sources: Vec<Source>,
    /// The options of this step in canonical form, already validated against the tool's schema.
    pub options: &'a Value,
    /// A directory for this job, deleted after it. The engine puts its results here.
    pub scratch: &'a Path,
    /// When everything that works on this job is killed.
    pub deadline: Instant,
    /// Of pages, pixels, bytes and time.
    pub limits: &'a Limits,
    /// The account's fonts.
    pub fonts: &'a OwnFonts,
    /// The account whose job it is. `None` on a machine of one's own.
    pub account: Option<&'a str>,
}

impl Task<'_> {
    /// The source, for engines that take one.
    ///
    /// # Errors
    /// If there are several, or none.
    pub fn source(&self) -> Result<&Source, Failure> {
        match self.sources.as_slice() {
            [source] => Ok(source),
            sources => Err(Failure::internal(format!("{} sources for {:?}", sources.len(), self.operation))),
        }
    }
}

/// What is converted.
#[derive(Clone)]
pub enum Source {
    /// A checked office document.
    Document {
        /// Where it is.
        path: PathBuf,
        /// What it is called; may be printed.
        name: Option<String>,
        /// What it is.
        format: Format,
        /// What the check found out.
        inspection: Inspection,
    },
    /// A page that the engine itself loads through the guard.
    Page(url::Url),
    /// HTML that is read already.
    Html {
        /// The page.
        html: String,
        /// What it is called; may be printed.
        name: Option<String>,
    },
    /// An identified file for the PDF tools.
    File(docmill_pdf_request::Source),
}

impl Source {
    /// HTML without a name.
    pub fn html(html: impl Into<String>) -> Self {
        Self::Html { html: html.into(), name: None }
    }
}

/// Options contain passwords, addresses signatures, and inline HTML is the document: none of it may be logged.
impl fmt::Debug for Task<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("operation", &self.operation)
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { format, .. } => write!(f, "Document({format:?})"),
            Self::Page(_) => f.write_str("Page"),
            Self::Html { html, .. } => write!(f, "Html({} bytes)", html.len()),
            Self::File(file) => write!(f, "File({:?})", file.media),
        }
    }
}

/// The result of a call.
#[derive(Debug)]
pub struct Conversion {
    /// At least one, in order.
    pub artifacts: Vec<Artifact>,
    /// The tool's report.
    pub report: Option<Value>,
    /// The engine and its version.
    pub engine: EngineInfo,
    /// For the job's owner.
    pub warnings: Vec<Warning>,
    /// What the check still has to do.
    pub unfinished: Unfinished,
}

/// What an engine leaves to the check of its result, which opens it anyway.
#[derive(Debug, Default)]
pub struct Unfinished {
    /// What the pictures of its PDFs are to have at most. The check makes larger ones smaller.
    pub pictures: Option<PictureLimits>,
    /// The fonts of the warnings that are about substitutes, and the families that stand in. The check names their pages, and drops the
    /// warnings about those that are on none.
    pub stand_ins: BTreeMap<String, Vec<String>>,
    /// Texts that should be on the pages of its PDF. The check warns about those that are not.
    pub texts: Vec<ExpectedText>,
    /// Where Word broke the document's pages. The check compares its PDF with that.
    pub word: Option<WordPages>,
}

/// The pages of a document as Word laid them out when it saved it.
#[derive(Clone, Debug)]
pub struct WordPages {
    /// How many.
    pub count: u32,
    /// The breaks between them, in order.
    pub breaks: Vec<PageBreak>,
}

/// A text of a document.
#[derive(Clone)]
pub struct ExpectedText {
    /// A cell of a workbook: `Sheet1!A1`. `None` for words of a page.
    pub place: Option<String>,
    /// The words that should be there.
    pub text: String,
}

/// A document's text is not printed.
impl fmt::Debug for ExpectedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpectedText").finish_non_exhaustive()
    }
}

/// A file that an engine made.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// Where it is, in the scratch directory.
    pub path: PathBuf,
    /// What it is.
    pub media: Format,
    /// Of a document. `None` if they were not counted.
    pub pages: Option<u32>,
    /// In pixels.
    pub width: Option<u32>,
    /// In pixels.
    pub height: Option<u32>,
    /// The file name for the client. `None`: derived from the source.
    pub filename: Option<String>,
}

impl Conversion {
    /// One PDF.
    pub fn of_pdf(path: PathBuf, engine: EngineInfo, warnings: Vec<Warning>) -> Self {
        Self::of_file(path, Format::Pdf, engine, warnings)
    }

    /// One file. Its pages or pixels are counted when it is checked.
    pub fn of_file(path: PathBuf, media: Format, engine: EngineInfo, warnings: Vec<Warning>) -> Self {
        let (pages, width, height, filename) = (None, None, None, None);
        let artifact = Artifact { path, media, pages, width, height, filename };
        Self { artifacts: vec![artifact], report: None, engine, warnings, unfinished: Unfinished::default() }
    }

    /// Pages of all files together.
    pub fn pages(&self) -> u32 {
        self.artifacts.iter().filter_map(|artifact| artifact.pages).sum()
    }

    /// The first file.
    pub fn path(&self) -> &Path {
        self.artifacts.first().map_or(Path::new(""), |artifact| &artifact.path)
    }
}

/// Warns that an option does nothing, since it is for another format of the result.
pub fn without_effect(option: &str, format: &str) -> Warning {
    let message = format!("`{option}` has no effect here: it needs the format {format}.");
    Warning::new("option_without_effect", message).with_detail(option)
}

/// A program or library that converts documents, in a child that is confined.
#[async_trait]
pub trait Engine: Send + Sync {
    /// Converts the task's sources. The results are in its scratch directory.
    ///
    /// # Errors
    /// Why there is no result.
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure>;

    /// Repeats a conversion in which this engine crashed, in another way if it has one.
    ///
    /// # Errors
    /// As for [`Self::convert`].
    async fn convert_after_crash(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        self.convert(task).await
    }

    /// Prepares for the next job. Called at the start and after each job is stored, before the environment may be frozen. Without
    /// it, conversions work but are slower.
    async fn get_ready(&self) {}
}

/// Lists the installed fonts before they are needed.
pub async fn list_fonts(fonts: &InstalledFonts) {
    let fonts = fonts.clone();
    if let Err(error) = tokio::task::spawn_blocking(move || fonts.get_ready()).await {
        tracing::warn!(%error, "the fonts could not be listed ahead of the first job");
    }
}
