//! The Jobs table after creation. Every transition of the state machine is one conditional write.

mod awaited;
mod cleanup;
mod deletion;
mod ending;
mod failing;
mod held;
mod listing;
mod slots;

pub use awaited::{WAITING_GRACE, Wait};
pub use held::Lane;
pub use listing::{JobFilter, JobMark, JobsPage};
pub use slots::{Occupancy, Slot};

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::builders::KeysAndAttributesBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnValue, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;
use uuid::Uuid;

use super::dynamo::{failed_condition, get, get_items, glimpse, only, readable, send};
use super::item::{Item, OPEN, Shard, from_item, job_key, nested, number, string, time};
use super::{StoreError, store_error};
use docmill_config::Tables;
use docmill_domain::api_key::Mode;
use docmill_domain::job::{Job, JobId, JobStatus, MAX_ATTEMPTS, NotedProgress, OpenShards, Progress};
use docmill_domain::time::Timestamp;

const DUE_PAGE: i32 = 250;

/// Jobs that exist. [`submission`](crate::submission) creates them.
#[derive(Clone, Debug)]
pub struct Jobs {
    client: Client,
    table: String,
    usage_table: String,
    events_table: String,
    shards: OpenShards,
}

/// What a job's state depends on.
#[derive(Deserialize)]
struct State {
    status: JobStatus,
    #[serde(default)]
    expires_at: Option<Timestamp>,
}

/// The outcome of a worker's claim.
#[derive(Debug)]
pub enum Claim {
    /// The caller owns this attempt until its lease ends.
    Taken(Box<Job>),
    /// Another worker holds the job, or it has ended.
    NotNeeded,
    /// All attempts are used and the last lease has ended: the job must fail.
    Exhausted(Box<Job>),
    /// There is no such job.
    Unknown,
}

/// Whether a conditional write took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The job has changed.
    Yes,
    /// A late or duplicate worker: the job belongs to another attempt or has ended.
    Superseded,
}

impl Jobs {
    /// Over the tables Jobs, Usage and Events.
    pub fn new(client: Client, tables: &Tables) -> Self {
        let Tables { jobs, usage, events, open_shards, .. } = tables;
        let (table, usage_table, events_table) = (jobs.clone(), usage.clone(), events.clone());
        Self { client, table, usage_table, events_table, shards: *open_shards }
    }

