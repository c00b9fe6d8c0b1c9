//! Failures of tools.

use docmill_domain::job::Mistake;
use serde::{Deserialize, Serialize};

/// Why there is no result. `message` tells the job's owner what to do; `cause` is for the log and does not quote the document.
#[derive(Clone, Debug, thiserror::Error, Serialize, Deserialize)]
#[error("{code:?}: {cause}")]
pub struct Failure {
    /// The code that the job fails with.
    pub code: ErrorCode,
    /// What its owner is told.
    pub message: String,
    /// What the log says besides.
    pub cause: String,
    /// The mistakes in a template.
    #[serde(default)]
    pub details: Vec<Mistake>,
}

impl Failure {
    /// Without mistakes in a template.
    pub fn new(code: ErrorCode, message: impl Into<String>, cause: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: cause.into(), details: Vec::new() }
    }

    /// Our fault.
    pub fn internal(cause: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, "Something went wrong on our side.", cause)
    }

    /// Our fault: a file that we made or were given can't be read or written. The system's message may name
    /// paths, so only the kind of the error is given.
    pub fn io(error: &std::io::Error) -> Self {
        Self::internal(format!("file: {}", error.kind()))
    }
}

/// The job error of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The tool does not take such a file.
    UnsupportedFormat,
    /// The file is damaged beyond repair.
    CorruptDocument,
    /// The file is encrypted, and no password was given.
    PasswordRequired,
    /// The password does not open the file.
    WrongPassword,
    /// There are more pages than allowed.
    PageLimitExceeded,
    /// The options refer to something that the document does not have, or ask for too much.
    RenderFailed,
    /// Redacted content is still in the result, which is not delivered.
    RedactionIncomplete,
    /// The document, or a signature of it, does not allow the signature.
    SigningFailed,
    /// The template has mistakes, or does not fit its data.
    TemplateError,
    /// Our fault, e.g. a missing library or full disk.
    Internal,
}
