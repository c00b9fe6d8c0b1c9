//! Tests every row of the error table over HTTP with the deployed stack. `internal` and `unavailable` are injected.

use std::collections::{BTreeSet, HashMap};

use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::account::{Limiter, StoredKey};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::font::{FontId, MOST_FONTS};
use docmill_domain::job::{
    Deletion, IndexPlaces, Job, JobError, JobErrorCode, JobId, JobResult, JobStatus, Payment, RequestRecord,
    ResultDelivery, Times, Waits, Work,
};
use docmill_domain::quota::RateLimit;
use docmill_domain::template::MOST_VERSIONS;
use docmill_domain::time::Timestamp;
use docmill_domain::tool::QueueName;
use docmill_http::error::ErrorCode;
use docmill_store::item::{Item, number, string, to_item};
use functions::get_job;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::batches::completed_batch;
use crate::fonts::{fixture, stored, uploaded};
use crate::stored_templates::uploaded as uploaded_page;
use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, get};
use crate::support::world::{Account, World};
use crate::template_limits::filled;

/// A world on the deployed functions' tables, and the functions' address.
pub(crate) struct Deployed {
    pub(crate) world: World,
    url: String,
    client: reqwest::Client,
    seen: BTreeSet<&'static str>,
}

impl Deployed {
    pub(crate) fn new() -> Option<Self> {
        let url = crate::support::deployed_url()?;
        let config =
            Config::from_lookup(|name| std::env::var(format!("DEPLOYED_{name}")).or_else(|_| std::env::var(name)).ok());
        let world = World::with_config(config.unwrap());
        Some(Self { world, url, client: reqwest::Client::new(), seen: BTreeSet::new() })
    }

    /// On the demo's plan, which the functions already know; a new one would take seconds to reach them.
    pub(crate) async fn account(&self) -> Account {
        self.world.account_on("demo", 0).await
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) fn get(&self, path: &str, key: &ApiKey) -> RequestBuilder {
        self.request(Method::GET, path).bearer_auth(key.reveal())
    }

    pub(crate) fn post(&self, path: &str, body: &Value, key: &ApiKey) -> RequestBuilder {
        self.request(Method::POST, path).bearer_auth(key.reveal()).json(body)
    }

    pub(crate) fn create(&self, body: &Value, key: &ApiKey) -> RequestBuilder {
        self.post("/v1/jobs", body, key)
    }

    /// Sends the request and checks the row. Returns the body for further checks.
    async fn expect(&mut self, code: ErrorCode, request: RequestBuilder) -> Value {
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["code"], code.as_str(), "{body}");
        assert_eq!((status, &body["error"]["status"]), (code.status(), &json!(code.status().as_u16())));
        assert_eq!(
            (&body["ok"], &body["requestId"]),
            (&json!(false), &json!(headers["x-request-id"].to_str().unwrap()))
        );
        assert_eq!(headers["content-type"], "application/json");
        if status == StatusCode::UNAUTHORIZED {
            assert_eq!(headers["www-authenticate"], "Bearer");
        }
        if [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status) {
            assert!(headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
        }
        self.seen.insert(code.as_str());
        body
    }

    /// Stores a job of the account with any change, without the usual checks.
    async fn put_job(&self, account: &Account, change: impl FnOnce(&mut Item)) -> String {
        let id = JobId::new();
        let mut item = to_item(&job(id, account)).unwrap();
        change(&mut item);
        let table = &self.world.config.tables.jobs;
        self.world.context.aws.dynamodb().put_item().table_name(table).set_item(Some(item)).send().await.unwrap();
        id.to_string()
    }
}

fn job(id: JobId, account: &Account) -> Job {
    let now = clock::now();
    let times = Times { started_at: Some(now), finished_at: Some(now), ..Times::of_new(now) };
    Job {
        id,
        account: account.id.clone(),
        mode: Mode::Live,
        batch: None,
        tool: "html-to-pdf".into(),
        queue: QueueName::Html,
        status: JobStatus::Completed,
        version: 3,
        attempts: 1,
        request: RequestRecord {
            key_id: "key_test".into(),
            request_id: None,
            input: json!({}),
            options: json!({}),
            then: Vec::new(),
            output_request: None,
            retention_seconds: None,
            webhook: None,
            metadata: Default::default(),
            limits: Default::default(),
            secret: None,
        },
        times,
        work: Work::default(),
        delivery: ResultDelivery::default(),
        payment: Payment::none(now.period()),
        result: JobResult::default(),
        waits: Waits::default(),
        deletion: Deletion::default(),
        index: IndexPlaces { creation_counted: true, ..IndexPlaces::default() },
        ttl: now.next_day().as_ttl_seconds(),
    }
}

