//! Notifies jobs when the jobs they wait for end.
//!
//! This happens at once. If an environment dies or a table does not answer, the sweeper does it. Every step is a conditional
//! write, so that each waiting job is notified once of each end.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};

use docmill_aws::files::Files;
use docmill_aws::queue::{Message, Queue, QueueError};
use docmill_config::clock;
use docmill_domain::event::job_event_id;
use docmill_domain::job::{Job, JobError, JobErrorCode, JobId, JobStatus, Payload, Refund};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::jobs::{Jobs, Wait, Written};
use docmill_telemetry as telemetry;

/// Most waiting jobs that are notified at the same time.
const AT_ONCE: usize = 32;
/// Most time to spend on notifications at the end of a job.
const NOTIFYING_TIME: Duration = Duration::from_secs(5);

const NO_SOURCE: &str = "a job whose result it takes did not complete";

/// Why a job can't be notified now.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// A table did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A queue did not answer.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// The outcome of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notified {
    /// It was queued.
    Started,
    /// It failed, since what it waited for did not complete.
    Failed,
    /// It still waits for others, or was notified before.
    Nothing,
}

/// What notifying needs.
#[derive(Clone, Copy, Debug)]
pub struct Notices<'a> {
    /// The jobs.
    pub jobs: &'a Jobs,
    /// Deletes the stored requests of failed jobs.
    pub files: &'a Files,
    /// Sends jobs to workers.
    pub queue: &'a Queue,
}

impl Notices<'_> {
    /// What follows the end of a job at this time: its request is deleted, and webhooks and waiting jobs are notified. The sweeper
    /// does what can't be done in time.
    pub async fn close(&self, job: &Job, status: JobStatus, at: Timestamp) {
        forget_payload(self.files, job).await;
        self.announce(job, at).await;
        if tokio::time::timeout(NOTIFYING_TIME, self.notify_all_of(job.id, status)).await.is_err() {
            tracing::warn!(job_id = %job.id, "not all waiting jobs were notified in time; the sweeper will do it");
        }
    }

    /// Tells the deliverer of webhooks about a job's end.
    async fn announce(&self, job: &Job, at: Timestamp) {
        if let Err(error) = self.queue.announce(&job.account, &job_event_id(job.id, at)).await {
            tracing::warn!(job_id = %job.id, %error, "an event could not be announced; the sweeper will do it");
        }
    }

    /// Notifies all jobs that wait for `ended`, and those that wait for a job that fails because of it. Failures are left to the
    /// sweeper.
    pub async fn notify_all_of(&self, ended: JobId, status: JobStatus) {
        let mut ends = vec![(ended, status)];
        while let Some((ended, status)) = ends.pop() {
            let told = match self.jobs.waiters(ended).await {
                Ok(waiters) if status == JobStatus::Completed => {
                    self.start_all(waiters, ended).await;
                    Ok(Vec::new())
                }
                Ok(waiters) => self.fail_all(waiters, ended, status).await,
                Err(error) => Err(error),
            };
            match told {
                Ok(failed) => ends.extend(failed.into_iter().map(|waiter| (waiter, JobStatus::Failed))),
                Err(error) => {
                    tracing::warn!(job_id = %ended, %error, "waiting jobs could not be notified; the sweeper will do it");
                }
            }
        }
    }

    async fn start_all(&self, waiters: BTreeSet<JobId>, completed: JobId) {
        stream::iter(waiters)
            .for_each_concurrent(AT_ONCE, |waiter| async move {
                if let Err(error) = self.notify(waiter, completed, JobStatus::Completed).await {
                    tracing::warn!(job_id = %waiter, %error, "a waiting job could not be notified; the sweeper will do it");
                }
            })
            .await;
    }

    /// Fails these jobs because of one that they wait for. Returns those that have failed now.
    async fn fail_all(
        &self,
        waiters: BTreeSet<JobId>,
        ended: JobId,
        status: JobStatus,
    ) -> Result<Vec<JobId>, StoreError> {
        let read = stream::iter(waiters).map(|waiter| self.jobs.get(waiter)).buffer_unordered(AT_ONCE);
        let read: Vec<Option<Job>> = read.try_collect().await?;
        let waiting = read.into_iter().flatten().filter(|job| waits_for(job, ended)).collect();
        let error = JobError::new(JobErrorCode::SourceJobFailed, why(ended, status));
        let now = clock::now();
        let failed = self.jobs.fail_all(waiting, &error, now).await?;
        let requests: Vec<_> = failed.iter().filter_map(stored_request).collect();
        if let Err(error) = self.files.delete_all(&requests).await {
            tracing::warn!(job_id = %ended, %error, "stored requests could not be deleted; the sweeper will delete them");
        }
        stream::iter(&failed).for_each_concurrent(AT_ONCE, |job| self.announce(job, now)).await;
        for job in &failed {
            telemetry::job::failed(job, Refund::Full, error.code, NO_SOURCE);
        }
        Ok(failed.into_iter().map(|job| job.id).collect())
    }

    /// Notifies a job that one of its awaited jobs has ended.
    ///
    /// # Errors
    /// If the job can't be written or sent now.
    pub async fn notify(&self, waiter: JobId, ended: JobId, status: JobStatus) -> Result<Notified, NoticeError> {
        if status == JobStatus::Completed {
            return match self.jobs.stop_waiting(waiter, ended).await? {
                Wait::Over(job) => self.start(&job).await,
                Wait::On | Wait::None => Ok(Notified::Nothing),
            };
        }
        let Some(job) = self.jobs.get(waiter).await? else { return Ok(Notified::Nothing) };
        if !waits_for(&job, ended) {
            return Ok(Notified::Nothing);
        }
        self.fail(&job, ended, status, clock::now()).await
    }

    /// Queues a job that no longer waits.
    ///
    /// # Errors
    /// As for [`Self::notify`].
    pub async fn start(&self, job: &Job) -> Result<Notified, NoticeError> {
        match self.jobs.start(job, clock::now()).await? {
            Written::Yes => {
                self.queue.send(job.queue, &job.account, &Message::Convert { job_id: job.id }).await?;
                Ok(Notified::Started)
            }
            Written::Superseded => Ok(Notified::Nothing),
        }
    }

    async fn fail(&self, job: &Job, ended: JobId, status: JobStatus, now: Timestamp) -> Result<Notified, NoticeError> {
        let error = JobError::new(JobErrorCode::SourceJobFailed, why(ended, status));
        match self.jobs.fail(job, &error, None, now).await? {
            Written::Yes => {
                forget_payload(self.files, job).await;
                self.announce(job, now).await;
                telemetry::job::failed(job, Refund::Full, error.code, NO_SOURCE);
                Ok(Notified::Failed)
            }
            Written::Superseded => Ok(Notified::Nothing),
        }
    }
}

fn waits_for(job: &Job, awaited: JobId) -> bool {
    job.status == JobStatus::Queued && job.waits.waiting_for.as_ref().is_some_and(|ids| ids.contains(&awaited))
}

/// A finished job no longer needs its stored request. If it can't be deleted now, the sweeper deletes it.
async fn forget_payload(files: &Files, job: &Job) {
    if let Some(key) = stored_request(job)
        && let Err(error) = files.delete(&key).await
    {
        tracing::warn!(job_id = %job.id, %error, "a stored request could not be deleted; the sweeper will delete it");
    }
}

fn stored_request(job: &Job) -> Option<String> {
    match &job.request.secret {
        Some(Payload::Stored(key)) => Some(key.clone()),
        Some(Payload::Inline(_)) | None => None,
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
