//! Webhooks on the wire: signed by Standard Webhooks (standardwebhooks.com), and checked like their receiver checks them. Receipts.

pub mod canonical;
pub mod keys;
pub mod receipt;
pub mod seal;
pub mod signature;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt;
use serde_json::{Value, json};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook, WebhookError};

use docmill_domain::event::{EventKind, new_event_id, sample_job};
use docmill_domain::time::Timestamp;

/// A sample webhook for testing a receiver, signed with its own secret. Shape: `{"secret", "headers": {…}, "body": "…"}`; the
/// body is the exact signed text.
pub fn signed_sample(now: Timestamp) -> Result<Value, WebhookError> {
    let secret = format!("whsec_{}", STANDARD.encode(rand::rng().random::<[u8; 24]>()));
    let id = new_event_id(now);
    let seconds = now.as_millis().div_euclid(1000);
    let body = json!({
        "type": EventKind::JobCompleted.as_str(),
        "timestamp": now.to_string(),
        "data": {"job": sample_job(now)},
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
    use docmill_domain::event::JOB_MEMBERS;
    use hmac::{Hmac, KeyInit, Mac};

    #[test]
    fn a_receiver_that_follows_the_standard_accepts_the_sample() {
        // Follows the text of the standard, so that the library's signature is checked independently.
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
        let body: Value = serde_json::from_str(&text("/body")).unwrap();
        let members: Vec<_> = body["data"]["job"].as_object().unwrap().keys().map(String::as_str).collect();
        let of_batches = ["batchId", "index"];
        let expected: Vec<_> =
            JOB_MEMBERS.into_iter().filter(|name| *name != "error" && !of_batches.contains(name)).collect();
        assert_eq!(members, expected, "all that the event of a completed job without a batch has");
    }
}
