//! Ends an attempt whose job its owner has canceled.

use std::time::Duration;

use docmill::domain::job::Job;
use docmill::store::jobs::Jobs;

/// How often a job is looked at while it is worked on: canceled work is killed within three seconds.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Does the work of an attempt as long as the job is the attempt's own. `None`: it was canceled, or another attempt has taken
/// over. The work was dropped then, and everything that it had started with it.
pub(crate) async fn unless_canceled<T>(
    jobs: &Jobs,
    job: &Job,
    look_every: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        done = work => Some(done),
        () = lost(jobs, job, look_every) => None,
    }
}

/// Returns when the job no longer belongs to this attempt. Failed reads are ignored.
async fn lost(jobs: &Jobs, job: &Job, look_every: Duration) {
    loop {
        tokio::time::sleep(look_every).await;
        match jobs.is_lost(job).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(job_id = %job.id, %error, "could not check whether a running job was canceled")
            }
        }
    }
}
