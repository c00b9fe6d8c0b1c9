//! Waiting jobs that were not notified when the jobs they wait for ended.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use docmill_app::notices::{Notices, Notified};
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::item::Shard;
use docmill_store::jobs::{WAITING_GRACE, Written};

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

/// How often the sweeper checks a waiting job. Usually, the awaited job notifies it earlier.
const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

/// The jobs that did not complete, and whose waiting jobs this run has notified.
#[derive(Debug, Default)]
pub(crate) struct Ends(Mutex<HashSet<JobId>>);

impl Ends {
    fn is_first(&self, ended: JobId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(ended)
    }
}

impl Sweeper {
    pub(crate) async fn look_after_waiting(&self, shard: u8, ends: &Ends, run: Run) -> Result<Repairs, StoreError> {
        let notify = |job| self.notify(job, ends, run.now);
        self.repair_due(Shard::Waiting(shard), JobStatus::Queued, run, notify).await
    }

    /// Notifies the job of all ended jobs, and checks again later if it still waits.
    ///
    /// Timeline: a worker completes the awaited job and dies before it notifies the waiting one; or it removes the last awaited
    /// job from the list and dies before it queues the waiting one.
    async fn notify(&self, job: Job, ends: &Ends, now: Timestamp) -> Result<Repair, Obstacle> {
        let waiting = self.notices();
        let Some(awaited) = &job.waits.waiting_for else {
            return Ok(repair(waiting.start(&job).await?));
        };
        let ids: Vec<JobId> = awaited.iter().copied().collect();
        let states = self.context.jobs.states(&ids, now).await?;
        for id in ids {
            // The result of a job that no longer exists is gone too. An unreadable job says nothing yet.
            let Some(status) = states.get(&id).copied().unwrap_or(Some(JobStatus::Deleted)) else { continue };
            if status.is_terminal() {
                // All that wait for a job that did not complete are refunded together. One by one, they would compete for the
                // same balance.
                if status != JobStatus::Completed {
                    if !ends.is_first(id) {
                        return Ok(Repair::None);
                    }
                    waiting.notify_all_of(id, status).await;
                }
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
        let age = Duration::from_millis(now.millis_since(job.times.created_at));
        match self.context.jobs.postpone(&job, now.plus(age.clamp(WAITING_GRACE, LONGEST_WAIT))).await? {
            Written::Yes | Written::Superseded => Ok(Repair::None),
        }
    }

    pub(crate) fn notices(&self) -> Notices<'_> {
        Notices { jobs: &self.context.jobs, files: &self.context.files, queue: &self.queue }
    }
}

fn repair(notified: Notified) -> Repair {
    match notified {
        Notified::Started => Repair::Resent,
        Notified::Failed => Repair::Failed,
        Notified::Nothing => Repair::None,
    }
}
