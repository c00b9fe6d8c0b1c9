//! Deliveries: an event on its way to an endpoint.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::schedule::{MOST_TRIES, next_try};
use crate::endpoint_id::EndpointId;
use crate::job::JobId;
use crate::sha256_hex;
use crate::time::Timestamp;

/// How long a delivery can be listed after its last change.
pub const DELIVERY_RETENTION: Duration = Duration::from_secs(30 * 86_400);
/// A try that has not ended by then was lost with its environment. Longer than any request.
pub const LEASE: Duration = Duration::from_secs(45);
/// Most attempts that are kept, since a delivery can be replayed any number of times.
const MOST_KEPT: usize = 20;

/// An event and the endpoint that it is sent to. Each pair has one delivery.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct DeliveryId {
    /// The account that the event belongs to.
    pub account: String,
    /// Where it is sent.
    pub endpoint: EndpointId,
    /// The event's id, which is the header `webhook-id`.
    pub event: String,
}

/// The state of a delivery: `waiting → sending → delivered | failed | dropped`, and from `sending` back to `waiting`. A replay
/// starts again from an ended state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// For its first or next try.
    Waiting,
    /// A request is on its way.
    Sending,
    /// The receiver answered with success.
    Delivered,
    /// The last try failed.
    Failed,
    /// It will not be tried again.
    Dropped,
}

impl DeliveryState {
    /// In the order of a delivery's life.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Sending, Self::Delivered, Self::Failed, Self::Dropped];

    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }

    /// `None` unless the text is a state.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.as_str() == text)
    }

    /// Whether nothing more is sent unless it is replayed.
    pub const fn is_ended(self) -> bool {
        matches!(self, Self::Delivered | Self::Failed | Self::Dropped)
    }
}

/// Why a delivery is not tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum Dropped {
    /// The endpoint was disabled.
    EndpointDisabled,
    /// The job was deleted after a try had begun: a second try would send another text under the same id.
    JobDeleted,
    /// The event is no longer kept.
    EventExpired,
}

impl Dropped {
    /// As responses have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EndpointDisabled => "endpoint_disabled",
            Self::JobDeleted => "job_deleted",
            Self::EventExpired => "event_expired",
        }
    }
}

/// What a receiver answered, or why there is no answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// When the request began.
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The HTTP status; `None` if there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<u16>,
    /// The beginning of the answer's body, at most 1 KiB.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub answer: String,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("status", &self.status).field("ms", &self.ms).finish_non_exhaustive()
    }
}

impl Sent {
    /// Whether the receiver took the event: a status from 200 to 299.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| (200..300).contains(&status))
    }

    /// 410 Gone: the receiver does not want events any more.
    pub fn is_gone(&self) -> bool {
        self.status == Some(410)
    }

    /// How long the request took.
    pub fn took(&self) -> Duration {
        Duration::from_millis(self.ms)
    }
}

/// A request of a delivery. `signature` is the header `webhook-signature`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// What came of the request.
    pub sent: Sent,
    /// As the receiver got it, so that its owner can check it again.
    pub signature: String,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").field("sent", &self.sent).finish_non_exhaustive()
    }
}

/// A delivery as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The account that the event belongs to.
    pub account: String,
    /// Where it is sent.
    pub endpoint: EndpointId,
    /// The event's id.
    pub event: String,
    /// The event's kind.
    pub kind: String,
    /// The job that the event is about; `None` for other events.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub job: Option<JobId>,
    /// Where in its life the delivery is.
    pub state: DeliveryState,
    /// When the event was fanned out.
    pub created_at: Timestamp,
    /// Tries that have begun since the delivery was created or replayed.
    pub tries: u32,
    /// Oldest first.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// When the delivery is tried next, or its current try counts as lost.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due: Option<Timestamp>,
    /// SHA-256 of the body of the first try.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub body_sha256: Option<String>,
    /// Only of a dropped delivery.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dropped: Option<Dropped>,
    /// Seconds since the epoch. DynamoDB deletes the item some time later.
    pub ttl: i64,
}

impl Delivery {
    /// For an event that has just been fanned out.
    pub fn new(id: &DeliveryId, kind: &str, job: Option<JobId>, now: Timestamp) -> Self {
        Self {
            account: id.account.clone(),
            endpoint: id.endpoint.clone(),
            event: id.event.clone(),
            kind: kind.to_owned(),
            job,
            state: DeliveryState::Waiting,
            created_at: now,
            tries: 0,
            attempts: Vec::new(),
            due: Some(now),
            body_sha256: None,
            dropped: None,
            ttl: now.plus(DELIVERY_RETENTION).as_ttl_seconds(),
        }
    }

    /// What identifies it.
    pub fn id(&self) -> DeliveryId {
        DeliveryId { account: self.account.clone(), endpoint: self.endpoint.clone(), event: self.event.clone() }
    }

    /// How a delivery ends that was claimed, but must not be sent: because another text was sent under the same id before, or
    /// because its tries were lost time and again.
    pub fn given_up(&self, body: &str) -> Option<Self> {
        let differs = self.body_sha256.as_ref().is_some_and(|sent| *sent != sha256_hex(body.as_bytes()));
        let ended = |state, dropped| Some(Self { state, dropped, due: None, ..self.clone() });
        match (differs, self.tries > MOST_TRIES) {
            (true, _) => ended(DeliveryState::Dropped, Some(Dropped::JobDeleted)),
            (false, true) => ended(DeliveryState::Failed, None),
            (false, false) => None,
        }
    }

