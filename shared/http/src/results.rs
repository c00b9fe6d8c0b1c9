//! The result of an ended job: signed links in JSON, a redirect, or why there is no result.

use std::collections::BTreeSet;

use lambda_http::http::{HeaderName, StatusCode, header};

use super::accept::Accept;
use super::body::{DownloadBody, Downloads, WaitBody};
use super::envelope::{Outcome, Reply};
use super::error::{ApiError, ErrorCode};
use docmill_aws::files::{Files, LINK_LIFETIME, SignedLink, result_files};
use docmill_domain::breach::Breach;
use docmill_domain::job::{DownloadView, Job, JobStatus, Output};
use docmill_domain::time::Timestamp;

const JOB: HeaderName = HeaderName::from_static("docmill-job");
const WARNINGS: HeaderName = HeaderName::from_static("docmill-warnings");

/// Most files that get links in one response.
const MOST_LINKS: usize = 1000;

/// The result of waiting.
#[derive(Debug)]
pub(crate) enum Waited {
    /// The job has ended: the response.
    Ended(Reply),
    GoesOn(Box<Job>),
}

/// The response to a request that waited, if the job has ended: the job with links to its result, or the result itself if the
/// client wants that. If the client accepts nothing else and there is no result, it gets an error.
pub(crate) async fn of_waited(files: &Files, job: Job, accept: &Accept, now: Timestamp) -> Result<Waited, ApiError> {
    match job.status_at(now) {
        JobStatus::Queued | JobStatus::Processing => Ok(Waited::GoesOn(Box::new(job))),
        JobStatus::Completed => Ok(Waited::Ended(match shown(files, job, accept, None, now).await? {
            Shown::Elsewhere(redirect) => redirect,
            Shown::Links(body) => Reply::ok(WaitBody::from(*body)),
        })),
        JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => {
            if accept.takes_json() {
                let body = WaitBody { job: job.view(now), download: None, downloads: None };
                Ok(Waited::Ended(Reply::ok(body)))
            } else {
                Err(no_result(&job, now))
            }
        }
    }
}

/// Links to a completed job's result: the primary one and each file, or only the file with this index.
///
/// # Errors
/// If there is no file with this index, the client accepts nothing that there is, or the links can't be made now.
pub async fn of_completed(files: &Files, job: Job, accept: &Accept, index: Option<usize>, now: Timestamp) -> Outcome {
    Ok(match shown(files, job, accept, index, now).await? {
        Shown::Elsewhere(redirect) => redirect,
        Shown::Links(body) => Reply::ok(body),
    })
}

/// How a completed job's result is shown.
enum Shown {
    /// By a redirect to it.
    Elsewhere(Reply),
    Links(Box<DownloadBody>),
}

async fn shown(
    files: &Files,
    job: Job,
    accept: &Accept,
    index: Option<usize>,
    now: Timestamp,
) -> Result<Shown, ApiError> {
    let (Some(primary), Some(key)) = (job.result.output.clone(), job.result.output_key.clone()) else {
        return Err(ApiError::internal("a completed job has no output"));
    };
    // The description of many files is not needed for the primary result.
    if index.is_none() && accept.prefers(&primary.content_type) {
        return Ok(Shown::Elsewhere(see_other(&link(files, &key, &primary).await?, &job)));
    }
    let job = files.with_results(job, now).await.map_err(ApiError::unavailable)?;
    let each = result_files(&job);
    let (output, key) = match index {
        None => (&primary, &key),
        Some(index) => each.get(index).map(|(output, key)| (*output, key)).ok_or_else(|| no_such_file(each.len()))?,
    };
    let signed = link(files, key, output).await?;
    if accept.prefers(&output.content_type) {
        return Ok(Shown::Elsewhere(see_other(&signed, &job)));
    }
    let body = DownloadBody { job: job.view(now), download: view(output, &signed, now, None), downloads: None };
    if index.is_some() {
        return Ok(Shown::Links(body.into()));
    }
    let mut downloads = Vec::new();
    for (index, (output, key)) in each.iter().enumerate().take(MOST_LINKS) {
        downloads.push(view(output, &link(files, key, output).await?, now, Some(index)));
    }
    Ok(Shown::Links(DownloadBody { downloads: Some(Downloads(downloads)), ..body }.into()))
}

/// Why an ended job has no result.
pub fn no_result(job: &Job, now: Timestamp) -> ApiError {
    let code = match job.status_at(now) {
        JobStatus::Expired | JobStatus::Deleted => ErrorCode::OutputExpired,
        JobStatus::Canceled => ErrorCode::JobCanceled,
        JobStatus::Queued | JobStatus::Processing | JobStatus::Completed | JobStatus::Failed => ErrorCode::JobFailed,
    };
    let error = match &job.result.error {
        _ if job.status_at(now) == JobStatus::Deleted => {
            ApiError::from(code).with_message("The job was deleted, and its result with it. Create the job again.")
        }
        Some(failed) if code == ErrorCode::JobFailed => {
            let message = format!("The job failed with `{}`: {}", failed.code.as_str(), failed.message);
            ApiError::from(code).with_message(message)
        }
        Some(_) | None => ApiError::from(code),
    };
    error.with_job(job.view(now))
}

async fn link(files: &Files, key: &str, output: &Output) -> Result<SignedLink, ApiError> {
    files.link(key, output).await.map_err(ApiError::unavailable)
}

/// A redirect to the result. It shows no job, so its headers name the job and the codes of its warnings.
fn see_other(link: &SignedLink, job: &Job) -> Reply {
    let reply = Reply::empty(StatusCode::SEE_OTHER).header(header::LOCATION, link.reveal());
    let reply = reply.header(header::CACHE_CONTROL, "no-store").header(JOB, job.id.to_string());
    let codes: BTreeSet<_> = job.result.warnings.iter().map(|warning| warning.code.as_str()).collect();
    if codes.is_empty() {
        return reply;
    }
    reply.header(WARNINGS, codes.into_iter().collect::<Vec<_>>().join(", "))
}

fn no_such_file(count: usize) -> ApiError {
    let message = format!("must be the index of one of the job's {count} files, from 0");
    ApiError::validation(vec![Breach::new("?output", message)])
}

fn view(output: &Output, link: &SignedLink, now: Timestamp, index: Option<usize>) -> DownloadView {
    DownloadView::of(output, link.reveal(), now.plus(LINK_LIFETIME).into(), index)
}
