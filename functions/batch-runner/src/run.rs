//! One run of a batch.

use std::collections::HashMap;
use std::time::Duration;

use docmill_app::batches::{delete_archive, delete_items, try_delete_items};
use docmill_app::caller::{Caller, Denied, caller_of};
use docmill_app::jobs::submit::{BatchItem, SubmitError};
use docmill_aws::files::{BatchPart, ObjectKey};
use docmill_config::clock;
use docmill_domain::batch::{Batch, BatchPlace, Defaults, PauseReason, Refusal, Seen, State, item_body};
use docmill_domain::breach::Breach;
use docmill_domain::event::EventKind;
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_store::batches::{DUE_BATCHES, Gate};
use docmill_store::events::StoredEvent;
use docmill_store::jobs::Written;

use crate::lines::Lines;
use crate::{Obstacle, Runner};

/// Most jobs that are created before they are noted.
const AHEAD: u32 = 25;
/// The sweeper calls a run if none has begun by then.
const GRACE: Duration = Duration::from_secs(60);
/// The sweeper looks at a paused batch then.
const PAUSED_GRACE: Duration = Duration::from_secs(3600);

/// The code of an item whose request is invalid, and what it means.
const INVALID: &str = "validation_failed";
const INVALID_MESSAGE: &str = "The request does not match the tool's schema. See `details`.";

/// What a step of a run has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Moved,
    /// Nothing, for the time being.
    Still,
    /// Something, and another batch may have its turn.
    Yielded,
    /// The batch has ended, or another run has it.
    Over,
}

pub(crate) struct Run<'a> {
    pub(crate) runner: &'a Runner,
    pub(crate) batch: Batch,
    lines: Lines,
    defaults: Option<Defaults>,
}

/// What became of an item.
enum Made {
    /// A job that costs so many credits.
    Job(u64),
    Refused(Refusal),
    /// No item can become a job for now.
    Paused(PauseReason),
    /// The batch is canceled, or another run has it.
    Over,
}

impl<'a> Run<'a> {
    pub(crate) fn new(runner: &'a Runner, batch: Batch) -> Self {
        let items = ObjectKey::Batch { account: &batch.account, batch: batch.id, part: BatchPart::Items }.to_string();
        Self { runner, lines: Lines::new(items), defaults: None, batch }
    }

    /// Looks at the open jobs, does what is to be done next, and writes it down.
    pub(crate) async fn step(&mut self) -> Result<Step, Obstacle> {
        if self.batch.state.is_ended() {
            return self.discard().await;
        }
        self.batch.give_up(clock::now());
        let was = self.batch.state;
        let mut moved = self.settle().await?;
        let event = match self.batch.state {
            State::Processing => {
                let (first, paused) = (self.batch.next, self.create().await?);
                moved |= self.batch.next != first;
                match paused {
                    None => return Ok(Step::Over),
                    Some(event) => event,
                }
            }
            State::Archiving => {
                if self.archive_next().await? == Step::Over {
                    return Ok(Step::Over);
                }
                moved = true;
                None
            }
            State::Deleting if self.batch.has_finished() => return self.delete_next().await,
            State::Canceling | State::Deleting => {
                self.cancel_jobs().await?;
                None
            }
            State::Paused | State::Completed | State::Canceled => None,
        };
        let ended = self.batch.conclude(clock::now());
        if ended && self.batch.state.is_ended() {
            let wanted = self.batch.retention_seconds.map(Duration::from_secs);
            self.batch.keep(wanted.unwrap_or(self.runner.context.config.output_retention));
        }
        let event = if ended { Some(self.ended()) } else { event };
        moved |= ended || event.is_some() || self.batch.state != was;
        if moved && !self.write_down(event.as_ref()).await? {
            return Ok(Step::Over);
        }
        if ended && self.batch.state.is_ended() {
            if self.batch.kept_until.is_none() {
                delete_items(&self.runner.context, &self.batch).await;
            }
            return Ok(Step::Over);
        }
        // Batches take turns after each file of an archive.
        if was == State::Archiving {
            return Ok(Step::Yielded);
        }
        Ok(if moved { Step::Moved } else { Step::Still })
    }

    /// Takes into account which jobs have ended.
    async fn settle(&mut self) -> Result<bool, Obstacle> {
        let open = self.batch.open.clone();
        let seen: Vec<_> = self.jobs(&open).await?.iter().map(|(index, job)| Seen::of(job, *index)).collect();
        Ok(self.batch.settle(&seen))
    }

