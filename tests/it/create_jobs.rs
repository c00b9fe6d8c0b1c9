//! The four creating endpoints: they share one path, and refused requests change nothing.

use docmill_domain::api_key::Mode;
use docmill_domain::job::{JobId, Payload};
use functions::{convert_html_to_pdf, convert_office_to_pdf, create_job, create_tool_job};
use serde_json::{Value, json};

use crate::support::http::{Answer, RequestBuilder, post};
use crate::support::world::World;

const SOURCE: &str = "https://files.example/report.docx";

async fn create(world: &World, request: RequestBuilder) -> Answer {
    Answer::of(create_job::handle(world.service.clone(), request.build()).await)
}

#[tokio::test]
async fn all_four_endpoints_create_the_same_job() {
    let world = World::new();
    let account = world.account(10).await;
    let long = json!({"input": {"sourceUrl": SOURCE}, "options": {"conversionProviderMode": "best_output"}});
    let short = json!({"sourceUrl": SOURCE, "conversionProviderMode": "best_output"});
    let mut named = short.clone();
    named["toolSlug"] = json!("office-to-pdf");

    let service = || world.service.clone();
    let by_path = post("/", &long).parameter("tool_slug", "office-to-pdf").key(&account.key).build();
    let answers = [
        Answer::of(create_tool_job::handle(service(), by_path).await),
        Answer::of(create_job::handle(service(), post("/", &named).key(&account.key).build()).await),
        Answer::of(convert_office_to_pdf::handle(service(), post("/", &short).key(&account.key).build()).await),
    ];
    for answer in &answers {
        assert_eq!(answer.status, 202);
        let job = &answer.body["job"];
        assert_eq!(job["status"], "queued");
        assert_eq!(job["toolSlug"], "office-to-pdf");
        assert_eq!(job["input"], json!({"sourceUrl": SOURCE}));
        assert_eq!(job["options"], json!({"conversionProviderMode": "best_output"}));
        assert_eq!(job["credits"], json!({"charged": 1, "refunded": 0}));
        assert_eq!((&job["mode"], &job["testMode"]), (&json!("live"), &json!(false)));
        assert_eq!(answer.header("location"), Some(format!("/v1/jobs/{}", answer.job_id()).as_str()));
    }
    let html = post("/", &json!({"html": "<p>hello", "metadata": {"order": "7"}})).key(&account.key).build();
    let answer = Answer::of(convert_html_to_pdf::handle(service(), html).await);
    assert_eq!(answer.body["job"]["toolSlug"], "html-to-pdf");
    assert_eq!(answer.body["job"]["metadata"], json!({"order": "7"}));
    assert_eq!(world.spent(&account).await, (4, 4));
}

#[tokio::test]
async fn a_misspelled_option_is_a_warning_or_an_error_as_the_client_asks() {
    let world = World::new();
    let account = world.account(10).await;
    let options = json!({"imageQualty": 80, "pageRange": "1"});
    let body = json!({"toolSlug": "office-to-pdf", "sourceUrl": SOURCE, "options": options, "glitter": 1});
    let request = || post("/v1/jobs", &body).key(&account.key);

    for lenient in [request(), request().header("docmill-strict", "false")] {
        let job = create(&world, lenient).await.body["job"].clone();
        let warnings: Vec<_> = job["warnings"].as_array().unwrap().iter().map(|warning| &warning["detail"]).collect();
        assert_eq!(warnings, ["/glitter", "/options/imageQualty"]);
        assert_eq!(job["options"], json!({"pageRange": "1"}));
    }
    assert_eq!(world.spent(&account).await, (2, 2));

    let strict = create(&world, request().header("docmill-strict", "true")).await;
    assert_eq!(strict.refusal(), (422, "validation_failed"));
    let told = json!([
        {"path": "/glitter", "message": "is not a known property."},
        {"path": "/options/imageQualty", "message": "is not a known property. Did you mean `imageQuality`?"},
    ]);
    assert_eq!(strict.body["error"]["details"], told);
    let unclear = create(&world, request().header("docmill-strict", "yes")).await;
    assert_eq!(unclear.body["error"]["details"][0]["path"], "Docmill-Strict");
    assert_eq!(world.spent(&account).await, (2, 2));

    let right = json!({"toolSlug": "office-to-pdf", "sourceUrl": SOURCE, "options": {"imageQuality": 80}});
    let right = create(&world, post("/v1/jobs", &right).key(&account.key).header("docmill-strict", "true")).await;
    assert_eq!((right.status, &right.body["job"]["warnings"]), (202, &json!(null)));
}

