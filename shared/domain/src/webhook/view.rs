//! Endpoints and deliveries as their account reads them.

use std::fmt;

use serde::Serialize;

use super::delivery::{Delivery, DeliveryState, Dropped, Sent};
use super::destination::{Arn, Destination, external_id};
use super::endpoint::{Disabled, DisabledReason, Endpoint, Signatures};
use super::schedule::MOST_TRIES;
use crate::endpoint_id::EndpointId;
use crate::event::EventKind;
use crate::job::JobId;
use crate::time::SentTime;

/// An endpoint as its account reads it.
// The documentation of the members is that of the API.
#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Webhook", description = ""))]
pub struct EndpointView {
    /// How its account refers to it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub id: EndpointId,
    /// Unless there is a `destination`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Unless there is a `url`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<DestinationView>,
    /// The kinds that are sent: all, if its account chose none.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<EventKind>"))]
    pub events: Vec<String>,
    /// Its account's own words.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub description: String,
    /// Most requests a second.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub rate_limit: Option<u32>,
    /// Which signatures its requests have.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub signature: Signatures,
    /// Whether each new URL must answer a challenge.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub challenge: bool,
    /// Whether it gets events.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: EndpointStatus,
    /// Earlier events are not sent to it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub created_at: SentTime,
    /// When its account changed it last.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub updated_at: SentTime,
    /// Only of an endpoint that gets no events.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<DisabledView>,
    /// Only while its requests fail.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<FailingView>,
    /// Signs requests. Only in the responses that create or rotate it: keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^whsec_")))]
    pub secret: Option<String>,
}

/// The URL and the secret are left out.
impl fmt::Debug for EndpointView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointView").field("id", &self.id).field("status", &self.status).finish_non_exhaustive()
    }
}

/// Whether an endpoint gets events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum EndpointStatus {
    /// It gets the kinds that it chose.
    Active,
    /// It gets none until its account enables it.
    Disabled,
}

/// Why the endpoint gets no events: you disabled it (`account`), it answered 410 (`gone`), or it only failed for five days
/// (`failing`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct DisabledView {
    /// Who or what disabled it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub reason: DisabledReason,
    /// No event that is recorded later is sent.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub at: SentTime,
}

/// Only while requests fail: since when, and how many have failed in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct FailingView {
    /// The first failure since the last success.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub since: SentTime,
    /// How many in a row.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub failures: u32,
}

/// An SQS queue or an EventBridge bus in your AWS account, instead of `url`. Messages and events are sent under a role of yours, which
/// trusts the `deliveryRole` of `/.well-known/docmill-webhooks.json` with the `externalId` of your account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "WebhookDestination", deny_unknown_fields)
)]
pub struct DestinationView {
    /// Which of the two it is.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(rename = "type")]
    pub kind: DestinationKind,
    /// The queue, if `type` is `sqs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_arn: Option<Arn>,
    /// The bus, if `type` is `eventbridge`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus_arn: Option<Arn>,
    /// The role that may send to it.
    pub role_arn: Arn,
    /// What the role's trust policy asks for. It belongs to your account: in requests, it has no effect.
    // Requests have the same schema, so it is not required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
}

/// What receives events in the customer's AWS account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum DestinationKind {
    /// A queue.
    Sqs,
    /// An event bus.
    EventBridge,
}

/// An event on its way to an endpoint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Delivery", description = ""))]
pub struct DeliveryView {
    /// The same as the `webhook-id`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^evt_[0-9a-f]{32}$")))]
    pub event_id: String,
    /// The name of an [`EventKind`].
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "EventKind"))]
    pub kind: String,
    /// Where in its life the delivery is.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: DeliveryStatus,
    /// When the event was fanned out.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub created_at: SentTime,
    /// 0 once it has ended.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(range(max = MOST_TRIES)))]
    pub tries_left: u32,
    /// Oldest first.
    #[cfg_attr(feature = "schema", schemars(length(max = 20)))]
    pub attempts: Vec<AttemptView>,
    /// The job that the event is about.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// Only while it waits.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try_at: Option<SentTime>,
    /// Only of a dropped delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_because: Option<Dropped>,
}

