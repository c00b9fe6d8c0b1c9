//! `POST /v1/fonts`: turns an upload into a font of the caller's account, if it is valid. Besides the dashboard, no other function
//! parses files.

use std::sync::Arc;

use docmill_app::fonts::FontService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::FontBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<FontService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        let kept = service.add(&caller, &request.json_object()?).await?;
        let status = if kept.was_there { StatusCode::OK } else { StatusCode::CREATED };
        Ok(Reply::new(status, FontBody { font: kept.view }))
    })
    .await
}
