//! `POST /v1/webhooks/test`: records a test and returns a signed sample. No request is sent.

use std::sync::Arc;
use std::time::Duration;

use docmill::context::Context;
use docmill::domain::breach::Breach;
use docmill::domain::event::new_event_id;
use docmill::domain::quota::RatePolicy;
use docmill::http::envelope::Reply;
use docmill::http::error::ApiError;
use docmill::http::guard::authenticated;
use docmill::http::request::ApiRequest;
use docmill::store::events::{StoredEvent, WEBHOOK_TEST};
use docmill::webhook::signed_sample;
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::{Map, Value, json};
use url::{Host, Url};

const MAX_URL_BYTES: usize = 8192;
/// How long a recorded test can be listed.
const KEPT: Duration = Duration::from_secs(7 * 86_400);

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Create, async |caller| {
        let body = request.json_object()?;
        let url = receiver(&body, context.config.local_mode).map_err(|breach| ApiError::validation(vec![breach]))?;
        let sample = signed_sample(caller.now).map_err(ApiError::internal)?;
        let event = StoredEvent {
            account: caller.account().to_owned(),
            id: new_event_id(caller.now),
            kind: WEBHOOK_TEST.to_owned(),
            recorded_at: caller.now,
            // The host is enough to identify tests, and keeps the item small.
            data: json!({"host": Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned))}),
            job: None,
            unlisted: None,
            due_shard: None,
            due: None,
            place: None,
            ttl: caller.now.plus(KEPT).as_ttl_seconds(),
        };
        context.events.record(&event).await?;
        let test = json!({
            "id": event.id,
            "url": url,
            "status": "recorded",
            "recordedAt": event.recorded_at.to_string(),
            "deliveryEnabled": caller.settings.service.webhook_delivery,
            "sample": sample,
        });
        Ok(Reply::ok("webhookTest", test))
    })
    .await
}

/// The receiver's address: absolute https without user info, or http for loopback on a local stack.
fn receiver(body: &Map<String, Value>, local_mode: bool) -> Result<String, Breach> {
    let wrong =
        || Breach::new("/url", "must be a full https URL without a user name or password, of at most 8192 bytes");
    let text = match body.get("url") {
        Some(Value::String(text)) if text.len() <= MAX_URL_BYTES => text,
        Some(_) | None => return Err(wrong()),
    };
    let url = Url::parse(text).map_err(|_| wrong())?;
    let scheme_fits = url.scheme() == "https" || (local_mode && url.scheme() == "http" && is_loopback(&url));
    let fits = scheme_fits && url.has_host() && url.username().is_empty() && url.password().is_none();
    if fits { Ok(text.clone()) } else { Err(wrong()) }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(url: Value, local_mode: bool) -> bool {
        let body = Map::from_iter([("url".to_owned(), url)]);
        receiver(&body, local_mode).is_ok()
    }

    #[test]
    fn receivers_are_absolute_https() {
        assert!(accepts(json!("https://hooks.example/docmill?x=1"), false));
        for bad in ["http://hooks.example/", "https://u:p@hooks.example/", "//hooks.example/", "hooks", "", "ftp://a/"]
        {
            assert!(!accepts(json!(bad), true), "{bad}");
        }
        assert!(!accepts(json!(7), false));
        assert!(receiver(&Map::new(), false).is_err());
        assert!(!accepts(json!(format!("https://a.example/{}", "x".repeat(MAX_URL_BYTES))), false));
    }

    #[test]
    fn loopback_over_http_is_only_for_the_local_stack() {
        for url in ["http://localhost:9000/", "http://127.0.0.1/", "http://[::1]:9000/"] {
            assert!(accepts(json!(url), true), "{url}");
            assert!(!accepts(json!(url), false), "{url}");
        }
    }
}
