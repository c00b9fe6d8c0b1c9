//! Batches in the Events table (`bat_…`), beside the keys of repeated requests (`bkey#…`) and items without a job (`item#…`).
//!
//! A batch is one record that is written as a whole, and only onto what was read. Messages only hurry: until a batch has ended, it
//! lies in the index [`DUE`], from which the sweeper calls a runner.

mod listing;
mod refused;

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, Put, ReturnValue, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
};
use serde::{Deserialize, Serialize};

use super::dynamo::{
    TRIES, Transacted, back_off, due_since, failed_condition, get, put, send, too_contended, transact,
};
use super::events::StoredEvent;
use super::item::{DUE, Item, from_item, number, string, time, to_item};
use super::jobs::Written;
use super::{StoreError, store_error};
use docmill_domain::api_key::Mode;
use docmill_domain::batch::{Batch, BatchId, State};
use docmill_domain::idempotency::IdempotencyKey;
use docmill_domain::time::Timestamp;

pub use listing::BatchesPage;
pub use refused::RefusedItem;

/// The partition of batches in the index of what is due. Each batch is written a few times a second at most.
pub const DUE_BATCHES: &str = "batches";
/// A runner's claim. It is longer than the function may run.
pub const LEASE: Duration = Duration::from_secs(90);
const DUE_PAGE: i32 = 250;

/// Records of batches, and of items without a job.
#[derive(Debug)]
pub struct Batches {
    client: Client,
    table: String,
}

/// The idempotency key of a request, and its batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BatchKey {
    account: String,
    id: String,
    batch: BatchId,
    fingerprint: String,
    /// Compared on every read, because DynamoDB deletes late.
    kept_until: Timestamp,
    ttl: i64,
}

impl BatchKey {
    /// `fingerprint`: of the request. `kept_until`: from then on, the key may be used for another request.
    pub fn new(key: &IdempotencyKey, batch: &Batch, fingerprint: &str, kept_until: Timestamp) -> Self {
        Self {
            account: batch.account.clone(),
            id: Self::record_id(key, &batch.account, batch.mode),
            batch: batch.id,
            fingerprint: fingerprint.to_owned(),
            kept_until,
            ttl: kept_until.as_ttl_seconds(),
        }
    }

    fn record_id(key: &IdempotencyKey, account: &str, mode: Mode) -> String {
        format!("bkey#{}", key.record_id(account, mode))
    }
}

/// The outcome of creating a batch.
#[derive(Debug, PartialEq, Eq)]
pub enum Created {
    /// The batch is written.
    Fresh,
    /// The same request was accepted before, and created this batch.
    Replay(BatchId),
    /// The idempotency key was used for another request.
    Mismatch,
}

/// The condition under which a run may create jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The account of the batch.
    pub account: String,
    /// The batch.
    pub batch: BatchId,
    /// The batch's last run must be this one.
    pub run: u64,
}

