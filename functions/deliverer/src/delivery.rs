//! A try of a delivery.

use std::time::Duration;

use docmill_aws::queue::WebhookMessage;
use docmill_domain::sha256_hex;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{
    Attempt, Delivery, DeliveryId, DisabledReason, Dropped, Endpoint, EndpointId, Health, JobWebhook,
};
use docmill_signing::seal::Secret;
use docmill_store::events::StoredEvent;
use docmill_store::webhooks::Claim;
use docmill_telemetry as telemetry;
use docmill_webhooks::{Answer, Headers};

use crate::{Deliverer, Obstacle};

/// A delivery that finds no free slot is tried again after about this time, and later more rarely.
const SLOT_PAUSE: Duration = Duration::from_secs(3);
const LONGEST_SLOT_PAUSE: Duration = Duration::from_secs(300);
/// A delivery that finds its endpoint's rate limit used up is tried again after about this time.
const RATE_PAUSE: Duration = Duration::from_secs(2);
/// Deliveries of a suspended account wait this long.
const SUSPENDED_PAUSE: Duration = Duration::from_secs(3600);
/// A next try that is farther away is left to the sweeper.
const SOON: Duration = Duration::from_secs(60);

impl Deliverer {
    /// Tries a delivery that is due, unless it can't be tried any more.
    pub(crate) async fn deliver(&self, id: &DeliveryId) -> Result<(), Obstacle> {
        let (webhooks, now) = (&self.context.webhooks, self.clock.now());
        let Some(event) = self.context.events.get(&id.account, &id.event, now).await? else {
            webhooks.drop_delivery(id, Dropped::EventExpired, now).await?;
            return Ok(());
        };
        let Some(endpoint) = self.endpoint(&event, &id.endpoint).await? else {
            webhooks.drop_delivery(id, Dropped::EndpointDisabled, now).await?;
            return Ok(());
        };
        self.try_now(&endpoint, &event, id.clone()).await
    }

    /// The account's endpoint, or the one that stands for the webhook of the event's job. `None`: nothing is sent to it.
    async fn endpoint(&self, event: &StoredEvent, id: &EndpointId) -> Result<Option<Endpoint>, Obstacle> {
        let (webhooks, account) = (&self.context.webhooks, &event.account);
        match event.webhook.as_ref().filter(|webhook| webhook.id == *id) {
            Some(webhook) => Ok(Some(self.endpoint_of_job(event, webhook).await?)),
            None => Ok(webhooks.endpoint(account, id).await?.filter(|endpoint| endpoint.disabled.is_none())),
        }
    }

    /// The endpoint that stands for the webhook of the event's job.
    pub(crate) async fn endpoint_of_job(
        &self,
        event: &StoredEvent,
        webhook: &JobWebhook,
    ) -> Result<Endpoint, Obstacle> {
        let url = self.sealing.open_text(&webhook.sealed_url, &event.account, &webhook.id).unwrap_or_else(|error| {
            // Requests to no address fail, until the delivery's schedule ends: the account's endpoints get the event all the same.
            tracing::error!(%error, "the URL of a job's webhook can't be opened");
            String::new()
        });
        let health = self.context.webhooks.health_of_url(&event.account, &webhook.id).await?;
        Ok(Endpoint::of_job(webhook, &event.account, url, health, event.recorded_at))
    }

    /// Sends the event, unless the endpoint or the account has no room for a request now.
    pub(crate) async fn try_now(
        &self,
        endpoint: &Endpoint,
        event: &StoredEvent,
        id: DeliveryId,
    ) -> Result<(), Obstacle> {
        let (webhooks, now) = (&self.context.webhooks, self.clock.now());
        if let Some(until) = self.hindrance(endpoint, now).await? {
            return self.put_off(&id, now, until).await;
        }
        if !webhooks.take_slot(&id, now).await? {
            return self.put_off(&id, now, about(slot_pause(event, now), now)).await;
        }
        let sent = self.send_within_limits(endpoint, event, &id).await;
        webhooks.return_slot(&id).await?;
        sent
    }

    /// Counts the request, and sends it if the limits of the endpoint and the account allow it. Only who has a slot is counted.
    async fn send_within_limits(
        &self,
        endpoint: &Endpoint,
        event: &StoredEvent,
        id: &DeliveryId,
    ) -> Result<(), Obstacle> {
        let (webhooks, now) = (&self.context.webhooks, self.clock.now());
        if !webhooks.admits(endpoint, now).await? {
            return self.put_off(id, now, about(RATE_PAUSE, now)).await;
        }
        if !webhooks.admits_today(&endpoint.account, now).await? {
            return self.put_off(id, now, about(SUSPENDED_PAUSE, now.next_day())).await;
        }
        self.send(endpoint, event, id).await
    }

