//! Tests one account's balance with sixteen environments at once, on a stub that refuses like DynamoDB. It must be exact although
//! environments die during their work. The speed is printed but not checked.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what is wrong by panicking")]
#![allow(clippy::print_stdout, reason = "it prints what it measures")]
#![allow(clippy::wildcard_enum_match_arm, reason = "what a test does not expect is wrong, whatever it is")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use bench_api::stub::Stub;
use bench_api::world::{Seed, queued_job};
use docmill_config::Tables;
use docmill_config::clock;
use docmill_domain::credits::Pots;
use docmill_domain::job::OpenShards;
use docmill_store::submission::{Created, Submission, Submissions};
use docmill_store::usage::Usage;
use rand::RngExt;

const ENVIRONMENTS: usize = 16;
/// More credits than can be spent.
const PLENTY: u64 = 1_000_000;

fn tables() -> Tables {
    let table = |name: &str| name.to_owned();
    Tables {
        keys: table("keys"),
        usage: table("usage"),
        jobs: table("jobs"),
        settings: table("settings"),
        events: table("events"),
        sessions: table("sessions"),
        open_shards: OpenShards::default(),
    }
}

/// A client with its own connections.
fn client(stub: &Stub) -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(25)))
        .endpoint_url(&stub.endpoint);
    aws_sdk_dynamodb::Client::from_conf(config.build())
}

/// Creates a job. Returns false if the credits are used up.
async fn create(environment: &Submissions, account: &str, cost: u64, included: u64) -> bool {
    let job = queued_job(account);
    let submission = Submission {
        now: job.times.created_at,
        job,
        idempotency: None,
        awaited: Vec::new(),
        gate: None,
        cost,
        included,
    };
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    match environment.create(submission, deadline).await.unwrap() {
        Created::Fresh(_) => true,
        Created::InsufficientCredits { .. } => false,
        other @ (Created::Replay(_)
        | Created::Mismatch
        | Created::AwaitedMoved
        | Created::GateClosed
        | Created::TestQuotaExhausted) => {
            panic!("{other:?}")
        }
    }
}

async fn pots(stub: &Stub, account: &str) -> (Pots, u64, u64) {
    let usage = Usage::new(client(stub), &tables()).of_month(account, clock::now().period()).await.unwrap();
    (usage.credits.pots, usage.credits.used, usage.credits.created)
}

/// All environments create jobs until the credits are used up. Some die and are replaced.
async fn spend_all(included: u64, granted: u64, cost: u64) {
    let seed = Seed::new().unwrap();
    let stub = Arc::new(Stub::with_conflicts(seed.empty_items(granted)).await.unwrap());
    let account: Arc<str> = seed.account().into();
    let began = Instant::now();
    let lives = (0..ENVIRONMENTS).map(|_| {
        let (stub, account) = (stub.clone(), account.clone());
        tokio::spawn(async move {
            let mut is_left = true;
            while is_left {
                let environment = Submissions::new(client(&stub), &tables());
                let life = async {
                    while create(&environment, &account, cost, included).await {}
                    false
                };
                // An environment may die between any two instructions, so that its last write may or may not take effect.
                let lifetime = Duration::from_millis(rand::rng().random_range(100..1500));
                is_left = tokio::time::timeout(lifetime, life).await.unwrap_or(true);
            }
        })
    });
    for life in lives.collect::<Vec<_>>() {
        life.await.unwrap();
    }
    let seconds = began.elapsed().as_secs_f64();
    let jobs = u64::try_from(stub.jobs()).unwrap();
    println!("{jobs} jobs of {cost} in {seconds:.1} s: {:.0} a second", jobs as f64 / seconds);
    let (pots, used, created) = pots(&stub, &account).await;
    assert_eq!((created, used), (jobs, jobs * cost), "every job that was written is charged, and nothing else");
    assert_eq!(pots.included_left(included) + pots.granted_left(), included + granted - used, "{pots:?}");
    assert!(pots.included_used() <= included, "{pots:?}");
    assert_eq!(jobs, (included + granted) / cost, "whatever can be spent is spent");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn included_credits_are_exact_to_the_credit() {
    spend_all(2500, 0, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn credits_of_both_kinds_are_exact_whatever_a_job_costs() {
    spend_all(500, 333, 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn granted_credits_are_exact_too() {
    spend_all(0, 600, 1).await;
}

/// `cargo test --workspace --test balance -- --ignored --nocapture`, best with nothing else on the machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "a measurement"]
async fn how_many_jobs_a_second_one_account_creates() {
    // The first ones never die.
    for lifetime in [None, Some(1000..5000)] {
        let seed = Seed::new().unwrap();
        let stub = Arc::new(Stub::with_conflicts(seed.empty_items(0)).await.unwrap());
        let account: Arc<str> = seed.account().into();
        let (began, time) = (Instant::now(), Duration::from_secs(10));
        let lives = (0..ENVIRONMENTS).map(|_| {
            let (stub, account, lifetime) = (stub.clone(), account.clone(), lifetime.clone());
            tokio::spawn(async move {
                while began.elapsed() < time {
                    let environment = Submissions::new(client(&stub), &tables());
                    let life = async {
                        while began.elapsed() < time {
                            assert!(create(&environment, &account, 1, PLENTY).await);
                        }
                    };
                    let lifetime = lifetime
                        .clone()
                        .map_or(time * 2, |lifetime| Duration::from_millis(rand::rng().random_range(lifetime)));
                    drop(tokio::time::timeout(lifetime, life).await);
                }
            })
        });
        for life in lives.collect::<Vec<_>>() {
            life.await.unwrap();
        }
        let (seconds, jobs) = (began.elapsed().as_secs_f64(), u64::try_from(stub.jobs()).unwrap());
        let lives = if lifetime.is_some() { "that die after 1 to 5 s" } else { "that live on" };
        println!("environments {lives}: {jobs} jobs in {seconds:.1} s, {:.0} a second", jobs as f64 / seconds);
        let (pots, used, created) = pots(&stub, &account).await;
        assert_eq!((created, used, pots.included_left(PLENTY)), (jobs, jobs, PLENTY - jobs));
    }
}
