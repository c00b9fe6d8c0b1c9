//! Lanes: an account has at most so many running jobs in each queue, so that it never occupies all workers.
//!
//! A worker takes a slot of the job's lane before it claims the job. If there is none, the job is held back: it stays queued, and
//! its message is acknowledged, so that it costs others no more than this look. Who gives back a slot lets go the oldest job
//! that is held back, with the slot reserved for it. Nothing depends on this: the sweeper finds held jobs like all queued ones, and
//! slots end with their time.
//!
//! Creating jobs takes no part in this, because a counter of an account's messages would be one item that all its requests write.

use std::time::Duration;

use docmill_aws::queue::{Message, Queue, QueueError};
use docmill_domain::job::{Job, QUEUED_GRACE};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::jobs::{Jobs, Lane, Occupancy, Slot, Written};

/// When the sweeper first looks at a held job.
pub const HELD_GRACE: Duration = Duration::from_secs(60);
/// How long a slot is reserved for a job whose message was sent.
const RESERVED: Duration = Duration::from_secs(60);
/// After this time, the index shows a job that was held back. If not, the sweeper finds it.
const INDEX_DELAY: Duration = Duration::from_secs(10);
/// Most held jobs that are read for each slot: others may let go the same ones at the same time.
const LOOKED_AT: u64 = 8;

/// Why a lane can't be used now.
#[derive(Debug, thiserror::Error)]
pub enum LaneError {
    /// A table did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A queue did not answer.
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// What lanes need.
#[derive(Clone, Copy, Debug)]
pub struct Lanes<'a> {
    /// Where slots are.
    pub jobs: &'a Jobs,
    /// Where held jobs go when they are let go.
    pub queue: &'a Queue,
}

impl Lanes<'_> {
    /// Takes one of `most` slots until `until`. If there is none, the job is held back, and this is false. `holder`: identifies
    /// this delivery.
    ///
    /// # Errors
    /// If the slot can't be written now.
    pub async fn enter(
        &self,
        job: &Job,
        holder: &str,
        most: u64,
        (now, until): (Timestamp, Timestamp),
    ) -> Result<bool, LaneError> {
        let (lane, reserved) = (Lane::of(job), job.id.to_string());
        let slot = Slot::Running(&lane);
        if self.jobs.take_slot(&slot, holder, Some(&reserved), most, (now, until)).await? {
            return Ok(true);
        }
        if self.jobs.hold(job.id, &lane, now.plus(HELD_GRACE)).await? == Written::Superseded {
            return Ok(false);
        }
        // Timeline: B finds no slot, A gives back the last one and finds no held job, and then B holds its job back. So B looks
        // again after that, and the claim ends the hold.
        let occupancy = self.jobs.note_held(&slot, now).await?;
        if occupancy.free(most, now) == 0 {
            return Ok(false);
        }
        Ok(self.jobs.take_slot(&slot, holder, Some(&reserved), most, (now, until)).await?)
    }

    /// Gives the slot back, and lets held jobs go.
    ///
    /// # Errors
    /// If the slot can't be written, or a held job can't be sent now.
    pub async fn leave(&self, lane: &Lane, holder: &str, most: u64, now: Timestamp) -> Result<(), LaneError> {
        let occupancy = self.jobs.return_slot(&Slot::Running(lane), holder).await?;
        match occupancy.held_at {
            Some(held_at) => self.fill(lane, &occupancy, held_at, most, now).await,
            None => Ok(()),
        }
    }

    /// Lets jobs go that were held back although there are free slots.
    ///
    /// # Errors
    /// As for [`Self::leave`].
    pub async fn look_after(&self, lane: &Lane, most: u64, now: Timestamp) -> Result<(), LaneError> {
        let occupancy = self.jobs.note_held(&Slot::Running(lane), now).await?;
        self.fill(lane, &occupancy, now, most, now).await
    }

    /// Lets as many held jobs go as there are free slots, the oldest first.
    async fn fill(
        &self,
        lane: &Lane,
        occupancy: &Occupancy,
        held_at: Timestamp,
        most: u64,
        now: Timestamp,
    ) -> Result<(), LaneError> {
        let mut free = occupancy.free(most, now);
        if free == 0 {
            return Ok(());
        }
        let held = self.jobs.held(lane, free.saturating_add(LOOKED_AT)).await?;
        if held.is_empty() && held_at.plus(INDEX_DELAY) <= now {
            self.jobs.note_none_held(&Slot::Running(lane), held_at).await?;
        }
        for id in held {
            if free == 0 {
                break;
            }
            if self.jobs.let_go(id, lane, now.plus(QUEUED_GRACE)).await? == Written::Superseded {
                continue;
            }
            let slot = id.to_string();
            let times = (now, now.plus(RESERVED));
            if !self.jobs.take_slot(&Slot::Running(lane), &slot, None, most, times).await? {
                // Timeline: two jobs end, and each of their workers counts both free slots. The third job finds none.
                self.jobs.hold(id, lane, now.plus(HELD_GRACE)).await?;
                break;
            }
            self.queue.send(lane.queue, &lane.account, &Message::Convert { job_id: id }).await?;
            free -= 1;
        }
        Ok(())
    }
}
