//! What a failed job gives back.

use super::Job;

/// What a failed job's account gets back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refund {
    /// All that was charged.
    Full,
    /// The account has the result, or used up its budget for failed work.
    Nothing,
}

impl Refund {
    /// Credits that the job's account gets back.
    pub fn of(self, job: &Job) -> u64 {
        match self {
            Self::Full => job.payment.charge.total(),
            Self::Nothing => 0,
        }
    }
}
