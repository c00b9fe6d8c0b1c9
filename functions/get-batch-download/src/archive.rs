//! The archive of all results.

use docmill::domain::batch::Batch;
use docmill::domain::time::Timestamp;
use docmill::files::{ArchivePart, Files, LINK_LIFETIME, ObjectKey};
use docmill::http::error::ApiError;
use serde_json::{Value, json};

/// Each ZIP of the archive with a link to it.
pub(crate) async fn view(files: &Files, batch: &Batch, now: Timestamp) -> Result<Value, ApiError> {
    let archive = batch.archive.clone().unwrap_or_default();
    let is_one = archive.files.len() == 1;
    let mut views = Vec::new();
    for (index, file) in archive.files.iter().enumerate() {
        let filename = if is_one { format!("{}.zip", batch.id) } else { format!("{}-{}.zip", batch.id, index + 1) };
        let key = ObjectKey::of_archive(batch, file.run, ArchivePart::File);
        let link = files.archive_link(&key, &filename).await.map_err(ApiError::unavailable)?;
        views.push(json!({
            "filename": filename,
            "bytes": file.bytes,
            "results": file.results,
            "url": link.reveal(),
            "expiresAt": now.plus(LINK_LIFETIME).to_string(),
        }));
    }
    Ok(json!({"files": views, "leftOut": archive.left_out}))
}
