//! Tests effects exactly once: each AWS call of a job gets each kind of fault, and the job must still end once, correctly, and
//! with one charge or refund.
//!
//! A story is first played without faults, and its recorded calls must match the list here. Then it is played once for each call
//! and fault. So a new AWS call is tested automatically, and added to the list by hand.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docmill_domain::job::{Job, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS};
use docmill_domain::limits::Limits;
use docmill_domain::tool::QueueName;
use docmill_store::item::Shard;
use docmill_store::jobs::{Lane, Slot};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use crate::fault_stories::{Credits, Delivery, EngineRole, Payload, Story, Twist, stories};
use crate::fault_troubles::{Trouble, any_trouble};
use crate::support::aws_watch::Fault;
use crate::support::receiver::Reception;
use crate::support::stage::{Actor, Control, Message, Stage};
use crate::support::stub_engine::{Act, Gate};
use crate::support::world::Account;

const LANES: usize = 32;
const MINUTE: Duration = Duration::from_secs(60);

/// The message of a dead worker: either the sweeper comes first, or the message returns right after the lease has ended.
const SWEEPER_FIRST: Duration = Duration::from_secs(1440);
const QUEUE_FIRST: Duration = Duration::from_secs(57);

/// One job from its creation to its end.
struct Life<'a> {
    stage: &'a Stage,
    story: &'a Story,
    account: Account,
    id: JobId,
    inbox: Vec<Message>,
    after_a_crash: Duration,
    /// How its owner has ended the job.
    ended_by: Option<Control>,
}

impl<'a> Life<'a> {
    /// Plays the story until nothing is left to do, and checks the result.
    async fn play(stage: &'a Stage, story: &'a Story, troubles: &[Trouble], after_a_crash: Duration) {
        // Faults that were not met must not affect the next run.
        stage.start_over();
        let account = match story.credits {
            Credits::Included => stage.world.account_on(&stage.plan_with_one, 0).await,
            Credits::Granted => stage.world.account_on(&stage.plan_with_none, 1).await,
        };
        stage.start_over();
        for Trouble { actor, operation, nth, kind } in troubles {
            stage.inject(*actor, kind.at(operation, *nth));
        }
        if story.twist == Twist::OtherPayment {
            stage.inject(Actor::Client, Fault::lost_answer("TransactWriteItems"));
            stage.inject(Actor::Client, Fault::transaction_conflict(3));
            stage.inject(Actor::Client, Fault::transaction_conflict(3));
        }
        let gate = Arc::new(Gate::default());
        stage.engine.play(story.script(&gate));
        stage.receiver.play(story.reception(&gate));
        let id = stage.create_job(&account, &story.body(stage)).await;
        if story.twist == Twist::OtherPayment {
            // Not all are met if earlier stories have used up the SDK's budget of retries.
            stage.watch(Actor::Client).clear();
        }
        let inbox = stage.receive().await;
        let mut life = Self { stage, story, account, id, inbox, after_a_crash, ended_by: None };
        Box::pin(life.begin(&gate)).await;
        Box::pin(life.settle()).await;
        let counted = life.counted().await;
        let ended = life.cleaned(counted, troubles).await;
        life.check_end(&ended, troubles).await;
        if ended.status == JobStatus::Completed {
            life.expire(&ended).await;
        }
        // If the queue comes first, the sweeper has less to do and makes fewer calls.
        let met = Actor::ALL.iter().all(|actor| stage.watch(*actor).unmet_faults() == 0);
        assert!(met || troubles.len() > 1 || after_a_crash == QUEUE_FIRST, "the fault was not met");
    }

