//! Responses of the real handlers.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use docmill_app::batches::{BatchControl, NewBatches};
use docmill_app::context::Context;
use docmill_app::fonts::FontService;
use docmill_app::jobs::submit::JobService;
use docmill_config::clock;
use docmill_domain::batch::BatchId;
use docmill_domain::event::EventKind;
use docmill_domain::job::Completion;
use docmill_domain::job::{JobId, Output};
use docmill_signing::keys::KeyRing;
use docmill_store::events::StoredEvent;
use docmill_webhooks::{Replays, Rotation, SigningKeys};
use functions::batch_runner::Runner;
use functions::get_webhook_keys::KeysDocument;
use functions::{
    cancel_batch, create_batch, create_font, create_job, create_template, create_upload, create_webhook, delete_batch,
    delete_font, delete_template, delete_webhook, get_account_usage, get_batch, get_batch_download, get_event, get_job,
    get_job_download, get_template, get_tool_schema, get_webhook, get_webhook_keys, list_batch_jobs, list_batches,
    list_events, list_fonts, list_jobs, list_templates, list_tools, list_webhook_deliveries, list_webhooks,
    replay_webhook, resume_batch, rotate_webhook_secret, test_webhook, update_webhook,
};
use lambda_http::http::Method;
use serde_json::{Value, json};

use super::{Description, sent};
use crate::fonts::{fixture, uploaded};
use crate::receipts;
use crate::stored_templates;
use crate::support::hooks::{Deliveries, Hooks, Reply};
use crate::support::hooks::{sealing, test_service};
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World, patient_aws};

async fn world() -> (World, Account) {
    let world = World::new();
    let account = world.account(3).await;
    (world, account)
}

#[tokio::test]
async fn answers_are_as_described_and_have_every_optional_property() {
    let description = Description::closed();
    let all = &description;
    // Each in a box: together they are too large for a thread's stack.
    let areas: [Pin<Box<dyn Future<Output = ()> + '_>>; 10] = [
        Box::pin(tools(all)),
        Box::pin(jobs(all)),
        Box::pin(uploads(all)),
        Box::pin(events(all)),
        Box::pin(fonts(all)),
        Box::pin(usage(all)),
        Box::pin(templates(all)),
        Box::pin(batches(all)),
        Box::pin(webhooks(all)),
        Box::pin(tests_of_webhooks(all)),
    ];
    futures_util::future::join_all(areas).await;
    assert_eq!(description.unsent(), sent::elsewhere());
}

async fn tools(description: &Description) {
    let (world, account) = world().await;
    let tools = Answer::of(list_tools::handle(world.context.clone(), get("/").key(&account.key).build()).await);
    description.check(Method::GET, "/v1/tools", &tools);
    let known = get("/").key(&account.key).header("if-none-match", tools.header("etag").unwrap()).build();
    let unchanged = Answer::of(list_tools::handle(world.context.clone(), known).await);
    assert_eq!(unchanged.status, 304);
    description.check(Method::GET, "/v1/tools", &unchanged);

    for (slug, status) in [("office-to-pdf", 200), ("html-to-pdf", 200), ("none", 404)] {
        let request = get("/").parameter("tool_slug", slug).key(&account.key).build();
        let answer = Answer::of(get_tool_schema::handle(world.context.clone(), request).await);
        assert_eq!(answer.status, status);
        description.check(Method::GET, "/v1/tools/{tool_slug}/schema", &answer);
    }
}

