//! The tools over an API that only records. `tests/it/mcp_tools.rs` has them over the real one.

use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::tool::OutputFormat;
use rmcp::ServerHandler;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};

use crate::api::{Answer, Api, Request, Unreachable};
use crate::files::LocalFiles;
use crate::reading::body_of_piece;
use crate::resources;
use crate::{Server, ToolName};

/// Gives the same answer each time.
struct Recorder {
    answer: (u16, Value),
    /// What a result has.
    result: String,
    requests: Mutex<Vec<(String, Value)>>,
}

impl Recorder {
    fn answering(status: u16, body: Value) -> Arc<Self> {
        Self::with_result(status, body, String::new())
    }

    fn with_result(status: u16, body: Value, result: String) -> Arc<Self> {
        Arc::new(Self { answer: (status, body), result, requests: Mutex::default() })
    }

    fn requests(&self) -> Vec<(String, Value)> {
        self.requests.lock().unwrap().clone()
    }
}

impl Api for Recorder {
    async fn send(&self, request: Request) -> Result<Answer, Unreachable> {
        let body = request.body().cloned().map_or(Value::Null, Value::Object);
        self.requests.lock().unwrap().push((format!("{request:?}"), body));
        if let Request::ReadResult { from, most, .. } = request {
            let (from_byte, most) = (usize::try_from(from).unwrap(), usize::try_from(most).unwrap());
            let bytes = self.result.as_bytes();
            let piece = &bytes[from_byte..bytes.len().min(from_byte + most)];
            let body = body_of_piece(piece, from, bytes.len() as u64);
            return Ok(Answer { status: 200, body, retry_after_seconds: None });
        }
        let (status, body) = self.answer.clone();
        Ok(Answer { status, body, retry_after_seconds: Some(3) })
    }
}

#[derive(Debug, Default)]
struct Disk(Mutex<Vec<String>>);

#[async_trait]
impl LocalFiles for Disk {
    async fn upload(&self, path: &Path) -> Result<String, String> {
        self.0.lock().unwrap().push(format!("read {}", path.display()));
        if path.ends_with("gone.docx") { Err("There is no such file.".into()) } else { Ok("upl_1".into()) }
    }

    async fn save(&self, file: &Value, path: &Path) -> Result<(), String> {
        self.0.lock().unwrap().push(format!("write {} from {}", path.display(), file["url"].as_str().unwrap()));
        Ok(())
    }
}

/// A job whose result is Markdown.
fn extracted(text: &str) -> Arc<Recorder> {
    let file = json!({"filename": "a.md", "contentType": "text/markdown; charset=utf-8", "bytes": text.len(), "url": "https://s3/a?sig", "expiresAt": "…"});
    let body = json!({"ok": true, "requestId": "r-1", "job": {"id": "j", "status": "completed", "toolSlug": "t"}, "download": file, "downloads": [file]});
    Recorder::with_result(200, body, text.to_owned())
}

fn completed() -> Value {
    let file = json!({"filename": "a.pdf", "contentType": "application/pdf", "bytes": 3, "url": "https://s3/a?sig", "expiresAt": "…"});
    json!({"ok": true, "requestId": "r-1", "job": {"id": "j", "status": "completed", "toolSlug": "t", "input": {"html": "x"}},
        "download": file, "downloads": [file]})
}

async fn call<A: Api>(server: &Server<A>, tool: &str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("{arguments}") };
    server.call(ToolName::parse(tool).unwrap(), Some(arguments)).await.result
}

