//! The `$default` route: 404 for unknown paths, 405 for methods that a path does not support.

use std::sync::Arc;

use docmill_http::envelope::{Outcome, respond};
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::request::ApiRequest;
use docmill_http::routes::allowed_methods;
use docmill_http::suggest::route_not_found;
use lambda_http::Body;
use lambda_http::http::{Method, Response};

/// Needs no key: it reveals nothing beyond the documentation.
pub async fn handle(_nothing: Arc<()>, request: ApiRequest) -> Response<Body> {
    respond(&request.id, refuse(&request.method, &request.path), &[])
}

fn refuse(method: &Method, path: &str) -> Outcome {
    let Some(methods) = allowed_methods(path) else { return Err(route_not_found(method, path)) };
    let error = ApiError::from(ErrorCode::MethodNotAllowed);
    let error = error.with_message(format!("This path does not support this method. It supports {methods}."));
    Err(ApiError { allow: Some(methods), ..error })
}
