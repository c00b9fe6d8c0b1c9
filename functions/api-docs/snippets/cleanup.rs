use std::{env, error::Error};

use reqwest::{Client, Method, Response, StatusCode, Url};
use serde_json::Value;

async fn call(client: &Client, method: Method, path: &str) -> Result<Response, Box<dyn Error>> {
    let url = Url::parse(&format!("{}{path}", env::var("DOCMILL_URL")?))?;
    let response = client.request(method, url).bearer_auth(env::var("DOCMILL_KEY")?).send().await?;
    // 409 job_ended: too late to cancel a job, but not to delete its documents.
    if response.status() == StatusCode::CONFLICT {
        return Ok(response);
    }
    Ok(response.error_for_status()?)
}

// Cargo.toml: reqwest (feature json), serde_json, tokio (features macros, rt)
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new();
    let list = "/v1/jobs?metadata.order=2026-118&limit=100";
    let mut next = Some(list.to_owned());
    while let Some(path) = next {
        let page: Value = call(&client, Method::GET, &path).await?.json().await?;
        for job in page["jobs"].as_array().into_iter().flatten() {
            let id = job["id"].as_str().ok_or("a job has an id")?;
            call(&client, Method::POST, &format!("/v1/jobs/{id}/cancel")).await?;
            call(&client, Method::DELETE, &format!("/v1/jobs/{id}")).await?;
        }
        // Cursors need no escapes in an address.
        next = page["nextCursor"].as_str().map(|cursor| format!("{list}&cursor={cursor}"));
    }
    Ok(())
}
