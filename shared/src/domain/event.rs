//! Webhook events in the form of Standard Webhooks (standardwebhooks.com): prepared and signed, not yet delivered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt;
use serde_json::{Value, json};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook, WebhookError};
use uuid::Uuid;

use super::time::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    JobCompleted,
    JobFailed,
    QuotaWarning,
    QuotaExhausted,
    ApiKeyRevoked,
}

impl EventKind {
    pub const ALL: [Self; 5] =
        [Self::JobCompleted, Self::JobFailed, Self::QuotaWarning, Self::QuotaExhausted, Self::ApiKeyRevoked];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobCompleted => "job.completed",
            Self::JobFailed => "job.failed",
            Self::QuotaWarning => "quota.warning",
            Self::QuotaExhausted => "quota.exhausted",
            Self::ApiKeyRevoked => "api_key.revoked",
        }
    }
}

/// An example of what a receiver will get, signed with a secret of its own, so that a receiver can be tested with it.
/// Shape: `{"secret", "headers": {…}, "body": "…"}`; the body is the exact text that is signed.
pub fn signed_sample(now: Timestamp) -> Result<Value, WebhookError> {
    let secret = format!("whsec_{}", STANDARD.encode(rand::rng().random::<[u8; 24]>()));
    let id = format!("evt_{}", Uuid::now_v7().simple());
    let seconds = now.as_millis().div_euclid(1000);
    let body = json!({
        "type": EventKind::JobCompleted.as_str(),
        "timestamp": now.to_string(),
        "data": {"job": {"id": Uuid::now_v7(), "status": "completed", "toolSlug": "office-to-pdf"}},
    })
    .to_string();
    let signature = Webhook::new(&secret)?.sign(&id, seconds, body.as_bytes())?;
    Ok(json!({
        "secret": secret,
        "headers": {
            "content-type": "application/json",
            HEADER_WEBHOOK_ID: id,
            HEADER_WEBHOOK_TIMESTAMP: seconds.to_string(),
            HEADER_WEBHOOK_SIGNATURE: signature,
        },
        "body": body,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hmac::{Hmac, KeyInit, Mac};

    #[test]
    fn a_receiver_that_follows_the_standard_accepts_the_sample() {
        // Written out after the standard's text, so that the library's signing is checked by something else.
        let sample = signed_sample(Timestamp(1_795_176_000_007)).unwrap();
        let text = |pointer: &str| sample.pointer(pointer).and_then(Value::as_str).unwrap().to_owned();
        let secret = STANDARD.decode(text("/secret").strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&secret).unwrap();
        let signed =
            format!("{}.{}.{}", text("/headers/webhook-id"), text("/headers/webhook-timestamp"), text("/body"));
        mac.update(signed.as_bytes());
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        assert_eq!(text("/headers/webhook-signature"), expected);
        assert_eq!(text("/headers/webhook-timestamp"), "1795176000");
    }
}
