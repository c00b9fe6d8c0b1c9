//! No account works for nothing, or takes what others need: running jobs, uploads, refunds.

use std::sync::Arc;
use std::time::Duration;

use docmill_config::clock;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::job::{Job, JobErrorCode, JobId, JobStatus};
use docmill_domain::limits::Limit;
use docmill_domain::tool::QueueName;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_fetch::Fetcher;
use docmill_store::jobs::{Lane, Slot};
use functions::create_upload;
use serde_json::json;
use tokio::net::TcpListener;
use worker::pipeline::Handled;

use crate::support::http::{Answer, post};
use crate::support::receiver::{Receiver, Reception};
use crate::support::stage::{Message, Stage};
use crate::support::stub_engine::{Act, Gate};
use crate::support::world::{Account, World};
use crate::worker_pipeline::Bench;

const NEVER: Duration = Duration::from_secs(86_400);
const MINUTE: Duration = Duration::from_secs(60);

/// An account whose jobs run one after the other.
async fn one_at_a_time(stage: &Stage) -> Account {
    let plan = stage.world.plan(100).await;
    let account = stage.world.account_on(&plan.id, 0).await;
    let key = stage.world.another_key(&account, Mode::Live, |key| key.limits.set(Limit::RunningJobs, Some(1))).await;
    Account { key, ..account }
}

async fn only<const N: usize>(stage: &Stage) -> [Message; N] {
    let received = stage.receive().await;
    let count = received.len();
    received.try_into().unwrap_or_else(|_| panic!("{count} messages instead of {N}"))
}

