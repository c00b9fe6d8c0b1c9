//! Accounts, their plans, and their keys as stored.

pub mod api_key;
pub mod credits;
pub mod limits;
pub mod offer;
pub mod quota;
pub mod user;

use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use crate::account::api_key::{ApiKey, KeyHash, Mode};
use crate::account::limits::Ceilings;
use crate::account::offer::Offer;
use crate::account::quota::{RateLimit, RatePolicy};
use crate::time::Timestamp;

/// Most keys of one account, so that one transaction can rewrite them all when its policy changes.
pub const MAX_KEYS: usize = 20;
const KEY_ID_PREFIX: &str = "key_";

/// In ascending order: a plan may use tools of its own tier and those below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum AccessTier {
    #[default]
    Free,
    Starter,
    Pro,
    Enterprise,
}

/// What an account pays for. Administrators set plans; unknown plans fall back to this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub id: String,
    /// Credits per UTC month. They lapse at its end.
    pub included_credits: u64,
    /// The plan excludes tools of higher tiers.
    #[serde(default)]
    pub tier: AccessTier,
    /// Slugs of the tools that the plan allows; `None` means all of its tier.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub allowed_tools: Option<Vec<String>>,
    /// Origins that may use the plan's keys; if empty, the `Origin` header is not checked.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
    /// How fast a key may create jobs, unless it gets another limit when it is created. Existing keys keep theirs.
    #[serde(default = "RateLimit::create_default")]
    pub create_limit: RateLimit,
    /// The same for reads.
    #[serde(default = "RateLimit::read_default")]
    pub read_limit: RateLimit,
    /// Limits of its jobs, where they are below the service's.
    #[serde(default, skip_serializing_if = "Ceilings::is_empty")]
    pub limits: Ceilings,
    /// How the public page lists the plan; `None` means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<Offer>,
}

impl Plan {
    pub const DEFAULT_ID: &'static str = "free";

    /// A plan that no administrator has described: the free plan, or an empty one for any other name.
    pub fn fallback(id: &str) -> Self {
        let included_credits = if id == Self::DEFAULT_ID { 100 } else { 0 };
        Self {
            id: id.to_owned(),
            included_credits,
            tier: AccessTier::Free,
            allowed_tools: None,
            allowed_origins: Vec::new(),
            create_limit: RateLimit::CREATE,
            read_limit: RateLimit::READ,
            limits: Ceilings::default(),
            offer: None,
        }
    }
}

/// What administrators decide about an account. Each of its keys has a copy, so that one read suffices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountPolicy {
    pub plan: String,
    pub suspended: bool,
    pub test_mode: bool,
    /// Origins that may use the account's keys; if empty, all may.
    #[serde(default)]
    pub account_origins: Vec<String>,
    /// Slugs of the tools that the account may use; `None` means every tool that the plan allows.
    #[serde(default)]
    pub account_tools: Option<Vec<String>>,
}

/// The account itself: the `profile` item of the Usage table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    pub name: String,
    pub plan: String,
    /// Granted credits that are left. They carry over to the next month.
    pub granted: u64,
    pub suspended: bool,
    pub test_mode: bool,
    /// Origins that may use the account's keys; if empty, all may.
    #[serde(default)]
    pub account_origins: Vec<String>,
    /// Slugs of the tools that the account may use; `None` means every tool that the plan allows.
    #[serde(default)]
    pub account_tools: Option<Vec<String>>,
    pub created_at: Timestamp,

    /// Counts changes of the policy. A form is up to date while this is unchanged.
    #[serde(default)]
    pub version: u64,
    /// Counts changes of the policy and the list of keys. Writes of either are conditional on it.
    #[serde(default)]
    pub revision: u64,
    /// Every key that may be active, and some that no longer are. Unlike the index by account, this is never late.
    #[serde(default)]
    pub keys: Vec<KeyHash>,
}

