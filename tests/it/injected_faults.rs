//! Faults of AWS during a job's creation: at most one job and one charge, and a correct answer.

use std::time::Duration;

use docmill::aws::Aws;
use docmill::config::Config;
use docmill::domain::job::JobId;
use serde_json::json;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, get, post};
use crate::support::world::{Account, World, patient_aws};

async fn create(world: &World, account: &Account) -> Answer {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"}));
    let request = request.key(&account.key).header("idempotency-key", "k").build();
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

#[tokio::test]
async fn a_conflict_is_tried_again() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject([Fault::transaction_conflict(3), Fault::transaction_conflict(3)]);
    assert_eq!(create(&world, &account).await.status, 202);
    assert_eq!(world.watch.unmet_faults(), 0);
    assert_eq!(world.spent(&account).await, (1, 1));
}

#[tokio::test]
async fn a_transaction_in_progress_is_waited_for() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject([Fault::transaction_in_progress(), Fault::transaction_in_progress()]);
    assert_eq!(create(&world, &account).await.status, 202);
    assert_eq!(world.watch.unmet_faults(), 0);
    assert_eq!(world.spent(&account).await, (1, 1));
}

#[tokio::test]
async fn an_answer_lost_after_the_commit_is_still_one_job_and_one_charge() {
    let world = World::new();
    let account = world.account(10).await;
    // The SDK tries three times, and all responses are lost.
    world.watch.inject((0..3).map(|_| Fault::lost_answer("TransactWriteItems")));
    let answer = create(&world, &account).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(world.watch.unmet_faults(), 0);
    let id = JobId::parse(&answer.job_id()).unwrap();
    assert!(world.context.jobs.get(id).await.unwrap().is_some());
    assert_eq!(world.spent(&account).await, (1, 1));
    let again = create(&world, &account).await;
    assert_eq!((again.job_id(), again.header("idempotency-replayed")), (answer.job_id(), Some("true")));
}

#[tokio::test]
async fn a_database_that_is_down_is_unavailable_and_nothing_happened() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject((0..60).map(|_| Fault::down("TransactWriteItems")));
    let answer = create(&world, &account).await;
    assert_eq!(answer.refusal(), (503, "unavailable"));
    assert!(answer.header("retry-after").is_some());
    assert!(answer.header("ratelimit").is_some(), "the caller was let in: limits are on errors too");
    assert_eq!(world.spent(&account).await, (0, 0));
}

#[tokio::test]
async fn keys_that_cannot_be_read_are_unavailable() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject((0..3).map(|_| Fault::down("UpdateItem")));
    let request = get("/v1/tools").key(&account.key).build();
    assert_eq!(Answer::of(list_tools::handle(world.context.clone(), request).await).refusal(), (503, "unavailable"));
}

#[tokio::test]
async fn a_refused_write_fails_as_internal() {
    let world = World::new();
    let account = world.account(10).await;
    let body = r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"secret detail"}"#;
    world.watch.inject([Fault::instead_of("TransactWriteItems", 400, body)]);
    let answer = create(&world, &account).await;
    assert_eq!(answer.refusal(), (500, "internal"));
    assert!(!answer.body.to_string().contains("secret"));
    assert_eq!(world.spent(&account).await, (0, 0));
}

#[tokio::test]
async fn a_queue_outage_delays_jobs_without_losing_any() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let answer = create(&world, &account).await;
    assert_eq!(answer.status, 202);
    // The request does not wait for all of the SDK's retries.
    assert!(world.watch.unmet_faults() < 3, "the queue was asked");
    let id = JobId::parse(&answer.job_id()).unwrap();
    let job = world.context.jobs.get(id).await.unwrap().unwrap();
    assert!(job.open.is_some() && job.due.is_some(), "the sweeper will find it");
}

/// Timeline: the job is stored, and SQS accepts the message but never answers. No client time-out ends this.
#[tokio::test]
async fn a_queue_that_never_answers_does_not_prevent_the_response() {
    let aws = patient_aws().with_patience(Duration::from_secs(60));
    let world = World::with_aws(Config::from_env().unwrap(), aws);
    let account = world.account(10).await;
    world.watch.inject([Fault::no_answer("SendMessage")]);
    let answer = create(&world, &account).await;
    assert_eq!((answer.status, world.watch.unmet_faults()), (202, 0), "{}", answer.body);
    assert_eq!(world.spent(&account).await, (1, 1));
}

/// The SDK's default pause of a second before the first retry would be a quarter of the transaction's time.
#[test]
fn dynamodb_is_asked_again_after_milliseconds() {
    let client = Aws::of_function().unwrap().dynamodb();
    assert_eq!(client.config().retry_config().unwrap().initial_backoff(), Duration::from_millis(25));
}