async fn jobs(description: &Description) {
    let (world, account) = world().await;
    let good = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "unknown": 1, "metadata": {"order": "4711"}});
    let create = async |body: &Value| {
        let request = post("/", body).header("idempotency-key", "a").key(&account.key).build();
        Answer::of(create_job::handle(world.service.clone(), request).await)
    };
    let created = create(&good).await;
    let replayed = create(&good).await;
    assert_eq!((created.status, replayed.header("idempotency-replayed")), (202, Some("true")));
    let mismatched = create(&json!({"toolSlug": "html-to-pdf", "html": "<p>y"})).await;
    let invalid = create(&json!({"toolSlug": "html-to-pdf", "options": {"pageSize": 4}})).await;
    let unknown = create(&json!({"toolSlug": "none"})).await;
    assert_eq!((mismatched.status, invalid.status, unknown.status), (422, 422, 404));
    for answer in [&created, &replayed, &mismatched, &invalid, &unknown] {
        description.check(Method::POST, "/v1/jobs", answer);
    }

    for id in [created.job_id(), "none".to_owned()] {
        let request = get("/").parameter("job_id", &id).key(&account.key).build();
        let answer = Answer::of(get_job::handle(world.context.clone(), request.clone()).await);
        description.check(Method::GET, "/v1/jobs/{job_id}", &answer);
        let answer = Answer::of(get_job_download::handle(world.context.clone(), request).await);
        description.check(Method::GET, "/v1/jobs/{job_id}/download", &answer);
        let answer = receipts::answer(&world, &account.key, &id).await;
        description.check(Method::GET, "/v1/jobs/{job_id}/receipt", &answer);
    }

    let again = post("/", &good).header("idempotency-key", "a").key(&account.key).query("wait", "1");
    let unfinished = Answer::of(create_job::handle(world.service.clone(), again.clone().build()).await);
    let job = claim(&world.context.jobs, JobId::parse(&created.job_id()).unwrap()).await;
    let done = Completion {
        output: Output { sha256: "00".repeat(32), ..completion(clock::now()).output },
        ..completion(clock::now())
    };
    world.context.jobs.complete(&job, &done).await.unwrap();
    let finished = Answer::of(create_job::handle(world.service.clone(), again.clone().build()).await);
    let result =
        Answer::of(create_job::handle(world.service.clone(), again.header("accept", "application/pdf").build()).await);
    assert_eq!((unfinished.status, finished.status, result.status), (202, 200, 303));
    for answer in [unfinished, finished, result] {
        description.check(Method::POST, "/v1/jobs", &answer);
    }
    let one = || get("/").parameter("job_id", &created.job_id()).key(&account.key);
    for request in [
        one().query("wait", "1"),
        one().query("wait", "1").header("accept", "application/pdf"),
        one().query("wait", "x"),
    ] {
        let answer = Answer::of(get_job::handle(world.context.clone(), request.build()).await);
        description.check(Method::GET, "/v1/jobs/{job_id}", &answer);
    }
    let (first, second) = (one().query("output", "0"), one().query("output", "1"));
    for request in [one(), one().header("accept", "application/pdf"), first, second] {
        let answer = Answer::of(get_job_download::handle(world.context.clone(), request.build()).await);
        description.check(Method::GET, "/v1/jobs/{job_id}/download", &answer);
    }

    let answer = receipts::answer(&world, &account.key, &created.job_id()).await;
    assert_eq!(answer.status, 200);
    description.check(Method::GET, "/v1/jobs/{job_id}/receipt", &answer);

    for (name, value) in [("limit", "1"), ("limit", "0")] {
        let request = get("/v1/jobs").key(&account.key).query(name, value).build();
        let answer = Answer::of(list_jobs::handle(world.context.clone(), request).await);
        description.check(Method::GET, "/v1/jobs", &answer);
    }
}

async fn uploads(description: &Description) {
    let (world, account) = world().await;
    for body in [json!({"contentType": "text/csv", "bytes": 7, "filename": "a.csv"}), json!({})] {
        let request = post("/", &body).key(&account.key).build();
        let answer = Answer::of(create_upload::handle(world.uploads.clone(), request).await);
        description.check(Method::POST, "/v1/uploads", &answer);
    }
}

async fn events(description: &Description) {
    let (world, account) = world().await;
    let create = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    let created = Answer::of(create_job::handle(world.service.clone(), create).await);
    let job = claim(&world.context.jobs, JobId::parse(&created.job_id()).unwrap()).await;
    world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();

    let mut event = "evt_none".to_owned();
    for (name, value) in [("limit", "1"), ("limit", "0"), ("wait", "1")] {
        let request = get("/v1/events").key(&account.key).query(name, value).build();
        let answer = Answer::of(list_events::handle(world.context.clone(), request).await);
        description.check(Method::GET, "/v1/events", &answer);
        event = answer.body["events"][0]["id"].as_str().map_or(event, str::to_owned);
    }
    for (id, status) in [(event.as_str(), 200), ("evt_none", 404)] {
        let request = get("/").key(&account.key).parameter("event_id", id).build();
        let answer = Answer::of(get_event::handle(world.context.clone(), request).await);
        assert_eq!(answer.status, status);
        description.check(Method::GET, "/v1/events/{event_id}", &answer);
    }
}

async fn fonts(description: &Description) {
    let (world, account) = world().await;
    let fonts = Arc::new(FontService::new(world.context.clone()));
    let upload = uploaded(&world, &account, fixture("triangle.ttf")).await.to_string();
    let locked = uploaded(&world, &account, fixture("locked.ttf")).await.to_string();
    let mut id = String::new();
    for body in [json!({"uploadId": upload}), json!({"uploadId": upload}), json!({"uploadId": locked}), json!({})] {
        let request = post("/", &body).key(&account.key).build();
        let answer = Answer::of(create_font::handle(fonts.clone(), request).await);
        description.check(Method::POST, "/v1/fonts", &answer);
        id = answer.body["font"]["id"].as_str().map_or(id, str::to_owned);
    }
    let answer = Answer::of(list_fonts::handle(fonts.clone(), get("/").key(&account.key).build()).await);
    assert_eq!(answer.body["fonts"].as_array().unwrap().len(), 1);
    description.check(Method::GET, "/v1/fonts", &answer);
    for _ in 0..2 {
        let request = RequestBuilder::new(Method::DELETE, "/").key(&account.key).parameter("font_id", &id).build();
        let answer = Answer::of(delete_font::handle(fonts.clone(), request).await);
        description.check(Method::DELETE, "/v1/fonts/{font_id}", &answer);
    }
}

