use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use crate::client::Client;
use crate::error::{ApiError, Error, Result};
use crate::models::{ErrorBody, Job};

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
/// An API that asks for a longer pause than this is an error at once.
const MOST_PATIENCE: Duration = Duration::from_secs(60);
/// Pauses of a paced client are normal; longer ones than this are a day's quota.
const MOST_PACED_PATIENCE: Duration = Duration::from_secs(120);
const MOST_PACED_PAUSES: u32 = 60;

/// What the API answered.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Answer {
    /// Below 400.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// Identifies the request for support.
    pub fn request_id(&self) -> Option<&str> {
        self.headers.get("x-request-id")?.to_str().ok()
    }

    /// The body as one of [`crate::models`], or as [`serde_json::Value`].
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body)
            .map_err(|cause| Error::Unexpected { request_id: self.request_id().map(str::to_owned), cause })
    }
}

/// A request to the API.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    method: Method,
    path: Path,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Option<Bytes>,
    wait: Duration,
    once: bool,
}

#[derive(Clone, Debug)]
enum Path {
    /// Not escaped.
    Segments(Vec<String>),
    /// As a URL has it, maybe with a query.
    Written(String),
}

impl Call {
    /// Segments are escaped, so that an id can't become another path.
    pub(crate) fn new(method: Method, segments: &[&str]) -> Result<Self> {
        if let Some(bad) = segments.iter().find(|segment| matches!(**segment, "" | "." | "..")) {
            return Err(Error::Usage(format!("the id {bad:?} is not valid")));
        }
        Ok(Self::with(method, Path::Segments(segments.iter().map(|&segment| segment.to_owned()).collect())))
    }

    fn with(method: Method, path: Path) -> Self {
        Self {
            method,
            path,
            query: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            wait: Duration::ZERO,
            once: false,
        }
    }

    pub(crate) fn get(segments: &[&str]) -> Result<Self> {
        Self::new(Method::GET, segments)
    }

    pub(crate) fn post(segments: &[&str], body: &impl Serialize) -> Result<Self> {
        Self::new(Method::POST, segments)?.json(body)
    }

    pub(crate) fn json(mut self, body: &impl Serialize) -> Result<Self> {
        let text =
            serde_json::to_vec(body).map_err(|error| Error::Usage(format!("the request is not JSON: {error}")))?;
        self.body = Some(text.into());
        self.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(self)
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Result<Self> {
        let value =
            HeaderValue::try_from(value).map_err(|_| Error::Usage(format!("the header {name} is not valid")))?;
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Headers of whatever is charged: a misspelled option is an error, not ignored.
    pub(crate) fn creating(self, key: Option<String>) -> Result<Self> {
        let key = key.unwrap_or_else(|| Uuid::now_v7().to_string());
        self.header("idempotency-key", &key)?.header("docmill-strict", "true")
    }

    pub(crate) fn headers(mut self, headers: HeaderMap) -> Self {
        self.headers.extend(headers);
        self
    }

    pub(crate) fn query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            self.query.retain(|(known, _)| known != name);
            self.query.push((name.to_owned(), value.to_string()));
        }
        self
    }

    /// The API may hold the request for this long, in whole seconds.
    pub(crate) fn wait(mut self, wait: Duration) -> Self {
        self.wait = Duration::from_secs(wait.as_secs());
        if let Ok(value) = HeaderValue::try_from(format!("wait={}", self.wait.as_secs()))
            && !self.wait.is_zero()
        {
            self.headers.insert("prefer", value);
        }
        self
    }

    /// If an answer is lost, repeating the request would do something a second time.
    pub(crate) fn once(mut self) -> Self {
        self.once = true;
        self
    }
}

impl Client {
    /// Sends any request to the API. A POST or PATCH without an `Idempotency-Key` header is not repeated if its answer is lost.
    pub async fn request(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<&serde_json::Value>,
    ) -> Result<Answer> {
        let once = matches!(method, Method::POST | Method::PATCH) && !headers.contains_key("idempotency-key");
        let mut call = Call::with(method, Path::Written(path.trim_start_matches('/').to_owned())).headers(headers);
        if let Some(body) = body {
            call = call.json(body)?;
        }
        self.send(&if once { call.once() } else { call }).await
    }

    pub(crate) async fn json<T: DeserializeOwned>(&self, call: &Call) -> Result<T> {
        self.send(call).await?.json()
    }

    /// Repeats the request until it succeeds or can't.
    pub(crate) async fn send(&self, call: &Call) -> Result<Answer> {
        let mut tries = self.tries();
        loop {
            match self.attempt(call).await {
                Ok(answer) => return Ok(answer),
                Err(error) => tries.again(error, call.once).await?,
            }
        }
    }

