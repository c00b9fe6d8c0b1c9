//! The output of a command: one JSON object, or the same as indented text.

use std::io::{self, Write};
use std::process::ExitCode;

use docmill_app::context::StartError;
use docmill_aws::queue::QueueError;
use docmill_config::ConfigError;
use docmill_store::StoreError;
use serde_json::{Value, json};

/// A result with its name.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

impl Output {
    pub(crate) fn new(name: &'static str, value: Value) -> Self {
        Self { name, value }
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Refused(String),
}

pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Refused(message.into()))
}

/// Prints a result. A closed pipe (`| head`) is not an error.
pub(crate) fn print(result: Result<Output, Failure>, as_json: bool) -> ExitCode {
    let (text, code) = match result {
        Ok(Output { name, value }) if as_json => (json!({ name: value }).to_string(), ExitCode::SUCCESS),
        Ok(Output { name, value }) => (format!("{name}: {value:#}"), ExitCode::SUCCESS),
        Err(failure) if as_json => (json!({"error": failure.to_string()}).to_string(), ExitCode::FAILURE),
        Err(failure) => {
            eprintln!("docmill-admin: {failure}");
            return ExitCode::FAILURE;
        }
    };
    match writeln!(io::stdout(), "{text}") {
        Ok(()) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
        Err(_) => ExitCode::FAILURE,
    }
}
