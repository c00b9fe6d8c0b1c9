//! What jobs exchange with the internet: sources come in, results go out.
//!
//! The worker uses it where it has a network of its own, and the relay (`functions/egress-relay`) where it has none.

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

mod budget;
mod client;

use std::path::PathBuf;

use docmill_domain::job::{Digest, INTERNAL_MESSAGE, JobErrorCode};
use url::Url;

pub use budget::Budget;
pub use client::{Answer, Caps, Content, Put, Question, Resource, SourceClient, disposition_filename, plain_name};

/// A fetched document in the job's scratch directory.
#[derive(Debug)]
pub struct Fetched {
    /// Where its bytes are.
    pub path: PathBuf,
    /// After content decoding.
    pub bytes: u64,
    /// Of these bytes. `None` if nobody will be told: of texts in the request, and of files on the command line.
    pub sha256: Option<Digest>,
    /// The response's unchanged `Content-Type`.
    pub content_type: Option<String>,
    /// The address after redirects. Uploads have none.
    pub url: Option<Url>,
    /// From `Content-Disposition`, or the last segment of the URL's path. Only a hint, never used as a path.
    pub filename: Option<String>,
}

/// Why an exchange failed. `message` is for the job's owner, `cause` for the log. Neither has a path or a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {cause}", .code.as_str())]
pub struct SourceError {
    /// The code that the job fails with.
    pub code: JobErrorCode,
    /// What its owner is told.
    pub message: String,
    /// What the log says besides.
    pub cause: String,
}

impl SourceError {
    /// A failure in words for both readers.
    pub fn new(code: JobErrorCode, message: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: cause.into() }
    }

    /// A fault of our own infrastructure.
    pub fn internal(cause: impl ToString) -> Self {
        Self::new(JobErrorCode::Internal, INTERNAL_MESSAGE, cause.to_string())
    }
}
