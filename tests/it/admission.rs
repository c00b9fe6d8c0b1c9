//! Admission of requests: keys, policy, origins, and both rate limits.

use docmill_config::clock;
use docmill_domain::account::Limiter;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::quota::RateLimit;
use docmill_domain::time::Timestamp;
use docmill_store::accounts::keys::Revoked;
use functions::{convert_html_to_pdf, list_tools};
use futures_util::future::join_all;
use serde_json::json;

use crate::support::http::{Answer, get, post};
use crate::support::world::{UNLIMITED, World};

async fn list(world: &World, request: crate::support::http::RequestBuilder) -> Answer {
    Answer::of(list_tools::handle(world.context.clone(), request.build()).await)
}

#[tokio::test]
async fn a_request_needs_a_known_key() {
    let world = World::new();
    let missing = list(&world, get("/v1/tools")).await;
    assert_eq!(missing.refusal(), (401, "missing_api_key"));
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    for value in ["Basic abc", "Bearer ", "Bearer dm_live_short", "Bearer sk_live_123"] {
        let refusal = list(&world, get("/v1/tools").header("authorization", value)).await;
        let expected =
            if value.starts_with("Bearer d") || value.starts_with("Bearer s") { "invalid" } else { "missing" };
        assert_eq!(refusal.refusal(), (401, format!("{expected}_api_key").as_str()), "{value}");
    }
    let unknown = list(&world, get("/v1/tools").key(&ApiKey::generate(Mode::Live))).await;
    assert_eq!(unknown.refusal(), (401, "invalid_api_key"));
    assert_eq!(unknown.header("ratelimit"), None);
}

#[tokio::test]
async fn a_malformed_key_costs_no_call() {
    let world = World::new();
    list(&world, get("/v1/tools").header("authorization", "Bearer dm_live_tooshort")).await;
    assert!(world.watch.take_calls().is_empty());
}

#[tokio::test]
async fn revoked_and_expired_keys_get_their_own_error() {
    let world = World::new();
    let account = world.account(10).await;
    let revoked = world.another_key(&account, Mode::Live, |key| key.revoked_at = Some(Timestamp(1))).await;
    let expired = world.another_key(&account, Mode::Live, |key| key.expires_at = Some(Timestamp(1))).await;
    for key in [revoked, expired] {
        assert_eq!(list(&world, get("/v1/tools").key(&key)).await.refusal(), (401, "revoked_api_key"));
    }
    let id = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap().key_id;
    let revoked = world.context.accounts.revoke_key(&account.id, &id, clock::now()).await.unwrap();
    assert_eq!(revoked, Revoked::Yes);
    assert_eq!(list(&world, get("/v1/tools").key(&account.key)).await.refusal(), (401, "revoked_api_key"));
}

#[tokio::test]
async fn account_status_and_origin_are_checked_first() {
    let world = World::new();
    let account = world.account(10).await;
    let suspended = world.another_key(&account, Mode::Live, |key| key.suspended = true).await;
    let untested = world.another_key(&account, Mode::Test, |key| key.test_mode = false).await;
    let bound =
        world.another_key(&account, Mode::Live, |key| key.allowed_origins = vec!["https://a.example".into()]).await;

    assert_eq!(list(&world, get("/v1/tools").key(&suspended)).await.refusal(), (403, "account_suspended"));
    assert_eq!(list(&world, get("/v1/tools").key(&untested)).await.refusal(), (403, "test_mode_disabled"));
    assert_eq!(list(&world, get("/v1/tools").key(&bound)).await.refusal(), (403, "origin_not_allowed"));
    let other = get("/v1/tools").key(&bound).header("origin", "https://b.example");
    assert_eq!(list(&world, other).await.refusal(), (403, "origin_not_allowed"));
    let right = get("/v1/tools").key(&bound).header("origin", "https://a.example");
    assert_eq!(list(&world, right).await.status, 200);
}

#[tokio::test]
async fn a_suspended_account_is_told_so_even_over_its_rate_limit() {
    let world = World::new();
    let account = world.account(10).await;
    let one = RateLimit { per_minute: 1, burst: 1 };
    let key = world
        .another_key(&account, Mode::Live, |key| {
            key.suspended = true;
            key.limiter = Limiter::new(one, one);
        })
        .await;
    for _ in 0..3 {
        assert_eq!(list(&world, get("/v1/tools").key(&key)).await.refusal(), (403, "account_suspended"));
    }
}

#[tokio::test]
async fn a_burst_admits_exactly_its_size_and_says_when_to_retry() {
    let world = World::new();
    let account = world.account(10).await;
    // Slow enough that nothing refills during the test.
    let limit = RateLimit { per_minute: 1, burst: 7 };
    let key = world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(UNLIMITED, limit)).await;

    let answers = join_all((0..40).map(|_| list(&world, get("/v1/tools").key(&key)))).await;
    let admitted = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(admitted, 7);
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    let retry: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&retry), "{retry}");
    assert_eq!(refused.header("ratelimit-policy"), Some("\"read\";q=1;w=60"));
    assert!(refused.header("ratelimit").unwrap().starts_with("\"read\";r=0;t="));
}

#[tokio::test]
async fn the_two_limits_are_apart() {
    let world = World::new();
    let account = world.account(10).await;
    let one = RateLimit { per_minute: 1, burst: 1 };
    let key = world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(one, UNLIMITED)).await;
    let create = || async {
        let request = post("/v1/convert/html-to-pdf", &json!({"html": "<p>x"})).key(&key).build();
        Answer::of(convert_html_to_pdf::handle(world.service.clone(), request).await)
    };
    let first = create().await;
    assert_eq!(first.status, 202);
    assert_eq!(first.header("ratelimit-policy"), Some("\"create\";q=1;w=60"));
    assert_eq!(first.header("ratelimit"), Some("\"create\";r=0;t=60"));
    assert_eq!(create().await.refusal(), (429, "rate_limited"));
    assert_eq!(list(&world, get("/v1/tools").key(&key)).await.status, 200);
}

#[tokio::test]
async fn a_thousand_unknown_keys_leave_the_table_unchanged() {
    let world = World::new();
    let keys: Vec<_> = (0..1000).map(|_| ApiKey::generate(Mode::Live)).collect();
    for some in keys.chunks(50) {
        for answer in join_all(some.iter().map(|key| list(&world, get("/v1/tools").key(key)))).await {
            assert_eq!(answer.refusal(), (401, "invalid_api_key"));
        }
    }
    for some in keys.chunks(50) {
        for stored in
            join_all(some.iter().map(|key| async { world.context.keys.get(&key.hash()).await.unwrap() })).await
        {
            assert_eq!(stored, None, "an unknown key was created");
        }
    }
}

#[tokio::test]
async fn the_last_use_of_a_key_is_noted() {
    let world = World::new();
    let account = world.account(10).await;
    let before = clock::now();
    list(&world, get("/v1/tools").key(&account.key)).await;
    let stored = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap();
    assert!(stored.last_used_at.unwrap() >= before);
}