    /// The first delivery, with the story's special event.
    async fn begin(&mut self, gate: &Gate) {
        let most = Limits::default().running_jobs;
        let lane = Lane { queue: QueueName::Html, account: self.account.id.clone() };
        let (slot, now) = (Slot::Running(&lane), self.stage.now());
        let jobs = &self.stage.auditor.jobs;
        // The account's first slot takes more writes than all others.
        let dead = if self.story.twist == Twist::LaneIsFull { most } else { 1 };
        for holder in (0..dead).map(|number| format!("dead{number}")) {
            let until = (now, now.plus(MINUTE / 2));
            assert!(jobs.take_slot(&slot, &holder, None, most, until).await.unwrap());
        }
        if matches!(self.story.twist, Twist::None | Twist::OtherPayment) {
            return;
        }
        let Some(first) = self.inbox.pop() else {
            self.stage.engine.play([]);
            self.stage.receiver.play(Reception::Take);
            return;
        };
        match self.story.twist {
            Twist::None | Twist::OtherPayment => {}
            Twist::LaneIsFull => self.inbox.extend(self.stage.deliver(first, self.after_a_crash).await),
            Twist::MessageLost => self.stage.discard(&first).await,
            Twist::Duplicate => {
                let deliver = || self.stage.deliver(first.clone(), self.after_a_crash);
                let (one, other) = tokio::join!(deliver(), deliver());
                self.inbox.extend(one.and(other));
            }
            Twist::LateAfterTheEnd | Twist::LateBeforeTheNext => self.begin_late(first, gate).await,
            Twist::EndedDuringDelivery(control) => self.end_during_delivery(first, gate, control).await,
        }
    }

    async fn begin_late(&mut self, first: Message, gate: &Gate) {
        let mut late = pin!(self.stage.deliver(first, self.after_a_crash));
        let held = tokio::select! {
            kept = &mut late => {
                self.inbox.extend(kept);
                false
            }
            () = gate.reached.notified() => true,
        };
        if !held {
            // The attempt did not reach the engine, so the next one must not hang or fail.
            self.stage.engine.play([]);
            return;
        }
        if self.story.twist == Twist::LateAfterTheEnd {
            self.settle().await;
        } else {
            while self.stage.job(self.id).await.status == JobStatus::Processing {
                self.pass(MINUTE).await;
            }
        }
        gate.open.notify_one();
        self.inbox.extend(late.await);
    }

    async fn end_during_delivery(&mut self, first: Message, gate: &Gate, control: Control) {
        let mut delivered = pin!(self.stage.deliver(first, self.after_a_crash));
        let held = tokio::select! {
            kept = &mut delivered => {
                self.inbox.extend(kept);
                false
            }
            () = gate.reached.notified() => true,
        };
        self.stage.receiver.play(Reception::Take);
        if held {
            self.stage.end(&self.account, self.id, control).await;
            self.ended_by = Some(control);
            gate.open.notify_one();
            self.inbox.extend(delivered.await);
        }
    }

    async fn pass(&mut self, time: Duration) {
        self.stage.advance(time);
        self.stage.sweep().await;
        self.inbox.extend(self.stage.receive().await);
    }

    /// Runs queue, workers and sweeper until the job has ended and no message is left.
    async fn settle(&mut self) -> Job {
        for _ in 0..200 {
            let job = self.stage.job(self.id).await;
            let now = self.stage.now();
            if let Some(position) = self.inbox.iter().position(|message| message.visible_at <= now) {
                let message = self.inbox.remove(position);
                self.inbox.extend(self.stage.deliver(message, self.after_a_crash).await);
                continue;
            }
            let next = self.inbox.iter().map(|message| message.visible_at.millis_since(now)).min();
            match next.map(Duration::from_millis) {
                None if job.status.is_terminal() => return job,
                Some(wait) if wait < MINUTE || job.status.is_terminal() => self.stage.advance(wait),
                Some(_) | None => self.pass(MINUTE).await,
            }
        }
        panic!("the job never ends: {:?}", self.stage.job(self.id).await);
    }

    /// Makes the sweeper count the job.
    async fn counted(&mut self) -> Job {
        for _ in 0..10 {
            let job = self.stage.job(self.id).await;
            if job.index.uncounted.is_none() {
                return job;
            }
            self.pass(MINUTE).await;
        }
        panic!("the job is never counted");
    }