#[tokio::test]
async fn every_row_of_the_error_table_is_met_over_http() {
    let Some(mut deployed) = Deployed::new() else { return };
    keys_and_account_status(&mut deployed).await;
    bodies(&mut deployed).await;
    jobs_and_routes(&mut deployed).await;
    injected(&mut deployed).await;
    let all: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(deployed.seen, all, "a row of the table was not met");
}

async fn keys_and_account_status(deployed: &mut Deployed) {
    let account = deployed.account().await;
    let html = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    let mut keys = HashMap::new();
    let one = RateLimit { per_minute: 1, burst: 1 };
    type Change = Box<dyn FnOnce(&mut StoredKey)>;
    let wanted: [(&str, Mode, Change); 6] = [
        ("revoked", Mode::Live, Box::new(|key: &mut StoredKey| key.revoked_at = Some(Timestamp(1)))),
        ("suspended", Mode::Live, Box::new(|key: &mut StoredKey| key.suspended = true)),
        ("untested", Mode::Test, Box::new(|key: &mut StoredKey| key.test_mode = false)),
        ("bound", Mode::Live, Box::new(|key: &mut StoredKey| key.allowed_origins = vec!["https://a.example".into()])),
        ("toolless", Mode::Live, Box::new(|key: &mut StoredKey| key.allowed_tools = Some(vec![]))),
        ("slow", Mode::Live, Box::new(move |key: &mut StoredKey| key.limiter = Limiter::new(one, one))),
    ];
    for (name, mode, change) in wanted {
        keys.insert(name, deployed.world.another_key(&account, mode, change).await);
    }
    let request = deployed.request(Method::GET, "/v1/tools");
    deployed.expect(ErrorCode::MissingApiKey, request).await;
    let request = deployed.get("/v1/tools", &ApiKey::generate(Mode::Live));
    deployed.expect(ErrorCode::InvalidApiKey, request).await;
    for (name, code) in [
        ("revoked", ErrorCode::RevokedApiKey),
        ("suspended", ErrorCode::AccountSuspended),
        ("untested", ErrorCode::TestModeDisabled),
        ("bound", ErrorCode::OriginNotAllowed),
        ("toolless", ErrorCode::ToolNotAllowed),
    ] {
        let request = deployed.create(&html, &keys[name]);
        deployed.expect(code, request).await;
    }
    assert_eq!(deployed.create(&html, &keys["slow"]).send().await.unwrap().status(), 202);
    let request = deployed.create(&html, &keys["slow"]);
    deployed.expect(ErrorCode::RateLimited, request).await;

    let poor = deployed.world.account(0).await;
    let request = deployed.create(&html, &poor.key);
    let body = deployed.expect(ErrorCode::InsufficientCredits, request).await;
    assert_eq!((&body["error"]["required"], &body["error"]["available"]), (&json!(1), &json!(0)));
}

async fn bodies(deployed: &mut Deployed) {
    let account = deployed.account().await;
    let key = &account.key;
    let html = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    let other = json!({"toolSlug": "html-to-pdf", "html": "<p>y"});

    let request = deployed.create(&html, key).body("{");
    deployed.expect(ErrorCode::InvalidJson, request).await;
    let request = deployed.request(Method::POST, "/v1/jobs").bearer_auth(key.reveal()).body("a=b");
    deployed.expect(ErrorCode::UnsupportedMediaType, request).await;
    let request = deployed.create(&json!({"toolSlug": "html-to-pdf", "html": "x".repeat(1 << 20)}), key);
    deployed.expect(ErrorCode::PayloadTooLarge, request).await;
    let request = deployed.create(&html, key).header("idempotency-key", "\"open");
    deployed.expect(ErrorCode::InvalidIdempotencyKey, request).await;
    let request = deployed.create(&json!({"toolSlug": "html-to-pdf"}), key);
    let body = deployed.expect(ErrorCode::ValidationFailed, request).await;
    assert!(body["error"]["details"].as_array().is_some_and(|details| !details.is_empty()));
    let request = deployed.create(&json!({"toolSlug": "pdf-to-gold"}), key);
    deployed.expect(ErrorCode::ToolNotFound, request).await;

    let first = deployed.create(&html, key).header("idempotency-key", "k").send().await.unwrap();
    assert_eq!(first.status(), 202);
    let request = deployed.create(&other, key).header("idempotency-key", "k");
    deployed.expect(ErrorCode::IdempotencyKeyReused, request).await;
}

