//! Batches: many jobs of one tool that one request asks for.

mod id;
mod request;
mod state;
mod view;

pub use id::BatchId;
pub use request::{Defaults, MOST_INLINE_ITEMS, NewBatch, Refusal, RefusedPart, item_body};
pub use state::{
    Batch, CancelReason, Forbidden, MOST_OPEN, OnError, PAUSED_AT_MOST, PauseReason, Reason, Seen, State, Tally,
};

use serde::{Deserialize, Serialize};

/// The place of a job in its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchPlace {
    pub id: BatchId,
    pub index: u32,
}
