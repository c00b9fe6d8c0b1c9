//! The sweeper: once a minute it finishes what queues and workers left undone.
//!
//! It looks at open jobs whose time has come: queued ones that no worker took, processing ones whose lease has ended,
//! completed ones whose output has expired. Each run is bounded in time, and leaves the rest to the next. A job that cannot
//! be repaired holds up no other. Two runs at once do no harm, because every change is a conditional write.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use docmill::clock;
use docmill::context::Context;
use docmill::domain::job::{Job, JobError, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS, Payload};
use docmill::domain::time::Timestamp;
use docmill::domain::tool::QueueName;
use docmill::files::FilesError;
use docmill::queue::{Message, Queue};
use docmill::store::StoreError;
use docmill::store::health::Sweep;
use docmill::store::item::{OPEN_SHARDS, Shard};
use docmill::store::jobs::Written;
use docmill::telemetry::line::Line;
use docmill::telemetry::{self, field, metric};
use tracing::Level;

/// A run begins nothing new after this time: the next one, a minute after this one's start, goes on.
const RUN_TIME: Duration = Duration::from_secs(35);
/// No single job holds a run up for longer.
const REPAIR_TIME: Duration = Duration::from_secs(10);
/// After this long the bucket's lifecycle has deleted an output, whether we could or not.
const LIFECYCLE: Duration = Duration::from_secs(48 * 3600);
/// How soon a queued job is looked at again; it doubles with the job's age.
const FIRST_WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// While its queue has a backlog, a job's message is taken to be waiting in it for so long.
const PATIENCE: Duration = Duration::from_secs(15 * 60);
/// A job that was queued for so long is failed: its owner has long given up, and gets the credits back.
const LONGEST_QUEUED: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
pub struct Sweeper {
    pub context: Context,
    pub queue: Queue,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    pub resent: u32,
    pub released: u32,
    pub failed: u32,
    pub expired: u32,
    /// Jobs that had moved on by themselves, or were not yet in need.
    pub untouched: u32,
    /// Jobs that could not be repaired now; the next run sees them again.
    pub errors: u32,
}

/// A run on its way.
struct Run {
    now: Timestamp,
    ends_at: Instant,
    repairs: Repairs,
    /// The bucket did not answer: the rest of this run leaves expiries alone, so that leases and messages get their turn.
    files_are_down: bool,
    /// Whether a queue has messages that wait, as this run found it.
    backlogs: HashMap<QueueName, bool>,
}

/// What was done for one job.
enum Repair {
    Resent,
    Released,
    Failed,
    Expired,
    None,
}

#[derive(Debug, thiserror::Error)]
enum Obstacle {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] docmill::queue::QueueError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the repair took too long")]
    TooSlow,
}

impl Sweeper {
    pub fn new(context: Context) -> Self {
        Self { queue: context.queue(), context }
    }

    /// One run over all shards, of which word is left for operators. Without that word it was a run all the same.
    pub async fn run(&self) -> Result<Repairs, StoreError> {
        let now = clock::now();
        let repairs = self.run_at(now).await?;
        let Repairs { resent, released, failed, expired, errors, untouched: _ } = repairs;
        let sweep = Sweep { at: now, resent, released, failed, expired, errors };
        if let Err(error) = self.context.health.note_sweep(&sweep).await {
            tracing::warn!(%error, "operators will not see this run");
        }
        Ok(repairs)
    }

    /// A run that takes `now` for the time.
    pub async fn run_at(&self, now: Timestamp) -> Result<Repairs, StoreError> {
        let mut run = Run {
            now,
            ends_at: Instant::now() + RUN_TIME,
            repairs: Repairs::default(),
            files_are_down: false,
            backlogs: HashMap::new(),
        };
        // Each minute another shard comes first, so that a backlog in one does not starve the others.
        let first = u8::try_from(now.as_millis() / 60_000 % i64::from(OPEN_SHARDS)).unwrap_or(0);
        let mut unread = None;
        let numbers = (0..OPEN_SHARDS).map(|offset| (first + offset) % OPEN_SHARDS);
        // Bytes that are kept for a minute longer harm nobody: first whoever waits for a result.
        for shard in numbers.clone().map(Shard::Open).chain(numbers.map(Shard::Kept)) {
            if let Err(error) = self.sweep(shard, &mut run).await {
                tracing::error!(?shard, %error, "open jobs could not be read");
                unread = Some(error);
            }
        }
        line(&run.repairs).write();
        unread.map_or(Ok(run.repairs), Err)
    }

    /// All that is due in one shard, page by page: jobs that can't be repaired stay at its head and must not block it.
    async fn sweep(&self, shard: Shard, run: &mut Run) -> Result<(), StoreError> {
        let mut from = None;
        loop {
            let page = self.context.jobs.due(shard, run.now, from).await?;
            for id in page.ids {
                if Instant::now() >= run.ends_at {
                    return Ok(());
                }
                self.repair_and_count(id, run).await;
            }
            match page.next {
                Some(mark) => from = Some(mark),
                None => return Ok(()),
            }
        }
    }

    async fn repair_and_count(&self, id: JobId, run: &mut Run) {
        let repaired = tokio::time::timeout(REPAIR_TIME, self.repair(id, run)).await;
        match repaired.unwrap_or(Err(Obstacle::TooSlow)) {
            Ok(Repair::Resent) => run.repairs.resent += 1,
            Ok(Repair::Released) => run.repairs.released += 1,
            Ok(Repair::Failed) => run.repairs.failed += 1,
            Ok(Repair::Expired) => run.repairs.expired += 1,
            Ok(Repair::None) => run.repairs.untouched += 1,
            Err(error) => {
                tracing::error!(job_id = %id, %error, "a job could not be repaired");
                run.repairs.errors += 1;
                run.files_are_down |= matches!(error, Obstacle::Files(_) | Obstacle::TooSlow);
            }
        }
    }