fn names(message: &Message, id: JobId) -> bool {
    message.body.contains(&id.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_beyond_the_cap_wait_without_a_message_and_start_in_the_order_of_their_creation() {
    let stage = Stage::new().await;
    let (busy, other) = (one_at_a_time(&stage).await, one_at_a_time(&stage).await);
    let gate = Arc::new(Gate::default());
    stage.engine.play([Act::Hold(gate.clone(), Box::new(Act::Convert))]);
    let first = stage.create_as(&busy, "1").await;
    let [message] = only(&stage).await;
    let running = stage.deliver(message, NEVER);
    let meanwhile = async {
        gate.reached.notified().await;
        let (second, third) = (stage.create_as(&busy, "2").await, stage.create_as(&busy, "3").await);
        let mut messages = stage.receive().await;
        messages.reverse();
        for message in messages {
            assert!(stage.deliver(message, NEVER).await.is_none(), "the message is not kept");
        }
        for id in [second, third] {
            let job = stage.job(id).await;
            assert_eq!((job.status, job.attempts), (JobStatus::Queued, 0));
            assert_eq!(job.work.held, Some(format!("html#{}", busy.id)));
        }
        let unhindered = stage.create_as(&other, "1").await;
        let [message] = only(&stage).await;
        stage.deliver(message, NEVER).await;
        assert_eq!(stage.job(unhindered).await.status, JobStatus::Completed, "another account is not held back");
        gate.open.notify_one();
        (second, third)
    };
    let (_, (second, third)) = tokio::join!(running, meanwhile);
    assert_eq!(stage.job(first).await.status, JobStatus::Completed);
    for id in [second, third] {
        let [message] = only(&stage).await;
        assert!(names(&message, id), "the oldest job comes next");
        stage.deliver(message, NEVER).await;
        assert_eq!(stage.job(id).await.status, JobStatus::Completed);
    }
    let [] = only(&stage).await;
    stage.remove().await;
}

/// A canceled job that was held back is never started.
#[tokio::test(flavor = "multi_thread")]
async fn the_sweeper_starts_held_jobs_after_their_worker_has_died() {
    let stage = Stage::new().await;
    let account = one_at_a_time(&stage).await;
    let lane = Lane { queue: QueueName::Html, account: account.id.clone() };
    let (now, slot) = (stage.now(), Slot::Running(&lane));
    assert!(stage.auditor.jobs.take_slot(&slot, "dead", None, 1, (now, now.plus(MINUTE / 2))).await.unwrap());
    let (held, canceled) = (stage.create_as(&account, "1").await, stage.create_as(&account, "2").await);
    for message in stage.receive().await {
        assert!(stage.deliver(message, NEVER).await.is_none());
    }
    let job = stage.job(canceled).await;
    assert!(job.work.held.is_some());
    assert!(stage.auditor.jobs.cancel(&job, clock::now()).await.unwrap().is_some());
    assert_eq!(stage.job(canceled).await.work.held, None);

    stage.advance(MINUTE * 2);
    stage.sweep().await;
    let [message] = only(&stage).await;
    assert!(names(&message, held));
    stage.deliver(message, NEVER).await;
    let done = stage.job(held).await;
    assert_eq!((done.status, done.work.held), (JobStatus::Completed, None));
    stage.remove().await;
}

/// Forty workers compete for three slots: three get one, however their writes interleave, and a slot that has ended is free.
#[tokio::test(flavor = "multi_thread")]
async fn slots_are_never_oversubscribed() {
    let world = World::new();
    let lane = Lane { queue: QueueName::Pdf, account: format!("acc_{}", JobId::new()) };
    let (now, slot) = (clock::now(), Slot::Running(&lane));
    let until = (now, now.plus(MINUTE));
    let jobs = &world.context.jobs;
    let holders: Vec<String> = (0..40).map(|number| format!("holder{number}")).collect();
    let takes = holders.iter().map(|holder| jobs.take_slot(&slot, holder, None, 3, until));
    let taken = futures_util::future::join_all(takes).await;
    assert_eq!(taken.iter().filter(|taken| *taken.as_ref().unwrap()).count(), 3);
    assert!(!jobs.take_slot(&slot, "late", None, 3, until).await.unwrap());
    let later = now.plus(MINUTE);
    assert!(jobs.take_slot(&slot, "late", None, 3, (later, later.plus(MINUTE))).await.unwrap(), "all three have ended");
    assert_eq!(jobs.return_slot(&slot, "late").await.unwrap().free(3, later), 3);
}

/// A slot that is reserved for a job is for that job.
#[tokio::test]
async fn a_reserved_slot_is_not_taken_by_another_job() {
    let world = World::new();
    let lane = Lane { queue: QueueName::Pdf, account: format!("acc_{}", JobId::new()) };
    let (now, slot) = (clock::now(), Slot::Running(&lane));
    let until = (now, now.plus(MINUTE));
    let jobs = &world.context.jobs;
    assert!(jobs.take_slot(&slot, "next", None, 1, until).await.unwrap());
    assert!(!jobs.take_slot(&slot, "a", Some("other"), 1, until).await.unwrap());
    assert!(jobs.take_slot(&slot, "b", Some("next"), 1, until).await.unwrap());
    assert_eq!(jobs.return_slot(&slot, "b").await.unwrap().free(1, now), 1, "the reservation became the slot");
}

async fn delivered_to(url: &str, exceptions: SourceExceptions) -> (World, Account, Job) {
    let world = World::new();
    let account = world.account(5).await;
    let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x",
        "output": {"putUrl": url}});
    let mut bench = Bench::with_job(world, account, &body, []).await;
    bench.pipeline.converter.fetcher = Fetcher::new(EgressPolicy::new(exceptions)).unwrap();
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    (bench.world, bench.account, job)
}

#[tokio::test]
async fn a_result_that_nobody_could_take_is_refunded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let at = format!("127.0.0.1:{port}");
    let (_world, _account, job) = delivered_to(&format!("http://{at}/x.pdf"), at.parse().unwrap()).await;
    assert_eq!(job.result.error.as_ref().unwrap().code, JobErrorCode::DeliveryFailed);
    assert_eq!((job.payment.charge.total(), job.payment.refunded), (1, 1));
}

#[tokio::test]
async fn canceling_a_job_whose_result_is_being_sent_refunds_nothing() {
    let world = World::new();
    let account = world.account(5).await;
    let bench = Bench::with_job(world, account, &json!({"toolSlug": "html-to-pdf", "html": "<p>x"}), []).await;
    let jobs = &bench.world.context.jobs;
    let read_before = crate::support::jobs::claim(jobs, bench.id).await;
    jobs.note_delivery(&read_before).await.unwrap();
    assert!(jobs.cancel(&read_before, clock::now()).await.unwrap().is_none(), "the owner's read is out of date");
    let canceled = jobs.cancel(&bench.job().await, clock::now()).await.unwrap().unwrap();
    assert_eq!(
        (canceled.status, canceled.payment.charge.total(), canceled.payment.refunded),
        (JobStatus::Canceled, 1, 0)
    );
    let usage = bench.world.context.usage.of_month(&bench.account.id, canceled.payment.period).await.unwrap();
    assert_eq!(usage.credits.used, 1);
}

