//! Fetches sources and delivers results through the guard, and says what went wrong to the job's owner.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::BytesMut;
use docmill_domain::job::JobErrorCode;
use docmill_domain::limits::Limits;
use docmill_egress::{EgressPolicy, ExchangeError, GuardedClient, Reason, Refusal};
use futures_util::stream;
use reqwest::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Method, Response};
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::budget::{Budget, too_large};
use crate::{Fetched, SourceError};

/// Size of the pieces in which files are sent.
const PIECE_BYTES: usize = 64 << 10;

/// A small resource that was fetched into memory.
#[derive(Debug)]
pub struct Resource {
    /// The body after content decoding.
    pub bytes: Vec<u8>,
    /// The response's unchanged `Content-Type`.
    pub content_type: Option<String>,
    /// The address after redirects.
    pub url: Url,
}

/// Limits of a fetch, including redirects.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    /// After content decoding.
    pub bytes: u64,
    /// How many redirects are followed.
    pub redirects: u32,
    /// When the fetch must have ended.
    pub deadline: Instant,
}

impl Caps {
    /// The limits for a source, starting now.
    pub fn of(limits: &Limits) -> Self {
        Self { bytes: limits.source_bytes, redirects: limits.redirects, deadline: Instant::now() + limits.fetch }
    }
}

/// A file to send.
#[derive(Clone, Copy, Debug)]
pub struct Put<'a> {
    /// Where it is sent to.
    pub url: &'a Url,
    /// Headers that the receiver asks for.
    pub headers: &'a BTreeMap<String, String>,
    /// The file's media type.
    pub content_type: &'a str,
    /// Read from its start.
    pub file: &'a std::fs::File,
    /// The size of the file.
    pub bytes: u64,
    /// When the delivery must have ended.
    pub deadline: Instant,
    /// Set once the whole file was sent, whatever the answer is.
    pub sent: &'a Arc<AtomicBool>,
}

/// A short question to a service, such as a time-stamp authority.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Where the service is.
    pub url: &'a Url,
    /// Sent by `POST`. Without it, the service is asked by `GET`.
    pub content: Option<Content<'a>>,
    /// Sent with the question. They may be secrets.
    pub headers: &'a BTreeMap<String, String>,
    /// Whether answers with an error status are taken, too.
    pub any_status: bool,
    /// Of the answer. A `POST` is not redirected.
    pub caps: Caps,
}

/// What is sent to a service.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    /// The media type.
    pub media_type: &'a str,
    /// The question itself.
    pub bytes: &'a [u8],
}

/// What a service answered.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// After content decoding.
    pub body: Vec<u8>,
}

const NO_HEADERS: &BTreeMap<String, String> = &BTreeMap::new();

impl<'a> Question<'a> {
    /// Asks by `GET`.
    pub const fn get(url: &'a Url, caps: Caps) -> Self {
        Self { url, content: None, headers: NO_HEADERS, any_status: false, caps }
    }

    /// Asks by `POST`.
    pub const fn post(url: &'a Url, media_type: &'a str, bytes: &'a [u8], caps: Caps) -> Self {
        Self { content: Some(Content { media_type, bytes }), ..Self::get(url, caps) }
    }
}

/// Addresses and headers may be secrets.
impl std::fmt::Debug for Question<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Question").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Content").field("media_type", &self.media_type).finish_non_exhaustive()
    }
}

/// Fetches and delivers through the guard. Built once per environment, and cheap to clone.
#[derive(Clone, Debug)]
pub struct SourceClient {
    client: GuardedClient,
}

impl SourceClient {
    /// A client that connects only where `policy` allows it.
    ///
    /// # Errors
    /// If the platform has no trusted certificates.
    pub fn new(policy: EgressPolicy) -> Result<Self, SourceError> {
        let client = GuardedClient::new(policy).map_err(|error| internal("building the HTTP client", &error))?;
        Ok(Self { client })
    }

