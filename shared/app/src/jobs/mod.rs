//! Jobs of callers: created, read, canceled and deleted, and their receipts.

pub mod control;
pub mod receipts;
pub mod submit;

use docmill_domain::job::Job;
use docmill_store::jobs::Jobs;

use crate::caller::Caller;
use crate::fault::{Fault, with_faults};

/// Why a job can't be read.
#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    /// The account has no such job.
    #[error("there is no such job")]
    NotFound,
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(LookupError);

/// The caller's job. Jobs of others, unknown jobs and invalid ids get the same answer after the same read.
///
/// # Errors
/// If the account has no such job, or the table does not answer.
pub async fn own_job(jobs: &Jobs, caller: &Caller, id: &str) -> Result<Job, LookupError> {
    jobs.get_own(caller.account(), id, caller.now).await?.ok_or(LookupError::NotFound)
}
