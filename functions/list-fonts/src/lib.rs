//! `GET /v1/fonts`: the fonts of the caller's account, oldest first.

use std::sync::Arc;

use docmill_app::fonts::FontService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::FontsBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<FontService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        Ok(Reply::ok(FontsBody { fonts: service.list(&caller).await? }))
    })
    .await
}
