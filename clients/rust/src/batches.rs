use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reqwest::Method;
use serde::Serialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::download::{Renewal, ResultReader, Save, write};
use crate::error::{Error, Result};
use crate::jobs::{FIRST_PAUSE, LONGEST_PAUSE, insert, step};
use crate::models::{
    ArchiveFile, Batch, BatchResponse, BatchResultsResponse, BatchStatus, Download, JobWebhookRequest,
};
use crate::request::{Options, Source, Step};
use crate::results::{check_target, is_folder, paths_in, unwritable};
use crate::transport::Call;

/// What one request takes; the rest of it needs room, too.
const MOST_ITEMS: usize = 1000;
const MOST_ITEM_BYTES: usize = 900_000;

/// Describes many jobs of one tool.
#[must_use]
#[derive(Clone, Debug)]
pub struct NewBatch {
    tool: String,
    items: Vec<Item>,
    options: Option<Options>,
    then: Vec<Step>,
    archive: bool,
    stop_on_error: bool,
    webhook: Option<JobWebhookRequest>,
    idempotency_key: Option<String>,
}

impl NewBatch {
    /// A job of this tool for each of up to 100,000 items.
    pub fn new(tool: impl Into<String>, items: impl IntoIterator<Item = Item>) -> Self {
        Self {
            tool: tool.into(),
            items: items.into_iter().collect(),
            options: None,
            then: Vec::new(),
            archive: false,
            stop_on_error: false,
            webhook: None,
            idempotency_key: None,
        }
    }

    /// Options of all jobs. An item's own count more.
    pub fn options(mut self, given: impl Serialize) -> Self {
        self.options = Some(Options::new(given));
        self
    }

    /// A further step of all jobs.
    pub fn then(mut self, step: Step) -> Self {
        self.then.push(step);
        self
    }

    /// Makes a ZIP of all results, for [`Client::save_archive`].
    pub fn archive(mut self) -> Self {
        self.archive = true;
        self
    }

    /// Cancels the batch as soon as an item fails.
    pub fn stop_on_error(mut self) -> Self {
        self.stop_on_error = true;
        self
    }

    /// Where the events of the batch are sent.
    pub fn webhook(mut self, webhook: JobWebhookRequest) -> Self {
        self.webhook = Some(webhook);
        self
    }

    /// Makes a repeated request the same batch. By default a new UUID.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }
}

/// What one job of a batch is made of.
#[must_use]
#[derive(Clone, Debug)]
pub struct Item {
    source: Source,
    options: Option<Options>,
    metadata: BTreeMap<String, String>,
    filename: Option<String>,
}

impl Item {
    /// A source.
    pub fn new(source: Source) -> Self {
        Self { source, options: None, metadata: BTreeMap::new(), filename: None }
    }

    /// Options of this job, which count more than those of the batch.
    pub fn options(mut self, given: impl Serialize) -> Self {
        self.options = Some(Options::new(given));
        self
    }

    /// A label of your own.
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(name.into(), value.into());
        self
    }

    /// The name of the result.
    pub fn filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }
}

impl Client {
    /// Creates a job for each item, and returns at once. All items are checked first.
    pub async fn create_batch(&self, batch: NewBatch) -> Result<Batch> {
        let mut items = Vec::new();
        for item in batch.items {
            let mut body = json!({"input": self.available(item.source, &batch.tool).await?});
            insert(&mut body, "options", item.options.map(Options::into_json).transpose()?);
            insert(&mut body, "metadata", Some(item.metadata).filter(|labels| !labels.is_empty()));
            insert(&mut body, "filename", item.filename);
            items.push(body);
        }
        let mut body = json!({"toolSlug": batch.tool});
        self.put_items(&mut body, items).await?;
        insert(&mut body, "options", batch.options.map(Options::into_json).transpose()?);
        let steps: Vec<Value> = batch.then.into_iter().map(step).collect::<Result<_>>()?;
        insert(&mut body, "then", Some(steps).filter(|steps| !steps.is_empty()));
        insert(&mut body, "output", batch.archive.then(|| json!({"archive": true})));
        insert(&mut body, "onError", batch.stop_on_error.then_some("stop"));
        insert(&mut body, "webhook", batch.webhook);
        self.ask_batch(&Call::post(&["v1", "batches"], &body)?.creating(batch.idempotency_key)?).await
    }

    /// Names the items, or the upload with them if they are too many for a request.
    async fn put_items(&self, body: &mut Value, items: Vec<Value>) -> Result<()> {
        let lines = items.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
        if items.len() <= MOST_ITEMS && lines.len() <= MOST_ITEM_BYTES {
            body["items"] = Value::Array(items);
        } else {
            body["itemsUploadId"] = self.upload_bytes(lines, "items.jsonl").await?.id.into();
        }
        Ok(())
    }

