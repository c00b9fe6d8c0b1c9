//! Creates batches, and reads and controls them for their owners.

pub mod results;
mod retry;

use std::sync::Arc;
use std::time::Duration;

use docmill_aws::files::{BatchPart, FilesError, ObjectKey, archive_folder};
use docmill_aws::queue::Queue;
use docmill_config::clock;
use docmill_domain::batch::{
    Archive, Batch, BatchId, BatchRequest, CancelReason, Defaults, Forbidden, MOST_ITEMS_BYTES, OnError, State, Tally,
    UPLOAD_RULE,
};
use docmill_domain::breach::Breach;
use docmill_domain::idempotency::IdempotencyKey;
use docmill_domain::job::Job;
use docmill_domain::request::UnknownNames;
use docmill_store::StoreError;
use docmill_store::batches::{BatchKey, Created, DUE_BATCHES};
use docmill_store::jobs::Written;
use serde_json::{Map, Value, json};

use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};
use crate::jobs::submit::{JobService, SubmitError, ToolChoice, admit_tool};

/// As many jobs may be read for one request of the rate limit.
const READ_PER_REQUEST: u32 = 200;
/// Most tries if the batch keeps changing in the meantime.
const TRIES: u32 = 8;
/// The sweeper calls a runner for a batch that none has taken by then.
const HURRY: Duration = Duration::from_secs(30);

/// Why a batch can't be created, read or changed.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The jobs of its items would not be created, for this reason.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The account has no such batch.
    #[error("there is no such batch")]
    NotFound,
    /// Nothing can be changed any more.
    #[error("the batch has ended")]
    Ended,
    /// No item of it has failed, or those that have are no longer kept.
    #[error("no failed items are kept")]
    NothingToRetry,
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(BatchError);

/// The batch of a request.
#[derive(Debug)]
pub struct Accepted {
    /// As it is stored.
    pub batch: Batch,
    /// The batch is that of an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// Creates batches.
#[derive(Debug)]
pub struct NewBatches {
    /// Checks items like jobs of their own.
    pub jobs: Arc<JobService>,
}

/// What reading and controlling batches need besides the common context.
#[derive(Debug)]
pub struct BatchControl {
    /// What every API function has.
    pub context: Arc<Context>,
    /// Sends what runs batches.
    pub queue: Queue,
}

impl NewBatches {
    /// Over what creates jobs.
    pub fn new(jobs: impl Into<Arc<JobService>>) -> Self {
        Self { jobs: jobs.into() }
    }

    /// The checks of the body are in the order of those for a job.
    ///
    /// # Errors
    /// Why no batch is created.
    pub async fn create(
        &self,
        caller: &Caller,
        body: &Map<String, Value>,
        key: Option<&IdempotencyKey>,
        unknown_names: UnknownNames,
    ) -> Result<Accepted, BatchError> {
        let JobService { context, queue, .. } = &*self.jobs;
        let tool = self.jobs.choose_tool(ToolChoice::InBody, body)?;
        admit_tool(tool, caller)?;
        let request = BatchRequest::read(body, caller.now).map_err(BatchError::Invalid)?;
        let uploaded = match self.uploaded(caller, &request).await? {
            Some(uploaded) => uploaded,
            // The response to an earlier request is the same, also when its upload is gone.
            None => {
                return match key {
                    Some(key) => self.replay(caller, key, &request.fingerprint).await?.ok_or_else(no_such_upload),
                    None => Err(no_such_upload()),
                };
            }
        };
        let wanted = request.check(&context.catalogue, tool, &uploaded, unknown_names).map_err(BatchError::Invalid)?;
        let webhook = self.jobs.webhook(wanted.first.webhook.as_ref(), caller.account())?;
        self.jobs.admit_steps(&wanted.first, caller)?;
        let batch = Batch {
            webhook,
            on_error: wanted.on_error,
            archive: wanted.archive.then(Archive::default),
            retention_seconds: wanted.first.output.retention_seconds,
            ..new_batch(caller, tool.definition.slug.clone(), wanted.total, context.config.job_retention)
        };
        // The items are stored first, so that every batch has them.
        self.store(&batch, wanted.lines, &wanted.defaults).await?;
        let kept_until = caller.now.plus(context.config.idempotency_retention);
        let record = key.map(|key| BatchKey::new(key, &batch, &wanted.fingerprint, kept_until));
        match context.batches.create(&batch, record.as_ref()).await? {
            Created::Fresh => {
                call_runner(queue, &batch).await;
                Ok(Accepted { batch, replayed: false })
            }
            Created::Replay(id) => {
                delete_items(context, &batch).await;
                let earlier = context.batches.get(caller.account(), id).await?.ok_or(BatchError::NotFound)?;
                Ok(Accepted { batch: earlier, replayed: true })
            }
            Created::Mismatch => {
                delete_items(context, &batch).await;
                Err(SubmitError::KeyReused.into())
            }
        }
    }

