//! Requests with files: `POST /v1/convert/{tool_slug}` with a form.

use docmill_aws::files::ObjectKey;
use docmill_domain::upload::UploadId;
use functions::{create_job, create_tool_job};
use lambda_http::http::Method;
use serde_json::json;

use crate::clients::root;
use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder};
use crate::support::world::{Account, World};
use crate::support::{deployed_url, pdf};

const BOUNDARY: &str = "----canary-boundary";
const PAGE: &[u8] = b"<p>a canary-page";

/// A field, or a file if it has a filename.
type Field<'a> = (&'a str, Option<&'a str>, &'a [u8]);

fn form(slug: &str, fields: &[Field<'_>]) -> RequestBuilder {
    let mut body = Vec::new();
    for (name, filename, bytes) in fields {
        let filename = filename.map_or_else(String::new, |filename| format!("; filename=\"{filename}\""));
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{filename}\r\n\r\n");
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(format!("--{BOUNDARY}--\r\n").as_bytes());
    let request = RequestBuilder::new(Method::POST, "/v1/convert/any").raw_body(body).parameter("tool_slug", slug);
    request.header("content-type", &format!("multipart/form-data; boundary={BOUNDARY}"))
}

fn page() -> RequestBuilder {
    form("html-to-pdf", &[("file", Some("März.html"), PAGE), ("landscape", None, b"true")])
}

async fn create(world: &World, account: &Account, request: RequestBuilder) -> Answer {
    Answer::of(create_tool_job::handle(world.service.clone(), request.key(&account.key).build()).await)
}

async fn uploads(world: &World, account: &Account) -> Vec<String> {
    world.context.files.list(&format!("uploads/{}/", account.id)).await.unwrap()
}

#[tokio::test]
async fn a_file_becomes_an_upload_and_the_source_of_the_job() {
    let world = World::new();
    let account = world.account(5).await;
    let answer = create(&world, &account, page()).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let job = &answer.body["job"];
    assert_eq!((&job["toolSlug"], &job["options"]), (&json!("html-to-pdf"), &json!({"landscape": true})));
    let upload = UploadId::parse(job["input"]["uploadId"].as_str().unwrap()).unwrap();
    let key = ObjectKey::Upload { account: &account.id, upload }.to_string();
    assert_eq!(uploads(&world, &account).await, std::slice::from_ref(&key));
    let stored = world.context.files.get(&key).await.unwrap().unwrap();
    let disposition = stored.content_disposition.clone().unwrap();
    assert!(disposition.ends_with("filename*=UTF-8''M%C3%A4rz.html"), "{disposition}");
    assert_eq!(stored.bytes(100).await.unwrap(), PAGE);
    assert_eq!(world.spent(&account).await, (1, 1));
    assert!(!answer.body.to_string().contains("canary"));
}

#[tokio::test]
async fn several_files_keep_their_order_and_equal_ones_are_stored_once() {
    let world = World::new();
    let account = world.account(5).await;
    let files =
        [("file", Some("b.pdf"), b"two".as_slice()), ("file", Some("a.pdf"), b"one"), ("file", Some("b.pdf"), b"two")];
    let job = create(&world, &account, form("merge-pdf", &files)).await.body["job"].clone();
    let ids: Vec<_> =
        (0..3).map(|index| job["input"]["sources"][index]["uploadId"].as_str().unwrap().to_owned()).collect();
    assert!(ids[0] == ids[2] && ids[0] != ids[1], "{job}");
    for (id, content) in [(&ids[0], "two"), (&ids[1], "one")] {
        let key = ObjectKey::Upload { account: &account.id, upload: UploadId::parse(id).unwrap() };
        assert_eq!(world.context.files.get_text(&key.to_string()).await.unwrap(), content);
    }
    assert_eq!(uploads(&world, &account).await.len(), 2);
}

/// Timeline: the answer is lost, and the client sends the same file with the same key again.
#[tokio::test]
async fn a_repeated_request_with_a_file_is_one_job_one_charge_and_one_upload() {
    let world = World::new();
    let account = world.account(5).await;
    let request = || page().header("idempotency-key", "k");
    let first = create(&world, &account, request()).await;
    let again = create(&world, &account, request()).await;
    assert_eq!((again.header("idempotency-replayed"), again.job_id()), (Some("true"), first.job_id()));

    let other = form("html-to-pdf", &[("file", Some("März.html"), b"<p>other"), ("landscape", None, b"true")]);
    let other = create(&world, &account, other.header("idempotency-key", "k")).await;
    assert_eq!(other.refusal(), (422, "idempotency_key_reused"));

    let racing = || page().header("idempotency-key", "race");
    let answers = futures_util::future::join_all((0..8).map(|_| create(&world, &account, racing()))).await;
    assert!(answers.iter().all(|answer| answer.status == 202 && answer.job_id() == answers[0].job_id()));
    // Nothing is left of requests that came to nothing.
    assert_eq!(uploads(&world, &account).await.len(), 2);
    assert_eq!(world.spent(&account).await, (2, 2));
}

#[tokio::test]
async fn refused_files_are_not_kept_and_cost_nothing() {
    let world = World::new();
    let account = world.account(0).await;
    assert_eq!(create(&world, &account, page()).await.refusal(), (402, "insufficient_credits"));
    let file = ("file", Some("a.html"), PAGE);
    for (request, status, told) in [
        (form("merge", &[file]), 404, "merge-pdf"),
        (form("html-to-pdf", &[file, ("scale", None, b"9")]), 422, "/options/scale"),
        (form("html-to-pdf", &[file, file]), 422, "html-to-pdf"),
        (form("html-to-pdf", &[("upload", Some("a.html"), PAGE)]), 422, "send files as `file`"),
        (form("html-to-pdf", &[file, ("landscap", None, b"true")]).header("docmill-strict", "true"), 422, "landscape"),
        (form("html-to-pdf", &[("file", Some("a.html"), &vec![b'x'; 4_500_001])]), 413, "POST /v1/uploads"),
        (page().header("content-type", "multipart/form-data"), 422, "boundary"),
        (page().header("content-type", "application/pdf"), 415, "POST /v1/convert/{tool}"),
    ] {
        let answer = create(&world, &account, request).await;
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(told == "html-to-pdf" || answer.body.to_string().contains(told), "{told}: {}", answer.body);
        assert!(!answer.body.to_string().contains("canary"));
    }
    let elsewhere = RequestBuilder::new(Method::POST, "/v1/jobs").raw_body("x");
    let elsewhere = elsewhere.header("content-type", "multipart/form-data; boundary=x").key(&account.key);
    let elsewhere = Answer::of(create_job::handle(world.service.clone(), elsewhere.build()).await);
    assert_eq!(elsewhere.refusal(), (415, "unsupported_media_type"));
    assert!(elsewhere.body["error"]["message"].as_str().unwrap().contains("POST /v1/convert/{tool}"));
    assert_eq!(uploads(&world, &account).await, [""; 0]);
    assert_eq!(world.spent(&account).await, (0, 0));
}

/// Timeline: the bucket does not answer. There is no job, no charge and no file, and the client tries again with the same key.
#[tokio::test]
async fn a_file_that_can_not_be_stored_makes_no_job() {
    let world = World::new();
    let account = world.account(5).await;
    let request = || page().header("idempotency-key", "k");
    world.watch.inject((0..3).map(|_| Fault::down("PutObject")));
    let failed = create(&world, &account, request()).await;
    assert_eq!(failed.refusal(), (503, "unavailable"));
    assert_eq!(world.spent(&account).await, (0, 0));
    assert_eq!(world.watch.unmet_faults(), 0);
    assert_eq!(create(&world, &account, request()).await.status, 202);
    assert_eq!(uploads(&world, &account).await.len(), 1);
}

/// What a new user does first: a file, a key, and a PDF.
#[tokio::test]
async fn a_document_sent_with_curl_comes_back_as_a_pdf() {
    let Some(url) = deployed_url() else { return };
    let key = std::env::var("DOCMILL_LIVE_KEY").unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    // The largest form: the gateway and Lambda carry it.
    let hidden = "x".repeat(4_499_000);
    std::fs::write(folder.path().join("large.html"), format!("<!-- {hidden} --><p>At the end")).unwrap();
    let sample = format!("file=@{}", root().join("samples/small.docx").display());
    for (slug, fields, said) in [
        ("office-to-pdf", [sample.as_str(), "pageRange=1"], "Amet aliqua dolor"),
        ("html-to-pdf", ["file=@large.html", "renderMode=basic"], "At the end"),
    ] {
        let output = tokio::process::Command::new("curl")
            .args(["-sSL", "--fail-with-body", "-o", "made.pdf", &format!("{url}/v1/convert/{slug}")])
            .args([
                "-H",
                &format!("Authorization: Bearer {key}"),
                "-H",
                "Accept: application/pdf",
                "-H",
                "Prefer: wait=25",
            ])
            .args(["-F", fields[0], "-F", fields[1]])
            .current_dir(folder.path())
            .output();
        let output = output.await.unwrap();
        assert!(output.status.success(), "{slug}: {}", String::from_utf8_lossy(&output.stderr));
        let text = pdf::text(&std::fs::read(folder.path().join("made.pdf")).unwrap());
        assert!(text.contains(said), "{slug}: {text}");
    }
}
