//! `DELETE /v1/jobs/{job_id}`: deletes the bytes, the request and everything that describes the document.

use std::sync::Arc;

use docmill::domain::quota::RatePolicy;
use docmill::http::control::ControlDesk;
use docmill::http::envelope::Reply;
use docmill::http::guard::authenticated;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(desk: Arc<ControlDesk>, request: ApiRequest) -> Response<Body> {
    authenticated(&desk.context, &request, RatePolicy::Read, async |caller| {
        desk.delete(&caller, request.path_parameter("job_id")).await?;
        Ok(Reply::empty(StatusCode::NO_CONTENT))
    })
    .await
}
