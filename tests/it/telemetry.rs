//! Log lines and metrics: one per request and job, with the data for the runbook and alarms.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use api_docs::book::Book;
use docmill_app::batches::{BatchControl, NewBatches};
use docmill_app::fonts::FontService;
use docmill_app::jobs::control::ControlService;
use docmill_app::jobs::receipts::Receipts;
use docmill_app::jobs::submit::JobService;
use docmill_app::templates::TemplateService;
use docmill_domain::job::JobErrorCode;
use docmill_http::request::ApiRequest;
use docmill_http::routes::{MCP_ROUTES, PUBLIC_ROUTES, ROUTES};
use docmill_http::serve::{Asked, guarded};
use docmill_signing::keys::KeyRing;
use docmill_telemetry::{field, metric};
use docmill_webhooks::{Replays, Rotation, SigningKeys};
use get_webhook_keys::KeysDocument;
use lambda_http::Body;
use lambda_http::http::{Method, Response};
use mcp::McpService;
use serde_json::{Value, json};

use crate::contract::file;
use crate::error_table::Deployed;
use crate::receipts;
use crate::support::aws_watch::Fault;
use crate::support::eventually;
use crate::support::hooks::{Deliveries, sealing, test_service};
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::lines::{Lines, metrics};
use crate::support::stub_engine::Act;
use crate::support::world::World;
use crate::worker_pipeline::Bench;

/// Handles a request like its route's function.
async fn handle(world: &World, request: ApiRequest) -> Response<Body> {
    let (context, service) = (world.context.clone(), world.service.clone());
    let templates = Arc::new(TemplateService::new(world.context.clone()));
    let path: Vec<_> = request.path.split('/').skip(1).collect();
    match (request.method.as_str(), &path[..]) {
        ("GET", ["v1", "tools"]) => list_tools::handle(context, request).await,
        ("GET", ["v1", "tools", _, "schema"]) => get_tool_schema::handle(context, request).await,
        ("POST", ["v1", "tools", _, "jobs"]) => create_tool_job::handle(service, request).await,
        ("POST", ["v1", "jobs"]) => create_job::handle(service, request).await,
        ("GET", ["v1", "jobs"]) => list_jobs::handle(context, request).await,
        ("GET", ["v1", "jobs", _]) => get_job::handle(context, request).await,
        ("DELETE", ["v1", "jobs", _]) => delete_job::handle(Arc::new(ControlService::new(context)), request).await,
        ("POST", ["v1", "jobs", _, "cancel"]) => {
            cancel_job::handle(Arc::new(ControlService::new(context)), request).await
        }
        ("GET", ["v1", "jobs", _, "download"]) => get_job_download::handle(world.context.clone(), request).await,
        ("GET", ["v1", "jobs", _, "receipt"] | [".well-known", "docmill-receipts.json"]) => {
            let receipts = Receipts { context: world.context.clone(), keys: receipts::keys() };
            get_job_receipt::handle(Arc::new(receipts), request).await
        }
        ("POST", ["v1", "convert", "office-to-pdf"]) => convert_office_to_pdf::handle(service, request).await,
        ("POST", ["v1", "convert", "html-to-pdf"]) => convert_html_to_pdf::handle(service, request).await,
        ("POST", ["v1", "convert", _]) => create_tool_job::handle(service, request).await,
        ("POST", ["v1", "uploads"]) => create_upload::handle(world.uploads.clone(), request).await,
        ("POST", ["v1", "fonts"]) => create_font::handle(Arc::new(FontService::new(context)), request).await,
        ("GET", ["v1", "fonts"]) => list_fonts::handle(Arc::new(FontService::new(context)), request).await,
        ("DELETE", ["v1", "fonts", _]) => delete_font::handle(Arc::new(FontService::new(context)), request).await,
        ("POST", ["v1", "templates"]) => create_template::handle(templates, request).await,
        ("GET", ["v1", "templates"]) => list_templates::handle(templates, request).await,
        ("GET", ["v1", "templates", _]) => get_template::handle(templates, request).await,
        ("DELETE", ["v1", "templates", _]) => delete_template::handle(templates, request).await,
        (_, ["v1", "batches", ..]) => handle_batches(world, &path[2..], request.clone()).await,
        ("GET", ["v1", "account", "usage"]) => get_account_usage::handle(context, request).await,
        ("GET", ["v1", "events"]) => list_events::handle(context, request).await,
        ("GET", ["v1", "events", _]) => get_event::handle(context, request).await,
        ("POST", ["v1", "webhooks", "test"]) => test_webhook::handle(test_service(context), request).await,
        (_, ["v1", "webhooks", ..]) => handle_webhooks(world, &path[2..], request.clone()).await,
        ("GET", [".well-known", "docmill-webhooks.json"]) => {
            let keys = SigningKeys::new(&"k".repeat(86), None).unwrap();
            get_webhook_keys::handle(
                Arc::new(KeysDocument::of(&keys, "arn:aws:iam::111122223333:role/docmill")),
                request,
            )
            .await
        }
        ("POST", ["mcp"]) => mcp::handle(Arc::new(McpService::new(context)), request).await,
        ("GET" | "HEAD", ["openapi.json" | "openapi-3.0.json" | "llms.txt" | "docs", ..]) => {
            api_docs::handle(Arc::new(Book::load().unwrap()), request).await
        }
        _ => route_fallback::handle(Arc::new(()), request).await,
    }
}

