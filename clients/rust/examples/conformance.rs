//! A runner of `clients/conformance`: it translates steps into calls of the client.

#![allow(clippy::print_stdout, reason = "the suite reads its answers")]

use std::io::BufRead;
use std::path::Path;
use std::time::Duration;

use docmill_client::models::{EventType, JobStatus, RotationRequest, WebhookRequest, WebhookTestRequest};
use docmill_client::{
    BatchFilter, Client, Entries, Error, ErrorKind, EventFilter, HeaderMap, Item, JobFilter, Method, NewBatch, Request,
    Save, Saved, Source, Step, TryStreamExt, verify_webhook,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

type Outcome = Result<Value, Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut kept: Option<(Value, Client)> = None;
    for line in std::io::stdin().lock().lines() {
        let step: Value = serde_json::from_str(&line?)?;
        let client = match kept.take() {
            Some((settings, client)) if settings == step["client"] => client,
            _ => builder(&step["client"]).build()?,
        };
        kept = Some((step["client"].clone(), client.clone()));
        let answer = match take(&client, &step).await {
            Ok(result) => json!({"result": result}),
            Err(error) => json!({"error": described(&error)}),
        };
        println!("{answer}");
    }
    Ok(())
}

async fn take(client: &Client, step: &Value) -> Outcome {
    let id = text(&step["id"]);
    let path = text(&step["path"]);
    match text(&step["do"]) {
        "tool" => Ok(json!({"tool": source(&step["source"]).tool()?})),
        "convert" => saved(client.convert_with(request(step), path, save(step)).await?),
        "bytes" => {
            let content = client.convert_bytes(request(step), save(step)).await?;
            let sha256: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
            Ok(json!({"bytes": content.len(), "sha256": sha256}))
        }
        "start" => Ok(json!({"job": client.start(request(step)).await?})),
        "wait" => Ok(json!({"job": client.wait(id, seconds(&step["seconds"])).await?})),
        "save" => saved(client.save_with(id, path, save(step)).await?),
        "job" => Ok(json!({"job": client.job(id).await?})),
        "jobs" => {
            let jobs = collect(client.jobs(&job_filter(step))?, step).await?;
            Ok(json!({"ids": jobs.iter().map(|job| &job.id).collect::<Vec<_>>()}))
        }
        "cancel" => Ok(json!({"job": client.cancel(id).await?})),
        "receipt" => Ok(json!({"receipt": client.receipt(id).await?})),
        "delete" => client.delete(id).await.map(|()| json!({})),
        "upload" => Ok(json!({"id": client.upload(text(&step["file"])).await?.id})),
        "events" => {
            let events = collect(client.events(&event_filter(step))?, step).await?;
            let events: Vec<_> = events.iter().map(|event| json!({"id": event.id, "type": event.type_})).collect();
            Ok(json!({"events": events}))
        }
        "tools" => Ok(json!({"slugs": client.tools().await?.iter().map(|tool| &tool.slug).collect::<Vec<_>>()})),
        "schema" => Ok(json!({"tool": client.tool_schema(text(&step["tool"])).await?})),
        "usage" => Ok(json!({"usage": client.usage().await?})),
        "request" => raw(client, step).await,
        "verify" => {
            let event = verify_webhook(&text(&step["secret"]).into(), &headers(step), text(&step["body"]).as_bytes())?;
            Ok(json!({"type": event.type_, "data": event.data}))
        }
        "describe" => Ok(
            json!({"texts": [format!("{client:?}"), format!("{client:#?}"), format!("{:?}", builder(&step["client"]))]}),
        ),
        _ => batches(client, step, id).await,
    }
}

async fn batches(client: &Client, step: &Value, id: &str) -> Outcome {
    match text(&step["do"]) {
        "batchCreate" => {
            let items = step["items"].as_array().into_iter().flatten().map(|item| {
                let made = Item::new(source(&item["input"]));
                item["filename"].as_str().map_or(made.clone(), |name| made.filename(name))
            });
            let mut batch = NewBatch::new(text(&step["tool"]), items);
            if let Some(options) = step.get("options") {
                batch = batch.options(options);
            }
            for further in further_steps(step) {
                batch = batch.then(further);
            }
            if step["archive"] == true {
                batch = batch.archive();
            }
            Ok(json!({"batch": client.create_batch(batch).await?}))
        }
        "batchWait" => {
            let mut seen = Vec::new();
            let wait = client.wait_batch(id, seconds(&step["seconds"]), |batch| seen.push(batch.counts.completed));
            let batch = wait.await?;
            Ok(json!({"batch": batch, "progress": seen}))
        }
        "batchResults" => {
            let results = collect(client.batch_results(id, page_size(step))?, step).await?;
            Ok(json!({"results": results}))
        }
        "batchArchive" => Ok(json!({"files": client.save_archive(id, text(&step["path"]), save(step)).await?})),
        "batchList" => {
            let filter = BatchFilter { page_size: page_size(step), ..BatchFilter::default() };
            let batches = collect(client.batches(&filter)?, step).await?;
            Ok(json!({"ids": batches.iter().map(|batch| &batch.id).collect::<Vec<_>>()}))
        }
        "batchDelete" => client.delete_batch(id).await.map(|()| json!({})),
        _ => webhooks(client, step, id).await,
    }
}

