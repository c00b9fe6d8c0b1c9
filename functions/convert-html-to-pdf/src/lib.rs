//! `POST /v1/convert/html-to-pdf`: the short form for one tool.

use std::sync::Arc;

use docmill_app::jobs::submit::{JobService, ToolChoice};
use docmill_http::jobs;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<JobService>, request: ApiRequest) -> Response<Body> {
    jobs::create(&service, &request, ToolChoice::Named("html-to-pdf")).await
}
