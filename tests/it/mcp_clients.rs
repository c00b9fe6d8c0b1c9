//! The official client of the Model Context Protocol (Python) against the deployed stack, by the current revision and by an earlier
//! one, which begins with a handshake.
//!
//! Costs about ten seconds, and the installation of the client once.

use std::path::Path;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::clients::root;
use crate::receivers::prepared;
use crate::support::{deployed_url, pdf};

fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set with DOCMILL_URL"))
}

/// What a program of `tests/mcp` prints.
async fn seen(program: &str, arguments: &[&str]) -> Option<Value> {
    let mut client = Command::new(prepared(&["python", "mcp"]).await);
    client.arg(root().join("tests/mcp").join(program)).args(arguments).env("DOCMILL_URL", deployed_url()?);
    let output = client.env("DOCMILL_KEY", setting("DOCMILL_LIVE_KEY")).kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// What the client saw, and the text of the PDF that it got.
async fn journey(mode: &str) -> Option<(Value, String)> {
    deployed_url()?;
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (format!("{}/small.docx", setting("SAMPLES_URL")), folder.path().join("small.pdf"));
    let seen = seen("journey.py", &[mode, &source, target.to_str().unwrap()]).await?;
    Some((seen, pdf::text(&std::fs::read(&target).unwrap())))
}

fn check(seen: &Value, text: &str) {
    assert_eq!(seen["server"], "docmill");
    let tools = ["list_tools", "describe_tool", "run_tool", "get_job", "read_result", "cancel_job", "create_upload"];
    assert_eq!(seen["tools"], json!(tools));
    let documents = seen["document tools"].as_array().unwrap();
    assert!(documents.contains(&json!("office-to-pdf")) && documents.contains(&json!("redact-pdf")), "{documents:?}");
    assert_eq!(seen["described"], "office-to-pdf");

    assert_eq!(seen["converted"]["ended"], "completed", "{seen}");
    assert!(text.contains("Amet aliqua dolor"), "{text}");
    assert!(seen["uploaded"].as_str().unwrap().contains("From an upload"), "{seen}");

    let others = &seen["without calls"];
    let resources = others["resources"].as_array().unwrap();
    assert!(resources.contains(&json!("docmill://tools/redact-pdf")), "{resources:?}");
    assert_eq!(others["templates"], json!(["docmill://tools/{tool}", "docmill://jobs/{jobId}/files/{file}"]));
    assert_eq!(others["tool"], "merge-pdf");
    assert_eq!(others["result"], seen["uploaded"], "the same text as in the answer");
    assert!(others["missing"].as_str().unwrap().contains("job"), "{others}");
    assert_eq!(others["prompts"][0], "read-document");
    assert!(others["prompt"].as_str().unwrap().contains("https://files.example/a.pdf with run_tool"), "{others}");

    let refused = &seen["refused"];
    let code = |name: &str| refused[name]["error"]["code"].clone();
    assert_eq!(code("failed job"), "source_unreachable");
    assert_eq!(refused["failed job"]["job"]["credits"], json!({"charged": 1, "refunded": 1}));
    assert_eq!(code("unknown document tool"), "tool_not_found");
    assert_eq!(code("wrong option"), "validation_failed");
    assert_eq!(refused["wrong option"]["error"]["details"][0]["path"], "/options/pageSize");
    for name in ["failed job", "unknown document tool", "wrong option"] {
        assert!(refused[name]["requestId"].is_string(), "{refused}");
    }
    assert_eq!(refused["canceled"]["status"], "canceled");
    assert_eq!(refused["unknown tool"], -32602);
    let rejected = &seen["wrong key"];
    assert!(rejected["statuses"].as_array().unwrap().iter().all(|status| status == 401), "{rejected}");
    assert!(rejected["raised"][0].as_str().unwrap().starts_with("MCPError"), "{rejected}");
}

#[tokio::test]
async fn the_official_client_converts_a_document_and_long_calls_are_tasks() {
    let Some((seen, text)) = journey("auto").await else { return };
    assert_eq!(seen["protocol"], "2026-07-28");
    check(&seen, &text);
    let expected = json!({"done": ["working", "completed"], "canceled": ["working", "cancelled"]});
    assert_eq!(seen["tasks"], expected);
}

#[tokio::test]
async fn a_client_of_an_earlier_revision_is_served_too() {
    let Some((seen, text)) = journey("legacy").await else { return };
    assert_eq!(seen["protocol"], "2025-11-25");
    check(&seen, &text);
}

/// The guide's program, as a reader pastes it.
#[tokio::test]
async fn the_guides_program_reads_a_document() {
    let Some(url) = deployed_url() else { return };
    let guide = std::fs::read_to_string(root().join("functions/api-docs/guides/assistants.md")).unwrap();
    let program = guide.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let mut python = Command::new(prepared(&["python", "mcp"]).await);
    python.arg("-c").arg(program).env("DOCMILL_URL", url).env("DOCMILL_KEY", setting("DOCMILL_LIVE_KEY"));
    let output = python.kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.starts_with("list_tools\n"), "{printed}");
    assert!(printed.contains("completed # Hello") && printed.contains("left our house"), "{printed}");
}

#[tokio::test]
async fn files_of_the_machine_are_converted_by_the_command_line() {
    let (folder, test) = (tempfile::tempdir().unwrap(), std::env::current_exe().unwrap());
    let docmill = test.parent().and_then(Path::parent).unwrap().join("docmill");
    let source = root().join("samples/small.docx");
    let arguments = [docmill.to_str().unwrap(), source.to_str().unwrap(), folder.path().to_str().unwrap()];
    let Some(seen) = seen("local.py", &arguments).await else { return };
    assert_eq!(
        seen["tools"],
        json!(["list_tools", "describe_tool", "run_tool", "get_job", "read_result", "cancel_job"])
    );
    let saved = folder.path().join("small.pdf");
    assert_eq!(seen["saved"], saved.to_str().unwrap());
    assert!(pdf::text(&std::fs::read(&saved).unwrap()).contains("Amet aliqua dolor"));
    assert!(seen["again"].as_str().unwrap().contains("exists already"), "{seen}");
    assert!(seen["outside"].as_str().unwrap().contains("in no folder that you may use"), "{seen}");
    assert!(seen["missing"].as_str().unwrap().contains("small.docx.missing"), "{seen}");
}