    /// The upload with the items; empty if they are in the request, and `None` if it does not exist.
    async fn uploaded(&self, caller: &Caller, request: &BatchRequest) -> Result<Option<Vec<u8>>, BatchError> {
        let Some(upload) = request.upload() else { return Ok(Some(Vec::new())) };
        let key = ObjectKey::Upload { account: caller.account(), upload }.to_string();
        match self.jobs.context.files.get_bytes(&key, MOST_ITEMS_BYTES).await? {
            Some(uploaded) if uploaded.len() > MOST_ITEMS_BYTES => Err(wrong_upload("has more than 64 MiB")),
            found => Ok(found),
        }
    }

    async fn replay(
        &self,
        caller: &Caller,
        key: &IdempotencyKey,
        fingerprint: &str,
    ) -> Result<Option<Accepted>, BatchError> {
        let (batches, account) = (&self.jobs.context.batches, caller.account());
        let Some(id) = batches.earlier(key, account, caller.key.mode, fingerprint, caller.now).await? else {
            return Ok(None);
        };
        let earlier = batches.get(account, id).await?.ok_or(BatchError::NotFound)?;
        Ok(Some(Accepted { batch: earlier, replayed: true }))
    }

    /// Stores the items, and what the batch says for all of them.
    async fn store(&self, batch: &Batch, lines: String, defaults: &Defaults) -> Result<(), BatchError> {
        let files = &self.jobs.context.files;
        let key = |part| ObjectKey::Batch { account: &batch.account, batch: batch.id, part };
        let (items_key, defaults_key) = (key(BatchPart::Items), key(BatchPart::Defaults));
        let stored = futures_util::try_join!(
            files.put_text(&items_key, lines),
            files.put_text(&defaults_key, json!(defaults).to_string()),
        );
        Ok(stored.map(drop)?)
    }
}

fn new_batch(caller: &Caller, tool: String, total: u32, kept_for: Duration) -> Batch {
    Batch {
        account: caller.account().to_owned(),
        id: BatchId::new(),
        key_hash: caller.key.key_hash.clone(),
        mode: caller.key.mode,
        tool,
        on_error: OnError::default(),
        webhook: None,
        state: State::Processing,
        reason: None,
        created_at: caller.now,
        paused_at: None,
        finished_at: None,
        total,
        next: 0,
        next_byte: 0,
        open: Vec::new(),
        processing: 0,
        tally: Tally::default(),
        charged: 0,
        refunded: 0,
        archive: None,
        retention_seconds: None,
        kept_until: None,
        deleted: 0,
        run: 0,
        lease_until: None,
        revision: 0,
        due_shard: Some(DUE_BATCHES.to_owned()),
        due: Some(caller.now.plus(HURRY)),
        ttl: caller.now.plus(kept_for).as_ttl_seconds(),
    }
}

impl BatchControl {
    /// With the queue that the settings name.
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        let context = context.into();
        Self { queue: context.queue(), context }
    }

    /// The caller's batch. Those of others, unknown ones and invalid ids get the same answer after the same read.
    ///
    /// # Errors
    /// If there is no such batch, or it can't be read now.
    pub async fn own(&self, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
        own_batch(&self.context, caller, id).await
    }