async fn webhooks(client: &Client, step: &Value, id: &str) -> Outcome {
    match text(&step["do"]) {
        "webhookCreate" => {
            let request: WebhookRequest = parsed(&step["body"])?;
            Ok(json!({"webhook": client.create_webhook(&request).await?}))
        }
        "webhookList" => {
            Ok(json!({"ids": client.webhooks().await?.iter().map(|webhook| &webhook.id).collect::<Vec<_>>()}))
        }
        "webhookRotate" => Ok(json!({"webhook": client.rotate_webhook_secret(id, &RotationRequest::default()).await?})),
        "webhookDelete" => client.delete_webhook(id).await.map(|()| json!({})),
        "webhookTest" => {
            let mut request = WebhookTestRequest::default();
            request.url = Some(text(&step["target"]).to_owned());
            Ok(json!({"webhookTest": client.test_webhook(&request).await?}))
        }
        other => Err(Error::Usage(format!("there is no step {other}"))),
    }
}

async fn raw(client: &Client, step: &Value) -> Outcome {
    let method = Method::from_bytes(text(&step["method"]).as_bytes()).unwrap_or(Method::GET);
    let answer = client.request(method, text(&step["path"]), headers(step), step.get("body")).await?;
    let headers: serde_json::Map<_, _> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), json!(value.to_str().unwrap_or_default())))
        .collect();
    Ok(json!({
        "status": answer.status.as_u16(), "headers": headers, "requestId": answer.request_id(), "body": answer.json::<Value>()?,
    }))
}

fn builder(settings: &Value) -> docmill_client::ClientBuilder {
    let mut builder = Client::builder().url(text(&settings["url"])).key(text(&settings["key"]));
    if let Some(timeout) = settings["timeoutSeconds"].as_f64() {
        builder = builder.timeout(Duration::from_secs_f64(timeout));
    }
    if let Some(times) = settings["maxRetries"].as_u64() {
        builder = builder.max_retries(u32::try_from(times).unwrap_or(u32::MAX));
    }
    builder
}

fn request(step: &Value) -> Request {
    let mut request = match (step["sources"].as_array(), step["tool"].as_str()) {
        (Some(sources), tool) => Request::several(tool.unwrap_or_default(), sources.iter().map(source)),
        (None, Some(tool)) => Request::tool(tool, source(&step["source"])),
        (None, None) => Request::new(source(&step["source"])),
    };
    if let Some(options) = step.get("options") {
        request = request.options(options);
    }
    for further in further_steps(step) {
        request = request.then(further);
    }
    for (name, value) in step["metadata"].as_object().into_iter().flatten() {
        request = request.label(name, text(value));
    }
    if let Some(key) = step["idempotencyKey"].as_str() {
        request = request.idempotency_key(key);
    }
    request
}

/// Makes a source of a text.
type Maker = fn(String) -> Source;

fn source(given: &Value) -> Source {
    let makers: [(&str, Maker); 8] = [
        ("file", Source::file),
        ("address", Source::url),
        ("html", Source::html),
        ("markdown", Source::markdown),
        ("jobId", Source::result_of),
        ("uploadId", Source::upload),
        ("sourceUrl", Source::source_url),
        ("url", Source::page),
    ];
    if let Some(content) = given["content"].as_str() {
        return Source::bytes(content.to_owned(), text(&given["name"]));
    }
    if let Some(path) = given["opened"].as_str().map(Path::new)
        && let Ok(file) = std::fs::File::open(path)
    {
        return Source::opened(file, path.file_name().unwrap_or_default().to_string_lossy());
    }
    let known = makers.iter().find_map(|(name, maker)| Some(maker(given[*name].as_str()?.to_owned())));
    known.unwrap_or_else(|| Source::html(""))
}

