//! `DELETE /v1/fonts/{font_id}`: deletes a font of the caller's account.

use std::sync::Arc;

use docmill_app::fonts::FontService;
use docmill_domain::quota::RatePolicy;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<FontService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        service.delete(&caller, request.path_parameter("font_id")).await?;
        Ok(Reply::empty(StatusCode::NO_CONTENT))
    })
    .await
}
