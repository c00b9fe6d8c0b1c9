//! `docmill-admin queue redrive`: dead letters of open jobs are sent again once; no others are lost or sent.

use std::path::PathBuf;
use std::time::Duration;

use docmill_domain::job::JobStatus;
use serde_json::{Value, json};

use crate::support::stage::Stage;

/// Built with the tests by `make test`.
pub(crate) fn admin() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().join("docmill-admin")
}

async fn redrive(stage: &Stage, dead_letters: &str) -> Value {
    let config = &stage.auditor.config;
    let mut command = tokio::process::Command::new(admin());
    command.args(["--json", "queue", "redrive", "html"]);
    command.env("JOBS_TABLE", &config.tables.jobs).env("HTML_QUEUE_URL", &config.html_queue_url);
    command.env("HTML_DEAD_LETTERS_URL", dead_letters);
    let output = command.output().await.expect("docmill-admin is built: run the tests with `make test`");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["redrive"].clone()
}

#[tokio::test]
async fn dead_letters_of_open_jobs_come_back_once() {
    let stage = Stage::new().await;
    let account = stage.world.account_on(&stage.plan_with_none, 2).await;
    let ended = stage.create_as(&account, "first").await;
    let of_ended = stage.receive().await.remove(0);
    assert!(stage.deliver(of_ended.clone(), Duration::ZERO).await.is_none());
    assert_eq!(stage.job(ended).await.status, JobStatus::Completed);
    let open = stage.create_as(&account, "second").await;
    let of_open = stage.receive().await.remove(0);
    stage.discard(&of_open).await;

    let letters = [of_open.body.as_str(), of_ended.body.as_str(), r#"{"type":"convert.v9"}"#, &of_open.body];
    let dead_letters = stage.queue_with(&letters).await;
    assert_eq!(redrive(&stage, &dead_letters).await, json!({"sent": 2, "removed": 1, "unreadable": 1}));
    // A second run finds nothing: unreadable messages are kept for inspection.
    assert_eq!(redrive(&stage, &dead_letters).await, json!({"sent": 0, "removed": 0, "unreadable": 0}));
    assert_eq!(stage.depth_of(&dead_letters).await, 1);

    // Two messages, and one conversion.
    for message in stage.receive().await {
        assert!(stage.deliver(message, Duration::ZERO).await.is_none());
    }
    assert_eq!(stage.job(open).await.status, JobStatus::Completed);
    assert_eq!(stage.world.spent(&account).await, (2, 2));
    stage.remove_queue(&dead_letters).await;
    stage.remove().await;
}
