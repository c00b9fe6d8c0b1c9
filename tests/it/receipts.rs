//! Receipts: from the worker's digests to a signed statement that others check, before and after its documents are gone.

use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_app::jobs::control::ControlService;
use docmill_app::jobs::receipts::Receipts;
use docmill_aws::files::ObjectKey;
use docmill_config::clock;
use docmill_domain::api_key::ApiKey;
use docmill_domain::job::{Job, JobId};
use docmill_domain::sha256_hex;
use docmill_domain::upload::UploadId;
use docmill_signing::receipt::{ReceiptKeys, verify};
use functions::{delete_job, get_job_receipt};
use lambda_http::http::Method;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::receivers::prepared;
use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder, get};
use crate::support::stage::{Actor, Control, Stage};
use crate::support::visitor::Visitor;
use crate::support::world::World;
use crate::worker_pipeline::Bench;

pub(crate) fn keys() -> ReceiptKeys {
    ReceiptKeys::new(&"r".repeat(86), "").unwrap()
}

pub(crate) async fn answer(world: &World, key: &ApiKey, id: &str) -> Answer {
    let receipts = Arc::new(Receipts { context: world.context.clone(), keys: keys() });
    let request = get("/v1/jobs/x/receipt").parameter("job_id", id).key(key).build();
    Answer::of(get_job_receipt::handle(receipts, request).await)
}