async fn usage(description: &Description) {
    let (world, account) = world().await;
    let create = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    let created = Answer::of(create_job::handle(world.service.clone(), create).await);
    world.count(vec![JobId::parse(&created.job_id()).unwrap()]).await;
    let usage = get("/").key(&account.key).build();
    let usage = Answer::of(get_account_usage::handle(world.context.clone(), usage).await);
    assert_eq!(usage.body["usage"]["byTool"].as_array().unwrap().len(), 1);
    description.check(Method::GET, "/v1/account/usage", &usage);
}

async fn templates(description: &Description) {
    let (world, account) = world().await;
    let (service, path) = (stored_templates::service(&world), "/v1/templates");
    let upload = stored_templates::uploaded(&world, &account, "<p>{name}</p>").await;
    let wrong = stored_templates::uploaded(&world, &account, "<p>{#name}</p>").await;
    let body = |upload: &str| json!({"name": "letter", "uploadId": upload});
    for body in [body(&upload), body(&upload), body(&wrong), json!({})] {
        let answer = create_template::handle(service.clone(), post("/", &body).key(&account.key).build()).await;
        description.check(Method::POST, path, &Answer::of(answer));
    }
    let answer = Answer::of(list_templates::handle(service.clone(), get("/").key(&account.key).build()).await);
    assert_eq!(answer.body["templates"].as_array().unwrap().len(), 1);
    description.check(Method::GET, path, &answer);
    let path = "/v1/templates/{template_name}";
    let about =
        |method: Method| RequestBuilder::new(method, "/").key(&account.key).parameter("template_name", "letter");
    for version in ["1", "2", "0"] {
        let request = about(Method::GET).query("version", version).build();
        description.check(Method::GET, path, &Answer::of(get_template::handle(service.clone(), request).await));
    }
    for version in ["0", "1", "1"] {
        let request = about(Method::DELETE).query("version", version).build();
        description.check(Method::DELETE, path, &Answer::of(delete_template::handle(service.clone(), request).await));
    }
}

async fn batches(description: &Description) {
    let (world, account) = world().await;
    let new = Arc::new(NewBatches::new(JobService::new(world.context.clone(), Some(sealing()))));
    let webhook = json!({"url": "https://hooks.example/"});
    let good = json!({"toolSlug": "html-to-pdf", "items": [{"html": "<p>1"}], "webhook": webhook});
    let mut id = String::new();
    for body in [&good, &good, &json!({"toolSlug": "html-to-pdf"}), &json!({"toolSlug": "none", "items": []})] {
        let request = post("/", body).key(&account.key).header("idempotency-key", "batch").build();
        let answer = Answer::of(create_batch::handle(new.clone(), request).await);
        description.check(Method::POST, "/v1/batches", &answer);
        id = answer.body["batch"]["id"].as_str().map_or(id, str::to_owned);
    }
    let runner = Runner::new(Context::new(world.config.clone(), patient_aws()).unwrap());
    runner.run(&account.id, BatchId::parse(&id).unwrap(), Duration::from_secs(20)).await.unwrap();
    let control = Arc::new(BatchControl::new(world.context.clone()));
    for limit in ["1", "0"] {
        let request = get("/").key(&account.key).query("limit", limit).build();
        let answer = Answer::of(list_batches::handle(world.context.clone(), request).await);
        description.check(Method::GET, "/v1/batches", &answer);
    }
    for id in [id, "none".to_owned()] {
        let about = || post("/", &json!({})).key(&account.key).parameter("batch_id", &id);
        let path = "/v1/batches/{batch_id}";
        let answer = Answer::of(get_batch::handle(world.context.clone(), about().build()).await);
        description.check(Method::GET, path, &answer);
        for limit in ["1", "0"] {
            let request = about().query("limit", limit).build();
            let answer = Answer::of(list_batch_jobs::handle(world.context.clone(), request).await);
            description.check(Method::GET, &format!("{path}/jobs"), &answer);
        }
        for accept in ["application/json", "text/csv"] {
            let request = about().query("limit", "1").header("accept", accept).build();
            let answer = Answer::of(get_batch_download::handle(world.context.clone(), request).await);
            if accept == "application/json" || answer.status != 200 {
                description.check(Method::GET, &format!("{path}/download"), &answer);
            }
        }
        let answer = Answer::of(resume_batch::handle(control.clone(), about().build()).await);
        description.check(Method::POST, &format!("{path}/resume"), &answer);
        let answer = Answer::of(cancel_batch::handle(control.clone(), about().build()).await);
        description.check(Method::POST, &format!("{path}/cancel"), &answer);
        let answer = Answer::of(delete_batch::handle(control.clone(), about().build()).await);
        description.check(Method::DELETE, path, &answer);
    }
}

