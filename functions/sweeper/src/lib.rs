//! The sweeper: once a minute it finishes what queues and workers left undone.
//!
//! It looks at open jobs whose time has come: queued ones that no worker took, processing ones whose lease has ended,
//! completed ones whose output has expired. Each run is bounded, and two runs at once do no harm, because every change is
//! a conditional write.

use std::time::Duration;

use docmill::clock;
use docmill::context::Context;
use docmill::domain::job::{Job, JobError, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS};
use docmill::domain::time::Timestamp;
use docmill::domain::tool::QueueName;
use docmill::files::Files;
use docmill::queue::{Message, Queue};
use docmill::store::StoreError;
use docmill::store::item::OPEN_SHARDS;
use docmill::store::jobs::Written;

/// Jobs of one shard that one run looks at.
const JOBS_PER_SHARD: i32 = 100;
/// How soon a queued job is looked at again; it doubles with the job's age.
const FIRST_WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// A job that was queued for so long is failed: its owner has long given up, and gets the credits back.
const LONGEST_QUEUED: Duration = Duration::from_secs(24 * 3600);

#[derive(Debug)]
pub struct Sweeper {
    pub context: Context,
    pub queue: Queue,
    pub files: Files,
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
}

impl Sweeper {
    pub fn new(context: Context) -> Self {
        Self { queue: context.queue(), files: context.files(), context }
    }

    /// One run over all shards.
    pub async fn run(&self) -> Result<Repairs, StoreError> {
        self.run_at(clock::now()).await
    }

    /// A run that takes `now` for the time.
    pub async fn run_at(&self, now: Timestamp) -> Result<Repairs, StoreError> {
        let mut repairs = Repairs::default();
        for shard in 0..OPEN_SHARDS {
            for id in self.context.jobs.due(shard, now, JOBS_PER_SHARD).await? {
                match self.repair(id, now).await {
                    Ok(Repair::Resent) => repairs.resent += 1,
                    Ok(Repair::Released) => repairs.released += 1,
                    Ok(Repair::Failed) => repairs.failed += 1,
                    Ok(Repair::Expired) => repairs.expired += 1,
                    Ok(Repair::None) => repairs.untouched += 1,
                    Err(error) => {
                        tracing::error!(job_id = %id, %error, "a job could not be repaired");
                        repairs.errors += 1;
                    }
                }
            }
        }
        let Repairs { resent, released, failed, expired, untouched, errors } = repairs;
        tracing::info!(resent, released, failed, expired, untouched, errors, "sweep finished");
        Ok(repairs)
    }

    /// The index lags behind: the job itself decides.
    async fn repair(&self, id: JobId, now: Timestamp) -> Result<Repair, Obstacle> {
        let Some(job) = self.context.jobs.get(id).await? else { return Ok(Repair::None) };
        if job.due.is_none_or(|due| due > now) {
            return Ok(Repair::None);
        }
        match job.status {
            JobStatus::Queued => self.requeue(&job, now).await,
            JobStatus::Processing => self.recover(&job, now).await,
            JobStatus::Completed => self.expire(&job).await,
            JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled => Ok(Repair::None),
        }
    }

    /// A queued job that nobody took. If its queue is not empty, its message may just be waiting; duplicates do no harm.
    async fn requeue(&self, job: &Job, now: Timestamp) -> Result<Repair, Obstacle> {
        let age = Duration::from_millis(now.millis_since(job.created_at));
        if age >= LONGEST_QUEUED || job.attempts >= MAX_ATTEMPTS {
            return self.fail(job, now).await;
        }
        let postponed = self.context.jobs.postpone(job, now.plus(age.clamp(FIRST_WAIT, LONGEST_WAIT))).await?;
        if postponed == Written::Superseded {
            return Ok(Repair::None);
        }
        self.send(job).await?;
        Ok(Repair::Resent)
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
        match self.context.jobs.fail(job, &error, now).await? {
            Written::Yes => Ok(Repair::Failed),
            Written::Superseded => Ok(Repair::None),
        }
    }

    /// The state first, the bytes after: a job must not be called completed when its output is gone.
    async fn expire(&self, job: &Job) -> Result<Repair, Obstacle> {
        if self.context.jobs.expire(job).await? == Written::Superseded {
            return Ok(Repair::None);
        }
        if let Some(key) = &job.output_key
            && let Err(error) = self.files.delete(key).await
        {
            tracing::warn!(job_id = %job.id, %error, "an expired output was left to its lifecycle");
        }
        Ok(Repair::Expired)
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
