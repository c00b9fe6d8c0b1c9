//! A batch as its owner reads it.

use serde::Serialize;

use super::{Archive, Batch, BatchId, OnError, Reason, State};
use crate::account::api_key::Mode;
use crate::job::{JobWebhook, ShownWebhook};
use crate::time::SentTime;

/// A batch as its owner reads it.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Batch", description = ""))]
pub struct BatchView {
    /// The batch's id.
    pub id: BatchId,
    /// Where in its life the batch is.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: State,
    /// Why the batch is paused or canceled. Paused: `insufficient_credits`, `test_limit_reached`, `revoked_api_key`,
    /// `account_suspended`, `test_mode_disabled`, `tool_not_allowed`. Canceled: `requested`, `item_failed`, `paused_too_long` (a
    /// week). More may be added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub reason: Option<Reason>,
    /// The tool that runs the jobs.
    pub tool_slug: String,
    /// Whether the jobs are free and their results marked TEST.
    pub test_mode: bool,
    /// What a failed item means for the others.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub on_error: OnError,
    /// When the request was accepted.
    pub created_at: SentTime,
    /// When the batch ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<SentTime>,
    /// What became of the items so far.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub counts: BatchCounts,
    /// What the jobs cost so far.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub credits: BatchCredits,
    /// `None` unless the request asks for one.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveView>,
    /// `None` unless the request names one.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<ShownWebhook>,
}

/// Items by state. Each is counted once. Items without a job yet are `queued`, and those that could not become jobs `failed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct BatchCounts {
    /// All items of the request.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub total: u32,
    /// Those without a job too.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub queued: u32,
    /// Their jobs are being converted.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub processing: u32,
    /// Their jobs have results, or had some that expired.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub completed: u32,
    /// Those that could not become jobs too.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub failed: u32,
    /// Those that became no jobs because the batch was canceled too.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub canceled: u32,
}

/// What all jobs together have cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct BatchCredits {
    /// Credits taken when the jobs were created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub charged: u64,
    /// Credits given back for failed and canceled jobs.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub refunded: u64,
}

/// The archive of all results, if the request asks for one. `GET /v1/batches/{batch_id}/download` has its links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ArchiveView {
    /// How many ZIP files it has so far.
    pub files: usize,
    /// How many results they have.
    pub results: u32,
    /// Size of all ZIP files together.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub bytes: u64,
    /// Results that had expired or were deleted before the archive was made.
    pub left_out: u32,
}

impl Archive {
    fn view(&self) -> ArchiveView {
        ArchiveView {
            files: self.files.len(),
            results: self.files.iter().map(|file| file.results).sum(),
            bytes: self.files.iter().map(|file| file.bytes).sum(),
            left_out: self.left_out,
        }
    }
}

impl Batch {
    /// The batch as its owner reads it.
    pub fn view(&self) -> BatchView {
        let processing = if self.state.is_ended() { 0 } else { self.processing };
        BatchView {
            id: self.id,
            status: self.state,
            reason: self.reason,
            tool_slug: self.tool.clone(),
            test_mode: self.mode == Mode::Test,
            on_error: self.on_error,
            created_at: self.created_at.into(),
            finished_at: self.finished_at.map(SentTime),
            counts: BatchCounts {
                total: self.total,
                queued: self.total.saturating_sub(self.tally.ended()).saturating_sub(processing),
                processing,
                completed: self.tally.completed,
                failed: self.tally.failed,
                canceled: self.tally.canceled,
            },
            credits: BatchCredits { charged: self.charged, refunded: self.refunded },
            archive: self.archive.as_ref().map(Archive::view),
            webhook: self.webhook.as_ref().map(JobWebhook::view),
        }
    }

    /// Whether a runner has something to do.
    pub fn is_active(&self) -> bool {
        match self.state {
            State::Processing | State::Archiving | State::Canceling | State::Deleting => true,
            State::Paused => !self.open.is_empty(),
            State::Completed | State::Canceled => false,
        }
    }
}
