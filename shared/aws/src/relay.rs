//! What workers in a network without a way out ask the relay to do: fetch a source, deliver a result, send a message.
//!
//! A request is an object in the bucket. Its creation calls the relay, whose reply is another object. Requests may contain headers
//! and signed addresses, so each is deleted as soon as the relay has taken it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::files::{Files, FilesError, ObjectKey, RelayPart, Stored};
use docmill_config::clock;
use docmill_domain::job::JobErrorCode;
use docmill_domain::job::queue::QueueName;
use docmill_domain::time::Timestamp;

/// How long a request may wait until the relay takes it, beside the time that it takes.
const WAIT: Duration = Duration::from_secs(20);
/// Pauses between two looks for a reply.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(320);

/// What the relay is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Request {
    /// Version 1: fetch a source into the bucket.
    #[serde(rename = "fetch.v1")]
    Fetch(Fetch),
    /// Version 1: deliver a result.
    #[serde(rename = "put.v1")]
    Put(Put),
    /// Version 1: ask a service a short question.
    #[serde(rename = "ask.v1")]
    Ask(Ask),
    /// Version 1: send a message.
    #[serde(rename = "message.v1")]
    Message(Message),
    /// Version 1: make a received message visible again.
    #[serde(rename = "retry.v1")]
    Retry(Retry),
}

/// A source to fetch.
#[derive(Clone, Serialize, Deserialize)]
pub struct Fetch {
    /// The source's address. It may contain a secret.
    pub url: String,
    /// Sent with the request. They may be secrets.
    pub headers: BTreeMap<String, String>,
    /// How many bytes are left of those that all sources of the job may have, and how many these are.
    pub bytes: u64,
    /// See [`bytes`](Self::bytes).
    pub most: u64,
    /// How many may be followed.
    pub redirects: u32,
    /// How long the fetch may take.
    pub milliseconds: u64,
    /// Nobody waits for the reply after this time.
    pub until: Timestamp,
}

/// A result to deliver.
#[derive(Clone, Serialize, Deserialize)]
pub struct Put {
    /// The receiver's address. It may contain a secret.
    pub url: String,
    /// Sent with the result. They may be secrets.
    pub headers: BTreeMap<String, String>,
    /// The result's media type.
    pub content_type: String,
    /// The key of the stored result.
    pub key: String,
    /// The result's size.
    pub bytes: u64,
    /// How long the delivery may take.
    pub milliseconds: u64,
    /// Nobody waits for the reply after this time.
    pub until: Timestamp,
}

/// A question to a service, such as a time-stamp authority.
#[derive(Clone, Serialize, Deserialize)]
pub struct Ask {
    /// The service's address. It may contain a secret.
    pub url: String,
    /// How it is asked.
    #[serde(default)]
    pub method: Method,
    /// Sent with the question. They may be secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The media type of the question.
    pub content_type: String,
    /// The question in base64.
    pub body: String,
    /// Whether answers with an error status are taken, too.
    #[serde(default)]
    pub any_status: bool,
    /// The most bytes of the answer.
    pub most: u64,
    /// How many redirects may be followed.
    #[serde(default)]
    pub redirects: u32,
    /// How long the exchange may take.
    pub milliseconds: u64,
    /// Nobody waits for the reply after this time.
    pub until: Timestamp,
}

/// How a service is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// With a question in the body.
    #[default]
    Post,
    /// By the address alone.
    Get,
}

/// The queue of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// Of the workers.
    Conversions(QueueName),
    /// New events, for the deliverer of webhooks.
    Events,
}

/// A message to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its queue.
    pub to: Destination,
    /// The account, by which fair queues tell backlogs apart.
    pub group: String,
    /// The tagged JSON.
    pub body: String,
    /// How many messages went before it, if it may be one of a chain: see `queue::chain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
}

/// A received message that is to come back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Where it was received.
    pub queue: QueueName,
    /// The handle of this receipt.
    pub receipt: String,
    /// After how long.
    pub seconds: i32,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Reply {
    /// The source is in the bucket. `url` is its address after redirects.
    #[serde(rename = "fetched.v1")]
    Fetched {
        /// As the server said.
        content_type: Option<String>,
        /// Where the source was, after redirects.
        url: String,
        /// As the server said.
        filename: Option<String>,
    },
    /// The receiver has the result.
    #[serde(rename = "delivered.v1")]
    Delivered,
    /// The service has answered.
    #[serde(rename = "answered.v1")]
    Answered {
        /// The answer in base64.
        body: String,
        /// Its HTTP status.
        #[serde(default = "success")]
        status: u16,
    },
    /// `sent`: the receiver has the whole result all the same.
    #[serde(rename = "failed.v1")]
    Failed {
        /// The code that the job fails with.
        code: JobErrorCode,
        /// For the job's owner.
        message: String,
        /// For the log.
        cause: String,
        /// Whether the receiver has the whole result all the same.
        sent: bool,
    },
}

