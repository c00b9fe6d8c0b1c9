//! The sweeper: it finishes what queues and workers have left undone, once.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::job::{DEFAULT_OPEN_SHARDS, IndexPlaces, Job, JobId, JobStatus, MAX_ATTEMPTS, SWEPT_SHARDS};
use docmill_store::item::Shard;
use docmill_store::jobs::Claim;
use functions::create_job;
use functions::sweeper::Sweeper;
use serde_json::json;

use crate::support::aws_watch::{Fault, Watch};
use crate::support::http::{Answer, post};
use crate::support::jobs::put_all;
use crate::support::lines::{Lines, metrics};
use crate::support::stage::{Actor, Stage};
use crate::support::world::{Account, World, patient_aws};

/// One sweeper at a time: two would both be correct, but a test could not tell which one repaired its job.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn sweeper(world: &World) -> (Sweeper, Watch) {
    let watch = Watch::default();
    let aws = patient_aws().with_interceptor(watch.interceptor());
    (Sweeper::new(docmill_app::context::Context::new(world.config.clone(), aws).unwrap()), watch)
}

/// A job that only the test uses: it is claimed at once, and no deployed worker gets its message.
async fn queued(world: &World, account: &Account) -> JobId {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    // Without its message, no deployed worker competes for the job.
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
    JobId::parse(&answer.job_id()).unwrap()
}

async fn job(world: &World, id: JobId) -> Job {
    world.context.jobs.get(id).await.unwrap().unwrap()
}

