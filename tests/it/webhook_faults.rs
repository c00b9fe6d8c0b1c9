//! The fault matrix of deliveries: each AWS call of the deliverer gets each kind of fault, and the receiver must still get the event,
//! with one id and one body.
//!
//! A story is first played without faults, and its recorded calls must match the list here. Then it is played once for each call
//! and fault. So a new AWS call is tested automatically, and added to the list by hand.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::queue::WebhookMessage;
use docmill_config::clock;
use docmill_domain::event::EventKind;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{DeliveryId, Dropped, Endpoint, EndpointId, Health, JobWebhook, WebhookRequest};
use docmill_store::events::StoredEvent;
use docmill_store::item::{number, string};
use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::json;

use crate::fault_troubles::Kind;
use crate::support::hooks::{Deliveries, Hook, Hooks, Reply, sealing};
use crate::support::world::{Account, World, patient_aws};

const LANES: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Twist {
    None,
    /// The receiver fails once.
    FailsOnce,
    /// The endpoint has never answered, so that its delivery takes the queue of retries.
    New,
    /// The job names the receiver itself.
    OfAJob,
    /// The receiver answers 410.
    Gone,
}

struct Story {
    name: &'static str,
    twist: Twist,
    /// The deliverer's calls for all messages until the event has arrived.
    calls: &'static str,
}

fn stories() -> [Story; 5] {
    let story = |name, twist, calls| Story { name, twist, calls };
    [
        // Reads the event and the endpoints, adds the delivery, and notes that. Reads the account, takes the endpoint's first slot with
        // three writes, counts the request, claims the delivery, writes its outcome, and gives the slot back.
        story(
            "delivered",
            Twist::None,
            "GetItem Query PutItem UpdateItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem",
        ),
        // Also notes the endpoint's health and sends the message of the next try, which reads all again and notes the health.
        story(
            "fails once",
            Twist::FailsOnce,
            "GetItem Query PutItem UpdateItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem \
             SendMessageBatch UpdateItem GetItem GetItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem",
        ),
        story(
            "new",
            Twist::New,
            "GetItem Query PutItem UpdateItem SendMessageBatch GetItem GetItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem \
             UpdateItem UpdateItem UpdateItem UpdateItem",
        ),
        // Also reads and notes the health of the URL.
        story(
            "of a job",
            Twist::OfAJob,
            "GetItem Query GetItem PutItem UpdateItem SendMessageBatch GetItem GetItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem \
             UpdateItem UpdateItem UpdateItem UpdateItem",
        ),
        // Also notes the endpoint's health, and disables it.
        story(
            "gone",
            Twist::Gone,
            "GetItem Query PutItem UpdateItem GetItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem \
             TransactWriteItems UpdateItem",
        ),
    ]
}

/// One event from its message to its end.
struct Run<'a> {
    world: &'a World,
    /// Sees no faults, and its calls are not recorded.
    auditor: &'a Context,
    hooks: Deliveries,
    receiver: Hooks,
    account: Account,
    event: StoredEvent,
    endpoint: EndpointId,
}

impl<'a> Run<'a> {
    async fn prepare(world: &'a World, auditor: &'a Context, story: &Story) -> Self {
        world.watch.clear();
        let (hooks, receiver, account) = (Deliveries::of(world), Hooks::start().await, world.account(1).await);
        let wanted = WebhookRequest { url: receiver.url(), secret: None };
        let seal = |text: &str, id: &EndpointId| sealing().seal_text(text, &account.id, id);
        let webhook = JobWebhook::new(&account.id, &wanted, seal).unwrap();
        let of_job = story.twist == Twist::OfAJob;
        let endpoint = if of_job {
            webhook.id.clone()
        } else {
            let endpoint = hooks.endpoint(&account, &receiver.url(), json!({"events": ["job.completed"]})).await;
            EndpointId::parse(endpoint["id"].as_str().unwrap()).unwrap()
        };
        if matches!(story.twist, Twist::None | Twist::FailsOnce | Twist::Gone) {
            let stored: Endpoint = world.context.webhooks.endpoint(&account.id, &endpoint).await.unwrap().unwrap();
            let answered = |seen: Health| seen.after_success(Duration::from_millis(5));
            world.context.webhooks.note_health(&stored, answered).await.unwrap();
        }
        let event = StoredEvent::new(&account.id, EventKind::JobCompleted, clock::now(), json!({"note": "a test"}));
        let event = StoredEvent { webhook: of_job.then_some(webhook), ..event };
        world.context.events.record(&event).await.unwrap();
        hooks.deliverer.context.settings.current().await.unwrap();
        match story.twist {
            Twist::FailsOnce => receiver.next([Reply::status(500)]),
            Twist::Gone => receiver.always(Some(Reply::status(410))),
            Twist::None | Twist::New | Twist::OfAJob => {}
        }
        world.watch.take_calls();
        Self { world, auditor, hooks, receiver, account, event, endpoint }
    }

    /// Handles a message. A crash ends its handling, as the death of the function does.
    async fn take(&self, message: &WebhookMessage) {
        let handled = AssertUnwindSafe(self.hooks.deliverer.take(message)).catch_unwind().await;
        self.world.watch.heal();
        // What failed is logged, and the sweeper asks again.
        drop(handled);
    }

