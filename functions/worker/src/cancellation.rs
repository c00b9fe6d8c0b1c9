//! Stops an attempt when its job is canceled, and tells the job's progress until then.

use std::time::Duration;

use docmill_domain::job::{Job, Progress};
use docmill_store::StoreError;
use docmill_store::jobs::{Jobs, Written};

use crate::progress::Tracker;

/// How often a running job is checked: canceled work is killed within three seconds.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Runs the work of an attempt while the job belongs to it. `None` if the job was canceled or another attempt has taken over; the
/// work was then dropped with everything that it started.
pub(crate) async fn unless_canceled<T>(
    jobs: &Jobs,
    job: &Job,
    look_every: Duration,
    progress: &Tracker,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        done = work => Some(done),
        () = lost(jobs, job, look_every, progress) => None,
    }
}

/// Returns once the job no longer belongs to this attempt. Failed reads are ignored.
async fn lost(jobs: &Jobs, job: &Job, look_every: Duration, progress: &Tracker) {
    let mut told = None;
    loop {
        tokio::time::sleep(look_every).await;
        match look(jobs, job, progress, &mut told).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(job_id = %job.id, %error, "could not check whether a running job was canceled")
            }
        }
    }
}

/// Whether the job is lost. News is written, which tells the same as a read.
async fn look(jobs: &Jobs, job: &Job, progress: &Tracker, told: &mut Option<Progress>) -> Result<bool, StoreError> {
    if let Some(news) = progress.now().filter(|news| Some(*news) != *told)
        && jobs.note_progress(job, news).await? == Written::Yes
    {
        *told = Some(news);
        return Ok(false);
    }
    jobs.is_lost(job).await
}
