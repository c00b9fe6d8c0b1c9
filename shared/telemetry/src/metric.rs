//! Metrics: fields of log lines that CloudWatch counts. Each combination of metric and dimension values is billed, so that
//! dimensions have few values: never an account, job or key.

use super::field;

/// What a metric is measured in, as CloudWatch names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// How many.
    Count,
    /// How long.
    Milliseconds,
}

impl Unit {
    /// CloudWatch's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
        }
    }
}

/// A field with a unit. Metrics that are always measured together have the same dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name of the field and of the metric.
    pub name: &'static str,
    /// What its values are.
    pub unit: Unit,
    /// CloudWatch keeps a series for each value of each set. The empty set gives the metric itself.
    pub dimensions: &'static [&'static [&'static str]],
}

const fn count(name: &'static str, dimensions: &'static [&'static [&'static str]]) -> Metric {
    Metric { name, unit: Unit::Count, dimensions }
}

const fn time_by_engine(name: &'static str) -> Metric {
    Metric { name, unit: Unit::Milliseconds, dimensions: &[&[field::ENGINE]] }
}

/// Answered requests. Route and code are separate dimensions: combined, they would be hundreds of series, and the log has both.
pub const REQUESTS: Metric = count("requests", &[&[field::ROUTE], &[field::CODE]]);
/// Credits charged for new jobs.
pub const CREDITS_CHARGED: Metric = count("credits_charged", &[&[]]);
/// Credits refunded for failed jobs.
pub const CREDITS_REFUNDED: Metric = count("credits_refunded", &[&[]]);
/// Jobs that ended, completed or failed.
pub const JOBS: Metric = count("jobs", &[&[field::ENGINE], &[field::ENGINE, field::CODE]]);
/// Jobs that failed through the service, not through their source.
pub const SERVICE_FAILURES: Metric = count("service_failures", &[&[field::ENGINE]]);
/// Jobs that failed through their source or request, by group of accounts: one account is in one group, so a failure that is in
/// several groups at once is no single account's.
pub const SOURCE_FAILURES: Metric = count("source_failures", &[&[field::ACCOUNT_GROUP]]);
/// Completed jobs, by the same groups.
pub const COMPLETIONS: Metric = count("completions", &[&[field::ACCOUNT_GROUP]]);
/// Attempts that failed through the service: their jobs get another one.
pub const FAILED_ATTEMPTS: Metric = count("failed_attempts", &[&[field::PART]]);
/// From a job's creation to its first attempt.
pub const QUEUED_MS: Metric = time_by_engine("queued_ms");
/// Fetching and checking the source.
pub const FETCH_MS: Metric = time_by_engine("fetch_ms");
/// Converting, with all tools of the job.
pub const CONVERT_MS: Metric = time_by_engine("convert_ms");
/// Storing the result.
pub const STORE_MS: Metric = time_by_engine("store_ms");
/// Documents that a fresh engine converted because the warm one failed.
pub const ENGINE_FALLBACKS: Metric = count("engine_fallbacks", &[&[field::ENGINE]]);
/// Environments that were started.
pub const COLD_STARTS: Metric = count("cold_starts", &[&[field::PART]]);
/// Workers that were started, by how they deny their children the network.
pub const WORKER_STARTS: Metric = count("worker_starts", &[&[field::NETWORK_DENIAL]]);
/// Jobs whose message the sweeper sent again.
pub const REPAIRS_RESENT: Metric = count("repairs_resent", &[&[]]);
/// Jobs that were given back for another attempt because their worker's lease had ended.
pub const REPAIRS_RELEASED: Metric = count("repairs_released", &[&[]]);
/// Jobs that could not be repaired: failed and refunded.
pub const REPAIRS_FAILED: Metric = count("repairs_failed", &[&[]]);
/// Results that were deleted when they expired.
pub const REPAIRS_EXPIRED: Metric = count("repairs_expired", &[&[]]);
/// Jobs whose repair failed in a run. The next run tries again.
pub const REPAIR_ERRORS: Metric = count("repair_errors", &[&[]]);

/// Chains of messages that reached their bound. The sweeper begins new ones.
pub const CHAINS_CUT: Metric = count("chains_cut", &[&[]]);

/// Requests to webhook endpoints.
pub const WEBHOOKS_SENT: Metric = count("webhooks_sent", &[&[field::CODE]]);
/// From an event to the first request about it.
pub const WEBHOOK_DELAY_MS: Metric = Metric { name: "webhook_delay_ms", unit: Unit::Milliseconds, dimensions: &[&[]] };

/// All metrics: operators' documentation is compared with them.
pub const ALL: [Metric; 23] = [
    REQUESTS,
    CREDITS_CHARGED,
    CREDITS_REFUNDED,
    JOBS,
    SERVICE_FAILURES,
    SOURCE_FAILURES,
    COMPLETIONS,
    FAILED_ATTEMPTS,
    QUEUED_MS,
    FETCH_MS,
    CONVERT_MS,
    STORE_MS,
    ENGINE_FALLBACKS,
    COLD_STARTS,
    WORKER_STARTS,
    REPAIRS_RESENT,
    REPAIRS_RELEASED,
    REPAIRS_FAILED,
    REPAIRS_EXPIRED,
    REPAIR_ERRORS,
    CHAINS_CUT,
    WEBHOOKS_SENT,
    WEBHOOK_DELAY_MS,
];
