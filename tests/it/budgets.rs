//! AWS calls per warm request, through the real handlers. An additional call fails its test line.

use std::sync::Arc;

use docmill_app::fonts::FontService;
use docmill_app::jobs::control::ControlService;
use docmill_app::templates::TemplateService;
use docmill_config::clock;
use docmill_domain::account::Limiter;
use docmill_domain::api_key::Mode;
use docmill_domain::job::JobId;
use docmill_domain::quota::RateLimit;
use functions::{
    cancel_job, convert_html_to_pdf, convert_office_to_pdf, create_font, create_job, create_template, create_tool_job,
    create_upload, delete_font, delete_job, delete_template, get_account_usage, get_event, get_job, get_job_download,
    get_template, get_tool_schema, list_events, list_fonts, list_jobs, list_templates, list_tools, test_webhook,
};
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::fonts::{fixture, uploaded};
use crate::receipts;
use crate::stored_templates::uploaded as uploaded_template;
use crate::support::hooks::test_service;
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::visitor::Visitor;
use crate::support::world::World;

const KEY: &str = "UpdateItem";
const TRANSACTION: &str = "TransactWriteItems";
const MESSAGE: &str = "SendMessage";
const LARGE_INPUT: &str = "PutObject";

#[tokio::test]
async fn each_endpoint_keeps_its_budget() {
    let world = World::new();
    let account = world.account(100).await;
    // A rate so slow that the limiter stays in one branch during the test.
    let slow = RateLimit { per_minute: 1, burst: 2_000 };
    let key = &world.another_key(&account, Mode::Live, |key| key.limiter = Limiter::new(slow, slow)).await;
    let small = json!({"toolSlug": "html-to-pdf", "html": "<p>x"});
    let large = json!({"toolSlug": "html-to-pdf", "html": "<p>x".repeat(8000)});
    let office = json!({"toolSlug": "office-to-pdf", "sourceUrl": "https://a.example/x.docx"});
    let flat_office = json!({"sourceUrl": "https://a.example/x.docx"});
    let flat_html = json!({"html": "<p>x"});
    let (context, service) = (|| world.context.clone(), || world.service.clone());
    let tests = test_service(world.context.clone());

    // An environment's first requests also read the settings, and don't know the limiter's branch yet.
    Answer::of(list_tools::handle(context(), get("/").key(key).build()).await);
    let hook = json!({"url": "https://hooks.example/"});
    let first = Answer::of(create_job::handle(service(), post("/", &small).key(key).build()).await);
    let warm_download = get("/").key(key).parameter("job_id", &first.job_id()).build();
    Answer::of(get_job_download::handle(world.context.clone(), warm_download).await);
    Answer::of(test_webhook::handle(tests.clone(), post("/", &hook).key(key).build()).await);
    Answer::of(create_upload::handle(world.uploads.clone(), post("/", &json!({})).key(key).build()).await);
    world.watch.take_calls();

    let check = |endpoint: &str, answer: Answer, status: u16, budget: &[&str]| {
        assert_eq!(answer.status, status, "{endpoint}: {}", answer.body);
        assert_eq!(world.watch.take_calls(), budget, "{endpoint}");
    };
    let id = first.job_id();
    let with_id = || get("/").key(key).parameter("job_id", &id).build();
    let with_slug = |request: RequestBuilder| request.key(key).parameter("tool_slug", "html-to-pdf");

    let answer = Answer::of(list_tools::handle(context(), get("/").key(key).build()).await);
    check("GET /v1/tools", answer, 200, &[KEY]);
    let answer = Answer::of(get_tool_schema::handle(context(), with_slug(get("/")).build()).await);
    check("GET /v1/tools/{tool_slug}/schema", answer, 200, &[KEY]);
    let answer = Answer::of(create_tool_job::handle(service(), with_slug(post("/", &small)).build()).await);
    check("POST /v1/tools/{tool_slug}/jobs", answer, 202, &[KEY, TRANSACTION, MESSAGE]);
    let answer = Answer::of(create_job::handle(service(), post("/", &office).key(key).build()).await);
    check("POST /v1/jobs", answer, 202, &[KEY, TRANSACTION, MESSAGE]);
    let idempotent = post("/", &office).key(key).header("idempotency-key", "k").build();
    let answer = Answer::of(create_job::handle(service(), idempotent).await);
    check("POST /v1/jobs with a key", answer, 202, &[KEY, TRANSACTION, MESSAGE]);
    let answer = Answer::of(create_job::handle(service(), post("/", &large).key(key).build()).await);
    check("POST /v1/jobs with large HTML", answer, 202, &[KEY, LARGE_INPUT, TRANSACTION, MESSAGE]);
    let answer = Answer::of(get_job::handle(context(), with_id()).await);
    check("GET /v1/jobs/{job_id}", answer, 200, &[KEY, "GetItem"]);
    let answer = Answer::of(get_job_download::handle(world.context.clone(), with_id()).await);
    check("GET /v1/jobs/{job_id}/download, waiting", answer, 202, &[KEY, "GetItem"]);
    let answer = Answer::of(list_jobs::handle(context(), get("/v1/jobs").key(key).build()).await);
    check("GET /v1/jobs", answer, 200, &[KEY, "Query", "BatchGetItem"]);
    complete(&world, &id).await;
    world.watch.take_calls();
    let answer = Answer::of(get_job_download::handle(world.context.clone(), with_id()).await);
    check("GET /v1/jobs/{job_id}/download", answer, 200, &[KEY, "GetItem"]);
    let answer = receipts::answer(&world, key, &id).await;
    check("GET /v1/jobs/{job_id}/receipt", answer, 200, &[KEY, "GetItem"]);
    let request = get("/v1/events").key(key).build();
    let answer = Answer::of(list_events::handle(context(), request).await);
    let event = answer.body["nextCursor"].as_str().unwrap().to_owned();
    // What is new, the end of the log, the events' marks; a page and a mark for the one that is new.
    let appending = ["Query", "Query", "BatchGetItem", "UpdateItem", "UpdateItem"];
    check("GET /v1/events", answer, 200, &[&[KEY], &appending[..], &["Query", "Query", "BatchGetItem"]].concat());
    let request = get("/v1/events").key(key).query("after", &event).build();
    let answer = Answer::of(list_events::handle(context(), request).await);
    check("GET /v1/events, nothing new", answer, 200, &[KEY, "GetItem", "Query", "Query", "Query"]);
    let request = get("/").key(key).parameter("event_id", &event).build();
    let answer = Answer::of(get_event::handle(context(), request).await);
    check("GET /v1/events/{event_id}", answer, 200, &[KEY, "GetItem"]);
    let answer = Answer::of(convert_office_to_pdf::handle(service(), post("/", &flat_office).key(key).build()).await);
    check("POST /v1/convert/office-to-pdf", answer, 202, &[KEY, TRANSACTION, MESSAGE]);
    let answer = Answer::of(convert_html_to_pdf::handle(service(), post("/", &flat_html).key(key).build()).await);
    check("POST /v1/convert/html-to-pdf", answer, 202, &[KEY, TRANSACTION, MESSAGE]);
    let announced = json!({"contentType": "text/html", "bytes": 4});
    let answer = Answer::of(create_upload::handle(world.uploads.clone(), post("/", &announced).key(key).build()).await);
    let upload = put_upload(&answer.body["upload"]).await;
    check("POST /v1/uploads", answer, 200, &[KEY, "UpdateItem"]);
    let fonts = Arc::new(FontService::new(context()));
    let font = uploaded(&world, &account, fixture("triangle.ttf")).await;
    world.watch.take_calls();
    let named = post("/", &json!({"uploadId": font.to_string()})).key(key).build();
    let answer = Answer::of(create_font::handle(fonts.clone(), named).await);
    let font_id = answer.body["font"]["id"].as_str().unwrap_or_default().to_owned();
    check("POST /v1/fonts", answer, 201, &[KEY, "GetObject", "PutObject", "UpdateItem"]);
    let answer = Answer::of(list_fonts::handle(fonts.clone(), get("/").key(key).build()).await);
    check("GET /v1/fonts", answer, 200, &[KEY, "GetItem"]);
    let removing = RequestBuilder::new(Method::DELETE, "/").key(key).parameter("font_id", &font_id).build();
    let answer = Answer::of(delete_font::handle(fonts, removing).await);
    check("DELETE /v1/fonts/{font_id}", answer, 204, &[KEY, "UpdateItem", "DeleteObject"]);
    let templates = Arc::new(TemplateService::new(context()));
    let template = uploaded_template(&world, &account, "<p>{name}</p>").await;
    world.watch.take_calls();
    let named = post("/", &json!({"name": "letter", "uploadId": template})).key(key).build();
    let answer = Answer::of(create_template::handle(templates.clone(), named).await);
    let calls = [KEY, "GetObject", "GetItem", "PutObject", "PutObject", TRANSACTION];
    check("POST /v1/templates", answer, 201, &calls);
    let answer = Answer::of(list_templates::handle(templates.clone(), get("/").key(key).build()).await);
    check("GET /v1/templates", answer, 200, &[KEY, "Query"]);
    let by_name =
        |method: Method| RequestBuilder::new(method, "/").key(key).parameter("template_name", "letter").build();
    let answer = Answer::of(get_template::handle(templates.clone(), by_name(Method::GET)).await);
    check("GET /v1/templates/{template_name}", answer, 200, &[KEY, "GetItem", "GetObject"]);
    let by_template = json!({"toolSlug": "render-template", "template": {"name": "letter"}, "options": {"data": {}}});
    let answer = Answer::of(create_job::handle(service(), post("/", &by_template).key(key).build()).await);
    check("POST /v1/jobs with a template", answer, 202, &[KEY, "GetItem", TRANSACTION, MESSAGE]);
    let answer = Answer::of(delete_template::handle(templates, by_name(Method::DELETE)).await);
    let calls = [KEY, "GetItem", "ListObjectsV2", TRANSACTION, "DeleteObjects"];
    check("DELETE /v1/templates/{template_name}", answer, 204, &calls);
    let by_upload = json!({"toolSlug": "html-to-pdf", "uploadId": upload});
    let answer = Answer::of(create_job::handle(service(), post("/", &by_upload).key(key).build()).await);
    check("POST /v1/jobs with an upload", answer, 202, &[KEY, "HeadObject", TRANSACTION, MESSAGE]);
    let by_job = json!({"toolSlug": "compress-pdf", "jobId": id});
    let answer = Answer::of(create_job::handle(service(), post("/", &by_job).key(key).build()).await);
    check("POST /v1/jobs with another job's result", answer, 202, &[KEY, "BatchGetItem", TRANSACTION, MESSAGE]);
    let answer = Answer::of(create_job::handle(service(), post("/", &small).key(key).build()).await);
    let unfinished = answer.job_id();
    world.watch.take_calls();
    let control = Arc::new(ControlService::new(context()));
    let about = |method: Method| RequestBuilder::new(method, "/").key(key).parameter("job_id", &unfinished).build();
    let answer = Answer::of(cancel_job::handle(control.clone(), about(Method::POST)).await);
    check("POST /v1/jobs/{job_id}/cancel", answer, 200, &[KEY, "GetItem", TRANSACTION, MESSAGE, "GetItem"]);
    let answer = Answer::of(delete_job::handle(control, about(Method::DELETE)).await);
    check(
        "DELETE /v1/jobs/{job_id}",
        answer,
        204,
        &[KEY, "GetItem", "DeleteObjects", "Query", "UpdateItem", "UpdateItem"],
    );
    let answer =
        Answer::of(get_account_usage::handle(context(), get("/").key(key).query("groupBy", "day").build()).await);
    check("GET /v1/account/usage of some days", answer, 200, &[KEY, "Query"]);
    let answer = Answer::of(get_account_usage::handle(context(), get("/").key(key).build()).await);
    check("GET /v1/account/usage", answer, 200, &[KEY, "Query", "Query", "Query"]);
    let answer = Answer::of(test_webhook::handle(tests.clone(), post("/", &hook).key(key).build()).await);
    check("POST /v1/webhooks/test", answer, 200, &[KEY, "PutItem"]);
}