async fn handle_batches(world: &World, path: &[&str], request: ApiRequest) -> Response<Body> {
    let context = world.context.clone();
    let control = Arc::new(BatchControl::new(context.clone()));
    match (request.method.as_str(), path) {
        ("POST", []) => {
            let jobs = JobService::new(context, Some(sealing()));
            create_batch::handle(Arc::new(NewBatches::new(jobs)), request).await
        }
        ("GET", []) => list_batches::handle(context, request).await,
        ("GET", [_]) => get_batch::handle(context, request).await,
        ("DELETE", [_]) => delete_batch::handle(control, request).await,
        ("GET", [_, "jobs"]) => list_batch_jobs::handle(context, request).await,
        ("GET", [_, "download"]) => get_batch_download::handle(context, request).await,
        ("POST", [_, "cancel"]) => cancel_batch::handle(control, request).await,
        ("POST", [_, "resume"]) => resume_batch::handle(control, request).await,
        _ => route_fallback::handle(Arc::new(()), request).await,
    }
}

async fn handle_webhooks(world: &World, path: &[&str], request: ApiRequest) -> Response<Body> {
    let (context, service) = (world.context.clone(), Deliveries::of(world).service);
    match (request.method.as_str(), path) {
        ("POST", []) => create_webhook::handle(service, request).await,
        ("GET", []) => list_webhooks::handle(context, request).await,
        ("GET", [_]) => get_webhook::handle(context, request).await,
        ("PATCH", [_]) => update_webhook::handle(service, request).await,
        ("DELETE", [_]) => delete_webhook::handle(context, request).await,
        ("POST", [_, "rotate"]) => {
            let sealing = KeyRing::for_secrets(&"s".repeat(86), None).unwrap();
            rotate_webhook_secret::handle(Arc::new(Rotation { context, sealing }), request).await
        }
        ("GET", [_, "deliveries"]) => list_webhook_deliveries::handle(context, request).await,
        ("POST", [_, "replay"]) => {
            replay_webhook::handle(Arc::new(Replays { queue: context.queue(), context }), request).await
        }
        _ => route_fallback::handle(Arc::new(()), request).await,
    }
}

/// Sends a request through everything around a handler, and returns its log line.
async fn line_of(world: &World, lines: &Lines, request: ApiRequest) -> Value {
    let id = request.id.to_string();
    let response = guarded(Asked::of(&request), handle(world, request)).await;
    let mut all = lines.take_saying("request handled");
    assert_eq!(all.len(), 1, "{all:?}");
    let line = all.remove(0);
    assert_eq!((&line["request_id"], &line["status"]), (&json!(id), &json!(response.status().as_u16())));
    let (route, code) = (text(&line, field::ROUTE), text(&line, field::CODE));
    let requests: Vec<_> = metrics(&line).into_iter().filter(|(name, ..)| name == metric::REQUESTS.name).collect();
    assert_eq!(requests, [("requests".into(), 1, vec![route]), ("requests".into(), 1, vec![code])]);
    line
}

