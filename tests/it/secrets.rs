//! Canaries: secrets are sent through whole journeys and searched for in all logs and stored records.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use docmill_domain::job::JobId;
use docmill_store::item::job_key;
use serde_json::{Value, json};

use crate::error_table::Deployed;
use crate::support::eventually;

/// A secret in all forms in which it might be logged.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    let url_encoded: String = secret.bytes().map(|byte| format!("%{byte:02X}")).collect();
    // Base64 depends on the position: three alignments cover all.
    let encoded = (0..3).flat_map(|offset| {
        let text = format!("{}{secret}", "x".repeat(offset));
        [STANDARD.encode(&text), URL_SAFE_NO_PAD.encode(&text)].map(|encoded| encoded[4..encoded.len() - 4].to_owned())
    });
    [secret.to_owned(), url_encoded].into_iter().chain(encoded).collect()
}

pub(crate) fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn no_secret_reaches_a_log_or_a_finished_record() {
    let Some(deployed) = Deployed::new() else { return };
    let (logs, samples) = (std::env::var("STACK_LOGS").unwrap(), std::env::var("SAMPLES_URL").unwrap());
    let account = deployed.account().await;
    let canary = |name: &str| format!("canary{name}{}", uuid::Uuid::now_v7().simple());
    let (query, password, content, idempotency) =
        (canary("query"), canary("password"), canary("content"), canary("key"));
    let signing = docmill_signing::seal::Secret::new().as_str().to_owned();

    let (upload, signature) = upload(&deployed, &account.key, &format!("<p>{content}")).await;
    let jobs = [
        json!({"toolSlug": "office-to-pdf", "sourceUrl": format!("{samples}/small.docx?sig={query}"), "options": {"password": password}}),
        json!({"toolSlug": "office-to-pdf", "sourceUrl": format!("{samples}/missing.docx?sig={query}"), "options": {"password": password}}),
        json!({"toolSlug": "html-to-pdf", "html": format!("<p>{content}<img src='{samples}/no.png?sig={query}'>")}),
        json!({"toolSlug": "html-to-pdf", "url": format!("{samples}/invoice.html?sig={query}"), "renderMode": "basic"}),
        json!({"toolSlug": "html-to-pdf", "url": format!("http://127.0.0.1:9/?sig={query}")}),
        json!({"toolSlug": "html-to-pdf", "html": format!("{content}<p>").repeat(600)}),
        json!({"toolSlug": "html-to-pdf", "uploadId": upload}),
        json!({"toolSlug": "merge-pdf", "sources": [
            {"sourceUrl": format!("{samples}/small.docx?sig={query}"), "headers": {"authorization": password}, "password": password},
            {"html": format!("<p>{content}")},
        ], "output": {"putUrl": format!("{samples}/put?sig={query}"), "putHeaders": {"x-token": password}}}),
        json!({"toolSlug": "html-to-pdf", "html": "<p>x", "renderMode": "basic", "webhook": {
            "url": format!("http://localhost:9/hook?sig={query}"), "secret": signing,
        }}),
        // Refused: the error must not repeat the value.
        json!({"toolSlug": "office-to-pdf", "sourceUrl": format!("ftp://{query}"), "options": {"password": [password]}}),
    ];
    let page = json!({"html": format!("<p>{content}<img src='{samples}/no.png?sig={query}'>")});
    let mut secrets =
        vec![signing, query, password, content, idempotency.clone(), signature, account.key.reveal().to_owned()];
    let mut created = Vec::new();
    for (number, body) in jobs.iter().enumerate() {
        let request = deployed.create(body, &account.key).header("idempotency-key", format!("{idempotency}{number}"));
        let answer: Value = request.send().await.unwrap().json().await.unwrap();
        assert!(!secrets.iter().any(|secret| answer.to_string().contains(secret)), "{answer}");
        let Some(id) = answer["job"]["id"].as_str() else { continue };
        created.push(id.to_owned());
        finish(&deployed, &account.key, id, &mut secrets, number).await;
    }
    let (id, signature) = by_an_assistant(&deployed, &account.key, page, &idempotency).await;
    created.push(id);
    secrets.push(signature);
    let mut seen = String::new();
    for path in files_below(Path::new(&logs)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        seen.push_str(&text);
        for form in secrets.iter().flat_map(|secret| forms(secret)) {
            assert!(!text.contains(&form), "{} holds a secret: {form}", path.display());
        }
    }
    for id in created {
        assert!(seen.contains(&id), "these are not the logs of job {id}");
    }
}