    /// Fetches a job's source into the file `to`, with the client's own headers.
    ///
    /// # Errors
    /// A `source_*` code if the guard refuses it, there is no usable response, or a limit is reached.
    pub async fn fetch(
        &self,
        url: &Url,
        headers: &BTreeMap<String, String>,
        to: &Path,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Fetched, SourceError> {
        let caps = Caps::of(limits);
        within(&caps, url, async {
            let (mut response, url) = self.open(url, &client_headers(headers)?, &caps).await?;
            response.content_length().map_or(Ok(()), |length| budget.admits(length))?;
            let mut file = File::create(to).await.map_err(scratch_failure)?;
            let (mut bytes, mut digest) = (0, Sha256::new());
            while let Some(chunk) = next_chunk(&mut response, &url, bytes, &caps).await? {
                budget.take(chunk.len())?;
                bytes += chunk.len() as u64;
                digest.update(&chunk);
                file.write_all(&chunk).await.map_err(scratch_failure)?;
            }
            file.flush().await.map_err(scratch_failure)?;
            let filename = filename(response.headers(), &url);
            let content_type = content_type(&response);
            let sha256 = Some(<[u8; 32]>::from(digest.finalize()).into());
            Ok(Fetched { path: to.to_owned(), bytes, sha256, content_type, url: Some(url), filename })
        })
        .await
    }

    /// Fetches one resource of a page into memory.
    ///
    /// # Errors
    /// A `source_*` code, as for [`Self::fetch`].
    pub async fn fetch_bytes(&self, url: &Url, caps: Caps) -> Result<Resource, SourceError> {
        within(&caps, url, async {
            let (mut response, url) = self.open(url, &HeaderMap::new(), &caps).await?;
            let mut bytes = Vec::new();
            while let Some(chunk) = next_chunk(&mut response, &url, bytes.len() as u64, &caps).await? {
                bytes.extend_from_slice(&chunk);
            }
            Ok(Resource { bytes, content_type: content_type(&response), url })
        })
        .await
    }

    /// Sends a file by `PUT`, without following redirects. The cause of a failure contains the status and nothing else of the
    /// response.
    ///
    /// # Errors
    /// If the guard refuses the address, the receiver does not accept the file, or the file can't be read.
    pub async fn put(&self, put: &Put<'_>) -> Result<(), SourceError> {
        let Put { url, headers, content_type, file, bytes, deadline, sent } = *put;
        let caps = Caps { bytes, redirects: 0, deadline };
        within(&caps, url, async {
            let mut file = File::from_std(file.try_clone().map_err(scratch_failure)?);
            file.rewind().await.map_err(scratch_failure)?;
            let mut headers = client_headers(headers)?;
            let content_type = HeaderValue::from_str(content_type).map_err(|error| internal("a media type", &error))?;
            headers.entry(CONTENT_TYPE).or_insert(content_type);
            headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes));
            let request = self.client.request(Method::PUT, url).map_err(|error| unfetched(&error))?;
            let answer = request.headers(headers).body(watched(file, bytes, sent.clone())).send().await;
            let response = answer.map_err(|error| unfetched(&ExchangeError::failed(url, &error)))?;
            let status = response.status();
            if status.is_success() {
                return Ok(());
            }
            let cause = format!("it answered with HTTP status {}", status.as_u16());
            Err(SourceError::new(JobErrorCode::SourceUnreachable, cause.clone(), cause))
        })
        .await
    }

    /// Asks a service.
    ///
    /// # Errors
    /// A `source_*` code if the guard refuses the address, or there is no answer within the limits.
    pub async fn ask(&self, question: &Question<'_>) -> Result<Answer, SourceError> {
        let Question { url, any_status, caps, .. } = *question;
        within(&caps, url, async {
            let response = self.answer(question).await?;
            let mut response = if any_status { response } else { successful(response, url)? };
            let mut body = Vec::new();
            while let Some(chunk) = next_chunk(&mut response, url, body.len() as u64, &caps).await? {
                body.extend_from_slice(&chunk);
            }
            Ok(Answer { status: response.status().as_u16(), body })
        })
        .await
    }

    async fn answer(&self, question: &Question<'_>) -> Result<Response, SourceError> {
        let Question { url, content, headers, caps, .. } = *question;
        let headers = client_headers(headers)?;
        let Some(Content { media_type, bytes }) = content else {
            let got = self.client.get(url, &headers, caps.redirects).await;
            return got.map(|(response, _)| response).map_err(|error| unfetched(&error));
        };
        let media_type = HeaderValue::from_str(media_type).map_err(|error| internal("a media type", &error))?;
        let request = self.client.request(Method::POST, url).map_err(|error| unfetched(&error))?;
        let answer = request.headers(headers).header(CONTENT_TYPE, media_type).body(bytes.to_vec()).send().await;
        answer.map_err(|error| unfetched(&ExchangeError::failed(url, &error)))
    }

    /// Follows redirects to a successful response. The client's headers only go to the first origin.
    async fn open(&self, url: &Url, headers: &HeaderMap, caps: &Caps) -> Result<(Response, Url), SourceError> {
        let got = self.client.get(url, headers, caps.redirects).await;
        let (response, url) = got.map_err(|error| unfetched(&error))?;
        let response = successful(response, &url)?;
        if response.content_length().is_some_and(|length| length > caps.bytes) {
            return Err(too_large(caps.bytes));
        }
        Ok((response, url))
    }
}

