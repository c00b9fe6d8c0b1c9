//! Reading a job for its owner, and for nobody else.

use super::error::{ApiError, ErrorCode};
use super::guard::Caller;
use crate::domain::job::{Job, JobId};
use crate::store::jobs::Jobs;

/// The caller's job. Somebody else's, an unknown one and an id that is none are the same answer, after the same read.
pub async fn own_job(jobs: &Jobs, caller: &Caller, id: &str) -> Result<Job, ApiError> {
    let id = JobId::parse(id).unwrap_or(JobId::NONE);
    let job = jobs.get(id).await?;
    job.filter(|job| job.account == caller.account()).ok_or_else(|| ErrorCode::JobNotFound.into())
}
