//! `POST /v1/uploads`, and jobs whose source is an upload.

use docmill_aws::files::ObjectKey;
use docmill_config::clock;
use docmill_domain::job::{JobErrorCode, JobStatus};
use docmill_domain::sha256_hex;
use docmill_domain::upload::UploadId;
use functions::{create_job, create_upload};
use reqwest::Client;
use serde_json::{Value, json};
use uuid::{NoContext, Timestamp, Uuid};

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, post};
use crate::support::world::{Account, World};
use crate::worker_pipeline::Bench;

const PAGE: &str = "<p>uploaded";

async fn announce(world: &World, account: &Account, body: &Value) -> Answer {
    Answer::of(create_upload::handle(world.uploads.clone(), post("/", body).key(&account.key).build()).await)
}

/// Uploads `content` to the response's link with its headers, changed by the test.
async fn put(answer: &Answer, content: &str, change: impl Fn(&mut serde_json::Map<String, Value>)) -> u16 {
    let upload = &answer.body["upload"];
    assert_eq!(upload["method"], "PUT");
    let mut headers = upload["headers"].as_object().unwrap().clone();
    change(&mut headers);
    let request = Client::new().put(upload["url"].as_str().unwrap()).body(content.to_owned());
    let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value.as_str().unwrap()));
    request.send().await.unwrap().status().as_u16()
}