    /// Until nothing is due any more. The clock is put ahead as far as leases and tries ask for.
    async fn settle(&self) {
        self.take(&WebhookMessage::Event { account: self.account.id.clone(), event: self.event.id.clone() }).await;
        for _ in 0..40 {
            let Some((message, due)) = self.next().await else { return };
            let now = self.hooks.clock.now();
            if due > now {
                let ahead = clock::now();
                self.hooks.clock.put_ahead(Duration::from_millis(due.millis_since(ahead)) + Duration::from_millis(500));
            }
            self.take(&message).await;
        }
        panic!("something is due for ever");
    }

    /// What the sweeper's index shows for the account. Read from the table, since lanes share the index.
    async fn next(&self) -> Option<(WebhookMessage, Timestamp)> {
        let found = self.auditor.dynamodb.query().table_name(&self.world.config.tables.events);
        let found = found
            .key_condition_expression("account = :account")
            .filter_expression("attribute_exists(due_shard) AND due > :nothing")
            .expression_attribute_values(":account", string(&self.account.id))
            .expression_attribute_values(":nothing", number(0))
            .consistent_read(true);
        let items = found.send().await.unwrap().items.unwrap_or_default();
        let due = items.iter().map(|item| {
            let text = |name: &str| item[name].as_s().unwrap().clone();
            let due = Timestamp(item["due"].as_n().unwrap().parse().unwrap());
            let account = self.account.id.clone();
            let message = if text("id").starts_with("dlv#") {
                let event = text("event");
                WebhookMessage::Delivery(DeliveryId { account, endpoint: self.endpoint.clone(), event })
            } else {
                WebhookMessage::Event { account, event: text("id") }
            };
            (message, due)
        });
        // The event about the endpoint itself is not part of the story.
        let due = due
            .filter(|(message, _)| !matches!(message, WebhookMessage::Event { event, .. } if *event != self.event.id));
        due.min_by_key(|(_, due)| *due)
    }

    async fn check(&self, story: &Story, what: &str) {
        let received = self.receiver.received();
        let ids: BTreeSet<_> = received.iter().map(Hook::event).collect();
        assert_eq!(ids, BTreeSet::from([self.event.id.as_str()]), "{what}: the event arrives");
        assert!(received.iter().all(|hook| hook.body == self.event.body()), "{what}: its body stays the same");
        let expected = match story.twist {
            Twist::Gone => "failed",
            Twist::None | Twist::FailsOnce | Twist::New | Twist::OfAJob => "delivered",
        };
        let id = DeliveryId {
            account: self.account.id.clone(),
            endpoint: self.endpoint.clone(),
            event: self.event.id.clone(),
        };
        let delivery = self.auditor.webhooks.delivery(&id).await.unwrap().unwrap();
        let is_dropped =
            delivery.view().dropped_because == Some(Dropped::EndpointDisabled) && story.twist == Twist::Gone;
        assert!(delivery.state.as_str() == expected || is_dropped, "{what}: {:?}", delivery.state);
    }
}

fn auditor(world: &World) -> Context {
    Context::new(world.config.clone(), patient_aws()).unwrap()
}

#[tokio::test]
async fn the_calls_of_every_delivery_are_the_listed_ones() {
    let world = World::with_own_events().await;
    let auditor = auditor(&world);
    for story in stories() {
        let run = Run::prepare(&world, &auditor, &story).await;
        run.settle().await;
        let expected: Vec<_> = story.calls.split_whitespace().collect();
        assert_eq!(world.watch.take_calls(), expected, "{}", story.name);
        run.check(&story, story.name).await;
    }
    world.remove_events().await;
}

#[tokio::test]
async fn an_event_arrives_despite_every_fault_of_every_call() {
    let worlds = join_all((0..LANES).map(|_| World::with_own_events())).await;
    let mut troubles = Vec::new();
    for story in 0..stories().len() {
        let calls: Vec<_> = stories()[story].calls.split_whitespace().collect();
        for (position, operation) in calls.iter().enumerate() {
            let nth = calls[..position].iter().filter(|earlier| *earlier == operation).count();
            // The first story has every kind of fault. In the others, those that differ for the caller are enough.
            let kinds = if story == 0 { Kind::ALL.as_slice() } else { &[Kind::Down, Kind::Lost, Kind::CrashAfter] };
            troubles.extend(kinds.iter().map(|kind| (story, *operation, nth, *kind)));
        }
    }
    let lanes = worlds.iter().enumerate().map(|(lane, world)| {
        let mine: Vec<_> = troubles.iter().skip(lane).step_by(LANES).copied().collect();
        async move {
            let auditor = auditor(world);
            for (story, operation, nth, kind) in mine {
                let story = &stories()[story];
                let run = Run::prepare(world, &auditor, story).await;
                world.watch.inject([kind.at(operation, nth)]);
                run.settle().await;
                let what = format!("{}, {kind:?} at {operation} {nth}", story.name);
                assert_eq!(world.watch.unmet_faults(), 0, "{what}: the fault was not met");
                run.check(story, &what).await;
            }
        }
    });
    join_all(lanes).await;
    for world in worlds {
        world.remove_events().await;
    }
}
