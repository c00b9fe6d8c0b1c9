//! `POST /v1/tools/{tool_slug}/jobs` and `POST /v1/convert/{tool_slug}`: creates a job for the tool in the path.

use std::sync::Arc;

use docmill_app::jobs::submit::{JobService, ToolChoice};
use docmill_http::jobs;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<JobService>, request: ApiRequest) -> Response<Body> {
    jobs::create(&service, &request, ToolChoice::Named(request.path_parameter("tool_slug"))).await
}
