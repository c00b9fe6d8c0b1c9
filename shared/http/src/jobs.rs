//! Reads a job for its owner.

use super::error::{ApiError, ErrorCode};
use super::guard::Caller;
use docmill_domain::job::Job;
use docmill_store::jobs::Jobs;

/// The caller's job. Jobs of others, unknown jobs and invalid ids get the same answer after the same read.
pub async fn own_job(jobs: &Jobs, caller: &Caller, id: &str) -> Result<Job, ApiError> {
    jobs.get_own(caller.account(), id, caller.now).await?.ok_or_else(|| ErrorCode::JobNotFound.into())
}
