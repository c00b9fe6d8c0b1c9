//! Canceling and deleting jobs.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::jobs::control::ControlService;
use docmill_aws::files::{KeptFor, ObjectKey, OutputPart};
use docmill_config::clock;
use docmill_domain::job::Completion;
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_http::request::ApiRequest;
use docmill_store::jobs::{Claim, Written};
use functions::{cancel_job, create_job, delete_job, get_job, get_job_download};
use lambda_http::http::Method;
use serde_json::{Value, json};
use worker::pipeline::Handled;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder, post};
use crate::support::jobs::{claim, completion};
use crate::support::stub_engine::{Act, Gate};
use crate::support::world::{Account, World};
use crate::worker_pipeline::Bench;

async fn create(world: &World, account: &Account, html: &str) -> JobId {
    // Without its message, no deployed worker competes for the job.
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let body = json!({"toolSlug": "html-to-pdf", "html": html, "metadata": {"order": "4711"}});
    let request = post("/", &body).key(&account.key).header("idempotency-key", "k").build();
    JobId::parse(&Answer::of(create_job::handle(world.service.clone(), request).await).job_id()).unwrap()
}

fn service(world: &World) -> Arc<ControlService> {
    Arc::new(ControlService::new(world.context.clone()))
}

fn about(method: Method, account: &Account, id: JobId) -> ApiRequest {
    RequestBuilder::new(method, "/").key(&account.key).parameter("job_id", &id.to_string()).build()
}

async fn cancel(world: &World, account: &Account, id: JobId) -> Answer {
    Answer::of(cancel_job::handle(service(world), about(Method::POST, account, id)).await)
}

async fn delete(world: &World, account: &Account, id: JobId) -> Answer {
    Answer::of(delete_job::handle(service(world), about(Method::DELETE, account, id)).await)
}

async fn read(world: &World, account: &Account, id: JobId) -> Answer {
    Answer::of(get_job::handle(world.context.clone(), about(Method::GET, account, id)).await)
}

async fn download(world: &World, account: &Account, id: JobId) -> Answer {
    Answer::of(get_job_download::handle(world.context.clone(), about(Method::GET, account, id)).await)
}

/// Completes the job and stores a result. Returns its key.
async fn complete(world: &World, account: &Account, id: JobId) -> String {
    let job = claim(&world.context.jobs, id).await;
    let key = output_key(account, &job);
    world
        .context
        .files
        .put_text(
            &ObjectKey::Output {
                account: &account.id,
                job: id,
                attempt: 1,
                part: OutputPart::File(0),
                kept_for: KeptFor::Day,
            },
            "%PDF".into(),
        )
        .await
        .unwrap();
    let done = Completion { output_key: key.clone(), ..completion(clock::now()) };
    assert_eq!(world.context.jobs.complete(&job, &done).await.unwrap(), Written::Yes);
    key
}

fn output_key(account: &Account, job: &Job) -> String {
    ObjectKey::Output {
        account: &account.id,
        job: job.id,
        attempt: 1,
        part: OutputPart::File(0),
        kept_for: KeptFor::Day,
    }
    .to_string()
}

async fn event_kinds(world: &World, account: &Account) -> Vec<String> {
    let page = world.context.events.page(&account.id, None, None, 10, clock::now()).await.unwrap();
    page.events.into_iter().map(|event| event.kind).collect()
}

#[tokio::test]
async fn a_canceled_job_costs_nothing_and_says_so() {
    let world = World::new();
    let account = world.account(10).await;
    let id = create(&world, &account, &"<p>x".repeat(8000)).await;
    let input = ObjectKey::Input { account: &account.id, job: id }.to_string();
    assert!(world.context.files.get_text(&input).await.is_ok());

    let canceled = cancel(&world, &account, id).await;
    assert_eq!((canceled.status, &canceled.body["job"]["status"]), (200, &json!("canceled")), "{}", canceled.body);
    assert_eq!(canceled.body["job"]["credits"], json!({"charged": 1, "refunded": 1}));
    assert!(canceled.body["job"]["finishedAt"].is_string());
    assert_eq!(world.spent(&account).await.0, 0);
    assert_eq!(event_kinds(&world, &account).await, ["job.canceled"]);
    assert!(world.context.files.get_text(&input).await.is_err(), "its request is of no more use");

    assert_eq!(download(&world, &account, id).await.refusal(), (409, "job_canceled"));
    let again = cancel(&world, &account, id).await;
    assert_eq!((again.status, &again.body["job"]), (200, &canceled.body["job"]), "repeating it changes nothing");
    assert_eq!(world.spent(&account).await.0, 0);
    let late = world.context.jobs.claim(id, clock::now(), Duration::from_secs(60)).await.unwrap();
    assert!(matches!(late, Claim::NotNeeded), "a message that comes late finds nothing to do: {late:?}");
}

#[tokio::test]
async fn a_job_that_has_ended_cannot_be_canceled() {
    let world = World::new();
    let account = world.account(10).await;
    let id = create(&world, &account, "<p>x").await;
    complete(&world, &account, id).await;
    let answer = cancel(&world, &account, id).await;
    assert_eq!((answer.refusal(), &answer.body["job"]["status"]), ((409, "job_ended"), &json!("completed")));
    assert_eq!(world.spent(&account).await.0, 1);
}

