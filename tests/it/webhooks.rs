//! `POST /v1/webhooks/test`.

use serde_json::json;

use crate::support::http::{Answer, post};
use crate::support::world::World;

#[tokio::test]
async fn a_test_is_recorded_and_comes_with_a_signed_sample() {
    let world = World::new();
    let account = world.account(10).await;
    let request = post("/v1/webhooks/test", &json!({"url": "https://hooks.example/docmill"})).key(&account.key).build();
    let answer = Answer::of(test_webhook::handle(world.context.clone(), request).await);
    assert_eq!(answer.status, 200);
    let test = &answer.body["webhookTest"];
    assert_eq!((&test["status"], &test["deliveryEnabled"]), (&json!("recorded"), &json!(true)));
    assert!(test["id"].as_str().unwrap().starts_with("evt_"));
    assert!(test["sample"]["secret"].as_str().unwrap().starts_with("whsec_"));
    assert!(test["sample"]["headers"]["webhook-signature"].as_str().unwrap().starts_with("v1,"));
    assert_eq!(world.watch.take_calls().last().unwrap(), "PutItem");
}

#[tokio::test]
async fn a_receiver_that_could_not_be_called_is_refused() {
    let world = World::new();
    let account = world.account(10).await;
    for body in [json!({}), json!({"url": "nowhere"}), json!({"url": "https://u:p@a.example"}), json!({"url": 1})] {
        let request = post("/v1/webhooks/test", &body).key(&account.key).build();
        let answer = Answer::of(test_webhook::handle(world.context.clone(), request).await);
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{body}");
        assert_eq!(answer.body["error"]["details"][0]["path"], "/url");
    }
    let request = post("/", &json!({})).raw_body("nonsense").key(&account.key).build();
    let answer = Answer::of(test_webhook::handle(world.context.clone(), request).await);
    assert_eq!(answer.refusal(), (400, "invalid_json"));
}
