//! The Events table: webhook tests and prepared events of each account. An event about a write is part of its transaction, so
//! that it is recorded exactly once.

use std::collections::HashSet;
use std::sync::Mutex;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Put, TransactWriteItem, Update};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dynamo::{Transacted, all, back_off, failed_condition, send, too_contended, transact};
use super::item::{Item, UsageItem, from_item, nested, number, string, time, to_item};
use super::{StoreError, store_error};
use crate::config::Tables;
use crate::domain::event::{self, EVENT_RETENTION, EventKind, event_ids_at, new_event_id};
use crate::domain::job::Job;
use crate::domain::time::{Period, Timestamp};

/// The kind of a recorded webhook test, which is not an event and never delivered.
pub const WEBHOOK_TEST: &str = "webhook.test";
/// Most events per query for a kind, and most queries per page. Rare kinds give short pages rather than slow ones.
const LOOKED_AT: i32 = 100;
const MAX_QUERIES: usize = 5;
/// The sweeper writes a month's notices too, but conflicts only take moments.
const TRIES: u32 = 4;
const MAX_REMEMBERED: usize = 10_000;

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
    pub account: String,
    /// `evt_` and a UUIDv7, so that ids are sorted by time. Also the `webhook-id`.
    pub id: String,
    pub kind: String,
    pub recorded_at: Timestamp,
    pub data: Value,
    pub ttl: i64,
}

impl StoredEvent {
    pub fn new(account: &str, kind: EventKind, at: Timestamp, data: Value) -> Self {
        Self {
            account: account.to_owned(),
            id: new_event_id(at),
            kind: kind.as_str().to_owned(),
            recorded_at: at,
            data,
            ttl: at.plus(EVENT_RETENTION).as_ttl_seconds(),
        }
    }

    /// The text sent to receivers, as in Standard Webhooks. It is always the same for the same event.
    pub fn body(&self) -> String {
        json!({"type": self.kind, "timestamp": self.recorded_at.to_string(), "data": self.data}).to_string()
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
    pub events: Vec<StoredEvent>,
    /// The id that the next page starts after.
    pub next: Option<String>,
}

impl Events {
    pub fn new(client: Client, tables: &Tables) -> Self {
        let Tables { events, usage, .. } = tables;
        Self { client, table: events.clone(), usage_table: usage.clone(), exhausted: Mutex::default() }
    }

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

    /// A page of an account's events, newest first, older than `before`: all, or one kind.
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
        let last = before.map(|id| Item::from([("account".into(), string(account)), ("id".into(), string(id))]));
        let mut query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account")
            .expression_attribute_names("#ttl", "ttl")
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
    pub async fn forget_document(&self, job: &Job) -> Result<(), StoreError> {
        let Some(ended_at) = job.finished_at else { return Ok(()) };
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
        for event in found.into_iter().filter(|found| event::is_of(&found.data, job)) {
            let update = self
                .client
                .update_item()
                .table_name(&self.table)
                .key("account", string(&event.account))
                .key("id", string(&event.id))
                // Timeline: DynamoDB deletes the old event between the query and this write, which must not create it again.
                .condition_expression("attribute_exists(id)")
                .update_expression("SET #data = :data")
                .expression_attribute_names("#data", "data")
                .expression_attribute_values(":data", nested(&event::without_document(event.data))?);
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
