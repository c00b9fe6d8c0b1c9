//! Completed jobs whose output has expired.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::job::{Job, JobStatus};
use docmill_store::StoreError;
use docmill_store::item::Shard;
use docmill_store::jobs::Written;

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

/// After this time, the bucket's lifecycle has deleted an output in any case.
const LIFECYCLE: Duration = Duration::from_secs(48 * 3600);

impl Sweeper {
    pub(crate) async fn expire_outputs(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let is_completed = |job: &Job| job.status == JobStatus::Completed;
        self.repair_pages(Shard::Kept(shard), run, is_completed, |due| self.expire_all(due, run)).await
    }

    async fn expire_all(&self, due: Vec<Job>, run: Run) -> Repairs {
        let kept = self.context.files.delete_results_of(&due).await;
        let expire = |job: Job| {
            let is_kept = kept.contains(&job.id);
            self.expire(job, is_kept, run)
        };
        self.repair_all(due, run, expire).await
    }

    /// Files are deleted before the state changes. Every read compares the time, so that no read offers a deleted result.
    ///
    /// Timeline: the sweeper dies between the two. The job is still open, and the next run deletes what is left and writes the
    /// state. In the other order, the files would remain.
    async fn expire(&self, job: Job, is_kept: bool, run: Run) -> Result<Repair, Obstacle> {
        // Not the start of the run: the files were still there.
        let removed_at = (!is_kept).then(|| run.now.max(clock::now()));
        if is_kept {
            if job.index.due.is_some_and(|due| run.now < due.plus(LIFECYCLE)) {
                return Err(Obstacle::OutputKept);
            }
            tracing::warn!(job_id = %job.id, "an expired output could not be deleted; the bucket's lifecycle will delete it");
        }
        match self.context.jobs.expire(&job, removed_at).await? {
            Written::Yes => Ok(Repair::Expired),
            Written::Superseded => Ok(Repair::None),
        }
    }
}
