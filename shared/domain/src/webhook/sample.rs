//! What a test of a receiver and the public keys look like to their reader.

use std::fmt;

use serde::Serialize;

use super::view::AttemptView;
use crate::time::SentTime;

/// A recorded test of a receiver.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WebhookTest", description = ""))]
pub struct WebhookTestView {
    /// Of the event that records the test.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub id: String,
    /// The receiver that was tested.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub url: String,
    /// What became of the test.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: WebhookTestStatus,
    /// When the test was recorded.
    pub recorded_at: SentTime,
    /// Whether webhooks are delivered.
    pub delivery_enabled: bool,
    /// What the receiver gets.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub sample: SampleView,
    /// What the receiver answered, if something was sent.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<AttemptView>,
}

/// Tests have no other status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "String", description = "", extend("const" = "recorded"))
)]
pub enum WebhookTestStatus {
    /// The request was accepted and noted.
    Recorded,
}

/// A delivery as your receiver sees it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SampleView {
    /// The secret that signs this sample.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^whsec_")))]
    pub secret: String,
    /// Those that the signature depends on.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub headers: SampleHeaders,
    /// The exact text that is signed. Verify it before you parse it.
    pub body: String,
}

/// The secret is left out.
impl fmt::Debug for SampleView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SampleView").field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// The headers of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct SampleHeaders {
    /// The media type of the body.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub content_type: String,
    /// The event's id.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub webhook_id: String,
    /// Seconds since 1970.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub webhook_timestamp: String,
    /// One for each secret and key that signs, with spaces between.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub webhook_signature: String,
}

/// The public keys that webhooks are signed with, and the role that sends them to queues and buses of customers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WebhookKeys", description = ""))]
pub struct WebhookKeysView {
    /// The current key, and the one before while it still signs.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 2)))]
    pub keys: Vec<PublicKeyView>,
    /// The role that roles of yours trust, so that webhooks can be sent to your queues and buses.
    pub delivery_role: String,
}

/// A public key that checks signatures of webhooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct PublicKeyView {
    /// The first 16 hexadecimal digits of the key's SHA-256.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub id: String,
    /// What its signatures are made by.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub algorithm: KeyAlgorithm,
    /// `whpk_` and the base64 of the public key's 32 bytes.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^whpk_")))]
    pub public_key: String,
}

/// All keys are of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(inline, with = "String", description = "", extend("const" = "ed25519"))
)]
pub enum KeyAlgorithm {
    /// RFC 8032.
    Ed25519,
}
