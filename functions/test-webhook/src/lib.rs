//! `POST /v1/webhooks/test`: records a test and returns a signed sample. With `deliver`, the sample is also sent.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_domain::breach::Breach;
use docmill_domain::event::new_event_id;
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::request::receiver;
use docmill_domain::webhook::{AttemptView, SampleView, WebhookTestStatus, WebhookTestView};
use docmill_http::body::WebhookTestBody;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_signing::signed_sample;
use docmill_store::events::{StoredEvent, WEBHOOK_TEST};
use docmill_webhooks::{Headers, Sender};
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::{Map, Value, json};
use url::Url;

const MAX_URL_BYTES: usize = 8192;
const URL_RULE: &str = "must be a full https URL without a user name or password, of at most 8192 bytes";
/// How long a recorded test can be listed.
const KEPT: Duration = Duration::from_secs(7 * 86_400);

/// What a test needs.
#[derive(Debug)]
pub struct TestService {
    pub context: Arc<Context>,
    pub sender: Sender,
}

pub async fn handle(service: Arc<TestService>, request: ApiRequest) -> Response<Body> {
    let context = &service.context;
    authenticated(context, &request, RatePolicy::Create, async |caller| {
        let body = request.json_object()?;
        let Wanted { url, deliver } = Wanted::parse(&body, context.config.local_mode).map_err(ApiError::validation)?;
        let sample = signed_sample(caller.now).map_err(ApiError::internal)?;
        let event = StoredEvent {
            account: caller.account().to_owned(),
            id: new_event_id(caller.now),
            kind: WEBHOOK_TEST.to_owned(),
            recorded_at: caller.now,
            // The host is enough to identify tests, and keeps the item small.
            data: json!({"host": Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned))}),
            job: None,
            webhook: None,
            unlisted: None,
            due_shard: None,
            due: None,
            place: None,
            ttl: caller.now.plus(KEPT).as_ttl_seconds(),
        };
        context.events.record(&event).await?;
        let delivery_enabled = caller.settings.service.webhook_delivery;
        let sends = deliver && delivery_enabled && context.webhooks.admits_today(caller.account(), caller.now).await?;
        let attempt = match sends {
            true => Some(send(&service.sender, &url, &sample, caller.now).await),
            false => None,
        };
        let webhook_test = WebhookTestView {
            id: event.id,
            url,
            status: WebhookTestStatus::Recorded,
            recorded_at: event.recorded_at.into(),
            delivery_enabled,
            sample,
            attempt,
        };
        Ok(Reply::ok(WebhookTestBody { webhook_test }))
    })
    .await
}

/// A valid request.
struct Wanted {
    url: String,
    deliver: bool,
}

impl Wanted {
    fn parse(body: &Map<String, Value>, local_mode: bool) -> Result<Self, Vec<Breach>> {
        let url = body.get("url").and_then(Value::as_str).ok_or(URL_RULE);
        let url = url.and_then(|url| receiver(url, MAX_URL_BYTES, local_mode));
        let url = url.map_err(|rule| vec![Breach::new("/url", rule)])?;
        let deliver = match body.get("deliver") {
            None => false,
            Some(deliver) => deliver.as_bool().ok_or_else(|| vec![Breach::new("/deliver", "must be true or false")])?,
        };
        Ok(Self { url, deliver })
    }
}

/// Sends the sample, with its own signature, and shows what came of it as the attempts of deliveries are shown.
async fn send(sender: &Sender, url: &str, sample: &SampleView, now: Timestamp) -> AttemptView {
    let headers = Headers {
        id: sample.headers.webhook_id.clone(),
        timestamp: now.as_millis().div_euclid(1000),
        signature: sample.headers.webhook_signature.clone(),
    };
    sender.send(url, &headers, sample.body.clone(), now).await.sent.view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_needs_a_receiver() {
        let parse = |body: Value| Wanted::parse(body.as_object().unwrap(), false).map(|wanted| wanted.deliver);
        let url = "https://hooks.example/";
        assert_eq!(parse(json!({"url": url})), Ok(false));
        assert_eq!(parse(json!({"url": url, "deliver": true})), Ok(true));
        let refused = |body| parse(body).unwrap_err()[0].path.clone();
        assert_eq!(refused(json!({"url": url, "deliver": "yes"})), "/deliver");
        for body in [json!({}), json!({"url": 7}), json!({"url": "http://hooks.example/"})] {
            assert_eq!(refused(body), "/url");
        }
        assert_eq!(refused(json!({"url": format!("{url}{}", "x".repeat(MAX_URL_BYTES))})), "/url");
    }
}
