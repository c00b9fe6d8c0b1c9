//! Accounts, their plans, and their keys as stored.

pub mod api_key;
pub mod credits;
mod key;
pub mod limits;
pub mod offer;
pub mod quota;
pub mod user;

use serde::{Deserialize, Serialize};
use url::Url;

pub use self::key::{Limiter, NewKey, StoredKey};
use crate::account::api_key::KeyHash;
use crate::account::limits::Ceilings;
use crate::account::offer::Offer;
use crate::account::quota::RateLimit;
use crate::time::Timestamp;

/// Most keys of one account, so that one transaction can rewrite them all when its policy changes.
pub const MAX_KEYS: usize = 20;

/// In ascending order: a plan may use tools of its own tier and those below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum AccessTier {
    /// The lowest: every plan has its tools.
    #[default]
    Free,
    /// Its tools need a plan of this tier or a higher one.
    Starter,
    /// Its tools need a plan of this tier or the highest.
    Pro,
    /// The highest: its plans have all tools.
    Enterprise,
}

/// What an account pays for. Administrators set plans; unknown plans fall back to this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The name that accounts refer to.
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
    /// The plan of accounts that were given no other.
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
    /// The id of a [`Plan`].
    pub plan: String,
    /// Whether all keys are refused.
    pub suspended: bool,
    /// Whether test keys work.
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
    /// For administrators: accounts are told apart by their ids.
    pub name: String,
    /// The id of a [`Plan`].
    pub plan: String,
    /// Granted credits that are left. They carry over to the next month.
    pub granted: u64,
    /// Whether all keys are refused.
    pub suspended: bool,
    /// Whether test keys work.
    pub test_mode: bool,
    /// Origins that may use the account's keys; if empty, all may.
    #[serde(default)]
    pub account_origins: Vec<String>,
    /// Slugs of the tools that the account may use; `None` means every tool that the plan allows.
    #[serde(default)]
    pub account_tools: Option<Vec<String>>,
    /// When an administrator or the first sign-in made the account.
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

    /// The part that each key has a copy of.
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

#[cfg(test)]
pub(crate) mod tests {
    pub(crate) use super::key::tests::key;
    use super::*;

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
}
