//! The invariants of the state machine, whatever happens in whatever order.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn batch(total: u32, on_error: OnError) -> Batch {
    Batch {
        account: "acc_1".into(),
        id: BatchId::new(),
        key_hash: KeyHash::of_dashboard("acc_1", Mode::Live),
        mode: Mode::Live,
        tool: "html-to-pdf".into(),
        on_error,
        webhook: None,
        state: State::Processing,
        reason: None,
        created_at: Timestamp(1_795_176_000_007),
        paused_at: None,
        finished_at: None,
        total,
        next: 0,
        next_byte: 0,
        open: Vec::new(),
        processing: 0,
        tally: Tally::default(),
        charged: 0,
        refunded: 0,
        archive: None,
        retention_seconds: None,
        kept_until: None,
        deleted: 0,
        run: 0,
        lease_until: None,
        revision: 0,
        due_shard: None,
        due: None,
        ttl: 1_900_000_000,
    }
}

fn seen(index: u32, status: JobStatus) -> Seen {
    let refunded = u64::from(matches!(status, JobStatus::Failed | JobStatus::Canceled));
    Seen { index, status, ended_as: None, charged: 1, refunded }
}

#[derive(Clone, Debug)]
enum Step {
    Create,
    Refuse,
    /// Jobs that an earlier run created.
    Adopt(Vec<u32>),
    /// The open job with this place, and its status.
    See(usize, JobStatus),
    Pause,
    Resume,
    Cancel,
    Delete,
    Conclude,
}

fn step() -> impl Strategy<Value = Step> {
    let status = prop::sample::select(JobStatus::ALL.to_vec());
    prop_oneof![
        4 => Just(Step::Create),
        1 => Just(Step::Refuse),
        1 => prop::collection::btree_set(0..40u32, 0..4).prop_map(|created| Step::Adopt(created.into_iter().collect())),
        6 => (0..20usize, status).prop_map(|(place, status)| Step::See(place, status)),
        1 => Just(Step::Pause),
        1 => Just(Step::Resume),
        1 => Just(Step::Cancel),
        1 => Just(Step::Delete),
        2 => Just(Step::Conclude),
    ]
}

fn take(batch: &mut Batch, step: &Step) {
    match step {
        Step::Create if batch.room() > 0 => batch.note_created(1, batch.next_byte + 10),
        Step::Refuse if batch.room() > 0 => batch.note_refused(batch.next_byte + 10),
        Step::Create | Step::Refuse => {}
        Step::Adopt(created) if matches!(batch.state, State::Canceling | State::Deleting) => {
            batch.adopt(&created.iter().map(|index| seen(*index, JobStatus::Queued)).collect::<Vec<_>>());
        }
        Step::Adopt(_) => {}
        Step::See(place, status) => {
            if let Some(index) = batch.open.get(*place).copied() {
                batch.settle(&[seen(index, *status)]);
            }
        }
        Step::Pause => drop(batch.pause(PauseReason::InsufficientCredits, Timestamp(1_795_176_000_010))),
        Step::Resume => drop(batch.resume(KeyHash::of_dashboard("acc_1", Mode::Live))),
        Step::Cancel => drop(batch.cancel(CancelReason::Requested)),
        Step::Delete => drop(batch.delete(Timestamp(1_795_176_000_020))),
        Step::Conclude => drop(batch.conclude(Timestamp(1_795_176_999_999))),
    }
}

proptest! {
    #[test]
    fn every_item_is_counted_once(
        total in 1..30u32,
        stop in any::<bool>(),
        steps in prop::collection::vec(step(), 0..200),
    ) {
        let mut batch = batch(total, if stop { OnError::Stop } else { OnError::Continue });
        for step in steps {
            let before = batch.clone();
            take(&mut batch, &step);
            prop_assert!(batch.next <= batch.total && batch.next >= before.next);
            prop_assert!(batch.open.is_sorted_by(|a, b| a < b), "{:?}", batch.open);
            prop_assert!(batch.open.iter().all(|index| *index < batch.next));
            let open = u32::try_from(batch.open.len()).unwrap();
            prop_assert_eq!(batch.tally.ended() + open, batch.next, "each item before `next` is open or ended");
            prop_assert!(batch.refunded <= batch.charged);
            if before.state.is_ended() && !matches!(step, Step::Delete) {
                prop_assert_eq!(&batch, &before, "an ended batch does not change");
            }
            if before.state == State::Deleting {
                prop_assert_eq!(batch.state, State::Deleting);
            }
            if batch.state.is_ended() || batch.has_finished() {
                prop_assert_eq!(batch.tally.ended(), batch.total);
                prop_assert!(batch.open.is_empty() && batch.finished_at.is_some());
            }
            if before.state == State::Canceling {
                prop_assert!(matches!(batch.state, State::Canceling | State::Canceled | State::Deleting));
            }
            let counts = &json!(batch.view())["counts"];
            let parts = ["queued", "processing", "completed", "failed", "canceled"];
            let sum: u64 = parts.iter().map(|part| counts[part].as_u64().unwrap()).sum();
            prop_assert_eq!(sum, u64::from(batch.total));
        }
    }

    #[test]
    fn every_batch_can_end(total in 1..60u32, outcomes in prop::collection::vec(any::<bool>(), 60)) {
        let mut batch = batch(total, OnError::Continue);
        while !batch.state.is_ended() {
            while batch.room() > 0 {
                batch.note_created(1, batch.next_byte + 1);
            }
            let ended = |index: &u32| {
                seen(*index, if outcomes[*index as usize] { JobStatus::Completed } else { JobStatus::Failed })
            };
            let ends: Vec<_> = batch.open.iter().map(ended).collect();
            batch.settle(&ends);
            batch.conclude(Timestamp(2));
        }
        let completed = outcomes.iter().take(total as usize).filter(|completed| **completed).count();
        prop_assert_eq!(batch.tally.completed as usize, completed);
        prop_assert_eq!((batch.state, u64::from(batch.tally.failed)), (State::Completed, batch.refunded));
    }
}

