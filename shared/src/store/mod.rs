//! DynamoDB: one file per table. Correctness lives in condition expressions; each has its timeline in a comment.

pub mod accounts;
pub mod audit;
pub mod credits;
mod dynamo;
pub mod events;
pub mod fonts;
pub mod health;
pub mod item;
pub mod jobs;
pub mod keys;
pub mod sessions;
pub mod settings;
pub mod statistics;
pub mod submission;
pub mod usage;
pub mod users;

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};

/// What can go wrong between us and a table, by what a caller does about it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// DynamoDB did not answer, or not in time. A write may or may not have happened.
    #[error("DynamoDB is not available: {0}")]
    Unavailable(String),
    /// DynamoDB refused the request itself: a bug or a wrong permission, which trying again will not cure.
    #[error("DynamoDB refused the request: {0}")]
    Refused(String),
    #[error("an item does not have its expected form: {0}")]
    Malformed(String),
}

impl From<serde_dynamo::Error> for StoreError {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

impl From<BuildError> for StoreError {
    fn from(error: BuildError) -> Self {
        Self::Malformed(error.to_string())
    }
}

/// A table that is not there is not among them: it is being restored.
const REFUSALS: [&str; 3] = ["ValidationException", "AccessDeniedException", "IdempotentParameterMismatchException"];

/// Sorts an SDK error. Its text carries a code and the service's words, never an item.
pub(crate) fn store_error<E, R>(error: &SdkError<E, R>) -> StoreError
where
    SdkError<E, R>: ProvideErrorMetadata,
{
    let code = error.code().unwrap_or("no answer");
    let text = format!("{code}: {}", error.message().unwrap_or("-"));
    if REFUSALS.contains(&code) { StoreError::Refused(text) } else { StoreError::Unavailable(text) }
}
