//! Compares the OpenAPI description with the code: routes, codes, schemas, examples, and responses of the real handlers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use batch_runner::Runner;
use docmill::clock;
use docmill::context::Context;
use docmill::domain::batch::BatchId;
use docmill::domain::catalogue::Catalogue;
use docmill::domain::event::EventKind;
use docmill::domain::job::{JobErrorCode, JobId, JobStatus, Output};
use docmill::domain::tool::{AccessTier, ToolState};
use docmill::http::batches::{BatchControl, NewBatches};
use docmill::http::error::ErrorCode;
use docmill::http::fonts::FontService;
use docmill::http::routes::ROUTES;
use docmill::http::submit::JobService;
use docmill::store::events::StoredEvent;
use docmill::store::jobs::Completion;
use docmill_webhooks::{KeyRing, Replays, Rotation, SigningKeys};
use get_webhook_keys::KeysDocument;
use lambda_http::http::Method;
use list_jobs::JobList;
use list_jobs::cursor::CursorKey;
use serde_json::{Value, json};

use crate::contract::file;
use crate::fonts::{fixture, uploaded};
use crate::stored_templates;
use crate::support::hooks::{Deliveries, Hooks, Reply};
use crate::support::hooks::{sealing, test_service};
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World, patient_aws};

/// Headers of every response, which come from the gateway and HTTP itself.
const UNDOCUMENTED: [&str; 2] = ["content-type", "cache-control"];

struct Description(Value);

impl Description {
    fn load() -> Self {
        Self(api_docs::description::openapi(&Catalogue::load().unwrap()).unwrap())
    }

    /// Like `load`, but unknown properties are errors. The published one allows additions.
    fn closed() -> Self {
        let mut description = Self::load();
        let tools: BTreeSet<_> = tool_schemas().into_iter().map(|(name, _)| name).collect();
        let schemas = description.0["components"]["schemas"].as_object_mut().unwrap();
        schemas.iter_mut().filter(|(name, _)| !tools.contains(*name)).for_each(|(_, schema)| close(schema));
        description
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.strip_prefix('#').unwrap()).expect(reference),
            None => value,
        }
    }

    fn operation(&self, method: &Method, path: &str) -> &Value {
        &self.0["paths"][path][method.as_str().to_ascii_lowercase()]
    }

    /// All operations, including webhooks, with a name for messages.
    fn operations(&self) -> Vec<(String, &Value)> {
        let items = ["paths", "webhooks"].into_iter().flat_map(|section| self.0[section].as_object().unwrap());
        items
            .flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |(key, value)| (path, key, value)))
            .filter(|(_, key, _)| *key != "parameters")
            .map(|(path, method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
            .collect()
    }

    /// The errors in `value` according to the JSON schema in `content`.
    fn breaches(&self, content: &Value, value: &Value) -> Vec<String> {
        let mut schema = content["application/json"]["schema"].clone();
        schema["components"] = self.0["components"].clone();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// Checks a real response: its status, body and headers must be documented.
    fn check(&self, method: Method, path: &str, answer: &Answer) {
        let what = format!("{method} {path} → {}", answer.status);
        let documented = &self.operation(&method, path)["responses"][answer.status.to_string()];
        assert!(!documented.is_null(), "{what} is not documented");
        let documented = self.resolve(documented);
        if documented["content"].is_null() {
            assert_eq!(answer.body, Value::Null, "{what}");
        } else {
            assert_eq!(self.breaches(&documented["content"], &answer.body), [""; 0], "{what}: {}", answer.body);
        }
        let named = documented["headers"].as_object().unwrap();
        for (name, header) in named {
            let header = self.resolve(header);
            let Some(value) = answer.header(&name.to_lowercase()) else {
                assert_ne!(header["required"], true, "{what} lacks {name}");
                continue;
            };
            let value = if header["schema"]["type"] == "integer" { value.parse().unwrap() } else { json!(value) };
            let validator = jsonschema::options().build(&header["schema"]).unwrap();
            assert!(validator.is_valid(&value), "{what}: {name}: {value}");
        }
        let known: BTreeSet<_> = named.keys().map(|name| name.to_lowercase()).collect();
        for name in answer.headers.keys().map(|name| name.as_str()) {
            assert!(known.contains(name) || UNDOCUMENTED.contains(&name), "{what}: {name} is not documented");
        }
    }
}

/// Forbids undefined properties at every level.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.get("type") == Some(&json!("object")) && object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn tool_schemas() -> Vec<(String, Value)> {
    let name = |slug: &str| api_docs::description::schema_name(slug);
    let catalogue = Catalogue::load().unwrap();
    catalogue
        .tools()
        .iter()
        .map(|tool| (name(&tool.definition.slug), Value::clone(&tool.definition.parameters)))
        .collect()
}

