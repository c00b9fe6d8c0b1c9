//! From an event to its deliveries.

use std::time::Duration;

use docmill_aws::queue::WebhookMessage;
use docmill_domain::webhook::{Delivery, DeliveryId, Endpoint};
use docmill_store::events::StoredEvent;
use futures_util::future::{join, join_all};

use crate::{Deliverer, Obstacle};

/// An event that could not be fanned out for so long, because delivery was off, is not sent any more.
const OLDEST: Duration = Duration::from_secs(72 * 3600);

impl Deliverer {
    /// Creates the event's deliveries. Those to endpoints that answer well are tried at once. Others get a message of their own,
    /// so that they don't delay the rest.
    pub(crate) async fn fan_out(&self, account: &str, event: &str) -> Result<(), Obstacle> {
        let now = self.clock.now();
        let Some(event) = self.context.events.get(account, event, now).await? else { return Ok(()) };
        if event.due.is_none() {
            return Ok(());
        }
        let wanting = match event.recorded_at.plus(OLDEST) > now {
            true => self.wanting(&event).await?,
            false => Vec::new(),
        };
        for endpoint in &wanting {
            let delivery = Delivery::new(&delivery_id(&event, endpoint), &event.kind, event.job, now);
            self.context.webhooks.add_delivery(&delivery).await?;
        }
        // Timeline: the deliverer dies after some of the deliveries. The event is still due, and the sweeper's message creates the
        // others.
        self.context.events.note_fanned_out(account, &event.id).await?;
        self.begin(&event, wanting).await
    }

    async fn wanting(&self, event: &StoredEvent) -> Result<Vec<Endpoint>, Obstacle> {
        let mut endpoints = self.context.webhooks.endpoints(&event.account).await?;
        endpoints.retain(|endpoint| endpoint.wants(&event.kind, event.recorded_at));
        if let Some(webhook) = &event.webhook {
            endpoints.push(self.endpoint_of_job(event, webhook).await?);
        }
        Ok(endpoints)
    }

    async fn begin(&self, event: &StoredEvent, wanting: Vec<Endpoint>) -> Result<(), Obstacle> {
        let (good, others): (Vec<_>, Vec<_>) = wanting.into_iter().partition(|endpoint| endpoint.health.is_good());
        let later = others.iter().map(|endpoint| (WebhookMessage::Delivery(delivery_id(event, endpoint)), 0));
        let later: Vec<_> = later.collect();
        let tries = good.iter().map(|endpoint| Box::pin(self.try_now(endpoint, event, delivery_id(event, endpoint))));
        // At the same time: neither a queue that does not answer nor an endpoint delays the others.
        let (hurried, tried) = join(self.queue.hurry(&later), join_all(tries)).await;
        tried.into_iter().collect::<Result<(), _>>()?;
        Ok(hurried?)
    }
}

fn delivery_id(event: &StoredEvent, endpoint: &Endpoint) -> DeliveryId {
    DeliveryId { account: event.account.clone(), endpoint: endpoint.id.clone(), event: event.id.clone() }
}
