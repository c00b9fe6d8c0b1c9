use reqwest::Method;
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde_json::Value;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::models::{
    Event, Job, ReplayRequest, ReplayResponse, RotationRequest, Secret, Webhook, WebhookKeys, WebhookRequest,
    WebhookResponse, WebhookTest, WebhookTestRequest, WebhookTestResponse, WebhooksResponse,
};
use crate::transport::Call;

/// Checks the signature and the timestamp of a request to a webhook, and returns its event. `body` must be exactly what was received.
/// An event can arrive more than once: skip those whose `id` you have seen.
pub fn verify_webhook(secret: &Secret, headers: &HeaderMap, body: &[u8]) -> Result<Event> {
    let secret = secret.reveal();
    // An empty secret would accept what anybody signs.
    if secret.trim_start_matches("whsec_").is_empty() {
        return Err(Error::Usage("the webhook's secret is missing".to_owned()));
    }
    let webhook = standardwebhooks::Webhook::new(secret)
        .map_err(|_| Error::Usage("the webhook's secret is not valid".to_owned()))?;
    webhook.verify(body, headers).map_err(refused)?;
    let mut event: Value = serde_json::from_slice(body).map_err(refused)?;
    let id = headers.get(standardwebhooks::HEADER_WEBHOOK_ID).and_then(|id| id.to_str().ok()).unwrap_or_default();
    if let Some(event) = event.as_object_mut() {
        event.insert("id".to_owned(), id.into());
    }
    serde_json::from_value(event).map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> Error {
    Error::Webhook(error.to_string())
}

impl Event {
    /// The job that the event is about, without its request.
    pub fn job(&self) -> Option<Job> {
        serde_json::from_value(self.data.get("job")?.clone()).ok()
    }
}

impl Client {
    /// Creates an endpoint. Keep its secret: it is not shown again.
    pub async fn create_webhook(&self, request: &WebhookRequest) -> Result<Webhook> {
        self.webhook_of(Call::post(&["v1", "webhooks"], request)?.once()).await
    }

    /// The account's endpoints.
    pub async fn webhooks(&self) -> Result<Vec<Webhook>> {
        let response: WebhooksResponse = self.json(&Call::get(&["v1", "webhooks"])?).await?;
        Ok(response.webhooks)
    }

    /// An endpoint.
    pub async fn webhook(&self, id: &str) -> Result<Webhook> {
        self.webhook_of(Call::get(&["v1", "webhooks", id])?).await
    }

    /// Changes an endpoint. `change` is a [`crate::models::WebhookChange`], or JSON where a property is to become null.
    pub async fn update_webhook(&self, id: &str, change: &impl Serialize) -> Result<Webhook> {
        self.webhook_of(Call::new(Method::PATCH, &["v1", "webhooks", id])?.json(change)?).await
    }

    /// Deletes an endpoint.
    pub async fn delete_webhook(&self, id: &str) -> Result<()> {
        self.send(&Call::new(Method::DELETE, &["v1", "webhooks", id])?).await.map(drop)
    }

    /// Gives an endpoint a new secret. The old one signs too, for a day or for `overlap_hours`.
    pub async fn rotate_webhook_secret(&self, id: &str, request: &RotationRequest) -> Result<Webhook> {
        self.webhook_of(Call::post(&["v1", "webhooks", id, "rotate"], request)?.once()).await
    }

    async fn webhook_of(&self, call: Call) -> Result<Webhook> {
        let response: WebhookResponse = self.json(&call).await?;
        Ok(response.webhook)
    }

    /// Sends events again.
    pub async fn replay_webhook(&self, id: &str, request: &ReplayRequest) -> Result<ReplayResponse> {
        self.json(&Call::post(&["v1", "webhooks", id, "replay"], request)?.once()).await
    }

    /// Makes a signed sample for a receiver, and sends it if the request says so.
    pub async fn test_webhook(&self, request: &WebhookTestRequest) -> Result<WebhookTest> {
        let response: WebhookTestResponse =
            self.json(&Call::post(&["v1", "webhooks", "test"], request)?.once()).await?;
        Ok(response.webhook_test)
    }

    /// The public keys of the service's own signatures.
    pub async fn webhook_keys(&self) -> Result<WebhookKeys> {
        self.json(&Call::get(&[".well-known", "docmill-webhooks.json"])?).await
    }
}
