//! The documented order of checks on a request that creates a job: the first error is reported.

use std::time::Duration;

use docmill_config::Config;
use docmill_domain::account::Limiter;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::quota::RateLimit;
use docmill_domain::tool::{ToolSettings, ToolState};
use docmill_http::request::ApiRequest;
use docmill_store::settings::Change;
use functions::create_job;
use serde_json::json;
use uuid::Uuid;

use crate::support::http::{Answer, RequestBuilder, post};
use crate::support::tables::table_like;
use crate::support::world::{UNLIMITED, World, author, patient_aws};

const SLUG: &str = "office-to-pdf";
const USED_KEY: &str = "used before";

/// Everything that can be wrong with a request.
struct Draft {
    key: Option<String>,
    body: Vec<u8>,
    content_type: &'static str,
    idempotency_key: &'static str,
    wait: &'static str,
}

impl Draft {
    fn request(&self) -> ApiRequest {
        let request = post("/v1/jobs", &json!(null))
            .raw_body(self.body.clone())
            .header("content-type", self.content_type)
            .header("origin", "https://elsewhere.example")
            .header("idempotency-key", self.idempotency_key)
            .query("wait", self.wait);
        let request = match &self.key {
            Some(key) => request.header("authorization", &format!("Bearer {key}")),
            None => request,
        };
        request.build()
    }
}

/// Errors are fixed one by one, and each time the next one is reported.
#[tokio::test]
async fn the_first_error_in_the_documented_order_is_returned() {
    // This test puts tools into maintenance in its own settings.
    let mut config = Config::from_env().unwrap();
    let dynamodb = patient_aws().dynamodb();
    let table = format!("settings-{}", Uuid::now_v7().simple());
    config.tables.settings = table_like(&dynamodb, &config.tables.settings, &table).await;
    config.settings_max_age = Duration::ZERO;
    let world = World::with_config(config);
    let account = world.account(1).await;
    let answer = async |draft: &Draft| Answer::of(create_job::handle(world.service.clone(), draft.request()).await);
    let other = post("/", &json!({"toolSlug": SLUG, "sourceUrl": "https://files.example/other.docx"}));
    let earlier = create(&world, other.key(&account.key).header("idempotency-key", USED_KEY)).await;
    assert_eq!(earlier.status, 202, "{}", earlier.body);
    set_state(&world, ToolState::Maintenance).await;

    // Each key fails one check and all later ones.
    let bound = || vec!["https://app.example".to_owned()];
    let one = RateLimit { per_minute: 1, burst: 1 };
    let no_tools = || Some(Vec::new());
    let revoked = world
        .another_key(&account, Mode::Test, |key| {
            (key.revoked_at, key.suspended, key.test_mode) = (Some(key.created_at), true, false);
            (key.allowed_origins, key.allowed_tools) = (bound(), no_tools());
        })
        .await;
    let suspended = world
        .another_key(&account, Mode::Test, |key| {
            (key.suspended, key.test_mode) = (true, false);
            (key.allowed_origins, key.allowed_tools) = (bound(), no_tools());
        })
        .await;
    let without_test_mode = world
        .another_key(&account, Mode::Test, |key| {
            key.test_mode = false;
            (key.allowed_origins, key.allowed_tools) = (bound(), no_tools());
        })
        .await;
    let from_elsewhere = world
        .another_key(&account, Mode::Live, |key| {
            (key.allowed_origins, key.allowed_tools) = (bound(), no_tools());
        })
        .await;
    let limited = world
        .another_key(&account, Mode::Live, |key| {
            key.limiter = Limiter::new(one, UNLIMITED);
            key.allowed_tools = no_tools();
        })
        .await;
    let without_tools = world.another_key(&account, Mode::Live, |key| key.allowed_tools = no_tools()).await;

    let mut draft =
        Draft { key: None, body: vec![b' '; (1 << 20) + 1], content_type: "text/html", idempotency_key: "", wait: "0" };
    let mut expect = async |change: &dyn Fn(&mut Draft), status: u16, code: &str| {
        change(&mut draft);
        let answer = answer(&draft).await;
        assert_eq!(answer.refusal(), (status, code), "{}", answer.body);
    };
    let with = |key: &ApiKey| {
        let key = key.reveal().to_owned();
        move |draft: &mut Draft| draft.key = Some(key.clone())
    };
    let with_body = |body: &str| {
        let body = body.as_bytes().to_vec();
        move |draft: &mut Draft| draft.body.clone_from(&body)
    };

    expect(&|_| {}, 401, "missing_api_key").await;
    expect(&|draft| draft.key = Some("dm_live_short".into()), 401, "invalid_api_key").await;
    expect(&with(&revoked), 401, "revoked_api_key").await;
    expect(&with(&suspended), 403, "account_suspended").await;
    expect(&with(&without_test_mode), 403, "test_mode_disabled").await;
    expect(&with(&from_elsewhere), 403, "origin_not_allowed").await;
    // Its first request uses up the limit.
    expect(&with(&limited), 413, "payload_too_large").await;
    expect(&|_| {}, 429, "rate_limited").await;
    expect(&with(&without_tools), 413, "payload_too_large").await;
    expect(&with_body(" "), 400, "invalid_json").await;
    expect(&with_body("{\"toolSlug\": "), 415, "unsupported_media_type").await;
    expect(&|draft| draft.content_type = "application/json", 400, "invalid_json").await;
    expect(&with_body(r#"{"toolSlug": "pdf-to-gold", "sourceUrl": 7}"#), 400, "invalid_idempotency_key").await;
    expect(&|draft| draft.idempotency_key = USED_KEY, 404, "tool_not_found").await;
    expect(&with_body(r#"{"toolSlug": "office-to-pdf", "sourceUrl": 7}"#), 403, "tool_not_allowed").await;
    expect(&with(&account.key), 503, "unavailable").await;
    set_state(&world, ToolState::Live).await;
    expect(&|_| {}, 422, "validation_failed").await;
    let valid = r#"{"toolSlug": "office-to-pdf", "sourceUrl": "https://files.example/report.docx"}"#;
    expect(
        &|draft| {
            draft.wait = "0";
            draft.body = valid.into();
        },
        422,
        "validation_failed",
    )
    .await;
    expect(&|draft| draft.wait = "1", 422, "idempotency_key_reused").await;
    expect(&|draft| draft.idempotency_key = "unused", 402, "insufficient_credits").await;
    assert_eq!(world.spent(&account).await, (1, 1), "what was refused cost nothing");
    dynamodb.delete_table().table_name(table).send().await.unwrap();
}

async fn create(world: &World, request: RequestBuilder) -> Answer {
    Answer::of(create_job::handle(world.service.clone(), request.build()).await)
}

async fn set_state(world: &World, state: ToolState) {
    let tool = world.context.catalogue.find(SLUG).unwrap();
    let before = world.context.settings.fresh().await.unwrap().versioned_tool(tool);
    let after = ToolSettings { state, ..before.value.clone() };
    let change = world.context.settings.change_tool(SLUG, &before, &after, &author()).await.unwrap();
    assert!(matches!(change, Change::Written(_)), "{change:?}");
}
