//! Why a conversion failed.

use docmill_domain::job::{INTERNAL_MESSAGE, JobErrorCode, Mistake};
use docmill_domain::tool::{EngineKind, QueueName};
use docmill_sources::SourceError;

/// A conversion that failed. `message` is for the job's owner, `cause` for the log.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}", .code.as_str())]
pub struct Failure {
    /// The code that the job fails with.
    pub code: JobErrorCode,
    /// What its owner is told.
    pub message: String,
    /// What the log says besides. It does not quote the document.
    pub cause: String,
    /// The mistakes in a template, for the job's owner.
    pub details: Vec<Mistake>,
    /// The engine that had the source, if any.
    pub engine: Option<EngineKind>,
    /// Whether the job's owner has the result in spite of the failure, which is then not refunded.
    pub sent: bool,
    /// The queue whose worker can do it, since this one can't.
    pub elsewhere: Option<QueueName>,
}

impl From<SourceError> for Failure {
    fn from(SourceError { code, message, cause }: SourceError) -> Self {
        Self::new(code, message, cause)
    }
}

impl Failure {
    /// A failure of which nothing else is known.
    pub fn new(code: JobErrorCode, message: impl Into<String>, cause: impl Into<String>) -> Self {
        let (message, cause) = (message.into(), cause.into());
        Self { code, message, cause, details: Vec::new(), engine: None, sent: false, elsewhere: None }
    }

    /// The job is for the worker of this queue.
    pub fn elsewhere(queue: QueueName) -> Self {
        Self { elsewhere: Some(queue), ..Self::internal("the job is for another worker") }
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
