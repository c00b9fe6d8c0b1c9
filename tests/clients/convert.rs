//! Converts a document with Docmill. Crates: reqwest (json), serde_json, sha2, standardwebhooks, tokio, uuid.
//!
//! Usage: convert SOURCE_URL TARGET.pdf [IDEMPOTENCY_KEY], with DOCMILL_URL and DOCMILL_KEY in the environment.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a person at a terminal")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use standardwebhooks::Webhook;
use uuid::Uuid;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A request that waits for a job takes up to 25 seconds.
const TIMEOUT: Duration = Duration::from_secs(40);
const JOB_TIME: Duration = Duration::from_secs(180);

struct Docmill {
    client: Client,
    url: String,
    key: String,
}

impl Docmill {
    fn from_environment() -> Result<Self> {
        let setting = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
        let client = Client::builder().timeout(TIMEOUT).build()?;
        Ok(Self { client, url: setting("DOCMILL_URL")?, key: setting("DOCMILL_KEY")? })
    }

    /// Status and body. Repeats what may go away by itself, as the same request with the same Idempotency-Key.
    async fn call(
        &self,
        path: &str,
        body: Option<Value>,
        idempotency_key: Option<&str>,
    ) -> Result<(StatusCode, Value)> {
        let url = format!("{}{path}", self.url);
        let mut pause = Duration::from_secs(1);
        for last in [false, false, false, true] {
            let mut request = match &body {
                Some(body) => self.client.post(&url).json(body),
                None => self.client.get(&url),
            };
            if let Some(key) = idempotency_key {
                request = request.header("idempotency-key", key);
            }
            match request.bearer_auth(&self.key).send().await {
                Ok(response) if response.status().is_success() => {
                    return Ok((response.status(), response.json().await?));
                }
                Ok(response) if last || ![429, 500, 503].contains(&response.status().as_u16()) => {
                    return Err(describe(response).await.into());
                }
                Ok(response) => pause = retry_after(&response).unwrap_or(pause),
                Err(error) if last => return Err(error.into()),
                Err(_) => {}
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        Err("the last attempt returns".into())
    }

    /// The PDF made of the document at `source`.
    async fn convert(&self, source: &str, idempotency_key: &str) -> Result<Vec<u8>> {
        let body = json!({"sourceUrl": source});
        let path = "/v1/convert/office-to-pdf?wait=25";
        let (_, mut created) = self.call(path, Some(body), Some(idempotency_key)).await?;
        let mut download = created["download"].take();
        if download.is_null() {
            download = self.wait_for_download(created["job"]["id"].as_str().ok_or("no job")?).await?;
        }
        // The link is signed: it needs no key, and must not get one.
        let link = download["url"].as_str().ok_or("no link")?;
        let pdf = self.client.get(link).send().await?.error_for_status()?.bytes().await?.to_vec();
        let digest: String = Sha256::digest(&pdf).iter().map(|byte| format!("{byte:02x}")).collect();
        if download["sha256"] == digest { Ok(pdf) } else { Err("the download is damaged".into()) }
    }

    async fn wait_for_download(&self, job_id: &str) -> Result<Value> {
        let started = Instant::now();
        let mut pause = Duration::from_secs(1);
        while started.elapsed() < JOB_TIME {
            let (status, mut answer) = self.call(&format!("/v1/jobs/{job_id}/download"), None, None).await?;
            if status == StatusCode::OK {
                return Ok(answer["download"].take());
            }
            tokio::time::sleep(pause).await;
            pause = pause.mul_f32(1.5).min(Duration::from_secs(10));
        }
        Err(format!("job {job_id} has not ended in time").into())
    }

    /// Gets a signed sample and shows that the receiver's check accepts it, and nothing else.
    async fn try_receiver(&self) -> Result<()> {
        let body = json!({"url": "https://hooks.example.com/docmill"});
        let (_, answer) = self.call("/v1/webhooks/test", Some(body), None).await?;
        let sample = &answer["webhookTest"]["sample"];
        // It checks the timestamp too, with a tolerance of five minutes.
        let webhook = Webhook::new(sample["secret"].as_str().ok_or("no secret")?)?;
        let body = sample["body"].as_str().ok_or("no body")?;
        let mut headers = HeaderMap::new();
        for (name, value) in sample["headers"].as_object().ok_or("no headers")? {
            headers.insert(HeaderName::try_from(name)?, HeaderValue::try_from(value.as_str().unwrap_or(""))?);
        }
        webhook.verify(body.as_bytes(), &headers)?;
        if webhook.verify(format!("{body} ").as_bytes(), &headers).is_ok() {
            return Err("a forged event was accepted".into());
        }
        headers.insert("webhook-timestamp", HeaderValue::from_static("1"));
        if webhook.verify(body.as_bytes(), &headers).is_ok() { Err("an old event was accepted".into()) } else { Ok(()) }
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// What an error answer says. It has no secrets and names the request.
async fn describe(response: Response) -> String {
    let status = response.status();
    match response.json::<Value>().await {
        Ok(body) => {
            // A failed job knows better than its answer what went wrong.
            let fault = body.pointer("/job/error").unwrap_or(&body["error"]);
            format!("{}: {} (request {})", fault["code"], fault["message"], body["requestId"])
        }
        Err(_) => format!("HTTP status {status}"),
    }
}

async fn run(source: &str, target: &str, idempotency_key: &str) -> Result<()> {
    let docmill = Docmill::from_environment()?;
    let pdf = docmill.convert(source, idempotency_key).await?;
    std::fs::write(target, &pdf)?;
    println!("{target}: {} bytes", pdf.len());
    docmill.try_receiver().await?;
    println!("webhook verified");
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [source, target] => run(source, target, &Uuid::now_v7().to_string()).await,
        [source, target, key] => run(source, target, key).await,
        _ => Err("usage: convert SOURCE_URL TARGET.pdf [IDEMPOTENCY_KEY]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}
