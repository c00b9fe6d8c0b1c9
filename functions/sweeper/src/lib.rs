//! The sweeper: once a minute, it finishes what queues and workers have left undone.
//!
//! It processes open jobs that are due: jobs whose lease has ended, queued jobs that no worker took, and completed jobs whose
//! output has expired. It also deletes what ended jobs and interrupted changes of templates have left in the bucket, counts created
//! and ended jobs, and calls the deliverer of webhooks
//! and the runner of batches. All of this runs in parallel and within a time limit, and the rest is left to
//! the next run. A job that can't be repaired does not delay others. Two runs at once do no harm, because every change is a
//! conditional write.

mod batches;
mod cleanup;
mod deliveries;
mod expiry;
mod leases;
mod missed_notices;
mod queued;
mod repairs;
mod templates;

use std::time::{Duration, Instant};

use docmill_app::context::Context;
use docmill_app::lanes::LaneError;
use docmill_app::notices::NoticeError;
use docmill_aws::files::FilesError;
use docmill_aws::queue::{Message, Queue, QueueError};
use docmill_config::clock;
use docmill_domain::job::{Job, JobError, JobId, JobStatus, Refund, SWEPT_SHARDS};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::health::Sweep;
use docmill_store::item::Shard;
use docmill_store::jobs::{DuePage, Written};
use docmill_telemetry as telemetry;
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};

use repairs::Repair;
pub use repairs::Repairs;

/// A run starts nothing new after this time. The next run continues, a minute after this one's start.
const RUN_TIME: Duration = Duration::from_secs(35);
/// Time limit for a single job.
const REPAIR_TIME: Duration = Duration::from_secs(10);
/// Most jobs of a shard that are repaired at the same time.
const AT_ONCE: usize = 8;

#[derive(Debug)]
pub struct Sweeper {
    pub context: Context,
    pub queue: Queue,
    /// The partitions that are swept, from the first on.
    shards: u8,
}

/// The time that a run works with, and its deadline.
#[derive(Clone, Copy, Debug)]
struct Run {
    now: Timestamp,
    ends_at: Instant,
}