    /// Until when nothing is sent to the endpoint.
    async fn hindrance(&self, endpoint: &Endpoint, now: Timestamp) -> Result<Option<Timestamp>, Obstacle> {
        if let Some(until) = endpoint.health.pause(now) {
            return Ok(Some(about(SLOT_PAUSE, until)));
        }
        let profile = self.context.usage.profile(&endpoint.account).await?;
        if profile.is_none_or(|profile| profile.suspended) {
            return Ok(Some(about(SUSPENDED_PAUSE, now)));
        }
        Ok(None)
    }

    async fn put_off(&self, id: &DeliveryId, now: Timestamp, until: Timestamp) -> Result<(), Obstacle> {
        if self.context.webhooks.postpone(id, now, until).await? {
            self.call_again(id, now, until).await?;
        }
        Ok(())
    }

    /// Sends a message for a try that is soon due. Later ones are the sweeper's.
    async fn call_again(&self, id: &DeliveryId, now: Timestamp, due: Timestamp) -> Result<(), Obstacle> {
        let delay = Duration::from_millis(due.millis_since(now));
        if delay <= SOON {
            // A message that comes early would find nothing due.
            let seconds = delay.as_secs() + 1;
            self.queue.hurry(&[(WebhookMessage::Delivery(id.clone()), seconds)]).await?;
        }
        Ok(())
    }

    /// Claims the delivery, sends the request, and writes down what came of it.
    async fn send(&self, endpoint: &Endpoint, event: &StoredEvent, id: &DeliveryId) -> Result<(), Obstacle> {
        let (body, now) = (event.body(), self.clock.now());
        let claim = self.context.webhooks.claim(id, &sha256_hex(body.as_bytes()), now).await?;
        let Claim::Yes(delivery) = claim else { return Ok(()) };
        if let Some(ended) = delivery.given_up(&body) {
            self.context.webhooks.finish(&ended).await?;
            return Ok(());
        }
        let headers = self.sign(endpoint, &event.id, &body, now)?;
        let answer = self.outlets.send(endpoint, event, &headers, body, now).await;
        telemetry::webhook::sent(endpoint, (&event.id, event.recorded_at), delivery.tries, &answer.sent);
        self.note(endpoint, *delivery, headers.signature, answer).await
    }

    fn sign(&self, endpoint: &Endpoint, id: &str, body: &str, now: Timestamp) -> Result<Headers, Obstacle> {
        let secrets = endpoint.signing_secrets(now).filter(|_| endpoint.signatures.has_secret());
        let secrets = secrets.map(|secret| self.sealing.open(&secret.sealed, &endpoint.account, &endpoint.id));
        let secrets: Vec<Secret> = secrets.collect::<Result<_, _>>()?;
        Ok(Headers::sign(id, body, &secrets, &self.signing, endpoint.signatures, now)?)
    }

    async fn note(
        &self,
        endpoint: &Endpoint,
        delivery: Delivery,
        signature: String,
        Answer { sent, retry_after }: Answer,
    ) -> Result<(), Obstacle> {
        let (webhooks, now) = (&self.context.webhooks, self.clock.now());
        let (succeeded, gone, took) = (sent.is_success(), sent.is_gone(), sent.took());
        let after = delivery.after(Attempt { sent, signature }, retry_after, rand::random(), now);
        webhooks.finish(&after).await?;
        let health = |seen: Health| match succeeded {
            true => seen.after_success(took),
            false => seen.after_failure(took, now),
        };
        let health = webhooks.note_health(endpoint, health).await?;
        // A job's webhook is not disabled, since nobody could enable it again.
        if !endpoint.of_jobs {
            self.disable_if_useless(endpoint, gone, health, now).await?;
        }
        match after.due {
            Some(due) => self.call_again(&after.id(), now, due).await,
            None => Ok(()),
        }
    }

    async fn disable_if_useless(
        &self,
        endpoint: &Endpoint,
        gone: bool,
        health: Health,
        now: Timestamp,
    ) -> Result<(), Obstacle> {
        let webhooks = &self.context.webhooks;
        if gone {
            webhooks.disable(endpoint, DisabledReason::Gone, None, now).await?;
        } else if health.has_failed_too_long(now) {
            webhooks.disable(endpoint, DisabledReason::Failing, health.failing_since, now).await?;
        }
        Ok(())
    }
}

/// The longer an event waits for a free slot, the less often it asks: thousands may wait for a slow endpoint.
fn slot_pause(event: &StoredEvent, now: Timestamp) -> Duration {
    Duration::from_millis(now.millis_since(event.recorded_at) / 2).clamp(SLOT_PAUSE, LONGEST_SLOT_PAUSE)
}

/// A time after `from` that varies, so that deliveries that were put off together don't come back together.
fn about(pause: Duration, from: Timestamp) -> Timestamp {
    from.plus(pause.mul_f64(0.5 + rand::random::<f64>()))
}
