//! Jobs that take results of finished or unfinished jobs.

mod missed;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use docmill_app::context::Context;
use docmill_app::jobs::control::ControlService;
use docmill_app::notices::Notices;
use docmill_aws::files::{KeptFor, ObjectKey, OutputPart};
use docmill_config::{Config, clock};
use docmill_domain::credits::TILLS;
use docmill_domain::job::{
    Completion, Job, JobError, JobErrorCode, JobId, JobStatus, MAX_WAITERS, Output, Results, StoredResults,
};
use docmill_store::item::{Shard, UsageItem, job_key, number};
use docmill_store::jobs::{Claim, WAITING_GRACE, Written};
use functions::sweeper::Sweeper;
use functions::{cancel_job, create_job, get_job};
use futures_util::future::join_all;
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::support::aws_watch::{Fault, Watch};
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion, put_all};
use crate::support::tables::with_own_jobs;
use crate::support::world::{Account, World, patient_aws};

/// A world with its own jobs, for a sweeper with its clock ahead.
async fn apart() -> World {
    World::with_config(with_own_jobs(Config::from_env().unwrap(), &patient_aws()).await)
}

/// Fills all tills of the month under an earlier plan.
async fn fill_tills(world: &World, account: &Account, left: u64) {
    let period = clock::now().period();
    let usage = |item: UsageItem<'_>, update: &str| {
        let table = world.context.dynamodb.update_item().table_name(&world.config.tables.usage);
        let update = table.set_key(Some(item.key(&account.id))).update_expression(update.to_owned());
        update.expression_attribute_values(":plan", number(4000))
    };
    for till in 0..TILLS {
        let filled = usage(UsageItem::Till(period, till), "SET #left = :left, included = :plan");
        let filled =
            filled.expression_attribute_names("#left", "left").expression_attribute_values(":left", number(left));
        filled.send().await.unwrap();
    }
    let balance = usage(UsageItem::Balance(period), "SET included = :plan ADD taken :taken");
    balance.expression_attribute_values(":taken", number(left * u64::from(TILLS))).send().await.unwrap();
}

#[tokio::test]
async fn a_job_may_wait_for_many_others_although_credits_lie_in_many_tills() {
    let world = World::new();
    let account = world.account(5000).await;
    let mut sources = Vec::new();
    for _ in 0..90 {
        sources.push(page(&world, &account).await);
    }
    fill_tills(&world, &account, 10).await;
    let merged = id(&create(&world, &account, &merge(&sources)).await);
    assert_eq!(read(&world, merged).await.waits.waiting_for.map(|ids| ids.len()), Some(90));
    let credits = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap().credits;
    assert_eq!((credits.used, credits.created), (91, 91));
    assert_eq!(credits.pots.included_left(5000), 5000 - 91, "no credit was lost: {:?}", credits.pots);
    assert!(credits.pots.tills.values().all(|till| till.left == 0));
}

/// Creates a job that deployed workers don't see.
async fn create(world: &World, account: &Account, body: &Value) -> Answer {
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    Answer::of(create_job::handle(world.service.clone(), post("/", body).key(&account.key).build()).await)
}

async fn page(world: &World, account: &Account) -> JobId {
    id(&create(world, account, &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).await)
}

fn merge(sources: &[JobId]) -> Value {
    let sources: Vec<_> = sources.iter().map(|id| json!({"jobId": id})).collect();
    json!({"toolSlug": "merge-pdf", "sources": sources})
}

fn id(answer: &Answer) -> JobId {
    assert_eq!(answer.status, 202, "{}", answer.body);
    JobId::parse(&answer.job_id()).unwrap()
}

async fn read(world: &World, id: JobId) -> Job {
    world.context.jobs.get(id).await.unwrap().unwrap()
}

/// Does what a worker does at the end of a job, except sending the message.
async fn notify(world: &World, id: JobId, status: JobStatus) {
    let queue = world.context.queue();
    world.watch.inject((0..30).map(|_| Fault::down("SendMessage")));
    let notices = Notices { jobs: &world.context.jobs, files: &world.context.files, queue: &queue };
    notices.notify_all_of(id, status).await;
}

async fn complete(world: &World, id: JobId, done: &Completion) {
    let job = claim(&world.context.jobs, id).await;
    assert_eq!(world.context.jobs.complete(&job, done).await.unwrap(), Written::Yes);
}