fn text(line: &Value, name: &str) -> String {
    line[name].as_str().unwrap_or_else(|| panic!("{name} in {line}")).to_owned()
}

#[tokio::test]
async fn every_route_has_one_line_with_its_name() {
    let (world, lines) = (World::new(), Lines::collect());
    for (method, template) in ROUTES.iter().chain(&MCP_ROUTES).chain(&PUBLIC_ROUTES) {
        let path = template.replace("{file}", "none").replace(['{', '}'], "");
        let line = line_of(&world, &lines, RequestBuilder::new(method.clone(), &path).build()).await;
        assert_eq!(line["route"], format!("{method} {template}"));
        let expected = match *template {
            "/openapi.json" | "/openapi-3.0.json" | "/llms.txt" | "/docs" => "ok",
            "/.well-known/docmill-webhooks.json" | "/.well-known/docmill-receipts.json" => "ok",
            "/docs/{page+}" => "route_not_found",
            _ => "missing_api_key",
        };
        assert_eq!(line["code"], expected, "{line}");
        assert!(line["account"].is_null() && line["duration_us"].is_u64(), "{line}");
    }
    for (method, path, code) in
        [(Method::GET, "/secret-path", "route_not_found"), (Method::PUT, "/v1/jobs", "method_not_allowed")]
    {
        let line = line_of(&world, &lines, RequestBuilder::new(method, path).build()).await;
        assert_eq!((&line["route"], &line["code"]), (&json!("$default"), &json!(code)));
        assert!(!line.to_string().contains("secret-path"), "{line}");
    }
}

#[tokio::test]
async fn the_line_of_a_created_job_has_account_tool_and_credits() {
    let (world, lines) = (World::new(), Lines::collect());
    let account = world.account(1).await;
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let wanted = || post("/v1/convert/html-to-pdf", &json!({"html": "<p>canary-content"})).key(&account.key);

    let created = line_of(&world, &lines, wanted().header("idempotency-key", "canary-key").build()).await;
    assert_eq!((&created["code"], &created["account"]), (&json!("ok"), &json!(account.id)));
    assert!(metrics(&created).contains(&("credits_charged".into(), 1, vec![])), "{created}");
    let replayed = line_of(&world, &lines, wanted().header("idempotency-key", "canary-key").build()).await;
    assert!(created["job_id"].is_string() && replayed["job_id"].is_null() && replayed["credits_charged"].is_null());

    let refused = line_of(&world, &lines, wanted().build()).await;
    assert_eq!((&refused["code"], &refused["account"]), (&json!("insufficient_credits"), &json!(account.id)));
    let key_id = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().key_id;
    for line in [created, replayed, refused] {
        // What the account's own log of requests shows.
        assert_eq!((&line["method"], &line["path"]), (&json!("POST"), &json!("/v1/convert/html-to-pdf")));
        assert_eq!((&line["key"], &line["plan"]), (&json!(key_id), &json!(account.plan)));
        for secret in ["canary", account.key.reveal()] {
            assert!(!line.to_string().contains(secret), "{line}");
        }
    }
}

#[tokio::test]
async fn the_line_of_a_fault_has_the_cause_that_the_answer_omits() {
    let (world, lines) = (World::new(), Lines::collect());
    let account = world.account(1).await;
    world.watch.inject((0..3).map(|_| Fault::down("UpdateItem")));
    let request = get("/v1/tools").key(&account.key).build();
    let response = guarded(Asked::of(&request), handle(&world, request)).await;
    let line = lines.take_saying("request handled").remove(0);
    assert_eq!((&line["level"], &line["code"], &line["status"]), (&json!("ERROR"), &json!("unavailable"), &json!(503)));
    assert!(!text(&line, field::CAUSE).is_empty());
    assert!(!Answer::of(response).body.to_string().contains(&text(&line, field::CAUSE)));
}