/// The file as a body that notes when the last of its bytes was taken to be sent.
fn watched(file: File, bytes: u64, sent: Arc<AtomicBool>) -> Body {
    let pieces = stream::try_unfold((file, bytes), move |(mut file, left)| {
        let sent = sent.clone();
        async move {
            let mut piece = BytesMut::with_capacity(PIECE_BYTES);
            let read = file.read_buf(&mut piece).await?;
            let left = left.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
            if left == 0 {
                sent.store(true, Ordering::Relaxed);
            }
            Ok::<_, io::Error>((read > 0).then(|| (piece.freeze(), (file, left))))
        }
    });
    Body::wrap_stream(pieces)
}

/// The validated headers of a request. Their values are marked as sensitive.
fn client_headers(headers: &BTreeMap<String, String>) -> Result<HeaderMap, SourceError> {
    let malformed = || SourceError::internal("a stored header is invalid");
    let pair = |(name, value): (&String, &String)| {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| malformed())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| malformed())?;
        value.set_sensitive(true);
        Ok((name, value))
    };
    headers.iter().map(pair).collect()
}

/// One deadline for the whole fetch.
async fn within<T>(
    caps: &Caps,
    url: &Url,
    fetch: impl Future<Output = Result<T, SourceError>>,
) -> Result<T, SourceError> {
    match timeout_at(caps.deadline, fetch).await {
        Ok(result) => result,
        Err(_) => Err(SourceError::new(
            JobErrorCode::SourceTimeout,
            format!("{} did not deliver the source in time. Try again, or serve it from a faster host.", host(url)),
            "the fetch reached its deadline",
        )),
    }
}

fn successful(response: Response, url: &Url) -> Result<Response, SourceError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    Err(SourceError::new(
        JobErrorCode::SourceUnreachable,
        format!(
            "{} answered with HTTP status {}. Give a URL that answers 200 without a login.",
            host(url),
            status.as_u16()
        ),
        format!("status {} from {}", status.as_u16(), host(url)),
    ))
}

/// The next chunk of the decoded body. Fails if the total exceeds the limit.
async fn next_chunk(
    response: &mut Response,
    url: &Url,
    so_far: u64,
    caps: &Caps,
) -> Result<Option<bytes::Bytes>, SourceError> {
    let chunk = response.chunk().await.map_err(|error| unfetched(&ExchangeError::failed(url, &error)))?;
    match chunk {
        Some(chunk) if so_far.saturating_add(chunk.len() as u64) > caps.bytes => Err(too_large(caps.bytes)),
        chunk => Ok(chunk),
    }
}

fn content_type(response: &Response) -> Option<String> {
    Some(response.headers().get(CONTENT_TYPE)?.to_str().ok()?.to_owned())
}

