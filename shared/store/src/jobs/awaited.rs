//! Jobs that take results of unfinished jobs. Each side stores the other: the awaited job knows whom to notify without the
//! sweeper, and the waiting job knows what it waits for, so that the sweeper can find it.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, TransactWriteItem, Update};
use serde::Deserialize;

use super::{Jobs, Written, written};
use crate::dynamo::{failed_condition, send, update};
use crate::item::{Item, OPEN, Shard, from_item, job_key, number, string, time};
use crate::{StoreError, store_error};
use docmill_domain::job::{Job, JobId, JobStatus, MAX_WAITERS, QUEUED_GRACE};
use docmill_domain::time::Timestamp;

/// When the sweeper first looks at a waiting job.
pub const WAITING_GRACE: Duration = Duration::from_secs(60);

/// What a waiting job still waits for.
#[derive(Clone, Debug)]
pub enum Wait {
    /// For other jobs.
    On,
    /// Nothing: the job may start.
    Over(Box<Job>),
    /// The job does not wait for that job: it was notified before, or has ended.
    None,
}

/// A job's place.
#[derive(Debug, Deserialize)]
struct Progress {
    status: JobStatus,
    attempts: u32,
}

impl Jobs {
    /// The part of a creating transaction that registers `waiter` with an unfinished job.
    pub(crate) fn register_waiter(&self, awaited: JobId, waiter: &Job) -> Result<TransactWriteItem, StoreError> {
        let register = Update::builder()
            .table_name(&self.table)
            .set_key(Some(job_key(awaited)))
            // Timeline: the awaited job ends between the check of the request and this write. Nobody would notify the new job, so
            // the transaction fails and the request is checked again.
            // Timeline: thirty requests read 999 waiters. One write makes them 1,000. The others fail here without a charge, and
            // are refused when they are checked again.
            .condition_expression(
                "account = :account AND #status IN (:queued, :processing) \
                 AND (attribute_not_exists(waiters) OR size(waiters) < :most)",
            )
            .update_expression("ADD waiters :waiter")
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":account", string(&waiter.account))
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":most", number(MAX_WAITERS))
            .expression_attribute_values(":waiter", AttributeValue::Ss(vec![waiter.id.to_string()]));
        update(register.build())
    }

    /// The jobs that wait for this one. None are added after its end.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn waiters(&self, id: JobId) -> Result<BTreeSet<JobId>, StoreError> {
        let item = self.project(id, "waiters", true).await?.unwrap_or_default();
        let waiters = item.get("waiters").and_then(|waiters| waiters.as_ss().ok());
        Ok(waiters.into_iter().flatten().filter_map(|id| JobId::parse(id)).collect())
    }

    /// Removes a completed job from the list of jobs that `waiter` waits for.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn stop_waiting(&self, waiter: JobId, awaited: JobId) -> Result<Wait, StoreError> {
        let update = self
            .transition(waiter)
            // Timeline: the worker of the awaited job and the sweeper both notify the waiting job. The second one finds that it
            // no longer waits for that job. If two jobs complete at once, the later one finds an empty list.
            .condition_expression("#status = :queued AND contains(waiting_for, :id)")
            .update_expression("DELETE waiting_for :ids")
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":id", string(awaited.to_string()))
            .expression_attribute_values(":ids", AttributeValue::Ss(vec![awaited.to_string()]))
            .return_values(ReturnValue::AllNew);
        match Box::pin(send(update)).await {
            Ok(output) => {
                let item = output.attributes.ok_or_else(|| StoreError::Malformed("no job came back".into()))?;
                let job: Job = from_item(item)?;
                Ok(if job.waits.waiting_for.is_some() { Wait::On } else { Wait::Over(Box::new(job)) })
            }
            Err(error) if failed_condition(&error).is_some() => Ok(Wait::None),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Queues a job that no longer waits. The caller that gets [`Written::Yes`] sends its message.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn start(&self, waiter: &Job, now: Timestamp) -> Result<Written, StoreError> {
        let update = self
            .transition(waiter.id)
            // Timeline: two sweepers, or a sweeper and a worker, start the same job. The first one queues it, and the second one
            // finds it queued, so that one message is sent. If the first dies before sending, the sweeper sends the message.
            .condition_expression("#status = :queued AND attribute_not_exists(waiting_for) AND #open = :waiting")
            .update_expression("SET #open = :open, due = :due")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":waiting", string(Shard::waiting(waiter.id, self.shards).key()))
            .expression_attribute_values(":open", string(Shard::queued(waiter.queue, waiter.id, self.shards).key()))
            .expression_attribute_values(":due", time(now.plus(QUEUED_GRACE)));
        written(Box::pin(send(update)).await)
    }

    /// Whether the job has ended otherwise or belongs to a later attempt. Eventually consistent: an older state proves nothing,
    /// and a completion may be this attempt's own.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn is_lost(&self, job: &Job) -> Result<bool, StoreError> {
        let Some(item) = self.project(job.id, "#status, attempts", false).await? else { return Ok(false) };
        let seen: Progress = from_item(item)?;
        let ended = match seen.status {
            JobStatus::Failed | JobStatus::Canceled | JobStatus::Deleted => true,
            JobStatus::Queued | JobStatus::Processing | JobStatus::Completed | JobStatus::Expired => false,
        };
        Ok(ended || seen.attempts > job.attempts)
    }

    /// Selected attributes of a job.
    async fn project(&self, id: JobId, projection: &str, consistent: bool) -> Result<Option<Item>, StoreError> {
        let mut read = self
            .client
            .get_item()
            .table_name(&self.table)
            .set_key(Some(job_key(id)))
            .projection_expression(projection)
            .consistent_read(consistent);
        if projection.contains("#status") {
            read = read.expression_attribute_names("#status", "status");
        }
        Ok(read.send().await.map_err(|error| store_error(&error))?.item)
    }
}