#[test]
fn a_failed_item_stops_a_batch_that_is_to_stop() {
    let mut stopping = batch(5, OnError::Stop);
    stopping.note_created(1, 10);
    stopping.note_created(1, 20);
    stopping.settle(&[seen(0, JobStatus::Failed)]);
    assert_eq!((stopping.state, stopping.room()), (State::Canceling, 0));
    stopping.settle(&[seen(1, JobStatus::Canceled)]);
    assert!(stopping.conclude(Timestamp(3)));
    let view = json!(stopping.view());
    assert_eq!((&view["status"], &view["reason"]), (&"canceled".into(), &"item_failed".into()));
    assert_eq!(view["counts"]["canceled"], 4, "{view}");
}

#[test]
fn no_more_jobs_are_open_than_a_record_holds() {
    let mut large = batch(100_000, OnError::Continue);
    while large.room() > 0 {
        large.note_created(1, large.next_byte + 1);
    }
    assert_eq!(large.open.len(), MOST_OPEN);
    large.settle(&[seen(3, JobStatus::Completed), seen(7, JobStatus::Expired)]);
    assert_eq!((large.room(), large.tally.completed), (2, 2));
}

#[test]
fn a_deleted_job_counts_as_it_ended() {
    let mut one = batch(1, OnError::Continue);
    one.note_created(1, 1);
    one.settle(&[Seen { ended_as: Some(JobStatus::Failed), ..seen(0, JobStatus::Deleted) }]);
    assert_eq!(one.tally, Tally { failed: 1, ..Tally::default() });
}

#[test]
fn a_paused_batch_goes_on_with_another_key() {
    let mut paused = batch(2, OnError::Continue);
    paused.pause(PauseReason::RevokedApiKey, Timestamp(5)).unwrap();
    assert_eq!(json!(paused.view())["reason"], "revoked_api_key");
    assert_eq!(paused.room(), 0);
    let key = KeyHash::of_dashboard("acc_2", Mode::Live);
    assert_eq!(paused.resume(key.clone()), Ok(true));
    assert_eq!((paused.room(), &paused.key_hash, paused.reason), (2, &key, None));
    paused.cancel(CancelReason::Requested).unwrap();
    assert_eq!(paused.resume(key), Err(Forbidden(State::Canceling)));
    assert_eq!(paused.cancel(CancelReason::Requested), Ok(false));
}

#[test]
fn a_batch_that_nobody_resumes_is_canceled() {
    let mut paused = batch(2, OnError::Continue);
    paused.pause(PauseReason::InsufficientCredits, Timestamp(0)).unwrap();
    let week = Timestamp(0).plus(PAUSED_AT_MOST);
    paused.give_up(Timestamp(week.as_millis() - 1));
    assert_eq!(paused.state, State::Paused);
    paused.give_up(week);
    assert!(paused.conclude(week));
    assert_eq!(json!(paused.view())["reason"], "paused_too_long");
    assert_eq!(paused.tally.canceled, 2);
}

#[test]
fn a_deleted_batch_ends_first_and_is_kept_until_its_jobs_are_deleted() {
    let now = Timestamp(1_795_176_000_007);
    let mut deleting = batch(3, OnError::Continue);
    deleting.ttl = now.as_ttl_seconds();
    deleting.note_created(1, 10);
    assert!(deleting.delete(now) && !deleting.delete(now));
    assert!(deleting.is_current(now), "its record says what is left to do");
    assert_eq!((deleting.room(), deleting.conclude(now)), (0, false), "a job is open");
    assert_eq!(deleting.cancel(CancelReason::Requested), Err(Forbidden(State::Deleting)));
    deleting.settle(&[seen(0, JobStatus::Canceled)]);
    deleting.lease_until = Some(now);
    assert!(deleting.conclude(now));
    assert_eq!((deleting.has_finished(), deleting.tally.canceled), (true, 3));
    assert_eq!(deleting.lease_until, Some(now), "the run goes on with the deletion");
    assert!(!deleting.conclude(now), "it has ended once");
}