    /// A strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        get(&self.client, &self.table, job_key(id)).await
    }

    /// A job of this account. Jobs of others, unknown jobs and invalid ids give `None` after the same read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get_own(&self, account: &str, id: &str, now: Timestamp) -> Result<Option<Job>, StoreError> {
        let job = self.get(JobId::parse(id).unwrap_or(JobId::NONE)).await?;
        Ok(job.filter(|job| job.is_of(account, now)))
    }

    /// An eventually consistent read at half the price. It may miss a recent end, but an end that it shows is final.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn glimpse(&self, id: JobId) -> Result<Option<Job>, StoreError> {
        glimpse(&self.client, &self.table, job_key(id)).await
    }

    /// Strongly consistent reads of several jobs in any order. Unreadable ones are logged and left out.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get_all(&self, ids: &[JobId]) -> Result<Vec<Job>, StoreError> {
        let wanted = KeysAndAttributes::builder().consistent_read(true);
        Ok(readable(self.items(ids, &wanted).await?))
    }

    /// Eventually consistent reads of several jobs, at half the price.
    pub(super) async fn glimpse_all(&self, ids: &[JobId]) -> Result<Vec<Job>, StoreError> {
        Ok(readable(self.items(ids, &KeysAndAttributes::builder()).await?))
    }

    /// The states of these jobs, by strongly consistent reads. Only jobs that do not exist are left out: an unreadable job has no
    /// state, but it is there.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn states(&self, ids: &[JobId], now: Timestamp) -> Result<HashMap<JobId, Option<JobStatus>>, StoreError> {
        let items = self.items(ids, &only(&["id", "status", "expires_at"]).consistent_read(true)).await?;
        let state = |item: Item| {
            let id = item.get("id").and_then(|id| JobId::parse(id.as_s().ok()?))?;
            let state = readable(vec![item]).pop().map(|State { status, expires_at }| status.at(expires_at, now));
            Some((id, state))
        };
        Ok(items.into_iter().filter_map(state).collect())
    }

    async fn items(&self, ids: &[JobId], wanted: &KeysAndAttributesBuilder) -> Result<Vec<Item>, StoreError> {
        get_items(&self.client, &self.table, ids.iter().map(|id| job_key(*id)).collect(), wanted).await
    }

    /// An update of a job's state, without its condition.
    fn transition(&self, id: JobId) -> UpdateItemFluentBuilder {
        let update = self.client.update_item().table_name(&self.table).set_key(Some(job_key(id)));
        update.expression_attribute_names("#status", "status")
    }

    /// `queued → processing`, or `processing → processing` once the previous lease has ended.
    ///
    /// # Errors
    /// If the table can't be written now. Then nobody may be able to claim the job until `lease` has passed.
    pub async fn claim(&self, id: JobId, now: Timestamp, lease: Duration) -> Result<Claim, StoreError> {
        let lease_until = now.plus(lease);
        let claim_id = Uuid::now_v7().simple().to_string();
        let claim = self
            .transition(id)
            // Timeline: the queue delivers the message twice. A claims the job; B finds `processing` with an active lease and
            // gives up. If A's environment dies, its lease ends, and the next delivery claims the next attempt. If only the
            // response to A's claim is lost, A's retry fails here and recognises its claim by the id. A job that waits for others
            // has no message, but a stray one must not start it either.
            .condition_expression(
                "attribute_exists(id) AND attribute_not_exists(waiting_for) AND attempts < :max \
                 AND (#status = :queued OR (#status = :processing AND lease_until <= :now))",
            )
            .update_expression(
                "SET #status = :processing, attempts = attempts + :one, lease_until = :lease, due = :lease, \
                 #open = :leased, claim_id = :claim, started_at = if_not_exists(started_at, :now) \
                 REMOVE held ADD version :one",
            )
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":leased", string(Shard::leased(id, self.shards).key()))
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":max", number(MAX_ATTEMPTS))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":lease", time(lease_until))
            .expression_attribute_values(":claim", string(&claim_id))
            .return_values(ReturnValue::AllNew)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let old: Job = match Box::pin(send(claim)).await {
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
        if old.status == JobStatus::Processing && old.work.claim_id == Some(claim_id) {
            return Ok(Claim::Taken(Box::new(old)));
        }
        let lease_ended = old.work.lease_until.is_none_or(|until| until <= now);
        let exhausted = !old.status.is_terminal() && old.attempts >= MAX_ATTEMPTS && lease_ended;
        Ok(if exhausted { Claim::Exhausted(Box::new(old)) } else { Claim::NotNeeded })
    }

    /// Notes that the job's result is about to be sent to its owner. Canceling the job refunds nothing from then on.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_delivery(&self, job: &Job) -> Result<Written, StoreError> {
        let update = self
            .transition(job.id)
            // Timeline: the owner cancels the job with a refund before this write. It fails, and nothing is sent.
            .condition_expression("#status = :processing AND attempts = :attempt")
            .update_expression("SET delivering = :yes")
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":yes", AttributeValue::Bool(true));
        written(Box::pin(send(update)).await)
    }

    /// Notes how far the attempt is.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_progress(&self, job: &Job, progress: Progress) -> Result<Written, StoreError> {
        let noted = NotedProgress { attempt: job.attempts, progress };
        let update = self
            .transition(job.id)
            // Timeline: A's lease ends, B claims attempt 2, then A tells its progress. B's stays as it is.
            // Timeline: the job is deleted before this write. Nothing is added to what is left of it.
            .condition_expression("#status = :processing AND attempts = :attempt")
            .update_expression("SET progress = :progress")
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":progress", nested(&noted)?);
        written(Box::pin(send(update)).await)
    }

    /// `processing → queued`: returns the job after a fault on our side. The attempt stays counted.
    ///
    /// # Errors
    /// If the table can't be written now. Then the job is released when its lease ends.
    pub async fn release(&self, job: &Job, due: Timestamp) -> Result<Written, StoreError> {
        let update = self
            .transition(job.id)
            // Timeline: A's lease ends, B claims attempt 2, then A tries to release attempt 1. This must not affect B's.
            .condition_expression("#status = :processing AND attempts = :attempt")
            .update_expression("SET #status = :queued, due = :due, #open = :open REMOVE lease_until ADD version :one")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":open", string(Shard::queued(job.queue, job.id, self.shards).key()))
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":due", time(due));
        written(Box::pin(send(update)).await)
    }

    /// `completed → expired`: no further work is due. `removed_at`: when the files had been removed, if they are known to be.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn expire(&self, job: &Job, removed_at: Option<Timestamp>) -> Result<Written, StoreError> {
        let removed = if removed_at.is_some() { ", removed_at = :removed" } else { "" };
        let update = self
            .transition(job.id)
            // If two sweepers run at once, the second finds `expired` and does nothing.
            .condition_expression("#status = :completed")
            .update_expression(format!(
                "SET #status = :expired{removed} REMOVE #open, due, output_key ADD version :one"
            ))
            .set_expression_attribute_values(removed_at.map(|at| HashMap::from([(":removed".to_owned(), time(at))])))
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":completed", string(JobStatus::Completed.as_str()))
            .expression_attribute_values(":expired", string(JobStatus::Expired.as_str()));
        written(Box::pin(send(update)).await)
    }

    /// Changes when the sweeper looks at a queued job again.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn postpone(&self, job: &Job, due: Timestamp) -> Result<Written, StoreError> {
        let Some(seen_due) = job.index.due else { return Ok(Written::Superseded) };
        let update = self
            .transition(job.id)
            // If two sweepers run at once, the one that changes `due` sends the message, and the other's condition fails.
            .condition_expression("#status = :queued AND due = :seen")
            .update_expression("SET due = :due")
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":seen", time(seen_due))
            .expression_attribute_values(":due", time(due));
        written(Box::pin(send(update)).await)
    }

    /// A page of a shard's open jobs that were due before `now`, oldest first. `from`: the end of the previous page.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn due(&self, shard: Shard, now: Timestamp, from: Option<DueMark>) -> Result<DuePage, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(OPEN)
            .key_condition_expression("#open = :shard AND due <= :now")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":shard", string(shard.key()))
            .expression_attribute_values(":now", time(now))
            .limit(DUE_PAGE);
        DuePage::of(query, from).await
    }
}

