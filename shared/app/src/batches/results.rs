//! What became of a batch's items, with links to their results and to the archive.

use docmill_aws::files::{ArchivePart, Files, FilesError, LINK_LIFETIME, ObjectKey, SignedLink};
use docmill_domain::batch::{ArchiveFileView, Batch, BatchResultView};
use docmill_domain::job::{DownloadView, Job, JobStatus};
use docmill_domain::link::SentLink;
use docmill_domain::spreadsheet;
use docmill_domain::time::Timestamp;
use docmill_store::batches::RefusedItem;
use serde_json::{Value, json};

use super::jobs_of;
use crate::context::Context;
use crate::fault::Fault;

const COLUMNS: [&str; 11] = [
    "index",
    "jobId",
    "status",
    "filename",
    "contentType",
    "bytes",
    "sha256",
    "url",
    "expiresAt",
    "errorCode",
    "errorMessage",
];

/// A job with the link to its primary result, if it has one.
async fn of_job(files: &Files, index: u32, job: &Job, now: Timestamp) -> Result<BatchResultView, Fault> {
    let status = job.status_at(now);
    let mut view = BatchResultView { job_id: Some(job.id), ..BatchResultView::new(index, status) };
    if status == JobStatus::Completed
        && let (Some(output), Some(key)) = (&job.result.output, &job.result.output_key)
    {
        let link = files.link(key, output).await?;
        view = view.with_result(DownloadView::of(output, link.reveal(), now.plus(LINK_LIFETIME).into(), None));
    }
    Ok(match &job.result.error {
        Some(error) => view.with_error(error.code.as_str(), &error.message),
        None => view,
    })
}

/// An item that could not become a job.
fn of_refused(item: &RefusedItem) -> BatchResultView {
    BatchResultView::new(item.index, JobStatus::Failed).with_error(&item.refusal.code, &item.refusal.message)
}

/// What became of the items from `first` on, before `last`, as far as they have a job or were refused.
///
/// # Errors
/// If jobs can't be read, or links can't be made now.
pub async fn rows(
    context: &Context,
    batch: &Batch,
    (first, last): (u32, u32),
    now: Timestamp,
) -> Result<Vec<BatchResultView>, Fault> {
    if first >= last {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for (index, job) in jobs_of(context, batch, first, last).await? {
        if job.is_of(&batch.account, now) {
            rows.push(of_job(&context.files, index, &job, now).await?);
        }
    }
    for item in context.batches.refused(batch, first, last - 1).await? {
        // A run may have noted a refusal, died, and the next one has created the job after all.
        if let Err(place) = rows.binary_search_by_key(&item.index, |row| row.index) {
            rows.insert(place, of_refused(&item));
        }
    }
    Ok(rows)
}

/// The name of a file of the archive.
pub fn archive_name(batch: &Batch, index: usize) -> String {
    match &batch.archive {
        Some(archive) if archive.files.len() > 1 => format!("{}-{}.zip", batch.id, index + 1),
        Some(_) | None => format!("{}.zip", batch.id),
    }
}

/// A link to the archive file with this index, if it exists.
///
/// # Errors
/// If the link can't be made now.
pub async fn archive_link(files: &Files, batch: &Batch, index: usize) -> Result<Option<SignedLink>, FilesError> {
    let Some(file) = batch.archive.as_ref().and_then(|archive| archive.files.get(index)) else { return Ok(None) };
    let key = ObjectKey::of_archive(batch, file.run, ArchivePart::File);
    files.archive_link(&key, &archive_name(batch, index)).await.map(Some)
}

/// Each file of the archive with a link to it.
///
/// # Errors
/// As for [`archive_link`].
pub async fn archive_files(files: &Files, batch: &Batch, now: Timestamp) -> Result<Vec<ArchiveFileView>, Fault> {
    let mut views = Vec::new();
    for (index, file) in batch.archive.iter().flat_map(|archive| &archive.files).enumerate() {
        let Some(link) = archive_link(files, batch, index).await? else { continue };
        views.push(ArchiveFileView {
            filename: archive_name(batch, index),
            bytes: file.bytes,
            results: file.results,
            url: SentLink(link.reveal().to_owned()),
            expires_at: now.plus(LINK_LIFETIME).into(),
        });
    }
    Ok(views)
}

/// A table of these rows (RFC 4180).
///
/// # Errors
/// If a row can't be written, in words for the log.
pub fn csv(rows: &[BatchResultView]) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| error.to_string())?;
    for row in rows {
        let row = json!(row);
        writer.write_record(COLUMNS.map(|column| cell(&row[column]))).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => spreadsheet::cell(text).into_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_every_column_and_no_formulas() {
        let row = BatchResultView {
            filename: Some("=HYPERLINK(\"x\").pdf".to_owned()),
            bytes: Some(12),
            ..BatchResultView::new(7, JobStatus::Completed)
        };
        let table = csv(&[row]).unwrap();
        let lines: Vec<_> = table.split("\r\n").collect();
        assert_eq!(lines[0], COLUMNS.join(","));
        assert_eq!(lines[1], "7,,completed,\"'=HYPERLINK(\"\"x\"\").pdf\",,12,,,,,");
        assert_eq!(lines[2], "");
    }
}