impl Batches {
    /// `table`: the Events table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// A strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get(&self, account: &str, id: BatchId) -> Result<Option<Batch>, StoreError> {
        get(&self.client, &self.table, key(account, &id.to_string())).await
    }

    /// Writes a new batch, unless the same request did so before.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn create(&self, batch: &Batch, request: Option<&BatchKey>) -> Result<Created, StoreError> {
        let new = Put::builder()
            .table_name(&self.table)
            .set_item(Some(to_item(batch)?))
            // Timeline: our first try commits and its response is lost. The second finds its own batch, and is done.
            .condition_expression("attribute_not_exists(id)");
        let mut writes = vec![put(new.build())?];
        writes.extend(request.map(|request| self.put_key(request, batch.created_at)).transpose()?);
        for attempt in 0..TRIES {
            match transact(&self.client, writes.clone()).await? {
                Transacted::Committed => return Ok(Created::Fresh),
                Transacted::Failed(failed) if failed.iter().any(|(position, _)| *position == 0) => {
                    return Ok(Created::Fresh);
                }
                Transacted::Failed(failed) => {
                    let found = failed.into_iter().find_map(|(_, item)| item);
                    let found = found.ok_or_else(|| StoreError::Malformed("no key came back".into()))?;
                    let earlier: BatchKey = from_item(found)?;
                    let same = request.is_some_and(|request| request.fingerprint == earlier.fingerprint);
                    return Ok(if same { Created::Replay(earlier.batch) } else { Created::Mismatch });
                }
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// The batch of an earlier request with the same key, if that request was the same.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn earlier(
        &self,
        request: &IdempotencyKey,
        account: &str,
        mode: Mode,
        fingerprint: &str,
        now: Timestamp,
    ) -> Result<Option<BatchId>, StoreError> {
        let id = BatchKey::record_id(request, account, mode);
        let found: Option<BatchKey> = get(&self.client, &self.table, key(account, &id)).await?;
        let same = |found: &BatchKey| found.kept_until > now && found.fingerprint == fingerprint;
        Ok(found.filter(same).map(|found| found.batch))
    }

    fn put_key(&self, request: &BatchKey, now: Timestamp) -> Result<TransactWriteItem, StoreError> {
        let record = Put::builder()
            .table_name(&self.table)
            .set_item(Some(to_item(request)?))
            // Timeline: A and B use the same key at once. A's transaction commits key and batch. B's fails here, and B answers with
            // A's batch.
            .condition_expression("attribute_not_exists(id) OR kept_until <= :now")
            .expression_attribute_values(":now", time(now))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        put(record.build())
    }

    /// Takes the batch for a run until its lease ends. `None` if another run has it, or nothing is left to do.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn claim(&self, account: &str, id: BatchId, now: Timestamp) -> Result<Option<Batch>, StoreError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(account, &id.to_string())))
            // Timeline: the queue delivers the message twice, and A and B claim the batch. A's claim sets the lease, and B's
            // condition fails. If A dies, its lease ends, and the sweeper calls another run. `run` is raised, so that A creates no
            // more jobs if it only slept. An ended batch is claimed once more, to delete what was kept of it.
            .condition_expression(
                "attribute_exists(id) AND (#state IN (:processing, :paused, :canceling, :archiving, :deleting) \
                 OR kept_until <= :now) AND (attribute_not_exists(lease_until) OR lease_until <= :now)",
            )
            .update_expression("SET lease_until = :lease, due = :lease ADD #run :one, revision :one")
            .expression_attribute_names("#state", "state")
            .expression_attribute_names("#run", "run")
            .expression_attribute_values(":processing", string(State::Processing.as_str()))
            .expression_attribute_values(":paused", string(State::Paused.as_str()))
            .expression_attribute_values(":canceling", string(State::Canceling.as_str()))
            .expression_attribute_values(":archiving", string(State::Archiving.as_str()))
            .expression_attribute_values(":deleting", string(State::Deleting.as_str()))
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":lease", time(now.plus(LEASE)))
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::AllNew);
        match Box::pin(send(update)).await {
            Ok(output) => {
                let item = output.attributes.ok_or_else(|| StoreError::Malformed("no batch came back".into()))?;
                Ok(Some(from_item(item)?))
            }
            Err(error) if failed_condition(&error).is_some() => Ok(None),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Writes what follows on what was read, and the event that it causes.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn write(&self, batch: &mut Batch, event: Option<&StoredEvent>) -> Result<Written, StoreError> {
        let next = Batch { revision: batch.revision + 1, ..batch.clone() };
        let replaced = Put::builder()
            .table_name(&self.table)
            .set_item(Some(to_item(&next)?))
            // Timeline: a run reads the batch, its owner cancels it, and then the run writes what it has created. The condition
            // fails, and the next run takes over what was created. The same for two runs, and for `cancel` and `resume` at once. If
            // only the response to a write is lost, its repetition fails too: whoever writes reads again, and sees it done.
            .condition_expression("revision = :seen")
            .expression_attribute_values(":seen", number(batch.revision));
        let mut writes = vec![put(replaced.build())?];
        writes.extend(event.map(|event| event.put(&self.table)).transpose()?);
        let written = self.commit(writes).await?;
        if written == Written::Yes {
            batch.revision = next.revision;
        }
        Ok(written)
    }

    /// Removes the record of a batch whose jobs are deleted.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn remove(&self, batch: &Batch) -> Result<Written, StoreError> {
        let delete = Delete::builder()
            .table_name(&self.table)
            .set_key(Some(key(&batch.account, &batch.id.to_string())))
            // Timeline: a run sleeps after it has read, its lease ends, and the next run deletes on. Only the one that wrote last
            // knows that everything is deleted. If the record is gone already, nothing is left to do.
            .condition_expression("revision = :seen")
            .expression_attribute_values(":seen", number(batch.revision))
            .build()?;
        self.commit(vec![TransactWriteItem::builder().delete(delete).build()]).await
    }

    /// Writes all of this or, if a condition fails, nothing.
    async fn commit(&self, writes: Vec<TransactWriteItem>) -> Result<Written, StoreError> {
        for attempt in 0..TRIES {
            match transact(&self.client, writes.clone()).await? {
                Transacted::Committed => return Ok(Written::Yes),
                Transacted::Failed(_) => return Ok(Written::Superseded),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// Since when the most overdue batch is due; `None` if none is.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn due_since(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        due_since(&self.client, &self.table, DUE_BATCHES, now).await
    }

    /// Account and id of batches that a run should have looked at before `now`, the most overdue first.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn due(&self, now: Timestamp) -> Result<Vec<(String, BatchId)>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(DUE)
            .key_condition_expression("due_shard = :shard AND due <= :now")
            .expression_attribute_values(":shard", string(DUE_BATCHES))
            .expression_attribute_values(":now", time(now))
            .limit(DUE_PAGE);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let text =
            |item: &Item, name: &str| item.get(name).and_then(|value: &AttributeValue| value.as_s().ok().cloned());
        let found = |item: &Item| Some((text(item, "account")?, BatchId::parse(&text(item, "id")?)?));
        Ok(output.items.unwrap_or_default().iter().filter_map(found).collect())
    }
}

impl Gate {
    /// Open while the run that read this batch is its last one.
    pub fn of(batch: &Batch) -> Self {
        Self { account: batch.account.clone(), batch: batch.id, run: batch.run }
    }

    /// A part of the transaction that creates a job.
    pub(super) fn check(&self, table: &str) -> Result<TransactWriteItem, StoreError> {
        let check = ConditionCheck::builder()
            .table_name(table)
            .set_key(Some(key(&self.account, &self.batch.to_string())))
            // Timeline: a run is about to create a job and sleeps, and the batch is canceled, or its lease ends and another run
            // takes over. Those look for all jobs that exist. When the first run wakes up, it must not create one more.
            .condition_expression("#run = :run AND #state = :processing")
            .expression_attribute_names("#run", "run")
            .expression_attribute_names("#state", "state")
            .expression_attribute_values(":run", number(self.run))
            .expression_attribute_values(":processing", string(State::Processing.as_str()))
            .build()?;
        Ok(TransactWriteItem::builder().condition_check(check).build())
    }
}

fn key(account: &str, id: &str) -> Item {
    Item::from([("account".to_owned(), string(account)), ("id".to_owned(), string(id))])
}
