//! Why a conversion failed.

use docmill::domain::job::{INTERNAL_MESSAGE, JobErrorCode, Mistake};
use docmill::domain::tool::EngineKind;

/// A conversion that failed. `message` is for the job's owner, `cause` for the log.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .code.as_str())]
pub struct Failure {
    pub code: JobErrorCode,
    pub message: String,
    pub cause: String,
    /// The mistakes in a template, for the job's owner.
    pub details: Vec<Mistake>,
    /// The engine that had the source, if any.
    pub engine: Option<EngineKind>,
    /// Whether the job's owner has the result in spite of the failure, which is then not refunded.
    pub sent: bool,
}

impl Failure {
    pub fn new(code: JobErrorCode, message: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: cause.into(), details: Vec::new(), engine: None, sent: false }
    }

    /// A fault of our infrastructure: the only kind that is retried.
    pub fn internal(cause: impl ToString) -> Self {
        Self::new(JobErrorCode::Internal, INTERNAL_MESSAGE, cause.to_string())
    }

    /// The source needs more memory than a conversion may use, in bytes. A retry would fail too.
    pub fn of_memory(bytes: u64, cause: impl Into<String>) -> Self {
        let message = format!(
            "The conversion needs more memory than the {} MiB that it may use. Make the source smaller, or split it.",
            bytes >> 20
        );
        Self::new(JobErrorCode::RenderFailed, message, cause)
    }

    /// The same, with an engine.
    #[must_use]
    pub fn of(self, engine: EngineKind) -> Self {
        Self { engine: Some(engine), ..self }
    }
}
