//! Fetches sources and delivers results: itself, or through the relay where this worker has no way out.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_aws::files::Stored;
use docmill_aws::relay::{self, Relay, RelayError, Reply, Request};
use docmill_confine::scratch;
use docmill_domain::job::FileDigest;
use docmill_domain::time::millis;
use docmill_egress::EgressPolicy;
use docmill_engine::{Failure, Limits};
pub use docmill_sources::{Answer, Caps, Content, Fetched, Question, Resource};
use docmill_sources::{Budget, SourceClient, SourceError};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use url::Url;

/// A file to send.
#[derive(Clone, Copy, Debug)]
pub struct Put<'a> {
    /// Where it is sent to.
    pub url: &'a Url,
    /// Headers that the receiver asks for.
    pub headers: &'a BTreeMap<String, String>,
    /// The file's media type.
    pub content_type: &'a str,
    /// The file in the scratch directory.
    pub file: &'a Path,
    /// Where the file is stored already.
    pub key: &'a str,
    /// Its size.
    pub bytes: u64,
    /// When the delivery must have ended.
    pub deadline: Instant,
    /// Set once the whole file was sent, whatever the answer is.
    pub sent: &'a Arc<AtomicBool>,
}

/// Fetches through the guard. Built once per environment, and cheap to clone.
#[derive(Clone, Debug)]
pub enum Fetcher {
    /// From this worker.
    Direct(SourceClient),
    /// By the relay, for a worker without a way out.
    Relayed(Arc<Relay>),
}

impl Fetcher {
    /// Fetches itself.
    ///
    /// # Errors
    /// If the platform has no trusted certificates.
    pub fn new(policy: EgressPolicy) -> Result<Self, Failure> {
        Ok(Self::Direct(SourceClient::new(policy)?))
    }

    /// Fetches a job's source into the file `to`, with the client's own headers.
    ///
    /// # Errors
    /// A `source_*` code, or `internal` if the relay does not answer.
    pub async fn fetch(
        &self,
        url: &Url,
        headers: &BTreeMap<String, String>,
        to: &Path,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Fetched, Failure> {
        let relay = match self {
            Self::Direct(client) => return Ok(client.fetch(url, headers, to, limits, budget).await?),
            Self::Relayed(relay) => relay,
        };
        let takes = limits.fetch;
        let request = Request::Fetch(relay::Fetch {
            url: url.to_string(),
            headers: headers.clone(),
            bytes: budget.left(),
            most: limits.source_bytes,
            redirects: limits.redirects,
            milliseconds: millis(takes),
            until: relay.until(takes),
        });
        let answer = relay.ask(&request, takes).await.map_err(unrelayed)?;
        let fetched = receive(&answer, to, budget).await;
        answer.forget().await;
        fetched
    }

    /// Fetches one resource of a page into memory.
    ///
    /// # Errors
    /// A `source_*` code, or `internal` if there is no network.
    pub async fn fetch_bytes(&self, url: &Url, caps: Caps) -> Result<Resource, Failure> {
        match self {
            Self::Direct(client) => Ok(client.fetch_bytes(url, caps).await?),
            // Jobs with pages go to a worker that has a network.
            Self::Relayed(_) => Err(Failure::internal("a page was to be loaded without a network")),
        }
    }

    /// Asks a service a short question.
    ///
    /// # Errors
    /// A `source_*` code if there is no answer, or `internal` if the relay does not reply.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer, Failure> {
        let Question { url, content, headers, any_status, caps } = *question;
        let relay = match self {
            Self::Direct(client) => return Ok(client.ask(question).await?),
            Self::Relayed(relay) => relay,
        };
        let takes = caps.deadline.saturating_duration_since(Instant::now());
        let request = Request::Ask(relay::Ask {
            url: url.to_string(),
            method: if content.is_some() { relay::Method::Post } else { relay::Method::Get },
            headers: headers.clone(),
            content_type: content.map_or("", |content| content.media_type).to_owned(),
            body: content.map_or_else(String::new, |content| STANDARD.encode(content.bytes)),
            any_status,
            most: caps.bytes,
            redirects: caps.redirects,
            milliseconds: millis(takes),
            until: relay.until(takes),
        });
        let answer = relay.ask(&request, takes).await.map_err(unrelayed)?;
        let reply = answer.reply.clone();
        answer.forget().await;
        match reply {
            Reply::Answered { body, status } => {
                let body = STANDARD.decode(body).map_err(|error| internal("an answer that was relayed", &error))?;
                Ok(Answer { status, body })
            }
            Reply::Failed { code, message, cause, .. } => Err(SourceError { code, message, cause }.into()),
            Reply::Fetched { .. } | Reply::Delivered => {
                Err(unrelayed(RelayError::Malformed("not about a question".into())))
            }
        }
    }

