//! Creates a batch of the items of another one that failed.

use std::collections::BTreeSet;

use docmill_aws::files::{BatchPart, ObjectKey};
use docmill_domain::batch::{Archive, Batch, Defaults, MOST_ITEMS_BYTES};
use docmill_domain::job::JobStatus;
use futures_util::{StreamExt, TryStreamExt, stream};

use super::{BatchError, NewBatches, call_runner, jobs_of, new_batch, own_batch};
use crate::caller::Caller;
use crate::context::Context;
use crate::fault::Fault;
use crate::jobs::submit::{SubmitError, admit_tool};

/// Jobs per read, and reads at the same time.
const PAGE: u32 = 100;
const AT_ONCE: usize = 8;

impl NewBatches {
    /// The new batch has the same tool, options and webhook. Its items are checked when their jobs are created: an upload may be gone.
    ///
    /// # Errors
    /// If there is no such batch, no failed item is kept, its tool can't be used, or it can't be stored now.
    pub async fn retry_failed(&self, caller: &Caller, id: &str) -> Result<Batch, BatchError> {
        let context = &self.jobs.context;
        let earlier = own_batch(context, caller, id).await?;
        if !earlier.can_be_retried(caller.now) {
            return Err(BatchError::NothingToRetry);
        }
        let tool = context.catalogue.find(&earlier.tool).ok_or(SubmitError::UnknownTool(None))?;
        admit_tool(tool, caller)?;
        let failed = failed_items(context, &earlier).await?;
        let lines = lines_of(context, &earlier, &failed).await?;
        let key = ObjectKey::Batch { account: &earlier.account, batch: earlier.id, part: BatchPart::Defaults };
        let defaults = context.files.get_text(&key.to_string()).await?;
        let defaults: Defaults = serde_json::from_str(&defaults).map_err(Fault::internal)?;
        let total = u32::try_from(failed.len()).map_err(Fault::internal)?;
        let batch = Batch {
            webhook: earlier.webhook.clone(),
            on_error: earlier.on_error,
            archive: earlier.archive.is_some().then(Archive::default),
            retention_seconds: earlier.retention_seconds,
            ..new_batch(caller, earlier.tool.clone(), total, context.config.job_retention)
        };
        self.store(&batch, lines, &defaults).await?;
        context.batches.create(&batch, None).await?;
        call_runner(&self.jobs.queue, &batch).await;
        Ok(batch)
    }
}

/// The items whose jobs failed or could not be created.
async fn failed_items(context: &Context, batch: &Batch) -> Result<BTreeSet<u32>, Fault> {
    let pages = (0..batch.total).step_by(PAGE as usize);
    let jobs = stream::iter(pages)
        .map(|first| jobs_of(context, batch, first, batch.total.min(first.saturating_add(PAGE))))
        .buffered(AT_ONCE);
    let jobs: Vec<_> = jobs.try_collect().await?;
    let jobs: Vec<_> = jobs.into_iter().flatten().collect();
    let mut failed: BTreeSet<_> = context
        .batches
        .refused(batch, 0, batch.total.saturating_sub(1))
        .await?
        .into_iter()
        .map(|item| item.index)
        .collect();
    for (index, job) in jobs {
        // A job counts more than a refusal that an earlier run has noted.
        if job.status == JobStatus::Failed {
            failed.insert(index);
        } else {
            failed.remove(&index);
        }
    }
    Ok(failed)
}

/// The lines of these items.
async fn lines_of(context: &Context, batch: &Batch, wanted: &BTreeSet<u32>) -> Result<String, Fault> {
    let key = ObjectKey::Batch { account: &batch.account, batch: batch.id, part: BatchPart::Items }.to_string();
    let items = context.files.get_bytes(&key, 2 * MOST_ITEMS_BYTES).await?;
    let items = String::from_utf8(items.unwrap_or_default()).map_err(Fault::internal)?;
    let lines = (0..).zip(items.lines()).filter(|(index, _)| wanted.contains(index));
    Ok(lines.map(|(_, line)| format!("{line}\n")).collect())
}
