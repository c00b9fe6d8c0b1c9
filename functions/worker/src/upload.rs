//! A source that its client has uploaded: read from the bucket, under the same limits as one that is fetched.

use std::path::Path;
use std::time::Duration;

use docmill::domain::job::JobErrorCode;
use docmill::domain::upload::UploadId;
use docmill::files::{Files, ObjectKey};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

use crate::engine::Failure;
use crate::source::{Fetched, disposition_filename, internal, plain_name, scratch_failure};
use crate::sources::Budget;

/// The bucket is near: what takes longer is its fault, and is tried again.
const TIME: Duration = Duration::from_secs(30);

/// Reads the account's upload into the file `to`. Fails as internal where the bucket is to blame.
pub async fn read(
    files: &Files,
    account: &str,
    upload: UploadId,
    to: &Path,
    budget: &Budget,
) -> Result<Fetched, Failure> {
    let reading = copy(files, ObjectKey::Upload { account, upload }, to, budget);
    match tokio::time::timeout(TIME, reading).await {
        Ok(result) => result,
        Err(elapsed) => Err(internal("reading an upload", &elapsed)),
    }
}

async fn copy(files: &Files, key: ObjectKey<'_>, to: &Path, budget: &Budget) -> Result<Fetched, Failure> {
    let stored = files.get(&key).await.map_err(|error| internal("reading an upload", &error))?;
    let mut stored = stored.ok_or_else(gone)?;
    let mut file = File::create(to).await.map_err(scratch_failure)?;
    let mut bytes = 0;
    while let Some(chunk) = stored.body.try_next().await.map_err(|error| internal("reading an upload", &error))? {
        bytes += chunk.len() as u64;
        // Its size was signed, but limits may have been lowered since.
        budget.take(chunk.len())?;
        file.write_all(&chunk).await.map_err(scratch_failure)?;
    }
    file.flush().await.map_err(scratch_failure)?;
    let filename = stored.content_disposition.as_deref().and_then(disposition_filename).and_then(plain_name);
    Ok(Fetched { path: to.to_owned(), bytes, content_type: stored.content_type, url: None, filename })
}

/// The job was accepted with its upload there: since then, the bucket's lifecycle has removed it.
fn gone() -> Failure {
    let message = "The upload is no longer there. Upload the document again, and create a new job.";
    Failure::new(JobErrorCode::SourceUnreachable, message, "an upload is not in the bucket")
}