/// The source's name for the document.
fn filename(headers: &HeaderMap, url: &Url) -> Option<String> {
    let disposition = headers.get(CONTENT_DISPOSITION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
    let last_segment = || {
        let segment = url.path_segments()?.next_back()?;
        Some(percent_decoded(segment))
    };
    plain_name(disposition.and_then(disposition_filename).or_else(last_segment)?)
}

/// The last part of a name that may be a path in Unix or Windows notation.
pub fn plain_name(name: String) -> Option<String> {
    let name: String = name.rsplit(['/', '\\']).next()?.chars().filter(|character| !character.is_control()).collect();
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Prefers `filename*` (RFC 8187, only UTF-8) to `filename` of a `Content-Disposition` (RFC 6266).
pub fn disposition_filename(header: &str) -> Option<String> {
    let parameters = || parameters(header).into_iter();
    let extended = parameters().find(|(name, _)| name == "filename*").and_then(|(_, value)| {
        let (charset, rest) = value.split_once('\'')?;
        let (_language, encoded) = rest.split_once('\'')?;
        charset.eq_ignore_ascii_case("utf-8").then(|| percent_decoded(encoded))
    });
    extended.or_else(|| parameters().find(|(name, _)| name == "filename").map(|(_, value)| value))
}

/// The `name=value` parameters of a header: names in lower case, values unquoted.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for character in header.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => {
                escaped = true;
                continue;
            }
            '"' => {
                quoted = !quoted;
                continue;
            }
            ';' if !quoted => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    let pairs = parts.iter().filter_map(|part| part.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned())).collect()
}

fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or("The source")
}

fn refused(refusal: &Refusal) -> SourceError {
    let (code, message) = match refusal {
        Refusal::Scheme => (
            JobErrorCode::SourceForbidden,
            "The source redirects to something that is not http or https. Give an http or https URL.".to_owned(),
        ),
        Refusal::UserInfo => (
            JobErrorCode::SourceForbidden,
            "The source's URL carries a user name or password. Give a URL without them, such as a presigned one."
                .to_owned(),
        ),
        Refusal::Port(port) => (
            JobErrorCode::SourceForbidden,
            format!(
                "The service does not fetch from port {port}. Serve the source on port 80, on 443, or on 1024 or above."
            ),
        ),
        Refusal::Denied(host) => (
            JobErrorCode::SourceForbidden,
            format!("{host} is not a public internet address. Serve the source from a public one."),
        ),
        Refusal::Unresolved(host) => {
            (JobErrorCode::SourceUnreachable, format!("The name {host} does not resolve. Check the URL."))
        }
    };
    SourceError::new(code, message, refusal.to_string())
}

/// The job's failure for an exchange that failed.
fn unfetched(error: &ExchangeError) -> SourceError {
    let ExchangeError { host, reason } = error;
    let what = match reason {
        Reason::Refused(refusal) => return refused(refusal),
        Reason::TooManyRedirects { most } => {
            let message = format!("The source redirects more than {most} times. Give the final URL.");
            return SourceError::new(JobErrorCode::SourceUnreachable, message, format!("{reason}, last to {host}"));
        }
        Reason::NoLocation { .. } => {
            let message = format!("{host} redirects without a valid address. Give the final URL.");
            return SourceError::new(JobErrorCode::SourceUnreachable, message, reason.to_string());
        }
        Reason::Unconnected { tls: true, .. } => "could not be connected to, or has no valid certificate",
        Reason::Unconnected { tls: false, .. } => "could not be connected to",
        Reason::BrokenOff { .. } => "broke off its response",
        Reason::Unanswered { .. } => "did not answer properly",
    };
    let message = format!("{host} {what}. Check that the URL can be reached from the internet, then try again.");
    SourceError::new(JobErrorCode::SourceUnreachable, message, reason.to_string())
}

fn scratch_failure(error: io::Error) -> SourceError {
    internal("writing to the scratch directory", &error)
}

fn internal(doing: &str, error: &dyn Error) -> SourceError {
    SourceError::internal(format!("{doing}: {error}"))
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
