//! Credits and rates: the cost of a job, and a key's rate limits.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// Credits taken for a job, by source, so that a refund goes back there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// From the month's included credits, which lapse.
    pub included: u64,
    /// From granted credits, which carry over.
    pub granted: u64,
}

impl Charge {
    /// Of test jobs, and of jobs that are not paid yet.
    pub const NOTHING: Self = Self { included: 0, granted: 0 };

    /// What the owner sees as the job's cost.
    pub const fn total(self) -> u64 {
        self.included + self.granted
    }
}

/// The owner is warned at this percentage of the month's included credits.
pub const WARNING_PERCENT: u64 = 80;

/// The credits at which `quota.warning` is due; `None` if the plan includes none.
pub const fn warning_threshold(included: u64) -> Option<u64> {
    match included {
        0 => None,
        _ => Some(included.saturating_mul(WARNING_PERCENT).div_ceil(100)),
    }
}

/// The two rate limits of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RatePolicy {
    /// Requests that create jobs.
    Create,
    /// All other requests.
    Read,
}

impl RatePolicy {
    /// As logs have it, and the beginning of the attributes of a stored key.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
        }
    }
}

/// The window of the published rate limits.
pub const RATE_WINDOW_SECONDS: u32 = 60;

/// Generic cell rate algorithm: `per_minute` in the long run, `burst` at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateLimit {
    /// Requests per minute in the long run.
    pub per_minute: u32,
    /// Requests at once after a pause.
    pub burst: u32,
}

impl RateLimit {
    /// For creating jobs, unless a plan or key says otherwise.
    pub const CREATE: Self = Self { per_minute: 120, burst: 30 };
    /// For all other requests, unless a plan or key says otherwise.
    pub const READ: Self = Self { per_minute: 600, burst: 100 };

    pub(super) const fn create_default() -> Self {
        Self::CREATE
    }

    pub(super) const fn read_default() -> Self {
        Self::READ
    }

    /// Milliseconds per request, rounded up so that a limit is never exceeded.
    pub fn emission_ms(self) -> i64 {
        i64::from((RATE_WINDOW_SECONDS * 1000).div_ceil(self.per_minute.max(1)))
    }

    /// How far `allow_at` is behind now after the first request of an idle key: `emission × (burst − 2)`.
    pub fn idle_slack_ms(self) -> i64 {
        self.emission_ms() * (i64::from(self.burst.max(1)) - 2)
    }

    /// Requests that would be admitted at once, given when the next one is admitted.
    pub fn remaining(self, allow_at: Timestamp, now: Timestamp) -> u32 {
        if allow_at > now {
            return 0;
        }
        let slack = i64::try_from(now.millis_since(allow_at)).unwrap_or(i64::MAX);
        u32::try_from(slack / self.emission_ms() + 1).unwrap_or(u32::MAX).min(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_warning_is_due_at_four_fifths_and_never_before() {
        assert_eq!([0, 1, 4, 5, 99, 100].map(warning_threshold), [None, Some(1), Some(4), Some(4), Some(80), Some(80)]);
    }

    /// The limiter as in the store: two branches, no calculation in conditions.
    fn admit(limit: RateLimit, state: &mut Option<(i64, i64)>, now: i64) -> bool {
        match *state {
            Some((tat, allow_at)) if tat > now => {
                if allow_at > now {
                    return false;
                }
                *state = Some((tat + limit.emission_ms(), allow_at + limit.emission_ms()));
            }
            Some(_) | None => *state = Some((now + limit.emission_ms(), now - limit.idle_slack_ms())),
        }
        true
    }

    proptest! {
        #[test]
        fn an_idle_key_is_admitted_exactly_its_burst_at_once(per_minute in 1u32..5000, burst in 1u32..400) {
            let limit = RateLimit { per_minute, burst };
            let mut state = None;
            let admitted = (0..burst + 50).filter(|_| admit(limit, &mut state, 1_000_000)).count();
            prop_assert_eq!(admitted, burst as usize);
        }

        #[test]
        fn the_long_run_never_exceeds_the_rate(
            per_minute in 1u32..3000, burst in 1u32..300, gaps in prop::collection::vec(0i64..2000, 1..200)
        ) {
            let limit = RateLimit { per_minute, burst };
            let (mut state, mut now, mut admitted) = (None, 1_000_000i64, 0i64);
            let start = now;
            for gap in gaps {
                now += gap;
                admitted += i64::from(admit(limit, &mut state, now));
            }
            prop_assert!(admitted <= i64::from(burst) + (now - start) / limit.emission_ms());
        }

        #[test]
        fn remaining_is_what_would_be_admitted(per_minute in 1u32..3000, burst in 1u32..100, used in 1u32..100) {
            let limit = RateLimit { per_minute, burst };
            let (mut state, now) = (None, 1_000_000);
            for _ in 0..used {
                admit(limit, &mut state, now);
            }
            let (_, allow_at) = state.unwrap();
            let claimed = limit.remaining(Timestamp(allow_at), Timestamp(now));
            let admitted = (0..200).filter(|_| admit(limit, &mut state, now)).count();
            prop_assert_eq!(claimed as usize, admitted);
        }
    }
}
