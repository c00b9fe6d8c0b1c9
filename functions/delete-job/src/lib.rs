//! `DELETE /v1/jobs/{job_id}`: deletes a job's files, request and everything that describes its document.

use std::sync::Arc;

use docmill_app::jobs::control::ControlService;
use docmill_domain::quota::RatePolicy;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<ControlService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        service.delete(&caller, request.path_parameter("job_id")).await?;
        Ok(Reply::empty(StatusCode::NO_CONTENT))
    })
    .await
}
