//! `GET /v1/templates`: the stored templates of the caller's account, by name.

use std::sync::Arc;

use docmill_app::templates::TemplateService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::TemplatesBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<TemplateService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        Ok(Reply::ok(TemplatesBody { templates: service.list(&caller).await? }))
    })
    .await
}
