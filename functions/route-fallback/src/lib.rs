//! The `$default` route: a path that does not exist is 404, a method that a path does not take is 405.

use std::sync::Arc;

use docmill::http::envelope::{Outcome, respond};
use docmill::http::error::{ApiError, ErrorCode};
use docmill::http::request::ApiRequest;
use docmill::http::routes::allowed_methods;
use lambda_http::Body;
use lambda_http::http::Response;

/// Needs no key: it tells nothing that the documentation doesn't.
pub async fn handle(_nothing: Arc<()>, request: ApiRequest) -> Response<Body> {
    respond(&request.id, refuse(&request.path), &[])
}

fn refuse(path: &str) -> Outcome {
    match allowed_methods(path) {
        None => Err(ErrorCode::RouteNotFound.into()),
        allow => Err(ApiError { allow, ..ErrorCode::MethodNotAllowed.into() }),
    }
}
