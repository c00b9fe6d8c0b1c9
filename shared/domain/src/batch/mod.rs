//! Batches: many jobs of one tool that one request asks for.

mod request;
mod state;
mod view;

pub use crate::job::{BatchId, BatchPlace};
pub use request::{Defaults, MOST_INLINE_ITEMS, NewBatch, Refusal, RefusedPart, item_body};
pub use state::{
    Batch, CancelReason, Forbidden, MOST_OPEN, OnError, PAUSED_AT_MOST, PauseReason, Reason, Seen, State, Tally,
};