/// What became of a delivery, as its account sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = ""))]
pub enum DeliveryStatus {
    /// It waits for a try, or a request is on its way.
    Pending,
    /// The receiver answered with success.
    Delivered,
    /// The last try failed. It can be replayed.
    Failed,
    /// It was given up for another reason than the receiver.
    Dropped,
}

/// A request to a receiver, and what came of it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WebhookAttempt", description = ""))]
pub struct AttemptView {
    /// When the request began.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub at: SentTime,
    /// How long it took, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub duration_ms: u64,
    /// The HTTP status of the response. Absent if the endpoint did not respond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The beginning of the answer, at most 1 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Why there was no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl fmt::Debug for AttemptView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AttemptView").field("status", &self.status).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The endpoint for its account, without secrets.
    pub fn view(&self) -> EndpointView {
        let events = match self.kinds.is_empty() {
            true => EventKind::ALL.map(|kind| kind.as_str().to_owned()).to_vec(),
            false => self.kinds.iter().cloned().collect(),
        };
        EndpointView {
            id: self.id.clone(),
            url: self.destination.url().map(str::to_owned),
            destination: self.destination.view(&self.account),
            events,
            description: self.description.clone(),
            rate_limit: self.rate_limit,
            signature: self.signatures,
            challenge: self.challenge,
            status: if self.disabled.is_some() { EndpointStatus::Disabled } else { EndpointStatus::Active },
            created_at: self.created_at.into(),
            updated_at: self.updated_at.into(),
            disabled: self.disabled.map(|Disabled { reason, at }| DisabledView { reason, at: at.into() }),
            failing: self
                .health
                .failing_since
                .map(|since| FailingView { since: since.into(), failures: self.health.failures }),
            secret: None,
        }
    }
}

impl Destination {
    /// A queue or a bus as this account sees it; `None`: a URL.
    fn view(&self, account: &str) -> Option<DestinationView> {
        let (kind, queue_arn, bus_arn, role) = match self {
            Self::Url { .. } => return None,
            Self::Sqs { queue, role } => (DestinationKind::Sqs, Some(queue), None, role),
            Self::EventBridge { bus, role } => (DestinationKind::EventBridge, None, Some(bus), role),
        };
        Some(DestinationView {
            kind,
            queue_arn: queue_arn.cloned(),
            bus_arn: bus_arn.cloned(),
            role_arn: role.clone(),
            external_id: Some(external_id(account)),
        })
    }
}

impl Delivery {
    /// The delivery for its account.
    pub fn view(&self) -> DeliveryView {
        let status = match self.state {
            DeliveryState::Waiting | DeliveryState::Sending => DeliveryStatus::Pending,
            DeliveryState::Delivered => DeliveryStatus::Delivered,
            DeliveryState::Failed => DeliveryStatus::Failed,
            DeliveryState::Dropped => DeliveryStatus::Dropped,
        };
        DeliveryView {
            event_id: self.event.clone(),
            kind: self.kind.clone(),
            status,
            created_at: self.created_at.into(),
            tries_left: if self.state.is_ended() { 0 } else { MOST_TRIES.saturating_sub(self.tries) },
            attempts: self.attempts.iter().map(|attempt| attempt.sent.view()).collect(),
            job_id: self.job,
            next_try_at: self.due.filter(|_| self.state == DeliveryState::Waiting).map(SentTime),
            dropped_because: self.dropped,
        }
    }
}

impl Sent {
    /// For the account that sent it.
    pub fn view(&self) -> AttemptView {
        let Self { at, ms, status, answer, error } = self;
        AttemptView {
            at: (*at).into(),
            duration_ms: *ms,
            status: *status,
            response: status.map(|_| answer.clone()),
            error: error.clone().filter(|_| status.is_none()),
        }
    }
}