    /// Sends a file by `PUT`, without following redirects. The cause of a failure contains the status and nothing else of the
    /// response.
    ///
    /// # Errors
    /// If the guard refuses the address, the receiver does not accept the file, or the relay does not answer.
    pub async fn put(&self, put: &Put<'_>) -> Result<(), Failure> {
        let Put { url, headers, content_type, file, key, bytes, deadline, sent } = *put;
        match self {
            Self::Direct(client) => {
                let file = &scratch::open_written(file).map_err(|error| internal("opening a result", &error))?;
                let put = docmill_sources::Put { url, headers, content_type, file, bytes, deadline, sent };
                Ok(client.put(&put).await?)
            }
            Self::Relayed(relay) => {
                let takes = deadline.saturating_duration_since(Instant::now());
                let request = Request::Put(relay::Put {
                    url: url.to_string(),
                    headers: headers.clone(),
                    content_type: content_type.to_owned(),
                    key: key.to_owned(),
                    bytes,
                    milliseconds: millis(takes),
                    until: relay.until(takes),
                });
                let answer = relay.ask(&request, takes).await.map_err(unrelayed)?;
                let reply = answer.reply.clone();
                answer.forget().await;
                match reply {
                    Reply::Delivered => Ok(()),
                    Reply::Failed { code, message, cause, sent: whole } => {
                        sent.fetch_or(whole, Ordering::Relaxed);
                        Err(SourceError { code, message, cause }.into())
                    }
                    Reply::Fetched { .. } | Reply::Answered { .. } => {
                        Err(unrelayed(RelayError::Malformed("not about a delivery".into())))
                    }
                }
            }
        }
    }
}

/// Writes a source that the relay has fetched to the file `to`.
async fn receive(answer: &relay::Answer, to: &Path, budget: &Budget) -> Result<Fetched, Failure> {
    match answer.reply.clone() {
        Reply::Fetched { content_type, url, filename } => {
            let body = answer.body().await.map_err(|error| internal("reading a relayed source", &error))?;
            let body = body.ok_or_else(|| Failure::internal("the relay has stored no source"))?;
            let FileDigest { bytes, sha256 } = save(body, to, budget).await?;
            let (sha256, url) = (Some(sha256), Url::parse(&url).ok());
            Ok(Fetched { path: to.to_owned(), bytes, sha256, content_type, url, filename })
        }
        Reply::Failed { code, message, cause, .. } => Err(SourceError { code, message, cause }.into()),
        Reply::Delivered | Reply::Answered { .. } => Err(unrelayed(RelayError::Malformed("not about a source".into()))),
    }
}

/// Writes a stored source to the file `to`. Returns its size and digest.
///
/// # Errors
/// If there are more bytes than the budget has left, or they can't be read or written.
pub async fn save(mut stored: Stored, to: &Path, budget: &Budget) -> Result<FileDigest, Failure> {
    let mut file = File::create(to).await.map_err(|error| scratch_failure(&error))?;
    let (mut bytes, mut digest) = (0, Sha256::new());
    while let Some(chunk) = stored.body.try_next().await.map_err(|error| internal("reading a stored source", &error))? {
        bytes += chunk.len() as u64;
        budget.take(chunk.len())?;
        digest.update(&chunk);
        file.write_all(&chunk).await.map_err(|error| scratch_failure(&error))?;
    }
    file.flush().await.map_err(|error| scratch_failure(&error))?;
    Ok(FileDigest { bytes, sha256: <[u8; 32]>::from(digest.finalize()).into() })
}

fn unrelayed(error: RelayError) -> Failure {
    Failure::internal(error.to_string())
}

fn scratch_failure(error: &std::io::Error) -> Failure {
    internal("writing to the scratch directory", error)
}

/// A fault of our own, for the log: what was being done, and how it failed.
pub fn internal(doing: &str, error: &dyn std::error::Error) -> Failure {
    Failure::internal(format!("{doing}: {error}"))
}
