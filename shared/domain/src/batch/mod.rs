//! Batches: many jobs of one tool that one request asks for.

mod archive;
mod request;
mod result;
mod state;
mod view;

pub use crate::job::{BatchId, BatchPlace};
pub use archive::{Archive, ArchiveFile, MOST_ARCHIVES};
pub use request::{
    BatchRequest, Defaults, MOST_INLINE_ITEMS, MOST_ITEMS, MOST_ITEMS_BYTES, NewBatch, Refusal, RefusedPart,
    UPLOAD_RULE, item_body,
};
pub use result::{ArchiveFileView, BatchResultView, RefusedItemView};
pub use state::{
    Batch, CancelReason, Forbidden, MOST_OPEN, OnError, PAUSED_AT_MOST, PauseReason, Reason, Seen, State, Tally,
};
pub use view::{ArchiveView, BatchCounts, BatchCredits, BatchView};
