//! Work that must end in time, and may panic.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt;

use crate::fault::Fault;

/// A use case must end this long before the request must, so that the answer still carries the caller's limits.
const LIMITS_MARGIN: Duration = Duration::from_secs(1);

/// Runs a use case for a request that ends then. A panic or timeout becomes an error.
///
/// # Errors
/// What `work` fails with, or a fault if it panics or does not end in time.
pub async fn contained<T, E: From<Fault>>(ends_at: Instant, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    within(ends_at.checked_sub(LIMITS_MARGIN).unwrap_or(ends_at), work).await?
}

/// Runs `work` until then.
///
/// # Errors
/// If it panics or does not end in time.
pub async fn within<T>(ends_at: Instant, work: impl Future<Output = T>) -> Result<T, Fault> {
    match tokio::time::timeout_at(ends_at.into(), AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(value)) => Ok(value),
        // The panic hook has logged the place, but not the message.
        Ok(Err(_panic)) => Err(Fault::internal("the handler panicked")),
        Err(_elapsed) => Err(Fault::unavailable("the handler ran out of time")),
    }
}
