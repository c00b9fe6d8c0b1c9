use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::StatusCode;
use url::Url;

use crate::models::{ErrorCode, ErrorDetail, Job, JobErrorCode};

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// The API, the gateway or a link answered with a status of 400 or above.
    #[error(transparent)]
    Api(Box<ApiError>),
    /// The job failed.
    #[error(transparent)]
    JobFailed(Box<JobFailed>),
    /// The job was canceled, so that it has no result.
    #[error("job {} was canceled{}", .job.id, of_request(.request_id))]
    JobCanceled {
        /// The job.
        job: Box<Job>,
        /// The id of the request that said so.
        request_id: Option<String>,
    },
    /// The job or batch has not ended in time. It goes on: wait again.
    #[error("{what} {job_id} has not ended within {bound:?}")]
    WaitTimeout {
        /// The job or batch.
        job_id: String,
        /// For how long the client waited.
        bound: Duration,
        /// `job` or `batch`.
        what: &'static str,
    },
    /// No answer, after all tries.
    #[error("no answer from {host} after {}: {}", times(*.tries), root(.cause.as_ref()))]
    Network {
        /// Where the request went, without the path and the query, which may be secret.
        host: String,
        /// How often.
        tries: u32,
        /// What happened.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The download is not what was announced, after all tries.
    #[error("the result{} is damaged", of_job(.job_id))]
    Integrity {
        /// The job or batch. Empty if only a link was given.
        job_id: String,
    },
    /// The signature or the timestamp of a webhook is wrong.
    #[error("the webhook is refused: {0}")]
    Webhook(String),
    /// The call makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file of this machine can't be read or written.
    #[error("a file can't be read or written: {0}")]
    File(#[from] std::io::Error),
    /// The answer is not what the API's description says.
    #[error("the answer is not what was expected: {cause}{}", of_request(.request_id))]
    Unexpected {
        /// The id of the request.
        request_id: Option<String>,
        /// Where it differs.
        cause: serde_json::Error,
    },
}

/// The message and its causes: a program whose `main` returns the error shows them so.
impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.to_string();
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        for cause in causes.map(ToString::to_string) {
            if !text.contains(&cause) {
                text += &format!("\n  because: {cause}");
            }
        }
        formatter.write_str(&text)
    }
}

/// What an answer of the API is about.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// 400, 405, 413 or 415.
    InvalidRequest,
    /// 401: the key is missing, unknown or revoked.
    Authentication,
    /// 402: the tool costs more credits than are left.
    Credits,
    /// 403.
    Permission,
    /// 404.
    NotFound,
    /// 409.
    Conflict,
    /// 410: the result has expired or was deleted.
    Gone,
    /// 422: see the details.
    Validation,
    /// 429.
    RateLimit,
    /// 500 and above.
    Server,
    /// Any other status.
    Other,
}

/// An answer with a status of 400 or above.
#[non_exhaustive]
#[derive(Debug)]
pub struct ApiError {
    /// The HTTP status. Decide by it if you don't know the code.
    pub status: StatusCode,
    /// None if the gateway or the storage answered, not the API.
    pub code: Option<ErrorCode>,
    /// What a developer can do.
    pub message: Option<String>,
    /// Identifies the request for support.
    pub request_id: Option<String>,
    /// Every invalid value. Only of [`ErrorKind::Validation`].
    pub details: Vec<ErrorDetail>,
    /// How many credits the tool costs. Only of [`ErrorKind::Credits`].
    pub required: Option<u64>,
    /// How many credits are left. Only of [`ErrorKind::Credits`].
    pub available: Option<u64>,
    /// How long the API asks to wait.
    pub retry_after: Option<Duration>,
    /// The job that the error is about, if the answer contains it.
    pub job: Option<Box<Job>>,
    /// The answer's body.
    pub body: Bytes,
}

impl ApiError {
    /// What the error is about.
    pub fn kind(&self) -> ErrorKind {
        match self.status.as_u16() {
            400 | 405 | 413 | 415 => ErrorKind::InvalidRequest,
            401 => ErrorKind::Authentication,
            402 => ErrorKind::Credits,
            403 => ErrorKind::Permission,
            404 => ErrorKind::NotFound,
            409 => ErrorKind::Conflict,
            410 => ErrorKind::Gone,
            422 => ErrorKind::Validation,
            429 => ErrorKind::RateLimit,
            500.. => ErrorKind::Server,
            _ => ErrorKind::Other,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(formatter, "{code}")?,
            None => write!(formatter, "HTTP status {}", self.status.as_u16())?,
        }
        if let Some(message) = &self.message {
            write!(formatter, ": {message}")?;
        }
        for detail in &self.details {
            write!(formatter, " {} {};", detail.path, detail.message)?;
        }
        formatter.write_str(&of_request(&self.request_id))
    }
}

impl std::error::Error for ApiError {}

/// Why a job failed.
#[non_exhaustive]
#[derive(Debug)]
pub struct JobFailed {
    /// The job, with the reason in its `error`.
    pub job: Job,
    /// The id of the request that said so.
    pub request_id: Option<String>,
}

impl JobFailed {
    /// A stable code, or one that was added later.
    pub fn code(&self) -> Option<&JobErrorCode> {
        self.job.error.as_ref().map(|error| &error.code)
    }

    /// What to do.
    pub fn message(&self) -> &str {
        self.job.error.as_ref().map_or("the job failed", |error| &error.message)
    }

    /// Whether the same request may succeed later.
    pub fn retryable(&self) -> bool {
        self.job.error.as_ref().is_some_and(|error| error.retryable)
    }
}

impl fmt::Display for JobFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code().map_or("?", JobErrorCode::as_str);
        write!(formatter, "job {} failed: {code}: {}{}", self.job.id, self.message(), of_request(&self.request_id))
    }
}

impl std::error::Error for JobFailed {}

impl Error {
    /// The API's answer, if that is what went wrong.
    pub fn api(&self) -> Option<&ApiError> {
        if let Self::Api(error) = self { Some(error) } else { None }
    }

    /// What the API's answer is about, if that is what went wrong.
    pub fn kind(&self) -> Option<ErrorKind> {
        self.api().map(ApiError::kind)
    }

    /// Without the path and the query of the address: links are signed.
    pub(crate) fn network(address: &str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let host =
            Url::parse(address).map_or_else(|_| "?".to_owned(), |address| address.origin().ascii_serialization());
        Self::Network { host, tries: 1, cause: cause.into() }
    }

    pub(crate) fn stalled(address: &str) -> Self {
        Self::network(address, "nothing was transferred for too long")
    }

    /// The same after more than one try.
    pub(crate) fn after(mut self, times: u32) -> Self {
        if let Self::Network { tries, .. } = &mut self {
            *tries = times;
        }
        self
    }
}

fn times(tries: u32) -> String {
    if tries == 1 { "1 try".to_owned() } else { format!("{tries} tries") }
}

/// What the system says: errors of libraries only say which of their parts it told.
fn root(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    let first: &(dyn std::error::Error + 'static) = error;
    std::iter::successors(Some(first), |cause| cause.source()).last().map(ToString::to_string).unwrap_or_default()
}

fn of_job(id: &str) -> String {
    if id.is_empty() { String::new() } else { format!(" of job {id}") }
}

fn of_request(id: &Option<String>) -> String {
    id.as_ref().map_or_else(String::new, |id| format!(" (request {id})"))
}
