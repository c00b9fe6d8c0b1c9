//! The sweeper: what queues and workers left undone is finished, once.

use std::time::Duration;

use docmill::clock;
use docmill::domain::job::{Job, JobId, JobStatus, MAX_ATTEMPTS};
use docmill::store::jobs::Claim;
use serde_json::json;
use sweeper::Sweeper;

use crate::support::aws_watch::Watch;
use crate::support::http::{Answer, post};
use crate::support::world::{Account, World};

/// One sweeper at a time: two would both be right, but a test could not tell which one repaired its job.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

fn sweeper(world: &World) -> (Sweeper, Watch) {
    let watch = Watch::default();
    let aws = docmill::context::Aws::of_function().unwrap().with_interceptor(watch.interceptor());
    (Sweeper::new(docmill::context::Context::new(world.config.clone(), aws).unwrap()), watch)
}

/// A job for a tool whose queue no deployed worker reads in these tests' way: it is claimed by the test itself at once.
async fn queued(world: &World, account: &Account) -> JobId {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    // Without its message, no deployed worker competes with the test for the job.
    world.watch.inject((0..3).map(|_| crate::support::aws_watch::Fault::down("SendMessage")));
    let answer = Answer::of(create_job::handle(world.desk.clone(), request).await);
    JobId::parse(&answer.job_id()).unwrap()
}

async fn job(world: &World, id: JobId) -> Job {
    world.context.jobs.get(id).await.unwrap().unwrap()
}

/// Claims the job for an attempt whose lease has ended already.
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
    sweeper(&world).0.run().await.unwrap();
    let failed = job(&world, id).await;
    assert_eq!((failed.status, failed.refunded), (JobStatus::Failed, 1));
    assert_eq!(failed.error.unwrap().code.as_str(), "internal");
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
    assert!(released.attempts >= 1 && released.due > Some(clock::now()), "{released:?}");
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
    assert_eq!((after.status, after.due), (before.status, before.due));
}
