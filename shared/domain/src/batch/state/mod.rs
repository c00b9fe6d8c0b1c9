//! The state machine of a batch. Each step is a change of the whole record, which the store writes only onto what was read.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Archive, BatchId, CancelReason, OnError, PauseReason, Reason};
use crate::account::api_key::{KeyHash, Mode};
use crate::job::{Job, JobId, JobStatus, JobWebhook};
use crate::time::Timestamp;

/// Most jobs of a batch that have not ended. More are created as these end, so that a large batch fills no queue, and its record
/// stays small.
pub const MOST_OPEN: usize = 200;

/// A batch that is paused for longer is canceled.
pub const PAUSED_AT_MOST: Duration = Duration::from_secs(7 * 86_400);

/// A batch that is being deleted keeps its record for so long at least.
const DELETED_AT_LATEST: Duration = Duration::from_secs(7 * 86_400);

/// `processing ⇄ paused`; `processing | paused → canceling → canceled`; `processing (→ archiving) → completed`; any of these `→ deleting`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "BatchStatus",
        description = "`completed`: all items have ended. `counts` shows how many succeeded. `archiving`: they have ended, and \
                       the archive is being made."
    )
)]
pub enum State {
    /// Jobs are created, or some have not ended yet.
    Processing,
    /// No jobs are created until the batch is resumed. Those that were created go on.
    Paused,
    /// No more jobs are created, and unfinished ones are being canceled.
    Canceling,
    /// Every item has ended, and the archive of the results is being made.
    Archiving,
    /// Every item has ended.
    Completed,
    /// Every job has ended, and nothing came of the other items.
    Canceled,
    /// Unfinished jobs are being canceled, and then all jobs are deleted, and the batch with them.
    Deleting,
}

impl State {
    /// In the order of a batch's life.
    pub const ALL: [Self; 7] = [
        Self::Processing,
        Self::Paused,
        Self::Canceling,
        Self::Archiving,
        Self::Completed,
        Self::Canceled,
        Self::Deleting,
    ];

    /// As responses and logs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Paused => "paused",
            Self::Canceling => "canceling",
            Self::Archiving => "archiving",
            Self::Completed => "completed",
            Self::Canceled => "canceled",
            Self::Deleting => "deleting",
        }
    }

    /// Whether nothing more happens to the batch unless it is deleted.
    pub const fn is_ended(self) -> bool {
        match self {
            Self::Processing | Self::Paused | Self::Canceling | Self::Archiving | Self::Deleting => false,
            Self::Completed | Self::Canceled => true,
        }
    }
}

/// Ended items by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Jobs that completed, expired ones included.
    pub completed: u32,
    /// Jobs that failed, and items that could not become jobs.
    pub failed: u32,
    /// Jobs that were canceled, and items that became no jobs because the batch was.
    pub canceled: u32,
}

impl Tally {
    /// All items that have ended.
    pub fn ended(self) -> u32 {
        self.completed + self.failed + self.canceled
    }

    fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Completed => self.completed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Canceled => self.canceled += 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Completed,
    Failed,
    Canceled,
}

/// What was seen of an open job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The item's place in the batch, from 0.
    pub index: u32,
    /// The job's state as stored.
    pub status: JobStatus,
    /// What a deleted job ended as.
    pub ended_as: Option<JobStatus>,
    /// Credits taken for the job.
    pub charged: u64,
    /// Credits given back.
    pub refunded: u64,
}

impl Seen {
    /// What a batch needs to know of the job of this item.
    pub fn of(job: &Job, index: u32) -> Self {
        let charged = job.payment.charge.total();
        Self { index, status: job.status, ended_as: job.deletion.ended_as, charged, refunded: job.payment.refunded }
    }

    fn outcome(self) -> Option<Outcome> {
        let ended_as = self.ended_as.filter(|_| self.status == JobStatus::Deleted);
        let status = ended_as.unwrap_or(self.status);
        match status {
            JobStatus::Queued | JobStatus::Processing => None,
            JobStatus::Completed | JobStatus::Expired => Some(Outcome::Completed),
            JobStatus::Failed => Some(Outcome::Failed),
            JobStatus::Canceled | JobStatus::Deleted => Some(Outcome::Canceled),
        }
    }
}

/// The batch is in a state that does not allow the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a batch that is {} does not allow this", .0.as_str())]
pub struct Forbidden(pub State);

