//! Why a command failed, what to do about it, and the exit code.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::pointer;

/// The documented exit codes. `clap` exits with 2 itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A file could not be read or written, or a bug.
    Machine,
    /// The command line, an option or the pipeline is wrong.
    Usage,
    /// The key is missing, unknown, revoked, or may not do this.
    Access,
    /// Too few credits.
    Credits,
    /// No answer, or the service is busy: the same command goes on later.
    Unavailable,
    /// The service refused the request.
    Refused,
    /// At least one document could not be converted.
    Documents,
    /// Everything is converted, but a result has a warning that counts as a failure.
    Warnings,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    pub const fn code(self) -> u8 {
        match self {
            Self::Machine => 1,
            Self::Usage => 2,
            Self::Access => 3,
            Self::Credits => 4,
            Self::Unavailable => 5,
            Self::Refused => 6,
            Self::Documents => 7,
            Self::Warnings => 8,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// A failure, for people and as JSON.
#[derive(Clone, Debug)]
pub struct Failure {
    pub exit: Exit,
    /// The API's code, or one of this command's own.
    pub code: String,
    pub message: String,
    /// What to do, if the message does not say it.
    pub hint: Option<String>,
    pub request_id: Option<String>,
    /// The job that failed.
    pub job_id: Option<String>,
    /// Whether trying again can help, if that is known.
    pub retryable: Option<bool>,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    fn new(exit: Exit, code: &str, message: impl Into<String>) -> Self {
        Self {
            exit,
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            request_id: None,
            job_id: None,
            retryable: None,
        }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    pub fn machine(message: impl Into<String>) -> Self {
        Self::new(Exit::Machine, "machine", message)
    }

    pub fn access(message: impl Into<String>) -> Self {
        Self::new(Exit::Access, "no_key", message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(Exit::Unavailable, "unavailable", message)
    }

    pub fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted", "Interrupted.")
    }

    /// Some documents of a run failed: each has said why.
    pub fn documents(exit: Exit, message: impl Into<String>) -> Self {
        Self::new(exit, "documents", message)
    }

    /// All documents of a run are converted, and some have warnings that count as failures.
    pub fn warnings(message: impl Into<String>) -> Self {
        Self::new(Exit::Warnings, "warnings", message)
    }

    /// The reader of standard output has gone, such as `head`: nothing is left to do.
    pub fn is_closed_output(&self) -> bool {
        self.code == CLOSED_OUTPUT
    }

    /// A document's own failure.
    pub fn document(code: &str, message: impl Into<String>) -> Self {
        Self::new(Exit::Documents, code, message)
    }

    #[must_use]
    pub fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same, with the file whose content is wrong.
    #[must_use]
    pub fn of_file(self, file: &Path) -> Self {
        Self { message: format!("{}: {}", file.display(), self.message), ..self }
    }

    #[must_use]
    pub fn of_request(self, id: Option<String>) -> Self {
        Self { request_id: id.or(self.request_id), ..self }
    }

    /// An error answer of the API.
    pub fn of_answer(status: u16, body: &Value) -> Self {
        // A failed job knows better than its answer what went wrong.
        let of_job = &body["job"]["error"];
        let error = if of_job.is_object() { of_job } else { &body["error"] };
        let code = error["code"].as_str().unwrap_or("http_error");
        let message = error["message"].as_str().or_else(|| body["message"].as_str());
        let exit = match status {
            401 | 403 => Exit::Access,
            402 => Exit::Credits,
            429 | 500.. => Exit::Unavailable,
            _ if of_job.is_object() => Exit::Documents,
            _ => Exit::Refused,
        };
        let mut text =
            message.map_or_else(|| format!("The service answered with HTTP status {status}."), str::to_owned);
        for detail in error["details"].as_array().into_iter().flatten() {
            let text_of = |name: &str| detail[name].as_str().unwrap_or_default();
            text.push_str(&format!("\n  {}", pointer::described(text_of("path"), text_of("message"))));
        }
        let hint = match status {
            401 => Some("Run `docmill login`, or set DOCMILL_KEY to a valid key."),
            402 => Some("Buy or wait for credits, then run the same command again: what is done is not paid twice."),
            429 | 500.. => Some("Run the same command again later: it goes on where it stopped."),
            _ => None,
        };
        Self { hint: hint.map(str::to_owned), ..Self::new(exit, code, text) }
            .of_request(body["requestId"].as_str().map(str::to_owned))
    }

    /// Whether every other document would fail in the same way.
    pub const fn ends_the_run(&self) -> bool {
        match self.exit {
            Exit::Access | Exit::Credits | Exit::Unavailable | Exit::Interrupted => true,
            Exit::Machine | Exit::Usage | Exit::Refused | Exit::Documents | Exit::Warnings => false,
        }
    }

    pub fn view(&self) -> Value {
        let mut view = json!({"code": self.code, "message": self.message});
        if let Some(hint) = &self.hint {
            view["hint"] = json!(hint);
        }
        if let Some(id) = &self.request_id {
            view["requestId"] = json!(id);
        }
        if let Some(id) = &self.job_id {
            view["jobId"] = json!(id);
        }
        if let Some(retryable) = self.retryable {
            view["retryable"] = json!(retryable);
        }
        view
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(id) = &self.job_id {
            write!(f, " (job {id})")?;
        }
        if !matches!(self.code.as_str(), "usage" | "machine" | "no_key" | "interrupted" | "documents" | "warnings") {
            write!(f, " [{}]", self.code)?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request {id})")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\n{hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

const CLOSED_OUTPUT: &str = "closed_output";

/// An error while a result is written.
pub fn writing(error: &std::io::Error) -> Failure {
    let failure = Failure::machine(format!("Writing the result: {error}"));
    let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
    if is_closed { Failure { code: CLOSED_OUTPUT.to_owned(), ..failure } } else { failure }
}

/// What the system says went wrong, without addresses: they may be signed. Libraries only say which of their parts it told.
pub fn cause(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source()).last().map(ToString::to_string).unwrap_or_default()
}

/// Adds what was being done to an error of the operating system.
pub trait Doing<T> {
    fn doing(self, what: impl fmt::Display) -> Outcome<T>;
}

impl<T, E: fmt::Display> Doing<T> for Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Outcome<T> {
        self.map_err(|error| Failure::machine(format!("{what}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_an_exit_code_and_names_its_request() {
        let body = json!({"ok": false, "requestId": "req-1",
            "error": {"code": "validation_failed", "message": "See `details`.", "status": 422,
                "details": [{"path": "/options/dpi", "message": "must be at most 600"}]}});
        let failure = Failure::of_answer(422, &body);
        assert_eq!((failure.exit, failure.code.as_str()), (Exit::Refused, "validation_failed"));
        let said = failure.to_string();
        assert!(
            said.contains("  --dpi must be at most 600")
                && !said.contains("/options")
                && said.contains("(request req-1)"),
            "{said}"
        );
        for (status, code) in [(401, 3), (403, 3), (402, 4), (429, 5), (503, 5), (404, 6)] {
            assert_eq!(Failure::of_answer(status, &Value::Null).exit.code(), code, "{status}");
        }
        assert!(Failure::of_answer(401, &Value::Null).to_string().contains("docmill login"));
    }
}
