//! The one place that reads the time.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::domain::time::Timestamp;

pub fn now() -> Timestamp {
    // Before 1970 only a broken clock; the epoch then makes every lease and limit look old, and none look fresh.
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