/// The id of an uploaded page.
async fn uploaded(world: &World, account: &Account, content: &str) -> String {
    let body = json!({"contentType": "text/html", "bytes": content.len(), "filename": "März.html"});
    let answer = announce(world, account, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(put(&answer, content, |_| {}).await, 200);
    answer.body["upload"]["id"].as_str().unwrap().to_owned()
}

async fn create(world: &World, account: &Account, upload: &str) -> Answer {
    let body = json!({"toolSlug": "html-to-pdf", "uploadId": upload});
    let request = post("/", &body).key(&account.key).header("idempotency-key", "k").build();
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

#[tokio::test]
async fn an_upload_is_a_link_for_a_quarter_of_an_hour_and_an_id_for_an_hour() {
    let world = World::new();
    let account = world.account(1).await;
    let before = clock::now();
    let body = json!({"contentType": "text/html", "bytes": PAGE.len(), "filename": "a b.html", "later": true});
    let answer = announce(&world, &account, &body).await;
    let upload = &answer.body["upload"];
    let id = UploadId::parse(upload["id"].as_str().unwrap()).unwrap();
    assert_eq!(upload["expiresAt"], id.expires_at().to_string());
    assert!(id.expires_at().millis_since(before) / 1000 == 3600);
    let url = upload["url"].as_str().unwrap();
    assert!(url.contains("X-Amz-Expires=900") && url.contains(&format!("/uploads/{}/{id}", account.id)), "{url}");
    assert!(
        url.contains("content-disposition%3Bcontent-length%3Bcontent-type%3Bhost%3Bif-none-match"),
        "signed headers: {url}"
    );
    let disposition = "attachment; filename=\"a b.html\"; filename*=UTF-8''a%20b.html";
    assert_eq!(
        upload["headers"],
        json!({"content-type": "text/html", "content-disposition": disposition, "if-none-match": "*"})
    );
    // The link can upload a document but not read one.
    assert_eq!(put(&answer, PAGE, |_| {}).await, 200);
    assert_eq!(Client::new().get(url).send().await.unwrap().status(), 403);
}

/// Timeline: a document is uploaded, a job is accepted for it, and the link is used again before the job is converted.
#[tokio::test]
async fn a_link_stores_one_document_and_never_replaces_it() {
    let world = World::new();
    let account = world.account(1).await;
    let answer = announce(&world, &account, &json!({"contentType": "text/html", "bytes": PAGE.len()})).await;
    assert_eq!(put(&answer, PAGE, |headers| drop(headers.remove("if-none-match"))).await, 403, "it is signed");
    assert_eq!(put(&answer, PAGE, |_| {}).await, 200);
    let id = answer.body["upload"]["id"].as_str().unwrap();
    assert_eq!(create(&world, &account, id).await.status, 202);

    let other = PAGE.to_uppercase();
    assert_eq!(put(&answer, &other, |_| {}).await, 412);
    assert_eq!(put(&answer, &other, |headers| drop(headers.remove("if-none-match"))).await, 403);
    assert_eq!(put(&answer, &other, |headers| drop(headers.insert("if-none-match".into(), json!("x")))).await, 403);
    let key = ObjectKey::Upload { account: &account.id, upload: UploadId::parse(id).unwrap() }.to_string();
    assert_eq!(world.context.files.get_text(&key).await.unwrap(), PAGE);
}

#[tokio::test]
async fn only_the_announced_document_is_taken() {
    let world = World::new();
    let account = world.account(1).await;
    let body = json!({"contentType": "text/html", "bytes": PAGE.len(), "sha256": sha256_hex(PAGE.as_bytes())});
    let answer = announce(&world, &account, &body).await;
    let id = answer.body["upload"]["id"].as_str().unwrap();
    assert_eq!(put(&answer, "<p>longer than uploaded", |_| {}).await, 403);
    assert_eq!(put(&answer, PAGE, |headers| drop(headers.insert("content-type".into(), json!("a/b")))).await, 403);
    assert_eq!(put(&answer, PAGE, |headers| drop(headers.remove("x-amz-checksum-sha256"))).await, 403);
    assert_eq!(put(&answer, &PAGE.to_uppercase(), |_| {}).await, 400, "same size, other content");
    assert_eq!(create(&world, &account, id).await.refusal(), (422, "validation_failed"), "nothing came of them");
    assert_eq!(put(&answer, PAGE, |_| {}).await, 200);
    assert_eq!(create(&world, &account, id).await.status, 202);
}

#[tokio::test]
async fn invalid_uploads_are_refused_with_every_reason() {
    let world = World::new();
    let account = world.account(1).await;
    let most = world.config.limits.source_bytes;
    let answer = announce(&world, &account, &json!({"contentType": "pdf", "bytes": most + 1, "filename": "a/b"})).await;
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    let paths: Vec<_> = answer.body["error"]["details"].as_array().unwrap().iter().map(|each| &each["path"]).collect();
    assert_eq!(paths, ["/contentType", "/bytes", "/filename"]);
    assert_eq!(announce(&world, &account, &json!({"contentType": "a/b", "bytes": most})).await.status, 200);
    assert_eq!(answer.header("ratelimit-policy"), Some("\"create\";q=60;w=60"));
}

#[tokio::test]
async fn only_complete_and_recent_uploads_of_the_account_can_be_used() {
    let world = World::new();
    let (owner, stranger) = (world.account(1).await, world.account(1).await);
    let own = uploaded(&world, &owner, PAGE).await;

    let announced = announce(&world, &owner, &json!({"contentType": "a/b", "bytes": 1})).await;
    let unsent = announced.body["upload"]["id"].as_str().unwrap();
    let hour_ago = clock::now().as_millis() / 1000 - 3601;
    let old = Uuid::new_v7(Timestamp::from_unix(NoContext, u64::try_from(hour_ago).unwrap(), 0));
    let old = UploadId::parse(&format!("upl_{}", old.simple())).unwrap();
    let key = ObjectKey::Upload { account: &owner.id, upload: old };
    world.context.files.put_text(&key, PAGE.to_owned()).await.unwrap();

    let mut told = Vec::new();
    for (account, id) in [
        (&stranger, own.as_str()),
        (&owner, unsent),
        (&owner, &old.to_string()),
        (&owner, &UploadId::new().to_string()),
        (&owner, "upl_00000000000000000000000000000000"),
    ] {
        let answer = create(&world, account, id).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{id}");
        assert_eq!(answer.body["error"]["details"][0]["path"], "/uploadId");
        told.push(answer.body["error"]["details"].to_string());
    }
    told.dedup();
    assert_eq!(told.len(), 1, "nothing tells another account's upload from none");
    let nested = json!({"toolSlug": "html-to-pdf", "input": {"uploadId": unsent}});
    let nested = post("/", &nested).key(&owner.key).build();
    let answer = Answer::of(create_job::handle(world.service.clone(), nested).await);
    assert_eq!(answer.body["error"]["details"][0]["path"], "/input/uploadId");
    assert_eq!((world.spent(&stranger).await, world.spent(&owner).await), ((0, 0), (0, 0)));

    let answer = create(&world, &owner, &own).await;
    assert_eq!((answer.status, &answer.body["job"]["input"]), (202, &json!({"uploadId": own})));
}

#[tokio::test]
async fn a_repeated_request_has_its_answer_even_when_the_upload_is_gone() {
    let world = World::new();
    let account = world.account(5).await;
    let (id, other) = (uploaded(&world, &account, PAGE).await, uploaded(&world, &account, PAGE).await);
    let first = create(&world, &account, &id).await;
    assert_eq!(create(&world, &account, &other).await.refusal(), (422, "idempotency_key_reused"));

    let key = ObjectKey::Upload { account: &account.id, upload: UploadId::parse(&id).unwrap() };
    world.context.files.delete(&key.to_string()).await.unwrap();
    let again = create(&world, &account, &id).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (202, Some("true")));
    assert_eq!(again.job_id(), first.job_id());
    assert_eq!(world.spent(&account).await, (1, 1));
    // Without the key, or with another request under it, there is no earlier response.
    let bare = post("/", &json!({"toolSlug": "html-to-pdf", "uploadId": id})).key(&account.key).build();
    assert_eq!(Answer::of(create_job::handle(world.service.clone(), bare).await).refusal(), (422, "validation_failed"));
    let changed = json!({"toolSlug": "html-to-pdf", "uploadId": id, "options": {"landscape": true}});
    let changed = post("/", &changed).key(&account.key).header("idempotency-key", "k").build();
    assert_eq!(
        Answer::of(create_job::handle(world.service.clone(), changed).await).refusal(),
        (422, "validation_failed")
    );
}

/// A worker, and a job for it with an upload of `content`.
async fn bench(content: &str) -> (Bench, String) {
    let world = World::new();
    let account = world.account(5).await;
    let id = uploaded(&world, &account, content).await;
    let body = json!({"toolSlug": "html-to-pdf", "uploadId": id});
    (Bench::with_job(world, account, &body, []).await, id)
}

#[tokio::test]
async fn the_worker_reads_an_upload_and_keeps_it_for_further_jobs() {
    let (bench, id) = bench(PAGE).await;
    bench.deliver().await;
    let job = bench.job().await;
    assert_eq!((job.status, job.result.output.unwrap().filename.as_str()), (JobStatus::Completed, "März.pdf"));
    assert_eq!(create(&bench.world, &bench.account, &id).await.status, 202);
}

#[tokio::test]
async fn an_unavailable_bucket_is_our_fault_and_retried() {
    let (bench, _) = bench(PAGE).await;
    bench.watch.inject((0..3).map(|_| Fault::down("GetObject")));
    bench.deliver().await;
    assert_eq!(bench.job().await.status, JobStatus::Queued);
    bench.deliver().await;
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 2));
}

