//! The end of a job: its terminal state, its event, what it counts for and its refund, in one transaction.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};

use super::{Completion, Jobs, Written};
use crate::domain::api_key::Mode;
use crate::domain::event::{self, EventKind};
use crate::domain::job::{Job, JobError, JobStatus};
use crate::domain::outcome::Outcome;
use crate::domain::quota::warning_threshold;
use crate::domain::time::Timestamp;
use crate::domain::tool::EngineKind;
use crate::store::events::StoredEvent;
use crate::store::item::{
    ENDED, OPEN, OPEN_SHARDS, OUTCOME, Shard, UsageItem, ended_shard, job_key, nested, number, string, time,
};
use crate::store::transaction::back_off;
use crate::store::usage::{COMPLETED, FAILED, TOOL_CREDITS, day_counter};
use crate::store::{StoreError, store_error};

/// A terminal write meets other writes of the same account's month; a conflict passes within moments.
const TRIES: u32 = 8;

/// What a part of the transaction is there for, by which a refusal is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Job,
    Event,
    Outcome,
    Refund,
}

/// The parts that stay the same for all tries.
struct Ending<'a> {
    job: &'a Job,
    at: Timestamp,
    /// Which of the month's counters it moves.
    counter: &'static str,
    parts: Vec<(Part, TransactWriteItem)>,
}

/// The 80 % of a month's included credits, as a completion looks at them.
#[derive(Clone, Copy, Debug)]
struct Quota {
    /// Included credits that this job spends for good.
    spends: u64,
    threshold: u64,
    /// Whether the try takes the crossing for its own.
    crossing: bool,
}

enum Verdict {
    Superseded,
    /// The refunds that found no account.
    NobodyToRefund(Vec<usize>),
    /// The month's credits are not where this try took them to be: they cross the threshold with this job, or have
    /// crossed it before.
    OtherSideOfQuota,
    TryAgain,
    Hopeless,
}

