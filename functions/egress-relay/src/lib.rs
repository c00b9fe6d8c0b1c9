//! Does what workers in a network without a way out ask for: fetches sources, delivers results, sends messages.
//!
//! It opens no document. The guard of outgoing connections applies here as it does in workers with a network of their own.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_app::context::Context;
use docmill_aws::files::{Files, FilesError};
use docmill_aws::queue::{Queue, QueueError};
use docmill_aws::relay::{Ask, Fetch, Inbox, Method, Put, RelayError, Reply, Request};
use docmill_config::clock;
use docmill_domain::limits::Limits;
use docmill_domain::time::Timestamp;
use docmill_egress::EgressPolicy;
use docmill_sources::{Answer, Budget, Caps, Content, Fetched, Question, SourceClient, SourceError};
use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use url::Url;

/// Longest exchange, so that storing a source and replying fit into the function's time.
const LONGEST: Duration = Duration::from_secs(60);
/// A source's type in the bucket. The reply has the real one.
const ANY_TYPE: &str = "application/octet-stream";

/// Why a request must come back.
#[derive(Debug, thiserror::Error)]
pub enum HandleError {
    #[error("a notification is not readable")]
    Notification,
    #[error(transparent)]
    Relay(#[from] RelayError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

#[derive(Debug)]
pub struct EgressRelay {
    files: Files,
    queue: Queue,
    client: SourceClient,
}

/// What S3 says of new objects. Its test of a new configuration has no records.
#[derive(Deserialize)]
struct Notification {
    #[serde(rename = "Records", default)]
    records: Vec<Record>,
}

#[derive(Deserialize)]
struct Record {
    s3: Entity,
}

#[derive(Deserialize)]
struct Entity {
    object: Object,
}

#[derive(Deserialize)]
struct Object {
    key: String,
}

impl EgressRelay {
    pub fn of_function(context: Context) -> Result<Self, lambda_runtime::Error> {
        let policy = EgressPolicy::of_function(context.config.local_mode)?;
        Ok(Self::new(context.files.clone(), context.queue(), policy)?)
    }

    pub fn new(files: Files, queue: Queue, policy: EgressPolicy) -> Result<Self, SourceError> {
        Ok(Self { files, queue, client: SourceClient::new(policy)? })
    }

    /// Handles S3's notification of a new request. Fails if it must be delivered again.
    pub async fn handle(&self, notification: &str) -> Result<(), HandleError> {
        let notification: Notification = serde_json::from_str(notification).map_err(|_| HandleError::Notification)?;
        for record in notification.records {
            // Our keys need no escapes.
            self.work(&record.s3.object.key).await?;
        }
        Ok(())
    }

    async fn work(&self, key: &str) -> Result<(), HandleError> {
        let inbox = Inbox { files: &self.files };
        let Some(taken) = inbox.take(key).await? else { return Ok(()) };
        let reply = match taken.request {
            Request::Message(message) => {
                self.queue.send_now(message).await?;
                return Ok(inbox.done(&taken.id).await?);
            }
            Request::Retry(retry) => {
                // A receipt that has ended is no reason to try again: the message is visible already.
                if let Err(error) = self.queue.retry_now(retry).await {
                    tracing::warn!(%error, "a message could not be returned early");
                }
                return Ok(inbox.done(&taken.id).await?);
            }
            Request::Fetch(fetch) => self.fetch(&taken.id, fetch).await.unwrap_or_else(|error| failed(error, false)),
            Request::Ask(ask) => self.ask(ask).await.unwrap_or_else(|error| failed(error, false)),
            Request::Put(put) => {
                let sent = Arc::new(AtomicBool::new(false));
                let delivered = self.put(put, &sent).await;
                delivered.unwrap_or_else(|error| failed(error, sent.load(Ordering::Relaxed)))
            }
        };
        Ok(inbox.reply(&taken.id, &reply).await?)
    }

    /// Fetches a source into the bucket.
    async fn fetch(&self, id: &str, fetch: Fetch) -> Result<Reply, SourceError> {
        let scratch = tempfile::NamedTempFile::new().map_err(|error| internal("a scratch file", &error))?;
        let limits = Limits {
            source_bytes: fetch.most,
            redirects: fetch.redirects,
            fetch: time_for(fetch.milliseconds, fetch.until),
            ..Limits::default()
        };
        let budget = Budget::rest(fetch.bytes, fetch.most);
        let url = parse(&fetch.url)?;
        let fetched = self.client.fetch(&url, &fetch.headers, scratch.path(), &limits, &budget).await?;
        let stored = self.files.put_file(&Inbox::body(id), scratch.as_file(), ANY_TYPE).await;
        stored.map_err(|error| internal("storing a source", &error))?;
        let Fetched { content_type, filename, url: last, .. } = fetched;
        Ok(Reply::Fetched { content_type, url: last.unwrap_or(url).into(), filename })
    }

    /// Asks a service. Answers are short, so they are part of the reply.
    async fn ask(&self, ask: Ask) -> Result<Reply, SourceError> {
        let body = STANDARD.decode(&ask.body).map_err(|error| internal("a stored question", &error))?;
        let deadline = Instant::now() + time_for(ask.milliseconds, ask.until);
        let caps = Caps { bytes: ask.most, redirects: ask.redirects, deadline };
        let url = parse(&ask.url)?;
        let content = match ask.method {
            Method::Post => Some(Content { media_type: &ask.content_type, bytes: &body }),
            Method::Get => None,
        };
        let question = Question { url: &url, content, headers: &ask.headers, any_status: ask.any_status, caps };
        let Answer { status, body } = self.client.ask(&question).await?;
        Ok(Reply::Answered { body: STANDARD.encode(body), status })
    }

    /// Delivers a stored result.
    async fn put(&self, put: Put, sent: &Arc<AtomicBool>) -> Result<Reply, SourceError> {
        let scratch = tempfile::NamedTempFile::new().map_err(|error| internal("a scratch file", &error))?;
        self.copy(&put.key, scratch.path()).await?;
        let request = docmill_sources::Put {
            url: &parse(&put.url)?,
            headers: &put.headers,
            content_type: &put.content_type,
            file: scratch.as_file(),
            bytes: put.bytes,
            deadline: Instant::now() + time_for(put.milliseconds, put.until),
            sent,
        };
        self.client.put(&request).await?;
        Ok(Reply::Delivered)
    }

    /// Copies a stored result to the file `to`.
    async fn copy(&self, key: &str, to: &Path) -> Result<(), SourceError> {
        let unread = |error: &dyn std::error::Error| internal("reading a result", error);
        let stored = self.files.get(key).await.map_err(|error: FilesError| unread(&error))?;
        let mut stored = stored.ok_or_else(|| SourceError::internal("the result is not in the bucket"))?;
        let mut file = tokio::fs::File::create(to).await.map_err(|error| unread(&error))?;
        while let Some(chunk) = stored.body.try_next().await.map_err(|error| unread(&error))? {
            file.write_all(&chunk).await.map_err(|error| unread(&error))?;
        }
        file.flush().await.map_err(|error| unread(&error))
    }
}

/// How long an exchange may take: as long as asked for, and no longer than somebody waits for it.
fn time_for(milliseconds: u64, until: Timestamp) -> Duration {
    let left = u64::try_from(until.0.saturating_sub(clock::now().0)).unwrap_or_default();
    Duration::from_millis(milliseconds.min(left)).min(LONGEST)
}

fn failed(SourceError { code, message, cause }: SourceError, sent: bool) -> Reply {
    Reply::Failed { code, message, cause, sent }
}

fn parse(url: &str) -> Result<Url, SourceError> {
    Url::parse(url).map_err(|_| SourceError::internal("a stored URL is invalid"))
}

fn internal(doing: &str, error: &dyn std::error::Error) -> SourceError {
    SourceError::internal(format!("{doing}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_names_keys_and_a_test_of_s3_none() {
        let keys = |text: &str| {
            let read: Notification = serde_json::from_str(text).unwrap();
            read.records.into_iter().map(|record| record.s3.object.key).collect::<Vec<_>>()
        };
        let created =
            r#"{"Records":[{"eventName":"ObjectCreated:Put","s3":{"object":{"key":"relay/requests/1","size":9}}}]}"#;
        assert_eq!(keys(created), ["relay/requests/1"]);
        assert!(keys(r#"{"Service":"Amazon S3","Event":"s3:TestEvent"}"#).is_empty());
    }

    #[test]
    fn nothing_takes_longer_than_somebody_waits() {
        let now = clock::now();
        assert!(time_for(30_000, now.plus(Duration::from_secs(5))) <= Duration::from_secs(5));
        assert_eq!(time_for(1_000, now.plus(Duration::from_secs(50))), Duration::from_secs(1));
        assert_eq!(time_for(900_000, now.plus(Duration::from_secs(900))), LONGEST);
        assert_eq!(time_for(1_000, Timestamp(0)), Duration::ZERO);
    }
}