/// What the worker's alarm counts beside Lambda's errors, and what takes a bad version of it back.
#[tokio::test]
async fn an_attempt_that_fails_through_the_service_is_counted() {
    let lines = Lines::collect();
    let bench = Bench::new([Act::Fail(JobErrorCode::Internal)]).await;
    bench.deliver().await;
    let line = lines.take_saying("an attempt failed").remove(0);
    assert_eq!((&line["job_id"], &line["attempt"]), (&json!(bench.job().await.id.to_string()), &json!(1)));
    assert!(metrics(&line).contains(&("failed_attempts".into(), 1, vec!["html-worker".into()])), "{line}");
    assert!(lines.take_saying("job ended").is_empty());
    bench.deliver().await;
    let line = lines.take_saying("job ended").remove(0);
    assert!(metrics(&line).contains(&("completions".into(), 1, vec![text(&line, field::ACCOUNT_GROUP)])), "{line}");
}

#[tokio::test]
async fn a_deployed_function_writes_one_line_for_a_request_in_the_stacks_own_namespace() {
    let Some(deployed) = Deployed::new() else { return };
    let logs = PathBuf::from(std::env::var("STACK_LOGS").unwrap());
    let account = deployed.account().await;
    let response = deployed.get("/v1/tools", &account.key).send().await.unwrap();
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let handled = || -> Vec<Value> {
        let text = std::fs::read_to_string(logs.join("ListTools.log")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["message"] == "request handled" && line["request_id"] == id).collect()
    };
    let lines = eventually("the line is there", Duration::from_secs(20), async || {
        Some(handled()).filter(|lines| !lines.is_empty())
    })
    .await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["route"], &lines[0]["account"]), (&json!("GET /v1/tools"), &json!(account.id)));
    assert_eq!(lines[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"], "Docmill/docmill");
}

fn sources() -> Vec<PathBuf> {
    fn below(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for directory in ["functions", "shared", "infra/admin"] {
        below(&root.join(directory), &mut found);
    }
    found
}

/// The field names in calls of `tracing`'s macros: names before `=`, and shorthands.
fn logged_fields(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for level in ["error", "warn", "info", "debug", "trace", "info_span"] {
        for call in source.split(&format!("tracing::{level}!(")).skip(1) {
            // Fields come before the message.
            let fields = call.split('"').next().unwrap();
            for field in fields.split(',').map(|field| field.split_once('=').map_or(field, |(name, _)| name)) {
                let name = field.trim().trim_start_matches(['%', '?']);
                // Not a constant, a target, or an argument of a value.
                if !name.is_empty() && !name.contains(['{', ':', '(', ')', '\n']) {
                    names.insert(name.to_owned());
                }
            }
        }
    }
    names
}

#[test]
fn every_logged_field_is_a_declared_one() {
    let example = "tracing::warn!(job_id = %job.id, ?stop, \"a, b = c\");";
    assert_eq!(logged_fields(example), BTreeSet::from(["job_id".to_owned(), "stop".to_owned()]));

    let declared: BTreeSet<_> = field::ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut logged = BTreeSet::new();
    for path in sources() {
        for name in logged_fields(&std::fs::read_to_string(&path).unwrap()) {
            assert!(declared.contains(&name), "{}: `{name}` is not in telemetry/field.rs", path.display());
            logged.insert(name);
        }
    }
    assert!(logged.len() > 5, "{logged:?}");
}

#[test]
fn the_operators_tables_list_exactly_the_metrics_and_fields_of_the_code() {
    let tables = file("infra/OPERATIONS.md");
    let rows: Vec<Vec<_>> = tables
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"))
        .map(|row| row.split('|').map(|cell| cell.trim().trim_end_matches('`').to_owned()).collect())
        .collect();
    let metrics: BTreeSet<_> = rows.iter().filter(|row| row.len() == 5).map(|row| row[..3].to_vec()).collect();
    let dimensions = |sets: &[&[&str]]| match sets {
        [[]] => "none".to_owned(),
        sets => sets.iter().map(|names| names.join(", ")).collect::<Vec<_>>().join("; "),
    };
    let expected = metric::ALL
        .iter()
        .map(|metric| vec![metric.name.to_owned(), dimensions(metric.dimensions), metric.unit.as_str().to_owned()]);
    assert_eq!(metrics, expected.collect());

    let names: BTreeSet<_> =
        field::ALL.iter().map(|(name, meaning)| vec![(*name).to_owned(), (*meaning).to_owned()]).collect();
    let listed: BTreeSet<_> = rows.into_iter().filter(|row| row.len() == 2).collect();
    assert!(names.is_subset(&listed), "{:?}", names.difference(&listed));
}
