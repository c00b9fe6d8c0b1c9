//! Deletes a batch whose jobs have all ended, page by page. What is deleted twice is deleted as well, so a run may be killed anywhere.

use docmill_app::batches::{delete_archive, try_delete_items};
use docmill_domain::job::Job;
use docmill_store::jobs::Written;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::Obstacle;
use crate::run::{Run, Step};

/// Jobs that are deleted before this is noted.
const PAGE: u32 = 100;
/// Jobs that are deleted at the same time.
const AT_ONCE: usize = 16;

impl Run<'_> {
    /// Deletes the next jobs or, after the last ones, the rest of the batch.
    pub(crate) async fn delete_next(&mut self) -> Result<Step, Obstacle> {
        let first = self.batch.deleted;
        let last = self.batch.total.min(first.saturating_add(PAGE));
        if first == last {
            return self.delete_record().await;
        }
        let items: Vec<_> = (first..last).collect();
        let jobs = self.jobs(&items).await?.into_iter().map(|(_, job)| self.delete_job(job));
        stream::iter(jobs).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        self.runner.context.batches.forget_refused(&self.batch, first, last - 1).await?;
        self.batch.deleted = last;
        Ok(if self.write_down(None).await? { Step::Moved } else { Step::Over })
    }

    async fn delete_job(&self, job: Job) -> Result<(), Obstacle> {
        Ok(self.runner.control.erase(job).await?)
    }

    /// The record is the last to go: until then, the sweeper calls the next run.
    async fn delete_record(&self) -> Result<Step, Obstacle> {
        try_delete_items(&self.runner.context, &self.batch).await?;
        delete_archive(&self.runner.context, &self.batch).await?;
        match self.runner.context.batches.remove(&self.batch).await? {
            Written::Yes | Written::Superseded => Ok(Step::Over),
        }
    }
}
