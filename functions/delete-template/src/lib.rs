//! `DELETE /v1/templates/{template_name}`: deletes a version of a stored template, or all of them.

use std::sync::Arc;

use docmill_app::templates::TemplateService;
use docmill_domain::quota::RatePolicy;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_http::templates::version_of;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<TemplateService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let version = version_of(&request)?;
        service.delete(&caller, request.path_parameter("template_name"), version).await?;
        Ok(Reply::empty(StatusCode::NO_CONTENT))
    })
    .await
}
