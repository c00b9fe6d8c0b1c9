//! `POST /v1/webhooks/{webhook_id}/rotate`: gives a webhook endpoint a new secret.

use std::sync::Arc;

use docmill_domain::quota::RatePolicy;
use docmill_http::body::WebhookBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_webhooks::Rotation;
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::Map;

pub async fn handle(rotation: Arc<Rotation>, request: ApiRequest) -> Response<Body> {
    authenticated(&rotation.context, &request, RatePolicy::Create, async |caller| {
        // A body is optional.
        let body = if request.body.is_empty() { Map::new() } else { request.json_object()? };
        let id = request.path_parameter("webhook_id");
        Ok(Reply::ok(WebhookBody { webhook: rotation.rotate(&caller, id, &body).await? }))
    })
    .await
}
