use std::{env, error::Error, fs};

use reqwest::Client;
use serde_json::{Value, json};

async fn call(client: &Client, path: &str, body: Option<Value>) -> Result<Value, Box<dyn Error>> {
    let url = format!("{}{path}", env::var("DOCMILL_URL")?);
    let request = match body {
        Some(body) => client.post(url).json(&body),
        None => client.get(url),
    };
    let response = request.bearer_auth(env::var("DOCMILL_KEY")?).send().await?;
    Ok(response.error_for_status()?.json().await?)
}

// Cargo.toml: reqwest (feature json), serde_json, tokio (features macros, rt)
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();

    // The next job may name this one at once: it waits for the result.
    let report = call(&client, "/v1/convert/html-to-pdf", Some(json!({"html": "<h1>Report</h1>"}))).await?;

    let request = json!({
        "sources": [
            {"markdown": "# Cover"},
            {"jobId": report["job"]["id"]},
            {"html": "<h1>Terms</h1>"},
        ],
        "then": [
            {"toolSlug": "watermark-pdf", "options": {"text": "Draft"}},
            {"toolSlug": "compress-pdf"},
        ],
        "output": {"filename": "handout.pdf", "retentionSeconds": 3600},
    });
    let mut answer = call(&client, "/v1/tools/merge-pdf/jobs", Some(request)).await?;

    // Each request waits for up to 25 seconds.
    while answer["job"]["finishedAt"].is_null() {
        let id = answer["job"]["id"].as_str().ok_or("a job has an id")?;
        answer = call(&client, &format!("/v1/jobs/{id}?wait=25"), None).await?;
    }
    let url = answer["download"]["url"].as_str().ok_or_else(|| answer["job"]["error"].to_string())?;

    // The link is signed: it needs no key.
    let file = client.get(url).send().await?.error_for_status()?;
    fs::write("handout.pdf", file.bytes().await?)?;
    Ok(())
}
