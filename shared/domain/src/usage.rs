//! What an account has used, as its owner reads it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::account::quota::RATE_WINDOW_SECONDS;
use crate::job::statistics::{Counts, GroupBy};
use crate::time::SentTime;

/// Credits, jobs and limits of the current month.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Usage", description = ""))]
pub struct UsageView {
    /// The current month.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub period: PeriodView,
    /// The plan's id.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub plan: String,
    /// Whether the request used a test key.
    pub test_mode: bool,
    /// What the account has used and has left.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub credits: CreditsLeft,
    /// Jobs that were created this month.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub jobs: JobCounts,
    /// Sorted by slug.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub by_tool: Vec<ToolUsage>,
    /// Of the key that asks.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub rate_limit: RateLimits,
}

/// A month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct PeriodView {
    /// Start of the month in UTC.
    pub start: SentTime,
    /// Start of the next month.
    pub end: SentTime,
}

/// Credits of the month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct CreditsLeft {
    /// Credits of the plan, renewed each month. Unused ones do not carry over.
    pub included: u64,
    /// Included and granted credits that the month's jobs cost, after refunds.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub used: u64,
    /// Included and granted credits. Granted credits carry over.
    pub remaining: u64,
    /// When the included credits are renewed.
    pub resets_at: SentTime,
}

/// Jobs by what became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct JobCounts {
    /// All jobs.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub created: u64,
    /// Jobs that had a result, even if it has expired.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub completed: u64,
    /// Jobs that ended with an error.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub failed: u64,
    /// Jobs that their owner canceled.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub canceled: u64,
}

/// What a tool was used for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct ToolUsage {
    /// Of the jobs' first tool.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub tool_slug: String,
    /// Jobs that were created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub jobs: u64,
    /// What they cost after refunds.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub credits: u64,
}

/// Both rate limits of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct RateLimits {
    /// For requests that create jobs.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub create: RateLimitView,
    /// For all other requests.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub read: RateLimitView,
}

/// How often a key may send requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RateLimit", description = ""))]
pub struct RateLimitView {
    /// Requests per window.
    pub limit: u32,
    /// Length of the window.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub window_seconds: u32,
}

impl RateLimitView {
    /// So many requests a minute.
    pub const fn of(per_minute: u32) -> Self {
        Self { limit: per_minute, window_seconds: RATE_WINDOW_SECONDS }
    }
}

/// Jobs and credits of some days, by the day of the jobs' creation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UsageOfDays"))]
pub struct UsageOfDaysView {
    /// The first day, as `YYYY-MM-DD`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    pub from: String,
    /// The last day, as `YYYY-MM-DD`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    pub to: String,
    /// The name of a [`GroupBy`].
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["day", "tool", "key"])))]
    pub group_by: String,
    /// One for each day, tool or key with jobs.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub rows: Vec<UsageRow>,
    /// The sum of all rows.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub total: UsageSum,
}

/// One day, tool or key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct UsageRow {
    /// As `YYYY-MM-DD`, if grouped by day.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("format" = "date")))]
    pub day: Option<String>,
    /// If grouped by tool.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_slug: Option<String>,
    /// If grouped by key.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
    /// Of its jobs.
    #[serde(flatten)]
    pub sum: UsageSum,
}

/// Jobs, and what they cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct UsageSum {
    /// By what became of them.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub jobs: JobCounts,
    /// What they cost.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub credits: CreditSum,
}

/// Credits of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct CreditSum {
    /// Taken when the jobs were created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub charged: u64,
    /// Given back when they ended.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub refunded: u64,
    /// What is left of the charge after refunds.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub used: u64,
}

impl UsageOfDaysView {
    /// `from` and `to`: days as `YYYY-MM-DD`, both included. `groups`: by the name of the day, tool or key.
    pub fn of(from: &str, to: &str, group_by: GroupBy, groups: &BTreeMap<String, Counts>) -> Self {
        let mut total = Counts::default();
        groups.values().for_each(|counts| total += *counts);
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            group_by: group_by.as_str().to_owned(),
            rows: groups.iter().map(|(name, counts)| UsageRow::of(group_by, name, counts)).collect(),
            total: counts_of(&total),
        }
    }
}

impl UsageRow {
    fn of(group_by: GroupBy, name: &str, counts: &Counts) -> Self {
        let named = |group| (group_by == group).then(|| name.to_owned());
        Self {
            day: named(GroupBy::Day),
            tool_slug: named(GroupBy::Tool),
            key_id: named(GroupBy::Key),
            sum: counts_of(counts),
        }
    }
}

fn counts_of(counts: &Counts) -> UsageSum {
    let &Counts { created, completed, failed, canceled, charged, refunded } = counts;
    UsageSum {
        jobs: JobCounts { created, completed, failed, canceled },
        credits: CreditSum { charged, refunded, used: counts.credits() },
    }
}
