//! A log line about a request, as `docmill-http` writes it. What it says beside the known fields is not read.

use docmill_domain::job::JobId;
use docmill_domain::request_log::LoggedRequest;
use docmill_domain::time::Timestamp;
use docmill_telemetry::{REQUEST_HANDLED, field};
use serde_json::{Map, Value};

/// The code of a request without an error.
const OK: &str = "ok";

/// A request of an account.
#[derive(Debug, PartialEq, Eq)]
pub struct Read {
    /// Whose request it was.
    pub account: String,
    /// The account's plan at that time.
    pub plan: String,
    /// What is kept of it.
    pub request: LoggedRequest,
}

/// `None` if it is not a whole line about a request of an account.
pub fn read(text: &str) -> Option<Read> {
    let line: Map<String, Value> = serde_json::from_str(text).ok()?;
    let text = |name: &str| line.get(name)?.as_str().map(str::to_owned);
    let number = |name: &str| line.get(name)?.as_u64();
    if text(field::MESSAGE)? != REQUEST_HANDLED {
        return None;
    }
    Some(Read {
        account: text(field::ACCOUNT)?,
        plan: text(field::PLAN)?,
        request: LoggedRequest {
            id: text(field::REQUEST_ID)?,
            at: Timestamp::parse(&text(field::TIMESTAMP)?)?,
            method: text(field::METHOD)?,
            path: text(field::PATH)?,
            status: number(field::STATUS)?.try_into().ok()?,
            code: text(field::CODE).filter(|code| code != OK),
            key_id: text(field::KEY)?,
            duration_us: number(field::DURATION_US)?,
            job: text(field::JOB_ID).and_then(|id| JobId::parse(&id)),
        },
    })
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(crate) fn line(account: &str, id: &str) -> Value {
        json!({
            "timestamp": "2026-11-28T12:00:00.123Z", "level": "INFO", "message": "request handled", "request_id": id,
            "route": "GET /v1/tools", "status": 200, "code": "ok", "duration_us": 4321, "account": account, "plan": "free",
            "key": "key_a", "path": "/v1/tools", "method": "GET", "requests": 1, "_aws": {},
        })
    }

    #[test]
    fn a_line_becomes_a_request() {
        let read = read(&line("acc_a", "r-1").to_string()).unwrap();
        assert_eq!((read.account.as_str(), read.plan.as_str()), ("acc_a", "free"));
        let request = read.request;
        assert_eq!((request.at.to_string().as_str(), request.status), ("2026-11-28T12:00:00.123Z", 200));
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/v1/tools"));
        assert_eq!((request.code, request.key_id.as_str(), request.duration_us), (None, "key_a", 4321));
    }

    #[test]
    fn refused_and_creating_requests_keep_their_code_and_job() {
        let mut refused = line("acc_a", "r-1");
        refused["status"] = json!(422);
        refused["code"] = json!("validation_failed");
        assert_eq!(read(&refused.to_string()).unwrap().request.code.as_deref(), Some("validation_failed"));
        let mut created = line("acc_a", "r-1");
        created["job_id"] = json!("01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90");
        assert_eq!(
            read(&created.to_string()).unwrap().request.job,
            JobId::parse("01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90")
        );
    }

    #[test]
    fn other_lines_are_no_requests() {
        let mut without_account = line("acc_a", "r-1");
        without_account.as_object_mut().unwrap().remove("account");
        let mut other = line("acc_a", "r-1");
        other["message"] = json!("job ended");
        let cut = line("acc_a", "r-1").to_string();
        for text in
            [&without_account.to_string(), &other.to_string(), &cut[..cut.len() / 2], "", "[]", "START RequestId: x"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
