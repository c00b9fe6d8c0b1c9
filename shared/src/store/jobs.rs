//! The Jobs table after creation: every transition of the state machine is one conditional write.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{
    ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update, builders::UpdateBuilder,
};

use uuid::Uuid;

use super::item::{Item, OPEN, UsageItem, from_item, job_key, nested, number, open_shard, string, time};
use super::keys::failed_condition;
use super::usage::TOOL_CREDITS;
use super::{StoreError, store_error};
use crate::domain::api_key::Mode;
use crate::domain::job::{EngineInfo, Job, JobError, JobId, JobStatus, MAX_ATTEMPTS, Output, Timings, Warning};
use crate::domain::time::Timestamp;

/// A terminal write meets other writes of the same account's month; a conflict passes within moments.
const TERMINAL_WRITE_TRIES: u32 = 8;
const DUE_PAGE: i32 = 100;

#[derive(Clone, Debug)]
pub struct Jobs {
    client: Client,
    table: String,
    usage_table: String,
}

/// What became of a worker's wish to process a job.
#[derive(Debug)]
pub enum Claim {
    /// The job is ours for this attempt, until its lease ends.
    Taken(Box<Job>),
    /// Another worker holds it, or it has ended: nothing to do.
    NotNeeded,
    /// All attempts are used up and the last lease has ended: the job must be failed.
    Exhausted(Box<Job>),
    Unknown,
}

/// What a completed job has to show.
#[derive(Clone, Debug)]
pub struct Completion {
    pub output: Output,
    pub output_key: String,
    pub engine: EngineInfo,
    pub timings: Timings,
    pub warnings: Vec<Warning>,
    pub finished_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Whether a conditional write took effect, or the job had moved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Yes,
    /// A late or duplicate worker: the job belongs to another attempt, or has ended.
    Superseded,
}

impl Jobs {
    pub fn new(client: Client, table: String, usage_table: String) -> Self {
        Self { client, table, usage_table }
    }

    /// A strongly consistent read.
    pub async fn get(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        let output = self
            .client
            .get_item()
            .table_name(&self.table)
            .set_key(Some(job_key(id)))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        output.item.map(from_item).transpose()
    }

    /// An update of a job's state, still without its condition.
    fn transition(&self, id: JobId) -> UpdateItemFluentBuilder {
        let update = self.client.update_item().table_name(&self.table).set_key(Some(job_key(id)));
        update.expression_attribute_names("#status", "status")
    }

