//! DynamoDB: one file per table. Condition expressions ensure correctness, and each has its timeline in a comment.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod accounts;
pub mod audit;
pub mod batches;
pub mod budgets;
pub mod credits;
mod dynamo;
pub mod events;
pub mod fonts;
pub mod health;
pub mod item;
pub mod jobs;
pub mod keys;
pub mod requests;
pub mod sessions;
pub mod settings;
mod slots;
pub mod statistics;
pub mod submission;
pub mod templates;
pub mod usage;
pub mod users;
pub mod webhooks;

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};

/// Errors of a table, by what a caller can do about them.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// DynamoDB did not answer in time. A write may or may not have taken effect.
    #[error("DynamoDB is not available: {0}")]
    Unavailable(String),
    /// DynamoDB refused the request: a bug or a missing permission, so a retry does not help.
    #[error("DynamoDB refused the request: {0}")]
    Refused(String),
    /// An item was written by something else, or by a version that is not compatible.
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

/// A missing table is not among them, since it may be being restored.
const REFUSALS: [&str; 3] = ["ValidationException", "AccessDeniedException", "IdempotentParameterMismatchException"];

/// Classifies an SDK error. Its text has a code and the service's message, never an item.
pub(crate) fn store_error<E, R>(error: &SdkError<E, R>) -> StoreError
where
    SdkError<E, R>: ProvideErrorMetadata,
{
    let code = error.code().unwrap_or("no answer");
    let text = format!("{code}: {}", error.message().unwrap_or("-"));
    if REFUSALS.contains(&code) { StoreError::Refused(text) } else { StoreError::Unavailable(text) }
}
