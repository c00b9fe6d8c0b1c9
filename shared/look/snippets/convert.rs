use std::{env, error::Error, fs};

use reqwest::StatusCode;
use serde_json::json;

// Cargo.toml: reqwest (feature json), serde_json, tokio (features macros, rt)
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let response = reqwest::Client::new()
        .post(format!("{}/v1/convert/office-to-pdf", env::var("DOCMILL_URL")?))
        .bearer_auth(env::var("DOCMILL_KEY")?)
        .header("Accept", "application/pdf")
        .header("Prefer", "wait=25")
        .json(&json!(
            {"sourceUrl": "https://files.example.com/report.docx"}
        ))
        .send()
        .await?;
    // 202: the job is still running.
    if response.status() != StatusCode::OK {
        return Err(response.text().await?.into());
    }
    fs::write("report.pdf", response.bytes().await?)?;
    Ok(())
}
