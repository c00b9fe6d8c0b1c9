//! `GET /v1/webhooks/{webhook_id}`: a webhook endpoint of the caller's account.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_app::webhooks::endpoint_of;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::WebhookBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let endpoint = endpoint_of(&context, &caller, request.path_parameter("webhook_id")).await?;
        Ok(Reply::ok(WebhookBody { webhook: endpoint.view() }))
    })
    .await
}