impl Profile {
    /// A new account, active and without granted credits.
    pub fn new(name: impl Into<String>, plan: impl Into<String>, now: Timestamp) -> Self {
        Self {
            name: name.into(),
            plan: plan.into(),
            granted: 0,
            suspended: false,
            test_mode: true,
            account_origins: Vec::new(),
            account_tools: None,
            created_at: now,
            version: 0,
            revision: 0,
            keys: Vec::new(),
        }
    }

    pub fn policy(&self) -> AccountPolicy {
        AccountPolicy {
            plan: self.plan.clone(),
            suspended: self.suspended,
            test_mode: self.test_mode,
            account_origins: self.account_origins.clone(),
            account_tools: self.account_tools.clone(),
        }
    }

    /// The profile with another policy.
    #[must_use]
    pub fn with_policy(self, policy: AccountPolicy) -> Self {
        let AccountPolicy { plan, suspended, test_mode, account_origins, account_tools } = policy;
        Self { plan, suspended, test_mode, account_origins, account_tools, ..self }
    }
}

/// An origin as browsers send it (`https://app.example`); `None` for anything else.
pub fn parse_origin(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let nothing_else =
        url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let web = matches!(url.scheme(), "http" | "https") && url.password().is_none();
    (web && nothing_else && url.has_host()).then(|| url.origin().ascii_serialization())
}

/// A key as stored, with copies of its account's plan and policy, so that one read suffices.
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
    /// Origins, e.g. `https://app.example`; if empty, the `Origin` header is not checked.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
    /// Limits of its jobs, where they are below the plan's.
    #[serde(default, skip_serializing_if = "Ceilings::is_empty")]
    pub limits: Ceilings,

    // Copies of the account's plan and policy.
    pub plan: String,
    #[serde(default)]
    pub account_origins: Vec<String>,
    #[serde(default)]
    pub account_tools: Option<Vec<String>>,
    pub suspended: bool,
    pub test_mode: bool,

    #[serde(flatten)]
    pub limiter: Limiter,
}

impl StoredKey {
    /// The id of the key that the dashboard uses for an account. It has no secret, is not listed, and does not count towards
    /// [`MAX_KEYS`]. No key that a client sends can have its hash.
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

    pub fn is_dashboards(&self) -> bool {
        self.key_id == Self::DASHBOARD_ID
    }

    /// The key with copies of this policy.
    #[must_use]
    pub fn with_policy(self, policy: AccountPolicy) -> Self {
        let AccountPolicy { plan, suspended, test_mode, account_origins, account_tools } = policy;
        Self { plan, suspended, test_mode, account_origins, account_tools, ..self }
    }

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

    pub fn may_use(&self, tool: &str) -> bool {
        [&self.allowed_tools, &self.account_tools]
            .into_iter()
            .all(|allowed| allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|slug| slug == tool)))
    }
}

/// A new key's details. Its account adds the rest.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub key_id: String,
    pub account: String,
    pub name: String,
    pub mode: Mode,
    pub allowed_tools: Option<Vec<String>>,
    pub allowed_origins: Vec<String>,
    pub expires_at: Option<Timestamp>,
    pub create_limit: RateLimit,
    pub read_limit: RateLimit,
    pub limits: Ceilings,
}

impl NewKey {
    /// A new id: `key_` and a UUIDv7.
    pub fn id() -> String {
        format!("{KEY_ID_PREFIX}{}", Uuid::now_v7().simple())
    }

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
    fn an_origin_is_scheme_host_and_port_alone() {
        for (text, expected) in [
            (" https://App.Example/ ", Some("https://app.example")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("https://a.example:443", Some("https://a.example")),
            ("app.example", None),
            ("https://a.example/path", None),
            ("https://a.example?q", None),
            ("https://user@a.example", None),
            ("ftp://a.example", None),
            ("null", None),
            ("", None),
        ] {
            assert_eq!(parse_origin(text).as_deref(), expected, "{text}");
        }
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
