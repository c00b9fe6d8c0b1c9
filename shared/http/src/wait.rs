//! Waiting for a job or an event within one request: `Prefer: wait=N` (RFC 7240) and `?wait=N`.

use std::time::Duration;

use lambda_http::http::HeaderName;
use tokio::time::{Instant, sleep_until, timeout};
use uuid::Uuid;

use super::accept::{elements, split};
use super::request::ApiRequest;
use docmill_config::clock;
use docmill_domain::breach::Breach;
use docmill_domain::job::Job;
use docmill_store::StoreError;
use docmill_store::jobs::{Jobs, Slot};

pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The longest wait. The gateway gives up after 30 seconds.
pub const LONGEST_WAIT_SECONDS: u64 = 25;
/// Time reserved for the last read and the response.
const ANSWER_TIME: Duration = Duration::from_secs(3);
const READ_TIME: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A request to wait, and its deadline.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    until: Instant,
}

impl Wait {
    /// The wait that this request asks for. An invalid preference is ignored, as RFC 7240 requires; an invalid parameter is an
    /// error.
    pub fn of(request: &ApiRequest) -> Result<Option<Self>, Breach> {
        let seconds = match request.query("wait") {
            Some(text) => Some(in_query(text)?),
            None => preferred(request),
        };
        let latest = Instant::from_std(request.ends_at).checked_sub(ANSWER_TIME);
        Ok(seconds.zip(latest).map(|(seconds, latest)| {
            let wanted = Instant::now() + Duration::from_secs(seconds.min(LONGEST_WAIT_SECONDS));
            Self { until: wanted.min(latest) }
        }))
    }

    /// The job once it has ended, or its current state when time is up; and whether the request was allowed to wait.
    ///
    /// A wait holds an environment, so an account has at most `most` at once. One more is answered at once: a preference may be
    /// ignored (RFC 7240). Slots count exactly across environments for two writes, which a wait of a second costs in reads anyway.
    pub async fn for_end(self, jobs: &Jobs, job: Job, most: u64) -> (Job, bool) {
        let (id, account) = (job.id, job.account.clone());
        let has_ended = |job: &Job| job.status_at(clock::now()).is_terminal();
        // An eventually consistent read may be late, but if it shows an end, the job has ended. Only the last read is strongly
        // consistent.
        let read = move |is_last| async move { if is_last { jobs.get(id).await } else { jobs.glimpse(id).await } };
        self.until(jobs, (&account, most), job, has_ended, read).await
    }

    /// The same for anything that `read` reads: the first that is `over`, or the last when time is up. `read` is told whether it is
    /// the last time, and may find nothing new.
    pub async fn until<T, F>(
        self,
        jobs: &Jobs,
        (account, most): (&str, u64),
        first: T,
        over: impl Fn(&T) -> bool,
        read: impl Fn(bool) -> F,
    ) -> (T, bool)
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        if over(&first) {
            return (first, true);
        }
        let (slot, holder, now) = (Slot::Waiting { account }, Uuid::now_v7().simple().to_string(), clock::now());
        let times = (now, now.plus(self.until.saturating_duration_since(Instant::now()) + ANSWER_TIME));
        match timeout(READ_TIME, jobs.take_slot(&slot, &holder, None, most, times)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => return (first, false),
            Ok(Err(error)) => {
                tracing::warn!(account, %error, "waits could not be counted; the request does not wait");
                return (first, false);
            }
            Err(_elapsed) => {
                tracing::warn!(account, "waits were not counted in time; the request does not wait");
                return (first, false);
            }
        }
        let last = self.look(first, over, read).await;
        // A slot that is not given back ends by itself.
        if let Ok(Err(error)) = timeout(READ_TIME, jobs.return_slot(&slot, &holder)).await {
            tracing::warn!(account, %error, "a wait's slot could not be given back");
        }
        (last, true)
    }

    /// Failed reads are skipped: what is awaited is safe.
    async fn look<T, F>(self, mut last: T, over: impl Fn(&T) -> bool, read: impl Fn(bool) -> F) -> T
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        let mut pause = FIRST_PAUSE;
        while !over(&last) && Instant::now() < self.until {
            let next = (Instant::now() + pause).min(self.until);
            sleep_until(next).await;
            let read = timeout(READ_TIME, read(next == self.until)).await;
            match read.unwrap_or_else(|_| Err(StoreError::Unavailable("too slow".into()))) {
                Ok(Some(found)) => last = found,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "what is awaited could not be read"),
            }
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
        last
    }
}