    /// Cancels the batch: no more jobs are created, and unfinished ones are canceled by a runner. Also returns a batch that was
    /// canceled before.
    ///
    /// # Errors
    /// If there is no such batch, it has completed, or it can't be written.
    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
        self.change(caller, id, |batch| batch.cancel(CancelReason::Requested)).await
    }

    /// Goes on with a paused batch, with the caller's key. Also returns a batch that is not paused, unless it has ended.
    ///
    /// # Errors
    /// If there is no such batch, it has ended, or it can't be written now.
    pub async fn resume(&self, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
        self.change(caller, id, |batch| batch.resume(caller.key.key_hash.clone())).await
    }

    /// Deletes the batch with its jobs, as if each were deleted alone. A runner does it.
    ///
    /// # Errors
    /// If there is no such batch, or it can't be written now.
    pub async fn delete(&self, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
        self.change(caller, id, |batch| {
            let is_new = batch.delete(caller.now);
            // An ended batch left the index.
            batch.due_shard = Some(DUE_BATCHES.to_owned());
            Ok(is_new)
        })
        .await
    }

    async fn change(
        &self,
        caller: &Caller,
        id: &str,
        step: impl Fn(&mut Batch) -> Result<bool, Forbidden>,
    ) -> Result<Batch, BatchError> {
        for _ in 0..TRIES {
            let mut batch = self.own(caller, id).await?;
            if !step(&mut batch).map_err(|_| BatchError::Ended)? {
                return Ok(batch);
            }
            batch.due = Some(clock::now());
            // The current run notices at its next write. Another one may begin at once.
            batch.lease_until = None;
            if self.context.batches.write(&mut batch, None).await? == Written::Yes {
                call_runner(&self.queue, &batch).await;
                return Ok(batch);
            }
        }
        Err(Fault::unavailable("the batch changed during every attempt").into())
    }
}

/// The caller's batch.
///
/// # Errors
/// If there is no such batch, or it can't be read now.
pub async fn own_batch(context: &Context, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
    let id = BatchId::parse(id).unwrap_or(BatchId::NONE);
    let batch = context.batches.get(caller.account(), id).await?;
    batch.filter(|batch| batch.is_current(caller.now)).ok_or(BatchError::NotFound)
}

/// The jobs of the items from `first` on, before `last`, in order. An item without a job is left out. The ids follow from the batch,
/// so no index is needed.
///
/// # Errors
/// If the table can't be read now.
pub async fn jobs_of(context: &Context, batch: &Batch, first: u32, last: u32) -> Result<Vec<(u32, Job)>, StoreError> {
    let ids: Vec<_> = (first..last).map(|index| batch.job(index)).collect();
    let jobs = context.jobs.get_all(&ids).await?.into_iter();
    let mut indexed: Vec<_> = jobs.filter_map(|job| Some((job.batch?.index, job))).collect();
    indexed.sort_by_key(|(index, _)| *index);
    Ok(indexed)
}

/// How many requests of the rate limit reading so many jobs is worth, besides the first.
pub fn further_requests(read: u32) -> u32 {
    read.saturating_sub(1) / READ_PER_REQUEST
}

/// The batch is stored already: if the queue is down, the sweeper calls the runner.
async fn call_runner(queue: &Queue, batch: &Batch) {
    if let Err(error) = queue.call_runner(&batch.account, batch.id, 0).await {
        tracing::warn!(batch_id = %batch.id, %error, "no runner was called; the sweeper will do it");
    }
}

/// What an ended batch no longer needs, or one that was not created. The bucket's lifecycle deletes what is left.
pub async fn delete_items(context: &Context, batch: &Batch) {
    if let Err(error) = try_delete_items(context, batch).await {
        tracing::warn!(batch_id = %batch.id, %error, "the items of a batch could not be deleted; the bucket's lifecycle will do it");
    }
}

/// Deletes the stored parts of the request for the batch.
///
/// # Errors
/// If a stored part of the request for the batch may still be there.
pub async fn try_delete_items(context: &Context, batch: &Batch) -> Result<(), FilesError> {
    let key = |part| ObjectKey::Batch { account: &batch.account, batch: batch.id, part }.to_string();
    context.files.delete_all(&[key(BatchPart::Items), key(BatchPart::Defaults)]).await
}

/// Deletes the files of the batch's archive, also those that a run did not live to note.
///
/// # Errors
/// If one of them may still be there.
pub async fn delete_archive(context: &Context, batch: &Batch) -> Result<(), FilesError> {
    if batch.archive.is_none() {
        return Ok(());
    }
    let folder = archive_folder(batch);
    context.files.abort_pieces(&folder).await?;
    context.files.delete_all(&context.files.list(&folder).await?).await
}

fn no_such_upload() -> BatchError {
    wrong_upload(UPLOAD_RULE)
}

fn wrong_upload(message: &str) -> BatchError {
    BatchError::Invalid(vec![Breach::new("/itemsUploadId", message)])
}
