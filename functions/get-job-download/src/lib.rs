//! `GET /v1/jobs/{job_id}/download`: a signed link to the result, or the job's progress.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::breach::Breach;
use docmill_domain::quota::RatePolicy;
use docmill_http::accept::Accept;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::jobs;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let index = request.query("output").map(index).transpose();
        let index = index.map_err(|breach| ApiError::validation(vec![breach]))?;
        let id = request.path_parameter("job_id");
        jobs::download(&context, &caller, id, index, &Accept::of(&request.headers)).await
    })
    .await
}

fn index(text: &str) -> Result<usize, Breach> {
    text.parse().map_err(|_| Breach::new("?output", "must be the index of a file, from 0"))
}