fn in_query(text: &str) -> Result<u64, Breach> {
    let seconds = text.parse().ok().filter(|seconds| (1..=LONGEST_WAIT_SECONDS).contains(seconds));
    let expected = || format!("must be a whole number of seconds from 1 to {LONGEST_WAIT_SECONDS}");
    seconds.ok_or_else(|| Breach::new("?wait", expected()))
}

/// The first `wait` of the `Prefer` headers: `wait=10`, `respond-async, wait="10"; x=y`.
fn preferred(request: &ApiRequest) -> Option<u64> {
    let mut preferences = elements(&request.headers, &PREFER);
    preferences.find_map(|preference| {
        let preference = split(&preference, ';').into_iter().next()?;
        let (name, value) = preference.split_once('=')?;
        let seconds = value.trim().trim_matches('"').parse().ok();
        seconds.filter(|seconds| name.trim().eq_ignore_ascii_case("wait") && *seconds > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RequestId;
    use lambda_http::http::{HeaderMap, HeaderValue, Method};

    fn request(query: &[(&str, &str)], prefer: &[&str]) -> ApiRequest {
        let lines = prefer.iter().map(|line| (PREFER, HeaderValue::from_str(line).unwrap()));
        let mut headers = HeaderMap::new();
        lines.for_each(|(name, line)| _ = headers.append(name, line));
        ApiRequest {
            id: RequestId::from("r"),
            method: Method::POST,
            path: "/v1/jobs".into(),
            path_parameters: Default::default(),
            query: query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            headers,
            body: Vec::new(),
            ends_at: std::time::Instant::now() + Duration::from_secs(28),
        }
    }

    /// Seconds that the request may wait.
    fn granted(query: &[(&str, &str)], prefer: &[&str]) -> Option<u64> {
        let wait = Wait::of(&request(query, prefer)).unwrap()?;
        Some((wait.until - Instant::now()).as_millis().div_ceil(1000) as u64)
    }

    #[test]
    fn preferences_are_parsed_as_in_the_rfc() {
        for lines in [
            vec!["wait=10"],
            vec!["Wait = 10"],
            vec!["respond-async, wait=10"],
            vec!["wait=\"10\"; foo=bar"],
            vec!["foo=\"a, wait=3\", wait=10"],
            vec!["respond-async", "wait=10, wait=20"],
        ] {
            assert_eq!(granted(&[], &lines), Some(10), "{lines:?}");
        }
        for lines in [vec![], vec!["wait"], vec!["wait=x"], vec!["wait=0"], vec!["wait=-1"], vec!["await=5"]] {
            assert_eq!(granted(&[], &lines), None, "{lines:?}");
        }
    }

    #[test]
    fn a_long_preference_is_shortened_and_an_invalid_parameter_is_refused() {
        assert_eq!(granted(&[], &["wait=3600"]), Some(25));
        assert_eq!(granted(&[("wait", "7")], &["wait=3"]), Some(7));
        for value in ["0", "26", "-1", "1.5", "x", ""] {
            let breach = Wait::of(&request(&[("wait", value)], &["wait=3"])).unwrap_err();
            assert_eq!(breach.path, "?wait", "{value}");
        }
    }

    #[test]
    fn no_wait_outlasts_the_function() {
        let brief =
            ApiRequest { ends_at: std::time::Instant::now() + Duration::from_secs(9), ..request(&[], &["wait=25"]) };
        let wait = Wait::of(&brief).unwrap().unwrap();
        assert!(wait.until <= Instant::now() + Duration::from_secs(6));
    }
}
