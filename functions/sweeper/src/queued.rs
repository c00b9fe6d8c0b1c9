//! Queued jobs that no worker took. Their message is sent again, in case it was lost.
//!
//! If there is a backlog, the message is probably still waiting. Sending it at every check would multiply messages just when
//! there are too many. So young jobs are not checked at all, and older ones only rarely.

use std::time::Duration;

use docmill_app::lanes::Lanes;
use docmill_domain::job::{Job, JobStatus, MAX_ATTEMPTS, QUEUED_GRACE};
use docmill_domain::time::Timestamp;
use docmill_domain::tool::QueueName;
use docmill_store::StoreError;
use docmill_store::item::Shard;
use docmill_store::jobs::{DuePage, Lane, Written};
use futures_util::future::join_all;

use crate::{Obstacle, Repair, Repairs, Run, Sweeper};

/// When a queued job is checked again. This doubles with the job's age.
const FIRST_WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// While its queue has a backlog, a job's message is assumed to be waiting for this long.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// A job that was queued for this long fails and is refunded. Until then and for its attempts, the bucket's lifecycle keeps its
/// request and its upload, which may be an hour older.
const LONGEST_QUEUED: Duration = Duration::from_secs(20 * 3600);

impl Sweeper {
    pub(crate) async fn look_after_queues(&self, run: Run) -> Vec<Result<Repairs, StoreError>> {
        join_all(QueueName::ALL.map(|queue| self.look_after(queue, run))).await.into_iter().flatten().collect()
    }

    async fn look_after(&self, queue: QueueName, run: Run) -> Vec<Result<Repairs, StoreError>> {
        let shards = || (0..self.shards).map(|shard| Shard::Queued(queue, shard));
        let first = join_all(shards().map(|shard| self.context.jobs.due(shard, run.now, None))).await;
        if first.iter().all(|page| page.as_ref().is_ok_and(|page| page.ids.is_empty())) {
            return Vec::new();
        }
        let backlog = self.has_backlog(queue).await;
        join_all(shards().map(|shard| self.look_after_shard(shard, backlog, run))).await
    }

    /// If the backlog is unknown, the queue counts as empty: duplicate messages do no harm.
    async fn has_backlog(&self, queue: QueueName) -> bool {
        match self.queue.depth(queue).await {
            Ok(depth) => depth.waiting > 0,
            Err(error) => {
                tracing::warn!(%error, "the number of messages in a queue could not be read");
                false
            }
        }
    }

    async fn look_after_shard(&self, shard: Shard, backlog: bool, run: Run) -> Result<Repairs, StoreError> {
        let (jobs, mut repairs, mut from, mut unread) = (&self.context.jobs, Repairs::default(), None, None);
        // A job is first due at the end of its grace period.
        let until = if backlog { run.now.minus(PATIENCE - QUEUED_GRACE) } else { run.now };
        while !run.is_over() {
            let DuePage { ids, next } = jobs.due(shard, until, from).await?;
            match jobs.get_all(&ids).await {
                Ok(found) => {
                    let due = found.into_iter().filter(|job| is_due(job, run.now)).collect();
                    repairs += self.repair_all(due, run, |job| self.requeue(job, backlog, run.now)).await;
                }
                // A page that can't be read does not delay the next ones.
                Err(error) => unread = Some(error),
            }
            let Some(mark) = next.filter(|_| !backlog) else { break };
            from = Some(mark);
        }
        unread.map_or(Ok(repairs), Err)
    }

    async fn requeue(&self, job: Job, backlog: bool, now: Timestamp) -> Result<Repair, Obstacle> {
        let age = Duration::from_millis(now.millis_since(job.times.created_at));
        if age >= LONGEST_QUEUED || job.attempts >= MAX_ATTEMPTS {
            return self.fail(&job, now).await;
        }
        let longest = if backlog { LONGEST_QUEUED } else { LONGEST_WAIT };
        // Checked again before its last moment.
        let wait = age.clamp(FIRST_WAIT, longest).min((LONGEST_QUEUED - age).max(FIRST_WAIT));
        match self.context.jobs.postpone(&job, now.plus(wait)).await? {
            Written::Yes if job.work.held.is_some() => self.look_after_lane(&job, now).await,
            Written::Yes => {
                self.send(&job).await?;
                Ok(Repair::Resent)
            }
            Written::Superseded => Ok(Repair::None),
        }
    }

    /// A job is held back while its account has as many running jobs as it may.
    ///
    /// Timeline: a worker dies before it gives its slot back, or before it lets the next job go. The slot ends with its time, and
    /// the sweeper lets go as many jobs as there are free slots.
    async fn look_after_lane(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        let most = self.context.config.limits.clone().narrowed_by(&job.request.limits).running_jobs;
        let lanes = Lanes { jobs: &self.context.jobs, queue: &self.queue };
        Box::pin(lanes.look_after(&Lane::of(job), most, now)).await?;
        Ok(Repair::None)
    }
}

fn is_due(job: &Job, now: Timestamp) -> bool {
    job.status == JobStatus::Queued && job.index.due.is_some_and(|due| due <= now)
}