    /// The jobs of these items, in order, as far as there are any.
    pub(crate) async fn jobs(&self, items: &[u32]) -> Result<Vec<(u32, Job)>, Obstacle> {
        let indexes: HashMap<JobId, u32> = items.iter().map(|index| (self.batch.job(*index), *index)).collect();
        let ids: Vec<_> = indexes.keys().copied().collect();
        let jobs = self.runner.context.jobs.get_all(&ids).await?.into_iter();
        let mut found: Vec<_> = jobs.filter_map(|job| Some((*indexes.get(&job.id)?, job))).collect();
        found.sort_by_key(|(index, _)| *index);
        Ok(found)
    }

    /// Creates the next jobs. The event if the batch is paused; `None` if the run is over.
    async fn create(&mut self) -> Result<Option<Option<StoredEvent>>, Obstacle> {
        let most = u32::try_from(self.batch.room()).unwrap_or(u32::MAX).min(AHEAD);
        if most == 0 {
            return Ok(Some(None));
        }
        let mut caller = match caller_of(&self.runner.context, &self.batch.key_hash).await {
            Ok(caller) => caller,
            Err(denied) => return Ok(Some(self.pause(pause_of(denied)?))),
        };
        let defaults = self.defaults().await?;
        for _ in 0..most {
            // An item may have stopped the batch.
            if self.batch.state != State::Processing {
                break;
            }
            caller.now = clock::now();
            let (line, next_byte) = self.lines.at(&self.runner.context.files, self.batch.next_byte).await?;
            let line = line.to_vec();
            match self.make(&caller, &defaults, &line).await? {
                Made::Job(charged) => self.batch.note_created(charged, next_byte),
                Made::Refused(refusal) => {
                    let batches = &self.runner.context.batches;
                    if batches.refuse(&self.batch, self.batch.next, &refusal).await? == Written::Superseded {
                        return Ok(None);
                    }
                    self.batch.note_refused(next_byte);
                }
                Made::Paused(why) => return Ok(Some(self.pause(why))),
                Made::Over => return Ok(None),
            }
        }
        Ok(Some(None))
    }

    /// What the batch says for all its items.
    async fn defaults(&mut self) -> Result<Defaults, Obstacle> {
        if let Some(defaults) = &self.defaults {
            return Ok(defaults.clone());
        }
        let Batch { account, id, .. } = &self.batch;
        let key = ObjectKey::Batch { account, batch: *id, part: BatchPart::Defaults }.to_string();
        let text = self.runner.context.files.get_text(&key).await?;
        let defaults: Defaults = serde_json::from_str(&text).map_err(|error| Obstacle::Items(error.to_string()))?;
        self.defaults = Some(defaults.clone());
        Ok(defaults)
    }

    /// Makes a job of the next item. If an earlier run has made it, it is the same one.
    async fn make(&self, caller: &Caller, defaults: &Defaults, line: &[u8]) -> Result<Made, Obstacle> {
        let index = self.batch.next;
        let item = serde_json::from_slice(line).map_err(|error| Obstacle::Items(error.to_string()))?;
        let place = BatchPlace { id: self.batch.id, index };
        let item_of = BatchItem { place, job: self.batch.job(index), gate: Gate::of(&self.batch) };
        let body = item_body(defaults, &item);
        match Box::pin(self.runner.jobs.create_item(caller, &self.batch.tool, &body, &item_of)).await {
            Ok(job) => Ok(Made::Job(job.payment.charge.total())),
            Err(error) => made_nothing(error),
        }
    }

    fn pause(&mut self, why: PauseReason) -> Option<StoredEvent> {
        let now = clock::now();
        match self.batch.pause(why, now) {
            Ok(()) => Some(StoredEvent::of_batch(&self.batch, EventKind::BatchPaused, now)),
            Err(_) => None,
        }
    }

    /// Cancels every job that has not ended, also those that an earlier run did not live to note.
    async fn cancel_jobs(&mut self) -> Result<(), Obstacle> {
        let last = self.batch.total.min(self.batch.next.saturating_add(AHEAD));
        let unnoted: Vec<_> = (self.batch.next..last).collect();
        let unnoted: Vec<_> = self.jobs(&unnoted).await?.iter().map(|(index, job)| Seen::of(job, *index)).collect();
        self.batch.adopt(&unnoted);
        let open = self.batch.open.clone();
        for (_, job) in self.jobs(&open).await? {
            match job.status {
                JobStatus::Queued | JobStatus::Processing => {
                    self.runner.control.end(&job).await?;
                }
                JobStatus::Completed
                | JobStatus::Failed
                | JobStatus::Expired
                | JobStatus::Canceled
                | JobStatus::Deleted => {}
            }
        }
        self.settle().await?;
        Ok(())
    }

