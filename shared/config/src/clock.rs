//! The only code that reads the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use docmill_domain::time::{Timestamp, millis};

/// Deadlines are in whole milliseconds, and clocks differ by some.
const ROUNDING: Duration = Duration::from_secs(1);

/// The time by the system's clock.
pub fn now() -> Timestamp {
    // Only a broken clock is before 1970. At the epoch, every lease and limit looks expired.
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

/// The system's clock, which tests can put ahead to end leases and lifetimes without waiting.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    ahead_ms: Arc<AtomicU64>,
}

impl Clock {
    /// The system's time, and as much more as this clock was put ahead.
    pub fn now(&self) -> Timestamp {
        now().plus(Duration::from_millis(self.ahead_ms.load(Ordering::Relaxed)))
    }

    /// Puts this clock and its clones `by` ahead of the system's.
    pub fn put_ahead(&self, by: Duration) {
        self.ahead_ms.store(millis(by), Ordering::Relaxed);
    }
}

/// The time that an invocation has until its deadline. `None` if it has passed, or is farther away than the function may run
/// (`longest`): then this environment's clock and the platform's disagree, as they may after a pause, and nothing is known.
pub fn time_left(deadline: SystemTime, longest: Duration) -> Option<Duration> {
    deadline.duration_since(SystemTime::now()).ok().filter(|left| *left <= longest + ROUNDING)
}

/// When something was read, by both clocks. While an environment was frozen, either may have stood still or been put back.
#[derive(Clone, Copy, Debug)]
pub struct ReadAt {
    wall: Timestamp,
    monotonic: Instant,
}

impl ReadAt {
    /// Read at this moment.
    pub fn now() -> Self {
        Self { wall: now(), monotonic: Instant::now() }
    }

    /// Whether it is younger than `age` by both clocks.
    pub fn is_within(&self, age: Duration) -> bool {
        self.is_within_at(age, now(), Instant::now())
    }

    fn is_within_at(&self, age: Duration, now: Timestamp, monotonic: Instant) -> bool {
        let was_put_back = now < self.wall;
        let by_both =
            now.millis_since(self.wall) < millis(age) && monotonic.saturating_duration_since(self.monotonic) < age;
        by_both && !was_put_back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const MINUTES: Duration = Duration::from_secs(600);
    const LONGEST: Duration = Duration::from_secs(240);

    #[test]
    fn a_deadline_counts_if_it_is_possible() {
        let left = |deadline| time_left(deadline, LONGEST);
        let now = SystemTime::now();
        assert!(left(now + 100 * SECOND).unwrap() > 99 * SECOND);
        // The environment's clock is ahead, and then behind.
        assert_eq!(left(now - MINUTES), None);
        assert_eq!(left(now + LONGEST + MINUTES), None);
    }

    #[test]
    fn what_was_read_is_old_as_soon_as_one_of_the_clocks_says_so() {
        let read = ReadAt::now();
        let after = |wall, monotonic| read.is_within_at(15 * SECOND, wall, read.monotonic + monotonic);
        assert!(after(read.wall.plus(SECOND), SECOND));
        // The environment was frozen, and one of the clocks with it.
        assert!(!after(read.wall.plus(MINUTES), SECOND));
        assert!(!after(read.wall.plus(SECOND), MINUTES));
        // The clock was put back.
        assert!(!after(Timestamp(read.wall.0 - 1), SECOND));
    }
}