impl Jobs {
    /// `processing → completed`, and one completion more in the account's month.
    pub async fn complete(&self, job: &Job, completion: &Completion) -> Result<Written, StoreError> {
        let at = completion.finished_at;
        let outcome = Outcome { tool: job.tool.clone(), engine: Some(completion.engine.name.clone()), error: None };
        let update = self
            .terminal_update(job, &outcome, at)?
            .update_expression(
                "SET #status = :next, finished_at = :finished, expires_at = :expires, due = :expires, \
                 #output = :output, output_key = :key, results = :results, steps = :steps, engine = :engine, \
                 timings = :timings, warnings = :warnings, \
                 #open = :kept, #ended = :ended, #outcome = :outcome \
                 REMOVE secret, lease_until",
            )
            .expression_attribute_names("#output", "output")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":kept", string(Shard::kept(job.id).key()))
            .expression_attribute_values(":next", string(JobStatus::Completed.as_str()))
            .expression_attribute_values(":expires", time(completion.expires_at))
            .expression_attribute_values(":output", nested(&completion.output)?)
            .expression_attribute_values(":key", string(&completion.output_key))
            .expression_attribute_values(":results", nested(&completion.results)?)
            .expression_attribute_values(":steps", nested(&completion.steps)?)
            .expression_attribute_values(":engine", nested(&completion.engine)?)
            .expression_attribute_values(":timings", nested(&completion.timings)?)
            .expression_attribute_values(":warnings", nested(&completion.warnings)?)
            .build()?;
        let ended = Job {
            status: JobStatus::Completed,
            finished_at: Some(at),
            expires_at: Some(completion.expires_at),
            output: Some(completion.output.clone()),
            ..job.clone()
        };
        let parts = vec![(Part::Job, write(update)), self.event(&ended, EventKind::JobCompleted, at)?];
        self.end(Ending { job, at, counter: COMPLETED, parts }, Quota::of(job)).await
    }

    /// `queued | processing → failed`, with the credits back where they came from. `engine`: the one that had the job, if
    /// one is known to have had it.
    pub async fn fail(
        &self,
        job: &Job,
        error: &JobError,
        engine: Option<EngineKind>,
        now: Timestamp,
    ) -> Result<Written, StoreError> {
        let refunded = job.charge.total();
        let engine = engine.map(|engine| engine.as_str().to_owned());
        let outcome = Outcome { tool: job.tool.clone(), engine, error: Some(error.code) };
        let update = self
            .terminal_update(job, &outcome, now)?
            .update_expression(
                "SET #status = :next, finished_at = :finished, #error = :error, refunded = :refunded, \
                 #ended = :ended, #outcome = :outcome \
                 REMOVE secret, lease_until, #open, due",
            )
            .expression_attribute_names("#error", "error")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":next", string(JobStatus::Failed.as_str()))
            .expression_attribute_values(":error", nested(error)?)
            .expression_attribute_values(":refunded", number(refunded))
            .build()?;
        let ended = Job {
            status: JobStatus::Failed,
            finished_at: Some(now),
            error: Some(error.clone()),
            refunded,
            ..job.clone()
        };
        let mut parts = vec![(Part::Job, write(update)), self.event(&ended, EventKind::JobFailed, now)?];
        parts.extend(self.refund(job)?.into_iter().map(|update| (Part::Refund, write(update))));
        self.end(Ending { job, at: now, counter: FAILED, parts }, None).await
    }

    /// Timeline: A finishes after its lease ended and B claimed; or the sweeper fails the job while A completes it. Only
    /// the write that still finds its own attempt in a state that may end takes effect; the other is superseded, so
    /// that a job ends once, tells so once, is counted once, and is charged or refunded once.
    fn terminal_update(&self, job: &Job, outcome: &Outcome, at: Timestamp) -> Result<UpdateBuilder, StoreError> {
        let update = Update::builder()
            .table_name(&self.table)
            .set_key(Some(job_key(job.id)))
            .condition_expression("#status = :current AND attempts = :attempt")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":current", string(job.status.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_names("#ended", ENDED)
            .expression_attribute_names("#outcome", OUTCOME)
            .expression_attribute_values(":finished", time(at))
            .expression_attribute_values(":ended", string(ended_shard(&at.day(), job.id.shard(OPEN_SHARDS))))
            .expression_attribute_values(":outcome", nested(outcome)?);
        Ok(update)
    }

    fn event(&self, ended: &Job, kind: EventKind, at: Timestamp) -> Result<(Part, TransactWriteItem), StoreError> {
        let event = StoredEvent::new(&ended.account, kind, at, event::job_ended(ended, at));
        Ok((Part::Event, event.put(&self.events_table)?))
    }

    /// Counts the job among the month's outcomes, and warns of its credits if it is this job that takes them over the
    /// threshold. Test jobs count for nothing.
    fn outcome(&self, ending: &Ending<'_>, quota: Option<Quota>) -> Result<Vec<(Part, TransactWriteItem)>, StoreError> {
        let Ending { job, at, counter, .. } = ending;
        if job.mode == Mode::Test {
            return Ok(Vec::new());
        }
        let counting = Update::builder()
            .table_name(&self.usage_table)
            .set_key(Some(UsageItem::Outcomes(job.period).key(&job.account)))
            .expression_attribute_names("#counter", *counter)
            .expression_attribute_names("#day", day_counter(job.created_at, counter))
            .expression_attribute_values(":one", number(1));
        let Some(Quota { spends, threshold, crossing }) = quota else {
            let update = counting.update_expression("ADD #counter :one, #day :one").build()?;
            return Ok(vec![(Part::Outcome, write(update))]);
        };
        let counters = "ADD #counter :one, #day :one, spent :spends";
        let counting = counting.expression_attribute_values(":spends", number(spends));
        if !crossing {
            let before = threshold.saturating_sub(spends);
            let nothing_spent = if before > 0 { "attribute_not_exists(spent) OR " } else { "" };
            let update = counting
                // Timeline: A and B complete at once, and the second of them takes the month over the threshold. It
                // finds `spent` at or beyond what it may find, and tries again as the one that crosses.
                .condition_expression(format!("{nothing_spent}spent < :before OR attribute_exists(warned_at)"))
                .update_expression(counters)
                .expression_attribute_values(":before", number(before))
                .build()?;
            return Ok(vec![(Part::Outcome, write(update))]);
        }
        let update = counting
            // Timeline: A and B both find that they cross. A's transaction warns; B finds the mark, and only counts.
            .condition_expression("attribute_not_exists(warned_at)")
            .update_expression(format!("SET warned_at = :now {counters}"))
            .expression_attribute_values(":now", time(*at))
            .build()?;
        let data = event::quota_warning(job.period, job.included_credits, threshold);
        let warning = StoredEvent::new(&job.account, EventKind::QuotaWarning, *at, data);
        Ok(vec![(Part::Outcome, write(update)), (Part::Event, warning.put(&self.events_table)?)])
    }

    /// Gives the charge back to the period and the source it came from.
    fn refund(&self, job: &Job) -> Result<Vec<Update>, StoreError> {
        let charge = job.charge;
        let mut updates = Vec::new();
        if charge.total() > 0 {
            let (back, balance) = match charge.included {
                0 => ("", "account"),
                _ => ("SET remaining = remaining + :included ", "remaining"),
            };
            let mut update = Update::builder()
                .table_name(&self.usage_table)
                .set_key(Some(UsageItem::Balance(job.period).key(&job.account)))
                // As for the profile below: no account, no refund.
                .condition_expression(format!("attribute_exists({balance})"))
                .update_expression(format!("{back}ADD used :less, #tool_credits :less"))
                .expression_attribute_names("#tool_credits", format!("{TOOL_CREDITS}{}", job.tool))
                .expression_attribute_values(":less", number(format!("-{}", charge.total())));
            if charge.included > 0 {
                update = update.expression_attribute_values(":included", number(charge.included));
            }
            updates.push(update.build()?);
        }
        if charge.granted > 0 {
            let update = Update::builder()
                .table_name(&self.usage_table)
                .set_key(Some(UsageItem::Profile.key(&job.account)))
                // An account that was removed meanwhile must not come back as an item of nothing but credits.
                .condition_expression("attribute_exists(account)")
                .update_expression("ADD granted :granted")
                .expression_attribute_values(":granted", number(charge.granted))
                .build()?;
            updates.push(update);
        }
        Ok(updates)
    }

    async fn end(&self, mut ending: Ending<'_>, mut quota: Option<Quota>) -> Result<Written, StoreError> {
        let mut last = None;
        for attempt in 0..TRIES {
            let mut parts = ending.parts.clone();
            parts.extend(self.outcome(&ending, quota)?);
            let (kinds, writes): (Vec<Part>, Vec<TransactWriteItem>) = parts.into_iter().unzip();
            let result = self.client.transact_write_items().set_transact_items(Some(writes)).send().await;
            let error = match result {
                Ok(_) => return Ok(Written::Yes),
                Err(error) => error,
            };
            last = Some(store_error(&error));
            match judge(&error, &kinds) {
                Verdict::Superseded => return self.own_write_or_superseded(ending.job, ending.at).await,
                Verdict::Hopeless => break,
                // Timeline: an account is removed while its job waits. There is nobody to give the credits back to, and
                // the job must end all the same.
                Verdict::NobodyToRefund(positions) => {
                    tracing::warn!(job_id = %ending.job.id, "a refund has lost its account");
                    for position in positions.into_iter().rev() {
                        ending.parts.remove(position);
                    }
                }
                Verdict::OtherSideOfQuota => quota = quota.map(|quota| Quota { crossing: !quota.crossing, ..quota }),
                Verdict::TryAgain => back_off(attempt).await,
            }
        }
        Err(last.unwrap_or_else(|| StoreError::Unavailable("no attempt was made".into())))
    }

    /// A failed condition may be our own earlier write, whose answer was lost: the job as it is now tells.
    ///
    /// Timeline: A's completion is written and its answer lost; A's repetition finds the end that it gave the job itself.
    /// But where the sweeper failed that attempt before, A finds another end, and its result counts for nothing.
    async fn own_write_or_superseded(&self, job: &Job, finished_at: Timestamp) -> Result<Written, StoreError> {
        let current = self.get(job.id).await?;
        let ours =
            current.is_some_and(|current| current.attempts == job.attempts && current.finished_at == Some(finished_at));
        Ok(if ours { Written::Yes } else { Written::Superseded })
    }
}

