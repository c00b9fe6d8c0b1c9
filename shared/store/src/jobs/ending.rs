//! The end of a job: its final state, event and refund in one transaction. Apart from a refund, it writes no item that other jobs
//! write, so that mere counts can't fail a finished job.

use std::time::Duration;

use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};

use super::{Jobs, Written, uncounted};
use crate::dynamo::{Retries, Transacted, too_contended, transact, update};
use crate::events::StoredEvent;
use crate::item::{ENDED, OPEN, OUTCOME, Shard, UNCOUNTED, ended_shard, job_key, nested, number, string, time};
use crate::{StoreError, credits};
use docmill_domain::event::EventKind;
use docmill_domain::job::{Completion, Job, JobError, JobStatus, Refund, Times};
use docmill_domain::outcome::Outcome;
use docmill_domain::time::Timestamp;
use docmill_domain::tool::EngineKind;

/// Shortest time to retry an end. Retries go on until [`LEFT_OF_LEASE`] before the lease ends, so that a brief fault does not
/// waste a finished conversion.
pub(super) const PATIENCE: Duration = Duration::from_secs(4);
/// A worker stops retrying before its invocation and lease end.
const LEFT_OF_LEASE: Duration = Duration::from_secs(20);

/// What an update does with the place of a job in the index of open jobs.
struct Place {
    set: &'static str,
    remove: &'static str,
}

/// The end of a job while it is being written. The job's own write comes first.
struct Ending<'a> {
    job: &'a Job,
    at: Timestamp,
    writes: Vec<TransactWriteItem>,
}

/// The job is still in the state and attempt that were read, and so in the version that was read: a job is in each state of each
/// attempt only once.
const ITS_ATTEMPT: &str = "#status = :current AND attempts = :attempt";

/// The version that the job's end has, also in its event.
fn next_version(job: &Job) -> u64 {
    job.version + 1
}

/// The job in its final state.
fn ended(job: &Job, status: JobStatus, at: Timestamp) -> Job {
    let times = Times { finished_at: Some(at), ..job.times };
    Job { status, version: next_version(job), times, ..job.clone() }
}

impl Jobs {
    /// A job without a result leaves the index, unless an attempt may have stored files, or may still do so.
    fn leave_open(
        &self,
        update: UpdateBuilder,
        job: &Job,
        ended_at: Timestamp,
    ) -> Result<(UpdateBuilder, Place), StoreError> {
        let update = update.expression_attribute_names("#open", OPEN);
        if job.attempts == 0 {
            return Ok((update, Place { set: "", remove: ", #open, due" }));
        }
        let (open, due) = self.cleanup_after(job, ended_at);
        let update = update
            .expression_attribute_values(":open", nested(&open)?)
            .expression_attribute_values(":due", nested(&due)?);
        Ok((update, Place { set: ", #open = :open, due = :due", remove: "" }))
    }