/// A batch as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// The account that created it.
    pub account: String,
    /// The table's sort key, beneath the account.
    pub id: BatchId,
    /// The key that its jobs are created with: that of the request that created or resumed it.
    pub key_hash: KeyHash,
    /// That of the key which created it. A key of the other mode can't resume it.
    pub mode: Mode,
    /// The slug of the tool that runs all jobs.
    pub tool: String,
    /// What a failed item means for the others.
    pub on_error: OnError,
    /// Gets the events of the batch, but not those of its jobs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub webhook: Option<JobWebhook>,
    /// Where in its life the batch is.
    pub state: State,
    /// `None` unless it is paused, canceled, or being canceled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<Reason>,
    /// When the request was accepted. The ids of its jobs depend on it.
    pub created_at: Timestamp,
    /// `None` unless it is paused.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused_at: Option<Timestamp>,
    /// When all items had ended, those of a deleted batch included.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finished_at: Option<Timestamp>,
    /// How many items it has.
    pub total: u32,
    /// The first item that has no job yet, and where its line begins.
    pub next: u32,
    /// Where the line of the item `next` begins in the stored items, in bytes.
    pub next_byte: u64,
    /// The items before `next` whose jobs have not ended, in order.
    #[serde(default)]
    pub open: Vec<u32>,
    /// How many of these are being processed.
    pub processing: u32,
    /// The items that have ended.
    pub tally: Tally,
    /// Credits taken for all jobs so far.
    pub charged: u64,
    /// Credits given back for ended jobs.
    pub refunded: u64,
    /// The archive of all results, if the request asks for one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub archive: Option<Archive>,
    /// How long results are kept, if the request says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retention_seconds: Option<u64>,
    /// The ended batch has its archive, and its items for a retry, until then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kept_until: Option<Timestamp>,
    /// The jobs of the items before this one are deleted, if the batch is being deleted.
    #[serde(default)]
    pub deleted: u32,
    /// Raised by each claim of a runner. Only the last one creates jobs.
    pub run: u64,
    /// A runner works on the batch until then, or was lost.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lease_until: Option<Timestamp>,
    /// Raised by each write.
    pub revision: u64,
    /// Partition of the index of what is due, until the batch has ended and nothing more is kept of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due_shard: Option<String>,
    /// When the sweeper calls a runner.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due: Option<Timestamp>,
    /// Seconds since the epoch. DynamoDB deletes the item some time later.
    pub ttl: i64,
}

impl Batch {
    /// The id of the job of this item, whether it exists or not.
    pub fn job(&self, index: u32) -> JobId {
        self.id.job(self.created_at, index)
    }

    /// Whether this account may see it. The time of its deletion is compared here because DynamoDB deletes late.
    pub fn is_current(&self, now: Timestamp) -> bool {
        self.ttl > now.as_ttl_seconds()
    }

    /// How many more jobs may be created now.
    pub fn room(&self) -> usize {
        match self.state {
            State::Processing => {
                let left = usize::try_from(self.total.saturating_sub(self.next)).unwrap_or(usize::MAX);
                MOST_OPEN.saturating_sub(self.open.len()).min(left)
            }
            State::Paused
            | State::Canceling
            | State::Archiving
            | State::Completed
            | State::Canceled
            | State::Deleting => 0,
        }
    }

    /// Notes the job of the next item, whose line ends before `next_byte`.
    pub fn note_created(&mut self, charged: u64, next_byte: u64) {
        self.open.push(self.next);
        self.charged += charged;
        self.pass(next_byte);
    }

    /// Notes that no job can be created from the next item.
    pub fn note_refused(&mut self, next_byte: u64) {
        self.tally.failed += 1;
        self.pass(next_byte);
        self.stop_if_wanted();
    }

    fn stop_if_wanted(&mut self) {
        if self.on_error == OnError::Stop && self.tally.failed > 0 && self.state == State::Processing {
            self.enter(State::Canceling, Some(Reason::Canceled(CancelReason::ItemFailed)));
        }
    }

    fn pass(&mut self, next_byte: u64) {
        self.next += 1;
        self.next_byte = next_byte;
    }

    /// Takes over what an earlier run created and did not live to note: jobs of items from `next` on, in order. Items between them
    /// were refused.
    pub fn adopt(&mut self, created: &[Seen]) {
        let created = created.iter().filter(|seen| seen.index >= self.next && seen.index < self.total);
        for seen in created.copied().collect::<Vec<_>>() {
            while self.next < seen.index {
                self.note_refused(self.next_byte);
            }
            self.note_created(seen.charged, self.next_byte);
        }
    }

    /// Takes the states of open jobs into account. Returns whether anything has changed.
    pub fn settle(&mut self, seen: &[Seen]) -> bool {
        let before = (self.open.len(), self.processing);
        for each in seen {
            let Ok(place) = self.open.binary_search(&each.index) else { continue };
            let Some(outcome) = each.outcome() else { continue };
            self.open.remove(place);
            self.tally.count(outcome);
            self.refunded += each.refunded;
        }
        let is_processing = |each: &&Seen| each.status == JobStatus::Processing;
        self.processing = u32::try_from(seen.iter().filter(is_processing).count()).unwrap_or(u32::MAX);
        self.stop_if_wanted();
        before != (self.open.len(), self.processing)
    }

