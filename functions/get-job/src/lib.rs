//! `GET /v1/jobs/{job_id}`: a job of the caller's account, now or once it has ended.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::accept::Accept;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::jobs;
use docmill_http::request::ApiRequest;
use docmill_http::wait::wait_of;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let wait = wait_of(&request).map_err(|breach| ApiError::validation(vec![breach]))?;
        let id = request.path_parameter("job_id");
        jobs::show(&context, &caller, id, wait, &Accept::of(&request.headers)).await
    })
    .await
}
