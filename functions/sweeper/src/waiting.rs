//! Jobs that take other jobs' results, and were not told that these have ended.

use std::collections::HashMap;
use std::time::Duration;

use docmill::domain::job::{Job, JobId, JobStatus};
use docmill::domain::time::Timestamp;
use docmill::store::StoreError;
use docmill::store::item::Shard;
use docmill::store::jobs::{WAITING_GRACE, Written};
use docmill::waiting::{Notified, Waiting};

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

/// How often the sweeper looks at a waiting job. Usually the awaited job notifies it earlier.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);

impl Sweeper {
    pub(crate) async fn look_after_waiting(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let notify = |job| self.notify(job, run.now);
        self.repair_due(Shard::Waiting(shard), JobStatus::Queued, run, notify).await
    }

    /// Notifies the job of all jobs that have ended, and looks again later if it still waits for others.
    ///
    /// Timeline: a worker completes the awaited job and dies before it notifies the waiting one. Or it takes the last job off the
    /// list and dies before it puts the waiting one into its queue.
    async fn notify(&self, job: Job, now: Timestamp) -> Result<Repair, Obstacle> {
        let waiting = self.waiting();
        let Some(awaited) = &job.waiting_for else {
            return Ok(repair(waiting.start(&job).await?));
        };
        let ids: Vec<JobId> = awaited.iter().copied().collect();
        let found = self.context.jobs.get_all(&ids).await?.into_iter();
        let found: HashMap<JobId, JobStatus> = found.map(|job| (job.id, job.status_at(now))).collect();
        for id in ids {
            // A job that is gone altogether has taken its result with it.
            let status = found.get(&id).copied().unwrap_or(JobStatus::Deleted);
            if status.is_terminal() {
                match waiting.notify(job.id, id, status).await? {
                    Notified::Nothing => {}
                    Notified::Failed => {
                        waiting.notify_all_of(job.id, JobStatus::Failed).await;
                        return Ok(Repair::Failed);
                    }
                    Notified::Started => return Ok(Repair::Resent),
                }
            }
        }
        let age = Duration::from_millis(now.millis_since(job.created_at));
        match self.context.jobs.postpone(&job, now.plus(age.clamp(WAITING_GRACE, LONGEST_WAIT))).await? {
            Written::Yes | Written::Superseded => Ok(Repair::None),
        }
    }

    pub(crate) fn waiting(&self) -> Waiting<'_> {
        Waiting { jobs: &self.context.jobs, files: &self.context.files, queue: &self.queue }
    }
}

fn repair(notified: Notified) -> Repair {
    match notified {
        Notified::Started => Repair::Resent,
        Notified::Failed => Repair::Failed,
        Notified::Nothing => Repair::None,
    }
}
