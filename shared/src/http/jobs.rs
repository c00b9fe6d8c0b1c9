//! Reads a job for its owner only.

use super::error::{ApiError, ErrorCode};
use super::guard::Caller;
use crate::domain::job::{Job, JobId};
use crate::store::jobs::Jobs;

/// The caller's job. Other accounts' jobs, unknown jobs and invalid ids get the same answer after the same read.
pub async fn own_job(jobs: &Jobs, caller: &Caller, id: &str) -> Result<Job, ApiError> {
    let id = JobId::parse(id).unwrap_or(JobId::NONE);
    let job = jobs.get(id).await?;
    // The record's time is compared here: DynamoDB deletes late.
    let kept = |job: &Job| job.ttl > caller.now.as_ttl_seconds();
    job.filter(|job| job.account == caller.account() && kept(job)).ok_or_else(|| ErrorCode::JobNotFound.into())
}
