//! A memory limit for several threads together.

use std::sync::{Condvar, Mutex, PoisonError};

/// Bytes that threads share.
#[derive(Debug)]
pub struct MemoryBudget {
    most: u64,
    taken: Mutex<u64>,
    given_back: Condvar,
}

impl MemoryBudget {
    /// At most so many bytes at the same time.
    pub fn new(most: u64) -> Self {
        Self { most, taken: Mutex::new(0), given_back: Condvar::new() }
    }

    /// Waits for enough memory. A request larger than the limit waits until it is the only one.
    pub fn take(&self, bytes: u64) {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |taken: &mut u64| *taken > 0 && *taken + bytes > self.most;
        *self.given_back.wait_while(taken, full).unwrap_or_else(PoisonError::into_inner) += bytes;
    }

    /// Returns what [`Self::take`] has taken.
    pub fn give_back(&self, bytes: u64) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(bytes);
        self.given_back.notify_all();
    }
}