    /// The index lags behind: the job itself decides.
    async fn repair(&self, id: JobId, run: &mut Run) -> Result<Repair, Obstacle> {
        let now = run.now;
        let Some(job) = self.context.jobs.get(id).await? else { return Ok(Repair::None) };
        if job.due.is_none_or(|due| due > now) {
            return Ok(Repair::None);
        }
        match job.status {
            JobStatus::Queued => self.requeue(&job, run).await,
            JobStatus::Processing => self.recover(&job, now).await,
            JobStatus::Completed if run.files_are_down => Ok(Repair::None),
            JobStatus::Completed => self.expire(&job, now).await,
            JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled => Ok(Repair::None),
        }
    }

    /// A queued job that nobody took. Behind a backlog its message is most likely waiting too: sent again for every look,
    /// the messages would multiply just when there are too many. Then it is sent for rarer looks, in case it was lost.
    async fn requeue(&self, job: &Job, run: &mut Run) -> Result<Repair, Obstacle> {
        let age = Duration::from_millis(run.now.millis_since(job.created_at));
        if age >= LONGEST_QUEUED || job.attempts >= MAX_ATTEMPTS {
            return self.fail(job, run.now).await;
        }
        let backlog = self.has_backlog(self.queue_of(job), run).await;
        let wait = age.clamp(FIRST_WAIT, if backlog { LONGEST_QUEUED } else { LONGEST_WAIT });
        let postponed = self.context.jobs.postpone(job, run.now.plus(wait)).await?;
        if postponed == Written::Superseded || backlog && age < PATIENCE {
            return Ok(Repair::None);
        }
        self.send(job).await?;
        Ok(Repair::Resent)
    }

    /// Asked once per run and queue. A queue that does not say counts as empty: a duplicate does no harm.
    async fn has_backlog(&self, queue: QueueName, run: &mut Run) -> bool {
        if let Some(known) = run.backlogs.get(&queue) {
            return *known;
        }
        let backlog = match self.queue.depth(queue).await {
            Ok(depth) => depth.waiting > 0,
            Err(error) => {
                tracing::warn!(%error, "a queue did not say how many messages wait in it");
                false
            }
        };
        run.backlogs.insert(queue, backlog);
        backlog
    }

    /// A job whose worker's lease has ended: for another attempt, if there is one left.
    async fn recover(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        if job.attempts >= MAX_ATTEMPTS {
            return self.fail(job, now).await;
        }
        match self.context.jobs.release(job, now.plus(FIRST_WAIT)).await? {
            Written::Yes => {
                self.send(job).await?;
                Ok(Repair::Released)
            }
            Written::Superseded => Ok(Repair::None),
        }
    }

    async fn fail(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        let message = "The job could not be finished on our side. The credits were given back; try again.";
        let error = JobError::new(JobErrorCode::Internal, message);
        // Whether an engine had it when its worker was lost is not known.
        match self.context.jobs.fail(job, &error, None, now).await? {
            Written::Yes => {
                self.forget_payload(job).await;
                telemetry::job::failed(job, error.code, "beyond the sweeper's help");
                Ok(Repair::Failed)
            }
            Written::Superseded => Ok(Repair::None),
        }
    }

    /// A failed job's request is of no more use. What can't be deleted now dies by lifecycle.
    async fn forget_payload(&self, job: &Job) {
        if let Some(Payload::Stored(key)) = &job.secret
            && let Err(error) = self.context.files.delete(key).await
        {
            tracing::warn!(job_id = %job.id, %error, "a stored request was left to its lifecycle");
        }
    }

    /// The bytes first, the state after: every read compares the time itself, so nobody is promised what is gone.
    ///
    /// Timeline: the sweeper dies between the two. The job is still open, and the next run deletes what is gone already
    /// and writes the state; the other way round the bytes would have been left over.
    async fn expire(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        if let Err(error) = self.context.files.delete_results(job).await {
            if job.due.is_some_and(|due| now < due.plus(LIFECYCLE)) {
                return Err(error.into());
            }
            tracing::warn!(job_id = %job.id, %error, "an expired output was left to its lifecycle");
        }
        match self.context.jobs.expire(job).await? {
            Written::Yes => Ok(Repair::Expired),
            Written::Superseded => Ok(Repair::None),
        }
    }

    async fn send(&self, job: &Job) -> Result<(), Obstacle> {
        let message = Message::Convert { job_id: job.id };
        self.queue.send(self.queue_of(job), &job.account, &message).await?;
        Ok(())
    }

    fn queue_of(&self, job: &Job) -> QueueName {
        self.context.catalogue.find(&job.tool).map_or(QueueName::Office, |tool| tool.definition.queue)
    }
}

fn line(repairs: &Repairs) -> Line {
    let Repairs { resent, released, failed, expired, untouched, errors } = *repairs;
    let counted = [
        (metric::REPAIRS_RESENT, resent),
        (metric::REPAIRS_RELEASED, released),
        (metric::REPAIRS_FAILED, failed),
        (metric::REPAIRS_EXPIRED, expired),
        (metric::REPAIR_ERRORS, errors),
    ];
    let line = Line::new(Level::INFO, "sweep finished").with(field::UNTOUCHED, untouched);
    counted.into_iter().fold(line, |line, (metric, count)| line.count(metric, count.into()))
}
