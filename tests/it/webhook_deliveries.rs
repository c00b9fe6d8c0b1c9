//! Deliveries: each event reaches each endpoint that wants it, once if the receiver works, and again until it does.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_app::context::Context;
use docmill_app::jobs::submit::JobService;
use docmill_aws::queue::WebhookMessage;
use docmill_config::clock;
use docmill_domain::event::EventKind;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{DeliveryId, EndpointId};
use docmill_signing::keys::KeyRing;
use docmill_store::events::StoredEvent;
use docmill_store::item::{number, string};
use functions::{cancel_job, create_job, get_webhook, list_webhook_deliveries};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::error_table::Deployed;
use crate::support::aws_watch::Fault;
use crate::support::eventually;
use crate::support::hooks::{Deliveries, Hook, Hooks, Reply, is_signed, sealing};
use crate::support::http::{Answer, get, post};
use crate::support::world::{Account, World, patient_aws};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

async fn record(world: &World, account: &Account, kind: EventKind, at: Timestamp) -> String {
    let event = StoredEvent::new(&account.id, kind, at, json!({"note": "a test"}));
    world.context.events.record(&event).await.unwrap();
    event.id
}

async fn completed(world: &World, account: &Account) -> String {
    record(world, account, EventKind::JobCompleted, clock::now()).await
}

fn secret(endpoint: &Value) -> &str {
    endpoint["secret"].as_str().unwrap()
}

/// The endpoint's deliveries as its account sees them.
async fn deliveries(world: &World, account: &Account, endpoint: &Value) -> Vec<Value> {
    let id = endpoint["id"].as_str().unwrap();
    let request = get("/").key(&account.key).parameter("webhook_id", id).build();
    let answer = Answer::of(list_webhook_deliveries::handle(world.context.clone(), request).await);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["deliveries"].as_array().unwrap().clone()
}

async fn endpoint_now(world: &World, account: &Account, endpoint: &Value) -> Value {
    let id = endpoint["id"].as_str().unwrap();
    let request = get("/").key(&account.key).parameter("webhook_id", id).build();
    Answer::of(get_webhook::handle(world.context.clone(), request).await).body["webhook"].clone()
}

fn delivery_id(account: &Account, endpoint: &Value, event: &str) -> DeliveryId {
    let endpoint = EndpointId::parse(endpoint["id"].as_str().unwrap()).unwrap();
    DeliveryId { account: account.id.clone(), endpoint, event: event.to_owned() }
}

#[tokio::test]
async fn an_event_reaches_every_endpoint_that_wants_it_signed_with_its_secret() {
    let (world, first, second) = (World::with_own_events().await, Hooks::start().await, Hooks::start().await);
    let (account, other) = (world.account(1).await, world.account(1).await);
    let hooks = Deliveries::of(&world);
    let all = hooks.endpoint(&account, &first.url(), json!({})).await;
    let failures = hooks.endpoint(&account, &second.url(), json!({"events": ["job.failed"]})).await;
    hooks.endpoint(&other, &second.url(), json!({})).await;

    let event = completed(&world, &account).await;
    hooks.announce(&account, &event).await;
    let failed = record(&world, &account, EventKind::JobFailed, clock::now()).await;
    hooks.announce(&account, &failed).await;

    let received = first.received();
    assert_eq!(received.iter().map(Hook::event).collect::<Vec<_>>(), [&event, &failed]);
    assert!(received.iter().all(|hook| is_signed(hook, secret(&all)) && !is_signed(hook, secret(&failures))));
    let stored = world.context.events.get(&account.id, &event, clock::now()).await.unwrap().unwrap();
    assert_eq!(received[0].body, stored.body(), "the same as in the list of events");
    assert!(received[0].header("webhook-signature").contains(" v1a,"), "the service signs too");
    let received = second.received();
    assert_eq!(received.iter().map(Hook::event).collect::<Vec<_>>(), [&failed], "no other type, no other account's");

    let shown = deliveries(&world, &account, &all).await;
    assert_eq!((&shown[0]["eventId"], &shown[1]["eventId"]), (&json!(failed), &json!(event)));
    assert_eq!((&shown[1]["status"], &shown[1]["attempts"][0]["status"]), (&json!("delivered"), &json!(200)));
    assert_eq!(hooks.sweep(&account).await, 0, "nothing is due any more");
    world.remove_events().await;
}

