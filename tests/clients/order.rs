//! Makes one PDF of an order's documents, cancels a job, and deletes what Docmill stores of the order. Crates: reqwest
//! (json), serde_json, tokio.
//!
//! Usage: order SOURCE_URL TARGET.pdf ORDER, with DOCMILL_URL and DOCMILL_KEY in the environment.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it talks to a person at a terminal")]

use std::process::ExitCode;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

struct Docmill {
    client: Client,
    url: String,
    key: String,
}

impl Docmill {
    fn from_environment() -> Result<Self> {
        let setting = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
        let client = Client::builder().timeout(Duration::from_secs(40)).build()?;
        Ok(Self { client, url: setting("DOCMILL_URL")?, key: setting("DOCMILL_KEY")? })
    }

    /// The client sends the key only to the API, and not to the signed link that it redirects to.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key)
    }

    /// The id of a new job, which has not ended yet.
    async fn page(&self, html: &str, order: &str, options: Value) -> Result<String> {
        let body = json!({"html": html, "options": options, "metadata": {"order": order}});
        let answer = send(self.request(Method::POST, "/v1/convert/html-to-pdf").json(&body)).await?;
        job_id(&answer.json().await?)
    }

    /// The result of one request. If it takes longer than 25 seconds, the answer is the job: ask again.
    async fn pdf(&self, mut request: RequestBuilder) -> Result<Vec<u8>> {
        loop {
            let answer = send(request.header(ACCEPT, "application/pdf").header("prefer", "wait=25")).await?;
            if answer.headers().get(CONTENT_TYPE).is_some_and(|format| format == "application/pdf") {
                return Ok(answer.bytes().await?.to_vec());
            }
            request = self.request(Method::GET, &format!("/v1/jobs/{}", job_id(&answer.json().await?)?));
        }
    }

    /// All jobs of an order, newest first.
    async fn jobs(&self, order: &str) -> Result<Vec<Value>> {
        let mut found = Vec::new();
        let mut query = vec![("metadata.order", order.to_owned()), ("limit", "100".to_owned())];
        loop {
            let url = Url::parse_with_params(&format!("{}/v1/jobs", self.url), &query)?;
            let mut answer: Value = send(self.client.get(url).bearer_auth(&self.key)).await?.json().await?;
            found.extend(answer["jobs"].as_array_mut().map(std::mem::take).unwrap_or_default());
            let Some(cursor) = answer["nextCursor"].as_str() else { return Ok(found) };
            query.truncate(2);
            query.push(("cursor", cursor.to_owned()));
        }
    }
}

async fn send(request: RequestBuilder) -> Result<Response> {
    let response = request.send().await?;
    if response.status().is_success() { Ok(response) } else { Err(response.text().await?.into()) }
}

fn job_id(answer: &Value) -> Result<String> {
    Ok(answer["job"]["id"].as_str().ok_or("no job")?.to_owned())
}

async fn run(source: &str, target: &str, order: &str) -> Result<()> {
    let docmill = Docmill::from_environment()?;
    // The next job may name this one at once: it waits for the result.
    let invoice = docmill.page("<h1>Invoice</h1>", order, json!({})).await?;
    let draft = docmill.page("<h1>Draft</h1>", order, json!({"waitFor": {"delayMs": 20_000}})).await?;
    let canceled = send(docmill.request(Method::POST, &format!("/v1/jobs/{draft}/cancel"))).await?;
    println!("draft {}", canceled.json::<Value>().await?["job"]["status"].as_str().unwrap_or("?"));

    let merge = json!({
        "sources": [{"markdown": "# Cover"}, {"jobId": invoice}, {"sourceUrl": source}],
        "then": [{"toolSlug": "watermark-pdf", "options": {"text": "COPY"}}, {"toolSlug": "compress-pdf"}],
        "metadata": {"order": order},
    });
    let pdf = docmill.pdf(docmill.request(Method::POST, "/v1/tools/merge-pdf/jobs").json(&merge)).await?;
    std::fs::write(target, &pdf)?;
    println!("{target}: {} bytes", pdf.len());

    for job in docmill.jobs(order).await? {
        let id = job["id"].as_str().ok_or("a job has an id")?;
        send(docmill.request(Method::DELETE, &format!("/v1/jobs/{id}"))).await?;
        println!("{} deleted", job["toolSlug"].as_str().unwrap_or("?"));
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [source, target, order] => run(source, target, order).await,
        _ => Err("usage: order SOURCE_URL TARGET.pdf ORDER".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}
