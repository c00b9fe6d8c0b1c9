//! Keys as stored, with what their account decides about them.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AccountPolicy, Plan};
use crate::account::api_key::{ApiKey, KeyHash, Mode};
use crate::account::limits::Ceilings;
use crate::account::quota::{RateLimit, RatePolicy};
use crate::time::Timestamp;

const KEY_ID_PREFIX: &str = "key_";

/// A key as stored, with copies of its account's plan and policy, so that one read suffices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredKey {
    /// The table's partition key.
    pub key_hash: KeyHash,
    /// How owners and administrators refer to the key, which nobody can read back.
    pub key_id: String,
    /// The account that the key's requests are made for.
    pub account: String,
    /// Its owner's label.
    pub name: String,
    /// Whether its jobs cost credits.
    pub mode: Mode,
    /// The last four characters of the key; empty for the dashboard's.
    pub last4: String,
    /// When its owner created it.
    pub created_at: Timestamp,
    /// Noted by each admitted request.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_used_at: Option<Timestamp>,
    /// From then on, the key is refused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub revoked_at: Option<Timestamp>,
    /// The key is refused from then on; `None` if it never expires.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
    /// Slugs; `None` means every tool that the plan allows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_tools: Option<Vec<String>>,
    /// Origins, e.g. `https://app.example`; if empty, the `Origin` header is not checked.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
    /// Limits of its jobs, where they are below the plan's.
    #[serde(default, skip_serializing_if = "Ceilings::is_empty")]
    pub limits: Ceilings,

    // Copies of the account's plan and policy.
    /// The id of a [`Plan`].
    pub plan: String,
    /// See [`AccountPolicy::account_origins`].
    #[serde(default)]
    pub account_origins: Vec<String>,
    /// See [`AccountPolicy::account_tools`].
    #[serde(default)]
    pub account_tools: Option<Vec<String>>,
    /// Whether the account is suspended, or the key is not ready for use yet.
    pub suspended: bool,
    /// Whether the account may use test keys.
    pub test_mode: bool,

    /// Both rate limits, and how much of them is used.
    #[serde(flatten)]
    pub limiter: Limiter,
}

impl StoredKey {
    /// The id of the key that the dashboard uses for an account. It has no secret, is not listed, and does not count towards
    /// [`MAX_KEYS`](super::MAX_KEYS). No key that a client sends can have its hash.
    pub const DASHBOARD_ID: &'static str = "dashboard";

    /// The dashboard's key. It gets the account's policy when it is added.
    pub fn of_dashboard(account: &str, mode: Mode, now: Timestamp) -> Self {
        Self {
            key_hash: KeyHash::of_dashboard(account, mode),
            key_id: Self::DASHBOARD_ID.to_owned(),
            account: account.to_owned(),
            name: "Dashboard".to_owned(),
            mode,
            last4: String::new(),
            created_at: now,
            last_used_at: None,
            revoked_at: None,
            expires_at: None,
            allowed_tools: None,
            allowed_origins: Vec::new(),
            limits: Ceilings::default(),
            plan: String::new(),
            account_origins: Vec::new(),
            account_tools: None,
            suspended: false,
            test_mode: false,
            limiter: Limiter::new(RateLimit::CREATE, RateLimit::READ),
        }
    }

    /// Whether it is the key of [`StoredKey::of_dashboard`].
    pub fn is_dashboards(&self) -> bool {
        self.key_id == Self::DASHBOARD_ID
    }

    /// The key with copies of this policy.
    #[must_use]
    pub fn with_policy(self, policy: AccountPolicy) -> Self {
        let AccountPolicy { plan, suspended, test_mode, account_origins, account_tools } = policy;
        Self { plan, suspended, test_mode, account_origins, account_tools, ..self }
    }

    /// Whether the key was revoked or has expired.
    pub fn is_dead_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_some() || self.expires_at.is_some_and(|expires| expires <= now)
    }

    /// Whether a request from `origin` may use the key: all lists of origins that are not empty must contain it.
    pub fn admits_origin(&self, plan: &Plan, origin: Option<&str>) -> bool {
        [&self.allowed_origins, &self.account_origins, &plan.allowed_origins].into_iter().all(|allowed| {
            allowed.is_empty()
                || origin.is_some_and(|origin| allowed.iter().any(|candidate| candidate.eq_ignore_ascii_case(origin)))
        })
    }

    pub(crate) fn may_use(&self, tool: &str) -> bool {
        [&self.allowed_tools, &self.account_tools]
            .into_iter()
            .all(|allowed| allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|slug| slug == tool)))
    }
}

