//! `GET /v1/jobs/{job_id}`: a job of the caller's account, now or once it has ended.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::quota::RatePolicy;
use docmill_http::accept::Accept;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::ApiError;
use docmill_http::guard::{Caller, authenticated};
use docmill_http::jobs::own_job;
use docmill_http::request::ApiRequest;
use docmill_http::results::{self, Waited};
use docmill_http::wait::{PREFERENCE_APPLIED, Wait};
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request).await).await
}

/// The same for an admitted caller.
pub async fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let wait = Wait::of(request).map_err(|breach| ApiError::validation(vec![breach]))?;
    let job = own_job(&context.jobs, caller, request.path_parameter("job_id")).await?;
    let Some(wait) = wait else {
        let job = context.files.with_results(job, caller.now).await.map_err(ApiError::unavailable)?;
        return Ok(Reply::ok("job", job.view(caller.now)));
    };
    let most = caller.limits(&context.config.limits).waits;
    let (job, waited) = wait.for_end(&context.jobs, job, most).await;
    let now = clock::now();
    let ended = results::of_waited(&context.files, job, &Accept::of(&request.headers), now).await?;
    let reply = match ended {
        Waited::Ended(reply) => reply,
        Waited::GoesOn(job) => Reply::ok("job", job.view(now)),
    };
    Ok(if waited { reply.header(PREFERENCE_APPLIED, "wait") } else { reply })
}
