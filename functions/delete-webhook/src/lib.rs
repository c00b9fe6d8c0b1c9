//! `DELETE /v1/webhooks/{webhook_id}`: deletes a webhook endpoint of the caller's account. Nothing is sent to it any more.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_domain::webhook::EndpointId;
use docmill_http::envelope::Reply;
use docmill_http::error::ErrorCode;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Create, async |caller| {
        let id = EndpointId::parse(request.path_parameter("webhook_id")).ok_or(ErrorCode::WebhookNotFound)?;
        match context.webhooks.delete(caller.account(), &id).await? {
            true => Ok(Reply::empty(StatusCode::NO_CONTENT)),
            false => Err(ErrorCode::WebhookNotFound.into()),
        }
    })
    .await
}