/// The receipt of a test's job, whose signature is right.
async fn receipt(bench: &Bench) -> Value {
    let mut answer = answer(&bench.world, &bench.account.key, &bench.id.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let receipt = answer.body["receipt"].take();
    verify(&receipt, &keys().document()).unwrap();
    receipt
}

/// The guide's program, which verifies a receipt.
pub(crate) fn program() -> String {
    let guide = crate::contract::file("functions/api-docs/guides/receipts.md");
    guide.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap().to_owned()
}

/// A job that takes an upload, and one that takes nothing but text.
async fn of_upload(content: &str) -> Bench {
    let world = World::new();
    let account = world.account(5).await;
    let upload = UploadId::new();
    let key = ObjectKey::Upload { account: &account.id, upload };
    world.context.files.put_text(&key, content.into()).await.unwrap();
    let body = json!({"toolSlug": "html-to-pdf", "uploadId": upload.to_string(), "filename": "secret-name.html"});
    Bench::with_job(world, account, &body, []).await
}

#[tokio::test]
async fn a_completed_job_has_the_digests_of_its_upload_and_its_result() {
    let page = "<p>Quarterly figures</p>";
    let bench = of_upload(page).await;
    let early = answer(&bench.world, &bench.account.key, &bench.id.to_string()).await;
    assert_eq!((early.refusal(), &early.body["job"]["status"]), ((409, "job_not_ended"), &json!("queued")));
    bench.deliver().await;
    let job = bench.job().await;
    let stated = receipt(&bench).await["statement"].take();
    let source = json!({"kind": "uploadId", "bytes": page.len(), "sha256": sha256_hex(page.as_bytes())});
    assert_eq!(stated["sources"], json!([source]));
    let result = json!({"bytes": 13, "sha256": sha256_hex(b"%PDF-1.7 stub")});
    assert_eq!(stated["result"]["files"], json!([result]));
    let until = job.times.expires_at.unwrap().to_string();
    assert_eq!(stated["result"]["removal"], json!({"state": "stored", "until": until}));
    assert_eq!(stated["tools"], json!([{"toolSlug": "html-to-pdf", "engine": job.result.engine}]));
    assert_eq!((&stated["credits"]["charged"], &stated["status"]), (&json!(1), &json!("completed")));
    assert!(!stated.to_string().contains("secret-name"), "{stated}");
}

#[tokio::test]
async fn a_text_of_the_request_has_no_digest_and_no_size() {
    let bench = Bench::new([]).await;
    bench.deliver().await;
    let stated = receipt(&bench).await;
    assert_eq!(stated["statement"]["sources"], json!([{"kind": "html"}]));
    let item = json!(bench.job().await.result.traces);
    assert!(!item.to_string().contains(&sha256_hex(b"<p>x")), "nor is it stored: {item}");
}

#[tokio::test]
async fn digests_outlive_the_documents_and_the_deletion_is_stated() {
    let bench = of_upload("<p>x").await;
    bench.deliver().await;
    let before = receipt(&bench).await["statement"].take();
    let control = Arc::new(ControlService::new(bench.world.context.clone()));
    let request = RequestBuilder::new(Method::DELETE, "/").parameter("job_id", &bench.id.to_string());
    delete_job::handle(control, request.key(&bench.account.key).build()).await;
    let job = bench.job().await;
    assert!(job.result.output.as_ref().unwrap().sha256.is_empty() && job.result.output_key.is_none());
    let after = receipt(&bench).await["statement"].take();
    for name in ["sources", "tools", "credits", "createdAt", "finishedAt"] {
        assert_eq!(after[name], before[name], "{name}");
    }
    assert_eq!(after["result"]["files"], before["result"]["files"]);
    let deleted_at = job.deletion.deleted_at.unwrap().to_string();
    assert_eq!(after["result"]["removal"], json!({"state": "removed", "at": deleted_at, "by": "account"}));
    assert_eq!((&after["deletedAt"], &after["status"]), (&json!(deleted_at), &json!("deleted")));
}

#[tokio::test]
async fn the_sweeper_notes_when_it_has_removed_a_result() {
    let stage = Stage::new().await;
    let account = stage.world.account_on(&stage.plan_with_one, 0).await;
    let id = stage.create(&account, "<p>x").await;
    for message in stage.receive().await {
        stage.deliver(message, Duration::ZERO).await;
    }
    let removal = |job: &Job| json!(job.statement(stage.now()).unwrap())["result"]["removal"].clone();
    let until = stage.job(id).await.times.expires_at.unwrap();
    stage.advance(Duration::from_secs(25 * 3600));
    assert_eq!(removal(&stage.job(id).await), json!({"state": "expired", "at": until.to_string()}));
    stage.inject(Actor::Sweeper, Fault::down("DeleteObjects").lasting());
    stage.sweep().await;
    assert_eq!(stage.job(id).await.result.removed_at, None, "the files are still there");
    stage.sweep().await;
    let job = stage.job(id).await;
    let removed_at = job.result.removed_at.unwrap();
    assert!(removed_at > until && removed_at <= stage.now(), "{removed_at}");
    let expected = json!({"state": "removed", "at": removed_at.to_string(), "by": "expiry"});
    assert_eq!(removal(&job), expected);
    // Its owner deletes it later: the files were gone before.
    stage.end(&account, id, Control::Delete).await;
    assert_eq!(removal(&stage.job(id).await), expected);
    stage.remove().await;
}

#[tokio::test]
async fn a_failed_or_foreign_job_has_what_is_known() {
    let bench = Bench::new([]).await;
    let stranger = bench.world.account(1).await;
    let unknown = answer(&bench.world, &bench.account.key, &JobId::new().to_string()).await;
    let foreign = answer(&bench.world, &stranger.key, &bench.id.to_string()).await;
    assert_eq!(foreign.refusal(), (404, "job_not_found"));
    assert_eq!(foreign.body["error"], unknown.body["error"]);
    bench.world.context.jobs.cancel(&bench.job().await, clock::now()).await.unwrap();
    let stated = receipt(&bench).await["statement"].take();
    assert_eq!(stated["credits"], json!({"charged": 1, "refunded": 1}));
    assert_eq!(stated["tools"], json!([{"toolSlug": "html-to-pdf"}]));
    assert!(stated.get("sources").is_none() && stated.get("result").is_none(), "{stated}");
}

#[tokio::test]
async fn the_program_of_the_guide_checks_a_receipt() {
    let bench = of_upload("<p>Größe €</p>").await;
    bench.deliver().await;
    let receipt = receipt(&bench).await;
    let folder = tempfile::tempdir().unwrap();
    let program = program();
    let lines = program.lines().filter(|line| !line.is_empty()).count();
    assert!(lines <= 10, "the guide promises ten, not {lines}");
    let run = async |receipt: &Value| {
        let write = |name: &str, value: &Value| {
            std::fs::write(folder.path().join(name), value.to_string()).unwrap();
        };
        write("receipt.json", receipt);
        write("keys.json", &keys().document());
        let mut python = Command::new(prepared(&["python", "local"]).await);
        python.current_dir(folder.path()).args(["-c", &program, "receipt.json", "keys.json"]);
        python.kill_on_drop(true).output().await.unwrap()
    };
    let good = run(&receipt).await;
    let said = String::from_utf8_lossy(&good.stdout).into_owned();
    assert_eq!(said.trim(), format!("{} completed", bench.id), "{}", String::from_utf8_lossy(&good.stderr));
    let mut forged = receipt;
    forged["statement"]["credits"]["charged"] = json!(0);
    let bad = run(&forged).await;
    assert!(!bad.status.success() && String::from_utf8_lossy(&bad.stderr).contains("InvalidSignature"));
}

#[tokio::test]
async fn the_keys_are_public_and_verify_by_themselves() {
    let bench = Bench::new([]).await;
    bench.deliver().await;
    let receipt = receipt(&bench).await;
    let receipts = Arc::new(Receipts { context: bench.world.context.clone(), keys: keys() });
    let answer = get_job_receipt::handle(receipts, get("/.well-known/docmill-receipts.json").build()).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["cache-control"]),
        (200, &"public, max-age=3600".parse().unwrap())
    );
    let document: Value = serde_json::from_slice(answer.body()).unwrap();
    let public = STANDARD.decode(document["keys"][0]["publicKey"].as_str().unwrap()).unwrap();
    let value = STANDARD.decode(receipt["signature"]["value"].as_str().unwrap()).unwrap();
    let text = docmill_signing::canonical::canonical(&receipt["statement"]).unwrap();
    UnparsedPublicKey::new(&ED25519, public).verify(text.as_bytes(), &value).unwrap();
    assert_eq!(document["keys"][0]["id"], receipt["signature"]["keyId"]);
}

#[tokio::test]
async fn the_page_of_an_ended_job_links_its_receipt() {
    let bench = Bench::new([]).await;
    let visitor = Visitor::of(&bench.world, &bench.account).await;
    let (page, link) = (format!("/app/jobs/{}", bench.id), format!("/app/jobs/{}/receipt.json", bench.id));
    assert!(!visitor.get(&page).await.text.contains(&link));
    bench.deliver().await;
    assert!(visitor.get(&page).await.text.contains(&format!("href=\"/base{link}\"")));
}
