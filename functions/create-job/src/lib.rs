//! `POST /v1/jobs`: creates a job for the tool in the body.

use std::sync::Arc;

use docmill_app::jobs::submit::{JobService, ToolChoice};
use docmill_http::jobs;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<JobService>, request: ApiRequest) -> Response<Body> {
    jobs::create(&service, &request, ToolChoice::InBody).await
}