/// S3 answers 403 if a permission is missing: this is not the client's fault, and does not tell whether the upload exists.
#[tokio::test]
async fn a_missing_permission_is_our_fault_and_retried() {
    let (bench, id) = bench(PAGE).await;
    bench.world.watch.inject([Fault::forbidden("HeadObject")]);
    assert_eq!(create(&bench.world, &bench.account, &id).await.refusal(), (503, "unavailable"));

    bench.watch.inject([Fault::forbidden("GetObject")]);
    bench.deliver().await;
    assert_eq!((bench.job().await.status, bench.watch.unmet_faults()), (JobStatus::Queued, 0));
    bench.deliver().await;
    assert_eq!(bench.job().await.status, JobStatus::Completed);
}

/// No role may list the whole bucket, so S3 answers 403 for a missing object too: a list of its key tells the two apart.
#[tokio::test]
async fn a_missing_upload_is_told_from_a_missing_permission() {
    let (bench, id) = bench(PAGE).await;
    let key = ObjectKey::Upload { account: &bench.account.id, upload: UploadId::parse(&id).unwrap() };
    bench.world.context.files.delete(&key.to_string()).await.unwrap();
    // Those of the job's message may be left.
    bench.world.watch.clear();
    bench.world.watch.inject([Fault::forbidden("HeadObject")]);
    let refused = create(&bench.world, &bench.account, &id).await;
    assert_eq!((refused.status, bench.world.watch.unmet_faults()), (422, 0), "{}", refused.body);

    bench.watch.inject([Fault::forbidden("GetObject")]);
    bench.deliver().await;
    assert_eq!(bench.watch.unmet_faults(), 0);
    assert_eq!(bench.job().await.result.error.unwrap().code, JobErrorCode::SourceUnreachable);
}

#[tokio::test]
async fn a_deleted_upload_fails_the_job_and_refunds_it() {
    let (bench, id) = bench(PAGE).await;
    let key = ObjectKey::Upload { account: &bench.account.id, upload: UploadId::parse(&id).unwrap() };
    bench.world.context.files.delete(&key.to_string()).await.unwrap();
    bench.deliver().await;
    let job = bench.job().await;
    assert_eq!((job.status, job.payment.refunded), (JobStatus::Failed, 1));
    assert_eq!(job.result.error.unwrap().code, JobErrorCode::SourceUnreachable);
}

#[tokio::test]
async fn a_page_is_recognised_by_its_content_and_not_by_its_type() {
    let (bench, _) = bench("%PDF-1.7 not HTML").await;
    bench.deliver().await;
    let error = bench.job().await.result.error.unwrap();
    assert_eq!(error.code, JobErrorCode::UnsupportedFormat);
    assert!(error.message.contains("a PDF"), "{}", error.message);
}

#[tokio::test]
async fn a_lowered_limit_applies_to_earlier_uploads() {
    let (mut bench, _) = bench(PAGE).await;
    bench.pipeline.config.limits.source_bytes = PAGE.len() as u64 - 1;
    bench.deliver().await;
    assert_eq!(bench.job().await.result.error.unwrap().code, JobErrorCode::SourceTooLarge);
}
