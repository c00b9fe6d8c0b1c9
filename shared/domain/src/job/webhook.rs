//! The webhook of one job: it gets the job's events, and no others.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::source::redact_url;
use crate::endpoint_id::EndpointId;

/// What a request says. Without a secret, only the service's own key signs (`v1a`).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookRequest {
    /// Where the events are sent. It may contain a secret.
    pub url: String,
    /// What `v1` signatures are made with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub secret: Option<String>,
}

impl fmt::Debug for WebhookRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookRequest(..)")
    }
}

/// What a job keeps, and its events with it. URL and secret are encrypted: table backups outlive the job.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobWebhook {
    /// The id under which its deliveries are listed. Jobs of an account that name the same URL have the same.
    pub id: EndpointId,
    /// Without its query.
    pub shown_url: String,
    /// The whole URL, encrypted.
    pub sealed_url: String,
    /// The secret, encrypted; `None` if the request has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sealed_secret: Option<String>,
}

impl fmt::Debug for JobWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobWebhook").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The webhook that the request named. Its deliveries are listed under `id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ShownWebhook {
    /// Lists its deliveries.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub id: EndpointId,
    /// Without its query.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub url: String,
}

impl JobWebhook {
    /// The texts are sealed by `seal`.
    ///
    /// # Errors
    /// If a text can't be sealed.
    pub fn new<E>(
        account: &str,
        wanted: &WebhookRequest,
        seal: impl Fn(&str, &EndpointId) -> Result<String, E>,
    ) -> Result<Self, E> {
        let id = EndpointId::of_job_url(account, &wanted.url);
        Ok(Self {
            shown_url: redact_url(&wanted.url),
            sealed_url: seal(&wanted.url, &id)?,
            sealed_secret: wanted.secret.as_deref().map(|secret| seal(secret, &id)).transpose()?,
            id,
        })
    }

    /// For the job's owner.
    pub fn view(&self) -> ShownWebhook {
        ShownWebhook { id: self.id.clone(), url: self.shown_url.clone() }
    }
}
