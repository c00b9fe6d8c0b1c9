//! Uploads and downloads by signed links, with their progress.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use docmill_client::Error;
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::Api;
use crate::failure::{Doing, Failure, Outcome, cause, writing};

impl Api {
    /// Uploads a file under its own name and returns the upload's id.
    pub async fn upload(&self, path: &Path, content_type: &str, progress: &Advance) -> Outcome<String> {
        if tokio::fs::metadata(path).await.doing(format!("Reading {}", path.display()))?.len() == 0 {
            return Err(Failure::document("corrupt_document", "The file is empty."));
        }
        let progress = progress.clone();
        let watch = Arc::new(move |bytes| progress.at(bytes));
        match self.client.upload_watched(path, content_type, watch).await {
            Ok(upload) => Ok(upload.id),
            // The API refuses in its own words, the storage only by a status.
            Err(Error::Api(error)) if error.code.is_none() => {
                let status = error.status.as_u16();
                Err(Failure::unavailable(format!("The upload was refused with HTTP status {status}.")))
            }
            Err(error @ Error::Network { .. }) => {
                Err(Failure::unavailable(format!("The upload failed: {}", cause(&error))))
            }
            Err(error) => Err(self.failure(&error)),
        }
    }

    /// Writes a result beside its target, checks it, and puts it there.
    pub async fn download(&self, link: &Value, target: &Path, progress: &Advance) -> Outcome<()> {
        let part = part_of(target);
        let doing = format!("Writing {}", target.display());
        if let Some(folder) = target.parent() {
            tokio::fs::create_dir_all(folder).await.doing(&doing)?;
        }
        let mut file = File::create(&part).await.doing(&doing)?;
        if let Err(failure) = self.receive(link, &mut file, progress).await {
            drop(tokio::fs::remove_file(&part).await);
            return Err(failure);
        }
        tokio::fs::rename(&part, target).await.doing(&doing)
    }

    /// A piece of a result from this byte on, in memory.
    pub async fn piece(&self, link: &Value, from: u64, most: u64) -> Outcome<Vec<u8>> {
        let piece = self.client.read_link(text(link, "url")?, from, most).await;
        piece.map(Vec::from).map_err(|error| not_downloaded(&error))
    }

    /// Streams a result and checks its size and digest.
    pub async fn receive(
        &self,
        link: &Value,
        target: &mut (impl AsyncWrite + Unpin),
        progress: &Advance,
    ) -> Outcome<()> {
        let missing = || Failure::unavailable("The service's answer has no `bytes`.");
        let bytes = link["bytes"].as_u64().ok_or_else(missing)?;
        let mut reader = self.client.open_link(text(link, "url")?, bytes, link["sha256"].as_str().unwrap_or_default());
        let mut received = 0;
        while let Some(chunk) = reader.chunk().await.map_err(|error| not_downloaded(&error))? {
            target.write_all(&chunk).await.map_err(|error| writing(&error))?;
            received += chunk.len() as u64;
            progress.at(received);
        }
        target.flush().await.map_err(|error| writing(&error))
    }
}

fn not_downloaded(error: &Error) -> Failure {
    Failure::unavailable(match error.api() {
        Some(error) => format!("The download was refused with HTTP status {}.", error.status.as_u16()),
        None if matches!(error, Error::Integrity { .. }) => "The download is damaged.".to_owned(),
        None => format!("The download failed: {}", cause(error)),
    })
}

/// Where an unfinished download lies.
fn part_of(target: &Path) -> PathBuf {
    let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    target.with_file_name(format!(".{name}.part"))
}

fn text<'a>(value: &'a Value, name: &str) -> Outcome<&'a str> {
    value[name].as_str().ok_or_else(|| Failure::unavailable(format!("The service's answer has no `{name}`.")))
}

/// Shows how far a transfer is.
#[derive(Clone, Debug, Default)]
pub struct Advance(pub Option<indicatif::ProgressBar>);

impl Advance {
    fn at(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
        }
    }
}
