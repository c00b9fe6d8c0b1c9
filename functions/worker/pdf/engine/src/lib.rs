//! The PDF tools of the crate `docmill-pdf`: a helper with the libraries loaded forks a confined child per call.

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

mod helper;
mod inputs;

use std::io;
use std::path::Path;
use std::time::Instant;

use async_trait::async_trait;
use docmill_config::clock;
use docmill_confine::fork_server::helper::{Bounds, Reply, Request as HelperRequest};
use docmill_confine::fork_server::{ForkServer, Startup};
use docmill_confine::usage::Excess;
use docmill_confine::{Confinement, Launcher, Network, Processes};
use docmill_domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill_domain::time::millis;
use docmill_domain::tool::EngineKind;
use docmill_engine::{Artifact, Conversion, Engine, Failure, Limits, Operation, Task, Unfinished};
use docmill_pdf_request::{ErrorCode, Outcome, Request, Tool};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use tempfile::TempDir;

pub use helper::{Args as HelperArgs, run as run_helper};

/// Address space of a call in bytes. Files of hundreds of megabytes are mapped, not read.
const ADDRESS_SPACE: u64 = 6 << 30;
const OPEN_FILES: u64 = 1024;
/// Most pixels of a bitmap: 400 MB.
const PIXELS: u64 = 100_000_000;

/// Most characters of a failure's cause in the log.
const LONGEST_CAUSE: usize = 300;

/// The PDF tools, each call in a fork of a helper.
#[derive(Debug)]
pub struct PdfTools {
    server: ForkServer,
    memory_bytes: u64,
}

impl PdfTools {
    /// `launcher` starts the helper, with its allowance of memory.
    pub fn new(launcher: Launcher) -> Self {
        let memory_bytes = launcher.allowance([]).memory_bytes;
        // Each start has its own directory, and the previous one is removed.
        let home = std::sync::Mutex::new(None);
        let start = move |_: Startup| {
            let fresh = TempDir::with_prefix("pdf-")?;
            let command = command(&launcher, fresh.path());
            *home.lock().map_err(|_poisoned| io::Error::other("an earlier start panicked"))? = Some(fresh);
            Ok(command)
        };
        Self { server: ForkServer::new(Box::new(start)), memory_bytes }
    }

    /// Runs a tool in a child that only sees `scratch`.
    async fn run(&self, request: Request, task: &Task<'_>) -> Result<Outcome, Failure> {
        let left = task.deadline.saturating_duration_since(Instant::now());
        let bounds = Bounds {
            directory: task.scratch.to_owned(),
            reads: Vec::new(),
            timeout_ms: millis(left),
            address_space: ADDRESS_SPACE,
            cpu_seconds: 2 * left.as_secs() + 2,
            file_bytes: task.limits.output_bytes,
            memory_bytes: self.memory_bytes,
        };
        let request = HelperRequest { bounds, document: request };
        let reply = self.server.ask::<_, Reply<helper::Answer>>(&request, task.deadline).await.map(Reply::noted);
        match reply.map_err(|error| Failure::internal(format!("the PDF helper: {error}")))? {
            Reply::Answered(Ok(outcome)) => Ok(outcome),
            Reply::Answered(Err(failure)) => Err(failed(failure)),
            Reply::TimedOut => Err(timed_out(task.limits)),
            Reply::Exceeded(excess) => Err(exceeded(excess, task.limits)),
            Reply::Signaled(libc::SIGXFSZ) => Err(exceeded(Excess::Disk, task.limits)),
            ended @ (Reply::Exited(_) | Reply::Signaled(_)) => Err(crashed(&format!("{ended:?}"))),
            Reply::Ready | Reply::Failed(_) => Err(Failure::internal("the PDF helper sent a reply of the wrong kind")),
        }
    }

    fn request(&self, task: &Task<'_>) -> Result<Request, Failure> {
        let tool = tool(task.operation)?;
        let sources = task.sources.iter().enumerate();
        let sources =
            sources.map(|(index, source)| inputs::place(source, &task.scratch.join(format!("input-{index}"))));
        let directory = TempDir::with_prefix_in("results-", task.scratch).map_err(inputs::unwritable)?;
        Ok(Request {
            tool,
            sources: sources.collect::<Result<_, _>>()?,
            options: task.options.clone(),
            // Deleted with the job's directory.
            directory: directory.keep(),
            limits: docmill_pdf_request::Limits {
                pages: task.limits.pages,
                output_bytes: task.limits.output_bytes,
                pixels: PIXELS,
                memory_bytes: self.memory_bytes,
            },
            now: clock::now(),
        })
    }
}

#[async_trait]
impl Engine for PdfTools {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let request = self.request(&task)?;
        let directory = request.directory.clone();
        let Outcome { artifacts, report, warnings } = self.run(request, &task).await?;
        let artifacts = artifacts.into_iter().map(|made| artifact(&directory, made)).collect::<Result<_, _>>()?;
        let warnings = warnings.into_iter().map(warning).collect();
        Ok(Conversion { artifacts, report, engine: info(), warnings, unfinished: Unfinished::default() })
    }

    async fn get_ready(&self) {
        if let Err(error) = self.server.get_ready().await {
            tracing::warn!(%error, "the PDF tools are not ready for the next job");
        }
    }
}

