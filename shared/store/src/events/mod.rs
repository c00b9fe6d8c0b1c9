//! The Events table: webhook tests and events of each account. An event about a write is part of its transaction, so that it is
//! recorded exactly once. Afterwards, it gets its place in the account's log ([`log`]).

mod log;

pub use log::{Bound, EventFilter, Listed, Place};

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem, Update};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dynamo::{Transacted, all, back_off, failed_condition, get, send, too_contended, transact};
use super::item::{Item, UsageItem, due_shard, from_item, number, string, time, to_item};
use super::{StoreError, store_error};
use docmill_config::Tables;
use docmill_domain::batch::Batch;
use docmill_domain::event::{
    self, EVENT_RETENTION, EventKind, ListedEvent, event_ids_at, event_time, job_event_id, new_event_id,
};
use docmill_domain::job::{Job, JobId};
use docmill_domain::time::{Period, Timestamp};
use docmill_domain::webhook::JobWebhook;

/// An event whose message was lost is fanned out by the sweeper after this time.
const HURRY: Duration = Duration::from_secs(30);
/// The kind of a recorded webhook test, which is not an event and never delivered.
pub const WEBHOOK_TEST: &str = "webhook.test";
/// Most events per query for a kind, and most queries per page. Rare kinds give short pages rather than slow ones.
const LOOKED_AT: i32 = 100;
const MAX_QUERIES: usize = 5;
/// The sweeper writes a month's notices too, but conflicts only take moments.
const TRIES: u32 = 4;
const MAX_REMEMBERED: usize = 10_000;

/// Events of accounts, and recorded webhook tests.
#[derive(Debug)]
pub struct Events {
    client: Client,
    table: String,
    usage_table: String,
    /// Months whose exhaustion is already recorded, to keep refusals cheap.
    exhausted: Mutex<HashSet<(String, Period)>>,
}

/// An item of the Events table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredEvent {
    /// The account that it is about, and that may read it.
    pub account: String,
    /// `evt_` and a UUIDv7, so that ids are sorted by time. Also the `webhook-id`.
    pub id: String,
    /// The name of an [`EventKind`], or [`WEBHOOK_TEST`].
    pub kind: String,
    /// When it happened.
    pub recorded_at: Timestamp,
    /// What receivers get, except the event's kind and time.
    #[serde(with = "json_text")]
    pub data: Value,
    /// The job that it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub job: Option<JobId>,
    /// Where the job's events are sent, besides the account's endpoints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub webhook: Option<JobWebhook>,
    /// The account, as the partition of the sparse index of events without a place in the log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unlisted: Option<String>,
    /// The event's partition in the index of what is due, until it is fanned out to webhooks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due_shard: Option<String>,
    /// When the sweeper sees to the event, unless it is fanned out before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due: Option<Timestamp>,
    /// The event's place in the log, once it has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub place: Option<Place>,
    /// Seconds since the epoch. DynamoDB deletes the item some time later.
    pub ttl: i64,
}

/// A value as JSON text. In DynamoDB's maps, members have no order, and an event's body must be the same at each delivery.
mod json_text {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(value: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.as_str() {
            Some(text) => serde_json::from_str(text).map_err(D::Error::custom),
            // An event of the earlier form has a map.
            None => Ok(value),
        }
    }
}

impl StoredEvent {
    /// An event about nothing but its account. It is sent to all endpoints that want its kind.
    pub fn new(account: &str, kind: EventKind, at: Timestamp, data: Value) -> Self {
        Self::with_id(account, new_event_id(at), kind, at, data)
    }

    /// The event about a job's end.
    pub fn of_job(job: &Job, kind: EventKind, at: Timestamp) -> Self {
        let event = Self::with_id(&job.account, job_event_id(job.id, at), kind, at, event::job_ended(job, at));
        Self { webhook: job.request.webhook.clone(), ..event }
    }

    /// The event about a batch.
    pub fn of_batch(batch: &Batch, kind: EventKind, at: Timestamp) -> Self {
        let event = Self::new(&batch.account, kind, at, json!({"batch": batch.view()}));
        Self { webhook: batch.webhook.clone(), ..event }
    }

