//! What a command prints: one JSON object, or the same as indented text.

#![allow(clippy::print_stdout, reason = "printing is what a command line tool does")]

use std::process::ExitCode;

use docmill::config::ConfigError;
use docmill::context::StartError;
use docmill::store::StoreError;
use serde_json::{Value, json};

/// A result, under the name of what it is.
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
    Start(#[from] StartError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("{0}")]
    Refused(String),
}

pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Refused(message.into()))
}

pub(crate) fn print(result: Result<Output, Failure>, as_json: bool) -> ExitCode {
    match result {
        Ok(Output { name, value }) if as_json => println!("{}", json!({ name: value })),
        Ok(Output { name, value }) => println!("{name}: {value:#}"),
        Err(failure) if as_json => {
            println!("{}", json!({"error": failure.to_string()}));
            return ExitCode::FAILURE;
        }
        Err(failure) => {
            eprintln!("docmill-admin: {failure}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