/// The PDF tool that does this. Tools of the catalogue have the same names here.
fn tool(operation: Operation) -> Result<Tool, Failure> {
    match operation {
        Operation::Tool(slug) => {
            let name = IntoDeserializer::<serde::de::value::Error>::into_deserializer(slug.as_str());
            Tool::deserialize(name).map_err(|_| Failure::internal(format!("{slug} is not one of the PDF tools")))
        }
        Operation::RenderMarkdown => Ok(Tool::RenderMarkdown),
        Operation::RenderMessage => Ok(Tool::RenderEmail),
        Operation::UpdateFields => Ok(Tool::UpdateFields),
        Operation::KeepEvidence => Ok(Tool::KeepEvidence),
        Operation::Verify => Ok(Tool::Verify),
        Operation::MarkTest => Ok(Tool::MarkTest),
        Operation::PrintMessage => Err(Failure::internal("the PDF tools print no pages")),
        Operation::Seal => Err(Failure::internal("the PDF tools have no key")),
    }
}

fn info() -> EngineInfo {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    EngineInfo { name: EngineKind::PdfTools.as_str().to_owned(), version }
}

/// A child may return any name: paths outside its directory are refused.
fn artifact(directory: &Path, made: docmill_pdf_request::Artifact) -> Result<Artifact, Failure> {
    let docmill_pdf_request::Artifact { file, media, pages, width, height, filename } = made;
    if file.is_empty() || file.contains('/') || file == ".." || file == "." {
        return Err(crashed("a result outside its directory"));
    }
    Ok(Artifact { path: directory.join(file), media, pages, width, height, filename })
}

fn warning(told: docmill_pdf_request::Warning) -> Warning {
    let warning = Warning::new(&told.code, told.message);
    match told.detail {
        Some(detail) => warning.with_detail(detail),
        None => warning,
    }
}

fn failed(failure: docmill_pdf_request::Failure) -> Failure {
    let docmill_pdf_request::Failure { code, message, cause, details } = failure;
    let code = match code {
        ErrorCode::UnsupportedFormat => JobErrorCode::UnsupportedFormat,
        ErrorCode::CorruptDocument => JobErrorCode::CorruptDocument,
        ErrorCode::PasswordRequired => JobErrorCode::PasswordRequired,
        ErrorCode::WrongPassword => JobErrorCode::WrongPassword,
        ErrorCode::PageLimitExceeded => JobErrorCode::PageLimitExceeded,
        ErrorCode::RenderFailed => JobErrorCode::RenderFailed,
        ErrorCode::RedactionIncomplete => JobErrorCode::RedactionIncomplete,
        ErrorCode::SigningFailed => JobErrorCode::SigningFailed,
        ErrorCode::TemplateError => JobErrorCode::TemplateError,
        ErrorCode::Internal => JobErrorCode::Internal,
    };
    // A child under a document's control may return any text.
    let cause: String = cause.chars().take(LONGEST_CAUSE).collect();
    Failure { details, ..Failure::new(code, message, cause) }
}

fn timed_out(limits: &Limits) -> Failure {
    let message = format!("Processing this file took longer than {} seconds. Split it.", limits.conversion.as_secs());
    Failure::new(JobErrorCode::ConversionTimeout, message, "the deadline")
}

fn exceeded(excess: Excess, limits: &Limits) -> Failure {
    let message = match excess {
        Excess::Memory => {
            "This file needs more memory than a job may use. Split it, or reduce its pictures.".to_owned()
        }
        Excess::Disk => format!("The result is larger than {} MiB. Split the file.", limits.output_bytes >> 20),
        Excess::Processes => "This file made the engine start too many processes.".to_owned(),
    };
    Failure::new(JobErrorCode::RenderFailed, message, format!("{excess:?} exceeded"))
}

fn crashed(cause: &str) -> Failure {
    let message = "The PDF engine crashed on this file. Re-save it in the program that created it, and retry.";
    Failure::new(JobErrorCode::EngineCrashed, message, cause)
}

fn command(launcher: &Launcher, home: &Path) -> std::process::Command {
    let confinement = Confinement {
        address_space: Some(ADDRESS_SPACE),
        cpu_seconds: None,
        file_bytes: u64::MAX,
        open_files: OPEN_FILES,
        network: Network::Denied,
        processes: Processes::Forked,
        reads: Vec::new(),
        // The parent of all jobs' directories. Each child is restricted to its own.
        writes: vec![std::env::temp_dir()],
    };
    let mut command = launcher.command(&confinement, launcher.worker(), home);
    command.stderr(std::process::Stdio::inherit());
    command.arg("pdf-helper").arg("--home").arg(home);
    launcher.tell_helper(&mut command);
    command.env("LC_ALL", "C.UTF-8");
    // Tesseract's threads mostly wait for each other.
    command.env("OMP_THREAD_LIMIT", "1");
    command
}