    async fn ask_batch(&self, call: &Call) -> Result<Batch> {
        Ok(self.json::<BatchResponse>(call).await?.batch)
    }

    /// Reads a batch.
    pub async fn batch(&self, id: &str) -> Result<Batch> {
        self.ask_batch(&Call::get(&["v1", "batches", id])?).await
    }

    /// Returns once a batch has completed, was canceled, or is paused: see its `status` and `counts`. Calls `progress` whenever the counts
    /// have changed.
    pub async fn wait_batch(&self, id: &str, bound: Duration, mut progress: impl FnMut(&Batch)) -> Result<Batch> {
        let started = Instant::now();
        let mut pause = FIRST_PAUSE;
        let mut before = None;
        loop {
            let batch = self.batch(id).await?;
            let now = (batch.counts.completed, batch.counts.failed, batch.counts.canceled, batch.status.clone());
            if before.as_ref() != Some(&now) {
                progress(&batch);
            }
            before = Some(now);
            match batch.status {
                BatchStatus::Completed | BatchStatus::Canceled | BatchStatus::Paused => return Ok(batch),
                BatchStatus::Processing
                | BatchStatus::Canceling
                | BatchStatus::Archiving
                | BatchStatus::Deleting
                | BatchStatus::Other(_) => {}
            }
            let left = bound.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(Error::WaitTimeout { job_id: id.to_owned(), bound, what: "batch" });
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = pause.mul_f32(1.5).min(LONGEST_PAUSE);
        }
    }

    /// Saves the ZIP of all results, of a batch that was created with [`NewBatch::archive`] and has completed, and returns its path. In a
    /// folder ("results/"), each ZIP is saved by its own name: large batches have several.
    pub async fn save_archive(&self, id: &str, path: impl AsRef<Path>, save: Save) -> Result<Vec<PathBuf>> {
        let path = path.as_ref();
        if !is_folder(path) {
            check_target(path, save.overwrite)?;
        }
        let files = self.archive(id).await?;
        let paths = archive_paths(path, &files).await?;
        paths.iter().try_for_each(|path| check_target(path, save.overwrite))?;
        for ((index, file), path) in files.into_iter().enumerate().zip(&paths) {
            let renewal = Renewal::Archive { batch: id.to_owned(), index };
            write(ResultReader::renewable(self, renewal, download(file)), path, save.overwrite).await?;
        }
        Ok(paths)
    }

    pub(crate) async fn archive(&self, id: &str) -> Result<Vec<ArchiveFile>> {
        let call = Call::get(&["v1", "batches", id, "download"])?.query("limit", Some(1));
        let archive = self.json::<BatchResultsResponse>(&call).await?.archive;
        archive.map(|archive| archive.files).filter(|files| !files.is_empty()).ok_or_else(|| {
            let advice = "create it with `NewBatch::archive`, and wait until it has completed";
            Error::Usage(format!("the batch {id} has no archive: {advice}"))
        })
    }

    /// Creates no more jobs, and cancels those that have not ended.
    pub async fn cancel_batch(&self, id: &str) -> Result<Batch> {
        self.ask_batch(&Call::new(Method::POST, &["v1", "batches", id, "cancel"])?).await
    }

    /// Continues a paused batch.
    pub async fn resume_batch(&self, id: &str) -> Result<Batch> {
        self.ask_batch(&Call::new(Method::POST, &["v1", "batches", id, "resume"])?).await
    }

    /// Deletes a batch with all of its jobs.
    pub async fn delete_batch(&self, id: &str) -> Result<()> {
        self.send(&Call::new(Method::DELETE, &["v1", "batches", id])?).await.map(drop)
    }
}

async fn archive_paths(path: &Path, files: &[ArchiveFile]) -> Result<Vec<PathBuf>> {
    if is_folder(path) {
        tokio::fs::create_dir_all(path).await.map_err(|error| unwritable(path, &error))?;
        return Ok(paths_in(path, files.iter().map(|file| file.filename.as_str())));
    }
    if files.len() > 1 {
        let (path, number) = (path.display(), files.len());
        return Err(Error::Usage(format!("{path} can't hold {number} archives: give a folder, such as \"results/\"")));
    }
    Ok(vec![path.to_owned()])
}

/// Of a file whose digest the API does not tell.
fn download(file: ArchiveFile) -> Download {
    Download {
        bytes: file.bytes,
        content_type: "application/zip".to_owned(),
        expires_at: file.expires_at,
        filename: file.filename,
        index: None,
        sha256: String::new(),
        url: file.url.into(),
    }
}
