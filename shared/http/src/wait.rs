//! Waiting for a job or an event within one request: `Prefer: wait=N` (RFC 7240) and `?wait=N`.

use std::time::Instant;

use docmill_app::wait::{LONGEST_WAIT_SECONDS, Wait};
use docmill_domain::breach::Breach;
use lambda_http::http::HeaderName;

use super::accept::{elements, split};
use super::request::ApiRequest;

/// Says that a preference was followed (RFC 7240 § 3).
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The wait that this request asks for. An invalid preference is ignored, as RFC 7240 requires; an invalid parameter is an error.
///
/// # Errors
/// If `?wait` is not a number of seconds that may be waited.
pub fn wait_of(request: &ApiRequest) -> Result<Option<Wait>, Breach> {
    let seconds = match request.query("wait") {
        Some(text) => Some(in_query(text)?),
        None => preferred(request),
    };
    Ok(seconds.and_then(|seconds| Wait::new(seconds, request.ends_at)))
}

/// A wait of as many seconds as `?wait` may ask for.
///
/// # Errors
/// If there are none or too many.
pub fn wait_for(seconds: u64, ends_at: Instant) -> Result<Option<Wait>, Breach> {
    let seconds = Some(seconds).filter(|seconds| (1..=LONGEST_WAIT_SECONDS).contains(seconds));
    Ok(Wait::new(seconds.ok_or_else(not_a_wait)?, ends_at))
}

fn in_query(text: &str) -> Result<u64, Breach> {
    let seconds = text.parse().ok().filter(|seconds| (1..=LONGEST_WAIT_SECONDS).contains(seconds));
    seconds.ok_or_else(not_a_wait)
}

fn not_a_wait() -> Breach {
    Breach::new("?wait", format!("must be a whole number of seconds from 1 to {LONGEST_WAIT_SECONDS}"))
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
    use std::time::Duration;

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
            ends_at: Instant::now() + Duration::from_secs(28),
        }
    }

    /// Seconds that the request may wait.
    fn granted(query: &[(&str, &str)], prefer: &[&str]) -> Option<u64> {
        let wait = wait_of(&request(query, prefer)).unwrap()?;
        Some((wait.ends_at() - tokio::time::Instant::now()).as_millis().div_ceil(1000) as u64)
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
            let breach = wait_of(&request(&[("wait", value)], &["wait=3"])).unwrap_err();
            assert_eq!(breach.path, "?wait", "{value}");
        }
    }

    #[test]
    fn no_wait_outlasts_the_function() {
        let brief = ApiRequest { ends_at: Instant::now() + Duration::from_secs(9), ..request(&[], &["wait=25"]) };
        let wait = wait_of(&brief).unwrap().unwrap();
        assert!(wait.ends_at() <= tokio::time::Instant::now() + Duration::from_secs(6));
    }
}
