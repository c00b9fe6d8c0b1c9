//! The states of a job and its transitions.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// `queued → processing → completed | failed`, `completed → expired`; `processing → queued` when an attempt is given back;
/// `queued | processing → canceled` at the owner's request; every final state `→ deleted`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(description = "More may be added: treat an unknown status as not ended.")
)]
pub enum JobStatus {
    /// It waits for a worker, for a free slot of its account, or for other jobs.
    Queued,
    /// A worker has claimed it.
    Processing,
    /// Its result can be downloaded.
    Completed,
    /// It has an error instead of a result.
    Failed,
    /// It was completed, and its result is deleted or about to be.
    Expired,
    /// Its owner ended it.
    Canceled,
    /// Ended, and all data about the document is deleted.
    Deleted,
}

impl JobStatus {
    /// In the order of a job's life.
    pub const ALL: [Self; 7] =
        [Self::Queued, Self::Processing, Self::Completed, Self::Failed, Self::Expired, Self::Canceled, Self::Deleted];

    /// As responses and logs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Canceled => "canceled",
            Self::Deleted => "deleted",
        }
    }

    /// Whether the job has ended: only expiry and deletion can follow.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Processing => false,
            Self::Completed | Self::Failed | Self::Expired | Self::Canceled | Self::Deleted => true,
        }
    }

    /// This stored state at `now`: an output past its time is expired even before the sweeper has updated the job.
    pub fn at(self, expires_at: Option<Timestamp>, now: Timestamp) -> Self {
        match (self, expires_at) {
            (Self::Completed, Some(expires)) if now >= expires => Self::Expired,
            (status, _) => status,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn states_are_written_as_they_serialise() {
        for status in JobStatus::ALL {
            assert_eq!(json!(status), json!(status.as_str()));
        }
    }
}
