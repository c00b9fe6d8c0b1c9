//! The command as users run it, against a small service that counts what it charges.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]
#![allow(unreachable_pub, missing_debug_implementations, reason = "nothing here is used from outside")]

mod batches;
mod converting;
mod interrupted;
mod limits;
mod listening;
mod receipts;
mod service;
mod signing_in;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::service::{KEY, Manners, Service};

/// A user with a home, a working folder and a service.
pub struct User {
    pub service: Service,
    home: TempDir,
}

impl User {
    pub async fn new(manners: Manners) -> Self {
        let user = Self { service: Service::start(manners).await, home: tempfile::tempdir().unwrap() };
        std::fs::create_dir(user.folder()).unwrap();
        user
    }

    pub fn folder(&self) -> PathBuf {
        self.home.path().join("work")
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn write(&self, name: &str, content: &str) {
        let path = self.folder().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The command without a key.
    pub fn stranger(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_docmill"));
        command.args(words).current_dir(self.folder()).env_clear().env("HOME", self.home()).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn docmill(&self, words: &[&str]) -> Command {
        let mut command = self.stranger(words);
        command.env("DOCMILL_URL", &self.service.url).env("DOCMILL_KEY", KEY);
        command
    }

    /// Runs the command to its end.
    pub async fn run(&self, words: &[&str]) -> Ran {
        Ran::of(self.docmill(words).output().await.unwrap())
    }
}

/// What a command said, and how it ended.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    pub fn ends_with(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    pub fn lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
            .collect()
    }

    pub fn summary(&self) -> Value {
        self.lines().pop().unwrap_or_else(|| panic!("{}", self.stderr))
    }
}

/// Runs a command with this on its standard input.
pub async fn with_input(mut command: Command, input: &str) -> Ran {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    Ran::of(child.wait_with_output().await.unwrap())
}
