//! `GET /v1/webhooks`: the webhook endpoints of the caller's account, oldest first.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_domain::webhook::Endpoint;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::json;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let endpoints = context.webhooks.endpoints(caller.account()).await?;
        let views: Vec<_> = endpoints.iter().map(Endpoint::view).collect();
        Ok(Reply::ok("webhooks", json!(views)))
    })
    .await
}