/// Time of failures that only their owner can mend is refunded while the day's budget lasts. Our own faults always are.
#[tokio::test]
async fn failures_beyond_the_daily_budget_stay_charged() {
    let world = World::new();
    let account = world.account(10).await;
    let key = world.another_key(&account, Mode::Live, |key| key.limits.set(Limit::DailyRefundedMs, Some(500))).await;
    let account = Account { key, ..account };
    let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    let script = [JobErrorCode::RenderFailed; 2];
    let mut bench = Bench::with_job(world, account, &body, script.map(Act::Fail)).await;
    let now = clock::now();
    bench.deliver().await;
    let within = bench.job().await;
    assert_eq!((within.status, within.payment.refunded), (JobStatus::Failed, 1));

    bench.world.context.budgets.add_failure(&bench.account.id, Duration::from_secs(1), now).await.unwrap();
    let key: ApiKey = bench.account.key.clone();
    bench.id = bench.create(&key, &body).await;
    bench.deliver().await;
    let beyond = bench.job().await;
    assert_eq!((beyond.status, beyond.payment.refunded), (JobStatus::Failed, 0));
    let message = beyond.result.error.unwrap().message;
    assert!(message.contains("stays charged"), "{message}");

    bench.id = bench.create(&key, &body).await;
    // A crash is repeated once.
    bench.engine.play([JobErrorCode::EngineCrashed; 2].map(Act::Fail));
    bench.deliver().await;
    assert_eq!(bench.job().await.payment.refunded, 1, "a crash is not the owner's fault");
    let usage = bench.world.context.usage.of_month(&bench.account.id, beyond.payment.period).await.unwrap();
    assert_eq!(usage.credits.used, 1);
}

#[tokio::test]
async fn uploads_are_refused_beyond_the_daily_budget() {
    let world = World::new();
    let account = world.account(5).await;
    let bound = world.another_key(&account, Mode::Live, |key| key.limits.set(Limit::DailyUploadBytes, Some(100))).await;
    let announce = async |key: &ApiKey, bytes: u64| {
        let request = post("/v1/uploads", &json!({"contentType": "text/html", "bytes": bytes})).key(key).build();
        Answer::of(create_upload::handle(world.uploads.clone(), request).await)
    };
    assert_eq!(announce(&bound, 60).await.status, 200);
    assert_eq!(announce(&bound, 40).await.status, 200);
    let refused = announce(&bound, 1).await;
    assert_eq!((refused.status, &refused.body["error"]["code"]), (429, &json!("rate_limited")), "{}", refused.body);
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    let left = clock::now().next_day().millis_since(clock::now()) / 1000;
    assert!(wait.abs_diff(left) <= 2, "{wait} seconds, and not {left} until midnight UTC");
    assert_eq!(announce(&account.key, 1).await.status, 200, "another key of the account has a higher limit");
    let test = world.another_key(&account, Mode::Test, |_| {}).await;
    for _ in 0..10 {
        assert_eq!(announce(&test, 100 << 20).await.status, 200);
    }
    assert_eq!(announce(&test, 100 << 20).await.status, 429, "1 GiB with test keys");
}

/// The receiver has the document, whatever it answers.
#[tokio::test]
async fn a_result_that_was_sent_stays_charged_whatever_the_answer_is() {
    let receiver = Receiver::start().await;
    receiver.play(Reception::Refuse);
    let (world, account, job) = delivered_to(&receiver.url(), receiver.exception()).await;
    assert_eq!(receiver.received()[0], b"%PDF-1.7 stub");
    assert_eq!(job.result.error.as_ref().unwrap().code, JobErrorCode::DeliveryFailed);
    assert_eq!((job.status, job.payment.charge.total(), job.payment.refunded), (JobStatus::Failed, 1, 0));
    assert!(job.result.error.unwrap().message.contains("stay charged"));
    let usage = world.context.usage.of_month(&account.id, job.payment.period).await.unwrap();
    assert_eq!(usage.credits.used, 1);
}
