//! Jobs whose worker's lease has ended. They have their own shards, so that no backlog delays them.

use docmill_domain::job::{Job, JobStatus, MAX_ATTEMPTS, QUEUED_GRACE};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::item::Shard;
use docmill_store::jobs::Written;

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

impl Sweeper {
    pub(crate) async fn release_leases(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let recover = |job| self.recover(job, run.now);
        self.repair_due(Shard::Leased(shard), JobStatus::Processing, run, recover).await
    }

    /// Releases the job for another attempt, if one is left.
    async fn recover(&self, job: Job, now: Timestamp) -> Result<Repair, Obstacle> {
        if job.attempts >= MAX_ATTEMPTS {
            return self.fail(&job, now).await;
        }
        match self.context.jobs.release(&job, now.plus(QUEUED_GRACE)).await? {
            Written::Yes => {
                self.send(&job).await?;
                Ok(Repair::Released)
            }
            Written::Superseded => Ok(Repair::None),
        }
    }
}