    /// Creates no more jobs until the batch is resumed.
    ///
    /// # Errors
    /// If jobs are not being created: the batch is paused already, being ended, or ended.
    pub fn pause(&mut self, why: PauseReason, now: Timestamp) -> Result<(), Forbidden> {
        match self.state {
            State::Processing => {
                self.paused_at = Some(now);
                self.enter(State::Paused, Some(Reason::Paused(why)));
                Ok(())
            }
            State::Paused
            | State::Canceling
            | State::Archiving
            | State::Completed
            | State::Canceled
            | State::Deleting => Err(Forbidden(self.state)),
        }
    }

    /// Goes on with the key of the request. Returns false if the batch is not paused.
    ///
    /// # Errors
    /// If the batch has been canceled or deleted, or has completed.
    pub fn resume(&mut self, key: KeyHash) -> Result<bool, Forbidden> {
        match self.state {
            State::Processing | State::Archiving => Ok(false),
            State::Paused => {
                self.key_hash = key;
                self.paused_at = None;
                self.enter(State::Processing, None);
                Ok(true)
            }
            State::Canceling | State::Completed | State::Canceled | State::Deleting => Err(Forbidden(self.state)),
        }
    }

    /// Returns false if the batch is canceled already.
    ///
    /// # Errors
    /// If all items have ended, or the batch is being deleted.
    pub fn cancel(&mut self, why: CancelReason) -> Result<bool, Forbidden> {
        match self.state {
            State::Processing | State::Paused => {
                self.enter(State::Canceling, Some(Reason::Canceled(why)));
                Ok(true)
            }
            State::Canceling | State::Canceled => Ok(false),
            State::Archiving | State::Completed | State::Deleting => Err(Forbidden(self.state)),
        }
    }

    /// Deletes the batch: what has not ended is canceled first. Returns false if it is being deleted already.
    pub fn delete(&mut self, now: Timestamp) -> bool {
        if self.state == State::Deleting {
            return false;
        }
        self.enter(State::Deleting, None);
        self.kept_until = None;
        // The record says what is still to be deleted, so it must not disappear before.
        self.ttl = self.ttl.max(now.plus(DELETED_AT_LATEST).as_ttl_seconds());
        true
    }

    /// Whether everything has ended, so that jobs can be deleted.
    pub fn has_finished(&self) -> bool {
        self.finished_at.is_some()
    }

    /// Cancels a batch that nobody has resumed for too long.
    pub fn give_up(&mut self, now: Timestamp) {
        let is_late = self.paused_at.is_some_and(|at| at.plus(PAUSED_AT_MOST) <= now);
        if is_late && self.state == State::Paused {
            self.enter(State::Canceling, Some(Reason::Canceled(CancelReason::PausedTooLong)));
        }
    }

    /// Ends the batch if nothing is left to do. Returns whether it has ended now.
    pub fn conclude(&mut self, now: Timestamp) -> bool {
        if !self.open.is_empty() {
            return false;
        }
        let ended = match self.state {
            State::Processing if self.next < self.total => None,
            State::Processing if self.archive.is_some() => {
                self.enter(State::Archiving, None);
                None
            }
            State::Processing => Some(State::Completed),
            State::Archiving => {
                let is_made = self.archive.as_ref().is_none_or(|archive| archive.next == self.total);
                is_made.then_some(State::Completed)
            }
            State::Canceling => Some(State::Canceled),
            State::Deleting => (!self.has_finished()).then_some(State::Deleting),
            // Its last jobs may end while it is paused. It is resumed or canceled later.
            State::Paused | State::Completed | State::Canceled => None,
        };
        let Some(state) = ended else { return false };
        if state != State::Completed && self.next < self.total {
            // No job was created from these.
            self.tally.canceled += self.total - self.next;
            self.next = self.total;
        }
        self.enter(state, self.reason);
        self.finished_at = Some(now);
        if state.is_ended() {
            self.lease_until = None;
        }
        true
    }

    /// Keeps for so long what an ended batch may still be asked for: its archive, and the items that failed.
    pub fn keep(&mut self, kept_for: Duration) {
        let is_wanted = self.archive.as_ref().is_some_and(|archive| !archive.files.is_empty()) || self.tally.failed > 0;
        self.kept_until = self.finished_at.filter(|_| is_wanted).map(|at| at.plus(kept_for));
    }

    /// Whether the archive can be downloaded. The time is compared here because it is deleted late.
    pub fn has_archive(&self, now: Timestamp) -> bool {
        self.archive.is_some() && self.state == State::Completed && self.kept_until.is_some_and(|until| until > now)
    }

    /// Whether the items that failed are still there for a new batch.
    pub fn can_be_retried(&self, now: Timestamp) -> bool {
        self.state.is_ended() && self.tally.failed > 0 && self.kept_until.is_some_and(|until| until > now)
    }

    fn enter(&mut self, state: State, reason: Option<Reason>) {
        self.state = state;
        self.reason = reason;
    }
}

#[cfg(test)]
mod tests;