/// Claims the job for an attempt whose lease has already ended.
async fn abandoned(world: &World, id: JobId) -> Job {
    match world.context.jobs.claim(id, clock::now(), Duration::ZERO).await.unwrap() {
        Claim::Taken(job) => *job,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_job_that_used_up_its_attempts_fails_with_its_credits_back() {
    let world = World::new();
    let account = world.account(1).await;
    let id = queued(&world, &account).await;
    for _ in 0..MAX_ATTEMPTS {
        abandoned(&world, id).await;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let exhausted = world.context.jobs.claim(id, clock::now(), Duration::ZERO).await.unwrap();
    assert!(matches!(exhausted, Claim::Exhausted(_)), "{exhausted:?}");

    let _turn = TURN.lock().await;
    let lines = Lines::collect();
    sweeper(&world).0.run().await.unwrap();
    let lines = lines.take();
    let ended = lines.iter().filter(|line| line["message"] == "job ended" && line["job_id"] == id.to_string());
    assert_eq!(ended.count(), 1, "{lines:?}");
    let sweep = lines.iter().find(|line| line["message"] == "sweep finished").unwrap();
    assert!(metrics(sweep).iter().any(|(name, count, _)| name == "repairs_failed" && *count > 0), "{sweep}");
    let failed = job(&world, id).await;
    assert_eq!((failed.status, failed.payment.refunded), (JobStatus::Failed, 1));
    assert_eq!(failed.result.error.unwrap().code.as_str(), "internal");
    assert_eq!(world.spent(&account).await, (0, 1));
}

#[tokio::test]
async fn a_lease_that_ended_is_released_for_another_attempt() {
    let world = World::new();
    let account = world.account(1).await;
    let id = queued(&world, &account).await;
    abandoned(&world, id).await;
    tokio::time::sleep(Duration::from_millis(2)).await;
    let _turn = TURN.lock().await;
    let (sweeper, watch) = sweeper(&world);
    let repairs = sweeper.run().await.unwrap();
    assert!(repairs.released >= 1, "{repairs:?}");
    assert!(watch.take_calls().iter().any(|call| call == "SendMessage"));
    let released = job(&world, id).await;
    assert!(released.attempts >= 1 && released.index.due > Some(clock::now()), "{released:?}");
}

#[tokio::test]
async fn a_job_that_is_not_due_is_left_alone() {
    let world = World::new();
    let account = world.account(1).await;
    let id = queued(&world, &account).await;
    let before = job(&world, id).await;
    let _turn = TURN.lock().await;
    sweeper(&world).0.run().await.unwrap();
    let after = job(&world, id).await;
    assert_eq!((after.status, after.index.due), (before.status, before.index.due));
}

/// A job on its own stage whose message is lost, at the time when the sweeper should check it.
async fn lost_on(stage: &Stage) -> JobId {
    let account = stage.world.account_on(&stage.plan_with_one, 0).await;
    let id = stage.create(&account, "<p>x").await;
    for message in stage.receive().await {
        stage.discard(&message).await;
    }
    stage.watch(Actor::Sweeper).take_calls();
    id
}

async fn completed_on(stage: &Stage) -> Job {
    let account = stage.world.account_on(&stage.plan_with_one, 0).await;
    let id = stage.create(&account, "<p>x").await;
    for message in stage.receive().await {
        assert!(stage.deliver(message, Duration::ZERO).await.is_none(), "the message is acknowledged");
    }
    stage.job(id).await
}

#[tokio::test]
async fn two_sweepers_at_once_send_one_message_and_expire_one_output() {
    let stage = Stage::new().await;
    let id = lost_on(&stage).await;
    stage.advance(Duration::from_secs(120));
    tokio::join!(stage.sweep(), stage.sweep());
    assert_eq!(stage.watch(Actor::Sweeper).count("SendMessage"), 1);
    let mut messages = stage.receive().await;
    assert_eq!(messages.len(), 1);
    stage.deliver(messages.remove(0), Duration::ZERO).await;
    let completed = stage.job(id).await;
    assert_eq!(completed.status, JobStatus::Completed);

    stage.advance(Duration::from_secs(25 * 3600));
    tokio::join!(stage.sweep(), stage.sweep());
    let expired = stage.job(id).await;
    assert_eq!((expired.status, expired.index.open, expired.result.output_key), (JobStatus::Expired, None, None));
    assert!(stage.files.get_text(&completed.result.output_key.unwrap()).await.is_err(), "the bytes are gone");
    stage.remove().await;
}

#[tokio::test]
async fn behind_a_backlog_a_message_is_not_sent_for_every_check() {
    let stage = Stage::new().await;
    let id = lost_on(&stage).await;
    // Another job's message is waiting all the time.
    let account = stage.world.account_on(&stage.plan_with_one, 0).await;
    let other = stage.create(&account, "<p>x").await;
    stage.watch(Actor::Sweeper).take_calls();
    for _ in 0..14 {
        stage.advance(Duration::from_secs(60));
        stage.sweep().await;
    }
    assert_eq!(stage.watch(Actor::Sweeper).count("SendMessage"), 0, "both are taken to be waiting");
    for _ in 0..46 {
        stage.advance(Duration::from_secs(60));
        stage.sweep().await;
    }
    // In an hour, each is sent twice in case it was lost, at 16 and 32 minutes; or three times, at 15, 30 and 60, if the sweeps'
    // own duration moves the first check past the fifteenth minute.
    let sent = stage.watch(Actor::Sweeper).count("SendMessage");
    assert!((4..=6).contains(&sent), "{sent}");
    for message in stage.receive().await {
        assert!(stage.deliver(message, Duration::ZERO).await.is_none());
    }
    for id in [id, other] {
        assert_eq!(stage.job(id).await.status, JobStatus::Completed);
    }
    stage.remove().await;
}

#[tokio::test]
async fn an_unavailable_bucket_delays_no_lost_job_and_output_still_expires() {
    let stage = Stage::new().await;
    let completed = completed_on(&stage).await;
    stage.advance(Duration::from_secs(25 * 3600));
    stage.inject(Actor::Sweeper, Fault::down("DeleteObjects").lasting());
    stage.sweep().await;
    assert_eq!(stage.job(completed.id).await.status, JobStatus::Completed, "the bytes are still there");

    stage.start_over();
    let lost = lost_on(&stage).await;
    stage.advance(Duration::from_secs(25 * 3600));
    stage.inject(Actor::Sweeper, Fault::down("DeleteObjects").lasting());
    stage.sweep().await;
    assert_eq!(stage.job(lost).await.status, JobStatus::Failed, "it was queued for over a day");

    // By then, the lifecycle has deleted the output in any case.
    stage.advance(Duration::from_secs(49 * 3600));
    stage.inject(Actor::Sweeper, Fault::down("DeleteObjects").lasting());
    stage.sweep().await;
    assert_eq!(stage.job(completed.id).await.status, JobStatus::Expired);
    stage.remove().await;
}

#[tokio::test]
async fn an_unreadable_shard_does_not_delay_others() {
    let stage = Stage::new().await;
    let mut ids = Vec::new();
    for _ in 0..8 {
        ids.push(lost_on(&stage).await);
    }
    stage.advance(Duration::from_secs(120));
    // Any of the parallel queries, for any shard.
    stage.inject(Actor::Sweeper, Fault::instead_of("Query", 400, "{}"));
    stage.sweep().await;
    let sent = stage.watch(Actor::Sweeper).count("SendMessage");
    let most_of_a_shard = (0..4).map(|shard| ids.iter().filter(|id| id.shard(4) == shard).count()).max().unwrap();
    assert!(sent >= ids.len() - most_of_a_shard, "{sent}");
    stage.remove().await;
}

/// Timeline: a version with more shards created the job, then one with fewer was deployed. The job's shard is still swept.
#[tokio::test]
async fn a_job_in_a_shard_that_is_no_longer_used_is_repaired() {
    const { assert!(DEFAULT_OPEN_SHARDS < SWEPT_SHARDS) };
    let world = World::new();
    let account = world.account(1).await;
    let template = job(&world, queued(&world, &account).await).await;
    let (id, ended) = (JobId::new(), Some(clock::now().minus(Duration::from_secs(1))));
    let (status, open) = (JobStatus::Processing, Some(Shard::Leased(SWEPT_SHARDS - 1).key()));
    let mut leased = Job { id, status, attempts: 1, ..template };
    leased.work.lease_until = ended;
    (leased.index.open, leased.index.due) = (open, ended);
    put_all(&world.context, std::iter::once(leased)).await;
    let _turn = TURN.lock().await;
    sweeper(&world).0.run().await.unwrap();
    let repaired = job(&world, id).await;
    assert_eq!(repaired.status, JobStatus::Queued);
    let own_shard = Shard::queued(repaired.queue, id, world.config.tables.open_shards).key();
    assert_eq!(repaired.index.open, Some(own_shard), "from here on it lies where new jobs do");
}

#[tokio::test]
async fn an_accounts_many_ends_are_counted_without_contending_for_its_counts() {
    /// Enough for three transactions.
    const JOBS: usize = 150;
    let world = World::new();
    let account = world.account(10_000).await;
    let job = job(&world, queued(&world, &account).await).await;
    // Not in any sweeper's shard.
    let index = IndexPlaces { uncounted: Some("test".into()), open: None, due: None, ..job.index };
    let template = Job { status: JobStatus::Completed, index, ..job };
    let jobs: Vec<Job> = (0..JOBS).map(|_| Job { id: JobId::new(), ..template.clone() }).collect();
    put_all(&world.context, jobs.iter().cloned()).await;
    world.watch.take_calls();
    world.count(jobs.iter().map(|job| job.id)).await;
    assert_eq!(world.watch.count("TransactWriteItems"), 3, "none is repeated");
    let usage = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
    assert_eq!(usage.total().completed, JOBS as u64);
}
