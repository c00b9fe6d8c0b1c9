//! A run that is killed goes on where it stopped, and nothing is paid twice.

use std::process::Stdio;
use std::time::Duration;

use crate::User;
use crate::service::Manners;

const FILES: u64 = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_files_survive_three_kills_and_are_paid_once() {
    // The answer is late, so that a kill meets requests whose answers are on their way.
    let user = User::new(Manners { answer_after: Duration::from_millis(3), ..Manners::default() }).await;
    for number in 0..FILES {
        user.write(&format!("in/{number}.docx"), &format!("document {number}"));
    }
    let words = ["convert", "in", "--to", "pdf", "-o", "out/", "--json"];
    for kill_at in [200, 500, 800] {
        // Nobody reads what it says.
        let mut run = user.docmill(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while user.service.world().charged < kill_at {
            assert!(run.try_wait().unwrap().is_none(), "it ended before {kill_at}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        run.kill().await.unwrap();
    }
    let summary = user.run(&words).await.ends_with(0).summary();
    let count = |name: &str| summary[name].as_u64().unwrap();
    assert!(count("skipped") > 500 && count("completed") + count("skipped") == FILES, "{summary}");
    assert_eq!(user.service.world().charged, FILES, "each document is paid once");
    // Some requests were repeated, with the same keys.
    assert!(user.service.world().creates > FILES);
    for number in 0..FILES {
        assert_eq!(user.read(&format!("out/{number}.pdf")), format!("PDF of document {number}"));
    }
    let left = std::fs::read_dir(user.folder().join("out")).unwrap().count() as u64;
    assert_eq!(left, FILES, "no unfinished download is left");
    let journals = user.home().join(".local/state/docmill/runs");
    assert_eq!(std::fs::read_dir(journals).unwrap().count(), 0, "a finished run needs no journal");
}

#[tokio::test]
async fn a_run_without_credits_goes_on_once_there_are_some() {
    let user = User::new(Manners { credits: 3, ..Manners::default() }).await;
    for number in 0..6 {
        user.write(&format!("{number}.docx"), &format!("document {number}"));
    }
    let words = ["convert", "*.docx", "--to", "pdf", "--json", "--parallel", "1"];
    let ran = user.run(&words).await.ends_with(4);
    assert_eq!((ran.summary()["completed"].as_u64(), ran.summary()["left"].as_u64()), (Some(3), Some(3)));
    assert!(ran.stderr.contains("insufficient_credits") && ran.stderr.contains("req-4711"), "{}", ran.stderr);
    user.service.behave(|manners| manners.credits = 100);
    let summary = user.run(&words).await.ends_with(0).summary();
    assert_eq!((summary["completed"].as_u64(), summary["skipped"].as_u64()), (Some(3), Some(3)));
    assert_eq!(user.service.world().charged, 6);
}

#[tokio::test]
async fn only_failed_documents_are_tried_again() {
    let user = User::new(Manners::default()).await;
    user.write("good.docx", "good");
    user.write("bad.docx", "bad");
    let words = ["convert", "good.docx", "bad.docx", "--to", "pdf", "--json"];
    let ran = user.run(&words).await.ends_with(7);
    let bad = ran.lines().into_iter().find(|line| line["source"] == "bad.docx").unwrap();
    assert_eq!((&bad["status"], &bad["error"]["code"]), (&"failed".into(), &"corrupt_document".into()));
    assert!(!user.folder().join("bad.pdf").exists());
    let creates = user.service.world().creates;
    let summary = user.run(&words).await.ends_with(7).summary();
    assert_eq!((summary["failed"].as_u64(), summary["skipped"].as_u64()), (Some(1), Some(1)));
    assert_eq!(user.service.world().creates, creates + 1, "the failed one gets a new job");
    assert_eq!(user.service.world().charged, 3);
}
