//! How many bytes the sources of one job may have.

use std::sync::atomic::{AtomicU64, Ordering};

use docmill_domain::job::JobErrorCode;
use docmill_domain::limits::Limits;

use crate::SourceError;

/// The remaining bytes for all sources of a job.
#[derive(Debug)]
pub struct Budget {
    left: AtomicU64,
    most: u64,
}

impl Budget {
    /// The whole budget of a job.
    pub fn of(limits: &Limits) -> Self {
        Self { left: AtomicU64::new(limits.source_bytes), most: limits.source_bytes }
    }

    /// The rest of a budget of `most` bytes.
    pub fn rest(left: u64, most: u64) -> Self {
        Self { left: AtomicU64::new(left), most }
    }

    /// The bytes that may still come.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Counts received bytes.
    ///
    /// # Errors
    /// `source_too_large` if the budget has fewer bytes left.
    pub fn take(&self, bytes: usize) -> Result<(), SourceError> {
        let less = |left: u64| left.checked_sub(bytes as u64);
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
        taken.map(drop).map_err(|_| too_large(self.most))
    }

    /// Checks whether so many more bytes may come.
    ///
    /// # Errors
    /// `source_too_large` if they would be too many.
    pub fn admits(&self, bytes: u64) -> Result<(), SourceError> {
        if bytes <= self.left() { Ok(()) } else { Err(too_large(self.most)) }
    }
}

pub(crate) fn too_large(most_bytes: u64) -> SourceError {
    let mebibytes = most_bytes >> 20;
    let limit = if mebibytes > 0 { format!("{mebibytes} MiB") } else { format!("{most_bytes} bytes") };
    SourceError::new(
        JobErrorCode::SourceTooLarge,
        format!("The source is larger than {limit}. Make it smaller, or split it."),
        format!("over {most_bytes} bytes"),
    )
}