    /// Deletes what was kept of an ended batch, if its time is over.
    async fn discard(&mut self) -> Result<Step, Obstacle> {
        if self.batch.kept_until.is_some_and(|until| until <= clock::now()) {
            try_delete_items(&self.runner.context, &self.batch).await?;
            delete_archive(&self.runner.context, &self.batch).await?;
            self.batch.kept_until = None;
            self.batch.lease_until = None;
            self.write_down(None).await?;
        }
        Ok(Step::Over)
    }

    /// The event about the end of the batch.
    fn ended(&self) -> StoredEvent {
        let kind = match self.batch.state {
            State::Canceled | State::Canceling | State::Deleting => EventKind::BatchCanceled,
            State::Completed | State::Archiving | State::Processing | State::Paused => EventKind::BatchCompleted,
        };
        StoredEvent::of_batch(&self.batch, kind, self.batch.finished_at.unwrap_or_else(clock::now))
    }

    /// False if the batch has changed since it was read.
    pub(crate) async fn write_down(&mut self, event: Option<&StoredEvent>) -> Result<bool, Obstacle> {
        if self.batch.state.is_ended() {
            // Then it is claimed once more.
            self.batch.due = self.batch.kept_until;
            self.batch.due_shard = self.batch.due.map(|_| DUE_BATCHES.to_owned());
        }
        if self.runner.context.batches.write(&mut self.batch, event).await? == Written::Superseded {
            return Ok(false);
        }
        if let Some(event) = event
            && let Err(error) = self.runner.control.queue.announce(&event.account, &event.id).await
        {
            tracing::warn!(batch_id = %self.batch.id, %error, "an event could not be announced; the sweeper will do it");
        }
        Ok(true)
    }

    /// Gives the batch back, and calls the next run if there is something to do.
    pub(crate) async fn release(mut self, seconds: u64) -> Result<(), Obstacle> {
        let is_active = self.batch.is_active();
        let grace = if is_active { GRACE } else { PAUSED_GRACE };
        self.batch.lease_until = None;
        self.batch.due = Some(clock::now().plus(grace));
        // If another run has it, that one calls the next.
        if self.write_down(None).await? && is_active {
            self.runner.control.queue.call_runner(&self.batch.account, self.batch.id, seconds).await?;
        }
        Ok(())
    }
}

/// Why no item can become a job, if it is through the key or its account. If it is the service's fault, the run ends.
fn pause_of(denied: Denied) -> Result<PauseReason, Obstacle> {
    match denied {
        Denied::UnknownKey | Denied::RevokedKey => Ok(PauseReason::RevokedApiKey),
        Denied::AccountSuspended => Ok(PauseReason::AccountSuspended),
        Denied::TestModeDisabled => Ok(PauseReason::TestModeDisabled),
        Denied::RateLimited { .. } => Ok(PauseReason::TestLimitReached),
        // No request of a client is counted here.
        Denied::OriginNotAllowed => Err(Obstacle::Job(denied.to_string())),
        Denied::Fault(fault) => Err(fault.into()),
    }
}

/// What became of an item that did not become a job. If it is the service's fault, the run ends, and the item is tried again.
fn made_nothing(error: SubmitError) -> Result<Made, Obstacle> {
    match error {
        SubmitError::InsufficientCredits { .. } => Ok(Made::Paused(PauseReason::InsufficientCredits)),
        SubmitError::TestJobsUsedUp { .. } => Ok(Made::Paused(PauseReason::TestLimitReached)),
        SubmitError::UnknownTool(_) | SubmitError::ToolNotAllowed => Ok(Made::Paused(PauseReason::ToolNotAllowed)),
        SubmitError::Invalid(breaches) => Ok(Made::Refused(refusal(breaches))),
        SubmitError::BatchEnded => Ok(Made::Over),
        // An item has neither files nor an idempotency key.
        SubmitError::ToolInMaintenance | SubmitError::UploadsUsedUp { .. } | SubmitError::KeyReused => {
            Err(Obstacle::Job(error.to_string()))
        }
        SubmitError::Fault(fault) => Err(fault.into()),
    }
}

/// As the API tells it of a single job.
fn refusal(breaches: Vec<Breach>) -> Refusal {
    let details = breaches.into_iter().map(Into::into).collect();
    Refusal { code: INVALID.to_owned(), message: INVALID_MESSAGE.to_owned(), details }
}