/// Uploads four bytes and returns the upload's id.
async fn put_upload(upload: &Value) -> String {
    let put = reqwest::Client::new().put(upload["url"].as_str().unwrap()).body("<p>x");
    let headers = upload["headers"].as_object().unwrap();
    let put = headers.iter().fold(put, |put, (name, value)| put.header(name, value.as_str().unwrap()));
    put.send().await.unwrap().error_for_status().unwrap();
    upload["id"].as_str().unwrap().to_owned()
}

async fn complete(world: &World, id: &str) {
    let job = claim(&world.context.jobs, JobId::parse(id).unwrap()).await;
    world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();
}

/// A page takes two rounds of reads: its data is read while the session is looked up.
#[tokio::test]
async fn each_page_keeps_its_budget_of_read_rounds() {
    let world = World::new();
    let account = world.account(100).await;
    let (user, admin) = (Visitor::of(&world, &account).await, Visitor::admin(&world, &account).await);
    let made = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    let id = Answer::of(create_job::handle(world.service.clone(), made).await).job_id();
    let own = format!("/admin/accounts/{}", account.id);
    // Reads the settings and makes connections.
    user.get("/app").await;
    for (path, visitor, most) in [
        ("/plans", &user, 1),
        ("/app/tools", &user, 1),
        ("/app/playground", &user, 1),
        ("/app/keys/new", &user, 1),
        ("/app/keys", &user, 2),
        ("/app", &user, 2),
        ("/app/fonts", &user, 1),
        ("/app/templates", &user, 1),
        ("/app/jobs", &user, 2),
        ("/app/jobs?status=queued", &user, 2),
        (&format!("/app/jobs/{id}"), &user, 2),
        ("/app/webhooks", &user, 2),
        ("/admin/tools", &admin, 2),
        ("/admin/plans", &admin, 2),
        ("/admin/accounts", &admin, 2),
        (&format!("/admin/accounts?q={}", user.email), &admin, 2),
        (&own, &admin, 2),
        (&format!("{own}/edit"), &admin, 2),
        ("/admin/audit", &admin, 2),
        ("/admin/health", &admin, 2),
    ] {
        // The shortest of ten at most: settings are read again now and then, and on a busy machine parallel calls may be sent one
        // after the other. A call that really waits for another does so every time.
        let mut shortest = (usize::MAX, Vec::new());
        for _ in 0..10 {
            if shortest.0 <= most {
                break;
            }
            world.watch.take_calls();
            world.watch.take_chain();
            let status = visitor.get(path).await.status;
            let (calls, chain) = (world.watch.take_calls(), world.watch.take_chain());
            assert!(matches!(status, 200 | 303), "{path}: {status}");
            if chain < shortest.0 {
                shortest = (chain, calls);
            }
        }
        let (chain, calls) = shortest;
        assert!(chain <= most, "{path}: {chain} rounds, not {most}: {calls:?}");
    }
}