#[tokio::test]
async fn a_receiver_gets_an_event_once_however_often_its_message_comes() {
    let (world, receiver) = (World::with_own_events().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    hooks.endpoint(&account, &receiver.url(), json!({})).await;
    receiver.always(Some(Reply { after: SECOND / 5, ..Reply::status(200) }));
    let event = completed(&world, &account).await;
    let endpoint = &world.context.webhooks.endpoints(&account.id).await.unwrap()[0];
    let id = DeliveryId { account: account.id.clone(), endpoint: endpoint.id.clone(), event: event.clone() };
    let again = WebhookMessage::Delivery(id);
    let announcements = join_all((0..6).map(|_| hooks.announce(&account, &event)));
    let repetitions = join_all((0..6).map(|_| async { hooks.deliverer.take(&again).await.unwrap() }));
    futures_util::future::join(announcements, repetitions).await;
    hooks.announce(&account, &event).await;
    assert_eq!(receiver.received().len(), 1);
    world.remove_events().await;
}

#[tokio::test]
async fn a_failed_request_is_repeated_by_the_schedule_until_its_end() {
    let (world, receiver) = (World::with_own_events().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    let endpoint = hooks.endpoint(&account, &receiver.url(), json!({})).await;
    receiver.always(Some(Reply::with(500, "", "not today")));
    let event = completed(&world, &account).await;
    hooks.announce(&account, &event).await;
    let mut ahead = Duration::ZERO;
    let mut pauses = Vec::new();
    for _ in 1..10 {
        assert_eq!(hooks.sweep(&account).await, 0, "not before its time");
        let shown = &deliveries(&world, &account, &endpoint).await[0];
        assert_eq!(shown["status"], "pending");
        let due = Timestamp::parse(shown["nextTryAt"].as_str().unwrap()).unwrap();
        let pause = due.millis_since(clock::now().plus(ahead)) + 2000;
        pauses.push(pause / 1000);
        ahead += Duration::from_millis(pause);
        hooks.clock.put_ahead(ahead);
        assert_eq!(hooks.sweep(&account).await, 1);
    }
    let expected = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    for (pause, expected) in pauses.iter().zip(expected) {
        assert!((expected * 79 / 100..=expected * 121 / 100 + 3).contains(pause), "{pauses:?}");
    }
    let shown = &deliveries(&world, &account, &endpoint).await[0];
    assert_eq!((&shown["status"], &shown["triesLeft"]), (&json!("failed"), &json!(0)));
    let attempts = shown["attempts"].as_array().unwrap();
    assert_eq!(attempts.len(), 10);
    assert!(attempts.iter().all(|attempt| attempt["status"] == 500 && attempt["response"] == "not today"));
    let ids: BTreeSet<_> = receiver.received().iter().map(|hook| hook.event().to_owned()).collect();
    assert_eq!(ids, BTreeSet::from([event]), "the id stays the same");
    world.remove_events().await;
}

#[tokio::test]
async fn nothing_is_lost_when_a_step_fails() {
    let (world, receiver) = (World::with_own_events().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    hooks.endpoint(&account, &receiver.url(), json!({})).await;
    let mut sent = BTreeSet::new();
    for operation in ["GetItem", "Query", "PutItem", "UpdateItem"] {
        for nth in 1..=6 {
            for fault in [Fault::crash_before(operation), Fault::crash_after(operation)] {
                let event = completed(&world, &account).await;
                world.watch.inject([fault.at(nth)]);
                let message = WebhookMessage::Event { account: account.id.clone(), event: event.clone() };
                let deliver = std::panic::AssertUnwindSafe(hooks.deliverer.take(&message));
                let _ = futures_util::FutureExt::catch_unwind(deliver).await;
                world.watch.clear();
                sent.insert(event);
            }
        }
    }
    // The sweeper calls again, after leases have ended.
    for minutes in [1, 2, 10, 20, 60] {
        hooks.clock.put_ahead(Duration::from_secs(60 * minutes));
        hooks.sweep(&account).await;
    }
    let received: BTreeSet<_> = receiver.received().iter().map(|hook| hook.event().to_owned()).collect();
    assert_eq!(received, sent);
    assert_eq!(hooks.sweep(&account).await, 0, "nothing is due for ever");
    world.remove_events().await;
}

#[tokio::test]
async fn gone_disables_an_endpoint_at_once_and_five_days_of_failures_do_too() {
    let (world, gone, failing) = (World::with_own_events().await, Hooks::start().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    let first = hooks.endpoint(&account, &gone.url(), json!({"events": ["job.completed"]})).await;
    let second = hooks.endpoint(&account, &failing.url(), json!({"events": ["job.completed"]})).await;
    gone.always(Some(Reply::status(410)));
    failing.always(Some(Reply::status(500)));
    let event = completed(&world, &account).await;
    hooks.announce(&account, &event).await;
    let now = endpoint_now(&world, &account, &first).await;
    assert_eq!((&now["status"], &now["disabled"]["reason"]), (&json!("disabled"), &json!("gone")));
    let now = endpoint_now(&world, &account, &second).await;
    assert_eq!((&now["status"], &now["failing"]["failures"]), (&json!("active"), &json!(1)));

    hooks.clock.put_ahead(121 * HOUR);
    hooks.sweep(&account).await;
    let now = endpoint_now(&world, &account, &second).await;
    assert_eq!((&now["status"], &now["disabled"]["reason"]), (&json!("disabled"), &json!("failing")));
    let page = world.context.events.page(&account.id, Some("webhook.disabled"), None, 10, clock::now()).await.unwrap();
    let told: BTreeSet<_> = page.events.iter().map(|event| event.data["webhook"]["id"].to_string()).collect();
    assert_eq!(told, BTreeSet::from([first["id"].to_string(), second["id"].to_string()]), "each is told once");
    assert_eq!(page.events.len(), 2);
    assert!(page.events.iter().all(|event| !event.data.to_string().contains("127.0.0.1")), "the URL may be secret");
    world.remove_events().await;
}

#[tokio::test]
async fn a_dead_receiver_is_given_a_pause_and_a_busy_one_its_time() {
    let (world, dead, busy) = (World::with_own_events().await, Hooks::start().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    let first = hooks.endpoint(&account, &dead.url(), json!({"events": ["job.completed"]})).await;
    let second = hooks.endpoint(&account, &busy.url(), json!({"events": ["job.failed"]})).await;
    dead.always(Some(Reply::status(500)));
    for _ in 0..12 {
        let event = completed(&world, &account).await;
        hooks.announce(&account, &event).await;
        hooks.deliverer.take(&WebhookMessage::Delivery(delivery_id(&account, &first, &event))).await.unwrap();
    }
    assert_eq!(dead.received().len(), 10, "after ten failures in a row it is left alone");

    busy.next([Reply::with(429, "retry-after: 600\r\n", "")]);
    let event = record(&world, &account, EventKind::JobFailed, clock::now()).await;
    hooks.announce(&account, &event).await;
    let shown = &deliveries(&world, &account, &second).await[0];
    let due = Timestamp::parse(shown["nextTryAt"].as_str().unwrap()).unwrap();
    let pause = due.millis_since(clock::now()) / 1000;
    assert!((590..=600).contains(&pause), "{pause}");
    world.remove_events().await;
}

#[tokio::test]
async fn an_endpoint_has_at_most_five_requests_at_once() {
    let (world, receiver) = (World::with_own_events().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    hooks.endpoint(&account, &receiver.url(), json!({})).await;
    receiver.always(Some(Reply { after: 2 * SECOND, ..Reply::status(200) }));
    let events = join_all((0..9).map(|_| completed(&world, &account))).await;
    join_all(events.iter().map(|event| hooks.announce(&account, event))).await;
    assert_eq!(receiver.received().len(), 5);
    receiver.always(None);
    for seconds in [10, 20, 40] {
        hooks.clock.put_ahead(seconds * SECOND);
        hooks.sweep(&account).await;
    }
    let received: BTreeSet<_> = receiver.received().iter().map(|hook| hook.event().to_owned()).collect();
    assert_eq!(received, events.into_iter().collect(), "the others had theirs later");
    assert_eq!(receiver.received().len(), 9);
    let counted = world.context.dynamodb.get_item().table_name(&world.config.tables.events);
    let counted = counted.key("account", string(&account.id)).key("id", string(format!("sent#{}", clock::now().day())));
    let counted = counted.send().await.unwrap().item.unwrap();
    assert_eq!(counted["sent"], number(9), "only requests count for the day");
    world.remove_events().await;
}

#[tokio::test]
async fn an_endpoint_whose_secret_can_not_be_opened_delays_nobody_and_fails_in_the_end() {
    let (world, broken, working) = (World::with_own_events().await, Hooks::start().await, Hooks::start().await);
    let account = world.account(1).await;
    let mut hooks = Deliveries::of(&world);
    let first = hooks.endpoint(&account, &broken.url(), json!({})).await;
    hooks.deliverer.sealing = KeyRing::for_secrets(&"another ".repeat(8), None).unwrap();
    let second = hooks.endpoint(&account, &working.url(), json!({"signature": "v1a"})).await;
    let event = completed(&world, &account).await;
    let announced = WebhookMessage::Event { account: account.id.clone(), event: event.clone() };
    hooks.deliverer.take(&announced).await.unwrap();
    let again = WebhookMessage::Delivery(delivery_id(&account, &first, &event));
    assert!(hooks.deliverer.take(&again).await.is_err(), "operators see it in the log");
    hooks.deliverer.take(&WebhookMessage::Delivery(delivery_id(&account, &second, &event))).await.unwrap();
    for minute in 1..=10 {
        hooks.clock.put_ahead(60 * minute * SECOND);
        let _ = hooks.deliverer.take(&again).await;
    }
    assert!(broken.received().is_empty(), "nothing is sent without its signature");
    assert_eq!(working.received().len(), 1, "the other needs no secret");
    assert_eq!(deliveries(&world, &account, &first).await[0]["status"], "failed");
    world.remove_events().await;
}

#[tokio::test]
async fn while_delivery_is_off_events_wait() {
    let (world, receiver) = (World::with_own_settings().await, Hooks::start().await);
    let account = world.account(1).await;
    let hooks = Deliveries::of(&world);
    hooks.endpoint(&account, &receiver.url(), json!({})).await;
    let service = world.context.settings.fresh().await.unwrap().versioned_service();
    let off = docmill_domain::tool::ServiceSettings { webhook_delivery: false, ..service.value.clone() };
    world.context.settings.change_service(&service, &off, &crate::support::world::author()).await.unwrap();
    hooks.deliverer.context.settings.fresh().await.unwrap();
    let event = completed(&world, &account).await;
    hooks.announce(&account, &event).await;
    assert!(receiver.received().is_empty());
    let service = world.context.settings.fresh().await.unwrap().versioned_service();
    let on = docmill_domain::tool::ServiceSettings { webhook_delivery: true, ..service.value.clone() };
    world.context.settings.change_service(&service, &on, &crate::support::world::author()).await.unwrap();
    hooks.deliverer.context.settings.fresh().await.unwrap();
    hooks.clock.put_ahead(60 * SECOND);
    assert_eq!(hooks.sweep(&account).await, 1, "the event");
    assert_eq!(hooks.sweep(&account).await, 1, "its delivery");
    assert_eq!(receiver.received().iter().map(Hook::event).collect::<Vec<_>>(), [event]);
    world.remove_settings().await;
}

#[tokio::test]
async fn a_job_tells_the_webhook_that_its_request_names() {
    let (world, own, of_account) = (World::with_own_events().await, Hooks::start().await, Hooks::start().await);
    let account = world.account(4).await;
    let mut local = world.config.clone();
    local.local_mode = true;
    let context = Context::new(local, patient_aws()).unwrap();
    let service = Arc::new(JobService::new(context, Some(sealing())));
    let create = async |webhook: Value| {
        let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "webhook": webhook});
        Answer::of(create_job::handle(service.clone(), post("/v1/jobs", &body).key(&account.key).build()).await)
    };
    let wrong = [
        (json!({"url": "http://hooks.example/"}), "/webhook/url"),
        (json!({"url": own.url(), "secret": "whsec_short"}), "/webhook/secret"),
        (json!({"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}), "/webhook"),
    ];
    for (webhook, path) in wrong {
        let refused = create(webhook).await;
        assert_eq!(
            (refused.refusal(), &refused.body["error"]["details"][0]["path"]),
            ((422, "validation_failed"), &json!(path))
        );
    }
    let hooks = Deliveries::of(&world);
    hooks.endpoint(&account, &of_account.url(), json!({})).await;
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let with_query = format!("{}?token=hidden", own.url());
    let signed = create(json!({"url": with_query, "secret": secret})).await;
    let unsigned = create(json!({"url": with_query})).await;
    let shown = &signed.body["job"]["webhook"];
    assert!(shown["url"].as_str().unwrap().ends_with("?[redacted]"), "{shown}");
    assert_eq!(shown["id"], unsigned.body["job"]["webhook"]["id"], "deliveries are listed by URL");
    for created in [&signed, &unsigned] {
        let id = docmill_domain::job::JobId::parse(&created.job_id()).unwrap();
        let stored = world.context.jobs.get(id).await.unwrap().unwrap();
        let stored = serde_json::to_string(&stored).unwrap();
        assert!(
            !stored.contains(secret) && !stored.contains("hidden"),
            "neither item nor payload has the secret or the query"
        );
        let cancel = post("/", &json!({})).key(&account.key).parameter("job_id", &created.job_id()).build();
        assert_eq!(Answer::of(cancel_job::handle(world.cancellation.clone(), cancel).await).status, 200);
    }
    for _ in 0..3 {
        hooks.clock.put_ahead(60 * SECOND);
        hooks.sweep(&account).await;
    }
    let received = own.received();
    assert_eq!((received.len(), of_account.received().len()), (2, 2), "the account's endpoint has them too");
    let of = |created: &Answer| received.iter().find(|hook| hook.body.contains(&created.job_id())).unwrap();
    assert!(is_signed(of(&signed), secret) && of(&signed).header("webhook-signature").contains(" v1a,"));
    assert!(of(&unsigned).header("webhook-signature").starts_with("v1a,"), "only the service signs");
    let listed = deliveries(&world, &account, shown).await;
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|delivery| delivery["status"] == "delivered"));
    world.remove_events().await;
}

#[tokio::test]
async fn the_deployed_stack_tells_an_endpoint_about_a_job() {
    let Some(deployed) = Deployed::new() else { return };
    let (account, receiver) = (deployed.account().await, Hooks::start().await);
    let wanted = json!({"url": receiver.url(), "events": ["job.completed"], "challenge": true});
    let created = deployed.post("/v1/webhooks", &wanted, &account.key).send().await.unwrap();
    let created: Value = created.json().await.unwrap();
    let webhook = &created["webhook"];
    assert_eq!(webhook["status"], "active", "{created}");
    let page = json!({"toolSlug": "html-to-pdf", "html": "<p>Report", "options": {"renderMode": "basic"}});
    let job = deployed.create(&page, &account.key).send().await.unwrap();
    let job: Value = job.json().await.unwrap();
    let hook = eventually("the event arrives", 60 * SECOND, async || {
        receiver.received().into_iter().find(|hook| hook.event().starts_with("evt_"))
    })
    .await;
    assert!(is_signed(&hook, secret(webhook)));
    let body: Value = serde_json::from_str(&hook.body).unwrap();
    assert_eq!((&body["type"], &body["data"]["job"]["id"]), (&json!("job.completed"), &job["job"]["id"]));

    let keys = deployed.get("/.well-known/docmill-webhooks.json", &account.key).send().await.unwrap();
    let keys: Value = keys.json().await.unwrap();
    let public = STANDARD.decode(&keys["keys"][0]["publicKey"].as_str().unwrap()["whpk_".len()..]).unwrap();
    let signature = hook.header("webhook-signature").split(' ').find_map(|each| each.strip_prefix("v1a,")).unwrap();
    let signed = format!("{}.{}.{}", hook.event(), hook.header("webhook-timestamp"), hook.body);
    let public = UnparsedPublicKey::new(&ED25519, public);
    public.verify(signed.as_bytes(), &STANDARD.decode(signature).unwrap()).unwrap();

    let path = format!("/v1/webhooks/{}/deliveries", webhook["id"].as_str().unwrap());
    let shown = eventually("the delivery is listed", 20 * SECOND, async || {
        let listed = deployed.get(&path, &account.key).send().await.unwrap();
        let listed: Value = listed.json().await.unwrap();
        Some(listed["deliveries"][0].clone()).filter(|delivery| delivery["status"] == "delivered")
    })
    .await;
    assert_eq!((&shown["eventId"], &shown["jobId"]), (&json!(hook.event()), &job["job"]["id"]));
}
