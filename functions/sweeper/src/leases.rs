//! Jobs whose worker's lease has ended. They lie in shards of their own: no backlog of queued jobs is before them.

use docmill::domain::job::{Job, JobStatus, MAX_ATTEMPTS, QUEUED_GRACE};
use docmill::domain::time::Timestamp;
use docmill::store::StoreError;
use docmill::store::item::Shard;
use docmill::store::jobs::{DuePage, Written};

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

impl Sweeper {
    pub(crate) async fn release_leases(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let (jobs, mut repairs, mut from) = (&self.context.jobs, Repairs::default(), None);
        while !run.is_over() {
            let DuePage { ids, next } = jobs.due(Shard::Leased(shard), run.now, from).await?;
            // The index lags behind: the job itself decides.
            let due = jobs.get_all(&ids).await?.into_iter().filter(|job| is_due(job, run.now)).collect();
            repairs += self.repair_all(due, run, |job| self.recover(job, run.now)).await;
            let Some(mark) = next else { break };
            from = Some(mark);
        }
        Ok(repairs)
    }

    /// For another attempt, if there is one left.
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

fn is_due(job: &Job, now: Timestamp) -> bool {
    job.status == JobStatus::Processing && job.due.is_some_and(|due| due <= now)
}
