//! What the conformance suite does not see. Costs a second.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod server;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::download::hexadecimal;
use crate::models::{JobErrorCode, JobStatus, UnlockPdfOptions};
use crate::tests::server::{KEY, Server, response};
use crate::{Client, Error, ErrorKind, EventFilter, HeaderMap, Request, Source, TryStreamExt, verify_webhook};

fn completed(link: &str, content: &[u8], sha256: &str) -> Value {
    json!({
        "ok": true, "requestId": "req-1",
        "job": {
            "id": "1", "status": "completed", "version": 3, "toolSlug": "html-to-pdf", "mode": "test", "testMode": true,
            "createdAt": "2026-11-25T03:00:00.000Z", "attempts": 1, "metadata": {}, "credits": {"charged": 0, "refunded": 0},
        },
        "download": {
            "url": link, "expiresAt": "2026-11-25T03:10:00.000Z", "filename": "x.pdf", "contentType": "application/pdf",
            "bytes": content.len(), "sha256": sha256,
        },
    })
}

/// As a program whose `main` returns an error does.
#[test]
fn errors_are_shown_by_their_message_and_its_causes() {
    let refused = std::io::Error::other(Error::Usage("there is no room".to_owned()));
    assert_eq!(format!("{:?}", Error::File(refused)), "a file can't be read or written: there is no room");
    let cause = serde_json::from_str::<Value>("{").unwrap_err();
    let shown = format!("{:?}", Error::Unexpected { request_id: Some("req-1".to_owned()), cause });
    assert!(shown.starts_with("the answer is not what was expected: EOF while parsing"), "{shown}");
    assert!(shown.contains("req-1") && !shown.contains("because"), "{shown}");
}

#[test]
fn nothing_shows_keys_and_secrets() {
    let builder = Client::builder().url("https://api.example.com").key(KEY);
    let source = Source::file("report.docx").password("hunter2").header("authorization", "hunter2");
    let options = UnlockPdfOptions { password: Some("hunter2".into()) };
    let request = Request::new(source.clone()).options(&options);
    let texts = [
        format!("{builder:?}"),
        format!("{:#?}", builder.build().unwrap()),
        format!("{source:?} {request:?} {options:?}"),
    ];
    assert_eq!(texts.iter().find(|text| text.contains("hunter2") || text.contains(KEY)), None);
    assert_eq!(json!(options), json!({"password": "hunter2"}), "it is sent");
}

#[test]
fn names_that_were_added_later_survive() {
    assert_eq!(JobStatus::from("completed"), JobStatus::Completed);
    let new: JobErrorCode = serde_json::from_value(json!("brand_new")).unwrap();
    assert_eq!((new.as_str(), json!(new)), ("brand_new", json!("brand_new")));
    assert!(!JobStatus::from("polishing").has_ended() && JobStatus::Deleted.has_ended());
}

#[test]
fn an_empty_secret_accepts_nothing() {
    for secret in ["", "whsec_", "whsec_?"] {
        let verified = verify_webhook(&secret.into(), &HeaderMap::new(), b"{}");
        assert!(matches!(verified, Err(Error::Usage(_))), "{secret}: {verified:?}");
    }
}

#[tokio::test]
async fn ids_and_paths_cannot_lead_elsewhere() {
    let server = Server::start(|_, _, _| response(404, "", 0, b""));
    let client = server.client();
    for id in ["", ".", ".."] {
        assert!(matches!(client.job(id).await, Err(Error::Usage(_))), "{id}");
    }
    let refused = client.job("../webhooks?x=1").await.unwrap_err();
    assert_eq!(refused.kind(), Some(ErrorKind::NotFound));
    client.request(crate::Method::GET, "//evil.example.com/v1/tools?a=%2F", HeaderMap::new(), None).await.unwrap_err();
    let asked: Vec<String> = server.asked().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    assert_eq!(
        asked,
        ["get /stage/v1/jobs/..%2fwebhooks%3fx=1 http/1.1", "get /stage/evil.example.com/v1/tools?a=%2f http/1.1"]
    );
}

