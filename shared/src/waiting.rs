//! Notifies jobs when the jobs they wait for end.
//!
//! This happens at once. If an environment dies or a table does not answer, the sweeper does it. Every step is a conditional
//! write, so that each waiting job is notified once of each end.

use std::time::Duration;

use futures_util::{StreamExt, stream};

use crate::clock;
use crate::domain::job::{Job, JobError, JobErrorCode, JobId, JobStatus, Payload};
use crate::domain::time::Timestamp;
use crate::files::Files;
use crate::queue::{Message, Queue, QueueError};
use crate::store::StoreError;
use crate::store::jobs::{Jobs, Wait, Written};
use crate::telemetry;

/// Most waiting jobs that are notified at the same time.
const AT_ONCE: usize = 8;
/// Most time to spend on notifications at the end of a job.
const NOTIFYING_TIME: Duration = Duration::from_secs(5);

#[derive(Debug, thiserror::Error)]
pub enum WaitingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// The outcome of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notified {
    Started,
    Failed,
    /// It still waits for others, or was notified before.
    Nothing,
}

/// What notifying needs.
#[derive(Clone, Copy, Debug)]
pub struct Waiting<'a> {
    pub jobs: &'a Jobs,
    pub files: &'a Files,
    pub queue: &'a Queue,
}

impl Waiting<'_> {
    /// What follows the end of a job: its request is deleted, and waiting jobs are notified. The sweeper does what can't be done
    /// in time.
    pub async fn close(&self, job: &Job, status: JobStatus) {
        forget_payload(self.files, job).await;
        if tokio::time::timeout(NOTIFYING_TIME, self.notify_all_of(job.id, status)).await.is_err() {
            tracing::warn!(job_id = %job.id, "not all waiting jobs were notified in time; the sweeper will do it");
        }
    }

    /// Notifies all jobs that wait for `ended`, and those that wait for a job that fails because of it. Failures are left to the
    /// sweeper.
    pub async fn notify_all_of(&self, ended: JobId, status: JobStatus) {
        let mut ends = vec![(ended, status)];
        while let Some((ended, status)) = ends.pop() {
            let waiters = match self.jobs.waiters(ended).await {
                Ok(waiters) => waiters,
                Err(error) => {
                    tracing::warn!(job_id = %ended, %error, "waiting jobs could not be read; the sweeper will notify them");
                    continue;
                }
            };
            let told = stream::iter(waiters)
                .map(|waiter| async move { (waiter, self.notify(waiter, ended, status).await) })
                .buffer_unordered(AT_ONCE);
            let told: Vec<_> = told.collect().await;
            for (waiter, told) in told {
                match told {
                    Ok(Notified::Failed) => ends.push((waiter, JobStatus::Failed)),
                    Ok(Notified::Started | Notified::Nothing) => {}
                    Err(error) => {
                        tracing::warn!(job_id = %waiter, %error, "a waiting job could not be notified; the sweeper will do it")
                    }
                }
            }
        }
    }

    /// Notifies a job that one of its awaited jobs has ended.
    pub async fn notify(&self, waiter: JobId, ended: JobId, status: JobStatus) -> Result<Notified, WaitingError> {
        if status == JobStatus::Completed {
            return match self.jobs.stop_waiting(waiter, ended).await? {
                Wait::Over(job) => self.start(&job).await,
                Wait::On | Wait::None => Ok(Notified::Nothing),
            };
        }
        let Some(job) = self.jobs.get(waiter).await? else { return Ok(Notified::Nothing) };
        let waits = job.waiting_for.as_ref().is_some_and(|ids| ids.contains(&ended));
        if !waits || job.status != JobStatus::Queued {
            return Ok(Notified::Nothing);
        }
        self.fail(&job, ended, status, clock::now()).await
    }

    /// Queues a job that no longer waits.
    pub async fn start(&self, job: &Job) -> Result<Notified, WaitingError> {
        match self.jobs.start(job, clock::now()).await? {
            Written::Yes => {
                self.queue.send(job.queue, &job.account, &Message::Convert { job_id: job.id }).await?;
                Ok(Notified::Started)
            }
            Written::Superseded => Ok(Notified::Nothing),
        }
    }

    async fn fail(&self, job: &Job, ended: JobId, status: JobStatus, now: Timestamp) -> Result<Notified, WaitingError> {
        let error = JobError::new(JobErrorCode::SourceJobFailed, why(ended, status));
        match self.jobs.fail(job, &error, None, now).await? {
            Written::Yes => {
                forget_payload(self.files, job).await;
                telemetry::job::failed(job, error.code, "a job whose result it takes did not complete");
                Ok(Notified::Failed)
            }
            Written::Superseded => Ok(Notified::Nothing),
        }
    }
}

/// A finished job no longer needs its stored request. If it can't be deleted now, the lifecycle deletes it.
async fn forget_payload(files: &Files, job: &Job) {
    if let Some(Payload::Stored(key)) = &job.secret
        && let Err(error) = files.delete(key).await
    {
        tracing::warn!(job_id = %job.id, %error, "a stored request could not be deleted; the bucket's lifecycle will delete it");
    }
}

/// Why a job's result can't be used.
pub fn why(job: JobId, status: JobStatus) -> String {
    let what = match status {
        JobStatus::Failed => "failed",
        JobStatus::Canceled => "was canceled",
        JobStatus::Expired => "has expired: its result is gone",
        JobStatus::Deleted => "was deleted",
        JobStatus::Queued | JobStatus::Processing | JobStatus::Completed => "has no such result",
    };
    format!("The source job {job} {what}. Create that job again, then this one with its new id.")
}