    fn with_id(account: &str, id: String, kind: EventKind, at: Timestamp, data: Value) -> Self {
        Self {
            account: account.to_owned(),
            due_shard: Some(due_shard(&id)),
            due: Some(at.plus(HURRY)),
            id,
            kind: kind.as_str().to_owned(),
            recorded_at: at,
            job: event::job_of(&data),
            data,
            webhook: None,
            unlisted: Some(account.to_owned()),
            place: None,
            ttl: at.plus(EVENT_RETENTION).as_ttl_seconds(),
        }
    }

    /// The text sent to receivers, as in Standard Webhooks. It is always the same for the same event.
    pub fn body(&self) -> String {
        json!({"type": self.kind, "timestamp": self.recorded_at.to_string(), "data": self.data}).to_string()
    }

    /// The event as it is listed: its id, and the members of the body.
    pub fn view(&self) -> ListedEvent {
        ListedEvent {
            id: self.id.clone(),
            kind: self.kind.clone(),
            timestamp: self.recorded_at.into(),
            data: self.data.clone(),
        }
    }

    /// The event's part in its transaction.
    pub(super) fn put(&self, table: &str) -> Result<TransactWriteItem, StoreError> {
        let put = Put::builder().table_name(table).set_item(Some(to_item(self)?)).build()?;
        Ok(TransactWriteItem::builder().put(put).build())
    }
}

/// A page of events.
#[derive(Debug)]
pub struct EventsPage {
    /// No more than were asked for.
    pub events: Vec<StoredEvent>,
    /// The id that the next page starts after.
    pub next: Option<String>,
}

impl Events {
    /// Over the tables Events and Usage.
    pub fn new(client: Client, tables: &Tables) -> Self {
        let Tables { events, usage, .. } = tables;
        Self { client, table: events.clone(), usage_table: usage.clone(), exhausted: Mutex::default() }
    }

