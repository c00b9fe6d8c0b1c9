//! `GET /v1/jobs/{job_id}`: one job of the caller's account.

use std::sync::Arc;

use docmill::context::Context;
use docmill::domain::quota::RatePolicy;
use docmill::http::envelope::Reply;
use docmill::http::error::ApiError;
use docmill::http::guard::authenticated;
use docmill::http::jobs::own_job;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let job = own_job(&context.jobs, &caller, request.path_parameter("job_id")).await?;
        let job = context.files.with_results(job).await.map_err(ApiError::unavailable)?;
        Ok(Reply::ok("job", job.view(caller.now)))
    })
    .await
}