    /// Within two minutes, nothing is left in the bucket but the result. A run of the sweeper that fails takes another minute.
    async fn cleaned(&mut self, counted: Job, troubles: &[Trouble]) -> Job {
        let mut job = counted;
        for passed in 0.. {
            let left: Vec<_> = self.stage.listing(&self.account).await;
            let left: Vec<_> = left.into_iter().filter(|key| Some(key) != job.result.output_key.as_ref()).collect();
            if left.is_empty() && !Shard::is_cleanup(job.index.open.as_deref()) {
                return job;
            }
            assert!(passed < 2 + troubles.len(), "left in the bucket after {passed} minutes: {left:?} of {job:?}");
            self.pass(MINUTE).await;
            job = self.stage.job(self.id).await;
        }
        job
    }

    /// Checks for one correct final state, one charge or refund, and no leftovers.
    async fn check_end(&self, job: &Job, troubles: &[Trouble]) {
        let failure = job.result.error.as_ref().map(|error| error.code);
        let used_up = troubles.len() > 1 && failure == Some(JobErrorCode::Internal) && job.attempts == MAX_ATTEMPTS;
        let expected = self.story.failure.filter(|_| self.ended_by.is_none());
        assert!(used_up || failure == expected, "{failure:?} after {} attempts", job.attempts);
        let failed = failure.is_some();
        let completed = !failed && self.ended_by.is_none();
        assert_eq!(
            job.status,
            match self.ended_by {
                _ if failed => JobStatus::Failed,
                None => JobStatus::Completed,
                Some(Control::Cancel) => JobStatus::Canceled,
                Some(Control::Delete) => JobStatus::Deleted,
            }
        );
        assert!(job.request.secret.is_none() && job.work.lease_until.is_none(), "a secret or a lease is left: {job:?}");
        assert_eq!(job.index.open.is_some(), completed, "only a completed job is looked at again");
        assert_eq!(job.index.due, job.times.expires_at);
        // Who has the result pays for it, also after canceling the job or refusing the delivery.
        let sent = failure == Some(JobErrorCode::DeliveryFailed) || self.ended_by.is_some() && job.delivery.delivering;
        let charged = u64::from(completed || sent);
        assert_eq!((job.payment.charge.total(), job.payment.refunded), (1, 1 - charged));

        let usage = self.stage.auditor.usage.of_month(&self.account.id, job.payment.period).await.unwrap();
        let spent = u64::from(completed);
        assert_eq!((usage.credits.created, usage.credits.used), (1, charged), "created, used");
        let total = usage.total();
        let counts = (total.created, total.completed, total.failed);
        assert_eq!(counts, (1, spent, u64::from(failed)), "created, completed, failed");
        assert_eq!((total.charged, total.credits()), (1, charged), "credits counted");
        let left = match self.story.credits {
            Credits::Included => usage.credits.pots.included_left(1),
            Credits::Granted => usage.credits.pots.granted_left(),
        };
        assert_eq!(left, 1 - charged, "credits left");
        self.check_events(completed, failed).await;
        self.check_deliveries(completed, troubles);

        assert_eq!(job.result.output_key.is_some(), completed, "an output that the job names");
        if let Some(key) = &job.result.output_key {
            assert_eq!(self.stage.files.get_text(key).await.unwrap(), "%PDF-1.7 stub");
        }
    }

    /// A result that was delivered is not delivered again, whatever happens after that.
    fn check_deliveries(&self, completed: bool, troubles: &[Trouble]) {
        let received = self.stage.receiver.received();
        if completed && self.story.delivery == Delivery::Taken && troubles.len() < 2 {
            assert_eq!(received, [b"%PDF-1.7 stub"], "delivered once");
        }
    }

