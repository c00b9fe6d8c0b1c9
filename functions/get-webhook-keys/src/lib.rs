//! `GET /.well-known/docmill-webhooks.json`: the public keys that webhooks are signed with, and the role that sends them to
//! queues and buses of customers. Needs no key.

use std::sync::Arc;

use docmill_domain::webhook::WebhookKeysView;
use docmill_http::envelope::{Reply, respond};
use docmill_http::request::ApiRequest;
use docmill_webhooks::SigningKeys;
use lambda_http::Body;
use lambda_http::http::{Response, header};
use serde_json::json;

/// A replaced key goes on signing for longer than this, so that cached documents stay good.
const CACHE_CONTROL: &str = "public, max-age=3600";

#[derive(Debug)]
pub struct KeysDocument(String);

impl KeysDocument {
    /// `role`: the one that sends to queues and buses of customers.
    pub fn of(keys: &SigningKeys, role: &str) -> Self {
        let document = WebhookKeysView { keys: keys.public(), delivery_role: role.to_owned() };
        Self(json!(document).to_string())
    }
}

pub async fn handle(document: Arc<KeysDocument>, request: ApiRequest) -> Response<Body> {
    let reply = Reply::text("application/json", document.0.clone()).header(header::CACHE_CONTROL, CACHE_CONTROL);
    respond(&request.id, Ok(reply), &[])
}
