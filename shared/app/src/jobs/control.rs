//! Canceling and deleting jobs for their owners.

use std::sync::Arc;

use docmill_aws::queue::Queue;
use docmill_config::clock;
use docmill_domain::job::{Job, JobStatus};
use docmill_store::jobs::Written;
use serde_json::{Value, json};

use super::{LookupError, own_job};
use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};
use crate::notices::Notices;

/// Most tries if the job keeps changing in the meantime.
const TRIES: u32 = 8;

/// Why a job can't be canceled or deleted.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The account has no such job.
    #[error("there is no such job")]
    NotFound,
    /// The job has ended, and can't be canceled. With the job as its owner reads it.
    #[error("the job has ended")]
    Ended(Value),
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(ControlError);

impl From<LookupError> for ControlError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NotFound => Self::NotFound,
            LookupError::Fault(fault) => Self::Fault(fault),
        }
    }
}

/// What canceling and deleting need besides the common context.
#[derive(Debug)]
pub struct ControlService {
    /// What every API function has.
    pub context: Arc<Context>,
    /// Sends notices to jobs that wait for the canceled one.
    pub queue: Queue,
}

impl ControlService {
    /// With the queue that the settings name.
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        let context = context.into();
        Self { queue: context.queue(), context }
    }

    /// Cancels the caller's job and returns it, also if it was canceled before.
    ///
    /// # Errors
    /// If there is no such job, it has ended otherwise, or it can't be written.
    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<Job, ControlError> {
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
                    return Err(ControlError::Ended(json!(job.view(caller.now))));
                }
            }
        }
        Err(moved_on())
    }

    /// Deletes the files, the request and everything that describes the document. A job that has not ended is canceled first.
    ///
    /// Files are deleted before the state changes, so that the request can be repeated after a crash in between.
    ///
    /// # Errors
    /// If there is no such job, or it can't be deleted now.
    pub async fn delete(&self, caller: &Caller, id: &str) -> Result<(), ControlError> {
        self.erase(own_job(&self.context.jobs, caller, id).await?).await
    }

    /// The same for a job that was read already.
    ///
    /// # Errors
    /// If files of the job may still be there, or it can't be written now.
    pub async fn erase(&self, mut job: Job) -> Result<(), ControlError> {
        for _ in 0..TRIES {
            match job.status {
                JobStatus::Deleted => return Ok(()),
                JobStatus::Queued | JobStatus::Processing => drop(self.end(&job).await?),
                JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled => {
                    self.context.files.delete_everything(&job).await?;
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
    ///
    /// # Errors
    /// If it can't be written now.
    pub async fn end(&self, job: &Job) -> Result<Option<Job>, ControlError> {
        let now = clock::now();
        let canceled = self.context.jobs.cancel(job, now).await?;
        if canceled.is_some() {
            let notices = Notices { jobs: &self.context.jobs, files: &self.context.files, queue: &self.queue };
            notices.close(job, JobStatus::Canceled, now).await;
        }
        Ok(canceled)
    }
}

fn moved_on() -> ControlError {
    Fault::unavailable("the job changed during every attempt").into()
}
