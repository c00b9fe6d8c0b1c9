//! `POST /v1/webhooks/test`.

use functions::test_webhook;
use serde_json::json;

use crate::support::hooks::{Hooks, Reply, local_context, test_service};
use crate::support::http::{Answer, post};
use crate::support::world::World;

#[tokio::test]
async fn a_test_is_recorded_and_comes_with_a_signed_sample() {
    let world = World::new();
    let account = world.account(10).await;
    let request = post("/v1/webhooks/test", &json!({"url": "https://hooks.example/docmill"})).key(&account.key).build();
    let answer = Answer::of(test_webhook::handle(test_service(world.context.clone()), request).await);
    assert_eq!(answer.status, 200);
    let test = &answer.body["webhookTest"];
    assert_eq!((&test["status"], &test["deliveryEnabled"]), (&json!("recorded"), &json!(true)));
    assert!(test["id"].as_str().unwrap().starts_with("evt_"));
    assert!(test["sample"]["secret"].as_str().unwrap().starts_with("whsec_"));
    assert!(test["sample"]["headers"]["webhook-signature"].as_str().unwrap().starts_with("v1,"));
    assert_eq!(test.get("attempt"), None, "nothing is sent");
    assert_eq!(world.watch.take_calls().last().unwrap(), "PutItem");
}

#[tokio::test]
async fn a_test_that_is_delivered_shows_what_the_receiver_answered() {
    let (world, receiver) = (World::new(), Hooks::start().await);
    let account = world.account(10).await;
    receiver.next([Reply::with(418, "", "short and stout")]);
    let service = test_service(local_context(&world));
    let deliver = async || {
        let body = json!({"url": receiver.url(), "deliver": true});
        let request = post("/v1/webhooks/test", &body).key(&account.key).build();
        Answer::of(test_webhook::handle(service.clone(), request).await).body["webhookTest"].clone()
    };
    let test = deliver().await;
    assert_eq!((&test["attempt"]["status"], &test["attempt"]["response"]), (&json!(418), &json!("short and stout")));
    let hook = &receiver.received()[0];
    assert_eq!(json!(hook.body), test["sample"]["body"]);
    for header in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        assert_eq!(json!(hook.header(header)), test["sample"]["headers"][header]);
    }
    assert_eq!(deliver().await["attempt"]["status"], 200);
}

#[tokio::test]
async fn a_receiver_that_could_not_be_called_is_refused() {
    let world = World::new();
    let account = world.account(10).await;
    for body in [json!({}), json!({"url": "nowhere"}), json!({"url": "https://u:p@a.example"}), json!({"url": 1})] {
        let request = post("/v1/webhooks/test", &body).key(&account.key).build();
        let answer = Answer::of(test_webhook::handle(test_service(world.context.clone()), request).await);
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{body}");
        assert_eq!(answer.body["error"]["details"][0]["path"], "/url");
    }
    let request = post("/", &json!({})).raw_body("nonsense").key(&account.key).build();
    let answer = Answer::of(test_webhook::handle(test_service(world.context.clone()), request).await);
    assert_eq!(answer.refusal(), (400, "invalid_json"));
}
