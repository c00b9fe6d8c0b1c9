//! Uploads and downloads by signed links: streamed, without the key.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use reqwest::header::{CONTENT_LENGTH, RANGE};
use reqwest::{Body, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{Api, Call, cause};
use crate::failure::{Doing, Failure, Outcome, writing};

const CHUNK: usize = 64 << 10;
const TRIES: u32 = 4;
/// No byte for so long, and the transfer is begun again.
const STALL: Duration = Duration::from_secs(60);

impl Api {
    /// Uploads a file under its own name and returns the upload's id.
    pub async fn upload(&self, path: &Path, content_type: &str, progress: &Advance) -> Outcome<String> {
        let bytes = tokio::fs::metadata(path).await.doing(format!("Reading {}", path.display()))?.len();
        if bytes == 0 {
            return Err(Failure::document("corrupt_document", "The file is empty."));
        }
        let mut wanted = json!({"contentType": content_type, "bytes": bytes});
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        if is_plain(&name) {
            wanted["filename"] = json!(name);
        }
        let mut last = None;
        for tries in 1..=TRIES {
            // Each link works once. If an answer was lost, a new link is simpler than finding out.
            let mut answer = self.call(Call::post("/v1/uploads", &wanted).repeatable()).await?;
            let upload = answer.body["upload"].take();
            match self.put(path, bytes, &upload, progress).await {
                Ok(()) => return Ok(text(&upload, "id")?.to_owned()),
                Err(failure) if failure.ends_the_run() => {
                    last = Some(failure);
                    tokio::time::sleep(super::backoff(tries)).await;
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(last.unwrap_or_else(|| Failure::unavailable("The upload failed.")))
    }

    async fn put(&self, path: &Path, bytes: u64, upload: &Value, progress: &Advance) -> Outcome<()> {
        let file = File::open(path).await.doing(format!("Reading {}", path.display()))?;
        progress.restart();
        let progress = progress.clone();
        // A file that grows meanwhile must not break the announced length.
        let chunks = stream::unfold((file.take(bytes), progress), |(mut file, progress)| async move {
            let mut chunk = vec![0; CHUNK];
            match file.read(&mut chunk).await {
                Ok(0) => None,
                Ok(read) => {
                    chunk.truncate(read);
                    progress.add(read as u64);
                    Some((Ok(bytes::Bytes::from(chunk)), (file, progress)))
                }
                Err(error) => Some((Err(error), (file, progress))),
            }
        });
        let mut request = self.http.put(text(upload, "url")?).header(CONTENT_LENGTH, bytes);
        for (name, value) in upload["headers"].as_object().into_iter().flatten() {
            request = request.header(name, value.as_str().unwrap_or_default());
        }
        let response = request.body(Body::wrap_stream(chunks)).send().await;
        let response =
            response.map_err(|error| Failure::unavailable(format!("The upload failed: {}", cause(&error))))?;
        match response.status() {
            status if status.is_success() => Ok(()),
            // The answer to this upload was lost, and the connection's repetition met it.
            StatusCode::PRECONDITION_FAILED => Ok(()),
            status => {
                Err(Failure::unavailable(format!("The upload was refused with HTTP status {}.", status.as_u16())))
            }
        }
    }

    /// Writes a result beside its target, checks it, and puts it there.
    pub async fn download(&self, link: &Value, target: &Path, progress: &Advance) -> Outcome<()> {
        let part = part_of(target);
        let doing = format!("Writing {}", target.display());
        if let Some(folder) = target.parent() {
            tokio::fs::create_dir_all(folder).await.doing(&doing)?;
        }
        let mut tries = 0;
        loop {
            let mut file = File::create(&part).await.doing(&doing)?;
            match self.receive(link, &mut file, progress).await {
                Ok(()) => break,
                Err(failure) => {
                    tries += 1;
                    if tries == TRIES || !failure.ends_the_run() {
                        drop(tokio::fs::remove_file(&part).await);
                        return Err(failure);
                    }
                    tokio::time::sleep(super::backoff(tries)).await;
                }
            }
        }
        tokio::fs::rename(&part, target).await.doing(&doing)
    }

    /// A piece of a result from this byte on, in memory.
    pub async fn piece(&self, link: &Value, from: u64, most: u64) -> Outcome<Vec<u8>> {
        let failed = |error: &reqwest::Error| Failure::unavailable(format!("The download failed: {}", cause(error)));
        let range = format!("bytes={from}-{}", from.saturating_add(most).saturating_sub(1));
        let request = self.http.get(text(link, "url")?).header(RANGE, range);
        let response = request.send().await.map_err(|error| failed(&error))?;
        if response.status() != StatusCode::PARTIAL_CONTENT && !(from == 0 && response.status().is_success()) {
            let status = response.status().as_u16();
            return Err(Failure::unavailable(format!("The download was refused with HTTP status {status}.")));
        }
        let bytes = response.bytes().await.map_err(|error| failed(&error))?;
        Ok(bytes.iter().copied().take(usize::try_from(most).unwrap_or(usize::MAX)).collect())
    }

    /// Streams a result and checks its size and digest.
    pub async fn receive(
        &self,
        link: &Value,
        target: &mut (impl AsyncWrite + Unpin),
        progress: &Advance,
    ) -> Outcome<()> {
        let failed = |error: &reqwest::Error| Failure::unavailable(format!("The download failed: {}", cause(error)));
        let response = self.http.get(text(link, "url")?).send().await.map_err(|error| failed(&error))?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            return Err(Failure::unavailable(format!("The download was refused with HTTP status {status}.")));
        }
        progress.restart();
        let (mut digest, mut count) = (Sha256::new(), 0_u64);
        let mut chunks = response.bytes_stream();
        loop {
            let chunk = tokio::time::timeout(STALL, chunks.next()).await;
            let chunk = chunk.map_err(|_| Failure::unavailable("The download stopped."))?;
            let Some(chunk) = chunk else { break };
            let chunk = chunk.map_err(|error| failed(&error))?;
            digest.update(&chunk);
            count += chunk.len() as u64;
            target.write_all(&chunk).await.map_err(|error| writing(&error))?;
            progress.add(chunk.len() as u64);
        }
        target.flush().await.map_err(|error| writing(&error))?;
        let digest = docmill_domain::hex(&digest.finalize());
        let is_whole = link["bytes"].as_u64().is_none_or(|bytes| bytes == count)
            && link["sha256"].as_str().is_none_or(|expected| expected == digest);
        if is_whole { Ok(()) } else { Err(Failure::unavailable("The download is damaged.")) }
    }
}

/// Where an unfinished download lies.
fn part_of(target: &Path) -> PathBuf {
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    target.with_file_name(format!(".{name}.part"))
}

fn text<'a>(value: &'a Value, name: &str) -> Outcome<&'a str> {
    value[name].as_str().ok_or_else(|| Failure::unavailable(format!("The service's answer has no `{name}`.")))
}

/// Whether the API takes it as a file name.
fn is_plain(name: &str) -> bool {
    let has = |bad: fn(char) -> bool| name.chars().any(bad);
    !name.is_empty() && name.chars().count() <= 255 && !has(char::is_control) && !has(|c| matches!(c, '/' | '\\'))
}

/// Shows how far a transfer is.
#[derive(Clone, Debug, Default)]
pub struct Advance(pub Option<indicatif::ProgressBar>);

impl Advance {
    fn restart(&self) {
        if let Some(bar) = &self.0 {
            bar.set_position(0);
        }
    }

    fn add(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.inc(bytes);
        }
    }
}
