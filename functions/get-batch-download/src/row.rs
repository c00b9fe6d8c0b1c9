//! What became of an item.

use docmill::domain::job::{Job, JobStatus};
use docmill::domain::spreadsheet;
use docmill::domain::time::Timestamp;
use docmill::files::{Files, LINK_LIFETIME};
use docmill::http::error::ApiError;
use docmill::store::batches::RefusedItem;
use serde_json::{Map, Value, json};

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

/// The members of a result, of which absent ones are left out.
#[derive(Debug)]
pub(crate) struct Row {
    index: u32,
    members: Map<String, Value>,
}

impl Row {
    /// A job with the link to its primary result, if it has one.
    pub(crate) async fn of_job(files: &Files, index: u32, job: &Job, now: Timestamp) -> Result<Self, ApiError> {
        let status = job.status_at(now);
        let mut row = Self::new(index);
        row.put("jobId", json!(job.id));
        row.put("status", json!(status));
        if status == JobStatus::Completed
            && let (Some(output), Some(key)) = (&job.output, &job.output_key)
        {
            let link = files.link(key, output).await.map_err(ApiError::unavailable)?;
            row.put("filename", json!(output.filename));
            row.put("contentType", json!(output.content_type));
            row.put("bytes", json!(output.bytes));
            row.put("sha256", json!(output.sha256));
            row.put("url", json!(link.reveal()));
            row.put("expiresAt", json!(now.plus(LINK_LIFETIME).to_string()));
        }
        if let Some(error) = &job.error {
            row.put("errorCode", json!(error.code));
            row.put("errorMessage", json!(error.message));
        }
        Ok(row)
    }

    /// An item that could not become a job.
    pub(crate) fn of_refused(item: RefusedItem) -> Self {
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

    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn view(&self) -> Value {
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

/// A table of these rows (RFC 4180).
pub(crate) fn csv(rows: &[Row]) -> Result<String, String> {
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
