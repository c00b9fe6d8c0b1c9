//! `POST /v1/templates`: makes an upload the next version of a stored template, if it can be read. The dashboard uses [`add`] for
//! the same.

mod check;

use std::sync::Arc;

use docmill_domain::breach::Breach;
use docmill_domain::quota::RatePolicy;
use docmill_domain::request::new_template::Wanted;
use docmill_domain::template::MOST_TEMPLATE_BYTES;
use docmill_domain::upload::no_such_upload;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::ApiError;
use docmill_http::guard::{Caller, authenticated};
use docmill_http::request::ApiRequest;
use docmill_http::templates::TemplateService;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};
use serde_json::{Map, Value};

pub async fn handle(service: Arc<TemplateService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        add(&service, &caller, &request.json_object()?).await
    })
    .await
}

/// Adds the template from the upload in `body`.
pub async fn add(service: &TemplateService, caller: &Caller, body: &Map<String, Value>) -> Outcome {
    let wanted = Wanted::read(body, caller.now).map_err(invalid_request)?;
    let stored = service.upload(caller, wanted.upload).await?;
    let stored = stored.ok_or_else(|| invalid_request(no_such_upload()))?;
    let (content_type, disposition) = (stored.content_type.clone(), stored.content_disposition.clone());
    let file = stored.bytes(MOST_TEMPLATE_BYTES).await.map_err(ApiError::unavailable)?;
    let hints = check::Hints { content_type: content_type.as_deref(), disposition: disposition.as_deref() };
    let checked = check::check(file, &hints, wanted.delimiters.as_ref())?;
    let kept = service.keep(caller, &wanted, checked).await?;
    let status = if kept.was_there { StatusCode::OK } else { StatusCode::CREATED };
    Ok(Reply::new(status, "template", kept.view))
}

fn invalid_request(breaches: Vec<Breach>) -> ApiError {
    ApiError::validation(breaches).with_message("The template request is invalid. See `details`.")
}
