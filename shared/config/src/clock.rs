//! The only code that reads the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use docmill_domain::time::{Timestamp, millis};

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
    pub fn now(&self) -> Timestamp {
        now().plus(Duration::from_millis(self.ahead_ms.load(Ordering::Relaxed)))
    }

    /// Puts this clock and its clones `by` ahead of the system's.
    pub fn put_ahead(&self, by: Duration) {
        self.ahead_ms.store(millis(by), Ordering::Relaxed);
    }
}