/// A server that does not know ranges sends everything again.
#[tokio::test]
async fn a_result_goes_on_without_ranges() {
    let content = "0123456789".repeat(1000).into_bytes();
    let sha256 = hexadecimal(&Sha256::digest(&content));
    let sent = content.clone();
    let server = Server::start(move |own, number, _| match number {
        1 => server::json(&completed(&format!("{own}/file"), &sent, &sha256)),
        2 => response(200, "", sent.len(), &sent[..3333]),
        _ => response(200, "", sent.len(), &sent),
    });
    let reader = server.client().open("1", None).await.unwrap();
    let parts: Vec<_> = reader.into_stream().try_collect().await.unwrap();
    assert_eq!(parts.concat(), content);
    let asked = server.asked();
    assert!(asked[0].contains("authorization: bearer") && asked[2].contains("range: bytes=3333-"), "{asked:?}");
    assert!(!asked[1..].iter().any(|head| head.contains("authorization")), "the key went to a link");
}

#[tokio::test]
async fn an_unfinished_file_is_not_left_behind() {
    let server = Server::start(|own, number, _| match number {
        1 => server::json(&completed(&format!("{own}/file"), &[0; 1000], "")),
        _ => response(200, "", 1000, b"short"),
    });
    let folder = tempfile::tempdir().unwrap();
    let failed = server.client().save("1", folder.path().join("result.pdf")).await.unwrap_err();
    assert!(matches!(failed, Error::Network { .. }), "{failed}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn errors_of_the_network_do_not_show_links() {
    let server = Server::start(|_, _, _| server::json(&completed("http://127.0.0.1:1/?signature=hunter2", b"x", "")));
    let mut reader = server.client().open("1", None).await.unwrap();
    let failed = reader.chunk().await.unwrap_err();
    assert!(
        matches!(failed, Error::Network { .. }) && !format!("{failed} {failed:?} {reader:?}").contains("hunter2"),
        "{failed:?}"
    );
}

#[tokio::test]
async fn events_follow() {
    let server = Server::start(|_, number, _| {
        let event = json!({
            "id": format!("evt_{number}"), "type": "job.completed", "timestamp": "2026-11-25T03:00:00.000Z",
            "data": {"job": completed("", b"", "")["job"]},
        });
        let events = if number == 2 { json!([]) } else { json!([event]) };
        let cursor = if number == 2 { "evt_1".to_owned() } else { format!("evt_{number}") };
        server::json(&json!({"ok": true, "requestId": "", "events": events, "hasMore": false, "nextCursor": cursor}))
    });
    let filter = EventFilter { follow: true, ..EventFilter::default() };
    let mut events = server.client().events(&filter).unwrap();
    let first = events.try_next().await.unwrap().unwrap();
    let second = events.try_next().await.unwrap().unwrap();
    assert_eq!((first.id.as_str(), second.id.as_str()), ("evt_1", "evt_3"));
    assert_eq!(first.job().unwrap().id, "1");
    let asked = server.asked();
    assert!(asked.iter().all(|head| head.contains("prefer: wait=25")), "{asked:?}");
    let cursors: Vec<bool> = asked.iter().map(|head| head.contains("after=evt_1")).collect();
    assert_eq!(cursors, [false, true, true]);
}

/// A future that is not `Send` could not be spawned.
#[test]
fn calls_can_be_spawned() {
    fn sendable(_: impl Send) {}
    let client = Client::builder().url("https://api.example.com").key(KEY).build().unwrap();
    sendable(client.convert(Request::new(Source::file("report.docx")), "report.pdf"));
    sendable(client.save("1", "report.pdf"));
    sendable(client.jobs(&crate::JobFilter::default()));
}

#[test]
fn files_of_a_folder_stay_there() {
    let found = crate::results::paths_in("pages".as_ref(), ["a.png", r"..\..\b.png", "/etc/c.png", "a.png", ".."]);
    let wanted = ["pages/a.png", "pages/b.png", "pages/c.png", "pages/a-4.png", "pages/result-5"];
    assert_eq!(found, wanted.map(std::path::PathBuf::from));
}
