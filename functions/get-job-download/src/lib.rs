//! `GET /v1/jobs/{job_id}/download`: a signed link to the result, or how far the job is.

use std::sync::Arc;

use docmill::context::Context;
use docmill::domain::job::{Job, JobStatus, Output};
use docmill::domain::quota::RatePolicy;
use docmill::domain::time::Timestamp;
use docmill::files::{Files, LINK_LIFETIME};
use docmill::http::envelope::{Outcome, Reply};
use docmill::http::error::{ApiError, ErrorCode};
use docmill::http::guard::authenticated;
use docmill::http::jobs::own_job;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode, header};
use serde_json::json;

/// How long a client should wait before it asks again.
const POLL_SECONDS: u64 = 1;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let job = own_job(&context.jobs, &caller, request.path_parameter("job_id")).await?;
        let view = job.view(caller.now);
        match job.status_at(caller.now) {
            JobStatus::Queued | JobStatus::Processing => {
                Ok(Reply::new(StatusCode::ACCEPTED, "job", view).header(header::RETRY_AFTER, POLL_SECONDS))
            }
            JobStatus::Completed => link(&context.files, &job, caller.now).await,
            JobStatus::Expired => Err(ApiError::from(ErrorCode::OutputExpired).with_job(view)),
            JobStatus::Failed | JobStatus::Canceled => Err(ApiError::from(ErrorCode::JobFailed).with_job(view)),
        }
    })
    .await
}

async fn link(files: &Files, job: &Job, now: Timestamp) -> Outcome {
    let (Some(output), Some(key)) = (&job.output, &job.output_key) else {
        return Err(ApiError::internal("a completed job has no output"));
    };
    let link = files.link(key, output).await.map_err(ApiError::unavailable)?;
    let Output { filename, content_type, bytes, sha256, .. } = output;
    let download = json!({
        "url": link.reveal(),
        "expiresAt": now.plus(LINK_LIFETIME).to_string(),
        "filename": filename,
        "contentType": content_type,
        "bytes": bytes,
        "sha256": sha256,
    });
    Ok(Reply::ok("job", job.view(now)).with("download", download))
}
