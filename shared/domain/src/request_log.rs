//! The request log of an account: what is kept about each request, for how long, and how it is searched.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::account::Plan;
use crate::job::JobId;
use crate::time::Timestamp;

const DAY: Duration = Duration::from_secs(86_400);

/// A request as its account sees it later. It has neither body, query string nor key. The names are short because many of these
/// are stored together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedRequest {
    /// The id that its answer carried.
    #[serde(rename = "i")]
    pub id: String,
    /// When it was answered.
    #[serde(rename = "t")]
    pub at: Timestamp,
    /// The HTTP method.
    #[serde(rename = "m")]
    pub method: String,
    /// Without its query.
    #[serde(rename = "p")]
    pub path: String,
    /// The HTTP status of the answer.
    #[serde(rename = "s")]
    pub status: u16,
    /// The error's code; `None` if it succeeded.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The id of the key that was used.
    #[serde(rename = "k")]
    pub key_id: String,
    /// In microseconds.
    #[serde(rename = "d")]
    pub duration_us: u64,
    /// The job that it created.
    #[serde(rename = "j", default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
}

impl LoggedRequest {
    /// The job that it created or that its path names.
    pub fn about(&self) -> Option<JobId> {
        self.job.or_else(|| JobId::parse(self.path.strip_prefix("/v1/jobs/")?.split('/').next()?))
    }

    /// In milliseconds, rounded up.
    pub fn duration_ms(&self) -> u64 {
        self.duration_us.div_ceil(1000)
    }
}

/// How long the requests of an account with this plan are kept.
pub fn kept_for(plan: &str) -> Duration {
    if plan == Plan::DEFAULT_ID { 7 * DAY } else { LONGEST_KEPT }
}

/// The longest that any request is kept.
pub const LONGEST_KEPT: Duration = Duration::from_secs(30 * 86_400);

/// Statuses by their first digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusClass {
    /// 200 to 299.
    Success,
    /// 300 to 399.
    Redirect,
    /// 400 to 499: the request was at fault.
    Client,
    /// 500 to 599: the service was at fault.
    Service,
}

impl StatusClass {
    /// In ascending order.
    pub const ALL: [Self; 4] = [Self::Success, Self::Redirect, Self::Client, Self::Service];

    /// As query strings have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "2xx",
            Self::Redirect => "3xx",
            Self::Client => "4xx",
            Self::Service => "5xx",
        }
    }

    /// `None` unless the text is a class, such as `4xx`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.as_str() == text)
    }

    const fn admits(self, status: u16) -> bool {
        let class = status / 100;
        match self {
            Self::Success => class == 2,
            Self::Redirect => class == 3,
            Self::Client => class == 4,
            Self::Service => class == 5,
        }
    }
}

/// Which requests are wanted. Each part narrows the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Of the answer's status.
    pub class: Option<StatusClass>,
    /// The HTTP method, in upper case.
    pub method: Option<String>,
    /// A part of the path, such as a tool's name or a job's id.
    pub path: Option<String>,
    /// An error's code.
    pub code: Option<String>,
    /// The id of the key that was used.
    pub key_id: Option<String>,
    /// The request's own id.
    pub id: Option<String>,
    /// Included.
    pub from: Option<Timestamp>,
    /// Excluded.
    pub until: Option<Timestamp>,
}

impl RequestFilter {
    /// Whether the request meets all that is wanted.
    pub fn admits(&self, request: &LoggedRequest) -> bool {
        let is = |wanted: &Option<String>, text: &str| wanted.as_ref().is_none_or(|wanted| wanted == text);
        self.class.is_none_or(|class| class.admits(request.status))
            && is(&self.method, &request.method)
            && is(&self.key_id, &request.key_id)
            && is(&self.id, &request.id)
            && self.code.as_ref().is_none_or(|code| request.code.as_ref() == Some(code))
            && self.path.as_ref().is_none_or(|part| names(request, part))
            && self.from.is_none_or(|from| from <= request.at)
            && self.until.is_none_or(|until| request.at < until)
    }
}

/// Whether the path, or the id of the job that was created, has this part.
fn names(request: &LoggedRequest, part: &str) -> bool {
    request.path.contains(part) || request.job.is_some_and(|job| job.to_string() == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> LoggedRequest {
        LoggedRequest {
            id: "r-1".into(),
            at: Timestamp(1000),
            method: "GET".into(),
            path: "/v1/jobs/01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90/download".into(),
            status: 404,
            code: Some("job_not_found".into()),
            key_id: "key_a".into(),
            duration_us: 1500,
            job: None,
        }
    }

    #[test]
    fn free_accounts_keep_a_week() {
        assert_eq!((kept_for("free"), kept_for("pro")), (7 * DAY, LONGEST_KEPT));
    }

    #[test]
    fn each_part_of_a_filter_narrows_the_others() {
        let all = RequestFilter {
            class: Some(StatusClass::Client),
            method: Some("GET".into()),
            path: Some("/download".into()),
            code: Some("job_not_found".into()),
            key_id: Some("key_a".into()),
            id: Some("r-1".into()),
            from: Some(Timestamp(1000)),
            until: Some(Timestamp(1001)),
        };
        assert!(RequestFilter::default().admits(&request()) && all.admits(&request()));
        for narrower in [
            RequestFilter { class: Some(StatusClass::Service), ..all.clone() },
            RequestFilter { method: Some("POST".into()), ..all.clone() },
            RequestFilter { path: Some("merge-pdf".into()), ..all.clone() },
            RequestFilter { code: Some("unavailable".into()), ..all.clone() },
            RequestFilter { key_id: Some("key_b".into()), ..all.clone() },
            RequestFilter { id: Some("r-2".into()), ..all.clone() },
            RequestFilter { from: Some(Timestamp(1001)), ..all.clone() },
            RequestFilter { until: Some(Timestamp(1000)), ..all.clone() },
        ] {
            assert!(!narrower.admits(&request()), "{narrower:?}");
        }
        let succeeded = LoggedRequest { status: 200, code: None, ..request() };
        assert!(!RequestFilter { code: Some("job_not_found".into()), ..RequestFilter::default() }.admits(&succeeded));
    }

    #[test]
    fn a_request_is_about_the_job_that_it_names_or_created() {
        let id = JobId::parse("01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90");
        assert_eq!(request().about(), id);
        let created = LoggedRequest { path: "/v1/jobs".into(), job: id, ..request() };
        assert_eq!((created.about(), request().duration_ms()), (id, 2));
        assert_eq!(LoggedRequest { path: "/v1/jobs".into(), ..request() }.about(), None);
        let of_job = RequestFilter { path: id.map(|id| id.to_string()), ..RequestFilter::default() };
        assert!(of_job.admits(&created) && of_job.admits(&request()));
    }
}