#[derive(Debug, thiserror::Error)]
enum Obstacle {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Notice(#[from] NoticeError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error(transparent)]
    Lane(#[from] LaneError),
    #[error("its output could not be deleted")]
    OutputKept,
    #[error("the repair took too long")]
    TooSlow,
}

impl Run {
    fn is_over(&self) -> bool {
        Instant::now() >= self.ends_at
    }
}

impl Sweeper {
    pub fn new(context: Context) -> Self {
        Self::over(context, SWEPT_SHARDS)
    }

    /// For tables that are known to use only the first partitions.
    pub fn over(context: Context, shards: u8) -> Self {
        Self { queue: context.queue(), context, shards }
    }

    /// One run over all shards. It is recorded for operators; failing to record it is not an error.
    pub async fn run(&self) -> Result<Repairs, StoreError> {
        let now = clock::now();
        let repairs = self.run_at(now).await?;
        let Repairs { resent, released, failed, expired, errors, counted: _, untouched: _ } = repairs;
        let sweep = Sweep { at: now, resent, released, failed, expired, errors };
        if let Err(error) = self.context.health.record_sweep(&sweep).await {
            tracing::warn!(%error, "could not record the sweep");
        }
        Ok(repairs)
    }

    /// A run at the time `now`.
    pub async fn run_at(&self, now: Timestamp) -> Result<Repairs, StoreError> {
        let run = Run { now, ends_at: Instant::now() + RUN_TIME };
        let ends = missed_notices::Ends::default();
        let (leases, queued, waiting, counted, expired, cleaned, requests, templates, deliveries, batches) = futures_util::join!(
            self.all_shards(|shard| self.release_leases(shard, run)),
            self.look_after_queues(run),
            self.all_shards(|shard| self.look_after_waiting(shard, &ends, run)),
            // Boxed: otherwise this future's type is nested too deeply to compile.
            Box::pin(self.count_all_shards(run)),
            self.all_shards(|shard| self.expire_outputs(shard, run)),
            self.all_shards(|shard| self.clean_up(shard, run)),
            Box::pin(async { vec![self.delete_requests(run).await] }),
            Box::pin(self.delete_unnamed_template_files(run)),
            Box::pin(self.look_after_deliveries(run)),
            Box::pin(self.call_runners(run)),
        );
        let (mut repairs, mut unread) = (Repairs::default(), None);
        for swept in [leases, queued, waiting, counted, expired, cleaned, requests].into_iter().flatten() {
            match swept {
                Ok(done) => repairs += done,
                Err(error) => {
                    tracing::error!(%error, "open jobs could not be read");
                    unread = Some(error);
                }
            }
        }
        match templates {
            Ok(done) => repairs += done,
            // Nobody waits for it, and the next run tries again.
            Err(error) => {
                tracing::error!(%error, "files of templates could not be looked at");
                repairs.errors += 1;
            }
        }
        if let Err(error) = deliveries {
            tracing::error!(%error, "due webhooks could not be looked after");
        }
        if let Err(error) = batches {
            tracing::error!(%error, "due batches could not be looked after");
        }
        repairs.line().write();
        unread.map_or(Ok(repairs), Err)
    }

    /// All shards in parallel: one that can't be read does not delay others.
    async fn all_shards<F>(&self, sweep: impl Fn(u8) -> F) -> Vec<Result<Repairs, StoreError>>
    where
        F: Future<Output = Result<Repairs, StoreError>>,
    {
        join_all((0..self.shards).map(sweep)).await
    }

    /// Repairs a shard's due jobs in this state, page by page.
    async fn repair_due<F>(
        &self,
        shard: Shard,
        status: JobStatus,
        run: Run,
        repair: impl Fn(Job) -> F,
    ) -> Result<Repairs, StoreError>
    where
        F: Future<Output = Result<Repair, Obstacle>>,
    {
        let is_due = |job: &Job| job.status == status;
        self.repair_pages(shard, run, is_due, |due| self.repair_all(due, run, &repair)).await
    }

    /// The same with `repair` for each page's due jobs together. A page whose jobs can't be read does not delay the next ones.
    async fn repair_pages<F>(
        &self,
        shard: Shard,
        run: Run,
        is_meant: impl Fn(&Job) -> bool,
        repair: impl Fn(Vec<Job>) -> F,
    ) -> Result<Repairs, StoreError>
    where
        F: Future<Output = Repairs>,
    {
        let (jobs, mut repairs, mut from, mut unread) = (&self.context.jobs, Repairs::default(), None, None);
        // The index is late, so the job itself decides.
        let is_due = |job: &Job| is_meant(job) && job.index.due.is_some_and(|due| due <= run.now);
        while !run.is_over() {
            let DuePage { ids, next } = jobs.due(shard, run.now, from).await?;
            match jobs.get_all(&ids).await {
                Ok(found) => repairs += repair(found.into_iter().filter(is_due).collect()).await,
                Err(error) => unread = Some(error),
            }
            let Some(mark) = next else { break };
            from = Some(mark);
        }
        unread.map_or(Ok(repairs), Err)
    }

    /// Repairs several jobs at the same time. Failures do not delay others.
    async fn repair_all<F>(&self, jobs: Vec<Job>, run: Run, repair: impl Fn(Job) -> F) -> Repairs
    where
        F: Future<Output = Result<Repair, Obstacle>>,
    {
        let repairs: Vec<_> = jobs.into_iter().map(|job| repaired(job.id, repair(job), run)).collect();
        let repaired: Vec<Repairs> = stream::iter(repairs).buffer_unordered(AT_ONCE).collect().await;
        repaired.into_iter().sum()
    }

    /// One shard after the other: an account's jobs are in all of them and add to the same counts. Each run starts with another
    /// shard, so that none waits forever.
    async fn count_all_shards(&self, run: Run) -> Vec<Result<Repairs, StoreError>> {
        let minute = run.now.as_millis() / 60_000;
        let first = u8::try_from(minute.rem_euclid(self.shards.into())).unwrap_or_default();
        let mut counted = Vec::with_capacity(self.shards.into());
        for shard in (first..self.shards).chain(0..first) {
            counted.push(self.count(shard, run).await);
        }
        counted
    }

    /// Counts what was created and has ended since the last run. Pages that can't be counted do not delay others.
    async fn count(&self, shard: u8, run: Run) -> Result<Repairs, StoreError> {
        let (mut repairs, mut from, mut failed) = (Repairs::default(), None, None);
        while !run.is_over() {
            let DuePage { ids, next } = self.context.statistics.uncounted(shard, from).await?;
            match self.context.statistics.count(&ids, run.now).await {
                Ok(counted) => repairs.counted += u32::try_from(counted).unwrap_or(u32::MAX),
                Err(error) => failed = Some(error),
            }
            let Some(mark) = next else { break };
            from = Some(mark);
        }
        failed.map_or(Ok(repairs), Err)
    }

    async fn fail(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        let error = JobError::internal();
        // It is unknown whether an engine had the job when its worker was lost.
        match self.context.jobs.fail(job, &error, None, now).await? {
            Written::Yes => {
                self.notices().close(job, JobStatus::Failed, now).await;
                telemetry::job::failed(job, Refund::Full, error.code, "beyond the sweeper's help");
                Ok(Repair::Failed)
            }
            Written::Superseded => Ok(Repair::None),
        }
    }

    async fn send(&self, job: &Job) -> Result<(), Obstacle> {
        let message = Message::Convert { job_id: job.id };
        self.queue.send(job.queue, &job.account, &message).await?;
        Ok(())
    }
}

async fn repaired(id: JobId, repair: impl Future<Output = Result<Repair, Obstacle>>, run: Run) -> Repairs {
    if run.is_over() {
        return Repairs::default();
    }
    let repaired = tokio::time::timeout(REPAIR_TIME, repair).await;
    Repairs::of(id, repaired.unwrap_or(Err(Obstacle::TooSlow)))
}
