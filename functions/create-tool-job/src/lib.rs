//! `POST /v1/tools/{tool_slug}/jobs`: a job for the tool in the path.

use std::sync::Arc;

use docmill::http::request::ApiRequest;
use docmill::http::submit::{JobDesk, ToolChoice};
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(desk: Arc<JobDesk>, request: ApiRequest) -> Response<Body> {
    desk.create(&request, ToolChoice::Named(request.path_parameter("tool_slug"))).await
}
