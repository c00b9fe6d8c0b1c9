//! Whose fault it is that an attempt ended.

use docmill_aws::files::FilesError;
use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::{EngineKind, QueueName};
use docmill_engine::Failure;
use docmill_store::StoreError;

/// Why an attempt ended without completing the job.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AttemptError {
    /// The fault of the source or document: final.
    #[error("{0}")]
    Failure(Failure),
    /// The fault of our infrastructure: retried.
    #[error("{cause}")]
    Fault { cause: String, engine: Option<EngineKind> },
    /// The job is for the worker of this queue.
    #[error("the job is for another worker")]
    Elsewhere(QueueName),
    /// Another attempt has taken over.
    #[error("the job belongs to another attempt")]
    Superseded,
}

impl AttemptError {
    /// A fault outside the engines.
    pub(crate) fn fault(cause: impl Into<String>) -> Self {
        Self::Fault { cause: cause.into(), engine: None }
    }
}

impl From<Failure> for AttemptError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure { elsewhere: Some(queue), .. } => Self::Elsewhere(queue),
            Failure { code: JobErrorCode::Internal, cause, engine, .. } => Self::Fault { cause, engine },
            failure => Self::Failure(failure),
        }
    }
}

impl From<StoreError> for AttemptError {
    fn from(error: StoreError) -> Self {
        Self::fault(error.to_string())
    }
}

impl From<FilesError> for AttemptError {
    fn from(error: FilesError) -> Self {
        Self::fault(error.to_string())
    }
}
