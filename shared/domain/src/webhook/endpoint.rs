//! Endpoints: addresses of an account that events are sent to.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::destination::Destination;
use crate::endpoint_id::EndpointId;
use crate::job::JobWebhook;
use crate::time::Timestamp;

/// How many endpoints an account may have.
pub const MOST_ENDPOINTS: usize = 20;
/// How many requests an endpoint gets at the same time.
pub const MOST_AT_ONCE: u64 = 5;
/// An endpoint that has only failed for this long is disabled.
pub const FAILING_TIME: Duration = Duration::from_secs(120 * 3600);
/// After this many failures in a row, an endpoint gets no requests for a while.
const FAILURES_TO_PAUSE: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// An endpoint that takes longer to answer is slow.
pub const SLOW_ANSWER: Duration = Duration::from_secs(2);

/// Which signatures a request has: HMAC-SHA256 with the endpoint's secret (`v1`), Ed25519 with the service's key (`v1a`), or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum Signatures {
    /// HMAC-SHA256 with the endpoint's secret.
    V1,
    /// Ed25519 with the service's key, which is published.
    V1a,
    /// For receivers that check either.
    #[default]
    Both,
}

impl Signatures {
    /// In the order of the documentation.
    pub const ALL: [Self; 3] = [Self::V1, Self::V1a, Self::Both];

    /// As requests and responses have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1a => "v1a",
            Self::Both => "both",
        }
    }

    /// `None` unless the text is one of them.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|each| each.as_str() == text)
    }

    /// Whether the endpoint's secret signs.
    pub const fn has_secret(self) -> bool {
        matches!(self, Self::V1 | Self::Both)
    }

    /// Whether the service's key signs.
    pub const fn has_public_key(self) -> bool {
        matches!(self, Self::V1a | Self::Both)
    }
}

/// Why an endpoint gets no events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum DisabledReason {
    /// Its account disabled it.
    Account,
    /// It answered 410 Gone.
    Gone,
    /// It only failed for [`FAILING_TIME`].
    Failing,
}

impl DisabledReason {
    /// As responses and events have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

/// When and why an endpoint was disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disabled {
    /// Who or what disabled it.
    pub reason: DisabledReason,
    /// No event that is recorded later is sent.
    pub at: Timestamp,
}

/// A signing secret, encrypted for storage.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedSecret {
    /// The secret as `docmill-signing` seals it.
    pub sealed: String,
    /// A replaced secret signs until then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub until: Option<Timestamp>,
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedSecret").field("until", &self.until).finish_non_exhaustive()
    }
}

/// How an endpoint has answered lately. It is only written when it changes: an endpoint that always answers well costs one write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// Failures since the last success.
    pub failures: u32,
    /// The first failure since the last success.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failing_since: Option<Timestamp>,
    /// The endpoint gets no request before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused_until: Option<Timestamp>,
    /// Its last answer took long.
    #[serde(default)]
    pub slow: bool,
    /// It has answered a request well. One that never has may be dead or slow.
    #[serde(default)]
    pub proven: bool,
}

impl Health {
    /// Whether a request is likely to be answered quickly, as far as anybody knows. Other endpoints' deliveries go through a queue of their own, so that
    /// they don't delay these.
    pub fn is_good(&self) -> bool {
        self.proven && self.failures == 0 && !self.slow
    }

    /// The pause that is not over yet.
    pub fn pause(&self, now: Timestamp) -> Option<Timestamp> {
        self.paused_until.filter(|until| *until > now)
    }

    /// The health after a request that the receiver took. `took`: until its answer.
    #[must_use]
    pub fn after_success(self, took: Duration) -> Self {
        Self { slow: took > SLOW_ANSWER, proven: true, ..Self::default() }
    }

    /// Each ten failures in a row pause the endpoint, up to ten minutes: a dead host is not asked for each event.
    #[must_use]
    pub fn after_failure(self, took: Duration, now: Timestamp) -> Self {
        let failures = self.failures.saturating_add(1);
        let pauses = failures / FAILURES_TO_PAUSE;
        let paused_until = if failures.is_multiple_of(FAILURES_TO_PAUSE) {
            Some(now.plus((FIRST_PAUSE * 2u32.saturating_pow(pauses.min(8) - 1)).min(LONGEST_PAUSE)))
        } else {
            self.paused_until
        };
        Self {
            failures,
            failing_since: Some(self.failing_since.unwrap_or(now)),
            paused_until,
            slow: took > SLOW_ANSWER,
            proven: self.proven,
        }
    }

    /// Whether the endpoint has only failed for so long that it is disabled.
    pub fn has_failed_too_long(&self, now: Timestamp) -> bool {
        self.failing_since.is_some_and(|since| since.plus(FAILING_TIME) <= now)
    }
}

