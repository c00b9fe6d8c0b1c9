//! `GET /v1/jobs/{job_id}/download`: a signed link to the result, or the job's progress.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::breach::Breach;
use docmill_domain::job::JobStatus;
use docmill_domain::quota::RatePolicy;
use docmill_http::accept::Accept;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::ApiError;
use docmill_http::guard::{Caller, authenticated};
use docmill_http::jobs::own_job;
use docmill_http::request::ApiRequest;
use docmill_http::results;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode, header};

/// How long a client should wait before it asks again.
const POLL_SECONDS: u64 = 1;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request).await).await
}

/// The same for an admitted caller.
pub async fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let index = request.query("output").map(index).transpose().map_err(|breach| ApiError::validation(vec![breach]))?;
    let job = own_job(&context.jobs, caller, request.path_parameter("job_id")).await?;
    match job.status_at(caller.now) {
        JobStatus::Queued | JobStatus::Processing => {
            let reply = Reply::new(StatusCode::ACCEPTED, "job", job.view(caller.now));
            Ok(reply.header(header::RETRY_AFTER, POLL_SECONDS))
        }
        JobStatus::Completed => {
            results::of_completed(&context.files, job, &Accept::of(&request.headers), index, caller.now).await
        }
        JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => {
            Err(results::no_result(&job, caller.now))
        }
    }
}

fn index(text: &str) -> Result<usize, Breach> {
    text.parse().map_err(|_| Breach::new("?output", "must be the index of a file, from 0"))
}
