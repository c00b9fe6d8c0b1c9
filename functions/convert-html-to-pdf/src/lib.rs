//! `POST /v1/convert/html-to-pdf`: the short form for one tool.

use std::sync::Arc;

use docmill_http::request::ApiRequest;
use docmill_http::submit::{JobService, ToolChoice};
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<JobService>, request: ApiRequest) -> Response<Body> {
    service.create(&request, ToolChoice::Named("html-to-pdf")).await
}
