//! The functions' own log lines, read back from CloudWatch Logs.

use aws_sdk_cloudwatchlogs::Client;
use aws_sdk_cloudwatchlogs::error::{ProvideErrorMetadata, SdkError};

use super::Aws;
use docmill_domain::time::Timestamp;

/// Why lines can't be read.
#[derive(Debug, thiserror::Error)]
pub enum LogsError {
    /// CloudWatch Logs refused the request or did not answer.
    #[error("CloudWatch Logs refused the request: {0}")]
    Refused(String),
}

/// A line, and when CloudWatch Logs got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// As the function wrote it.
    pub text: String,
    /// By the clock of CloudWatch Logs, up to some seconds after it was written.
    pub arrived_at: Timestamp,
}

/// A log group.
#[derive(Clone, Debug)]
pub struct LogGroup {
    client: Client,
    name: String,
}

impl LogGroup {
    /// The log group with this name, whether it exists or not.
    pub fn new(aws: &Aws, name: String) -> Self {
        Self { client: aws.logs(), name }
    }

    /// All lines written between these times, both included, that match the pattern.
    ///
    /// # Errors
    /// If CloudWatch Logs refuses the request or does not answer.
    pub async fn lines(&self, pattern: &str, from: Timestamp, until: Timestamp) -> Result<Vec<LogLine>, LogsError> {
        let (mut lines, mut token) = (Vec::new(), None);
        loop {
            let page = self
                .client
                .filter_log_events()
                .log_group_name(&self.name)
                .filter_pattern(pattern)
                .start_time(from.as_millis())
                .end_time(until.as_millis())
                .set_next_token(token)
                .send()
                .await
                .map_err(|error| refused(&error))?;
            lines.extend(page.events.unwrap_or_default().into_iter().filter_map(|event| {
                Some(LogLine { text: event.message?, arrived_at: Timestamp(event.ingestion_time?) })
            }));
            // A page can be empty although more follow.
            token = page.next_token;
            if token.is_none() {
                return Ok(lines);
            }
        }
    }
}

/// The code and the message of the answer, which names the operation and the group, and no line.
fn refused<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> LogsError {
    let message = error.message().unwrap_or("it could not be reached");
    LogsError::Refused(error.code().map_or_else(|| message.to_owned(), |code| format!("{code}: {message}")))
}
