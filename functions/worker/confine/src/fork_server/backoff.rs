//! Pauses after a helper keeps failing: longer each time, but never forever.

use std::time::{Duration, Instant};

/// This many failures in a row are retried at once.
pub(super) const FREE_FAILURES: u32 = 3;

const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

/// The failures since the last success.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: u32,
    last: Option<Failure>,
}

#[derive(Debug)]
struct Failure {
    at: Instant,
    cause: String,
}

impl Backoff {
    pub(super) fn fail(&mut self, at: Instant, cause: String) {
        self.failures = self.failures.saturating_add(1);
        self.last = Some(Failure { at, cause });
    }

    /// Why the next try must wait; `None` if it may start now.
    pub(super) fn pause(&self, now: Instant) -> Option<&str> {
        let doublings = self.failures.checked_sub(FREE_FAILURES)?;
        let pause = FIRST_PAUSE.saturating_mul(1_u32.checked_shl(doublings).unwrap_or(u32::MAX)).min(LONGEST_PAUSE);
        let last = self.last.as_ref()?;
        (now.saturating_duration_since(last.at) < pause).then_some(&last.cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let start = Instant::now();
        let mut backoff = Backoff::default();
        for _ in 0..FREE_FAILURES - 1 {
            backoff.fail(start, "first".to_owned());
            assert_eq!(backoff.pause(start), None);
        }
        backoff.fail(start, "second".to_owned());
        assert_eq!(backoff.pause(start), Some("second"));
        assert_eq!(backoff.pause(start + FIRST_PAUSE), None);
        backoff.fail(start, "third".to_owned());
        assert!(backoff.pause(start + FIRST_PAUSE).is_some() && backoff.pause(start + 2 * FIRST_PAUSE).is_none());
        for _ in 0..100 {
            backoff.fail(start, "more".to_owned());
        }
        assert!(backoff.pause(start + LONGEST_PAUSE).is_none(), "an environment recovers, however long it takes");
    }
}
