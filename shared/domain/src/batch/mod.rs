//! Batches: many jobs of one tool that one request asks for.

mod archive;
mod reason;
mod refusal;
mod request;
mod result;
mod state;
mod view;

pub use crate::job::{BatchId, BatchPlace};
pub use archive::{Archive, ArchiveFile, MOST_ARCHIVES};
pub use reason::{CancelReason, OnError, PauseReason, Reason};
pub use refusal::{Refusal, RefusedPart};
pub use request::{
    BatchRequest, Defaults, MOST_INLINE_ITEMS, MOST_ITEMS, MOST_ITEMS_BYTES, NewBatch, UPLOAD_RULE, item_body,
};
pub use result::{ArchiveFileView, BatchResultView, RefusedItemView};
pub use state::{Batch, Forbidden, MOST_OPEN, PAUSED_AT_MOST, Seen, State, Tally};
pub use view::{ArchiveView, BatchCounts, BatchCredits, BatchView};
