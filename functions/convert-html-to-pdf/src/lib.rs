//! `POST /v1/convert/html-to-pdf`: the short form for one tool.

use std::sync::Arc;

use docmill::http::request::ApiRequest;
use docmill::http::submit::{JobDesk, ToolChoice};
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(desk: Arc<JobDesk>, request: ApiRequest) -> Response<Body> {
    desk.create(&request, ToolChoice::Named("html-to-pdf")).await
}
