//! What jobs leave in the bucket when a worker or a request ends too early.

use std::collections::HashSet;
use std::time::Duration;

use docmill_aws::files::StoredRequest;
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_store::StoreError;
use docmill_store::item::Shard;
use docmill_store::jobs::Written;

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

/// A request is stored before its job. After this time, no function is still creating the job. Ids of jobs don't tell: those of a
/// batch are as old as the batch.
const CREATION: Duration = Duration::from_secs(60);

impl Sweeper {
    pub(crate) async fn clean_up(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let is_open = |job: &Job| Shard::is_cleanup(job.index.open.as_deref());
        let clean = |due| self.repair_all(due, run, |job| self.clean(job, run));
        self.repair_pages(Shard::Cleanup(shard), run, is_open, clean).await
    }

    /// Deletes what attempts have stored besides the job's result.
    ///
    /// Timeline: a job is canceled while its worker stores the result. The worker looks once a second, and deletes what it has
    /// stored. If it dies before that, or a file arrives after that, the file is found here. Until the worker's lease has ended,
    /// every run looks again.
    async fn clean(&self, job: Job, run: Run) -> Result<Repair, Obstacle> {
        match job.status {
            JobStatus::Queued | JobStatus::Processing => return Ok(Repair::None),
            JobStatus::Completed | JobStatus::Expired => self.context.files.delete_other_attempts(&job).await?,
            JobStatus::Failed | JobStatus::Canceled | JobStatus::Deleted => {
                self.context.files.delete_everything(&job).await?;
            }
        }
        if job.work.lease_until.is_none_or(|until| until <= run.now) {
            match self.context.jobs.cleaned(&job).await? {
                Written::Yes | Written::Superseded => {}
            }
        }
        Ok(Repair::None)
    }

    /// Deletes stored requests of jobs that have ended, or were never created. Usually, whoever ended or refused the job has
    /// deleted its request, so that only those of waiting jobs are left.
    ///
    /// Timeline: a request is stored, and its transaction is refused, or the function dies. No job names the request.
    pub(crate) async fn delete_requests(&self, run: Run) -> Result<Repairs, StoreError> {
        let (mut repairs, mut from) = (Repairs::default(), None);
        while !run.is_over() {
            let (requests, next) = match self.context.files.stored_requests(from).await {
                Ok(page) => page,
                Err(error) => {
                    tracing::error!(%error, "stored requests could not be listed");
                    repairs.errors += 1;
                    break;
                }
            };
            let unneeded = self.unneeded(requests, run).await?;
            if let Err(error) = self.context.files.delete_all(&unneeded).await {
                tracing::error!(%error, "stored requests could not be deleted");
                repairs.errors += 1;
            }
            if next.is_none() {
                break;
            }
            from = next;
        }
        Ok(repairs)
    }

    /// The keys of requests that no job needs any more.
    async fn unneeded(&self, mut requests: Vec<StoredRequest>, run: Run) -> Result<Vec<String>, StoreError> {
        requests.retain(|request| request.stored_at.plus(CREATION) <= run.now);
        let ids: Vec<JobId> = requests.iter().map(|request| request.job).collect();
        let states = self.context.jobs.states(&ids, run.now).await?.into_iter();
        // The request of an unreadable job may still be needed.
        let is_needed = |state: Option<JobStatus>| state.is_none_or(|state| !state.is_terminal());
        let needed: HashSet<JobId> = states.filter(|(_, state)| is_needed(*state)).map(|(id, _)| id).collect();
        Ok(requests.into_iter().filter(|request| !needed.contains(&request.job)).map(|request| request.key).collect())
    }
}
