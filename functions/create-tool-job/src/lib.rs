//! `POST /v1/tools/{tool_slug}/jobs`: creates a job for the tool in the path.

use std::sync::Arc;

use docmill_http::request::ApiRequest;
use docmill_http::submit::{JobService, ToolChoice};
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<JobService>, request: ApiRequest) -> Response<Body> {
    service.create(&request, ToolChoice::Named(request.path_parameter("tool_slug"))).await
}