async fn webhooks(description: &Description) {
    let (world, account) = world().await;
    let (hooks, receiver) = (Deliveries::of(&world), Hooks::start().await);
    let mut id = String::new();
    for body in [json!({"url": receiver.url()}), json!({"url": "nowhere"})] {
        let request = post("/", &body).key(&account.key).build();
        let answer = Answer::of(create_webhook::handle(hooks.service.clone(), request).await);
        description.check(Method::POST, "/v1/webhooks", &answer);
        id = answer.body["webhook"]["id"].as_str().map_or(id, str::to_owned);
    }
    receiver.next([Reply::with(500, "", "not now")]);
    let event = StoredEvent::new(&account.id, EventKind::JobCompleted, clock::now(), json!({}));
    world.context.events.record(&event).await.unwrap();
    hooks.announce(&account, &event.id).await;
    let listed = get("/").key(&account.key).build();
    let answer = Answer::of(list_webhooks::handle(world.context.clone(), listed).await);
    description.check(Method::GET, "/v1/webhooks", &answer);
    for id in [id.as_str(), "wh_none"] {
        let named = |request: RequestBuilder| request.key(&account.key).parameter("webhook_id", id).build();
        let path = "/v1/webhooks/{webhook_id}";
        let answer = Answer::of(get_webhook::handle(world.context.clone(), named(get("/"))).await);
        description.check(Method::GET, path, &answer);
        let change = named(post("/", &json!({"description": "x", "rateLimit": null})));
        let answer = Answer::of(update_webhook::handle(hooks.service.clone(), change).await);
        description.check(Method::PATCH, path, &answer);
        let answer = Answer::of(list_webhook_deliveries::handle(world.context.clone(), named(get("/"))).await);
        description.check(Method::GET, "/v1/webhooks/{webhook_id}/deliveries", &answer);
        let sealing = KeyRing::for_secrets(&"s".repeat(86), None).unwrap();
        let rotation = Arc::new(Rotation { context: world.context.clone(), sealing });
        let answer = Answer::of(rotate_webhook_secret::handle(rotation, named(post("/", &json!({})))).await);
        description.check(Method::POST, "/v1/webhooks/{webhook_id}/rotate", &answer);
        let replays = Arc::new(Replays { queue: world.context.queue(), context: world.context.clone() });
        for body in [json!({"failed": true}), json!({})] {
            let answer = Answer::of(replay_webhook::handle(replays.clone(), named(post("/", &body))).await);
            description.check(Method::POST, "/v1/webhooks/{webhook_id}/replay", &answer);
        }
        let removing = named(RequestBuilder::new(Method::DELETE, "/"));
        let answer = Answer::of(delete_webhook::handle(world.context.clone(), removing).await);
        description.check(Method::DELETE, path, &answer);
    }
    let keys = SigningKeys::new(&"k".repeat(86), None).unwrap();
    let document = Arc::new(KeysDocument::of(&keys, "arn:aws:iam::111122223333:role/docmill"));
    let request = get("/.well-known/docmill-webhooks.json").build();
    let document = get_webhook_keys::handle(document, request).await;
    let document: Value = serde_json::from_slice(document.body()).unwrap();
    let operation = description.operation(&Method::GET, "/.well-known/docmill-webhooks.json");
    let content = &operation["responses"]["200"]["content"];
    assert_eq!(description.breaches(content, &document), [""; 0]);
    description.note(content, &document);
}

async fn tests_of_webhooks(description: &Description) {
    let (world, account) = world().await;
    for body in [json!({"url": "https://hooks.example/"}), json!({})] {
        let request = post("/", &body).key(&account.key).build();
        let answer = Answer::of(test_webhook::handle(test_service(world.context.clone()), request).await);
        description.check(Method::POST, "/v1/webhooks/test", &answer);
    }
    let stranger =
        Answer::of(test_webhook::handle(test_service(world.context.clone()), post("/", &json!({})).build()).await);
    assert_eq!(stranger.status, 401);
    description.check(Method::POST, "/v1/webhooks/test", &stranger);
}