impl Quota {
    /// `None`: the job spends nothing of what is included.
    fn of(job: &Job) -> Option<Self> {
        let (spends, threshold) = (job.charge.included, warning_threshold(job.included_credits)?);
        // A job that reaches the threshold alone is sure to cross it, or to find it crossed.
        (spends > 0).then_some(Self { spends, threshold, crossing: spends >= threshold })
    }
}

fn write(update: Update) -> TransactWriteItem {
    TransactWriteItem::builder().update(update).build()
}

/// Reads a refused transaction by the parts whose conditions failed. The job's own comes first and decides.
fn judge(error: &SdkError<TransactWriteItemsError>, kinds: &[Part]) -> Verdict {
    if let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error() {
        let reasons = canceled.cancellation_reasons();
        let with = |wanted: &str| -> Vec<usize> {
            let codes = reasons.iter().enumerate();
            codes.filter(|(_, reason)| reason.code() == Some(wanted)).map(|(position, _)| position).collect()
        };
        let failed = with("ConditionalCheckFailed");
        let kind = failed.first().and_then(|position| kinds.get(*position));
        return match kind {
            Some(Part::Job) => Verdict::Superseded,
            _ if !with("ValidationError").is_empty() => Verdict::Hopeless,
            Some(Part::Outcome) => Verdict::OtherSideOfQuota,
            Some(Part::Refund) => Verdict::NobodyToRefund(failed),
            // An event's part carries no condition.
            Some(Part::Event) | None => Verdict::TryAgain,
        };
    }
    match store_error(error) {
        StoreError::Refused(_) => Verdict::Hopeless,
        StoreError::Unavailable(_) | StoreError::Malformed(_) => Verdict::TryAgain,
    }
}
