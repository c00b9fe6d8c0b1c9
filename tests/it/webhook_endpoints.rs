//! Endpoints of webhooks: created, changed, rotated, replayed and deleted by their account.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use docmill_config::clock;
use docmill_domain::event::EventKind;
use docmill_signing::keys::KeyRing;
use docmill_store::events::StoredEvent;
use docmill_store::item::string;
use docmill_webhooks::{Replays, Rotation};
use functions::{
    create_webhook, delete_webhook, get_webhook, list_webhook_deliveries, list_webhooks, replay_webhook,
    rotate_webhook_secret, update_webhook,
};
use futures_util::future::join_all;
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::support::hooks::{Deliveries, Hook, Hooks, Reply};
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::world::{Account, World};

async fn create(hooks: &Deliveries, account: &Account, body: &Value) -> Answer {
    let request = post("/v1/webhooks", body).key(&account.key).build();
    Answer::of(create_webhook::handle(hooks.service.clone(), request).await)
}

async fn patch(hooks: &Deliveries, account: &Account, id: &str, body: &Value) -> Answer {
    let request = post("/", body).key(&account.key).parameter("webhook_id", id).build();
    Answer::of(update_webhook::handle(hooks.service.clone(), request).await)
}

async fn rotate(hooks: &Deliveries, account: &Account, id: &str, body: &Value) -> Answer {
    let sealing = KeyRing::for_secrets(&"s".repeat(86), None).unwrap();
    let rotation = Arc::new(Rotation { context: hooks.service.context.clone(), sealing });
    let request = post("/", body).key(&account.key).parameter("webhook_id", id).build();
    Answer::of(rotate_webhook_secret::handle(rotation, request).await)
}

async fn replay(hooks: &Deliveries, account: &Account, id: &str, body: &Value) -> Answer {
    let context = hooks.service.context.clone();
    let replays = Arc::new(Replays { queue: context.queue(), context });
    let request = post("/", body).key(&account.key).parameter("webhook_id", id).build();
    Answer::of(replay_webhook::handle(replays, request).await)
}

async fn list(world: &World, account: &Account) -> Vec<Value> {
    let answer = Answer::of(list_webhooks::handle(world.context.clone(), get("/").key(&account.key).build()).await);
    answer.body["webhooks"].as_array().unwrap().clone()
}

async fn delete(world: &World, account: &Account, id: &str) -> Answer {
    let request = RequestBuilder::new(Method::DELETE, "/").key(&account.key).parameter("webhook_id", id).build();
    Answer::of(delete_webhook::handle(world.context.clone(), request).await)
}

async fn event(world: &World, account: &Account) -> String {
    let event = StoredEvent::new(&account.id, EventKind::JobCompleted, clock::now(), json!({}));
    world.context.events.record(&event).await.unwrap();
    event.id
}

