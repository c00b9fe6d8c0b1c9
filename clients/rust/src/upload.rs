use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, stream};
use reqwest::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Method};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncSeekExt};

use crate::client::Client;
use crate::download::hexadecimal;
use crate::error::{Error, Result};
use crate::models::{Upload, UploadRequest, UploadResponse};
use crate::request::extension;
use crate::transport::{Call, accepted, answer_to};

const PART: usize = 64 << 10;

/// What is sent, from its beginning each time.
enum Content<'a> {
    File(&'a Path),
    Opened(&'a std::fs::File),
    Bytes(Bytes),
}

type Reader = Box<dyn AsyncRead + Unpin + Send>;

/// Is told how many bytes were sent. After a broken connection it begins again.
pub type Watch = Arc<dyn Fn(u64) + Send + Sync>;

impl Content<'_> {
    async fn digest(&self) -> Result<(u64, String)> {
        let mut digest = Sha256::new();
        let mut size = 0;
        let mut reader = self.reader().await?;
        while let Some(part) = part(&mut reader).await? {
            size += part.len() as u64;
            digest.update(&part);
        }
        Ok((size, hexadecimal(&digest.finalize())))
    }

    /// Reads from the beginning.
    async fn reader(&self) -> Result<Reader> {
        Ok(match self {
            Self::File(path) => {
                let unreadable = |error| Error::Usage(format!("{} can't be read: {error}", path.display()));
                Box::new(File::open(path).await.map_err(unreadable)?)
            }
            Self::Opened(file) => {
                let mut file = File::from_std(file.try_clone()?);
                file.rewind().await?;
                Box::new(file)
            }
            Self::Bytes(content) => Box::new(std::io::Cursor::new(content.clone())),
        })
    }

    /// Parts, counted as they are taken.
    async fn body(&self, taken: Arc<AtomicU64>, watch: Option<Watch>) -> Result<Body> {
        Ok(Body::wrap_stream(counted(self.reader().await?, taken, watch)))
    }
}

async fn part(reader: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Option<Bytes>> {
    let mut part = BytesMut::with_capacity(PART);
    Ok((reader.read_buf(&mut part).await? > 0).then(|| part.freeze()))
}

fn counted(
    reader: Reader,
    taken: Arc<AtomicU64>,
    watch: Option<Watch>,
) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
    stream::try_unfold((reader, taken, watch), |(mut reader, taken, watch)| async move {
        let next = part(&mut reader).await?;
        let bytes = next.as_ref().map_or(0, |part| part.len() as u64);
        let before = taken.fetch_add(bytes, Ordering::Relaxed);
        if let Some(watch) = &watch {
            watch(before + bytes);
        }
        Ok(next.map(|part| (part, (reader, taken, watch))))
    })
}

impl Client {
    /// Sends a file in parts, without reading all of it into memory.
    pub async fn upload(&self, path: impl AsRef<Path>) -> Result<Upload> {
        let path = path.as_ref();
        let name = name_of(path);
        self.send_content(&Content::File(path), &name, content_type(&name), None).await
    }

    /// Sends a file with a media type of your own, and tells `watch` how much was sent.
    pub async fn upload_watched(&self, path: impl AsRef<Path>, content_type: &str, watch: Watch) -> Result<Upload> {
        let path = path.as_ref();
        self.send_content(&Content::File(path), &name_of(path), content_type, Some(watch)).await
    }

    /// Sends what is in memory. The filename's extension tells what it is.
    pub async fn upload_bytes(&self, content: impl Into<Bytes>, filename: &str) -> Result<Upload> {
        self.send_content(&Content::Bytes(content.into()), filename, content_type(filename), None).await
    }

    /// Sends an open file from its beginning, in parts. The filename's extension tells what it is.
    pub async fn upload_opened(&self, file: &std::fs::File, filename: &str) -> Result<Upload> {
        self.send_content(&Content::Opened(file), filename, content_type(filename), None).await
    }

    async fn send_content(
        &self,
        content: &Content<'_>,
        filename: &str,
        content_type: &str,
        watch: Option<Watch>,
    ) -> Result<Upload> {
        let (size, sha256) = content.digest().await?;
        let request = UploadRequest {
            bytes: Some(size),
            content_type: Some(content_type.to_owned()),
            filename: is_plain(filename).then(|| filename.to_owned()),
            sha256: Some(sha256),
        };
        let UploadResponse { upload, .. } = self.json(&Call::post(&["v1", "uploads"], &request)?).await?;
        let mut tries = self.tries();
        let mut is_repeated = false;
        loop {
            match self.put(&upload, content, size, watch.clone()).await {
                Ok(()) => return Ok(upload),
                // The first one has arrived.
                Err(error) if is_repeated && error.api().is_some_and(|error| error.status == 412) => return Ok(upload),
                Err(error) => tries.again(error, false).await?,
            }
            is_repeated = true;
        }
    }

    /// The link is signed: it needs no key, and must not get one.
    async fn put(&self, upload: &Upload, content: &Content<'_>, size: u64, watch: Option<Watch>) -> Result<()> {
        let taken = Arc::new(AtomicU64::new(0));
        let body = content.body(Arc::clone(&taken), watch).await?;
        let method = Method::from_bytes(upload.method.as_bytes()).map_err(|_| invalid_link())?;
        let address = upload.url.reveal();
        let request =
            self.inner.http.request(method, address).headers(signed(upload)?).header(CONTENT_LENGTH, size).body(body);
        let exchange = async { answer_to(request, address).await.and_then(accepted) };
        let outcome = unless_stalled(self.inner.timeout, &taken, exchange).await;
        outcome.unwrap_or_else(|Stalled| Err(Error::stalled(address))).map(drop)
    }
}

fn signed(upload: &Upload) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in &upload.headers {
        let name = HeaderName::try_from(name).map_err(|_| invalid_link())?;
        if name != CONTENT_LENGTH {
            headers.insert(name, HeaderValue::try_from(value).map_err(|_| invalid_link())?);
        }
    }
    Ok(headers)
}

fn invalid_link() -> Error {
    Error::Usage("the API's link to upload a file is not valid".to_owned())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Whether the API takes it as a file name. Without a name, the content alone decides.
fn is_plain(name: &str) -> bool {
    let is_bad = |character: char| character.is_control() || matches!(character, '/' | '\\');
    !name.is_empty() && name.chars().count() <= 255 && !name.chars().any(is_bad)
}

/// Nothing was taken for too long.
struct Stalled;

/// Ends an exchange in which nothing is taken for `limit`.
async fn unless_stalled<T>(
    limit: Duration,
    taken: &AtomicU64,
    exchange: impl Future<Output = T>,
) -> std::result::Result<T, Stalled> {
    let mut exchange = std::pin::pin!(exchange);
    loop {
        let before = taken.load(Ordering::Relaxed);
        match tokio::time::timeout(limit, &mut exchange).await {
            Ok(outcome) => return Ok(outcome),
            Err(_) if taken.load(Ordering::Relaxed) == before => return Err(Stalled),
            Err(_) => {}
        }
    }
}

/// Tells text from binary files. The content itself decides how a file is converted.
fn content_type(filename: &str) -> &'static str {
    match extension(filename).as_deref() {
        Some("csv") => "text/csv",
        Some("htm" | "html") => "text/html",
        Some("md" | "markdown") => "text/markdown",
        Some("pdf") => "application/pdf",
        Some("svg") => "image/svg+xml",
        Some("tsv") => "text/tab-separated-values",
        Some("txt") => "text/plain",
        Some(_) | None => "application/octet-stream",
    }
}