/// A new key's details. Its account adds the rest.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Made by [`NewKey::id`].
    pub key_id: String,
    /// The account that it is created for.
    pub account: String,
    /// Its owner's label.
    pub name: String,
    /// Whether its jobs cost credits.
    pub mode: Mode,
    /// Slugs; `None` means every tool that the plan allows.
    pub allowed_tools: Option<Vec<String>>,
    /// Origins of browsers; if empty, the `Origin` header is not checked.
    pub allowed_origins: Vec<String>,
    /// `None` if it never expires.
    pub expires_at: Option<Timestamp>,
    /// How fast it may create jobs.
    pub create_limit: RateLimit,
    /// How fast it may send other requests.
    pub read_limit: RateLimit,
    /// Limits of its jobs, where they are below the plan's.
    pub limits: Ceilings,
}

impl NewKey {
    /// A new id: `key_` and a UUIDv7.
    pub fn id() -> String {
        format!("{KEY_ID_PREFIX}{}", Uuid::now_v7().simple())
    }

    /// Whether the text has the form of a key's id.
    pub fn is_id(text: &str) -> bool {
        text.strip_prefix(KEY_ID_PREFIX)
            .is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    /// The key for its account to store. It only works once the account's policy is copied to it.
    pub fn with_secret(self, secret: &ApiKey, now: Timestamp) -> StoredKey {
        StoredKey {
            key_hash: secret.hash(),
            key_id: self.key_id,
            account: self.account,
            name: self.name,
            mode: self.mode,
            last4: secret.last4().to_owned(),
            created_at: now,
            last_used_at: None,
            revoked_at: None,
            expires_at: self.expires_at,
            allowed_tools: self.allowed_tools,
            allowed_origins: self.allowed_origins,
            limits: self.limits,
            plan: String::new(),
            account_origins: Vec::new(),
            account_tools: None,
            suspended: true,
            test_mode: false,
            limiter: Limiter::new(self.create_limit, self.read_limit),
        }
    }
}

/// A key's two limiters. They are flat numbers, because condition expressions can't calculate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limiter {
    create_per_minute: u32,
    create_burst: u32,
    create_emission: i64,
    create_idle_slack: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    create_tat: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    create_allow_at: Option<Timestamp>,
    read_per_minute: u32,
    read_burst: u32,
    read_emission: i64,
    read_idle_slack: i64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    read_tat: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    read_allow_at: Option<Timestamp>,
}

impl Limiter {
    /// Two idle limiters.
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

    /// The rate that the limiter enforces.
    pub fn limit(&self, policy: RatePolicy) -> RateLimit {
        match policy {
            RatePolicy::Create => RateLimit { per_minute: self.create_per_minute, burst: self.create_burst },
            RatePolicy::Read => RateLimit { per_minute: self.read_per_minute, burst: self.read_burst },
        }
    }

    /// The theoretical arrival time, and the earliest time at which the next request is admitted.
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
    use crate::account::api_key::ApiKey;

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
            limits: Ceilings::default(),
            plan: "free".into(),
            account_origins: Vec::new(),
            account_tools: None,
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
    fn tools_of_key_and_account_must_both_agree() {
        let slugs = |slugs: &[&str]| Some(slugs.iter().map(|&slug| slug.to_owned()).collect::<Vec<_>>());
        let bound = StoredKey { allowed_tools: slugs(&["a", "b"]), account_tools: slugs(&["b", "c"]), ..key() };
        assert!(bound.may_use("b") && !bound.may_use("a") && !bound.may_use("c"));
        assert!(key().may_use("a"));
    }

    #[test]
    fn texts_that_are_not_ids_are_refused() {
        assert!(NewKey::is_id(&NewKey::id()));
        for text in ["", "key_", "dashboard", "key_../x", &format!("key_{}", "g".repeat(32))] {
            assert!(!NewKey::is_id(text), "{text}");
        }
    }

    #[test]
    fn a_key_dies_at_the_moment_it_expires() {
        let expiring = StoredKey { expires_at: Some(Timestamp(10)), ..key() };
        assert!(!expiring.is_dead_at(Timestamp(9)));
        assert!(expiring.is_dead_at(Timestamp(10)));
    }
}
