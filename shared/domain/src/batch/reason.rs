//! What pauses and cancels a batch.

use serde::{Deserialize, Serialize};

/// What a failed item means for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum OnError {
    /// Nothing: each item is a job of its own.
    #[default]
    Continue,
    /// The batch is canceled.
    Stop,
}

/// Why no more jobs are created for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// The account has too few credits for the next job.
    InsufficientCredits,
    /// The account has created all test jobs of the day.
    TestLimitReached,
    /// The key that created or resumed the batch no longer works.
    RevokedApiKey,
    /// An administrator suspended the account.
    AccountSuspended,
    /// Test keys no longer work, in the account or in the whole service.
    TestModeDisabled,
    /// The key or the plan no longer has the tool.
    ToolNotAllowed,
}

/// Why a batch was canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// Its account canceled it.
    Requested,
    /// An item failed, and the batch was to stop then.
    ItemFailed,
    /// Nobody resumed it for [`PAUSED_AT_MOST`](super::PAUSED_AT_MOST).
    PausedTooLong,
}

/// Why a batch is paused or canceled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Reason {
    /// Of a batch that is paused.
    Paused(PauseReason),
    /// Of a batch that is canceled, or is being canceled.
    Canceled(CancelReason),
}
