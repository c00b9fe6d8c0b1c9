//! The challenge: an endpoint proves that it wants requests, by answering with a random value.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill_app::fault::Fault;
use docmill_app::webhooks::WebhookError;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{Sent, Signatures};
use docmill_signing::seal::Secret;
use serde_json::{Value, json};

use crate::send::Sender;
use crate::sign::{Headers, SigningKeys};

/// Posts `{"type": "webhook.challenge", "timestamp", "data": {"challenge"}}`, signed as events are. The answer must be 2xx with
/// the challenge as its body, or as the member `challenge` of a JSON object.
pub(crate) async fn challenge(
    sender: &Sender,
    keys: &SigningKeys,
    url: &str,
    secrets: &[Secret],
    now: Timestamp,
) -> Result<(), WebhookError> {
    let value = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 24]>());
    let body = json!({
        "type": "webhook.challenge", "timestamp": now.to_string(), "data": {"challenge": value},
    })
    .to_string();
    let id = format!("chl_{value}");
    let headers = Headers::sign(&id, &body, secrets, keys, Signatures::Both, now).map_err(Fault::internal)?;
    let sent = sender.send(url, &headers, body, now).await.sent;
    if sent.is_success() && echoes(&sent.answer, &value) {
        return Ok(());
    }
    Err(WebhookError::ChallengeFailed(why(&sent)))
}

fn echoes(answer: &str, value: &str) -> bool {
    let answer = answer.trim();
    let member = || serde_json::from_str::<Value>(answer).ok()?.get("challenge")?.as_str().map(str::to_owned);
    answer == value || member().is_some_and(|member| member == value)
}

fn why(sent: &Sent) -> String {
    let what = match (sent.status, &sent.error) {
        (Some(status), _) if sent.is_success() => format!("answered {status} without the challenge"),
        (Some(status), _) => format!("answered {status}"),
        (None, Some(error)) => format!("did not answer ({error})"),
        (None, None) => "did not answer".to_owned(),
    };
    format!("The endpoint {what}. Answer the POST with status 200 and the text of `data.challenge`, then try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_the_challenge_as_text_or_json() {
        for answer in ["abc", " abc\n", r#"{"challenge": "abc"}"#] {
            assert!(echoes(answer, "abc"), "{answer}");
        }
        for answer in ["", "ab", "\"abcd\"", r#"{"challenge": "x"}"#, r#"{"data": "abc"}"#] {
            assert!(!echoes(answer, "abc"), "{answer}");
        }
    }
}