    /// The end has one event. The one included credit is more than 80 % of the month's, so using it causes a warning.
    async fn check_events(&self, completed: bool, failed: bool) {
        let page = self.stage.auditor.events.page(&self.account.id, None, None, 10, self.stage.now()).await.unwrap();
        let mut kinds: Vec<_> = page.events.into_iter().map(|event| event.kind).collect();
        kinds.sort();
        let expected: &[&str] = match (completed, self.story.credits) {
            (true, Credits::Included) => &["job.completed", "quota.warning"],
            (true, Credits::Granted) => &["job.completed"],
            (false, Credits::Included | Credits::Granted) if failed => &["job.failed"],
            (false, Credits::Included | Credits::Granted) => &["job.canceled"],
        };
        assert_eq!(kinds, expected, "events");
    }

    /// A day later, the job is expired and its files are deleted.
    async fn expire(&mut self, completed: &Job) {
        let wait = completed.times.expires_at.unwrap().millis_since(self.stage.now());
        self.stage.advance(Duration::from_millis(wait));
        for _ in 0..10 {
            self.pass(MINUTE).await;
            if self.stage.job(self.id).await.index.open.is_none() {
                break;
            }
        }
        let job = self.stage.job(self.id).await;
        assert_eq!(
            (job.status, job.index.open, job.index.due, job.result.output_key),
            (JobStatus::Expired, None, None, None)
        );
        assert_eq!(self.stage.listing(&self.account).await, Vec::<String>::new(), "left after the expiry");
    }
}

impl Story {
    fn script(&self, gate: &Arc<Gate>) -> Vec<Act> {
        let mut script = match self.engine {
            EngineRole::Convert => vec![Act::Convert],
            EngineRole::Fail(code) => vec![Act::Fail(code); 20],
            EngineRole::FailOnce(code) => vec![Act::Fail(code)],
            EngineRole::PanicOnce => vec![Act::Panic],
            EngineRole::Panic => vec![Act::Panic; 20],
        };
        if matches!(self.twist, Twist::LateAfterTheEnd | Twist::LateBeforeTheNext) {
            let first = script.remove(0);
            script.insert(0, Act::Hold(gate.clone(), Box::new(first)));
        }
        script
    }

    fn reception(&self, gate: &Arc<Gate>) -> Reception {
        match (self.delivery, self.twist) {
            (_, Twist::EndedDuringDelivery(_)) => Reception::Hold(gate.clone()),
            (Delivery::Refused, _) => Reception::Refuse,
            (Delivery::None | Delivery::Taken, _) => Reception::Take,
        }
    }

    /// The request of its job.
    fn body(&self, stage: &Stage) -> Value {
        let html = if self.payload == Payload::Stored { "<p>long".repeat(4000) } else { "<p>x".to_owned() };
        let mut body = json!({"toolSlug": "html-to-pdf", "html": html});
        if self.delivery != Delivery::None {
            body["output"] = json!({"putUrl": stage.receiver.url()});
        }
        body
    }

    /// The actors' calls in the form of the story's list.
    fn recorded(stage: &Stage) -> [String; 3] {
        Actor::ALL.map(|actor| {
            let mut calls = stage.watch(actor).take_calls();
            let mut queries = 0;
            calls.retain(|call| {
                queries += usize::from(call == "Query");
                // The client's query reads settings, which are cached between runs.
                call != "Query" || actor == Actor::Sweeper && queries == 1
            });
            calls.join(" ")
        })
    }
}

/// The sweeper's other possible calls for a job whose last run fails it and, at the same time, looks for stored requests that no job
/// needs. If the request is deleted before the run looks, there is none to read a job for. If it is deleted after the run has listed
/// it, but before the run reads its job, the run deletes it again.
fn last_runs(listed: &str) -> [String; 2] {
    [listed.replacen("BatchGetItem ", "", 1), sorted(&format!("{listed} DeleteObjects"))]
}