/// What a relay has answered that only told successes.
const fn success() -> u16 {
    200
}

/// Addresses contain signatures, and headers are secret: none of it may be logged.
impl std::fmt::Debug for Fetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetch").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Put {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Put").field("key", &self.key).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Ask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").finish_non_exhaustive()
    }
}

impl Request {
    /// Until when somebody waits for the reply.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::Fetch(fetch) => Some(fetch.until),
            Self::Put(put) => Some(put.until),
            Self::Ask(ask) => Some(ask.until),
            Self::Message(_) | Self::Retry(_) => None,
        }
    }
}

/// Why there is no reply.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The bucket did not take the request, or did not give the reply.
    #[error("the relay can't be asked: {0}")]
    Files(#[from] FilesError),
    /// There was no reply in time: the relay may be down, or still at work.
    #[error("the relay did not answer in time")]
    Silent,
    /// The relay is of another version.
    #[error("a request or reply of the relay is not readable: {0}")]
    Malformed(String),
}

/// Asks the relay.
#[derive(Clone, Debug)]
pub struct Relay {
    files: Files,
    wait: Duration,
}

/// A reply, and what belongs to its request in the bucket.
#[derive(Debug)]
pub struct Answer {
    /// What became of the request.
    pub reply: Reply,
    files: Files,
    id: String,
}

impl Relay {
    /// Over the bucket that the relay listens to.
    pub fn new(files: Files) -> Self {
        Self { files, wait: WAIT }
    }

    /// The same, but a request waits only this long until the relay takes it.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// The end of a request that takes this long.
    pub fn until(&self, takes: Duration) -> Timestamp {
        clock::now().plus(takes + self.wait)
    }

    /// Leaves a request to which there is no reply.
    ///
    /// # Errors
    /// If the bucket does not take the request.
    pub async fn tell(&self, request: &Request) -> Result<(), RelayError> {
        self.request(&new_id(), request).await
    }

    /// Waits for the reply to a request that takes this long at most.
    ///
    /// # Errors
    /// If the bucket does not take the request, or there is no readable reply in time.
    pub async fn ask(&self, request: &Request, takes: Duration) -> Result<Answer, RelayError> {
        let id = new_id();
        self.request(&id, request).await?;
        let (files, key) = (self.files.clone(), key(&id, RelayPart::Reply).to_string());
        let asked = tokio::time::timeout(takes + self.wait, look_for(&files, &key)).await;
        let Ok(text) = asked else {
            forget(&files, &id).await;
            return Err(RelayError::Silent);
        };
        let reply = serde_json::from_str(&text?).map_err(|error| RelayError::Malformed(error.to_string()))?;
        Ok(Answer { reply, files, id })
    }

    async fn request(&self, id: &str, request: &Request) -> Result<(), RelayError> {
        let text = serde_json::to_string(request).map_err(|error| RelayError::Malformed(error.to_string()))?;
        Ok(self.files.put_text(&key(id, RelayPart::Request), text).await?)
    }
}

impl Answer {
    /// The fetched source.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn body(&self) -> Result<Option<Stored>, FilesError> {
        self.files.get(&key(&self.id, RelayPart::Body).to_string()).await
    }

    /// Deletes everything that belongs to the request.
    pub async fn forget(self) {
        forget(&self.files, &self.id).await;
    }
}

fn new_id() -> String {
    Uuid::now_v7().simple().to_string()
}

fn key(id: &str, part: RelayPart) -> ObjectKey<'_> {
    ObjectKey::Relay { id, part }
}

