//! Batches: created from files or lines, awaited, downloaded.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::User;
use crate::service::{Manners, World, made_of};

/// What a file of the archive has.
pub const ARCHIVE: &str = "a ZIP";

/// Answers of the service about its only batch.
pub const ID: &str = "bat_01935f6b8d4a7c3e9b5d2f1a6c7e8d90";

/// The batch with this status. An item whose document begins with `bad` fails.
pub fn view(world: &World, status: &str) -> Value {
    let failed = world.items.iter().filter(|item| is_bad(world, item)).count();
    let completed = if status == "completed" { world.items.len() - failed } else { 0 };
    json!({"batch": {"id": ID, "status": status, "toolSlug": "office-to-pdf",
        "counts": {"total": world.items.len(), "completed": completed, "failed": failed, "canceled": 0}}})
}

fn document(world: &World, item: &Value) -> Bytes {
    world.uploads[item["input"]["uploadId"].as_str().unwrap()].clone()
}

fn is_bad(world: &World, item: &Value) -> bool {
    document(world, item).starts_with(b"bad")
}

/// An archive of two files.
fn archive(url: &str) -> Value {
    let file = |number: usize| {
        let filename = format!("{ID}-{number}.zip");
        json!({"filename": filename, "bytes": ARCHIVE.len(), "results": 1, "url": format!("{url}/archives/{number}")})
    };
    json!({"files": [file(1), file(2)], "leftOut": 1})
}

/// Two results a page.
pub fn results(world: &World, url: &str, first: usize) -> Value {
    let row = |(index, item): (usize, &Value)| {
        if is_bad(world, item) {
            return json!({"index": index, "status": "failed", "errorCode": "corrupt_document", "errorMessage": "Damaged."});
        }
        let content = document(world, item);
        let id = item["input"]["uploadId"].as_str().unwrap();
        json!({"index": index, "status": "completed", "filename": "result.pdf", "bytes": made_of(&content).len(),
            "url": format!("{url}/results/{id}")})
    };
    let rows: Vec<_> = world.items.iter().enumerate().skip(first).take(2).map(row).collect();
    let next = first + rows.len();
    let mut page = json!({"results": rows});
    if world.batch["output"]["archive"] == true {
        page["archive"] = archive(url);
    }
    if next < world.items.len() {
        page["nextCursor"] = json!(next.to_string());
    }
    page
}

#[tokio::test]
async fn files_become_a_batch_whose_results_are_downloaded() {
    let user = User::new(Manners::default()).await;
    for name in ["a", "b", "c"] {
        user.write(&format!("{name}.docx"), name);
    }
    let words = ["batches", "create", "office-to-pdf", "*.docx", "--set", "landscape=true", "--tag", "order=7"];
    let ran = user.run(&[&words[..], &["--then", "watermark --text Draft", "--download", "out"]].concat()).await;
    let ran = ran.ends_with(0);
    assert!(ran.stdout.contains(&format!("{ID} completed")), "{}", ran.stdout);
    assert!(ran.stdout.contains("3 results in out"), "{}", ran.stdout);
    let request = user.service.world().batch.clone();
    assert_eq!((&request["toolSlug"], &request["onError"]), (&json!("office-to-pdf"), &json!("continue")));
    assert_eq!(request["options"], json!({"landscape": true}));
    assert_eq!(request["then"][0]["toolSlug"], "watermark-pdf");
    assert_eq!(request["items"][0]["metadata"], json!({"order": "7"}));
    assert_eq!(request["items"][0].get("options"), None, "said once for all");
    // In the order of the files, each under a name of its own.
    assert_eq!(user.read("out/result.pdf"), "PDF of a");
    assert_eq!(user.read("out/result (1).pdf"), "PDF of b");
    assert_eq!(user.read("out/result (2).pdf"), "PDF of c");
}

