//! Faults of AWS during a job's creation: at most one job and one charge, and a correct answer.

use std::time::Duration;

use docmill_aws::Aws;
use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::job::{IndexPlaces, Job, JobId, JobStatus};
use docmill_store::StoreError;
use docmill_store::item::{job_key, string, to_item};
use docmill_store::jobs::JobFilter;
use functions::{create_job, list_tools};
use serde_json::json;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, get, post};
use crate::support::jobs::put_all;
use crate::support::lines::Lines;
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
    assert!(job.index.open.is_some() && job.index.due.is_some(), "the sweeper will find it");
}

/// A job like one that was just created, for as many as a test needs.
async fn jobs_like(world: &World, account: &Account, count: usize) -> Vec<Job> {
    let id = JobId::parse(&create(world, account).await.job_id()).unwrap();
    let job = world.context.jobs.get(id).await.unwrap().unwrap();
    // Not in any sweeper's shard.
    let index = IndexPlaces { open: None, due: None, uncounted: Some("test".into()), ..job.index };
    let template = Job { index, ..job };
    let jobs: Vec<Job> = (0..count).map(|_| Job { id: JobId::new(), ..template.clone() }).collect();
    put_all(&world.context, jobs.iter().cloned()).await;
    jobs
}

fn sorted(ids: impl IntoIterator<Item = JobId>) -> Vec<JobId> {
    let mut ids: Vec<_> = ids.into_iter().collect();
    ids.sort_by_key(ToString::to_string);
    ids
}

#[tokio::test]
async fn batch_reads_go_on_past_throttling() {
    let world = World::new();
    let account = world.account(10).await;
    let ids = sorted(jobs_like(&world, &account, 130).await.iter().map(|job| job.id));
    let any = || Fault::throttled("BatchGetItem");
    let jobs = &world.context.jobs;

    world.watch.inject((0..4).map(|_| any()));
    assert_eq!(sorted(jobs.get_all(&ids).await.unwrap().iter().map(|job| job.id)), ids);
    assert_eq!(world.watch.unmet_faults(), 0);

    world.watch.inject((0..4).map(|_| any()));
    let states = jobs.states(&ids, clock::now()).await.unwrap();
    assert!(states.values().all(|state| *state == Some(JobStatus::Queued)), "{states:?}");
    assert_eq!(sorted(states.into_keys()), ids);

    world.watch.inject((0..4).map(|_| any()));
    assert_eq!(world.context.statistics.count(&ids, clock::now()).await.unwrap(), ids.len());
    assert_eq!(world.watch.unmet_faults(), 0);
}

#[tokio::test]
async fn a_batch_read_that_is_always_throttled_ends() {
    let world = World::new();
    let account = world.account(10).await;
    let jobs = jobs_like(&world, &account, 1).await;
    world.watch.inject([Fault::throttled("BatchGetItem").lasting()]);
    let read = world.context.jobs.get_all(&[jobs[0].id]).await;
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
}

/// One malformed item among others, and one that is too large to be written again.
#[tokio::test]
async fn an_item_that_can_not_be_read_or_counted_does_not_hide_others() {
    let world = World::new();
    let account = world.account(100).await;
    let jobs = jobs_like(&world, &account, 75).await;
    let table = &world.config.tables.jobs;
    let [malformed, full, ..] = &jobs[..] else { panic!("there are 75") };
    let change = world.context.dynamodb.update_item().table_name(table).set_key(Some(job_key(malformed.id)));
    change.update_expression("REMOVE charge").send().await.unwrap();
    let mut item = to_item(full).unwrap();
    let without_padding: usize = serde_json::to_string(full).unwrap().len();
    item.insert("padding".into(), string("x".repeat((400 << 10) - without_padding - 600)));
    world.context.dynamodb.put_item().table_name(table).set_item(Some(item)).send().await.unwrap();

    let ids: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
    let lines = Lines::collect();
    assert_eq!(world.context.jobs.get_all(&ids).await.unwrap().len(), 74);
    let states = world.context.jobs.states(&ids, clock::now()).await.unwrap();
    assert_eq!((states.len(), states[&malformed.id]), (75, Some(JobStatus::Queued)));
    assert!(world.context.statistics.count(&ids, clock::now()).await.unwrap() >= 73);
    let skipped = lines.take_saying("an unreadable item is skipped");
    let skipped: Vec<&str> = skipped.iter().filter_map(|line| line["item_id"].as_str()).collect();
    let id = malformed.id.to_string();
    assert_eq!(skipped, [id.as_str(); 2], "by each of the two reads that need it whole");
    let left = world.context.jobs.get_all(&ids).await.unwrap();
    let left = left.iter().filter(|job| job.index.uncounted.is_some() && job.id != full.id).count();
    assert_eq!(left, 0, "all others are counted");
    let page =
        world.context.jobs.of_account(&account.id, &JobFilter::default(), None, 100, clock::now()).await.unwrap();
    assert_eq!(page.jobs.len(), 75, "the first job and all but the malformed one");
}

/// DynamoDB refuses a transaction whose items have over 4 MB.
#[tokio::test]
async fn a_refused_count_is_repeated_in_halves() {
    let world = World::new();
    let account = world.account(10).await;
    let ids: Vec<JobId> = jobs_like(&world, &account, 8).await.iter().map(|job| job.id).collect();
    let refusal = r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"over 4 MB"}"#;
    world.watch.take_calls();
    world.watch.inject((0..2).map(|_| Fault::instead_of("TransactWriteItems", 400, refusal)));
    assert_eq!(world.context.statistics.count(&ids, clock::now()).await.unwrap(), 8);
    assert_eq!(world.watch.count("TransactWriteItems"), 5, "8, 4, 2, 2 and 4 jobs");
}

/// Timeline: the job is stored, and SQS accepts the message but never answers. No client timeout ends this.
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
