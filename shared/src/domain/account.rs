//! Accounts, their plans, and the stored form of their keys.

use serde::{Deserialize, Serialize};

use super::api_key::{KeyHash, Mode};
use super::quota::{RateLimit, RatePolicy};
use super::time::Timestamp;

/// An account holds at most this many keys, so that a change of its standing rewrites them in one transaction.
pub const MAX_KEYS: usize = 20;

/// What an account pays for. Administrators set plans; this is what an unknown one falls back to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub id: String,
    /// Credits of each UTC month. They lapse at its end.
    pub included_credits: u64,
    /// Slugs of the tools the plan may use; `None` means all of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_tools: Option<Vec<String>>,
    /// Origins from which the plan's keys work; none listed means that the `Origin` header does not matter.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
}

impl Plan {
    pub const DEFAULT_ID: &'static str = "free";

    /// A plan that no administrator has described: the free one, and nothing for any other name.
    pub fn fallback(id: &str) -> Self {
        let included_credits = if id == Self::DEFAULT_ID { 100 } else { 0 };
        Self { id: id.to_owned(), included_credits, allowed_tools: None, allowed_origins: Vec::new() }
    }
}

/// The account itself: the `profile` item of the Usage table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    pub name: String,
    pub plan: String,
    /// Granted credits that are left. They carry over from month to month.
    pub granted: u64,
    pub suspended: bool,
    pub test_mode: bool,
    /// Origins from which the account's keys work; none listed means all.
    #[serde(default)]
    pub account_origins: Vec<String>,
    pub created_at: Timestamp,
}

impl Profile {
    /// An account in good standing, without granted credits.
    pub fn new(name: &str, plan: &str, now: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            plan: plan.to_owned(),
            granted: 0,
            suspended: false,
            test_mode: true,
            account_origins: Vec::new(),
            created_at: now,
        }
    }
}

/// A key as it is stored, with copies of what its account decides, so that one read answers everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredKey {
    pub key_hash: KeyHash,
    pub key_id: String,
    pub account: String,
    pub name: String,
    pub mode: Mode,
    pub last4: String,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_used_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revoked_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
    /// Slugs; `None` means every tool that the plan allows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_tools: Option<Vec<String>>,
    /// Origins, e.g. `https://app.example`; none listed means that the `Origin` header does not matter.
    #[serde(default)]
    pub allowed_origins: Vec<String>,

    // Copies of the account's plan and standing.
    pub plan: String,
    #[serde(default)]
    pub account_origins: Vec<String>,
    pub suspended: bool,
    pub test_mode: bool,

    #[serde(flatten)]
    pub limiter: Limiter,
}

impl StoredKey {
    pub fn is_dead_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_some() || self.expires_at.is_some_and(|expires| expires <= now)
    }

    /// Whether a request from `origin` may use the key: every list that names any origins must name this one.
    pub fn admits_origin(&self, plan: &Plan, origin: Option<&str>) -> bool {
        [&self.allowed_origins, &self.account_origins, &plan.allowed_origins].into_iter().all(|allowed| {
            allowed.is_empty()
                || origin.is_some_and(|origin| allowed.iter().any(|candidate| candidate.eq_ignore_ascii_case(origin)))
        })
    }

    pub fn may_use(&self, tool: &str) -> bool {
        self.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|slug| slug == tool))
    }
}

/// The two limiters of a key: flat number attributes, since condition expressions do no arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limiter {
    pub create_per_minute: u32,
    pub create_burst: u32,
    pub create_emission: i64,
    pub create_idle_slack: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub create_tat: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub create_allow_at: Option<Timestamp>,
    pub read_per_minute: u32,
    pub read_burst: u32,
    pub read_emission: i64,
    pub read_idle_slack: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read_tat: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub read_allow_at: Option<Timestamp>,
}

impl Limiter {
    pub fn new(create: RateLimit, read: RateLimit) -> Self {
        Self {
            create_per_minute: create.per_minute,
            create_burst: create.burst,
            create_emission: create.emission_ms(),
            create_idle_slack: create.idle_slack_ms(),
            create_tat: None,
            create_allow_at: None,
            read_per_minute: read.per_minute,
            read_burst: read.burst,
            read_emission: read.emission_ms(),
            read_idle_slack: read.idle_slack_ms(),
            read_tat: None,
            read_allow_at: None,
        }
    }

    pub fn limit(&self, policy: RatePolicy) -> RateLimit {
        match policy {
            RatePolicy::Create => RateLimit { per_minute: self.create_per_minute, burst: self.create_burst },
            RatePolicy::Read => RateLimit { per_minute: self.read_per_minute, burst: self.read_burst },
        }
    }

    /// The theoretical arrival time, and the earliest moment at which the next request is admitted.
    pub fn state(&self, policy: RatePolicy) -> (Option<Timestamp>, Option<Timestamp>) {
        match policy {
            RatePolicy::Create => (self.create_tat, self.create_allow_at),
            RatePolicy::Read => (self.read_tat, self.read_allow_at),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::domain::api_key::ApiKey;

    pub(crate) fn key() -> StoredKey {
        let key = ApiKey::generate(Mode::Live);
        StoredKey {
            key_hash: key.hash(),
            key_id: "key_1".into(),
            account: "acc_1".into(),
            name: "test".into(),
            mode: Mode::Live,
            last4: key.last4().into(),
            created_at: Timestamp(0),
            last_used_at: None,
            revoked_at: None,
            expires_at: None,
            allowed_tools: None,
            allowed_origins: Vec::new(),
            plan: "free".into(),
            account_origins: Vec::new(),
            suspended: false,
            test_mode: true,
            limiter: Limiter::new(RateLimit::CREATE, RateLimit::READ),
        }
    }

    #[test]
    fn origins_of_key_account_and_plan_must_all_agree() {
        let list = |origins: &[&str]| origins.iter().map(|&origin| origin.to_owned()).collect::<Vec<_>>();
        let open = Plan::fallback("free");
        let bound = StoredKey {
            allowed_origins: list(&["https://a.example", "https://b.example"]),
            account_origins: list(&["https://b.example", "https://c.example"]),
            ..key()
        };
        assert!(bound.admits_origin(&open, Some("https://b.example")));
        assert!(!bound.admits_origin(&open, Some("https://a.example")));
        assert!(!bound.admits_origin(&open, None));
        assert!(key().admits_origin(&open, None));
        let plan = Plan { allowed_origins: list(&["https://c.example"]), ..open };
        assert!(!bound.admits_origin(&plan, Some("https://b.example")));
        assert!(key().admits_origin(&plan, Some("https://C.example")));
        assert!(!key().admits_origin(&plan, None));
    }

    #[test]
    fn a_key_dies_at_the_moment_it_expires() {
        let expiring = StoredKey { expires_at: Some(Timestamp(10)), ..key() };
        assert!(!expiring.is_dead_at(Timestamp(9)));
        assert!(expiring.is_dead_at(Timestamp(10)));
    }
}
