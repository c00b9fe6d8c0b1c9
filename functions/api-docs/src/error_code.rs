//! The values of `error.code` in responses and failed jobs.

use docmill_domain::job::JobErrorCode;
use docmill_http::error::ErrorCode;

/// A code of a response, of a failed job, or of both.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    pub response: Option<ErrorCode>,
    pub job: Option<JobErrorCode>,
}

/// The names of all codes, those of responses first.
pub fn all() -> Vec<&'static str> {
    let mut names: Vec<_> = ErrorCode::ALL.map(ErrorCode::as_str).into();
    let of_jobs = JobErrorCode::ALL.map(JobErrorCode::as_str);
    names.extend(of_jobs.into_iter().filter(|name| ErrorCode::ALL.iter().all(|code| code.as_str() != *name)));
    names
}

pub fn find(name: &str) -> Option<Code> {
    let response = ErrorCode::ALL.into_iter().find(|code| code.as_str() == name);
    let job = JobErrorCode::ALL.into_iter().find(|code| code.as_str() == name);
    (response.is_some() || job.is_some()).then_some(Code { response, job })
}
