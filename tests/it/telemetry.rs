//! Log lines and metrics: one per request and job, with the data for the runbook and alarms.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use docmill_domain::job::JobErrorCode;
use docmill_http::request::ApiRequest;
use docmill_http::routes::{MCP_ROUTES, PUBLIC_ROUTES, ROUTES};
use docmill_http::serve::{Asked, guarded};
use docmill_telemetry::{field, metric};
use functions::{convert_html_to_pdf, list_tools};
use lambda_http::Body;
use lambda_http::http::{Method, Response};
use serde_json::{Value, json};

use crate::contract::file;
use crate::error_table::Deployed;
use crate::support::aws_watch::Fault;
use crate::support::eventually;
use crate::support::http::{Answer, get, post};
use crate::support::lines::{Lines, metrics};
use crate::support::stub_engine::Act;
use crate::support::world::World;
use crate::worker_pipeline::Bench;

/// Sends a request through everything around a handler, and returns its log line.
async fn line_of(lines: &Lines, request: ApiRequest, handle: impl AsyncFnOnce(ApiRequest) -> Response<Body>) -> Value {
    let id = request.id.to_string();
    let response = guarded(Asked::of(&request), handle(request)).await;
    let mut all = lines.take_saying("request handled");
    assert_eq!(all.len(), 1, "{all:?}");
    let line = all.remove(0);
    assert_eq!((&line["request_id"], &line["status"]), (&json!(id), &json!(response.status().as_u16())));
    assert_counted(&line);
    line
}

/// The line counts its request once by route and once by code.
fn assert_counted(line: &Value) {
    let (route, code) = (text(line, field::ROUTE), text(line, field::CODE));
    let requests: Vec<_> = metrics(line).into_iter().filter(|(name, ..)| name == metric::REQUESTS.name).collect();
    assert_eq!(requests, [("requests".into(), 1, vec![route]), ("requests".into(), 1, vec![code])]);
}

fn text(line: &Value, name: &str) -> String {
    line[name].as_str().unwrap_or_else(|| panic!("{name} in {line}")).to_owned()
}

/// Method and path, and what the line must say: route and code.
fn requests_without_a_key() -> Vec<(Method, String, String, &'static str)> {
    let routes = ROUTES.iter().chain(MCP_ROUTES).chain(PUBLIC_ROUTES).map(|(method, template)| {
        let code = match *template {
            "/openapi.json" | "/openapi-3.0.json" | "/llms.txt" | "/docs" => "ok",
            "/.well-known/docmill-webhooks.json" | "/.well-known/docmill-receipts.json" => "ok",
            "/docs/{page+}" => "route_not_found",
            _ => "missing_api_key",
        };
        let path = template.replace(['{', '+', '}'], "");
        (method.clone(), path, format!("{method} {template}"), code)
    });
    let unknown = [(Method::GET, "/secret-path", "route_not_found"), (Method::PUT, "/v1/jobs", "method_not_allowed")];
    routes.chain(unknown.map(|(method, path, code)| (method, path.to_owned(), "$default".to_owned(), code))).collect()
}

#[tokio::test]
async fn every_deployed_route_has_one_line_with_its_name() {
    let Some(deployed) = Deployed::new() else { return };
    for (method, path, route, code) in requests_without_a_key() {
        let response = deployed.request(method, &path).send().await.unwrap();
        let line = deployed_line(response.headers()["x-request-id"].to_str().unwrap()).await;
        assert_eq!((&line["route"], &line["code"]), (&json!(route), &json!(code)), "{line}");
        assert_eq!(line["status"], response.status().as_u16());
        assert!(line["account"].is_null() && line["duration_us"].is_u64(), "{line}");
        assert!(!line.to_string().contains("secret-path"), "{line}");
        assert_counted(&line);
    }
}

/// The only line that the deployed functions wrote of a request.
async fn deployed_line(id: &str) -> Value {
    let logs = PathBuf::from(std::env::var("STACK_LOGS").unwrap());
    let handled = || -> Vec<Value> {
        let files = logs.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let texts: Vec<_> = files.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
        let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains(id));
        let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["message"] == "request handled" && line["request_id"] == id).collect()
    };
    let mut lines = eventually("the line is there", Duration::from_secs(20), async || {
        Some(handled()).filter(|lines| !lines.is_empty())
    })
    .await;
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

#[tokio::test]
async fn the_line_of_a_created_job_has_account_tool_and_credits() {
    let (world, lines) = (World::new(), Lines::collect());
    let account = world.account(1).await;
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let wanted = || post("/v1/convert/html-to-pdf", &json!({"html": "<p>canary-content"})).key(&account.key);
    let create = async |request| convert_html_to_pdf::handle(world.service.clone(), request).await;

    let created = line_of(&lines, wanted().header("idempotency-key", "canary-key").build(), create).await;
    assert_eq!((&created["code"], &created["account"]), (&json!("ok"), &json!(account.id)));
    assert!(metrics(&created).contains(&("credits_charged".into(), 1, vec![])), "{created}");
    let replayed = line_of(&lines, wanted().header("idempotency-key", "canary-key").build(), create).await;
    assert!(created["job_id"].is_string() && replayed["job_id"].is_null() && replayed["credits_charged"].is_null());

    let refused = line_of(&lines, wanted().build(), create).await;
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
    let response = guarded(Asked::of(&request), list_tools::handle(world.context.clone(), request)).await;
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
    let account = deployed.account().await;
    let response = deployed.get("/v1/tools", &account.key).send().await.unwrap();
    let line = deployed_line(response.headers()["x-request-id"].to_str().unwrap()).await;
    assert_eq!((&line["route"], &line["account"]), (&json!("GET /v1/tools"), &json!(account.id)));
    assert_eq!(line["_aws"]["CloudWatchMetrics"][0]["Namespace"], "Docmill/docmill");
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
