//! What an engine is: something that turns one checked source into one PDF, or says why it can't.

pub mod html_basic;
pub mod html_browser;
pub mod page;

pub mod fork_server;
pub mod office;

use std::path::{Path, PathBuf};
use std::time::Instant;

use async_trait::async_trait;
use docmill::domain::job::{EngineInfo, JobErrorCode, Warning};
pub use docmill::domain::limits::Limits;
use docmill::domain::tool::EngineKind;

/// One conversion, as the pipeline hands it to an engine.
#[derive(Debug)]
pub struct Task<'a> {
    pub source: Source,
    /// The canonical options of the request, already valid against the tool's schema.
    pub options: &'a serde_json::Value,
    /// A directory of this job alone, wiped after it. The engine leaves its result here.
    pub scratch: &'a Path,
    /// The moment at which everything that works on this job is killed.
    pub deadline: Instant,
    pub limits: &'a Limits,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// A document that was fetched, sniffed and checked. `name`: what it is called, which it may print on its pages.
    Document { path: PathBuf, name: Option<String>, format: crate::sniff::Format, inspection: crate::sniff::Inspection },
    /// A page to be loaded by the engine itself, through the guard.
    Page(url::Url),
    /// Inline HTML.
    Html(String),
}

#[derive(Debug)]
pub struct Conversion {
    pub pdf: PathBuf,
    pub pages: u32,
    pub engine: EngineInfo,
    pub warnings: Vec<Warning>,
}

/// A conversion that did not come about. `message` is for the job's owner, `cause` for the log.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .code.as_str())]
pub struct Failure {
    pub code: JobErrorCode,
    pub message: String,
    pub cause: String,
    /// The engine that had the source, if one had it.
    pub engine: Option<EngineKind>,
}

impl Failure {
    pub fn new(code: JobErrorCode, message: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: cause.into(), engine: None }
    }

    /// The same, of an engine.
    pub fn of(self, engine: EngineKind) -> Self {
        Self { engine: Some(engine), ..self }
    }
}

#[async_trait]
pub trait Engine: Send + Sync {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure>;

    /// Prepares what the next job can find prepared. Called at the start and after each job is stored, before the
    /// environment may be frozen; a conversion works without it too, only slower.
    async fn get_ready(&self) {}
}
