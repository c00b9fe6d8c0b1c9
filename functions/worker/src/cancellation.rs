//! Stops an attempt when its job is canceled.

use std::time::Duration;

use docmill::domain::job::Job;
use docmill::store::jobs::Jobs;

/// How often a running job is checked: canceled work is killed within three seconds.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Runs the work of an attempt while the job belongs to it. `None` if the job was canceled or another attempt has taken over; the
/// work was then dropped with everything that it started.
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

/// Returns once the job no longer belongs to this attempt. Failed reads are ignored.
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
