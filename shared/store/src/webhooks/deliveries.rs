//! Deliveries of events to endpoints.
//!
//! Each step is a conditional write, so that of two deliverers one sends, and of two results one counts. Whatever dies in between
//! leaves an item in the index of what is due, from which the sweeper goes on.

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::ReturnValue;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use super::{Webhooks, done, key};
use crate::dynamo::{due_since, failed_condition, get, send};
use crate::events::StoredEvent;
use crate::item::{DUE, DUE_SHARDS, Item, due_shard, due_shard_key, from_item, nested, number, string, time, to_item};
use crate::{StoreError, store_error};
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::delivery::{DELIVERY_RETENTION, LEASE};
use docmill_domain::webhook::{Delivery, DeliveryId, DeliveryState, Dropped, EndpointId};

/// Most deliveries that a page is searched for.
const LOOKED_AT: i32 = 500;

/// A delivery's item: its key is made of the endpoint's and the event's id.
#[derive(Serialize, Deserialize)]
struct StoredDelivery {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    due_shard: Option<String>,
    #[serde(flatten)]
    delivery: Delivery,
}

/// Which deliveries of an endpoint are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryFilter {
    /// Only those in one of these states; empty: all.
    pub states: Vec<DeliveryState>,
    /// Only of events of this kind.
    pub kind: Option<String>,
    /// Only of events before this one, by id.
    pub before: Option<String>,
    /// Only of this event.
    pub event: Option<String>,
}

/// What is overdue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// An event that is not fanned out.
    Event {
        /// Whose event it is.
        account: String,
        /// The event's id.
        event: String,
    },
    /// A delivery that waits for a try, or whose try was lost.
    Delivery(DeliveryId),
}

/// Where the next page of what is due begins.
#[derive(Clone, Debug)]
pub struct DueMark(Item);

/// A page of what is due, each with its time.
#[derive(Debug)]
pub struct DueDeliveries {
    /// The most overdue first.
    pub found: Vec<(Due, Timestamp)>,
    /// `None` on the last page.
    pub next: Option<DueMark>,
}

/// The outcome of claiming a delivery.
#[derive(Debug, PartialEq, Eq)]
pub enum Claim {
    /// The caller tries it.
    Yes(Box<Delivery>),
    /// Another has it, it is not due, or it has ended.
    No,
}

fn item_id(id: &DeliveryId) -> String {
    format!("dlv#{}#{}", id.endpoint, id.event)
}

/// The event's id in a delivery's key.
fn parse_id(account: &str, id: &str) -> Option<DeliveryId> {
    let (endpoint, event) = id.strip_prefix("dlv#")?.split_once('#')?;
    Some(DeliveryId { account: account.to_owned(), endpoint: EndpointId::parse(endpoint)?, event: event.to_owned() })
}