#[tokio::test]
async fn the_secret_is_shown_once_and_never_stored_in_the_clear() {
    let world = World::new();
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let body = json!({"url": "https://hooks.example/canaryurl", "events": ["job.failed"], "description": "Mine"});
    let created = create(&hooks, &account, &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let webhook = &created.body["webhook"];
    let secret = webhook["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() > 40);
    let listed = list(&world, &account).await;
    let mut expected = webhook.clone();
    expected.as_object_mut().unwrap().remove("secret");
    assert_eq!(listed, [expected]);

    let items = world.context.dynamodb.query().table_name(&world.config.tables.events);
    let items = items.key_condition_expression("account = :account");
    let items = items.expression_attribute_values(":account", string(&account.id)).send().await.unwrap();
    let stored = format!("{:?}", items.items());
    assert!(stored.contains("canaryurl") && !stored.contains(&secret[6..20]));
}

#[tokio::test]
async fn an_account_has_at_most_twenty_endpoints_however_fast_it_creates_them() {
    let world = World::new();
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let body = json!({"url": "https://hooks.example/"});
    let answers = join_all((0..24).map(|_| create(&hooks, &account, &body))).await;
    let created: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(created.len(), 20);
    let refused = answers.iter().filter(|answer| answer.status != 201);
    assert!(refused.into_iter().all(|answer| answer.refusal() == (409, "too_many_webhooks")));
    let id = created[0].body["webhook"]["id"].as_str().unwrap();
    let deletions = join_all((0..3).map(|_| delete(&world, &account, id))).await;
    let mut statuses: Vec<_> = deletions.iter().map(|answer| answer.status).collect();
    statuses.sort();
    assert_eq!(statuses, [204, 404, 404], "it is deleted and counted once");
    assert_eq!(create(&hooks, &account, &body).await.status, 201);
    assert_eq!(create(&hooks, &account, &body).await.status, 409);
    assert_eq!(list(&world, &account).await.len(), 20);
}

#[tokio::test]
async fn no_account_sees_or_changes_anothers_endpoint() {
    let world = World::new();
    let (account, other, hooks) = (world.account(1).await, world.account(1).await, Deliveries::of(&world));
    let webhook = hooks.endpoint(&account, "https://hooks.example/", json!({})).await;
    let id = webhook["id"].as_str().unwrap();
    let refused = (404, "webhook_not_found");
    for id in [id, "wh_0123456789abcdef0123456789abcdef", "webhooks", "evt_1", ""] {
        assert_eq!(patch(&hooks, &other, id, &json!({"description": "x"})).await.refusal(), refused, "{id}");
        assert_eq!(rotate(&hooks, &other, id, &json!({})).await.refusal(), refused);
        assert_eq!(replay(&hooks, &other, id, &json!({"failed": true})).await.refusal(), refused);
        assert_eq!(delete(&world, &other, id).await.refusal(), refused);
        let request = get("/").key(&other.key).parameter("webhook_id", id).build();
        assert_eq!(Answer::of(get_webhook::handle(world.context.clone(), request).await).refusal(), refused);
        let request = get("/").key(&other.key).parameter("webhook_id", id).build();
        let answer = Answer::of(list_webhook_deliveries::handle(world.context.clone(), request).await);
        assert_eq!(answer.refusal(), refused);
    }
    assert_eq!(list(&world, &account).await.len(), 1);
    assert!(list(&world, &other).await.is_empty());
}

#[tokio::test]
async fn changes_are_of_single_members_and_invalid_ones_change_nothing() {
    let world = World::new();
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let webhook = hooks.endpoint(&account, "https://hooks.example/", json!({"rateLimit": 5})).await;
    let id = webhook["id"].as_str().unwrap();
    let wrong = patch(&hooks, &account, id, &json!({"url": "ftp://x/", "description": "new", "color": 1})).await;
    assert_eq!(wrong.refusal(), (422, "validation_failed"));
    let paths: Vec<_> = wrong.body["error"]["details"].as_array().unwrap().iter().map(|each| &each["path"]).collect();
    assert_eq!(paths, ["/url", "/color"]);
    let change = json!({"description": "new", "rateLimit": null, "events": ["job.failed"], "signature": "v1"});
    let changed = patch(&hooks, &account, id, &change).await.body["webhook"].clone();
    assert_eq!((&changed["description"], &changed["rateLimit"]), (&json!("new"), &Value::Null));
    assert_eq!((&changed["events"], &changed["signature"]), (&json!(["job.failed"]), &json!("v1")));
    assert_eq!(changed["url"], "https://hooks.example/");
    let off = patch(&hooks, &account, id, &json!({"status": "disabled"})).await.body["webhook"].clone();
    assert_eq!((&off["status"], &off["disabled"]["reason"]), (&json!("disabled"), &json!("account")));
    let on = patch(&hooks, &account, id, &json!({"status": "active"})).await.body["webhook"].clone();
    assert_eq!((&on["status"], on.get("disabled")), (&json!("active"), None));
}

#[tokio::test]
async fn a_challenge_must_be_answered_before_an_endpoint_exists() {
    let (world, receiver) = (World::new(), Hooks::start().await);
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let body = json!({"url": receiver.url(), "challenge": true});
    receiver.next([Reply::with(200, "", "hello"), Reply::status(302), Reply::with(404, "", "canary")]);
    for expected in ["200 without the challenge", "302", "404"] {
        let refused = create(&hooks, &account, &body).await;
        assert_eq!(refused.refusal(), (422, "challenge_failed"));
        let message = refused.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(expected) && !message.contains("canary"), "{message}");
    }
    assert!(list(&world, &account).await.is_empty());
    assert_eq!(create(&hooks, &account, &body).await.status, 201, "an honest receiver");
    let blocked = create(&hooks, &account, &json!({"url": "https://169.254.169.254/", "challenge": true})).await;
    assert_eq!(blocked.refusal(), (422, "validation_failed"), "nothing is sent there, not even a challenge");
}

#[tokio::test]
async fn both_secrets_sign_during_the_overlap_and_one_rotation_wins() {
    let (world, receiver) = (World::new(), Hooks::start().await);
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let webhook = hooks.endpoint(&account, &receiver.url(), json!({"signature": "v1"})).await;
    let id = webhook["id"].as_str().unwrap();
    let overlap = json!({"overlapHours": 1});
    let answers = join_all((0..4).map(|_| rotate(&hooks, &account, id, &overlap))).await;
    let won: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert!(!won.is_empty());
    let new = won.last().unwrap().body["webhook"]["secret"].as_str().unwrap();
    assert!(new.starts_with("whsec_") && new != webhook["secret"]);
    let signatures = async || {
        let event = event(&world, &account).await;
        hooks.announce(&account, &event).await;
        receiver.received().last().unwrap().header("webhook-signature").split(' ').count()
    };
    // At most three secrets sign, and several rotations win if they don't meet.
    assert_eq!(signatures().await, (won.len() + 1).min(3));
    hooks.clock.put_ahead(Duration::from_secs(3601));
    assert_eq!(signatures().await, 1, "the overlap is over");
    let last = rotate(&hooks, &account, id, &json!({"overlapHours": 0})).await;
    assert_eq!(last.status, 200);
    hooks.clock.put_ahead(Duration::ZERO);
    assert_eq!(signatures().await, 1, "no overlap: the old one ends at once");
}

#[tokio::test]
async fn what_failed_or_was_missed_is_sent_again_with_its_ids() {
    let (world, receiver) = (World::with_own_events().await, Hooks::start().await);
    let (account, hooks) = (world.account(1).await, Deliveries::of(&world));
    let began = clock::now();
    let early = event(&world, &account).await;
    let webhook = hooks.endpoint(&account, &receiver.url(), json!({})).await;
    let id = webhook["id"].as_str().unwrap();
    receiver.always(Some(Reply::status(410)));
    let failed = event(&world, &account).await;
    hooks.announce(&account, &failed).await;
    assert_eq!(replay(&hooks, &account, id, &json!({"failed": true})).await.refusal(), (409, "webhook_disabled"));
    receiver.always(None);
    patch(&hooks, &account, id, &json!({"status": "active"})).await;
    let sent = |hooks: &Hooks| hooks.received().iter().map(|hook| hook.event().to_owned()).collect::<Vec<_>>();

    let again = replay(&hooks, &account, id, &json!({"failed": true})).await;
    assert_eq!((again.status, &again.body["replayed"]), (202, &json!(1)));
    hooks.sweep(&account).await;
    assert_eq!(sent(&receiver), [failed.clone(), failed.clone()]);
    assert_eq!(replay(&hooks, &account, id, &json!({"failed": true})).await.body["replayed"], 0);

    let since = replay(&hooks, &account, id, &json!({"since": began.to_string()})).await;
    assert_eq!((since.status, since.body["replayed"].as_u64().unwrap() >= 2), (202, true), "{}", since.body);
    hooks.sweep(&account).await;
    let later: BTreeSet<_> = sent(&receiver).into_iter().skip(2).collect();
    assert!(later.contains(&early) && later.contains(&failed), "also events from before the endpoint");

    let one = replay(&hooks, &account, id, &json!({"eventId": early})).await;
    assert_eq!(one.body["replayed"], 1);
    assert_eq!(replay(&hooks, &account, id, &json!({"eventId": early})).await.body["replayed"], 0, "it is on its way");
    hooks.sweep(&account).await;
    assert_eq!(receiver.received().iter().filter(|hook| hook.event() == early).count(), 2);
    assert!(receiver.received().iter().map(Hook::event).all(|id| id.starts_with("evt_")));
    for wrong in [json!({}), json!({"failed": false}), json!({"since": "yesterday"}), json!({"all": true})] {
        assert_eq!(replay(&hooks, &account, id, &wrong).await.refusal(), (422, "validation_failed"), "{wrong}");
    }
    let unknown = json!({"eventId": "evt_0123456789abcdef0123456789abcdef"});
    assert_eq!(replay(&hooks, &account, id, &unknown).await.refusal(), (404, "event_not_found"));
    world.remove_events().await;
}