    /// The delivery after a try that it was claimed for. `retry_after`: what the receiver asked for; `random`: from 0 to 1.
    #[must_use]
    pub fn after(mut self, attempt: Attempt, retry_after: Option<Duration>, random: f64, now: Timestamp) -> Self {
        let asked_for = retry_after.filter(|_| matches!(attempt.sent.status, Some(429 | 503)));
        let next = next_try(self.tries, now, asked_for, random);
        (self.state, self.due) = match next {
            _ if attempt.sent.is_success() => (DeliveryState::Delivered, None),
            Some(_) if attempt.sent.is_gone() => (DeliveryState::Failed, None),
            Some(at) => (DeliveryState::Waiting, Some(at)),
            None => (DeliveryState::Failed, None),
        };
        self.attempts.push(attempt);
        let too_many = self.attempts.len().saturating_sub(MOST_KEPT);
        self.attempts.drain(..too_many);
        self.ttl = self.due.unwrap_or(now).plus(DELIVERY_RETENTION).as_ttl_seconds();
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_795_176_000_000);

    fn delivery(tries: u32) -> Delivery {
        let id = DeliveryId { account: "a".into(), endpoint: EndpointId::new(), event: "evt_1".into() };
        let new = Delivery::new(&id, "job.completed", None, NOW);
        Delivery { tries, state: DeliveryState::Sending, ..new }
    }

    fn attempt(status: Option<u16>) -> Attempt {
        let error = status.is_none().then(|| "no answer".to_owned());
        let sent = Sent { at: NOW, ms: 12, status, answer: "thanks".into(), error };
        Attempt { sent, signature: "v1,x".into() }
    }

    fn after(tries: u32, status: Option<u16>) -> Delivery {
        delivery(tries).after(attempt(status), None, 0.5, NOW)
    }

    #[test]
    fn only_2xx_is_a_success() {
        for status in [200, 202, 204, 299] {
            assert_eq!(after(1, Some(status)).state, DeliveryState::Delivered, "{status}");
        }
        for status in [None, Some(199), Some(301), Some(400), Some(404), Some(500)] {
            let waiting = after(1, status);
            assert_eq!((waiting.state, waiting.due), (DeliveryState::Waiting, Some(Timestamp(NOW.0 + 5000))));
        }
    }

    #[test]
    fn the_tenth_failure_is_the_last() {
        assert_eq!(after(9, Some(500)).state, DeliveryState::Waiting);
        let failed = after(10, Some(500));
        assert_eq!((failed.state, failed.due), (DeliveryState::Failed, None));
        assert_eq!(after(10, Some(200)).state, DeliveryState::Delivered);
        assert_eq!(after(1, Some(410)).state, DeliveryState::Failed, "a receiver that is gone is not asked again");
    }

    #[test]
    fn only_busy_receivers_may_ask_for_time() {
        let due = |status| {
            let after = delivery(1).after(attempt(Some(status)), Some(Duration::from_secs(60)), 0.5, NOW);
            after.due.unwrap().millis_since(NOW) / 1000
        };
        assert_eq!([429, 503, 500].map(due), [60, 60, 5]);
    }

    #[test]
    fn the_last_attempts_are_kept() {
        let mut replayed = delivery(1);
        for ms in 0..50 {
            let mut attempt = attempt(Some(500));
            attempt.sent.ms = ms;
            replayed = Delivery { tries: 1, ..replayed.after(attempt, None, 0.5, NOW) };
        }
        let kept: Vec<_> = replayed.attempts.iter().map(|attempt| attempt.sent.ms).collect();
        assert_eq!(kept, (30..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_body_is_the_same_at_each_try() {
        let first = delivery(1);
        assert_eq!(first.given_up("{}"), None, "nothing was sent yet");
        let tried = Delivery { body_sha256: Some(sha256_hex(b"{}")), ..first };
        assert_eq!(tried.given_up("{}"), None);
        let dropped = tried.given_up("{ }").unwrap();
        assert_eq!((dropped.state, dropped.dropped), (DeliveryState::Dropped, Some(Dropped::JobDeleted)));
        assert_eq!(dropped.due, None);
    }

    #[test]
    fn a_delivery_whose_tries_are_lost_is_not_tried_for_ever() {
        assert_eq!(delivery(MOST_TRIES).given_up("{}"), None);
        let failed = delivery(MOST_TRIES + 1).given_up("{}").unwrap();
        assert_eq!((failed.state, failed.due), (DeliveryState::Failed, None));
    }

    #[test]
    fn the_account_sees_each_attempt() {
        let view = json!(after(1, Some(500)).after(attempt(None), None, 0.5, NOW).view());
        assert_eq!(
            view["attempts"],
            json!([
                {"at": "2026-11-20T12:00:00.000Z", "durationMs": 12, "status": 500, "response": "thanks"},
                {"at": "2026-11-20T12:00:00.000Z", "durationMs": 12, "error": "no answer"},
            ])
        );
        assert_eq!((&view["status"], &view["triesLeft"]), (&json!("pending"), &json!(9)));
        assert_eq!(view["nextTryAt"], "2026-11-20T12:00:05.000Z");
    }
}