/// What a result says first.
fn told(result: &CallToolResult) -> Value {
    assert!(result.structured_content.is_none(), "everything is there once");
    serde_json::from_str(text(result)).unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[test]
fn every_tool_has_valid_schemas() {
    let api = Recorder::answering(200, Value::Null);
    let (remote, local) = (Server::new(api.clone()), Server::with_files(api, Arc::new(Disk::default())));
    for tool in ToolName::ALL {
        for server in [&remote, &local] {
            let Some(tool) = server.get_tool(tool.as_str()) else { continue };
            jsonschema::meta::validate(&Value::Object((*tool.input_schema).clone())).unwrap();
            assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
        }
    }
    // Four characters are about a token.
    for server in [&remote, &local] {
        let tools: Vec<_> = ToolName::ALL.into_iter().filter_map(|tool| server.get_tool(tool.as_str())).collect();
        let characters = serde_json::to_string(&tools).unwrap().len();
        assert!(characters <= 4 * 2000, "{characters} characters describe the tools");
    }
    let has_path = |server: &Server<Recorder>| {
        let tool = server.get_tool("run_tool").unwrap();
        tool.input_schema["properties"]["input"]["properties"].get("path").is_some()
    };
    assert_eq!((has_path(&remote), has_path(&local)), (false, true));
    assert_eq!((remote.get_tool("create_upload").is_some(), local.get_tool("create_upload").is_some()), (true, false));
}

#[tokio::test]
async fn arguments_become_the_apis_request() {
    let api = Recorder::answering(200, completed());
    let server = Server::new(api.clone());
    let arguments = json!({
        "tool": "merge-pdf", "input": {"sources": [{"html": "a"}, {"jobId": "b"}]}, "options": {"bookmarks": "none"},
        "then": [{"toolSlug": "compress-pdf"}], "waitSeconds": 7,
    });
    let result = call(&server, "run_tool", arguments).await;
    assert_eq!(result.is_error, Some(false));
    let expected = json!({
        "toolSlug": "merge-pdf", "input": {"sources": [{"html": "a"}, {"jobId": "b"}]}, "options": {"bookmarks": "none"},
        "then": [{"toolSlug": "compress-pdf"}],
    });
    assert_eq!(api.requests(), [("POST /v1/jobs?wait=7".to_owned(), expected)]);
    let content = told(&result);
    assert_eq!(content["job"], json!({"id": "j", "status": "completed", "toolSlug": "t"}), "not what the caller sent");
    assert_eq!(result.content[1].as_resource_link().unwrap().uri, "https://s3/a?sig");
}

#[tokio::test]
async fn a_wrong_argument_sends_nothing() {
    let api = Recorder::answering(200, completed());
    let server = Server::new(api.clone());
    for (tool, arguments) in [
        ("get_job", json!({"jobId": "../account/usage"})),
        ("cancel_job", json!({"jobId": "x/cancel?y"})),
        ("describe_tool", json!({"tool": ""})),
        ("get_job", json!({"jobId": "j", "unknown": 1})),
        ("run_tool", json!({"tool": "t", "input": {}, "saveTo": "/tmp/x"})),
    ] {
        let result = call(&server, tool, arguments.clone()).await;
        assert_eq!(result.is_error, Some(true), "{arguments}");
    }
    assert_eq!(api.requests(), []);
}

#[tokio::test]
async fn errors_tell_code_details_and_request() {
    let error = json!({"code": "validation_failed", "message": "See `details`.", "status": 422,
        "details": [{"path": "/options/dpi", "message": "must be at most 600"}]});
    let api = Recorder::answering(422, json!({"ok": false, "requestId": "r-1", "error": error}));
    let result = call(&Server::new(api), "run_tool", json!({"tool": "t", "input": {}})).await;
    let told: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!(told, json!({"error": error, "requestId": "r-1", "retryAfterSeconds": 3}));
    let failed = json!({"ok": true, "requestId": "r-2", "job": {"id": "j", "status": "failed", "toolSlug": "t",
        "error": {"code": "wrong_password", "message": "No.", "retryable": false}}});
    let result = call(&Server::new(Recorder::answering(200, failed)), "get_job", json!({"jobId": "j"})).await;
    let told: Value = serde_json::from_str(text(&result)).unwrap();
    assert_eq!((result.is_error, &told["error"]["code"]), (Some(true), &json!("wrong_password")));
    assert_eq!((&told["job"]["id"], &told["requestId"]), (&json!("j"), &json!("r-2")));
}

#[tokio::test]
async fn files_of_the_machine_are_uploaded_and_results_saved() {
    let (api, disk) = (Recorder::answering(200, completed()), Arc::new(Disk::default()));
    let server = Server::with_files(api.clone(), disk.clone());
    let folder = std::env::temp_dir();
    let sources = json!([{"path": "/docs/a.docx"}, {"path": "/docs/b", "filename": "b.csv"}, {"jobId": "c"}]);
    let arguments = json!({"tool": "merge-pdf", "input": {"sources": sources}, "saveTo": folder, "waitSeconds": 0});
    let result = call(&server, "run_tool", arguments).await;
    let uploaded = json!([
        {"uploadId": "upl_1", "filename": "a.docx"}, {"filename": "b.csv", "uploadId": "upl_1"}, {"jobId": "c"},
    ]);
    assert_eq!(api.requests()[0].1["input"]["sources"], uploaded);
    let target = folder.join("a.pdf").display().to_string();
    let seen = disk.0.lock().unwrap().clone();
    assert_eq!(seen, ["read /docs/a.docx", "read /docs/b", &format!("write {target} from https://s3/a?sig")]);
    assert_eq!(told(&result)["files"][0]["savedTo"], target);
    assert_eq!(result.content.len(), 1, "what was saved needs no link");

    let result = call(&server, "run_tool", json!({"tool": "t", "input": {"path": "gone.docx"}})).await;
    assert_eq!((result.is_error, text(&result)), (Some(true), "There is no such file."));
    assert_eq!(api.requests().len(), 1, "nothing was created");
}

#[tokio::test]
async fn a_short_text_is_in_the_answer() {
    let server = Server::new(extracted("# Invoice\n\nTotal: 12 €\n"));
    for (tool, arguments) in [("run_tool", json!({"tool": "t", "input": {}})), ("get_job", json!({"jobId": "j"}))] {
        let result = call(&server, tool, arguments).await;
        assert_eq!(result.content[1].as_text().unwrap().text, "# Invoice\n\nTotal: 12 €\n");
        assert_eq!(result.content.len(), 2, "the text needs no link");
        assert_eq!(told(&result)["files"][0]["filename"], "a.md");
    }
}

#[tokio::test]
async fn a_long_text_is_read_piece_by_piece_and_searched() {
    let lines: Vec<_> = (0..9000).map(|number| format!("line {number} €")).collect();
    let whole = lines.join("\n");
    let server = Server::new(extracted(&whole));
    let first = call(&server, "run_tool", json!({"tool": "t", "input": {}})).await;
    assert!(told(&first)["next"].as_str().unwrap().contains("read_result with offset"), "{}", text(&first));
    assert!(first.content.last().unwrap().as_resource_link().is_some(), "a beginning has a link to the whole");
    let (mut read, mut offset) = (String::new(), 0);
    loop {
        let piece = call(&server, "read_result", json!({"jobId": "j", "offset": offset})).await;
        read.push_str(&piece.content[1].as_text().unwrap().text);
        match told(&piece)["next"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(read, whole);
    let found = told(&call(&server, "read_result", json!({"jobId": "j", "search": "LINE 8765 "})).await);
    let expected = json!([{"offset": whole.find("line 8765").unwrap(), "line": "line 8765 €"}]);
    assert_eq!(found["found"], expected);
}

#[tokio::test]
async fn a_tool_is_described_in_few_words() {
    for tool in Catalogue::load().unwrap().tools() {
        let definition = &tool.definition;
        let parameters: &Value = &definition.parameters;
        let answer = json!({"ok": true, "requestId": "r-1", "tool": {
            "slug": definition.slug, "parameters": parameters, "outputFormat": OutputFormat::from(definition.output_format),
            "metadata": {"sourceFormats": definition.sources.formats, "mostSources": 20},
        }});
        let server = Server::new(Recorder::answering(200, answer));
        let result = call(&server, "describe_tool", json!({"tool": definition.slug})).await;
        let described = text(&result);
        assert!(described.chars().count() <= 4 * 1500, "{}: {}", definition.slug, described.chars().count());
        let told = told(&result);
        let options = parameters["properties"]["options"]["properties"].as_object().unwrap();
        for name in options.keys() {
            assert!(told["options"].as_str().unwrap().contains(&format!("{name}: ")), "{name} of {}", definition.slug);
            let one = call(&server, "describe_tool", json!({"tool": definition.slug, "option": name})).await;
            assert_eq!(one.is_error, Some(false), "{name}");
        }
    }
    let parameters = json!({"properties": {"input": {"properties": {"uploadId": {}}}, "options": {"required": ["dpi"], "properties": {
        "dpi": {"type": "integer", "minimum": 36, "maximum": 600, "default": 150, "description": "Dots per inch. More is larger."},
        "format": {"enum": ["png", "jpeg"]},
        "stamps": {"type": "array", "items": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "n": {"type": "integer"}}}},
    }}}});
    let answer = json!({"tool": {"slug": "t", "parameters": parameters}});
    let told = told(&call(&Server::new(Recorder::answering(200, answer)), "describe_tool", json!({"tool": "t"})).await);
    let expected = "dpi: 36..600 = 150. Dots per inch. More is larger.\nformat: \"png\"|\"jpeg\"\nstamps: [{text: text, n?: number}]";
    assert_eq!((told["options"].as_str().unwrap(), &told["requiredOptions"]), (expected, &json!(["dpi"])));
}

#[tokio::test]
async fn resources_are_tools_and_short_text_results() {
    let tools = json!({"ok": true, "tools": [{"slug": "merge-pdf", "name": "Merge PDF", "description": "Merges."}]});
    let list = resources::list(&*Recorder::answering(200, tools), 1).await.unwrap();
    let shown: Vec<_> = list.resources.iter().map(|each| (each.uri.as_str(), each.title.as_deref())).collect();
    assert_eq!(shown, [("docmill://tools/merge-pdf", Some("Merge PDF"))]);

    let api = Recorder::with_result(200, Value::Null, "# Héllo".to_owned());
    let read = resources::read(&*api, "docmill://jobs/01a/files/0").await.unwrap();
    assert_eq!(serde_json::to_value(&read.contents).unwrap()[0]["text"], "# Héllo");
    let long = Recorder::with_result(200, Value::Null, "a".repeat(1_000_001));
    let error = resources::read(&*long, "docmill://jobs/01a/files/0").await.unwrap_err();
    assert!(error.message.contains("1000001 bytes") && error.message.contains("read_result"), "{}", error.message);
    let error = resources::read(&*long, "docmill://jobs/01a/files/../0").await.unwrap_err();
    assert!(error.message.contains("docmill://tools/TOOL"), "{}", error.message);

    let missing = json!({"ok": false, "requestId": "r-1", "error": {"code": "tool_not_found", "message": "There is no such tool."}});
    let error = resources::read(&*Recorder::answering(404, missing), "docmill://tools/x").await.unwrap_err();
    assert_eq!((error.message.as_ref(), &error.data.unwrap()["requestId"]), ("There is no such tool.", &json!("r-1")));
}
