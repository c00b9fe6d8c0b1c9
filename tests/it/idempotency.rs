//! `Idempotency-Key`: one job and one charge for all repetitions, even concurrent ones.

use std::collections::HashSet;
use std::time::Duration;

use docmill_config::Config;
use docmill_domain::api_key::Mode;
use functions::{convert_html_to_pdf, create_job};
use futures_util::future::join_all;
use serde_json::json;

use crate::support::http::{Answer, RequestBuilder, post};
use crate::support::world::World;

async fn create(world: &World, request: RequestBuilder) -> Answer {
    Answer::of(create_job::handle(world.service.clone(), request.build()).await)
}

fn html(text: &str) -> RequestBuilder {
    post("/v1/jobs", &json!({"toolSlug": "html-to-pdf", "html": text}))
}

#[tokio::test]
async fn a_repeated_request_is_answered_with_its_first_job() {
    let world = World::new();
    let account = world.account(10).await;
    let first = create(&world, html("a").key(&account.key).header("idempotency-key", "k-1")).await;
    assert_eq!(first.header("idempotency-replayed"), None);

    // The quoted form is the same key, and the nested body the same request, on any endpoint.
    let nested = post("/", &json!({"input": {"html": "a"}})).key(&account.key).header("idempotency-key", "\"k-1\"");
    let again = Answer::of(convert_html_to_pdf::handle(world.service.clone(), nested.build()).await);
    assert_eq!(again.status, 202);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.job_id(), first.job_id());
    assert_eq!(world.spent(&account).await, (1, 1));
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused() {
    let world = World::new();
    let account = world.account(10).await;
    create(&world, html("a").key(&account.key).header("idempotency-key", "k")).await;
    let other = create(&world, html("b").key(&account.key).header("idempotency-key", "k")).await;
    assert_eq!(other.refusal(), (422, "idempotency_key_reused"));
    assert_eq!(world.spent(&account).await, (1, 1));
}

#[tokio::test]
async fn fifty_racing_duplicates_make_one_job_and_one_charge() {
    let world = World::new();
    let account = world.account(10).await;
    // A busy emulator leaves some calls unanswered. Clients then send the request again, under the same key.
    let duplicate = async || loop {
        let answer = create(&world, html("x").key(&account.key).header("idempotency-key", "race")).await;
        if answer.status != 503 {
            return answer;
        }
    };
    let duplicates = join_all((0..50).map(|_| duplicate())).await;
    assert!(duplicates.iter().all(|answer| answer.status == 202), "{:?}", duplicates.iter().find(|a| a.status != 202));
    let ids: HashSet<_> = duplicates.iter().map(Answer::job_id).collect();
    assert_eq!(ids.len(), 1);
    let fresh = duplicates.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count();
    assert!(fresh <= 1, "{fresh} requests made the job");
    assert_eq!(world.spent(&account).await, (1, 1));
}

#[tokio::test]
async fn a_replay_succeeds_even_when_credits_have_run_out() {
    let world = World::new();
    let account = world.account(1).await;
    let first = create(&world, html("x").key(&account.key).header("idempotency-key", "k")).await;
    let again = create(&world, html("x").key(&account.key).header("idempotency-key", "k")).await;
    assert_eq!((again.status, again.job_id()), (202, first.job_id()));
    assert_eq!(create(&world, html("x").key(&account.key)).await.refusal(), (402, "insufficient_credits"));
}

#[tokio::test]
async fn a_rejected_request_is_not_kept() {
    let world = World::new();
    let account = world.account(10).await;
    let bad = post("/", &json!({"toolSlug": "html-to-pdf"})).key(&account.key).header("idempotency-key", "k");
    assert_eq!(create(&world, bad).await.status, 422);
    assert_eq!(create(&world, html("x").key(&account.key).header("idempotency-key", "k")).await.status, 202);
}

#[tokio::test]
async fn keys_of_accounts_and_modes_are_apart() {
    let world = World::new();
    let (one, two) = (world.account(10).await, world.account(10).await);
    let test = world.another_key(&one, Mode::Test, |_| {}).await;
    let mut ids = HashSet::new();
    for key in [&one.key, &two.key, &test] {
        let answer = create(&world, html("x").key(key).header("idempotency-key", "shared")).await;
        assert_eq!(answer.header("idempotency-replayed"), None);
        ids.insert(answer.job_id());
    }
    assert_eq!(ids.len(), 3);
}

#[tokio::test]
async fn a_key_past_its_time_is_new_again() {
    let config = Config { idempotency_retention: Duration::ZERO, ..Config::from_env().unwrap() };
    let world = World::with_config(config);
    let account = world.account(10).await;
    let first = create(&world, html("x").key(&account.key).header("idempotency-key", "k")).await;
    let later = create(&world, html("x").key(&account.key).header("idempotency-key", "k")).await;
    assert_ne!(first.job_id(), later.job_id());
    assert_eq!(world.spent(&account).await, (2, 2));
}