fn save(step: &Value) -> Save {
    let mut save = Save::default();
    if !step["seconds"].is_null() {
        save = save.within(seconds(&step["seconds"]));
    }
    if step["overwrite"] == true { save.overwrite() } else { save }
}

fn saved(saved: Saved) -> Outcome {
    let mut file = json!({"path": saved.path, "bytes": saved.bytes, "sha256": saved.sha256});
    if !saved.files.is_empty() {
        file["files"] = json!(saved.files);
    }
    Ok(json!({"job": saved.job, "file": file}))
}

async fn collect<T>(entries: Entries<T>, step: &Value) -> Result<Vec<T>, Error> {
    use docmill_client::StreamExt;
    let take = step["take"].as_u64().and_then(|take| usize::try_from(take).ok()).unwrap_or(usize::MAX);
    entries.take(take).try_collect().await
}

fn job_filter(step: &Value) -> JobFilter {
    let filters = &step["filters"];
    JobFilter {
        status: filters["status"].as_str().map(JobStatus::from),
        tool_slug: filters["toolSlug"].as_str().map(str::to_owned),
        metadata: filters["metadata"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), text(value).to_owned()))
            .collect(),
        page_size: page_size(step),
        ..JobFilter::default()
    }
}

fn event_filter(step: &Value) -> EventFilter {
    let filters = &step["filters"];
    EventFilter {
        event_type: filters["type"].as_str().map(EventType::from),
        job_id: filters["jobId"].as_str().map(str::to_owned),
        after: filters["after"].as_str().map(str::to_owned),
        page_size: page_size(step),
        ..EventFilter::default()
    }
}

fn page_size(step: &Value) -> Option<u32> {
    step["pageSize"].as_u64().and_then(|size| u32::try_from(size).ok())
}

fn headers(step: &Value) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in step["headers"].as_object().into_iter().flatten() {
        if let (Ok(name), Ok(value)) = (name.parse::<reqwest::header::HeaderName>(), text(value).parse()) {
            headers.insert(name, value);
        }
    }
    headers
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn seconds(value: &Value) -> Duration {
    Duration::from_secs_f64(value.as_f64().unwrap_or_default())
}

fn parsed<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T, Error> {
    serde_json::from_value(value.clone()).map_err(|error| Error::Usage(error.to_string()))
}

/// An error as the suite wants to see it.
fn described(error: &Error) -> Value {
    let text = format!("{error} {error:?}");
    match error {
        Error::Api(api) => json!({
            "family": family(api.kind()), "text": text, "status": api.status.as_u16(), "code": api.code, "message": api.message,
            "requestId": api.request_id, "details": api.details, "required": api.required, "available": api.available,
            "retryAfter": api.retry_after.map(|pause| pause.as_secs()),
        }),
        Error::JobFailed(failed) => json!({
            "family": "job_failed", "text": text, "code": failed.code(), "message": failed.message(),
            "retryable": failed.retryable(), "requestId": failed.request_id, "jobId": failed.job.id,
        }),
        Error::JobCanceled { job, request_id } => {
            json!({"family": "job_canceled", "text": text, "requestId": request_id, "jobId": job.id})
        }
        Error::WaitTimeout { job_id, .. } => json!({"family": "wait_timeout", "text": text, "jobId": job_id}),
        Error::Network { .. } => json!({"family": "network", "text": text}),
        Error::Integrity { job_id } => json!({"family": "integrity", "text": text, "jobId": job_id}),
        Error::Webhook(_) => json!({"family": "webhook", "text": text}),
        Error::Usage(_) | Error::File(_) => json!({"family": "usage", "text": text}),
        Error::Unexpected { .. } | _ => json!({"family": "unexpected", "text": text}),
    }
}

fn family(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidRequest => "invalid_request",
        ErrorKind::Authentication => "authentication",
        ErrorKind::Credits => "credits",
        ErrorKind::Permission => "permission",
        ErrorKind::NotFound => "not_found",
        ErrorKind::Conflict => "conflict",
        ErrorKind::Gone => "gone",
        ErrorKind::Validation => "validation",
        ErrorKind::RateLimit => "rate_limit",
        ErrorKind::Server => "server",
        ErrorKind::Other | _ => "api",
    }
}

fn further_steps(step: &Value) -> impl Iterator<Item = Step> {
    step["then"].as_array().into_iter().flatten().map(|further| {
        let then = Step::new(text(&further["toolSlug"]));
        further.get("options").map_or(then.clone(), |options| then.options(options))
    })
}