async fn look_for(files: &Files, key: &str) -> Result<String, FilesError> {
    let mut pause = FIRST_PAUSE;
    loop {
        tokio::time::sleep(pause).await;
        if let Some(text) = files.peek_text(key).await? {
            return Ok(text);
        }
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

async fn forget(files: &Files, id: &str) {
    let keys = RelayPart::ALL.map(|part| key(id, part).to_string());
    if let Err(error) = files.delete_all(&keys).await {
        tracing::warn!(%error, "what the relay left could not be deleted; the bucket's lifecycle will do it");
    }
}

/// The relay's side: takes requests.
#[derive(Debug)]
pub struct Inbox<'a> {
    /// The bucket with the requests.
    pub files: &'a Files,
}

/// A request that nobody else works on.
#[derive(Debug)]
pub struct Taken {
    /// Made by whoever asks. It names the reply, too.
    pub id: String,
    /// What is asked for.
    pub request: Request,
}

impl Inbox<'_> {
    /// Takes the request with this key. `None` if it was taken before, or nobody waits for it any more.
    ///
    /// Timeline: S3 or SQS announces a request twice, A and B both read it, and A delivers the result. If B did so too, a receiver
    /// that counts deliveries, or whose signed address works once, would see a second one. Only one of them can create the claim,
    /// and the claim outlives the request. If A dies then, nobody answers, and the worker's next attempt asks again.
    ///
    /// Messages are not claimed. They only hurry, and a request for one must come back until it was sent.
    ///
    /// # Errors
    /// If the request can't be read or claimed now, or is of another version.
    pub async fn take(&self, key_of_request: &str) -> Result<Option<Taken>, RelayError> {
        let Some(id) = id_of(key_of_request) else { return Ok(None) };
        let Some(text) = self.files.peek_text(key_of_request).await? else { return Ok(None) };
        let request: Request = serde_json::from_str(&text).map_err(|error| RelayError::Malformed(error.to_string()))?;
        let Some(until) = request.until() else { return Ok(Some(Taken { id, request })) };
        let in_time = clock::now() < until;
        let taken = in_time && self.files.create_text(&key(&id, RelayPart::Claim), &new_id()).await?;
        self.files.delete(key_of_request).await?;
        Ok(taken.then_some(Taken { id, request }))
    }

    /// Where a fetched source lies.
    pub fn body(id: &str) -> ObjectKey<'_> {
        key(id, RelayPart::Body)
    }

    /// Leaves the reply for whoever waits.
    ///
    /// # Errors
    /// If the bucket does not take the reply.
    pub async fn reply(&self, id: &str, reply: &Reply) -> Result<(), RelayError> {
        let text = serde_json::to_string(reply).map_err(|error| RelayError::Malformed(error.to_string()))?;
        Ok(self.files.put_text(&key(id, RelayPart::Reply), text).await?)
    }

    /// Deletes a request whose message was sent.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn done(&self, id: &str) -> Result<(), RelayError> {
        Ok(self.files.delete(&key(id, RelayPart::Request).to_string()).await?)
    }
}

/// The id in the key of a request.
fn id_of(key_of_request: &str) -> Option<String> {
    let id = key_of_request.rsplit('/').next()?;
    (key(id, RelayPart::Request).to_string() == key_of_request).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_tagged_and_versioned_and_show_nothing_in_logs() {
        let message = Message {
            to: Destination::Conversions(QueueName::Html),
            group: "acme".into(),
            body: "{}".into(),
            hops: Some(7),
        };
        let text = r#"{"type":"message.v1","to":{"conversions":"html"},"group":"acme","body":"{}","hops":7}"#;
        assert_eq!(serde_json::to_string(&Request::Message(message)).unwrap(), text);
        assert!(serde_json::from_str::<Request>(r#"{"type":"message.v2"}"#).is_err());
        let fetch = Fetch {
            url: "https://a.example/?s3cret".into(),
            headers: BTreeMap::from([("authorization".to_owned(), "s3cret".to_owned())]),
            bytes: 1,
            most: 1,
            redirects: 1,
            milliseconds: 1,
            until: Timestamp(1),
        };
        assert!(!format!("{:?}", Request::Fetch(fetch)).contains("s3cret"));
    }

    #[test]
    fn only_keys_of_requests_name_one() {
        let request = key("0a", RelayPart::Request).to_string();
        assert_eq!((request.as_str(), id_of(&request).as_deref()), ("relay/requests/0a", Some("0a")));
        for other in ["relay/claims/0a", "relay/requests/", "relay/requests/a/b", "outputs/day/0a"] {
            assert!(id_of(other).is_none_or(|id| id.is_empty()), "{other}");
        }
    }
}
