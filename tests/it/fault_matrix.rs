//! Tests effects exactly once: each AWS call of a job gets each kind of fault, and the job must still end once, correctly, and
//! with one charge or refund.
//!
//! A story is first played without faults, and its recorded calls must match the list here. Then it is played once for each call
//! and fault. So a new AWS call is tested automatically, and added to the list by hand.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use docmill::domain::job::{Job, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS};
use docmill::files::ObjectKey;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use crate::fault_stories::{Credits, EngineRole, Payload, Story, Twist, stories};
use crate::support::aws_watch::Fault;
use crate::support::stage::{Actor, Message, Stage};
use crate::support::stub_engine::{Act, Gate};
use crate::support::world::Account;

const LANES: usize = 32;
const MINUTE: Duration = Duration::from_secs(60);

/// The message of a dead worker: either the sweeper comes first, or the message returns right after the lease has ended.
const SWEEPER_FIRST: Duration = Duration::from_secs(1440);
const QUEUE_FIRST: Duration = Duration::from_secs(57);

/// Every way in which a call can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Down,
    Throttled,
    NoConnection,
    /// One response is lost: the SDK repeats a call that took effect.
    LostOnce,
    /// All responses are lost: the caller can't know the state.
    Lost,
    CrashBefore,
    CrashAfter,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Down,
        Self::Throttled,
        Self::NoConnection,
        Self::LostOnce,
        Self::Lost,
        Self::CrashBefore,
        Self::CrashAfter,
    ];

    fn at(self, operation: &str, nth: usize) -> Fault {
        let fault = match self {
            Self::Down => Fault::down(operation).lasting(),
            Self::Throttled => Fault::throttled(operation).lasting(),
            Self::NoConnection => Fault::no_connection(operation).lasting(),
            Self::LostOnce => Fault::lost_answer(operation),
            Self::Lost => Fault::lost_answer(operation).lasting(),
            Self::CrashBefore => Fault::crash_before(operation),
            Self::CrashAfter => Fault::crash_after(operation),
        };
        fault.at(nth)
    }
}

/// A call of an actor, and its fault.
#[derive(Clone, Debug)]
struct Trouble {
    actor: Actor,
    operation: String,
    nth: usize,
    kind: Kind,
}