#[tokio::test]
async fn a_cancellation_and_a_completion_at_once_end_a_job_once() {
    let world = World::new();
    let account = world.account(100).await;
    for number in 0..8 {
        world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
        let body = json!({"toolSlug": "html-to-pdf", "html": format!("<p>{number}")});
        let request = post("/", &body).key(&account.key).build();
        let id = JobId::parse(&Answer::of(create_job::handle(world.service.clone(), request).await).job_id()).unwrap();
        let job = claim(&world.context.jobs, id).await;
        let done = completion(clock::now());
        let (canceled, completed) =
            tokio::join!(cancel(&world, &account, id), world.context.jobs.complete(&job, &done));
        let completed = completed.unwrap() == Written::Yes;
        assert_eq!(canceled.status, if completed { 409 } else { 200 }, "{}", canceled.body);
        let status = world.context.jobs.get(id).await.unwrap().unwrap().status;
        assert_eq!(status, if completed { JobStatus::Completed } else { JobStatus::Canceled });
    }
    let spent = world.spent(&account).await.0;
    let kinds = event_kinds(&world, &account).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "job.completed").count() as u64, spent);
    assert_eq!(kinds.len(), 8);
}

#[tokio::test]
async fn another_accounts_job_cannot_be_canceled() {
    let world = World::new();
    let (owner, stranger) = (world.account(10).await, world.account(10).await);
    let id = create(&world, &owner, "<p>x").await;
    for id in [id, JobId::new()] {
        assert_eq!(cancel(&world, &stranger, id).await.refusal(), (404, "job_not_found"));
        assert_eq!(delete(&world, &stranger, id).await.refusal(), (404, "job_not_found"));
    }
    assert_eq!(read(&world, &owner, id).await.body["job"]["status"], "queued");
}

#[tokio::test]
async fn a_deleted_job_only_keeps_what_billing_needs() {
    let world = World::new();
    let account = world.account(10).await;
    let id = create(&world, &account, "<p>x").await;
    let key = complete(&world, &account, id).await;
    assert!(world.context.files.get_text(&key).await.is_ok());
    let before = read(&world, &account, id).await.body["job"].clone();

    let deleted = delete(&world, &account, id).await;
    assert_eq!((deleted.status, &deleted.body), (204, &Value::Null));
    assert!(world.context.files.get_text(&key).await.is_err(), "the bytes are gone");
    let job = read(&world, &account, id).await.body["job"].clone();
    assert_eq!(
        (&job["status"], &job["output"]),
        (&json!("deleted"), &json!({"format": "pdf", "contentType": "application/pdf", "bytes": 1, "pages": 1}))
    );
    for same in ["id", "toolSlug", "mode", "createdAt", "finishedAt", "credits", "attempts"] {
        assert_eq!(job[same], before[same], "{same}");
    }
    let nothing = json!({});
    assert_eq!([&job["input"], &job["options"], &job["metadata"]], [&nothing, &nothing, &nothing]);
    let stored = format!("{:?}", world.context.jobs.get(id).await.unwrap().unwrap());
    assert!(!stored.contains("a.pdf") && !stored.contains("4711"), "{stored}");
    let events = world.context.events.page(&account.id, None, None, 10, clock::now()).await.unwrap();
    let told = format!("{events:?}");
    assert!(!told.contains("a.pdf") && !told.contains("4711"), "{told}");

    let gone = download(&world, &account, id).await;
    assert_eq!(gone.refusal(), (410, "output_expired"));
    let message = gone.body["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("The job was deleted"), "{message}");
    assert_eq!(cancel(&world, &account, id).await.refusal(), (409, "job_ended"));
    assert_eq!(delete(&world, &account, id).await.status, 204, "repeating it changes nothing");
    assert_eq!(create(&world, &account, "<p>x").await, id, "its idempotency record still answers");
}

#[tokio::test]
async fn an_unfinished_job_is_canceled_before_it_is_deleted() {
    let world = World::new();
    let account = world.account(10).await;
    let id = create(&world, &account, &"<p>x".repeat(8000)).await;
    claim(&world.context.jobs, id).await;
    assert_eq!(delete(&world, &account, id).await.status, 204);
    let job = read(&world, &account, id).await.body["job"].clone();
    assert_eq!((&job["status"], &job["credits"]), (&json!("deleted"), &json!({"charged": 1, "refunded": 1})));
    assert_eq!(event_kinds(&world, &account).await, ["job.canceled"]);
    assert_eq!(world.spent(&account).await.0, 0);
}

/// The engine would never end, but the worker drops it and leaves nothing behind.
#[tokio::test]
async fn a_worker_ends_a_conversion_that_is_canceled() {
    let gate = Arc::new(Gate::default());
    let mut bench = Bench::new([Act::Hold(gate.clone(), Box::new(Act::Convert))]).await;
    bench.pipeline.look_every = Duration::from_millis(50);
    let canceled = async {
        gate.reached.notified().await;
        let answer = cancel(&bench.world, &bench.account, bench.id).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    };
    let (handled, _) = tokio::join!(bench.deliver(), canceled);
    assert_eq!(handled, Handled::Acknowledge);
    let job = bench.world.context.jobs.get(bench.id).await.unwrap().unwrap();
    assert_eq!((job.status, job.result.output_key), (JobStatus::Canceled, None));
    assert_eq!(bench.world.spent(&bench.account).await.0, 0);
}
