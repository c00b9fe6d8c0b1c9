//! Webhooks on the wire: signed by Standard Webhooks (standardwebhooks.com), and checked like their receiver checks them. Receipts.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod canonical;
pub mod keys;
pub mod receipt;
pub mod seal;
pub mod signature;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngExt;
use serde_json::json;
use standardwebhooks::{Webhook, WebhookError};

use docmill_domain::event::{EventKind, new_event_id, sample_job};
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{SampleHeaders, SampleView};

/// A sample webhook for testing a receiver, signed with its own secret.
///
/// # Errors
/// If it can't be signed.
pub fn signed_sample(now: Timestamp) -> Result<SampleView, WebhookError> {
    let secret = format!("whsec_{}", STANDARD.encode(rand::rng().random::<[u8; 24]>()));
    let id = new_event_id(now);
    let seconds = now.as_millis().div_euclid(1000);
    let body = json!({
        "type": EventKind::JobCompleted.as_str(),
        "timestamp": now.to_string(),
        "data": {"job": sample_job(now)},
    })
    .to_string();
    let headers = SampleHeaders {
        content_type: "application/json".to_owned(),
        webhook_signature: Webhook::new(&secret)?.sign(&id, seconds, body.as_bytes())?,
        webhook_id: id,
        webhook_timestamp: seconds.to_string(),
    };
    Ok(SampleView { secret, headers, body })
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::event::JOB_MEMBERS;
    use hmac::{Hmac, KeyInit, Mac};
    use serde_json::Value;

    #[test]
    fn a_receiver_that_follows_the_standard_accepts_the_sample() {
        // Follows the text of the standard, so that the library's signature is checked independently.
        let sample = json!(signed_sample(Timestamp(1_795_176_000_007)).unwrap());
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