#[tokio::test]
async fn failed_items_are_told_and_the_others_kept() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "bad");
    user.write("b.docx", "b");
    let words = ["batches", "create", "office-to-pdf", "a.docx", "b.docx", "--on-error", "stop", "--download", "out"];
    let ran = user.run(&words).await.ends_with(7);
    assert!(ran.stderr.contains("item 0: Damaged. [corrupt_document]"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 of 2 completed, 1 failed"), "{}", ran.stderr);
    assert_eq!(user.read("out/result.pdf"), "PDF of b");
    assert_eq!(user.service.world().batch["onError"], "stop");
}

#[tokio::test]
async fn an_archive_is_downloaded_instead_of_each_result() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "a");
    let ran = user.run(&["batches", "create", "office-to-pdf", "a.docx", "--archive", "--download", "out"]).await;
    let ran = ran.ends_with(0);
    assert_eq!(user.service.world().batch["output"], json!({"archive": true}));
    assert!(ran.stdout.contains("2 results in 2 files in out"), "{}", ran.stdout);
    assert!(ran.stderr.contains("1 results had expired"), "{}", ran.stderr);
    for number in [1, 2] {
        assert_eq!(user.read(&format!("out/{ID}-{number}.zip")), ARCHIVE);
    }
    let ran = user.run(&["batches", "download", ID, "--archive", "-o", "again", "--json"]).await.ends_with(0);
    assert!(ran.stdout.contains("\"type\":\"archive\""), "{}", ran.stdout);
    user.run(&["batches", "create", "office-to-pdf", "a.docx"]).await.ends_with(0);
    let ran = user.run(&["batches", "download", ID, "--archive", "-o", "out"]).await.ends_with(2);
    assert!(ran.stderr.contains("has no archive"), "{}", ran.stderr);
}

#[tokio::test]
async fn lines_and_many_items_are_uploaded() {
    let user = User::new(Manners::default()).await;
    user.write("items.jsonl", "{\"html\": \"<p>1\"}\n");
    let uploaded = |user: &User| {
        let world = user.service.world();
        let id = world.batch["itemsUploadId"].as_str().unwrap().to_owned();
        String::from_utf8(world.uploads[&id].to_vec()).unwrap()
    };
    user.run(&["batches", "create", "html-to-pdf", "--items", "items.jsonl"]).await.ends_with(0);
    assert_eq!(uploaded(&user), "{\"html\": \"<p>1\"}\n");
    let addresses: Vec<_> = (0..1001).map(|page| format!("https://a.example/{page}.docx")).collect();
    let words = ["batches", "create", "office-to-pdf"].into_iter().chain(addresses.iter().map(String::as_str));
    user.run(&words.collect::<Vec<_>>()).await.ends_with(0);
    let lines = uploaded(&user);
    assert_eq!(lines.lines().count(), 1001);
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(last["input"]["sourceUrl"], "https://a.example/1000.docx");
}

#[tokio::test]
async fn batches_are_listed_and_controlled() {
    let user = User::new(Manners::default()).await;
    user.write("a.docx", "a");
    let ran = user.run(&["batches", "create", "office-to-pdf", "a.docx", "--json"]).await.ends_with(0);
    assert_eq!(ran.lines()[0]["batch"]["id"], ID);
    let ran = user.run(&["batches", "list", "--status", "completed"]).await.ends_with(0);
    assert!(ran.stdout.contains(ID) && ran.stdout.contains("1 of 1 completed"), "{}", ran.stdout);
    for (verb, told) in [("cancel", "canceling"), ("resume", "processing"), ("delete", "deleting")] {
        let ran = user.run(&["batches", verb, ID]).await.ends_with(0);
        assert!(ran.stdout.contains(&format!("{ID} {told}")), "{verb}: {}", ran.stdout);
    }
    for (words, expected) in [
        (vec!["batches", "create", "no-tool", "a.docx"], "There is no tool"),
        (vec!["batches", "create", "compare-documents", "a.docx"], "--items"),
        (vec!["batches", "create", "office-to-pdf"], "<FILE>"),
        (vec!["batches", "create", "office-to-pdf", "a.docx", "--set", "landscape=maybe"], "landscape"),
        (vec!["batches", "show", "../jobs"], "is not an id"),
    ] {
        let ran = user.run(&words).await.ends_with(2);
        assert!(ran.stderr.contains(expected), "{words:?}: {}", ran.stderr);
    }
}