/// One job from its creation to its end.
struct Life<'a> {
    stage: &'a Stage,
    story: &'a Story,
    account: Account,
    id: JobId,
    inbox: Vec<Message>,
    after_a_crash: Duration,
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
        let gate = Arc::new(Gate::default());
        stage.engine.play(story.script(&gate));
        let html = if story.payload == Payload::Stored { "<p>long".repeat(4000) } else { "<p>x".to_owned() };
        let id = stage.create(&account, &html).await;
        let mut life = Self { stage, story, account, id, inbox: stage.receive().await, after_a_crash };
        life.begin(&gate).await;
        life.settle().await;
        let ended = life.counted().await;
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
        if self.story.twist == Twist::None {
            return;
        }
        let Some(first) = self.inbox.pop() else {
            self.stage.engine.play([]);
            return;
        };
        match self.story.twist {
            Twist::None => {}
            Twist::MessageLost => self.stage.discard(&first).await,
            Twist::Duplicate => {
                let deliver = || self.stage.deliver(first.clone(), self.after_a_crash);
                let (one, other) = tokio::join!(deliver(), deliver());
                self.inbox.extend(one.and(other));
            }
            Twist::LateAfterTheEnd | Twist::LateBeforeTheNext => self.begin_late(first, gate).await,
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
            if job.uncounted.is_none() {
                return job;
            }
            self.pass(MINUTE).await;
        }
        panic!("the job is never counted");
    }

    /// Checks for one correct final state, one charge or refund, and no leftovers.
    async fn check_end(&self, job: &Job, troubles: &[Trouble]) {
        let failure = job.error.as_ref().map(|error| error.code);
        let used_up = troubles.len() > 1 && failure == Some(JobErrorCode::Internal) && job.attempts == MAX_ATTEMPTS;
        assert!(used_up || failure == self.story.failure, "{failure:?} after {} attempts", job.attempts);
        let completed = failure.is_none();
        assert_eq!(job.status, if completed { JobStatus::Completed } else { JobStatus::Failed });
        assert!(job.secret.is_none() && job.lease_until.is_none(), "a secret or a lease is left: {job:?}");
        assert_eq!(job.open.is_some(), completed, "only a completed job is looked at again");
        assert_eq!(job.due, job.expires_at);
        assert_eq!((job.charge.total(), job.refunded), (1, u64::from(!completed)));

        let usage = self.stage.auditor.usage.of_month(&self.account.id, job.period).await.unwrap();
        let spent = u64::from(completed);
        assert_eq!((usage.credits.created, usage.credits.used), (1, spent), "created, used");
        let total = usage.total();
        assert_eq!((total.created, total.completed, total.failed), (1, spent, 1 - spent), "created, completed, failed");
        assert_eq!((total.charged, total.credits()), (1, spent), "credits counted");
        let left = match self.story.credits {
            Credits::Included => usage.credits.pots.included_left(1),
            Credits::Granted => usage.credits.pots.granted_left(),
        };
        assert_eq!(left, 1 - spent, "credits left");
        self.check_events(completed).await;

        assert_eq!(job.output_key.is_some(), completed, "an output that the job names");
        if let Some(key) = &job.output_key {
            assert_eq!(self.stage.files.get_text(key).await.unwrap(), "%PDF-1.7 stub");
        }
        // An actor that can't delete, dies before it, or can't know that the job has ended leaves it to the lifecycle.
        let excused = troubles.iter().any(|trouble| {
            trouble.operation == "DeleteObject"
                || trouble.operation == "TransactWriteItems" && matches!(trouble.kind, Kind::CrashAfter | Kind::Lost)
        });
        let input = ObjectKey::Input { account: &self.account.id, job: self.id }.to_string();
        assert!(excused || self.stage.files.get_text(&input).await.is_err(), "the stored request is left");
    }

    /// The end has one event. The one included credit is more than 80 % of the month's, so using it causes a warning.
    async fn check_events(&self, completed: bool) {
        let page = self.stage.auditor.events.page(&self.account.id, None, None, 10, self.stage.now()).await.unwrap();
        let mut kinds: Vec<_> = page.events.into_iter().map(|event| event.kind).collect();
        kinds.sort();
        let expected: &[&str] = match (completed, self.story.credits) {
            (true, Credits::Included) => &["job.completed", "quota.warning"],
            (true, Credits::Granted) => &["job.completed"],
            (false, Credits::Included | Credits::Granted) => &["job.failed"],
        };
        assert_eq!(kinds, expected, "events");
    }

    /// A day later, the job is expired and its files are deleted.
    async fn expire(&mut self, completed: &Job) {
        let wait = completed.expires_at.unwrap().millis_since(self.stage.now());
        self.stage.advance(Duration::from_millis(wait));
        for _ in 0..10 {
            self.pass(MINUTE).await;
            if self.stage.job(self.id).await.open.is_none() {
                break;
            }
        }
        let job = self.stage.job(self.id).await;
        assert_eq!((job.status, job.open, job.due, job.output_key), (JobStatus::Expired, None, None, None));
        let key = completed.output_key.as_deref().unwrap();
        assert!(self.stage.files.get_text(key).await.is_err(), "the expired output is still there");
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

    /// Each listed call with each fault. Creation is the same in all stories of a kind, so it is only tested in the first two.
    /// The same applies to wordings of refusals and faults that the SDK hides.
    fn troubles(&self, in_full: bool) -> Vec<Trouble> {
        let kinds = if in_full { Kind::ALL.as_slice() } else { &[Kind::Down, Kind::Lost, Kind::CrashAfter] };
        let mut troubles = Vec::new();
        for (actor, calls) in Actor::ALL.into_iter().zip(self.calls) {
            if actor == Actor::Client && !in_full {
                continue;
            }
            let calls: Vec<&str> = calls.split_whitespace().collect();
            for (position, operation) in calls.iter().enumerate() {
                let nth = calls[..position].iter().filter(|earlier| *earlier == operation).count();
                let trouble = |kind| Trouble { actor, operation: (*operation).to_owned(), nth, kind };
                troubles.extend(kinds.iter().copied().map(trouble));
            }
        }
        troubles
    }
}

fn sorted(calls: &str) -> String {
    let mut calls: Vec<&str> = calls.split(' ').collect();
    calls.sort_unstable();
    calls.join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calls_of_every_story_are_the_listed_ones() {
    let stage = Stage::new().await;
    for story in stories() {
        Life::play(&stage, &story, &[], SWEEPER_FIRST).await;
        let (mut recorded, mut listed) = (Story::recorded(&stage), story.calls.map(str::to_owned));
        // The sweeper and two workers do several things in parallel, so their calls may be in any order.
        let unordered = [Some(Actor::Sweeper), (story.twist == Twist::Duplicate).then_some(Actor::Worker)];
        for actor in unordered.into_iter().flatten().map(|actor| actor as usize) {
            (recorded[actor], listed[actor]) = (sorted(&recorded[actor]), sorted(&listed[actor]));
        }
        assert_eq!(recorded, listed, "{}", story.name);
    }
    stage.remove().await;
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

fn any_trouble() -> impl Strategy<Value = Trouble> {
    let place = prop::sample::select(vec![
        (Actor::Client, "TransactWriteItems"),
        (Actor::Client, "SendMessage"),
        (Actor::Worker, "UpdateItem"),
        (Actor::Worker, "GetObject"),
        (Actor::Worker, "PutObject"),
        (Actor::Worker, "TransactWriteItems"),
        (Actor::Worker, "ChangeMessageVisibility"),
        (Actor::Worker, "DeleteObject"),
        (Actor::Sweeper, "Query"),
        (Actor::Sweeper, "GetItem"),
        (Actor::Sweeper, "BatchGetItem"),
        (Actor::Sweeper, "UpdateItem"),
        (Actor::Sweeper, "TransactWriteItems"),
        (Actor::Sweeper, "SendMessage"),
        (Actor::Sweeper, "DeleteObject"),
        (Actor::Sweeper, "DeleteObjects"),
    ]);
    (place, 0..3_usize, prop::sample::select(Kind::ALL.to_vec())).prop_map(|((actor, operation), nth, kind)| Trouble {
        actor,
        operation: operation.to_owned(),
        nth,
        kind,
    })
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
