//! Requests to receivers. They go through the guard, and whatever a receiver does costs only its own time: at most
//! [`TIMEOUT`] for a request, and 64 KiB of its answer.

use std::time::Duration;

use docmill_domain::time::Timestamp;
use docmill_domain::webhook::Sent;
use docmill_domain::webhook::schedule::retry_after;
use docmill_egress::{ExchangeError, GuardedClient};
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Method, Response};
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use crate::sign::Headers;

/// The longest time for a request, from the look-up of its host's name to the end of its answer.
pub const TIMEOUT: Duration = Duration::from_secs(15);
/// The status decides. The beginning of the answer is only for people, so it is not waited for long.
const BODY_TIME: Duration = Duration::from_secs(2);
const MOST_READ: usize = 64 * 1024;
const MOST_KEPT: usize = 1024;

/// Sends webhooks. Built once per environment, and cheap to clone.
#[derive(Clone, Debug)]
pub struct Sender {
    client: GuardedClient,
    timeout: Duration,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The request and its response, as they are kept.
    pub sent: Sent,
    /// The answer's `Retry-After`.
    pub retry_after: Option<Duration>,
}

impl Sender {
    /// With the usual time for a request.
    pub fn new(client: GuardedClient) -> Self {
        Self { client, timeout: TIMEOUT }
    }

    /// The same with another time for a request.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Posts a signed body. Redirects are not followed. `now`: the time of the request.
    pub async fn send(&self, url: &str, headers: &Headers, body: String, now: Timestamp) -> Answer {
        let began = Instant::now();
        let exchange = timeout(self.timeout, self.exchange(url, headers, body, now)).await;
        let (status, answer, retry_after, error) = match exchange {
            Ok(Ok(Received { status, body, retry_after })) => (Some(status), body, retry_after, None),
            Ok(Err(error)) => (None, String::new(), None, Some(error)),
            Err(_) => (None, String::new(), None, Some(format!("no answer within {} seconds", self.timeout.as_secs()))),
        };
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Answer { sent: Sent { at: now, ms, status, answer, error }, retry_after }
    }

    async fn exchange(&self, url: &str, headers: &Headers, body: String, now: Timestamp) -> Result<Received, String> {
        let url = Url::parse(url).map_err(|error| error.to_string())?;
        let request = self.client.request(Method::POST, &url).map_err(|error| error.to_string())?;
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", &headers.id)
            .header("webhook-timestamp", headers.timestamp)
            .header("webhook-signature", &headers.signature)
            .body(body);
        let response = request.send().await.map_err(|error| ExchangeError::failed(&url, &error).to_string())?;
        let (status, retry_after) = (response.status().as_u16(), asked_for(response.headers(), now));
        Ok(Received { status, body: beginning(response).await, retry_after })
    }
}

struct Received {
    status: u16,
    body: String,
    retry_after: Option<Duration>,
}

fn asked_for(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, now)
}

/// The first KiB of an answer as text. An answer that is too long, too slow or broken off has been received all the same.
async fn beginning(mut response: Response) -> String {
    let until = Instant::now() + BODY_TIME;
    let (mut kept, mut read) = (Vec::new(), 0);
    while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
        read += chunk.len();
        kept.extend(chunk.iter().take(MOST_KEPT.saturating_sub(kept.len())));
        if read >= MOST_READ {
            break;
        }
    }
    let text = String::from_utf8_lossy(&kept);
    let shown =
        text.chars().map(|each| if each.is_control() && each != '\n' && each != '\t' { '\u{fffd}' } else { each });
    shown.collect()
}