/// A page of due jobs.
#[derive(Debug)]
pub struct DuePage {
    /// In the order in which they are due.
    pub ids: Vec<JobId>,
    /// `None` on the last page.
    pub next: Option<DueMark>,
}

/// A place in one of the sweeper's indexes.
#[derive(Debug)]
pub struct DueMark(Item);

impl DuePage {
    pub(super) async fn of(query: QueryFluentBuilder, from: Option<DueMark>) -> Result<Self, StoreError> {
        let output = query.set_exclusive_start_key(from.map(|DueMark(key)| key)).send().await;
        let output = output.map_err(|error| store_error(&error))?;
        let id = |item: &Item| {
            let id = item.get("id").and_then(|id| JobId::parse(id.as_s().ok()?));
            if id.is_none() {
                tracing::error!(item_id = ?item.get("id"), "an indexed item that is no job is skipped");
            }
            id
        };
        let ids = output.items.unwrap_or_default().iter().filter_map(id).collect();
        Ok(Self { ids, next: output.last_evaluated_key.map(DueMark) })
    }
}

/// The attribute that puts a job in the index of jobs to be counted. Test jobs are not counted.
pub fn uncounted(id: JobId, mode: Mode, shards: OpenShards) -> Option<String> {
    match mode {
        Mode::Live => Some(shards.of(id).to_string()),
        Mode::Test => None,
    }
}

/// The attributes that put a job in a partition of an index of unfinished jobs, due at `due`.
pub fn open_until(shard: Shard, due: Timestamp) -> (Option<String>, Option<Timestamp>) {
    (Some(shard.key()), Some(due))
}

/// Whether a conditional update took effect.
fn written(result: Result<UpdateItemOutput, SdkError<UpdateItemError>>) -> Result<Written, StoreError> {
    match result {
        Ok(_) => Ok(Written::Yes),
        Err(error) if failed_condition(&error).is_some() => Ok(Written::Superseded),
        Err(error) => Err(store_error(&error)),
    }
}