    /// Records an event that belongs to no other write, or a webhook test.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn record(&self, event: &StoredEvent) -> Result<(), StoreError> {
        self.client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(to_item(event)?))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }

    /// An event of this account. Those of others, unknown ones, webhook tests and invalid ids give `None` after the same read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn get(&self, account: &str, id: &str, now: Timestamp) -> Result<Option<StoredEvent>, StoreError> {
        let id = if event_time(id).is_some() { id } else { "evt_" };
        let found: Option<StoredEvent> = get(&self.client, &self.table, event_key(account, id)).await?;
        Ok(found.filter(|event| event.kind != WEBHOOK_TEST && event.ttl > now.as_ttl_seconds()))
    }

    /// Notes that the event has a delivery for each endpoint that wants it.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_fanned_out(&self, account: &str, id: &str) -> Result<(), StoreError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(event_key(account, id)))
            // Timeline: A and B fan out the same event, and DynamoDB deletes it at the end of its time in between. The write does
            // not create it again.
            .condition_expression("attribute_exists(due_shard)")
            .update_expression("REMOVE due_shard, due");
        match Box::pin(send(update)).await {
            Ok(_) => Ok(()),
            Err(error) if failed_condition(&error).is_some() => Ok(()),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Ids of an account's events since a time, oldest first, after the id `after`. `limit` at most.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn ids_since(
        &self,
        account: &str,
        since: Timestamp,
        after: Option<&str>,
        limit: i32,
    ) -> Result<Vec<String>, StoreError> {
        let first = after.map_or_else(|| event_ids_at(since).0, |after| format!("{after}~"));
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(first))
            .expression_attribute_values(":last", string("evt_~"))
            .projection_expression("id")
            .consistent_read(true)
            .limit(limit);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let id = |item: &Item| item.get("id")?.as_s().ok().cloned();
        Ok(output.items.unwrap_or_default().iter().filter_map(id).collect())
    }

    /// A page of an account's events, newest first, older than `before`: all, or one kind.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn page(
        &self,
        account: &str,
        kind: Option<&str>,
        before: Option<&str>,
        limit: usize,
        now: Timestamp,
    ) -> Result<EventsPage, StoreError> {
        let (mut events, mut next) = (Vec::new(), before.map(str::to_owned));
        for _ in 0..MAX_QUERIES {
            let found = self.query(account, kind, next, limit, now).await?;
            let wanted = limit - events.len();
            let more = found.events.len() > wanted;
            events.extend(found.events.into_iter().take(wanted));
            next = if more { events.last().map(|event: &StoredEvent| event.id.clone()) } else { found.next };
            if events.len() >= limit || next.is_none() {
                break;
            }
        }
        Ok(EventsPage { events, next })
    }

    async fn query(
        &self,
        account: &str,
        kind: Option<&str>,
        before: Option<String>,
        limit: usize,
        now: Timestamp,
    ) -> Result<EventsPage, StoreError> {
        let looked_at = if kind.is_some() { LOOKED_AT } else { i32::try_from(limit).unwrap_or(LOOKED_AT) };
        let last = before.map(|id| event_key(account, &id));
        let mut query = self
            .client
            .query()
            .table_name(&self.table)
            // The log lies beside the events.
            .key_condition_expression("account = :account AND begins_with(id, :events)")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":events", string("evt_"))
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":now", number(now.as_ttl_seconds()))
            .scan_index_forward(false)
            .limit(looked_at)
            .set_exclusive_start_key(last);
        query = match kind {
            None => query.filter_expression("#ttl > :now"),
            Some(kind) => query
                .filter_expression("#ttl > :now AND #kind = :kind")
                .expression_attribute_names("#kind", "kind")
                .expression_attribute_values(":kind", string(kind)),
        };
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let next = output.last_evaluated_key.and_then(|key| key.get("id")?.as_s().ok().cloned());
        let events = output.items.unwrap_or_default().into_iter().map(from_item).collect::<Result<_, _>>()?;
        Ok(EventsPage { events, next })
    }

    /// Records once a month that an account's credits are used up.
    ///
    /// # Errors
    /// If the tables can't be written now.
    pub async fn record_exhaustion(&self, event: &StoredEvent, period: Period) -> Result<(), StoreError> {
        let month = (event.account.clone(), period);
        if self.exhausted.lock().is_ok_and(|exhausted| exhausted.contains(&month)) {
            return Ok(());
        }
        for attempt in 0..TRIES {
            match transact(&self.client, self.exhaustion(event, period)?).await? {
                Transacted::Committed | Transacted::Failed(_) => {
                    self.remember(month);
                    return Ok(());
                }
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    /// Removes everything that describes a job's document from its events.
    ///
    /// # Errors
    /// If the table can't be written now. Some of the events may still describe it.
    pub async fn forget_document(&self, job: &Job) -> Result<(), StoreError> {
        let Some(ended_at) = job.times.finished_at else { return Ok(()) };
        let (first, last) = event_ids_at(ended_at);
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(&job.account))
            .expression_attribute_values(":first", string(first))
            .expression_attribute_values(":last", string(last));
        let found: Vec<StoredEvent> = all(query).await?;
        for event in found.into_iter().filter(|found| event::job_of(&found.data) == Some(job.id)) {
            let update = self
                .client
                .update_item()
                .table_name(&self.table)
                .set_key(Some(event_key(&event.account, &event.id)))
                // Timeline: DynamoDB deletes the old event between the query and this write, which must not create it again.
                .condition_expression("attribute_exists(id)")
                .update_expression("SET #data = :data")
                .expression_attribute_names("#data", "data")
                .expression_attribute_values(":data", string(event::without_document(event.data).to_string()));
            match Box::pin(send(update)).await {
                Ok(_) => {}
                Err(error) if failed_condition(&error).is_some() => {}
                Err(error) => return Err(store_error(&error)),
            }
        }
        Ok(())
    }

    fn exhaustion(&self, event: &StoredEvent, period: Period) -> Result<Vec<TransactWriteItem>, StoreError> {
        let mark = Update::builder()
            .table_name(&self.usage_table)
            .set_key(Some(UsageItem::Notices(period).key(&event.account)))
            // Timeline: A and B are refused at once. A's transaction marks the month and records the event. B finds the mark and
            // records nothing. The mark has its own item, so that refusals don't contend with debits.
            .condition_expression("attribute_not_exists(exhausted_at)")
            .update_expression("SET exhausted_at = :now")
            .expression_attribute_values(":now", time(event.recorded_at))
            .build()?;
        let mark = TransactWriteItem::builder().update(mark).build();
        Ok(vec![mark, event.put(&self.table)?])
    }

    fn remember(&self, month: (String, Period)) {
        let Ok(mut exhausted) = self.exhausted.lock() else { return };
        if exhausted.len() >= MAX_REMEMBERED {
            exhausted.clear();
        }
        exhausted.insert(month);
    }
}

fn event_key(account: &str, id: &str) -> Item {
    Item::from([("account".to_owned(), string(account)), ("id".to_owned(), string(id))])
}