#[tokio::test]
async fn refused_requests_change_nothing() {
    let world = World::new();
    let account = world.account(10).await;
    let valid = json!({"toolSlug": "office-to-pdf", "sourceUrl": SOURCE});
    let request = |body: &Value| post("/v1/jobs", body).key(&account.key);
    let without = |mut body: Value, name: &str| {
        body.as_object_mut().unwrap().remove(name);
        body
    };
    let cases = [
        (request(&valid).raw_body(vec![b' '; (1 << 20) + 1]), 413, "payload_too_large"),
        (request(&valid).raw_body(""), 400, "invalid_json"),
        (request(&valid).without_header("content-type"), 415, "unsupported_media_type"),
        (request(&valid).header("content-type", "text/plain"), 415, "unsupported_media_type"),
        (request(&valid).raw_body("{\"toolSlug\":"), 400, "invalid_json"),
        (request(&valid).raw_body("[1]"), 400, "invalid_json"),
        (request(&valid).header("idempotency-key", ""), 400, "invalid_idempotency_key"),
        (request(&valid).raw_header("idempotency-key", b"caf\xc3\xa9"), 400, "invalid_idempotency_key"),
        (request(&valid).header("idempotency-key", &"k".repeat(256)), 400, "invalid_idempotency_key"),
        (request(&without(valid.clone(), "toolSlug")), 422, "validation_failed"),
        (request(&json!({"toolSlug": 7})), 422, "validation_failed"),
        (request(&json!({"toolSlug": ""})), 422, "validation_failed"),
        (request(&json!({"toolSlug": "pdf-to-gold"})), 404, "tool_not_found"),
        (request(&without(valid.clone(), "sourceUrl")), 422, "validation_failed"),
        (request(&json!({"toolSlug": "office-to-pdf", "sourceUrl": "ftp://a/b"})), 422, "validation_failed"),
        (
            request(&json!({"toolSlug": "office-to-pdf", "sourceUrl": "https://u:p@a.example/"})),
            422,
            "validation_failed",
        ),
        (request(&json!({"toolSlug": "html-to-pdf", "url": SOURCE, "html": "x"})), 422, "validation_failed"),
    ];
    for (number, (request, status, code)) in cases.into_iter().enumerate() {
        let answer = create(&world, request).await;
        assert_eq!(answer.refusal(), (status, code), "case {number}: {}", answer.body);
        assert_eq!(answer.body["error"]["details"].is_array(), code == "validation_failed", "case {number}");
    }
    assert_eq!(world.spent(&account).await, (0, 0));
}

#[tokio::test]
async fn a_slug_in_the_body_must_not_contradict_the_path() {
    let world = World::new();
    let account = world.account(10).await;
    let body = json!({"toolSlug": "html-to-pdf", "sourceUrl": SOURCE});
    let request = post("/", &body).parameter("tool_slug", "office-to-pdf").key(&account.key).build();
    let answer = Answer::of(create_tool_job::handle(world.service.clone(), request).await);
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    assert_eq!(answer.body["error"]["details"][0]["path"], "/toolSlug");
}

#[tokio::test]
async fn a_key_may_be_bound_to_tools() {
    let world = World::new();
    let account = world.account(10).await;
    let bound =
        world.another_key(&account, Mode::Live, |key| key.allowed_tools = Some(vec!["html-to-pdf".into()])).await;
    let request = post("/v1/jobs", &json!({"toolSlug": "office-to-pdf", "sourceUrl": SOURCE})).key(&bound);
    assert_eq!(create(&world, request).await.refusal(), (403, "tool_not_allowed"));
}