    async fn attempt(&self, call: &Call) -> Result<Answer> {
        let address = self.address(call)?;
        let Some(pace) = &self.inner.pace else { return self.exchange(call, address).await.and_then(accepted) };
        let gate = pace.gate(&call.method, address.path());
        let pass = gate.pass().await;
        let answer = self.exchange(call, address).await?;
        gate.learn(pass, &answer.headers);
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            gate.close(retry_after(&answer.headers).unwrap_or(FIRST_PAUSE));
        }
        accepted(answer)
    }

    /// The answer of one request, be it an error.
    async fn exchange(&self, call: &Call, address: Url) -> Result<Answer> {
        let mut request = self
            .inner
            .http
            .request(call.method.clone(), address)
            .timeout(self.inner.timeout + call.wait)
            .header(ACCEPT, "application/json")
            .headers(call.headers.clone())
            .header(AUTHORIZATION, self.inner.authorization.clone());
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        answer_to(request, self.inner.base.as_str()).await
    }

    /// A path is appended to the address of the API, so that the key stays there.
    fn address(&self, call: &Call) -> Result<Url> {
        let invalid = || Error::Usage("the path is not valid".to_owned());
        let base = &self.inner.base;
        let mut address = match &call.path {
            Path::Written(path) => Url::parse(&format!("{base}{path}")).map_err(|_| invalid())?,
            Path::Segments(_) => base.clone(),
        };
        if let Path::Segments(segments) = &call.path {
            address.path_segments_mut().map_err(|()| invalid())?.pop_if_empty().extend(segments);
        }
        if !call.query.is_empty() {
            address.query_pairs_mut().extend_pairs(&call.query);
        }
        Ok(address)
    }

    pub(crate) fn tries(&self) -> Tries {
        Tries { failures: 0, most: self.inner.max_retries, pauses: self.inner.pace.as_ref().map(|_| 0) }
    }
}

/// The whole answer to a request, be it an error. `address`: whose host an error of the network names.
pub(crate) async fn answer_to(request: RequestBuilder, address: &str) -> Result<Answer> {
    let broken = |error: reqwest::Error| Error::network(address, error.without_url());
    let response = request.send().await.map_err(broken)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = response.bytes().await.map_err(broken)?;
    Ok(Answer { status, headers, body })
}

/// An answer below 400.
pub(crate) fn accepted(answer: Answer) -> Result<Answer> {
    if answer.status.as_u16() < 400 { Ok(answer) } else { Err(Error::Api(Box::new(refusal(&answer)))) }
}

/// Reads the form of the API, that of the gateway, or none.
fn refusal(answer: &Answer) -> ApiError {
    #[derive(Deserialize, Default)]
    struct Body {
        error: Option<ErrorBody>,
        message: Option<String>,
        job: Option<Box<Job>>,
    }
    let body: Body = serde_json::from_slice(&answer.body).unwrap_or_default();
    let (code, message, details, required, available) = match body.error {
        Some(error) => (Some(error.code), Some(error.message), error.details, error.required, error.available),
        None => (None, body.message, Vec::new(), None, None),
    };
    ApiError {
        status: answer.status,
        code,
        message,
        request_id: answer.request_id().map(str::to_owned),
        details,
        required,
        available,
        retry_after: retry_after(&answer.headers),
        job: body.job,
        body: answer.body.clone(),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// The tries of one request.
pub(crate) struct Tries {
    failures: u32,
    most: u32,
    /// How often a paced client was told to wait.
    pauses: Option<u32>,
}

impl Tries {
    /// Pauses before the next try, or returns the error if it stays.
    pub(crate) async fn again(&mut self, error: Error, once: bool) -> Result<()> {
        if self.is_paced(&error) {
            return Ok(());
        }
        let Some(pause) = self.pause(&error, once) else { return Err(error.after(self.failures + 1)) };
        self.failures += 1;
        tokio::time::sleep(pause).await;
        Ok(())
    }

    /// Whether the next try waits at its gate. The API did nothing, so no try was lost.
    fn is_paced(&mut self, error: &Error) -> bool {
        let Some(pauses) = &mut self.pauses else { return false };
        let is_limit = error.api().is_some_and(|error| {
            error.status == StatusCode::TOO_MANY_REQUESTS
                && error.retry_after.is_none_or(|pause| pause <= MOST_PACED_PATIENCE)
        });
        *pauses += u32::from(is_limit);
        is_limit && *pauses <= MOST_PACED_PAUSES
    }

    fn pause(&self, error: &Error, once: bool) -> Option<Duration> {
        let asked = match error {
            Error::Network { .. } if !once => None,
            Error::Api(error) => match error.status.as_u16() {
                429 | 503 => error.retry_after,
                500 | 502 | 504 if !once => error.retry_after,
                _ => return None,
            },
            Error::Network { .. }
            | Error::JobFailed(_)
            | Error::JobCanceled { .. }
            | Error::WaitTimeout { .. }
            | Error::Integrity { .. }
            | Error::Webhook(_)
            | Error::Usage(_)
            | Error::File(_)
            | Error::Unexpected { .. } => return None,
        };
        if self.failures >= self.most || asked.is_some_and(|pause| pause > MOST_PATIENCE) {
            return None;
        }
        let own = FIRST_PAUSE.saturating_mul(1 << self.failures.min(10)).min(LONGEST_PAUSE);
        Some(match asked {
            Some(pause) => pause + (FIRST_PAUSE / 5).mul_f64(random()),
            None => own.mul_f64(0.75 + random() / 2.0),
        })
    }
}

/// From 0 to 1, so that clients which fail together don't come back together.
fn random() -> f64 {
    let [.., last] = Uuid::now_v7().into_bytes();
    f64::from(last) / f64::from(u8::MAX)
}
