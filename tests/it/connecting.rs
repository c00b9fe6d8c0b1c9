//! How the command line gets a key from the dashboard.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill_domain::api_key::ApiKey;
use functions::list_tools;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;

use crate::support::http::{Answer, get};
use crate::support::visitor::{Page, Visitor};
use crate::support::world::World;

const VERIFIER: &str = "a verifier that only the program knows, and nobody else";

fn asked() -> Vec<(&'static str, String)> {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
    [("port", "4000"), ("state", "its-state"), ("challenge", &challenge), ("device", "Ann's laptop")]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec()
}

fn page_of(asked: &[(&str, String)]) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(asked).finish();
    format!("/app/connect?{query}")
}

/// Agrees, and returns the query with which the browser goes to the program.
async fn agree(visitor: &Visitor, mode: &str) -> HashMap<String, String> {
    let (asked, mode) = (asked(), ("mode", mode));
    let fields: Vec<_> = asked.iter().map(|(name, value)| (*name, value.as_str())).chain([mode]).collect();
    let sent = visitor.post("/app/connect", &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let place = Url::parse(sent.header("location")).unwrap();
    assert_eq!((place.host_str(), place.port(), place.path()), (Some("127.0.0.1"), Some(4000), "/"));
    place.query_pairs().into_owned().collect()
}

async fn exchange(visitor: &Visitor, code: &str, verifier: &str) -> Page {
    let body = json!({"code": code, "verifier": verifier}).to_string();
    visitor.program("/app/connect/key", body).await
}

fn key_in(page: &Page) -> Option<ApiKey> {
    let body: Value = serde_json::from_str(&page.text).unwrap();
    body["key"].as_str().and_then(ApiKey::parse)
}

#[tokio::test]
async fn a_user_who_agrees_gives_the_program_one_key() {
    let world = World::new();
    let account = world.account(10).await;
    let visitor = Visitor::of(&world, &account).await;
    let question = visitor.get(&page_of(&asked())).await;
    assert!(question.text.contains("Ann's laptop"), "{}", question.text);
    // A browser only follows the form's redirect if the page's policy allows it.
    assert!(question.header("content-security-policy").contains("form-action 'self' http://127.0.0.1:4000"));

    let brought = agree(&visitor, "test").await;
    assert_eq!(brought["state"], "its-state");
    let code = &brought["code"];
    assert_eq!(exchange(&visitor, code, "a guess").await.status, 403);
    assert_eq!(exchange(&visitor, "no code", VERIFIER).await.status, 403);
    // Two exchanges at once: one gets the key.
    let tries = join_all((0..4).map(|_| exchange(&visitor, code, VERIFIER))).await;
    let keys: Vec<_> = tries.iter().filter_map(key_in).collect();
    assert_eq!(keys.len(), 1, "{tries:?}");
    assert!(keys[0].reveal().starts_with("dm_test_"));
    let tools = Answer::of(list_tools::handle(world.context.clone(), get("/").key(&keys[0]).build()).await);
    assert_eq!(tools.status, 200);
    let list = visitor.get("/app/keys").await;
    assert!(list.text.contains("docmill on Ann's laptop"), "{}", list.text);

    // A revoked key does not come back.
    let id = list.text.split("/revoke").next().unwrap().rsplit("/app/keys/").next().unwrap();
    visitor.post(&format!("/app/keys/{id}/revoke"), &[]).await;
    assert_eq!(exchange(&visitor, code, VERIFIER).await.status, 403);
}

#[tokio::test]
async fn pages_that_no_program_made_ask_nothing() {
    let world = World::new();
    let visitor = Visitor::of(&world, &world.account(10).await).await;
    let wrong = [
        ("port", ""),
        ("port", "80"),
        ("port", "4000@evil.example"),
        ("port", "70000"),
        ("state", ""),
        ("challenge", "short"),
        ("device", ""),
        ("device", "a\nb"),
    ];
    for (name, value) in wrong {
        let asked: Vec<_> = asked()
            .into_iter()
            .map(|(each, right)| if each == name { (each, value.to_owned()) } else { (each, right) })
            .collect();
        let shown = visitor.get(&page_of(&asked)).await;
        assert_eq!(shown.status, 400, "{name}={value:?}");
        let fields: Vec<_> = asked.iter().map(|(name, value)| (*name, value.as_str())).collect();
        assert_eq!(visitor.post("/app/connect", &fields).await.status, 400, "{name}={value:?}");
    }
}