async fn jobs_and_routes(deployed: &mut Deployed) {
    let account = deployed.account().await;
    let key = account.key.clone();
    let failure = JobError::new(JobErrorCode::RenderFailed, "told to");
    let failed = deployed
        .put_job(&account, |item| {
            item.insert("status".into(), string("failed"));
            item.insert("error".into(), docmill_store::item::nested(&failure).unwrap());
        })
        .await;
    let expired = deployed.put_job(&account, |item| drop(item.insert("expires_at".into(), number(1)))).await;
    let canceled = deployed.put_job(&account, |item| drop(item.insert("status".into(), string("canceled")))).await;
    let request = deployed.get(&format!("/v1/jobs/{canceled}/download"), &key);
    let body = deployed.expect(ErrorCode::JobCanceled, request).await;
    assert_eq!(body["job"]["status"], "canceled");
    let request = deployed.post(&format!("/v1/jobs/{failed}/cancel"), &json!({}), &key);
    let body = deployed.expect(ErrorCode::JobEnded, request).await;
    assert_eq!(body["job"]["id"], failed);
    let queued = deployed.put_job(&account, |item| drop(item.insert("status".into(), string("queued")))).await;
    let request = deployed.get(&format!("/v1/jobs/{queued}/receipt"), &key);
    let body = deployed.expect(ErrorCode::JobNotEnded, request).await;
    assert_eq!(body["job"]["status"], "queued");

    let request = deployed.get("/v1/jobs/6f1c1c2e-0000-7000-8000-000000000000", &key);
    deployed.expect(ErrorCode::JobNotFound, request).await;
    let request = deployed.get(&format!("/v1/jobs/{failed}/download"), &key);
    let body = deployed.expect(ErrorCode::JobFailed, request).await;
    assert_eq!(body["job"]["error"]["code"], "render_failed");
    let request = deployed.get(&format!("/v1/jobs/{expired}/download"), &key);
    let body = deployed.expect(ErrorCode::OutputExpired, request).await;
    assert_eq!(body["job"]["status"], "expired");
    fonts(deployed, &account).await;
    templates(deployed, &account).await;
    events(deployed, &account).await;
    webhooks(deployed, &account).await;
    batches(deployed, &account).await;
    let request = deployed.get("/v1/nowhere", &key);
    deployed.expect(ErrorCode::RouteNotFound, request).await;
    let request = deployed.request(Method::PUT, "/v1/tools");
    deployed.expect(ErrorCode::MethodNotAllowed, request).await;
}

async fn events(deployed: &mut Deployed, account: &Account) {
    let request = deployed.get("/v1/events/evt_01935f6b8d4a7c3e9b5d2f1a6c7e8d90", &account.key);
    deployed.expect(ErrorCode::EventNotFound, request).await;
}

async fn webhooks(deployed: &mut Deployed, account: &Account) {
    let unknown = deployed.get("/v1/webhooks/wh_01935f6b8d4a7c3e9b5d2f1a6c7e8d90", &account.key);
    deployed.expect(ErrorCode::WebhookNotFound, unknown).await;
    // Nothing listens at this port.
    let silent = json!({"url": "http://127.0.0.1:9/", "challenge": true});
    let request = deployed.post("/v1/webhooks", &silent, &account.key);
    deployed.expect(ErrorCode::WebhookChallengeFailed, request).await;
    let disabled = json!({"url": "https://hooks.example/", "status": "disabled"});
    let mut id = String::new();
    for _ in 0..20 {
        let created = deployed.post("/v1/webhooks", &disabled, &account.key).send().await.unwrap();
        assert_eq!(created.status(), StatusCode::CREATED);
        let created: Value = created.json().await.unwrap();
        id = created["webhook"]["id"].as_str().unwrap().to_owned();
    }
    let request = deployed.post("/v1/webhooks", &disabled, &account.key);
    deployed.expect(ErrorCode::TooManyWebhooks, request).await;
    let request = deployed.post(&format!("/v1/webhooks/{id}/replay"), &json!({"failed": true}), &account.key);
    deployed.expect(ErrorCode::WebhookDisabled, request).await;
}