    /// `queued → processing`, or `processing → processing` when the lease before has ended.
    pub async fn claim(&self, id: JobId, now: Timestamp, lease: Duration) -> Result<Claim, StoreError> {
        let lease_until = now.plus(lease);
        let claim_id = Uuid::now_v7().simple().to_string();
        let result = self
            .transition(id)
            // Timeline: the queue delivers the message twice. A claims; B finds `processing` with a live lease and lets
            // go. If A's environment dies, its lease ends, and the next delivery claims with the next attempt's number.
            // If only the answer to A's claim is lost, A's own repetition fails here, and finds its claim by its id.
            .condition_expression(
                "attribute_exists(id) AND attempts < :max \
                 AND (#status = :queued OR (#status = :processing AND lease_until <= :now))",
            )
            .update_expression(
                "SET #status = :processing, attempts = attempts + :one, lease_until = :lease, due = :lease, \
                 claim_id = :claim, started_at = if_not_exists(started_at, :now)",
            )
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":max", number(MAX_ATTEMPTS))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":lease", time(lease_until))
            .expression_attribute_values(":claim", string(&claim_id))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let old: Job = match result {
            Ok(output) => {
                let item = output.attributes.ok_or_else(|| StoreError::Malformed("no job came back".into()))?;
                return Ok(Claim::Taken(Box::new(from_item(item)?)));
            }
            Err(error) => match failed_condition(&error) {
                Some(Some(old)) => from_item(old)?,
                Some(None) => return Ok(Claim::Unknown),
                None => return Err(store_error(&error)),
            },
        };
        if old.status == JobStatus::Processing && old.claim_id == Some(claim_id) {
            return Ok(Claim::Taken(Box::new(old)));
        }
        let lease_ended = old.lease_until.is_none_or(|until| until <= now);
        let exhausted = !old.status.is_terminal() && old.attempts >= MAX_ATTEMPTS && lease_ended;
        Ok(if exhausted { Claim::Exhausted(Box::new(old)) } else { Claim::NotNeeded })
    }

    /// `processing → queued`: gives the attempt's place back after a fault of ours. The attempt stays counted.
    pub async fn release(&self, job: &Job, due: Timestamp) -> Result<Written, StoreError> {
        let result = self
            .transition(job.id)
            // Timeline: A's lease ends, B claims attempt 2, then A wants to release attempt 1: it must not touch B's.
            .condition_expression("#status = :processing AND attempts = :attempt")
            .update_expression("SET #status = :queued, due = :due REMOVE lease_until")
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":due", time(due))
            .send()
            .await;
        written(result)
    }

    /// `processing → completed`, and one completion more in the account's month, in one transaction.
    pub async fn complete(&self, job: &Job, completion: &Completion) -> Result<Written, StoreError> {
        let update = self
            .terminal_update(job)
            .update_expression(
                "SET #status = :next, finished_at = :finished, expires_at = :expires, due = :expires, \
                 #output = :output, output_key = :key, engine = :engine, timings = :timings, warnings = :warnings \
                 REMOVE secret, lease_until",
            )
            .expression_attribute_names("#output", "output")
            .expression_attribute_values(":next", string(JobStatus::Completed.as_str()))
            .expression_attribute_values(":finished", time(completion.finished_at))
            .expression_attribute_values(":expires", time(completion.expires_at))
            .expression_attribute_values(":output", nested(&completion.output)?)
            .expression_attribute_values(":key", string(&completion.output_key))
            .expression_attribute_values(":engine", nested(&completion.engine)?)
            .expression_attribute_values(":timings", nested(&completion.timings)?)
            .expression_attribute_values(":warnings", nested(&completion.warnings)?)
            .build()
            .map_err(malformed)?;
        let mut writes = vec![TransactWriteItem::builder().update(update).build()];
        writes.extend(self.count_outcome(job, "completed")?);
        self.write_terminal(job, completion.finished_at, writes).await
    }

    /// `queued | processing → failed`, with the credits back where they came from, in one transaction.
    pub async fn fail(&self, job: &Job, error: &JobError, now: Timestamp) -> Result<Written, StoreError> {
        let refund = job.charge;
        let update = self
            .terminal_update(job)
            .update_expression(
                "SET #status = :next, finished_at = :finished, #error = :error, refunded = :refunded \
                 REMOVE secret, lease_until, #open, due",
            )
            .expression_attribute_names("#error", "error")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":next", string(JobStatus::Failed.as_str()))
            .expression_attribute_values(":finished", time(now))
            .expression_attribute_values(":error", nested(error)?)
            .expression_attribute_values(":refunded", number(refund.total()))
            .build()
            .map_err(malformed)?;
        let mut writes = vec![TransactWriteItem::builder().update(update).build()];
        writes.extend(self.count_outcome(job, "failed")?);
        writes.extend(self.refund(job)?);
        self.write_terminal(job, now, writes).await
    }

    /// Timeline: A finishes after its lease ended and B claimed; or the sweeper fails the job while A completes it. Only
    /// the write that still finds its own attempt in a state that may end takes effect; the other is superseded, so
    /// that a job ends once, and is charged or refunded once.
    fn terminal_update(&self, job: &Job) -> UpdateBuilder {
        Update::builder()
            .table_name(&self.table)
            .set_key(Some(job_key(job.id)))
            .condition_expression("#status = :current AND attempts = :attempt")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":current", string(job.status.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
    }

    fn count_outcome(&self, job: &Job, counter: &str) -> Result<Option<TransactWriteItem>, StoreError> {
        if job.mode == Mode::Test {
            return Ok(None);
        }
        let update = Update::builder()
            .table_name(&self.usage_table)
            .set_key(Some(UsageItem::Outcomes(job.period).key(&job.account)))
            .update_expression("ADD #counter :one")
            .expression_attribute_names("#counter", counter)
            .expression_attribute_values(":one", number(1))
            .build()
            .map_err(malformed)?;
        Ok(Some(TransactWriteItem::builder().update(update).build()))
    }

    /// Gives the charge back to the period and the source it came from.
    fn refund(&self, job: &Job) -> Result<Vec<TransactWriteItem>, StoreError> {
        let charge = job.charge;
        let mut writes = Vec::new();
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
            writes.push(TransactWriteItem::builder().update(update.build().map_err(malformed)?).build());
        }
        if charge.granted > 0 {
            let update = Update::builder()
                .table_name(&self.usage_table)
                .set_key(Some(UsageItem::Profile.key(&job.account)))
                // An account that was removed meanwhile must not come back as an item of nothing but credits.
                .condition_expression("attribute_exists(account)")
                .update_expression("ADD granted :granted")
                .expression_attribute_values(":granted", number(charge.granted))
                .build()
                .map_err(malformed)?;
            writes.push(TransactWriteItem::builder().update(update).build());
        }
        Ok(writes)
    }

    async fn write_terminal(
        &self,
        job: &Job,
        finished_at: Timestamp,
        mut writes: Vec<TransactWriteItem>,
    ) -> Result<Written, StoreError> {
        let mut last = None;
        for attempt in 0..TERMINAL_WRITE_TRIES {
            let result = self.client.transact_write_items().set_transact_items(Some(writes.clone())).send().await;
            let error = match result {
                Ok(_) => return Ok(Written::Yes),
                Err(error) => error,
            };
            match judge(&error) {
                Verdict::Superseded => return self.own_write_or_superseded(job, finished_at).await,
                Verdict::Hopeless => return Err(store_error(&error)),
                // Timeline: an account is removed while its job waits. There is nobody to give the credits back to, and
                // the job must end all the same.
                Verdict::NobodyToRefund(parts) => {
                    tracing::warn!(job_id = %job.id, "a refund has lost its account");
                    for part in parts.into_iter().rev() {
                        writes.remove(part);
                    }
                    last = Some(store_error(&error));
                    continue;
                }
                Verdict::TryAgain => last = Some(store_error(&error)),
            }
            tokio::time::sleep(Duration::from_millis(20 << attempt)).await;
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

    /// `completed → expired`: nothing is due any more.
    pub async fn expire(&self, job: &Job) -> Result<Written, StoreError> {
        let result = self
            .transition(job.id)
            // Two sweepers at once: the second one's write finds `expired` and does nothing.
            .condition_expression("#status = :completed")
            .update_expression("SET #status = :expired REMOVE #open, due, output_key")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":completed", string(JobStatus::Completed.as_str()))
            .expression_attribute_values(":expired", string(JobStatus::Expired.as_str()))
            .send()
            .await;
        written(result)
    }

    /// Moves the moment at which the sweeper looks at a queued job again.
    pub async fn postpone(&self, job: &Job, due: Timestamp) -> Result<Written, StoreError> {
        let Some(seen_due) = job.due else { return Ok(Written::Superseded) };
        let result = self
            .transition(job.id)
            // Two sweepers at once: the one that moves `due` sends the message, the other one's condition fails.
            .condition_expression("#status = :queued AND due = :seen")
            .update_expression("SET due = :due")
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":seen", time(seen_due))
            .expression_attribute_values(":due", time(due))
            .send()
            .await;
        written(result)
    }

    /// A page of one shard's open jobs that were due before `now`, the longest due first; `from`: where the page before
    /// ended.
    pub async fn due(&self, shard: u8, now: Timestamp, from: Option<DueMark>) -> Result<DuePage, StoreError> {
        let output = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(OPEN)
            .key_condition_expression("#open = :shard AND due <= :now")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":shard", string(shard.to_string()))
            .expression_attribute_values(":now", time(now))
            .limit(DUE_PAGE)
            .set_exclusive_start_key(from.map(|DueMark(key)| key))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let id = |item: &Item| item.get("id").and_then(|id| id.as_s().ok()).and_then(|id| JobId::parse(id));
        let ids = output.items.unwrap_or_default().iter().map(id).collect::<Option<_>>();
        let ids = ids.ok_or_else(|| StoreError::Malformed("an open job without an id".into()))?;
        Ok(DuePage { ids, next: output.last_evaluated_key.map(DueMark) })
    }
}