impl Webhooks {
    /// Creates the delivery of an event to an endpoint. False if it exists.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn add_delivery(&self, delivery: &Delivery) -> Result<bool, StoreError> {
        let id = item_id(&delivery.id());
        let due_shard = delivery.due.map(|_| due_shard(&id));
        let stored = StoredDelivery { id, due_shard, delivery: delivery.clone() };
        let put = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(to_item(&stored)?))
            // Timeline: the message of an event comes twice, and A and B fan it out. A's delivery is on its way when B writes the
            // same one. B's condition fails, so that the event is not sent again.
            .condition_expression("attribute_not_exists(id)");
        match Box::pin(put.send()).await {
            Ok(_) => Ok(true),
            Err(error)
                if error.as_service_error().is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(false)
            }
            Err(error) => Err(store_error(&error)),
        }
    }

    /// A strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn delivery(&self, id: &DeliveryId) -> Result<Option<Delivery>, StoreError> {
        let found: Option<StoredDelivery> = get(&self.client, &self.table, key(&id.account, &item_id(id))).await?;
        Ok(found.map(|stored| stored.delivery))
    }

    /// Begins a try: the delivery belongs to the caller for [`LEASE`].
    ///
    /// # Errors
    /// If the table can't be written now. Then the try may count as lost.
    pub async fn claim(&self, id: &DeliveryId, body_sha256: &str, now: Timestamp) -> Result<Claim, StoreError> {
        let update = self
            .update_delivery(id)
            // Timeline: two messages for the same delivery, and A and B claim it. A's update moves `due` to the end of A's lease.
            // B's condition fails. If A dies, the lease ends, and the sweeper's message finds the delivery due again.
            .condition_expression("(#state = :waiting OR #state = :sending) AND due <= :now")
            .update_expression(
                "SET #state = :sending, due = :lease, body_sha256 = if_not_exists(body_sha256, :body) ADD tries :one",
            )
            .expression_attribute_values(":waiting", nested(&DeliveryState::Waiting)?)
            .expression_attribute_values(":sending", nested(&DeliveryState::Sending)?)
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":lease", time(now.plus(LEASE)))
            .expression_attribute_values(":body", string(body_sha256))
            .expression_attribute_values(":one", number(1))
            .return_values(ReturnValue::AllNew);
        match Box::pin(send(update)).await {
            Ok(output) => {
                let stored = output.attributes.ok_or_else(|| malformed("the claimed delivery did not come back"))?;
                let StoredDelivery { delivery, .. } = from_item(stored)?;
                Ok(Claim::Yes(Box::new(delivery)))
            }
            Err(error) if failed_condition(&error).is_some() => Ok(Claim::No),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Writes the outcome of a try. False if the try's lease had ended and another try began.
    ///
    /// # Errors
    /// If the table can't be written now. Then the try counts as lost.
    pub async fn finish(&self, delivery: &Delivery) -> Result<bool, StoreError> {
        let update = self
            .update_delivery(&delivery.id())
            // Timeline: A's answer comes after its lease, and B tries again. B's claim has raised `tries`, and A's condition fails.
            .condition_expression("#state = :sending AND tries = :tries")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":sending", nested(&DeliveryState::Sending)?)
            .expression_attribute_values(":tries", number(delivery.tries))
            .expression_attribute_values(":next", nested(&delivery.state)?)
            .expression_attribute_values(":attempts", nested(&delivery.attempts)?)
            .expression_attribute_values(":ttl", number(delivery.ttl));
        let update = match (delivery.due, delivery.dropped) {
            (Some(due), _) => update
                .update_expression("SET #state = :next, attempts = :attempts, #ttl = :ttl, due = :due")
                .expression_attribute_values(":due", time(due)),
            (None, Some(why)) => update
                .update_expression(
                    "SET #state = :next, attempts = :attempts, #ttl = :ttl, dropped = :why REMOVE due, due_shard",
                )
                .expression_attribute_values(":why", nested(&why)?),
            (None, None) => {
                update.update_expression("SET #state = :next, attempts = :attempts, #ttl = :ttl REMOVE due, due_shard")
            }
        };
        done(update).await
    }

    /// Puts off a delivery that can't be tried now. No try is counted.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn postpone(&self, id: &DeliveryId, now: Timestamp, until: Timestamp) -> Result<bool, StoreError> {
        let update = self
            .update_delivery(id)
            // Timeline: A finds no free slot, and B finds one and claims the delivery. A's condition fails, and B's lease stays.
            .condition_expression("#state = :waiting AND due <= :now")
            .update_expression("SET due = :until")
            .expression_attribute_values(":waiting", nested(&DeliveryState::Waiting)?)
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":until", time(until));
        done(update).await
    }

    /// Ends a delivery that will not be tried again.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn drop_delivery(&self, id: &DeliveryId, why: Dropped, now: Timestamp) -> Result<bool, StoreError> {
        let update = self
            .update_delivery(id)
            // Timeline: A finds the endpoint disabled while B's request is on its way. B's result counts.
            .condition_expression("due <= :now AND (#state = :waiting OR #state = :sending)")
            .update_expression("SET #state = :dropped, dropped = :why REMOVE due, due_shard")
            .expression_attribute_values(":waiting", nested(&DeliveryState::Waiting)?)
            .expression_attribute_values(":sending", nested(&DeliveryState::Sending)?)
            .expression_attribute_values(":dropped", nested(&DeliveryState::Dropped)?)
            .expression_attribute_values(":why", nested(&why)?)
            .expression_attribute_values(":now", time(now));
        done(update).await
    }

    /// Starts a delivery again, with all its tries, or creates it. False if it has not ended yet.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn replay(&self, event: &StoredEvent, endpoint: &EndpointId, now: Timestamp) -> Result<bool, StoreError> {
        let id = DeliveryId { account: event.account.clone(), endpoint: endpoint.clone(), event: event.id.clone() };
        if self.add_delivery(&Delivery::new(&id, &event.kind, event.job, now)).await? {
            return Ok(true);
        }
        let ended = DeliveryState::ALL.into_iter().filter(|state| state.is_ended());
        let mut update = self
            .update_delivery(&id)
            .update_expression(
                "SET #state = :waiting, tries = :none, due = :now, due_shard = :shard, #ttl = :ttl REMOVE dropped",
            )
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":waiting", nested(&DeliveryState::Waiting)?)
            .expression_attribute_values(":none", number(0))
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":shard", string(due_shard(&item_id(&id))))
            .expression_attribute_values(":ttl", number(now.plus(DELIVERY_RETENTION).as_ttl_seconds()));
        let mut states = Vec::new();
        for state in ended {
            states.push(format!(":{}", state.as_str()));
            update = update.expression_attribute_values(format!(":{}", state.as_str()), nested(&state)?);
        }
        // Timeline: a replay comes while a try is on its way. The condition fails, since that try may still succeed.
        done(update.condition_expression(format!("#state IN ({})", states.join(", ")))).await
    }

    /// Deliveries to an endpoint, newest event first. Also returns the event that the next page starts before, if there may be
    /// more.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn deliveries(
        &self,
        account: &str,
        endpoint: &EndpointId,
        filter: &DeliveryFilter,
        limit: usize,
    ) -> Result<(Vec<Delivery>, Option<String>), StoreError> {
        if let Some(event) = &filter.event {
            let id = DeliveryId { account: account.to_owned(), endpoint: endpoint.clone(), event: event.clone() };
            return Ok((self.delivery(&id).await?.into_iter().collect(), None));
        }
        let prefix = format!("dlv#{endpoint}#");
        let last = filter.before.as_deref().unwrap_or("~");
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(&prefix))
            .expression_attribute_values(":last", string(format!("{prefix}{last}")))
            .consistent_read(true)
            .scan_index_forward(false)
            .limit(LOOKED_AT);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let more = output.last_evaluated_key.is_some();
        let mut found = Vec::new();
        for item in output.items.unwrap_or_default() {
            let StoredDelivery { delivery, .. } = from_item(item)?;
            if filter.before.as_ref() == Some(&delivery.event) {
                continue;
            }
            found.push(delivery);
        }
        let searched = found.last().map(|delivery| delivery.event.clone()).filter(|_| more);
        let is_wanted = |delivery: &Delivery| {
            (filter.states.is_empty() || filter.states.contains(&delivery.state))
                && filter.kind.as_ref().is_none_or(|kind| *kind == delivery.kind)
        };
        found.retain(is_wanted);
        let next = match found.get(limit) {
            Some(_) => found.get(limit - 1).map(|delivery| delivery.event.clone()),
            None => searched,
        };
        found.truncate(limit);
        Ok((found, next))
    }

    /// Since when the most overdue event or delivery is due; `None` if none is.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn due_since(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let shards =
            (0..DUE_SHARDS).map(async |shard| due_since(&self.client, &self.table, &due_shard_key(shard), now).await);
        Ok(try_join_all(shards).await?.into_iter().flatten().min())
    }

    /// A page of what is due by then in a shard, the most overdue first, after the mark of the page before.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn due(&self, shard: u8, by: Timestamp, from: Option<DueMark>) -> Result<DueDeliveries, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(DUE)
            .key_condition_expression("due_shard = :shard AND due <= :by")
            .expression_attribute_values(":shard", string(due_shard_key(shard)))
            .expression_attribute_values(":by", time(by))
            .limit(LOOKED_AT)
            .set_exclusive_start_key(from.map(|mark| mark.0));
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let found = output.items.unwrap_or_default().iter().filter_map(due_item).collect();
        Ok(DueDeliveries { found, next: output.last_evaluated_key.map(DueMark) })
    }

    fn update_delivery(&self, id: &DeliveryId) -> UpdateItemFluentBuilder {
        self.client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(&id.account, &item_id(id))))
            .expression_attribute_names("#state", "state")
    }
}

fn due_item(item: &Item) -> Option<(Due, Timestamp)> {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok());
    let (account, id) = (text("account")?, text("id")?);
    let due = item.get("due")?.as_n().ok()?.parse().ok().map(Timestamp)?;
    let what = match parse_id(account, id) {
        Some(id) => Due::Delivery(id),
        None => Due::Event { account: account.clone(), event: id.clone() },
    };
    Some((what, due))
}

fn malformed(what: &str) -> StoreError {
    StoreError::Malformed(what.into())
}