/// An endpoint as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The account that it belongs to.
    pub account: String,
    /// How its account refers to it.
    pub id: EndpointId,
    /// Where events are sent.
    pub destination: Destination,
    /// The kinds of events that are sent; empty: all.
    #[serde(default)]
    pub kinds: BTreeSet<String>,
    /// Its account's own words.
    #[serde(default)]
    pub description: String,
    /// Most requests a second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate_limit: Option<u32>,
    /// Which signatures its requests have.
    #[serde(default)]
    pub signatures: Signatures,
    /// Whether each new URL must answer a challenge.
    #[serde(default)]
    pub challenge: bool,
    /// Newest first. There is always one.
    pub secrets: Vec<SealedSecret>,
    /// `None` while it gets events.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disabled: Option<Disabled>,
    /// How it has answered lately.
    #[serde(default)]
    pub health: Health,
    /// Earlier events are not sent to it.
    pub created_at: Timestamp,
    /// When its account changed it last.
    pub updated_at: Timestamp,
    /// Made for the URL that jobs name in their `webhook`: it is not stored, but for its health.
    #[serde(skip)]
    pub of_jobs: bool,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("id", &self.id).field("account", &self.account).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// The endpoint that stands for a job's webhook.
    pub fn of_job(webhook: &JobWebhook, account: &str, url: String, health: Health, at: Timestamp) -> Self {
        let sealed = |sealed: &String| SealedSecret { sealed: sealed.clone(), until: None };
        let secrets: Vec<_> = webhook.sealed_secret.iter().map(sealed).collect();
        Self {
            account: account.to_owned(),
            id: webhook.id.clone(),
            destination: Destination::Url { url },
            kinds: BTreeSet::new(),
            description: String::new(),
            rate_limit: None,
            signatures: if secrets.is_empty() { Signatures::V1a } else { Signatures::Both },
            challenge: false,
            secrets,
            disabled: None,
            health,
            created_at: at,
            updated_at: at,
            of_jobs: true,
        }
    }

    /// Whether events of this kind that were recorded at this time are sent to the endpoint.
    pub fn wants(&self, kind: &str, recorded_at: Timestamp) -> bool {
        self.disabled.is_none()
            && recorded_at >= self.created_at
            && (self.kinds.is_empty() || self.kinds.contains(kind))
    }

    /// The secrets that sign now.
    pub fn signing_secrets(&self, now: Timestamp) -> impl Iterator<Item = &SealedSecret> {
        self.secrets.iter().filter(move |secret| secret.until.is_none_or(|until| until > now))
    }

    /// Data of the event `webhook.disabled`. The URL is left out, since it may contain a secret.
    pub fn disabled_event(&self, disabled: Disabled) -> Value {
        json!({"webhook": {
            "id": self.id.as_str(), "description": self.description,
            "reason": disabled.reason.as_str(), "disabledAt": disabled.at.to_string(),
        }})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_795_176_000_000);
    const QUICK: Duration = Duration::from_millis(50);

    #[test]
    fn ten_failures_in_a_row_pause_an_endpoint_longer_each_time() {
        let mut health = Health::default();
        let mut pauses = Vec::new();
        for failure in 1..=70u32 {
            health = health.after_failure(QUICK, NOW);
            assert_eq!(health.failures, failure);
            if failure % 10 == 0 {
                pauses.push(health.paused_until.unwrap().millis_since(NOW) / 1000);
            }
        }
        assert_eq!(pauses, [30, 60, 120, 240, 480, 600, 600]);
        assert_eq!(health.pause(NOW.plus(LONGEST_PAUSE)), None);
        assert_eq!(health.after_success(QUICK), Health { proven: true, ..Health::default() });
    }

    #[test]
    fn an_endpoint_that_only_failed_for_five_days_is_disabled() {
        let failing = Health::default().after_failure(QUICK, NOW);
        let later = failing.after_failure(QUICK, NOW.plus(Duration::from_secs(3600)));
        assert_eq!(later.failing_since, Some(NOW), "the first failure counts");
        assert!(!later.has_failed_too_long(NOW.plus(FAILING_TIME - Duration::from_secs(1))));
        assert!(later.has_failed_too_long(NOW.plus(FAILING_TIME)));
        assert!(!later.after_success(QUICK).has_failed_too_long(NOW.plus(FAILING_TIME)));
    }

    #[test]
    fn failing_and_slow_endpoints_do_not_delay_others() {
        let good = Health::default().after_success(QUICK);
        assert!(good.is_good() && !Health::default().is_good(), "nobody knows yet how a new one answers");
        assert!(!good.after_failure(QUICK, NOW).is_good());
        let slow = Health::default().after_success(Duration::from_secs(3));
        assert!(!slow.is_good());
        assert!(slow.after_success(QUICK).is_good());
    }
}
