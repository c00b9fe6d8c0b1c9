//! `docmill listen`: forwards events to a receiver on this machine, so that it can be written before any address of it is public.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Client;
use serde_json::{Value, json};
use standardwebhooks::{HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook};
use url::Url;

use super::api;
use super::events::Reader;
use crate::args::{Globals, ListenArgs};
use crate::failure::{Doing, Failure, Outcome, cause};
use crate::journal::now;
use crate::report;

/// Where a receiver's secret comes from, so that it stays the same.
const SECRET_VARIABLE: &str = "DOCMILL_WEBHOOK_SECRET";
const SECRET_BYTES: usize = 24;
/// As long as the service waits for a receiver.
const TIMEOUT: Duration = Duration::from_secs(15);
/// Pauses before an event is sent again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];

pub async fn run(args: &ListenArgs, globals: &Globals) -> Outcome<()> {
    let target =
        Url::parse(&args.forward).map_err(|error| Failure::usage(format!("--forward {}: {error}", args.forward)))?;
    let api = api(globals)?;
    let secret = secret()?;
    let receiver = Receiver::new(target, &secret.text)?;
    let mut reader = Reader::new(&api, args.kind.as_deref(), None, args.after.clone());
    if args.after.is_none() {
        reader.skip_all().await?;
    }
    if globals.json {
        let mut line = json!({"type": "listening", "forward": args.forward});
        if secret.is_new {
            line["secret"] = json!(secret.text);
        }
        report::to_stdout(&line.to_string());
    } else {
        if secret.is_new {
            report::to_stdout(&format!("Secret of the signatures, shown once: {}", secret.text));
        }
        report::to_stdout(&format!("Forwarding events to {}. End with Ctrl-C.", args.forward));
    }
    let work = async {
        loop {
            for event in reader.next(true).await?.events {
                receiver.deliver(&event, globals).await?;
            }
        }
    };
    tokio::select! {
        ended = work => ended,
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

struct Secret {
    text: String,
    is_new: bool,
}

fn secret() -> Outcome<Secret> {
    match std::env::var(SECRET_VARIABLE) {
        Ok(text) => Ok(Secret { text, is_new: false }),
        Err(_) => {
            let bytes: [u8; SECRET_BYTES] = rand::random();
            Ok(Secret { text: format!("whsec_{}", STANDARD.encode(bytes)), is_new: true })
        }
    }
}

struct Receiver {
    http: Client,
    target: Url,
    signer: Webhook,
}

/// A request to the receiver, signed as the service signs webhooks.
struct Signed {
    id: String,
    timestamp: i64,
    signature: String,
    body: String,
}

impl Receiver {
    fn new(target: Url, secret: &str) -> Outcome<Self> {
        let signer = Webhook::new(secret).map_err(|_| {
            Failure::usage(format!("{SECRET_VARIABLE} is not a secret: it is whsec_ and the base64 of 24 to 64 bytes."))
        })?;
        let http = Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none()).no_proxy();
        Ok(Self { http: http.build().doing("Preparing requests")?, target, signer })
    }

    fn sign(&self, event: &Value) -> Outcome<Signed> {
        let id = event["id"].as_str().unwrap_or_default().to_owned();
        // The body of a webhook, in the same order.
        let body = json!({"type": event["type"], "timestamp": event["timestamp"], "data": event["data"]}).to_string();
        let timestamp = i64::try_from(now()).unwrap_or(0);
        let signature = self.signer.sign(&id, timestamp, body.as_bytes()).doing("Signing an event")?;
        Ok(Signed { id, timestamp, signature, body })
    }

    /// Sends an event until the receiver takes it. After three tries the next event follows.
    async fn deliver(&self, event: &Value, globals: &Globals) -> Outcome<()> {
        for pause in PAUSES.into_iter().map(Some).chain([None]) {
            let started = Instant::now();
            let answer = self.send(&self.sign(event)?).await;
            let is_taken = answer.as_ref().is_ok_and(|status| (200..300).contains(status));
            let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            say(event, &answer, millis, globals);
            match pause {
                _ if is_taken => break,
                Some(pause) => tokio::time::sleep(pause).await,
                None => break,
            }
        }
        Ok(())
    }

    async fn send(&self, signed: &Signed) -> Result<u16, String> {
        let request = self
            .http
            .post(self.target.clone())
            .header("content-type", "application/json")
            .header(HEADER_WEBHOOK_ID, &signed.id)
            .header(HEADER_WEBHOOK_TIMESTAMP, signed.timestamp)
            .header(HEADER_WEBHOOK_SIGNATURE, &signed.signature)
            .body(signed.body.clone());
        request.send().await.map(|answer| answer.status().as_u16()).map_err(|error| cause(&error))
    }
}

fn say(event: &Value, answer: &Result<u16, String>, millis: u64, globals: &Globals) {
    if globals.json {
        let mut line =
            json!({"type": "forwarded", "eventId": event["id"], "event": event["type"], "durationMs": millis});
        match answer {
            Ok(status) => line["status"] = json!(status),
            Err(error) => line["error"] = json!(error),
        }
        return report::to_stdout(&line.to_string());
    }
    let answer = answer.as_ref().map_or_else(Clone::clone, ToString::to_string);
    report::to_stdout(&format!("{}  → {answer} ({millis} ms)", super::events::describe(event)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderMap, HeaderValue};

    #[test]
    fn an_event_is_signed_as_a_webhook_of_the_service() {
        let secret = secret().unwrap();
        assert!(secret.is_new && secret.text.starts_with("whsec_"));
        let receiver = Receiver::new("http://localhost:3000/hook".parse().unwrap(), &secret.text).unwrap();
        let event = json!({"id": "evt_1", "type": "job.completed", "timestamp": "2026-11-20T09:00:00.362Z", "data": {"job": {"id": "1"}}});
        let signed = receiver.sign(&event).unwrap();
        assert_eq!(
            signed.body,
            r#"{"type":"job.completed","timestamp":"2026-11-20T09:00:00.362Z","data":{"job":{"id":"1"}}}"#
        );
        let mut headers = HeaderMap::new();
        headers.insert(HEADER_WEBHOOK_ID, HeaderValue::from_str(&signed.id).unwrap());
        headers.insert(HEADER_WEBHOOK_TIMESTAMP, HeaderValue::from(signed.timestamp));
        headers.insert(HEADER_WEBHOOK_SIGNATURE, HeaderValue::from_str(&signed.signature).unwrap());
        Webhook::new(&secret.text).unwrap().verify(signed.body.as_bytes(), &headers).unwrap();
        assert!(Webhook::new(&secret.text).unwrap().verify(b"{}", &headers).is_err());
    }
}
