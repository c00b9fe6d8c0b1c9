//! The service's API, by the Rust client: requests within the rate limits, repeated where that is safe.

pub mod transfer;

use std::time::Duration;

use docmill_client::{Client, Error, HeaderMap, Method};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::config::Access;
use crate::failure::{Failure, Outcome, cause};

/// Requests that wait for a job take up to 25 seconds.
pub const WAIT_SECONDS: u64 = 25;
const TIMEOUT: Duration = Duration::from_secs(45);
/// An account may have ten requests that wait. Two are left to its other programs.
const WAITS: usize = 8;
const RETRIES: u32 = 5;
const AGENT: &str = concat!("docmill-cli/", env!("CARGO_PKG_VERSION"));
const STRICT: (HeaderName, HeaderValue) = (HeaderName::from_static("docmill-strict"), HeaderValue::from_static("true"));

#[derive(Debug)]
pub struct Api {
    client: Client,
    /// Sends each request once.
    once: Client,
    access: Access,
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
    /// The request may arrive twice: with the same key, it does nothing the second time.
    pub idempotency_key: Option<String>,
}

impl<'a> Call<'a> {
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), body: None, idempotency_key: None }
    }

    pub fn delete(path: impl Into<String>) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// A request that must not arrive twice.
    pub fn post(path: impl Into<String>, body: &'a Value) -> Self {
        Self { method: Method::POST, body: Some(body), ..Self::get(path) }
    }

    /// A request that does the same if it arrives twice.
    pub fn repeatable(self) -> Self {
        self.with_key(uuid::Uuid::now_v7().to_string())
    }

    pub fn with_key(self, key: impl Into<String>) -> Self {
        Self { idempotency_key: Some(key.into()), ..self }
    }

    async fn send(&self, client: &Client) -> docmill_client::Result<docmill_client::Answer> {
        let mut headers = HeaderMap::new();
        // An unknown name must not be ignored.
        headers.extend(self.body.map(|_| STRICT));
        if let Some(key) = &self.idempotency_key {
            let key = HeaderValue::try_from(key.as_str());
            headers.insert("idempotency-key", key.map_err(|_| Error::Usage("the key is not valid".to_owned()))?);
        }
        client.request(self.method.clone(), &self.path, headers, self.body).await
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
        let builder = Client::builder().url(&access.url).key(access.key.reveal()).timeout(TIMEOUT).user_agent(AGENT);
        let wrong = |error: Error| Failure::usage(error.to_string());
        Ok(Self {
            once: builder.clone().max_retries(0).build().map_err(wrong)?,
            client: builder.max_retries(RETRIES).paced().build().map_err(wrong)?,
            access,
            waits: Semaphore::new(WAITS),
        })
    }

    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The answer, or the failure that a repetition would not mend.
    pub async fn call(&self, call: Call<'_>) -> Outcome<Answer> {
        self.read(call.send(&self.client).await.map_err(|error| self.failure(&error))?)
    }

    /// The answer to one attempt, be it an error.
    pub async fn attempt(&self, call: &Call<'_>) -> Outcome<docmill_mcp::api::Answer> {
        let (status, body, pause) = match call.send(&self.once).await {
            Ok(answer) => {
                let Answer { status, body, .. } = self.read(answer)?;
                (status, body, None)
            }
            Err(Error::Api(error)) => (error.status.as_u16(), body_of(&error.body), error.retry_after),
            Err(error) => return Err(self.failure(&error)),
        };
        Ok(docmill_mcp::api::Answer { status, body, retry_after_seconds: pause.map(|pause| pause.as_secs()) })
    }

    fn read(&self, answer: docmill_client::Answer) -> Outcome<Answer> {
        let body = if answer.body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(&answer.body) };
        let body = body.map_err(|_| Failure::usage(format!("{} is not a Docmill service.", self.access.url)))?;
        Ok(Answer { status: answer.status.as_u16(), headers: answer.headers, body })
    }

    fn failure(&self, error: &Error) -> Failure {
        if let Some(error) = error.api() {
            return Failure::of_answer(error.status.as_u16(), &body_of(&error.body));
        }
        if matches!(error, Error::Network { .. }) {
            return Failure::unavailable(format!("No answer from {}: {}", self.access.url, cause(error)))
                .with_hint("Check the address and your connection, then run the same command again.");
        }
        Failure::usage(error.to_string())
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

/// Gateways answer without JSON.
fn body_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or(Value::Null)
}

/// A value for a query.
pub fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
