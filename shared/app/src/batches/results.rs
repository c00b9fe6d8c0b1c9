//! What became of a batch's items, with links to their results and to the archive.

use docmill_aws::files::{ArchivePart, Files, FilesError, LINK_LIFETIME, ObjectKey, SignedLink};
use docmill_domain::batch::Batch;
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::spreadsheet;
use docmill_domain::time::Timestamp;
use docmill_store::batches::RefusedItem;
use serde_json::{Map, Value, json};

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

/// The members of an item's result, of which absent ones are left out.
#[derive(Debug)]
pub struct Row {
    index: u32,
    members: Map<String, Value>,
}

impl Row {
    /// A job with the link to its primary result, if it has one.
    async fn of_job(files: &Files, index: u32, job: &Job, now: Timestamp) -> Result<Self, Fault> {
        let status = job.status_at(now);
        let mut row = Self::new(index);
        row.put("jobId", json!(job.id));
        row.put("status", json!(status));
        if status == JobStatus::Completed
            && let (Some(output), Some(key)) = (&job.result.output, &job.result.output_key)
        {
            let link = files.link(key, output).await?;
            row.put("filename", json!(output.filename));
            row.put("contentType", json!(output.content_type));
            row.put("bytes", json!(output.bytes));
            row.put("sha256", json!(output.sha256));
            row.put("url", json!(link.reveal()));
            row.put("expiresAt", json!(now.plus(LINK_LIFETIME).to_string()));
        }
        if let Some(error) = &job.result.error {
            row.put("errorCode", json!(error.code));
            row.put("errorMessage", json!(error.message));
        }
        Ok(row)
    }

    /// An item that could not become a job.
    fn of_refused(item: RefusedItem) -> Self {
        let mut row = Self::new(item.index);
        row.put("status", json!(JobStatus::Failed));
        row.put("errorCode", json!(item.refusal.code));
        row.put("errorMessage", json!(item.refusal.message));
        row
    }

    fn new(index: u32) -> Self {
        Self { index, members: Map::from_iter([("index".to_owned(), json!(index))]) }
    }

    fn put(&mut self, name: &str, value: Value) {
        self.members.insert(name.to_owned(), value);
    }

    fn index(&self) -> u32 {
        self.index
    }

    pub fn view(&self) -> Value {
        Value::Object(self.members.clone())
    }

    fn cell(&self, column: &str) -> String {
        match self.members.get(column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => spreadsheet::cell(text).into_owned(),
            Some(other) => other.to_string(),
        }
    }
}

/// What became of the items from `first` on, before `last`, as far as they have a job or were refused.
pub async fn rows(
    context: &Context,
    batch: &Batch,
    (first, last): (u32, u32),
    now: Timestamp,
) -> Result<Vec<Row>, Fault> {
    if first >= last {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for (index, job) in jobs_of(context, batch, first, last).await? {
        if job.is_of(&batch.account, now) {
            rows.push(Row::of_job(&context.files, index, &job, now).await?);
        }
    }
    for item in context.batches.refused(batch, first, last - 1).await? {
        // A run may have noted a refusal, died, and the next one has created the job after all.
        if let Err(place) = rows.binary_search_by_key(&item.index, Row::index) {
            rows.insert(place, Row::of_refused(item));
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
pub async fn archive_link(files: &Files, batch: &Batch, index: usize) -> Result<Option<SignedLink>, FilesError> {
    let Some(file) = batch.archive.as_ref().and_then(|archive| archive.files.get(index)) else { return Ok(None) };
    let key = ObjectKey::of_archive(batch, file.run, ArchivePart::File);
    files.archive_link(&key, &archive_name(batch, index)).await.map(Some)
}

/// Each file of the archive with a link to it.
pub async fn archive_view(files: &Files, batch: &Batch, now: Timestamp) -> Result<Value, Fault> {
    let archive = batch.archive.clone().unwrap_or_default();
    let mut views = Vec::new();
    for (index, file) in archive.files.iter().enumerate() {
        let link = archive_link(files, batch, index).await?;
        views.push(json!({
            "filename": archive_name(batch, index),
            "bytes": file.bytes,
            "results": file.results,
            "url": link.as_ref().map(SignedLink::reveal),
            "expiresAt": now.plus(LINK_LIFETIME).to_string(),
        }));
    }
    Ok(json!({"files": views, "leftOut": archive.left_out}))
}

/// A table of these rows (RFC 4180).
pub fn csv(rows: &[Row]) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| error.to_string())?;
    for row in rows {
        writer.write_record(COLUMNS.map(|column| row.cell(column))).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_every_column_and_no_formulas() {
        let mut row = Row::new(7);
        row.put("status", json!("completed"));
        row.put("filename", json!("=HYPERLINK(\"x\").pdf"));
        row.put("bytes", json!(12));
        let table = csv(&[row]).unwrap();
        let lines: Vec<_> = table.split("\r\n").collect();
        assert_eq!(lines[0], COLUMNS.join(","));
        assert_eq!(lines[1], "7,,completed,\"'=HYPERLINK(\"\"x\"\").pdf\",,12,,,,,");
        assert_eq!(lines[2], "");
    }
}