/// Uploads a page. Returns its id and the signature of its link.
async fn upload(deployed: &Deployed, key: &docmill_domain::api_key::ApiKey, page: &str) -> (String, String) {
    let announced = json!({"contentType": "text/html", "bytes": page.len()});
    let answer: Value = deployed.post("/v1/uploads", &announced, key).send().await.unwrap().json().await.unwrap();
    let url = answer["upload"]["url"].as_str().unwrap();
    let headers = answer["upload"]["headers"].as_object().unwrap();
    let put = reqwest::Client::new().put(url).body(page.to_owned());
    let put = headers.iter().fold(put, |put, (name, value)| put.header(name, value.as_str().unwrap()));
    put.send().await.unwrap().error_for_status().unwrap();
    (answer["upload"]["id"].as_str().unwrap().to_owned(), signature_of(url))
}

/// Runs a tool as an assistant does. Returns the job and the signature of the link to its result.
async fn by_an_assistant(
    deployed: &Deployed,
    key: &docmill_domain::api_key::ApiKey,
    input: Value,
    idempotency: &str,
) -> (String, String) {
    let arguments = json!({"tool": "html-to-pdf", "input": input, "waitSeconds": 25, "idempotencyKey": format!("{idempotency}mcp")});
    let params = json!({"name": "run_tool", "arguments": arguments});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let request = deployed.post("/mcp", &call, key).header("accept", "application/json, text/event-stream");
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let blocks = &answer["result"]["content"];
    let content: Value = serde_json::from_str(blocks[0]["text"].as_str().unwrap()).unwrap();
    let link = blocks[1]["uri"].as_str().unwrap_or_else(|| panic!("{answer}"));
    (content["job"]["id"].as_str().unwrap().to_owned(), signature_of(link))
}

fn signature_of(link: &str) -> String {
    link.split("X-Amz-Signature=").nth(1).unwrap().split('&').next().unwrap().to_owned()
}

/// Waits for the job, checks its record, and adds the signature of its download link to the secrets.
async fn finish(
    deployed: &Deployed,
    key: &docmill_domain::api_key::ApiKey,
    id: &str,
    secrets: &mut Vec<String>,
    number: usize,
) {
    let path = format!("/v1/jobs/{id}");
    let get = async |path: &str| -> Value { deployed.get(path, key).send().await.unwrap().json().await.unwrap() };
    let job = eventually(&format!("job {number} ends"), Duration::from_secs(120), async || {
        let job = get(&path).await["job"].clone();
        // A busy service says to ask again.
        ["completed", "failed"].contains(&job["status"].as_str()?).then_some(job)
    })
    .await;
    assert!(!secrets.iter().any(|secret| job.to_string().contains(secret)), "{job}");
    let table = &deployed.world.config.tables.jobs;
    let record = deployed
        .world
        .context
        .aws
        .dynamodb()
        .get_item()
        .table_name(table)
        .set_key(Some(job_key(JobId::parse(id).unwrap())))
        .send()
        .await
        .unwrap();
    let record = format!("{:?}", record.item.unwrap());
    for form in secrets.iter().flat_map(|secret| forms(secret)) {
        assert!(!record.contains(&form), "the record of job {number} holds a secret");
    }
    if job["status"] == "completed" {
        let link = eventually("the link of the result", Duration::from_secs(60), async || {
            get(&format!("{path}/download")).await["download"]["url"].as_str().map(str::to_owned)
        })
        .await;
        let signature = signature_of(&link);
        reqwest::get(&link).await.unwrap().error_for_status().unwrap();
        secrets.push(signature);
    }
}
