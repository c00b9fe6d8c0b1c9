//! `POST /v1/templates`: makes an upload the next version of a stored template, if it can be read.

use std::sync::Arc;

use docmill_app::templates::TemplateService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::TemplateBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_templates::check;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<TemplateService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        let kept = service.add(&caller, &request.json_object()?, check).await?;
        let status = if kept.was_there { StatusCode::OK } else { StatusCode::CREATED };
        Ok(Reply::new(status, TemplateBody { template: kept.view }))
    })
    .await
}
