//! `GET /v1/templates/{template_name}`: a stored template of the caller's account, with the data that it expects.

use std::sync::Arc;

use docmill_app::templates::TemplateService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::TemplateBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_http::templates::version_of;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<TemplateService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let version = version_of(&request)?;
        let template = service.show(caller.account(), request.path_parameter("template_name"), version).await?;
        Ok(Reply::ok(TemplateBody { template }))
    })
    .await
}