fn sorted(calls: &str) -> String {
    let mut calls: Vec<&str> = calls.split(' ').collect();
    calls.sort_unstable();
    calls.join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_every_story_are_the_listed_ones() {
    let stage = Stage::new().await;
    let mut differing = Vec::new();
    for story in stories() {
        // Boxed: futures of whole stories are large.
        Box::pin(Life::play(&stage, &story, &[], SWEEPER_FIRST)).await;
        let (mut recorded, mut listed) = (Story::recorded(&stage), story.calls.map(str::to_owned));
        // The sweeper and two workers do several things in parallel, so their calls may be in any order.
        let unordered = [Some(Actor::Sweeper), (story.twist == Twist::Duplicate).then_some(Actor::Worker)];
        for actor in unordered.into_iter().flatten().map(|actor| actor as usize) {
            (recorded[actor], listed[actor]) = (sorted(&recorded[actor]), sorted(&listed[actor]));
        }
        if story.name == "always dies"
            && last_runs(&listed[Actor::Sweeper as usize]).contains(&recorded[Actor::Sweeper as usize])
        {
            listed[Actor::Sweeper as usize].clone_from(&recorded[Actor::Sweeper as usize]);
        }
        if recorded != listed {
            differing.push(format!("{}\n  recorded: {recorded:#?}\n  listed: {listed:#?}", story.name));
        }
    }
    stage.remove().await;
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_survives_every_fault_of_every_call() {
    let lives: Vec<(Story, Trouble, Duration)> = stories()
        .into_iter()
        .enumerate()
        .flat_map(|(index, story)| {
            let troubles = story.troubles(index < 2);
            troubles.into_iter().map(move |trouble| (story.clone(), trouble))
        })
        .enumerate()
        .map(|(index, (story, trouble))| {
            let queue_first = index % 2 == 1 && trouble.actor == Actor::Worker;
            (story, trouble, if queue_first { QUEUE_FIRST } else { SWEEPER_FIRST })
        })
        .collect();
    let lives = Arc::new(lives);
    let next = Arc::new(AtomicUsize::new(0));
    let lanes = (0..LANES).map(|_| {
        let (lives, next) = (lives.clone(), next.clone());
        tokio::spawn(async move {
            let mut failures = Vec::new();
            let mut stage = Arc::new(Stage::new().await);
            while let Some((story, trouble, order)) = lives.get(next.fetch_add(1, Ordering::Relaxed)).cloned() {
                let name = format!("{}: {trouble:?}, {order:?}", story.name);
                let here = stage.clone();
                let life = tokio::spawn(async move { Life::play(&here, &story, &[trouble], order).await });
                if let Err(error) = life.await {
                    let panic = error.into_panic();
                    let text = panic.downcast_ref::<String>().cloned();
                    failures.push(format!("{name}\n    {}", text.unwrap_or_else(|| "panicked".to_owned())));
                    stage = Arc::new(Stage::new().await);
                }
            }
            stage.remove().await;
            failures
        })
    });
    let failures: Vec<String> =
        futures_util::future::join_all(lanes).await.into_iter().flat_map(|lane| lane.unwrap()).collect();
    assert!(failures.is_empty(), "{} of {} lives:\n{}", failures.len(), lives.len(), failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_survives_several_faults_at_once() {
    let lanes = (0..4).map(|_| {
        tokio::task::spawn_blocking(|| {
            let handle = tokio::runtime::Handle::current();
            let stage = Arc::new(handle.block_on(Stage::new()));
            let config = Config { cases: 6, failure_persistence: None, max_shrink_iters: 20, ..Config::default() };
            let lives = (
                prop::sample::select(stories()),
                prop::collection::vec(any_trouble(), 2..=6),
                prop::sample::select(vec![SWEEPER_FIRST, QUEUE_FIRST]),
            );
            let outcome = TestRunner::new(config).run(&lives, |(story, troubles, order)| {
                let here = stage.clone();
                let life = handle.spawn(async move { Life::play(&here, &story, &troubles, order).await });
                handle.block_on(life).map_err(|error| TestCaseError::fail(error.to_string()))
            });
            handle.block_on(stage.remove());
            outcome.unwrap();
        })
    });
    for lane in futures_util::future::join_all(lanes).await {
        lane.unwrap();
    }
}
