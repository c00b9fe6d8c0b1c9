//! `PATCH /v1/webhooks/{webhook_id}`: changes a webhook endpoint of the caller's account.

use std::sync::Arc;

use docmill_domain::quota::RatePolicy;
use docmill_http::body::WebhookBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_webhooks::WebhookService;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<WebhookService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        let id = request.path_parameter("webhook_id");
        Ok(Reply::ok(WebhookBody { webhook: service.change(&caller, id, &request.json_object()?).await? }))
    })
    .await
}