/// Jobs that are due, and where to go on.
#[derive(Debug)]
pub struct DuePage {
    pub ids: Vec<JobId>,
    pub next: Option<DueMark>,
}

/// A place in the index of open jobs.
#[derive(Debug)]
pub struct DueMark(Item);

/// The index attributes of a job about which something is to be done at `due`.
pub fn open_until(id: JobId, due: Timestamp) -> (Option<String>, Option<Timestamp>) {
    (Some(open_shard(id)), Some(due))
}

/// Whether a conditional update took effect.
fn written(result: Result<UpdateItemOutput, SdkError<UpdateItemError>>) -> Result<Written, StoreError> {
    match result {
        Ok(_) => Ok(Written::Yes),
        Err(error) if failed_condition(&error).is_some() => Ok(Written::Superseded),
        Err(error) => Err(store_error(&error)),
    }
}

enum Verdict {
    Superseded,
    /// The parts that found no account, in ascending order; the job's own part is none of them.
    NobodyToRefund(Vec<usize>),
    TryAgain,
    Hopeless,
}

/// Reads a failed terminal transaction: the job's own condition is its first item.
fn judge(error: &SdkError<TransactWriteItemsError>) -> Verdict {
    if let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error() {
        let reasons = canceled.cancellation_reasons();
        let with = |wanted: &str| -> Vec<usize> {
            let codes = reasons.iter().enumerate();
            codes.filter(|(_, reason)| reason.code() == Some(wanted)).map(|(position, _)| position).collect()
        };
        let failed = with("ConditionalCheckFailed");
        return match failed.first() {
            Some(0) => Verdict::Superseded,
            _ if !with("ValidationError").is_empty() => Verdict::Hopeless,
            Some(_) => Verdict::NobodyToRefund(failed),
            None => Verdict::TryAgain,
        };
    }
    match store_error(error) {
        StoreError::Refused(_) => Verdict::Hopeless,
        StoreError::Unavailable(_) | StoreError::Malformed(_) => Verdict::TryAgain,
    }
}

fn malformed(error: BuildError) -> StoreError {
    StoreError::Malformed(error.to_string())
}