#[tokio::test]
async fn secrets_are_stored_apart_and_never_shown() {
    let world = World::new();
    let account = world.account(10).await;
    let body = json!({
        "toolSlug": "office-to-pdf",
        "sourceUrl": format!("{SOURCE}?signature=canary"),
        "options": {"password": "canary"},
        "unknownThing": "canary",
    });
    let answer = create(&world, post("/v1/jobs", &body).key(&account.key)).await;
    assert_eq!(answer.status, 202);
    assert!(!answer.body.to_string().contains("canary"), "{}", answer.body);
    assert_eq!(answer.body["job"]["warnings"][0]["code"], "unknown_option");

    let id = JobId::parse(&answer.job_id()).unwrap();
    let mut job = world.context.jobs.get(id).await.unwrap().unwrap();
    let Some(Payload::Stored(key)) = job.request.secret.take() else {
        panic!("the table's backups would keep the password")
    };
    let payload = world.context.files.get_text(&key).await.unwrap();
    assert!(payload.contains("signature=canary") && payload.contains("\"password\":\"canary\""));
    assert!(!serde_json::to_string(&job).unwrap().contains("canary"), "a secret in the table");
}

#[tokio::test]
async fn an_unknown_option_of_a_step_is_in_the_jobs_warnings() {
    let world = World::new();
    let account = world.account(10).await;
    let then = json!([{"toolSlug": "compress-pdf", "options": {"presett": "small"}}]);
    let body = json!({"toolSlug": "office-to-pdf", "sourceUrl": SOURCE, "then": then});
    let answer = create(&world, post("/v1/jobs", &body).key(&account.key)).await;
    assert_eq!(answer.status, 202);
    let warning = &answer.body["job"]["warnings"][0];
    assert_eq!((&warning["code"], &warning["detail"]), (&json!("unknown_option"), &json!("/then/0/options/presett")));
    assert!(warning["message"].as_str().unwrap().ends_with("Did you mean `preset`?"), "{warning}");
}

#[tokio::test]
async fn large_inline_html_goes_to_the_bucket_first() {
    let world = World::new();
    let account = world.account(10).await;
    let html = format!("<p>{}</p>", "long ".repeat(8000));
    let answer = create(&world, post("/", &json!({"toolSlug": "html-to-pdf", "html": html})).key(&account.key)).await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.body["job"]["input"]["html"]["bytes"], html.len());
    let id = JobId::parse(&answer.job_id()).unwrap();
    let job = world.context.jobs.get(id).await.unwrap().unwrap();
    let Some(Payload::Stored(key)) = job.request.secret else { panic!("a large payload is kept in the bucket") };
    assert_eq!(key, format!("inputs/{}/{id}", account.id));
    let stored: Value = serde_json::from_str(&world.context.files.get_text(&key).await.unwrap()).unwrap();
    assert_eq!(stored["input"]["html"], html);
}

#[tokio::test]
async fn the_payload_of_a_refused_job_is_not_kept() {
    let world = World::new();
    let account = world.account(0).await;
    let body = json!({"toolSlug": "html-to-pdf", "html": "<p>long".repeat(6000)});
    assert_eq!(create(&world, post("/", &body).key(&account.key)).await.refusal(), (402, "insufficient_credits"));
    let calls = world.watch.take_calls();
    let last = |name: &str| calls.iter().rposition(|call| call == name);
    assert!(last("PutObject").is_some() && last("DeleteObject") > last("PutObject"), "{calls:?}");
}

#[tokio::test]
async fn a_test_key_is_not_charged_and_has_its_daily_allowance() {
    let world = World::new();
    let account = world.account(0).await;
    let key = world.another_key(&account, Mode::Test, |_| {}).await;
    for number in 0..101 {
        let answer = create(&world, post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>"})).key(&key)).await;
        if number < 100 {
            assert_eq!(answer.status, 202, "job {number}: {}", answer.body);
            assert_eq!(answer.body["job"]["testMode"], true);
            assert_eq!(answer.body["job"]["credits"]["charged"], 0);
        } else {
            assert_eq!(answer.refusal(), (429, "rate_limited"));
            let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=86_400).contains(&seconds));
        }
    }
    assert_eq!(world.spent(&account).await, (0, 0));
}