async fn batches(deployed: &mut Deployed, account: &Account) {
    let unknown = deployed.get("/v1/batches/bat_01935f6b8d4a7c3e9b5d2f1a6c7e8d90", &account.key);
    deployed.expect(ErrorCode::BatchNotFound, unknown).await;
    let batch = completed_batch(account);
    deployed.world.context.batches.create(&batch, None).await.unwrap();
    let request = deployed.post(&format!("/v1/batches/{}/cancel", batch.id), &json!({}), &account.key);
    deployed.expect(ErrorCode::BatchEnded, request).await;
}

async fn fonts(deployed: &mut Deployed, account: &Account) {
    let request = deployed.request(Method::DELETE, "/v1/fonts/fnt_1").bearer_auth(account.key.reveal());
    deployed.expect(ErrorCode::FontNotFound, request).await;
    let locked = uploaded(&deployed.world, account, fixture("locked.ttf")).await;
    let request = deployed.post("/v1/fonts", &json!({"uploadId": locked.to_string()}), &account.key);
    let body = deployed.expect(ErrorCode::InvalidFont, request).await;
    assert!(body["error"]["message"].as_str().unwrap().contains("embedding"), "{body}");
    for number in 0..MOST_FONTS {
        let id = FontId::of(&number.to_be_bytes());
        deployed.world.context.fonts.add(&account.id, &id, &stored("Acme")).await.unwrap();
    }
    let one_more = uploaded(&deployed.world, account, fixture("triangle.ttf")).await;
    let request = deployed.post("/v1/fonts", &json!({"uploadId": one_more.to_string()}), &account.key);
    deployed.expect(ErrorCode::TooManyFonts, request).await;
}

async fn templates(deployed: &mut Deployed, account: &Account) {
    let request = deployed.get("/v1/templates/invoice", &account.key);
    deployed.expect(ErrorCode::TemplateNotFound, request).await;
    let unclosed = uploaded_page(&deployed.world, account, "<p>{#items}").await;
    let request = deployed.post("/v1/templates", &json!({"name": "invoice", "uploadId": unclosed}), &account.key);
    deployed.expect(ErrorCode::InvalidTemplate, request).await;
    filled(&deployed.world, account, "invoice", MOST_VERSIONS).await;
    let one_more = uploaded_page(&deployed.world, account, "<p>{customer}").await;
    let request = deployed.post("/v1/templates", &json!({"name": "invoice", "uploadId": one_more}), &account.key);
    deployed.expect(ErrorCode::TooManyTemplates, request).await;
}

/// A stored job that no version could have written is our fault. A database outage would affect all tests over HTTP, so it
/// is injected into the same handler.
async fn injected(deployed: &mut Deployed) {
    let account = deployed.account().await;
    let key = account.key.clone();
    let broken = deployed.put_job(&account, |item| drop(item.insert("attempts".into(), string("yesterday")))).await;
    let request = deployed.get(&format!("/v1/jobs/{broken}"), &key);
    let body = deployed.expect(ErrorCode::Internal, request).await;
    assert!(!body.to_string().contains("yesterday"), "a cause never leaves the house");

    deployed.world.watch.inject((0..3).map(|_| Fault::down("GetItem")));
    let request = get("/").parameter("job_id", &broken).key(&key).build();
    let answer = Answer::of(get_job::handle(deployed.world.context.clone(), request).await);
    assert_eq!(answer.refusal(), (503, "unavailable"));
    assert!(answer.header("retry-after").is_some());
    deployed.seen.insert(ErrorCode::Unavailable.as_str());
}