async fn fail(world: &World, id: JobId) {
    let job = claim(&world.context.jobs, id).await;
    let error = JobError::new(JobErrorCode::CorruptDocument, "damaged");
    assert_eq!(world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
}

async fn is_claimable(world: &World, id: JobId) -> bool {
    matches!(world.context.jobs.claim(id, clock::now(), Duration::from_secs(60)).await.unwrap(), Claim::Taken(_))
}

#[tokio::test]
async fn a_job_waits_for_all_its_sources_and_starts_once_they_have_completed() {
    let world = World::new();
    let account = world.account(10).await;
    let (first, second) = (page(&world, &account).await, page(&world, &account).await);
    let answer = create(&world, &account, &merge(&[first, second, first])).await;
    let waiter = id(&answer);
    let mut expected = [first.to_string(), second.to_string()];
    expected.sort();
    assert_eq!(
        (&answer.body["job"]["status"], &answer.body["job"]["waitingFor"]),
        (&json!("queued"), &json!(expected))
    );
    assert!(!is_claimable(&world, waiter).await, "a stray message does not start it");

    complete(&world, first, &completion(clock::now())).await;
    notify(&world, first, JobStatus::Completed).await;
    let view = json!(read(&world, waiter).await.view(clock::now()));
    assert_eq!(view["waitingFor"], json!([second]));

    complete(&world, second, &completion(clock::now())).await;
    notify(&world, second, JobStatus::Completed).await;
    let job = read(&world, waiter).await;
    assert_eq!((job.status, job.waits.waiting_for), (JobStatus::Queued, None));
    assert!(job.index.open.unwrap().starts_with("pdf-"), "it lies among the queued ones");
    assert!(is_claimable(&world, waiter).await);
}

#[tokio::test]
async fn a_failed_source_fails_the_whole_chain_with_refunds() {
    let world = World::new();
    let account = world.account(10).await;
    let source = page(&world, &account).await;
    let waiter = id(&create(&world, &account, &merge(&[source])).await);
    let after = json!({"toolSlug": "compress-pdf", "input": {"jobId": waiter}});
    let after = id(&create(&world, &account, &after).await);
    assert_eq!(world.spent(&account).await.0, 3);

    fail(&world, source).await;
    notify(&world, source, JobStatus::Failed).await;
    for (job, because) in [(waiter, source), (after, waiter)] {
        let job = read(&world, job).await;
        let error = job.result.error.unwrap();
        assert_eq!(
            (job.status, job.payment.refunded, error.code),
            (JobStatus::Failed, 1, JobErrorCode::SourceJobFailed)
        );
        assert!(error.message.contains(&because.to_string()), "{}", error.message);
    }
    assert_eq!(world.spent(&account).await.0, 0);
}

#[tokio::test]
async fn canceling_a_source_fails_the_job_that_waits_for_it() {
    let world = World::new();
    let account = world.account(10).await;
    let source = page(&world, &account).await;
    let waiter = id(&create(&world, &account, &merge(&[source])).await);
    let request = RequestBuilder::new(Method::POST, "/").key(&account.key).parameter("job_id", &source.to_string());
    let service = Arc::new(ControlService::new(world.context.clone()));
    assert_eq!(Answer::of(cancel_job::handle(service, request.build()).await).status, 200);
    let job = read(&world, waiter).await;
    assert_eq!(job.result.error.unwrap().code, JobErrorCode::SourceJobFailed);
    assert_eq!(world.spent(&account).await.0, 0);
}

#[tokio::test]
async fn only_existing_results_can_be_taken() {
    let world = World::new();
    let (account, stranger) = (world.account(10).await, world.account(10).await);
    let (completed, failed, expired) =
        (page(&world, &account).await, page(&world, &account).await, page(&world, &account).await);
    let two = StoredResults::Inline(Results { outputs: vec![output("1.pdf"), output("2.pdf")], report: None });
    complete(&world, completed, &Completion { results: Some(two), ..completion(clock::now()) }).await;
    fail(&world, failed).await;
    let past = clock::now().minus(Duration::from_secs(1));
    complete(&world, expired, &Completion { expires_at: past, ..completion(clock::now()) }).await;
    let taking = async |account: &Account, source: Value| {
        create(&world, account, &json!({"toolSlug": "merge-pdf", "sources": [source]})).await
    };
    for (account, source, why) in [
        (&stranger, json!({"jobId": completed}), "must be the id of a job of your account"),
        (&account, json!({"jobId": JobId::new()}), "must be the id of a job of your account"),
        (&account, json!({"jobId": failed}), "names a job that failed and has no result"),
        (&account, json!({"jobId": expired}), "names a job whose result has expired or was deleted"),
        (
            &account,
            json!({"jobId": completed, "output": 2}),
            "names a job with 2 results: `output` must be less than 2",
        ),
    ] {
        let answer = taking(account, source.clone()).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{source}");
        assert_eq!(answer.body["error"]["details"], json!([{"path": "/sources/0/jobId", "message": why}]));
    }
    let taken = taking(&account, json!({"jobId": completed, "output": 1})).await;
    assert_eq!((taken.status, taken.body["job"].get("waitingFor")), (202, None));
}

fn output(name: &str) -> Output {
    Output { filename: name.into(), ..completion(clock::now()).output }
}

/// Timeline: the source ends between the check of the request and the transaction that creates the job.
#[tokio::test]
async fn a_job_never_waits_for_a_source_that_ended_during_its_creation() {
    let world = World::new();
    let account = world.account(40).await;
    for _ in 0..8 {
        let source = page(&world, &account).await;
        let ending = async {
            complete(&world, source, &completion(clock::now())).await;
            notify(&world, source, JobStatus::Completed).await;
        };
        let body = merge(&[source]);
        let (answer, ()) = tokio::join!(create(&world, &account, &body), ending);
        let waiter = id(&answer);
        assert!(is_claimable(&world, waiter).await, "{:?}", read(&world, waiter).await.waits.waiting_for);
    }
}

/// Timeline: all sources end at once, each reported by another worker.
#[tokio::test]
async fn a_job_starts_once_when_its_sources_complete_at_once() {
    let world = World::new();
    let account = world.account(20).await;
    let sources = [page(&world, &account).await, page(&world, &account).await, page(&world, &account).await];
    let waiter = id(&create(&world, &account, &merge(&sources)).await);
    let world = &world;
    let done = sources.map(|source| async move {
        complete(world, source, &completion(clock::now())).await;
        tokio::join!(notify(world, source, JobStatus::Completed), notify(world, source, JobStatus::Completed));
    });
    join_all(done).await;
    assert_eq!(read(world, waiter).await.waits.waiting_for, None);
    assert!(is_claimable(world, waiter).await);
}

/// Adds jobs to those that wait for `awaited`, or removes them.
async fn change_waiters(world: &World, change: &str, awaited: JobId, waiters: &BTreeSet<JobId>) {
    let waiters = waiters.iter().map(JobId::to_string).collect();
    let update = world.context.dynamodb.update_item().table_name(&world.config.tables.jobs);
    let update = update.set_key(Some(job_key(awaited))).update_expression(format!("{change} waiters :waiters"));
    update.expression_attribute_values(":waiters", AttributeValue::Ss(waiters)).send().await.unwrap();
}

/// A client that repeats its request as long as it is told to.
async fn create_patiently(world: &World, account: &Account, body: &Value, idempotency_key: &str) -> Answer {
    for _ in 0..20 {
        let request = post("/", body).key(&account.key).header("idempotency-key", idempotency_key).build();
        let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
        if answer.status != 503 {
            return answer;
        }
    }
    panic!("the request was never answered");
}

/// Everything stored of a job except its waiting jobs.
fn without_waiters(mut job: Job) -> Value {
    job.waits.waiters = None;
    serde_json::to_value(job).unwrap()
}

/// Timeline: many clients request the last places among the jobs that wait for one. All see free places, and the transactions
/// decide.
#[tokio::test]
async fn the_last_places_to_wait_for_a_job_are_given_once() {
    const PLACES: usize = 5;
    const CLIENTS: usize = 20;
    let world = World::new();
    let account = world.account(100).await;
    let source = page(&world, &account).await;
    let others: BTreeSet<JobId> = (0..MAX_WAITERS - PLACES).map(|_| JobId::new()).collect();
    change_waiters(&world, "ADD", source, &others).await;
    world.watch.clear();
    let before = without_waiters(read(&world, source).await);

    let body = merge(&[source]);
    let keys: Vec<_> = (0..CLIENTS).map(|client| format!("client {client}")).collect();
    let answers = join_all(keys.iter().map(|key| create_patiently(&world, &account, &body, key))).await;
    let (taken, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 202);
    assert_eq!((taken.len(), refused.len()), (PLACES, CLIENTS - PLACES));
    let why = format!("names a job that {MAX_WAITERS} other jobs already wait for: try again when it has ended");
    for answer in refused {
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{}", answer.body);
        assert_eq!(answer.body["error"]["details"], json!([{"path": "/sources/0/jobId", "message": why}]));
    }
    let own: BTreeSet<JobId> = taken.into_iter().map(id).collect();
    let waiters = world.context.jobs.waiters(source).await.unwrap();
    assert_eq!((waiters.len(), &waiters - &others), (MAX_WAITERS, own.clone()));
    let jobs = own.len() as u64 + 1;
    assert_eq!(world.spent(&account).await, (jobs, jobs), "who was refused was not charged");
    let after = without_waiters(read(&world, source).await);
    assert_eq!(after, before, "nothing else of the awaited job has changed");

    // The others are not real jobs and need no notification.
    change_waiters(&world, "DELETE", source, &others).await;
    complete(&world, source, &completion(clock::now())).await;
    let queue = world.context.queue();
    let notices = Notices { jobs: &world.context.jobs, files: &world.context.files, queue: &queue };
    world.watch.take_calls();
    tokio::join!(
        notices.notify_all_of(source, JobStatus::Completed),
        notices.notify_all_of(source, JobStatus::Completed)
    );
    assert_eq!(world.watch.count("SendMessage"), PLACES, "each is started once");
    for waiter in own {
        let job = read(&world, waiter).await;
        assert_eq!((job.status, &job.waits.waiting_for), (JobStatus::Queued, &None));
        assert!(job.index.open.unwrap().starts_with("pdf-"), "it lies among the queued ones");
    }
    let later = create_patiently(&world, &account, &body, "later").await;
    assert_eq!((later.status, later.body["job"].get("waitingFor")), (202, None), "{}", later.body);
}

#[tokio::test]
async fn a_canceled_job_no_longer_waits() {
    let world = World::new();
    let account = world.account(20).await;
    let source = page(&world, &account).await;
    let waiter = id(&create(&world, &account, &merge(&[source])).await);
    let job = read(&world, waiter).await;
    world.context.jobs.cancel(&job, clock::now()).await.unwrap().unwrap();
    complete(&world, source, &completion(clock::now())).await;
    notify(&world, source, JobStatus::Completed).await;
    let job = read(&world, waiter).await;
    assert_eq!((job.status, job.waits.waiting_for), (JobStatus::Canceled, None));
    let answer = get("/").parameter("job_id", &waiter.to_string()).key(&account.key).build();
    let answer = Answer::of(get_job::handle(world.context.clone(), answer).await);
    assert_eq!(answer.body["job"].get("waitingFor"), None);
}

#[tokio::test]
async fn results_of_other_jobs_are_only_read_within_the_account() {
    let world = World::new();
    let (owner, stranger) = (world.account(10).await, world.account(10).await);
    let source = page(&world, &owner).await;
    let job = claim(&world.context.jobs, source).await;
    let key = ObjectKey::Output {
        account: &owner.id,
        job: source,
        attempt: 1,
        part: OutputPart::File(0),
        kept_for: KeptFor::Day,
    };
    world.context.files.put_text(&key, "%PDF-1.7 secret".into()).await.unwrap();
    let done = Completion { output_key: key.to_string(), ..completion(clock::now()) };
    assert_eq!(world.context.jobs.complete(&job, &done).await.unwrap(), Written::Yes);

    let scratch = tempfile::tempdir().unwrap();
    let clock = clock::Clock::default();
    let limits = docmill_engine::Limits::default();
    let read = async |account: &str| {
        let shelf = worker::account_files::AccountFiles {
            files: &world.context.files,
            jobs: &world.context.jobs,
            templates: &world.context.templates,
            clock: &clock,
            account,
        };
        let budget = docmill_sources::Budget::of(&limits);
        shelf.result(source, 0, &scratch.path().join("source"), &budget).await
    };
    let fetched = read(&owner.id).await.unwrap();
    assert_eq!(std::fs::read_to_string(fetched.path).unwrap(), "%PDF-1.7 secret");
    assert_eq!(fetched.filename.as_deref(), Some("a.pdf"));
    assert_eq!(read(&stranger.id).await.unwrap_err().code, JobErrorCode::SourceJobFailed);
}
