//! `GET /v1/webhooks`: the webhook endpoints of the caller's account, oldest first.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_domain::webhook::Endpoint;
use docmill_http::body::WebhooksBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let endpoints = context.webhooks.endpoints(caller.account()).await?;
        Ok(Reply::ok(WebhooksBody { webhooks: endpoints.iter().map(Endpoint::view).collect() }))
    })
    .await
}
