//! Measures the sweeper under load: ended leases and expired results behind a backlog of queued jobs. Run by `make
//! bench-sweeper`; QUEUED, LEASES and EXPIRED set other numbers.
//!
//! A run begins every minute, so a lease is repaired within a minute plus the run's time.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::time::{Duration, Instant};

use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::job::{IndexPlaces, Job, JobId, JobStatus, MAX_ATTEMPTS, OpenShards, QUEUED_GRACE};
use docmill_domain::time::Timestamp;
use docmill_store::item::Shard;
use docmill_store::jobs::open_until;
use functions::sweeper::{Repairs, Sweeper};

use crate::support::jobs::put_all;
use crate::support::stage::Stage;
use crate::support::world::patient_aws;

/// One in this many ended leases was the last attempt.
const EXHAUSTED: usize = 20;
const MINUTE: Duration = Duration::from_secs(60);

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

/// Counted jobs of the last half hour that are queued with a message.
fn queued(template: &Job, now: Timestamp, index: usize, of: usize) -> Job {
    let age = Duration::from_secs(1800) * u32::try_from(index).unwrap() / u32::try_from(of).unwrap();
    let (id, created_at) = (JobId::new(), now.minus(age));
    let (open, due) =
        open_until(Shard::queued(template.queue, id, OpenShards::default()), created_at.plus(QUEUED_GRACE));
    let mut job = Job { id, ..template.clone() };
    job.times.created_at = created_at;
    (job.index.open, job.index.due) = (open, due);
    job
}

/// Jobs of dead workers whose leases ended within the last minute.
fn leased(template: &Job, now: Timestamp, index: usize, of: usize) -> Job {
    let ended = now.minus(MINUTE * u32::try_from(index).unwrap() / u32::try_from(of).unwrap());
    let id = JobId::new();
    let attempts = if index.is_multiple_of(EXHAUSTED) { MAX_ATTEMPTS } else { 1 };
    let (status, open) = (JobStatus::Processing, Some(Shard::leased(id, OpenShards::default()).key()));
    let mut job = Job { id, status, attempts, ..template.clone() };
    job.work.lease_until = Some(ended);
    (job.index.open, job.index.due) = (open, Some(ended));
    job
}

/// Completed jobs with expired results. Their objects never existed, which makes no difference for deletion.
fn kept(template: &Job, now: Timestamp) -> Job {
    let (id, expired) = (JobId::new(), Some(now.minus(MINUTE)));
    let output_key = Some(format!("outputs/day/{}/{id}/1/0", template.account));
    let (status, open) = (JobStatus::Completed, Some(Shard::kept(id, OpenShards::default()).key()));
    let mut job = Job { id, status, ..template.clone() };
    job.times.expires_at = expired;
    job.result.output_key = output_key;
    (job.index.open, job.index.due) = (open, expired);
    job.request.secret = None;
    job
}

/// How many of these jobs have this state, by strongly consistent reads.
async fn count(context: &Context, ids: &[JobId], status: JobStatus) -> usize {
    let jobs = context.jobs.get_all(ids).await.unwrap();
    jobs.iter().filter(|job| job.status == status).count()
}

/// Sweeps every minute until nothing is `left`, and reports how long each run took.
async fn sweep(name: &str, sweeper: &Sweeper, left: impl AsyncFn() -> usize) -> Repairs {
    let mut all = Repairs::default();
    for run in 1..=10 {
        let began = Instant::now();
        let repairs = sweeper.run_at(clock::now()).await.unwrap();
        let (seconds, left) = (began.elapsed().as_secs_f64(), left().await);
        println!("{name}, run {run}: {seconds:.1} s, {left} left, {repairs:?}");
        all += repairs;
        if left == 0 {
            return all;
        }
    }
    panic!("{name}: ten runs were not enough");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: `make bench-sweeper`"]
async fn ended_leases_and_expired_results_behind_a_backlog() {
    let (queued_jobs, leases, expired) = (number("QUEUED", 100_000), number("LEASES", 1_000), number("EXPIRED", 5_000));
    let stage = Stage::new().await;
    // Its message waits in the queue: a backlog.
    let account = stage.world.account_on(&stage.plan_with_none, 1_000_000).await;
    let template = stage.job(stage.create(&account, "<p>x").await).await;
    let index = IndexPlaces { uncounted: None, creation_counted: true, ..template.index };
    let template = Job { index, ..template };
    let context = &stage.auditor;
    let sweeper = Sweeper::new(Context::new(context.config.clone(), patient_aws()).unwrap());

    let began = Instant::now();
    let now = clock::now();
    put_all(context, (0..queued_jobs).map(|index| queued(&template, now, index, queued_jobs))).await;
    println!("{queued_jobs} queued jobs written in {:.0} s", began.elapsed().as_secs_f64());
    let alone = Instant::now();
    let idle = sweeper.run_at(clock::now()).await.unwrap();
    println!("a run over the backlog alone: {:.1} s, {idle:?}", alone.elapsed().as_secs_f64());

    let now = clock::now();
    let jobs: Vec<Job> = (0..leases).map(|index| leased(&template, now, index, leases)).collect();
    let held: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
    put_all(context, jobs.into_iter()).await;
    let repairs = sweep("leases", &sweeper, async || count(context, &held, JobStatus::Processing).await).await;
    let last_attempts = leases.div_ceil(EXHAUSTED);
    assert_eq!(count(context, &held, JobStatus::Failed).await, last_attempts);
    assert_eq!(count(context, &held, JobStatus::Queued).await, leases - last_attempts);
    assert_eq!((repairs.released as usize, repairs.failed as usize), (leases - last_attempts, last_attempts));

    let now = clock::now();
    let jobs: Vec<Job> = (0..expired).map(|_| kept(&template, now)).collect();
    let ended: Vec<JobId> = jobs.iter().map(|job| job.id).collect();
    put_all(context, jobs.into_iter()).await;
    let repairs = sweep("expiries", &sweeper, async || count(context, &ended, JobStatus::Completed).await).await;
    assert_eq!((repairs.expired as usize, count(context, &ended, JobStatus::Expired).await), (expired, expired));
    stage.remove().await;
}