fn strings(value: &Value) -> BTreeSet<&str> {
    value.as_array().unwrap().iter().map(|each| each.as_str().unwrap()).collect()
}

#[test]
fn the_description_has_exactly_the_routes_of_the_code() {
    let description = Description::load();
    let listed: BTreeSet<_> =
        description.operations().into_iter().map(|(name, _)| name).filter(|name| name.contains('/')).collect();
    let mut expected: BTreeSet<_> = ROUTES.iter().map(|(method, path)| format!("{method} {path}")).collect();
    expected.insert("GET /.well-known/docmill-webhooks.json".to_owned());
    assert_eq!(listed, expected);
    assert_eq!(description.0["openapi"], "3.1.0");
    assert_eq!(description.0["info"]["version"], "1.0.0-batch12");
}

#[test]
fn the_description_has_exactly_the_error_codes_of_the_code_under_their_status() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let all: BTreeSet<_> = ErrorCode::ALL.map(ErrorCode::as_str).into();
    assert_eq!(strings(&schemas["Error"]["properties"]["code"]["enum"]), all);

    let mut shown = BTreeSet::new();
    for (name, operation) in description.operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = description.resolve(response);
            let Some(examples) = response["content"]["application/json"]["examples"].as_object() else { continue };
            for (code, _) in examples.iter().filter(|_| status.starts_with(['4', '5'])) {
                let known = ErrorCode::ALL.into_iter().find(|known| known.as_str() == code).expect(code);
                assert_eq!(known.status().as_str(), status, "{name}: {code}");
                shown.insert(known.as_str());
            }
        }
    }
    // These two belong to no operation: they are described separately and in the guide.
    let elsewhere = [ErrorCode::RouteNotFound, ErrorCode::MethodNotAllowed].map(ErrorCode::as_str);
    assert_eq!(&shown | &elsewhere.into(), all);
    assert!(elsewhere.iter().all(|code| description.0["components"]["examples"][code].is_object()));
}

#[test]
fn the_description_has_exactly_the_states_job_errors_and_events_of_the_code() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let job_errors: BTreeSet<_> = JobErrorCode::ALL.map(JobErrorCode::as_str).into();
    assert_eq!(strings(&schemas["JobError"]["properties"]["code"]["enum"]), job_errors);
    let guide = api_docs::guide::all();
    let errors = file("functions/api-docs/guides/errors.md");
    let rows = errors.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| `")?.split(" | ").collect();
        Some((cells[0].trim_end_matches('`'), cells[1], cells[2] != "no |"))
    });
    let known = JobErrorCode::ALL.map(|code| (code.as_str(), code.meaning(), code.is_retryable()));
    assert_eq!(rows.collect::<BTreeSet<_>>(), known.into());
    assert_eq!(strings(&schemas["JobStatus"]["enum"]), JobStatus::ALL.map(JobStatus::as_str).into());
    assert_eq!(strings(&schemas["EventType"]["enum"]), EventKind::ALL.map(EventKind::as_str).into());
    assert!(EventKind::ALL.iter().all(|kind| guide.contains(kind.as_str())));
    let tool = &schemas["Tool"]["properties"];
    serde_json::from_value::<Vec<AccessTier>>(tool["accessTier"]["enum"].clone()).unwrap();
    serde_json::from_value::<Vec<ToolState>>(tool["state"]["enum"].clone()).unwrap();
}

#[test]
fn job_bodies_are_the_schemas_that_are_enforced() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    // A unit test of the documentation compares the schemas themselves.
    let references: Vec<_> = tool_schemas().iter().map(|(name, _)| reference(name)).collect();
    assert_eq!(schemas["ToolJobRequest"]["anyOf"], json!(references));
    for tool in Catalogue::load().unwrap().tools() {
        let slug = &tool.definition.slug;
        let Some(endpoint) = &tool.definition.short_endpoint else { continue };
        let operation = description.operation(&Method::POST, endpoint);
        let name = api_docs::description::schema_name(slug);
        let expected = json!({"$ref": format!("#/components/schemas/{name}")});
        assert_eq!(operation["requestBody"]["content"]["application/json"]["schema"], expected);
    }
}

