//! The metrics: fields of log lines that CloudWatch also counts. Each combination of a metric and a value of its
//! dimensions is billed, so that dimensions are bounded and few: never an account, a job or a key.

use super::field;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Count,
    Milliseconds,
}

impl Unit {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Milliseconds => "Milliseconds",
        }
    }
}

/// A field with a unit. Metrics that are always measured together share their sets of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    pub name: &'static str,
    pub unit: Unit,
    /// CloudWatch keeps one series for each value of each set. An empty set is the metric itself.
    pub dimensions: &'static [&'static [&'static str]],
}

const fn count(name: &'static str, dimensions: &'static [&'static [&'static str]]) -> Metric {
    Metric { name, unit: Unit::Count, dimensions }
}

const fn time_by_engine(name: &'static str) -> Metric {
    Metric { name, unit: Unit::Milliseconds, dimensions: &[&[field::ENGINE]] }
}

/// Answered requests. Route and code apart: together they would be some hundred series, and the log has them together.
pub const REQUESTS: Metric = count("requests", &[&[field::ROUTE], &[field::CODE]]);
/// Credits taken for new jobs.
pub const CREDITS_CHARGED: Metric = count("credits_charged", &[&[]]);
/// Credits given back for failed jobs.
pub const CREDITS_REFUNDED: Metric = count("credits_refunded", &[&[]]);
/// Jobs that ended, completed or failed.
pub const JOBS: Metric = count("jobs", &[&[field::ENGINE], &[field::ENGINE, field::CODE]]);
/// From a job's creation to the start of its first attempt.
pub const QUEUED_MS: Metric = time_by_engine("queued_ms");
/// Fetching and checking the source.
pub const FETCH_MS: Metric = time_by_engine("fetch_ms");
pub const CONVERT_MS: Metric = time_by_engine("convert_ms");
/// Storing the result.
pub const STORE_MS: Metric = time_by_engine("store_ms");
/// Documents that a fresh engine converted, because the warm one did not work.
pub const ENGINE_FALLBACKS: Metric = count("engine_fallbacks", &[&[field::ENGINE]]);
/// Environments that were started.
pub const COLD_STARTS: Metric = count("cold_starts", &[&[field::PART]]);
/// Workers that were started, by what keeps their children from the network.
pub const WORKER_STARTS: Metric = count("worker_starts", &[&[field::NETWORK_DENIAL]]);
/// Jobs whose message the sweeper sent again.
pub const REPAIRS_RESENT: Metric = count("repairs_resent", &[&[]]);
/// Jobs whose worker's lease had ended, given back for another attempt.
pub const REPAIRS_RELEASED: Metric = count("repairs_released", &[&[]]);
/// Jobs that were beyond help: failed, with their credits back.
pub const REPAIRS_FAILED: Metric = count("repairs_failed", &[&[]]);
/// Results that were deleted after their time.
pub const REPAIRS_EXPIRED: Metric = count("repairs_expired", &[&[]]);
/// Jobs that could not be repaired in a run; the next one tries again.
pub const REPAIR_ERRORS: Metric = count("repair_errors", &[&[]]);

pub const ALL: [Metric; 16] = [
    REQUESTS,
    CREDITS_CHARGED,
    CREDITS_REFUNDED,
    JOBS,
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
];
