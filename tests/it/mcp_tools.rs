//! `POST /mcp`: who is admitted, what a message counts as, and what tools answer.

use std::sync::Arc;

use docmill_config::clock;
use docmill_domain::account::Limiter;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::job::JobId;
use docmill_domain::quota::RateLimit;
use docmill_store::jobs::Written;
use functions::mcp;
use functions::mcp::McpService;
use lambda_http::http::HeaderMap;
use serde_json::{Value, json};

use crate::support::aws_watch::Fault;
use crate::support::http::{RequestBuilder, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, UNLIMITED, World};

/// A message of the current revision.
fn message(method: &str, mut params: Value) -> RequestBuilder {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().or(params["taskId"].as_str()).unwrap_or_default().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = post("/mcp", &body).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    let request = if name.is_empty() { request } else { request.header("mcp-name", &name) };
    request.header("accept", "application/json, text/event-stream").header("host", "docmill.example")
}

fn call(tool: &str, arguments: Value) -> RequestBuilder {
    message("tools/call", json!({"name": tool, "arguments": arguments}))
}

/// The same from a client that knows tasks.
fn with_tasks(request: RequestBuilder) -> RequestBuilder {
    let mut body: Value = serde_json::from_slice(&request.clone().build().body).unwrap();
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    request.raw_body(body.to_string())
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.body);
        &self.body["result"]
    }

    /// A tool's success.
    fn content(&self) -> Value {
        assert_eq!(self.result()["isError"], false, "{}", self.body);
        assert!(self.result().get("structuredContent").is_none(), "everything is there once");
        serde_json::from_str(self.result()["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// A tool's error, as the model reads it.
    fn error(&self) -> Value {
        assert_eq!(self.result()["isError"], true, "{}", self.body);
        serde_json::from_str(self.result()["content"][0]["text"].as_str().unwrap()).unwrap()
    }
}

async fn send(world: &World, request: RequestBuilder) -> Answer {
    let service = Arc::new(McpService::new(world.context.clone()));
    let (parts, body) = mcp::handle(service, request.build()).await.into_parts();
    let body = serde_json::from_slice(&body).unwrap_or(Value::String(String::from_utf8_lossy(&body).into_owned()));
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// Runs a tool without a worker that does the job.
async fn run(world: &World, account: &Account, request: RequestBuilder) -> Answer {
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    send(world, request.key(&account.key)).await
}

fn a_page() -> Value {
    json!({"tool": "html-to-pdf", "input": {"html": "<p>x"}, "waitSeconds": 0})
}

#[tokio::test]
async fn only_a_valid_key_is_admitted() {
    let world = World::new();
    let account = world.account(1).await;
    let none = send(&world, message("tools/list", json!({}))).await;
    assert_eq!((none.status, &none.body["error"]["code"]), (401, &json!("missing_api_key")));
    assert_eq!(
        (none.header("www-authenticate"), &none.body["requestId"]),
        ("Bearer", &json!(none.header("x-request-id")))
    );
    let wrong = send(&world, message("tools/list", json!({})).key(&ApiKey::generate(Mode::Live))).await;
    assert_eq!((wrong.status, &wrong.body["error"]["code"]), (401, &json!("invalid_api_key")));
    // A tool that does not exist is nobody's without a key.
    assert_eq!(send(&world, call("no_such_tool", json!({}))).await.status, 401);

    let listed = send(&world, message("tools/list", json!({})).key(&account.key)).await;
    let tools = listed.result()["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 7);
    for tool in tools {
        jsonschema::meta::validate(&tool["inputSchema"]).unwrap();
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

#[tokio::test]
async fn a_message_that_is_none_is_refused() {
    let world = World::new();
    let account = world.account(1).await;
    for (body, status) in [("", 400), ("{", 400), ("[]", 400)] {
        let request = message("tools/list", json!({})).raw_body(body).key(&account.key);
        let answer = send(&world, request).await;
        assert_eq!((answer.status, &answer.body["error"]["code"]), (status, &json!("invalid_json")), "{body}");
    }
    let unknown = send(&world, message("no/such/method", json!({})).key(&account.key)).await;
    assert_eq!((unknown.status, &unknown.body["error"]["code"]), (404, &json!(-32601)), "{}", unknown.body);
    let tool = send(&world, call("no_such_tool", json!({})).key(&account.key)).await;
    assert_eq!(tool.body["error"]["code"], -32602, "{}", tool.body);
    let plain = send(&world, message("tools/list", json!({})).key(&account.key).without_header("accept")).await;
    assert_eq!(plain.status, 406);
}

#[tokio::test]
async fn running_a_tool_counts_as_a_create_and_the_rest_as_reads() {
    let world = World::new();
    let account = world.account(10).await;
    let one = RateLimit { per_minute: 1, burst: 1 };
    let key = world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(one, UNLIMITED)).await;
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let first = send(&world, call("run_tool", a_page()).key(&key)).await;
    assert!(first.header("ratelimit-policy").starts_with("\"create\""), "{:?}", first.headers);
    assert_eq!(first.content()["job"]["status"], "queued");
    let second = send(&world, call("run_tool", a_page()).key(&key)).await;
    assert_eq!((second.status, &second.body["error"]["code"]), (429, &json!("rate_limited")));
    assert!(!second.header("retry-after").is_empty());

    let id = first.content()["job"]["id"].clone();
    for request in [
        message("tools/list", json!({})),
        call("list_tools", json!({})),
        call("get_job", json!({"jobId": id, "waitSeconds": 0})),
    ] {
        let answer = send(&world, request.key(&key)).await;
        assert_eq!((answer.status, answer.header("ratelimit-policy").starts_with("\"read\"")), (200, true));
    }
    assert_eq!(world.spent(&account).await, (1, 1), "in the account's usage");
}

#[tokio::test]
async fn an_unfinished_job_is_a_handle_and_a_finished_one_has_links() {
    let world = World::new();
    let account = world.account(10).await;
    let arguments = json!({"tool": "html-to-pdf", "input": {"html": "<p>x"}, "waitSeconds": 0, "idempotencyKey": "k"});
    let started = run(&world, &account, call("run_tool", arguments.clone())).await;
    let content = started.content();
    assert_eq!((&content["job"]["toolSlug"], &content["files"]), (&json!("html-to-pdf"), &json!([])));
    assert!(content["next"].as_str().unwrap().contains("get_job"), "{content}");
    assert_eq!(content["requestId"], started.header("x-request-id"));
    let again = run(&world, &account, call("run_tool", arguments)).await;
    assert_eq!(again.content()["job"]["id"], content["job"]["id"], "the same key, the same job");

    let id = JobId::parse(content["job"]["id"].as_str().unwrap()).unwrap();
    let job = claim(&world.context.jobs, id).await;
    assert_eq!(world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap(), Written::Yes);
    for seconds in [0, 5] {
        let asked = call("get_job", json!({"jobId": id.to_string(), "waitSeconds": seconds})).key(&account.key);
        let done = send(&world, asked).await;
        assert_eq!(done.content()["job"]["status"], "completed");
        let content = done.content();
        let [file] = content["files"].as_array().unwrap().as_slice() else { panic!("{}", done.body) };
        let [text, link] = done.result()["content"].as_array().unwrap().as_slice() else { panic!("{}", done.body) };
        assert_eq!(link["type"], "resource_link");
        assert_eq!((&file["filename"], &file["contentType"]), (&json!("a.pdf"), &json!("application/pdf")));
        assert_eq!((&link["mimeType"], &link["name"]), (&json!("application/pdf"), &json!("a.pdf")));
        assert!(link["uri"].as_str().unwrap().contains("Signature="), "{link}");
        assert!(!text["text"].as_str().unwrap().contains("Signature="), "a link is there once: {text}");
    }
}

#[tokio::test]
async fn errors_say_what_to_change() {
    let world = World::new();
    let (account, poor) = (world.account(10).await, world.account(0).await);
    for (tool, arguments, code) in [
        ("run_tool", json!({"tool": "no-such-tool", "input": {}}), "tool_not_found"),
        ("run_tool", json!({"tool": "html-to-pdf", "input": {}}), "validation_failed"),
        ("describe_tool", json!({"tool": "no-such-tool"}), "tool_not_found"),
        ("get_job", json!({"jobId": JobId::new().to_string()}), "job_not_found"),
        ("cancel_job", json!({"jobId": "x"}), "job_not_found"),
        ("create_upload", json!({"bytes": 0, "contentType": "text/plain"}), "validation_failed"),
    ] {
        let answer = send(&world, call(tool, arguments).key(&account.key)).await;
        let error = answer.error();
        assert_eq!(error["error"]["code"], code, "{error}");
        assert_eq!(error["requestId"], answer.header("x-request-id"));
    }
    let refused = send(&world, call("run_tool", a_page()).key(&poor.key)).await.error();
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["available"]),
        (&json!("insufficient_credits"), &json!(0))
    );
    for arguments in [
        json!({"tool": "html-to-pdf", "input": {"html": "x"}, "webhook": {"url": "https://example.com"}}),
        json!({"tool": "html-to-pdf", "input": {"html": "x"}, "waitSeconds": 26}),
        json!({"tool": "html-to-pdf"}),
    ] {
        let answer = send(&world, call("run_tool", arguments).key(&account.key)).await;
        let text = answer.result()["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("webhook") || text.contains("waitSeconds") || text.contains("input"), "{text}");
    }
    assert_eq!(world.spent(&account).await, (0, 0));
}

#[tokio::test]
async fn a_job_is_a_task_to_clients_that_know_tasks() {
    let world = World::new();
    let account = world.account(10).await;
    let task = run(&world, &account, with_tasks(call("run_tool", a_page()))).await;
    assert_eq!((&task.result()["resultType"], &task.result()["status"]), (&json!("task"), &json!("working")));
    let id = task.result()["taskId"].as_str().unwrap();
    let about = |method: &str, id: &str| with_tasks(message(method, json!({"taskId": id}))).key(&account.key);
    assert_eq!(send(&world, about("tasks/get", id)).await.result()["status"], "working");

    let job = claim(&world.context.jobs, JobId::parse(id).unwrap()).await;
    world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();
    let done = send(&world, about("tasks/get", id)).await;
    assert_eq!(
        (&done.result()["status"], &done.result()["ttlMs"].is_u64()),
        (&json!("completed"), &true),
        "{}",
        done.body
    );
    assert_eq!(done.result()["result"]["content"][1]["type"], "resource_link");
    // Too late, and no error: canceling is an intention.
    assert!(send(&world, about("tasks/cancel", id)).await.body["error"].is_null());

    let other = run(&world, &account, with_tasks(call("run_tool", a_page()))).await;
    let id = other.result()["taskId"].as_str().unwrap();
    assert!(send(&world, about("tasks/cancel", id)).await.body["error"].is_null());
    assert_eq!(send(&world, about("tasks/get", id)).await.result()["status"], "cancelled");

    let stranger = world.account(1).await;
    let foreign = with_tasks(message("tasks/get", json!({"taskId": id}))).key(&stranger.key);
    let foreign = send(&world, foreign).await;
    let error = &foreign.body["error"];
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32602), &json!("job_not_found")), "{error}");
}

#[tokio::test]
async fn a_message_takes_no_more_calls_than_its_endpoint() {
    let world = World::new();
    let account = world.account(100).await;
    // So slow that the limiter stays in one branch.
    let slow = RateLimit { per_minute: 1, burst: 2_000 };
    let key = world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(slow, slow)).await;
    let service = Arc::new(McpService::new(world.context.clone()));
    let send = async |request: RequestBuilder| {
        let (_, body) = mcp::handle(service.clone(), request.key(&key).build()).await.into_parts();
        serde_json::from_slice::<Value>(&body).unwrap()
    };
    let started = send(call("run_tool", a_page())).await;
    let told: Value = serde_json::from_str(started["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
    let id = told["job"]["id"].clone();
    send(message("tools/list", json!({}))).await;
    world.watch.take_calls();
    for (request, budget) in [
        (message("tools/list", json!({})), vec!["UpdateItem"]),
        (call("list_tools", json!({})), vec!["UpdateItem"]),
        (call("describe_tool", json!({"tool": "html-to-pdf"})), vec!["UpdateItem"]),
        (call("run_tool", a_page()), vec!["UpdateItem", "TransactWriteItems", "SendMessage"]),
        (call("get_job", json!({"jobId": id, "waitSeconds": 0})), vec!["UpdateItem", "GetItem"]),
    ] {
        let answer = send(request).await;
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert_eq!(world.watch.take_calls(), budget, "{answer}");
    }
}