#[test]
fn every_reference_has_a_target() {
    fn visit(description: &Description, value: &Value) {
        if let Some(reference) = value["$ref"].as_str() {
            let target = reference.strip_prefix('#').and_then(|pointer| description.0.pointer(pointer));
            assert!(target.is_some(), "{reference}");
        }
        match value {
            Value::Object(object) => object.values().for_each(|value| visit(description, value)),
            Value::Array(items) => items.iter().for_each(|value| visit(description, value)),
            _ => {}
        }
    }
    let description = Description::load();
    visit(&description, &description.0);
}

#[test]
fn every_example_fits_its_schema() {
    let description = Description::closed();
    let responses = description.0["components"]["responses"].as_object().unwrap();
    let mut contents: Vec<_> = responses.iter().map(|(name, response)| (name.clone(), &response["content"])).collect();
    for (name, operation) in description.operations() {
        contents.push((format!("{name}, request"), &operation["requestBody"]["content"]));
        let answers = operation["responses"].as_object().unwrap();
        contents.extend(answers.iter().map(|(status, answer)| (format!("{name}, {status}"), &answer["content"])));
    }
    let mut checked = BTreeSet::new();
    for (name, content) in contents {
        let Some(examples) = content["application/json"]["examples"].as_object() else { continue };
        for (title, example) in examples {
            let value = &description.resolve(example)["value"];
            assert_eq!(description.breaches(content, value), [""; 0], "{name}: {title}");
            checked.insert(title.clone());
        }
    }
    let all: BTreeSet<_> = description.0["components"]["examples"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(checked, all, "every example is used");
}

#[test]
fn the_guides_signature_check_is_the_one_that_runs_in_the_python_client() {
    let guide = api_docs::guide::all();
    let code = guide.split("```python\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(code.contains("hmac.compare_digest"));
    let (imports, function) = code.split_once("\n\n\n").unwrap();
    assert!(file("tests/clients/convert.py").contains(function));
    assert_eq!(imports, "import base64, hashlib, hmac, time", "a test runs it");
}

#[tokio::test]
async fn real_answers_are_as_described() {
    let description = Description::closed();
    let world = World::new();
    let account = world.account(3).await;

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

    let cursors = CursorKey::derived_from(&"s".repeat(32)).unwrap();
    let list = Arc::new(JobList { context: world.context.clone(), cursors });
    for (name, value) in [("limit", "1"), ("limit", "0")] {
        let request = get("/v1/jobs").key(&account.key).query(name, value).build();
        let answer = Answer::of(list_jobs::handle(list.clone(), request).await);
        description.check(Method::GET, "/v1/jobs", &answer);
    }

    for body in [json!({"contentType": "text/csv", "bytes": 7, "filename": "a.csv"}), json!({})] {
        let request = post("/", &body).key(&account.key).build();
        let answer = Answer::of(create_upload::handle(world.uploads.clone(), request).await);
        description.check(Method::POST, "/v1/uploads", &answer);
    }

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

    templates(&description, &world, &account).await;
    batches(&description, &world, &account).await;
    world.count(vec![JobId::parse(&created.job_id()).unwrap()]).await;
    let usage = get("/").key(&account.key).build();
    let usage = Answer::of(get_account_usage::handle(world.context.clone(), usage).await);
    assert_eq!(usage.body["usage"]["byTool"].as_array().unwrap().len(), 1);
    description.check(Method::GET, "/v1/account/usage", &usage);

    webhooks(&description, &world, &account).await;
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

/// Checks the responses of the endpoints of templates.
async fn templates(description: &Description, world: &World, account: &Account) {
    let (service, path) = (stored_templates::service(world), "/v1/templates");
    let upload = stored_templates::uploaded(world, account, "<p>{name}</p>").await;
    let wrong = stored_templates::uploaded(world, account, "<p>{#name}</p>").await;
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

/// Checks the responses of the endpoints of batches.
async fn batches(description: &Description, world: &World, account: &Account) {
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
    }
}

/// Checks the responses of webhook endpoints.
async fn webhooks(description: &Description, world: &World, account: &Account) {
    let (hooks, receiver) = (Deliveries::of(world), Hooks::start().await);
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
    hooks.announce(account, &event.id).await;
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
    assert_eq!(description.breaches(&operation["responses"]["200"]["content"], &document), [""; 0]);
}