    /// `processing → completed`.
    ///
    /// # Errors
    /// If it can't be written, although that was tried until shortly before the lease ends.
    pub async fn complete(&self, job: &Job, completion: &Completion) -> Result<Written, StoreError> {
        let at = completion.finished_at;
        let outcome = Outcome { tool: job.tool.clone(), engine: Some(completion.engine.name.clone()), error: None };
        let (update, noted) = self.terminal_update(job, Some(&outcome), at)?;
        // Earlier attempts may have stored files before they died.
        let (open, due) = match job.attempts {
            0 | 1 => (Some(Shard::kept(job.id, self.shards).key()), Some(completion.expires_at)),
            _ => self.cleanup_after(job, at),
        };
        let update = update
            .update_expression(format!(
                "SET #status = :next, version = :version, finished_at = :finished, expires_at = :expires, due = :due, \
                 #output = :output, output_key = :key, results = :results, steps = :steps, engine = :engine, \
                 timings = :timings, warnings = :warnings, traces = :traces, \
                 #open = :open{noted} \
                 REMOVE secret, delivered, lease_until",
            ))
            .expression_attribute_names("#output", "output")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":open", nested(&open)?)
            .expression_attribute_values(":due", nested(&due)?)
            .expression_attribute_values(":next", string(JobStatus::Completed.as_str()))
            .expression_attribute_values(":expires", time(completion.expires_at))
            .expression_attribute_values(":output", nested(&completion.output)?)
            .expression_attribute_values(":key", string(&completion.output_key))
            .expression_attribute_values(":results", nested(&completion.results)?)
            .expression_attribute_values(":steps", nested(&completion.steps)?)
            .expression_attribute_values(":engine", nested(&completion.engine)?)
            .expression_attribute_values(":timings", nested(&completion.timings)?)
            .expression_attribute_values(":warnings", nested(&completion.warnings)?)
            .expression_attribute_values(":traces", nested(&completion.traces)?);
        let mut ended = ended(job, JobStatus::Completed, at);
        ended.times.expires_at = Some(completion.expires_at);
        ended.result.output = Some(completion.output.clone());
        let writes = vec![self::update(update.build())?, self.event(&ended, EventKind::JobCompleted, at)?];
        Box::pin(self.end(Ending { job, at, writes })).await
    }

    /// `queued | processing → failed`, with a refund. `engine`: the engine that had the job, if known.
    ///
    /// # Errors
    /// If it can't be written, although that was tried for some seconds at least.
    pub async fn fail(
        &self,
        job: &Job,
        error: &JobError,
        engine: Option<EngineKind>,
        now: Timestamp,
    ) -> Result<Written, StoreError> {
        self.fail_with(job, error, engine, Refund::Full, now).await
    }

    /// The same with this refund.
    ///
    /// # Errors
    /// If it can't be written, although that was tried for some seconds at least.
    pub async fn fail_with(
        &self,
        job: &Job,
        error: &JobError,
        engine: Option<EngineKind>,
        refund: Refund,
        now: Timestamp,
    ) -> Result<Written, StoreError> {
        let mut writes = Vec::from(self.failure(job, error, engine, refund, now)?);
        writes.extend(self.refund(job, refund)?);
        Box::pin(self.end(Ending { job, at: now, writes })).await
    }

    /// The writes of a failure without those of its refund: of the job, and of its event.
    pub(super) fn failure(
        &self,
        job: &Job,
        error: &JobError,
        engine: Option<EngineKind>,
        refund: Refund,
        now: Timestamp,
    ) -> Result<[TransactWriteItem; 2], StoreError> {
        let refunded = refund.of(job);
        let engine = engine.map(|engine| engine.as_str().to_owned());
        let outcome = Outcome { tool: job.tool.clone(), engine, error: Some(error.code) };
        let (update, noted) = self.terminal_update(job, Some(&outcome), now)?;
        let (update, place) = self.leave_open(update, job, now)?;
        let update = update
            .update_expression(format!(
                "SET #status = :next, version = :version, finished_at = :finished, #error = :error, refunded = :refunded{noted}{} \
                 REMOVE secret, delivered, lease_until, waiting_for, held{}",
                place.set, place.remove
            ))
            .expression_attribute_names("#error", "error")
            .expression_attribute_values(":next", string(JobStatus::Failed.as_str()))
            .expression_attribute_values(":error", nested(error)?)
            .expression_attribute_values(":refunded", number(refunded));
        let mut ended = ended(job, JobStatus::Failed, now);
        ended.result.error = Some(error.clone());
        ended.payment.refunded = refunded;
        Ok([self::update(update.build())?, self.event(&ended, EventKind::JobFailed, now)?])
    }

    /// Timeline: A finishes after its lease ended and B claimed the job; or the sweeper fails the job while A completes it. Only
    /// the write that finds its own attempt in an unfinished state takes effect. The other one is superseded, so that a job has
    /// one end, one event, and one charge or refund. The update also adds the attributes for counting the end and for showing it
    /// to operators, except that cancellations are not shown to operators.
    fn terminal_update(
        &self,
        job: &Job,
        outcome: Option<&Outcome>,
        at: Timestamp,
    ) -> Result<(UpdateBuilder, String), StoreError> {
        let mut assignments = String::new();
        let mut update = Update::builder()
            .table_name(&self.table)
            .set_key(Some(job_key(job.id)))
            .condition_expression(ITS_ATTEMPT)
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":current", string(job.status.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":version", number(next_version(job)))
            .expression_attribute_values(":finished", time(at));
        if let Some(outcome) = outcome {
            assignments.push_str(", #ended = :ended, #outcome = :outcome");
            update = update
                .expression_attribute_names("#ended", ENDED)
                .expression_attribute_names("#outcome", OUTCOME)
                .expression_attribute_values(":ended", string(ended_shard(&at.day(), self.shards.of(job.id))))
                .expression_attribute_values(":outcome", nested(outcome)?);
        }
        if let Some(shard) = uncounted(job.id, job.mode, self.shards) {
            assignments.push_str(", #uncounted = :uncounted");
            update = update
                .expression_attribute_names("#uncounted", UNCOUNTED)
                .expression_attribute_values(":uncounted", string(shard));
        }
        Ok((update, assignments))
    }

    /// `queued | processing → canceled`, with a refund unless the result is being delivered. `None` if the job has changed since
    /// it was read.
    ///
    /// # Errors
    /// If it can't be written, although that was tried for some seconds at least.
    pub async fn cancel(&self, job: &Job, now: Timestamp) -> Result<Option<Job>, StoreError> {
        let refund = if job.delivery.delivering { Refund::Nothing } else { Refund::Full };
        let refunded = refund.of(job);
        let (update, noted) = self.terminal_update(job, None, now)?;
        let (update, place) = self.leave_open(update, job, now)?;
        let update = match refund {
            // Timeline: the owner's request reads the job, the worker begins to deliver its result, and the request cancels it
            // with a refund. The condition fails, and the request reads the job again.
            Refund::Full => update.condition_expression(format!("{ITS_ATTEMPT} AND attribute_not_exists(delivering)")),
            Refund::Nothing => update,
        };
        let update = update
            .update_expression(format!(
                // The lease says until when its worker may store files.
                "SET #status = :next, version = :version, finished_at = :finished, refunded = :refunded{noted}{} \
                 REMOVE secret, delivered, waiting_for, held{}",
                place.set, place.remove
            ))
            .expression_attribute_values(":next", string(JobStatus::Canceled.as_str()))
            .expression_attribute_values(":refunded", number(refunded));
        let mut canceled = ended(job, JobStatus::Canceled, now);
        canceled.payment.refunded = refunded;
        canceled.request.secret = None;
        canceled.waits.waiting_for = None;
        canceled.work.held = None;
        let mut writes = vec![self::update(update.build())?, self.event(&canceled, EventKind::JobCanceled, now)?];
        writes.extend(self.refund(job, refund)?);
        let written = Box::pin(self.end(Ending { job, at: now, writes })).await?;
        Ok((written == Written::Yes).then_some(canceled))
    }

    fn event(&self, ended: &Job, kind: EventKind, at: Timestamp) -> Result<TransactWriteItem, StoreError> {
        StoredEvent::of_job(ended, kind, at).put(&self.events_table)
    }

    /// Returns the charge to its period and source.
    fn refund(&self, job: &Job, refund: Refund) -> Result<Vec<TransactWriteItem>, StoreError> {
        match refund {
            Refund::Full => credits::refund(
                &self.usage_table,
                &job.account,
                job.payment.period,
                job.payment.charge,
                job.payment.till,
            ),
            Refund::Nothing => Ok(Vec::new()),
        }
    }

    /// Writes the end, with retries while there is time.
    async fn end(&self, mut ending: Ending<'_>) -> Result<Written, StoreError> {
        let lease_left = ending.job.work.lease_until.map_or(0, |until| until.millis_since(ending.at));
        let patience = Duration::from_millis(lease_left).saturating_sub(LEFT_OF_LEASE).max(PATIENCE);
        let mut retries = Retries::within(patience);
        loop {
            let refused = match transact(&self.client, ending.writes.clone()).await {
                Ok(Transacted::Committed) => return Ok(Written::Yes),
                Ok(Transacted::Failed(failed)) if failed.iter().any(|(position, _)| *position == 0) => {
                    return self.own_write_or_superseded(ending.job, ending.at).await;
                }
                // Timeline: an account is removed while its job waits. Nobody can get the refund, but the job must still end.
                Ok(Transacted::Failed(failed)) => {
                    tracing::warn!(job_id = %ending.job.id, "the account of a refund is gone");
                    for (position, _) in failed.into_iter().rev() {
                        ending.writes.remove(position);
                    }
                    continue;
                }
                Ok(Transacted::Contended(_)) => too_contended(),
                Err(error) => error,
            };
            retries.pause(refused).await?;
        }
    }

    /// A failed condition may mean that our own earlier write succeeded but its response was lost. The job's current state
    /// decides.
    ///
    /// Timeline: A's completion is written and its response lost. A's retry finds the end that A itself wrote. But if the sweeper
    /// has failed that attempt before, A finds another end, and its result is discarded.
    pub(super) async fn own_write_or_superseded(
        &self,
        job: &Job,
        finished_at: Timestamp,
    ) -> Result<Written, StoreError> {
        let current = self.get(job.id).await?;
        let ours = current
            .is_some_and(|current| current.attempts == job.attempts && current.times.finished_at == Some(finished_at));
        Ok(if ours { Written::Yes } else { Written::Superseded })
    }
}
