//! Sends events again: one, all that failed, or all since a time.

use std::sync::Arc;

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_app::webhooks::{WebhookError, endpoint_of};
use docmill_aws::queue::{Queue, WebhookMessage};
use docmill_domain::breach::Breach;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{DeliveryId, DeliveryState, Endpoint};
use docmill_store::events::StoredEvent;
use docmill_store::webhooks::DeliveryFilter;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value};

/// Most events that one request sends again.
const MOST_REPLAYED: usize = 500;
const AT_ONCE: usize = 16;
const RULE: &str = "must be given, or `since`, or `failed`";

/// What sending events again needs.
#[derive(Debug)]
pub struct Replays {
    /// Tables and settings.
    pub context: Arc<Context>,
    /// The queue of the deliverer.
    pub queue: Queue,
}

/// What to send again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Event(String),
    Failed,
    /// Events since a time, after this one.
    Since(Timestamp, Option<String>),
}

/// What a request has sent again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// How many events.
    pub events: usize,
    /// The last event that was looked at, if there are more.
    pub next: Option<String>,
}

impl Wanted {
    fn parse(body: &Map<String, Value>) -> Result<Self, Vec<Breach>> {
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        let allowed = ["eventId", "failed", "since", "after"];
        if let Some(name) = body.keys().find(|name| !allowed.contains(&name.as_str())) {
            return Err(vec![Breach::new(
                format!("/{name}"),
                "only `eventId`, `failed`, `since` and `after` can be given",
            )]);
        }
        match (body.get("eventId"), body.get("failed"), body.get("since")) {
            (Some(_), None, None) => {
                text("eventId").map(Self::Event).ok_or_else(|| wrong("/eventId", "must be the id of an event"))
            }
            (None, Some(Value::Bool(true)), None) => Ok(Self::Failed),
            (None, Some(_), None) => Err(wrong("/failed", "must be true")),
            (None, None, Some(_)) => match text("since").as_deref().and_then(Timestamp::parse) {
                Some(since) => Ok(Self::Since(since, text("after"))),
                None => Err(wrong("/since", "must be a time, such as 2026-11-24T12:00:00Z")),
            },
            _ => Err(wrong("/eventId", RULE)),
        }
    }
}

fn wrong(path: &str, rule: &str) -> Vec<Breach> {
    vec![Breach::new(path, rule)]
}

impl Replays {
    /// Sends events to an endpoint again, with their ids. Deliveries that have not ended yet are left alone.
    ///
    /// # Errors
    /// If the request is invalid, there is no such endpoint or event, the endpoint is disabled, or a table does not answer.
    pub async fn replay(&self, caller: &Caller, id: &str, body: &Map<String, Value>) -> Result<Replayed, WebhookError> {
        let wanted = Wanted::parse(body).map_err(WebhookError::Invalid)?;
        let endpoint = endpoint_of(&self.context, caller, id).await?;
        if endpoint.disabled.is_some() {
            return Err(WebhookError::Disabled);
        }
        let (ids, next) = self.wanted(&endpoint, wanted, caller.now).await?;
        let started = stream::iter(ids).map(|id| self.start_again(&endpoint, id, caller.now)).buffered(AT_ONCE);
        let started: Vec<Option<DeliveryId>> = started.try_collect().await?;
        let messages: Vec<_> = started.into_iter().flatten().map(|id| (WebhookMessage::Delivery(id), 0)).collect();
        if let Err(error) = self.queue.hurry(&messages).await {
            tracing::warn!(%error, "replayed deliveries could not be announced; the sweeper will do it");
        }
        Ok(Replayed { events: messages.len(), next })
    }

    /// Starts the delivery of an event again. `None` if it has not ended yet, or the event is gone.
    async fn start_again(
        &self,
        endpoint: &Endpoint,
        event: String,
        now: Timestamp,
    ) -> Result<Option<DeliveryId>, WebhookError> {
        let Some(event) = self.event(&endpoint.account, &event, now).await? else { return Ok(None) };
        let started = self.context.webhooks.replay(&event, &endpoint.id, now).await?;
        let id = DeliveryId { account: event.account, endpoint: endpoint.id.clone(), event: event.id };
        Ok(started.then_some(id))
    }

    async fn event(&self, account: &str, id: &str, now: Timestamp) -> Result<Option<StoredEvent>, WebhookError> {
        Ok(self.context.events.get(account, id, now).await?)
    }

    /// Ids of the events, and the last one if there are more.
    async fn wanted(
        &self,
        endpoint: &Endpoint,
        wanted: Wanted,
        now: Timestamp,
    ) -> Result<(Vec<String>, Option<String>), WebhookError> {
        let account = endpoint.account.as_str();
        match wanted {
            Wanted::Event(id) => {
                if self.event(account, &id, now).await?.is_none() {
                    return Err(WebhookError::EventNotFound);
                }
                Ok((vec![id], None))
            }
            Wanted::Failed => {
                let states = vec![DeliveryState::Failed, DeliveryState::Dropped];
                let filter = DeliveryFilter { states, ..DeliveryFilter::default() };
                let (found, next) =
                    self.context.webhooks.deliveries(account, &endpoint.id, &filter, MOST_REPLAYED).await?;
                Ok((found.into_iter().map(|delivery| delivery.event).collect(), next))
            }
            Wanted::Since(since, after) => {
                let limit = i32::try_from(MOST_REPLAYED).unwrap_or(i32::MAX);
                let ids = self.context.events.ids_since(account, since, after.as_deref(), limit).await?;
                let next = if ids.len() < MOST_REPLAYED { None } else { ids.last().cloned() };
                Ok((ids, next))
            }
        }
    }
}
