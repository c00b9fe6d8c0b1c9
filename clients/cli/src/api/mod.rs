//! The service's API: requests within the rate limits, repeated where that is safe.

pub mod rate;
pub mod transfer;

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Client, Method, Response};
use serde_json::Value;
use tokio::sync::Semaphore;

use self::rate::{Gate, Policy, retry_after};
use crate::config::Access;
use crate::failure::{Doing, Failure, Outcome};

/// Requests that wait for a job take up to 25 seconds.
pub const WAIT_SECONDS: u64 = 25;
const TIMEOUT: Duration = Duration::from_secs(45);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An account may have ten requests that wait. Two are left to its other programs.
const WAITS: usize = 8;
const TRIES: u32 = 6;
/// Pauses within the rate limit are normal; longer ones than this are a day's quota.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
const MOST_PAUSES: u32 = 60;

#[derive(Debug)]
pub struct Api {
    http: Client,
    access: Access,
    create: Gate,
    read: Gate,
    /// Requests that may wait at the same time.
    pub waits: Semaphore,
}

/// One request.
#[derive(Debug)]
pub struct Call<'a> {
    pub method: Method,
    /// With its query.
    pub path: String,
    pub body: Option<&'a Value>,
    pub idempotency_key: Option<&'a str>,
    /// Whether the request may arrive twice.
    pub is_repeatable: bool,
}

impl<'a> Call<'a> {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, idempotency_key: None, is_repeatable: true }
    }

    pub fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// A request that must not arrive twice.
    pub fn post(path: impl Into<String>, body: &'a Value) -> Self {
        Self { method: Method::POST, body: Some(body), is_repeatable: false, ..Self::get(path) }
    }

    pub fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    pub fn with_key(self, key: &'a str) -> Self {
        Self { idempotency_key: Some(key), ..self.repeatable() }
    }

    /// The rate limit that it counts towards.
    fn policy(&self) -> Policy {
        let creates = ["/jobs", "/batches", "/uploads", "/fonts", "/templates", "/webhooks/test"];
        let path = self.path.split('?').next().unwrap_or_default();
        let is_create = self.method == Method::POST
            && (creates.iter().any(|end| path.ends_with(end)) || path.starts_with("/v1/convert/"));
        if is_create { Policy::Create } else { Policy::Read }
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn has(&self, header: &str) -> bool {
        self.headers.contains_key(header)
    }
}

impl Api {
    pub fn new(access: Access) -> Outcome<Self> {
        let agent = concat!("docmill-cli/", env!("CARGO_PKG_VERSION"));
        let http = Client::builder().user_agent(agent).connect_timeout(CONNECT_TIMEOUT).build();
        Ok(Self {
            http: http.doing("Preparing requests")?,
            access,
            create: Gate::new(Policy::Create),
            read: Gate::new(Policy::Read),
            waits: Semaphore::new(WAITS),
        })
    }

    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The answer, or the failure that a repetition would not mend.
    pub async fn call(&self, call: Call<'_>) -> Outcome<Answer> {
        let gate = match call.policy() {
            Policy::Create => &self.create,
            Policy::Read => &self.read,
        };
        let (mut tries, mut pauses) = (0, 0);
        loop {
            let pass = gate.pass().await;
            let sent = self.send(&call).await;
            if let Ok((answer, _)) = &sent {
                gate.learn(pass, &answer.headers);
            }
            let (failure, pause) = match sent {
                Ok((answer, true)) => return Ok(answer),
                Ok((answer, false)) => {
                    let pause = retry_after(&answer.headers);
                    (Failure::of_answer(answer.status, &answer.body), (answer.status, pause))
                }
                Err(failure) => (failure, (0, None)),
            };
            match pause {
                (429, pause) => {
                    let pause = pause.unwrap_or(Duration::from_secs(1));
                    pauses += 1;
                    if pause > LONGEST_PAUSE || pauses > MOST_PAUSES {
                        return Err(failure);
                    }
                    gate.close(pause);
                }
                // The service did nothing, or a repetition is safe.
                (503, _) | (0 | 500 | 502 | 504, _) if call.is_repeatable => {
                    tries += 1;
                    if tries >= TRIES {
                        return Err(failure);
                    }
                    tokio::time::sleep(pause.1.unwrap_or_else(|| backoff(tries)).min(LONGEST_PAUSE)).await;
                }
                _ => return Err(failure),
            }
        }
    }

    /// The answer to one attempt, be it an error.
    pub async fn attempt(&self, call: &Call<'_>) -> Outcome<Answer> {
        self.send(call).await.map(|(answer, _)| answer)
    }

    /// Sends the request once. False: the answer is an error.
    async fn send(&self, call: &Call<'_>) -> Outcome<(Answer, bool)> {
        let mut request = self
            .http
            .request(call.method.clone(), format!("{}{}", self.access.url, call.path))
            .bearer_auth(self.access.key.reveal())
            .timeout(TIMEOUT);
        if let Some(body) = call.body {
            // An unknown name must not be ignored.
            request = request.header(CONTENT_TYPE, "application/json").header("docmill-strict", "true");
            request = request.body(body.to_string());
        }
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        let response = request.send().await.map_err(|error| self.no_answer(&error))?;
        self.read(response).await
    }

    async fn read(&self, response: Response) -> Outcome<(Answer, bool)> {
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await.map_err(|error| self.no_answer(&error))?;
        let body = if bytes.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&bytes) };
        match body {
            Ok(body) => Ok((Answer { status: status.as_u16(), headers, body }, status.is_success())),
            Err(_) if status.is_success() => {
                Err(Failure::usage(format!("{} is not a Docmill service.", self.access.url)))
            }
            Err(_) => Ok((Answer { status: status.as_u16(), headers, body: Value::Null }, false)),
        }
    }

    fn no_answer(&self, error: &reqwest::Error) -> Failure {
        Failure::unavailable(format!("No answer from {}: {}", self.access.url, cause(error)))
            .with_hint("Check the address and your connection, then run the same command again.")
    }

    /// All entries of a list that has pages.
    pub async fn pages(
        &self,
        path: &str,
        name: &str,
        most: usize,
        mut each: impl FnMut(&Value) -> Outcome<()>,
    ) -> Outcome<()> {
        let (mut cursor, mut count) = (String::new(), 0);
        loop {
            let joint = if path.contains('?') { '&' } else { '?' };
            let page = if cursor.is_empty() { path.to_owned() } else { format!("{path}{joint}cursor={cursor}") };
            let answer = self.call(Call::get(page)).await?;
            for entry in answer.body[name].as_array().into_iter().flatten() {
                if count == most {
                    return Ok(());
                }
                each(entry)?;
                count += 1;
            }
            match answer.body["nextCursor"].as_str().filter(|_| count < most) {
                Some(next) => cursor = encoded(next),
                None => return Ok(()),
            }
        }
    }
}

/// A value for a query.
pub fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

fn backoff(tries: u32) -> Duration {
    let jitter = rand::random_range(0.8..1.2);
    Duration::from_millis(250 * 2_u64.pow(tries.min(6))).mul_f64(jitter)
}

/// What went wrong, without the address: it may be signed.
pub fn cause(error: &reqwest::Error) -> String {
    let mut source = std::error::Error::source(error);
    let mut text = if error.is_timeout() { "it took too long".to_owned() } else { "the connection failed".to_owned() };
    while let Some(error) = source {
        text = error.to_string();
        source = error.source();
    }
    text
}
