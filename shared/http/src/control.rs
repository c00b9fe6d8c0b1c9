//! Canceling and deleting jobs for their owners.

use std::sync::Arc;

use lambda_http::http::StatusCode;

use super::envelope::{Outcome, Reply};
use super::error::{ApiError, ErrorCode};
use super::guard::{Caller, as_account};
use super::jobs::own_job;
use docmill_app::context::Context;
use docmill_app::notices::Notices;
use docmill_aws::queue::Queue;
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::quota::RatePolicy;
use docmill_store::jobs::Written;

/// Most tries if the job keeps changing in the meantime.
const TRIES: u32 = 8;

/// What canceling and deleting need besides the common context.
#[derive(Debug)]
pub struct ControlService {
    pub context: Arc<Context>,
    pub queue: Queue,
}

impl ControlService {
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        let context = context.into();
        Self { queue: context.queue(), context }
    }

    /// Cancels the caller's job and returns it, also if it was canceled before. Fails with `job_ended` if it has ended otherwise.
    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<Job, ApiError> {
        for _ in 0..TRIES {
            let job = own_job(&self.context.jobs, caller, id).await?;
            match job.status_at(caller.now) {
                JobStatus::Canceled => return Ok(job),
                JobStatus::Queued | JobStatus::Processing => {
                    if let Some(canceled) = self.end(&job).await? {
                        return Ok(canceled);
                    }
                }
                JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Deleted => {
                    return Err(ApiError::from(ErrorCode::JobEnded).with_job(job.view(caller.now)));
                }
            }
        }
        Err(moved_on())
    }

    /// The same for a signed-in user's account.
    pub async fn cancel_as(&self, account: &str, id: &str) -> Outcome {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            Ok(Reply::ok("job", self.cancel(&caller, id).await?.view(caller.now)))
        })
        .await
    }

    /// The same for a signed-in user's account.
    pub async fn delete_as(&self, account: &str, id: &str) -> Outcome {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            self.delete(&caller, id).await?;
            Ok(Reply::empty(StatusCode::NO_CONTENT))
        })
        .await
    }

    /// Deletes the files, the request and everything that describes the document. A job that has not ended is canceled first.
    ///
    /// Files are deleted before the state changes, so that the request can be repeated after a crash in between.
    pub async fn delete(&self, caller: &Caller, id: &str) -> Result<(), ApiError> {
        self.erase(own_job(&self.context.jobs, caller, id).await?).await
    }

    /// The same for a job that was read already.
    pub async fn erase(&self, mut job: Job) -> Result<(), ApiError> {
        for _ in 0..TRIES {
            match job.status {
                JobStatus::Deleted => return Ok(()),
                JobStatus::Queued | JobStatus::Processing => drop(self.end(&job).await?),
                JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled => {
                    self.context.files.delete_everything(&job).await.map_err(ApiError::unavailable)?;
                    self.context.events.forget_document(&job).await?;
                    if self.context.jobs.delete(&job, clock::now()).await? == Written::Yes {
                        return Ok(());
                    }
                }
            }
            match self.context.jobs.get(job.id).await? {
                Some(changed) => job = changed,
                None => return Ok(()),
            }
        }
        Err(moved_on())
    }

    /// Cancels a job that has not ended. `None` if it has changed since it was read.
    pub async fn end(&self, job: &Job) -> Result<Option<Job>, ApiError> {
        let now = clock::now();
        let canceled = self.context.jobs.cancel(job, now).await?;
        if canceled.is_some() {
            let notices = Notices { jobs: &self.context.jobs, files: &self.context.files, queue: &self.queue };
            notices.close(job, JobStatus::Canceled, now).await;
        }
        Ok(canceled)
    }
}

fn moved_on() -> ApiError {
    ApiError::unavailable("the job changed during every attempt")
}
