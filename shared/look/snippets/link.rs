use std::{env, error::Error, fs};

use reqwest::Client;
use serde_json::{Value, json};

// Cargo.toml: reqwest (feature json), serde_json, tokio (features macros, rt)
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    let response = client
        .post(format!("{}/v1/convert/office-to-pdf", env::var("DOCMILL_URL")?))
        .bearer_auth(env::var("DOCMILL_KEY")?)
        .header("Prefer", "wait=25")
        .json(&json!(
            {"sourceUrl": "https://files.example.com/report.docx"}
        ))
        .send()
        .await?;
    if !response.status().is_success() {
        return Err(response.text().await?.into());
    }
    let answer: Value = response.json().await?;

    // Without a download, the job is still running or has failed.
    let (Some(url), Some(filename)) = (answer["download"]["url"].as_str(), answer["download"]["filename"].as_str())
    else {
        return Err(answer["job"].to_string().into());
    };
    // The link is signed: it needs no key.
    let file = client.get(url).send().await?.error_for_status()?;
    fs::write(filename, file.bytes().await?)?;
    Ok(())
}
