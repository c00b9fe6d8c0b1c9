//! Stored templates: adding, listing, showing and deleting them, and the jobs that name them.

use std::sync::Arc;

use docmill_app::templates::TemplateService;
use docmill_aws::files::{ObjectKey, template_folder};
use docmill_config::clock;
use docmill_domain::job::{JobErrorCode, JobId, Payload};
use docmill_domain::template::{TemplateName, Version};
use docmill_domain::upload::UploadId;
use docmill_fetch::Fetched;
use functions::{create_job, create_template, create_tool_job, delete_template, get_template, list_templates};
use futures_util::future::join_all;
use lambda_http::http::Method;
use serde_json::{Value, json};
use worker::account_files::AccountFiles;

use crate::clients::root;
use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::visitor::Visitor;
use crate::support::world::{Account, World};

const PAGE: &str = "<p>{customer} {#items}{price|number}{/items}</p>";

pub fn service(world: &World) -> Arc<TemplateService> {
    Arc::new(TemplateService::new(world.context.clone()))
}

/// The id of an upload with this page.
pub async fn uploaded(world: &World, account: &Account, page: &str) -> String {
    let upload = UploadId::new();
    let key = ObjectKey::Upload { account: &account.id, upload };
    world.context.files.put_bytes(&key, page.as_bytes().to_vec(), "text/html").await.unwrap();
    upload.to_string()
}

async fn post_template(world: &World, account: &Account, body: &Value) -> Answer {
    let request = post("/v1/templates", body).key(&account.key).build();
    Answer::of(create_template::handle(service(world), request).await)
}

pub async fn add(world: &World, account: &Account, name: &str, page: &str) -> Answer {
    let upload = uploaded(world, account, page).await;
    add_upload(world, account, name, &upload).await
}

pub async fn add_upload(world: &World, account: &Account, name: &str, upload: &str) -> Answer {
    post_template(world, account, &json!({"name": name, "uploadId": upload})).await
}

pub async fn list(world: &World, account: &Account) -> Vec<Value> {
    let request = get("/v1/templates").key(&account.key).build();
    let answer = Answer::of(list_templates::handle(service(world), request).await);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["templates"].as_array().unwrap().clone()
}

fn about(method: Method, account: &Account, name: &str, version: Option<&str>) -> RequestBuilder {
    let request = RequestBuilder::new(method, "/v1/templates/x").key(&account.key).parameter("template_name", name);
    match version {
        Some(version) => request.query("version", version),
        None => request,
    }
}

pub async fn show(world: &World, account: &Account, name: &str, version: Option<&str>) -> Answer {
    let request = about(Method::GET, account, name, version).build();
    Answer::of(get_template::handle(service(world), request).await)
}

pub async fn delete(world: &World, account: &Account, name: &str, version: Option<&str>) -> Answer {
    let request = about(Method::DELETE, account, name, version).build();
    Answer::of(delete_template::handle(service(world), request).await)
}

pub fn named(name: &str) -> TemplateName {
    TemplateName::parse(name).unwrap()
}

pub async fn files(world: &World, account: &Account, name: &str) -> usize {
    world.context.files.list(&template_folder(&account.id, &named(name))).await.unwrap().len()
}

fn numbers(template: &Value) -> Vec<u64> {
    template["versions"].as_array().unwrap().iter().map(|version| version["version"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn versions_are_added_shown_listed_and_deleted() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    let upload = uploaded(&world, &owner, PAGE).await;
    let body = json!({"name": "invoice", "uploadId": upload});
    let first = post_template(&world, &owner, &body).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let template = &first.body["template"];
    assert_eq!(
        (&template["name"], &template["version"], &template["format"], &template["bytes"]),
        (&json!("invoice"), &json!(1), &json!("html"), &json!(PAGE.len()))
    );
    assert_eq!(template["schema"]["properties"]["items"]["items"]["properties"]["price"]["type"], "number");
    assert!(template["example"]["customer"].is_string());
    // The same request again, and another upload of the same name.
    let repeated = post_template(&world, &owner, &body).await;
    assert_eq!((repeated.status, &repeated.body["template"]), (200, template));
    let second = add(&world, &owner, "invoice", "<p>{other}").await;
    assert_eq!((second.status, &second.body["template"]["version"]), (201, &json!(2)));
    assert_eq!(add(&world, &owner, "Letter", PAGE).await.body["template"]["version"], 1);

    let listed = list(&world, &owner).await;
    let names: Vec<_> = listed.iter().map(|template| (&template["name"], &template["version"])).collect();
    assert_eq!(names, [(&json!("Letter"), &json!(1)), (&json!("invoice"), &json!(2))]);
    assert!(listed[0].get("schema").is_none());
    let newest = show(&world, &owner, "invoice", None).await;
    assert_eq!(newest.body["template"]["schema"]["required"], json!(["other"]));
    assert_eq!(numbers(&newest.body["template"]), [1, 2]);
    let earlier = show(&world, &owner, "invoice", Some("1")).await;
    assert_eq!(earlier.body["template"]["example"], template["example"]);

    for (name, version) in [("invoice", Some("3")), ("none", None), ("a/b", None)] {
        assert_eq!(show(&world, &owner, name, version).await.refusal(), (404, "template_not_found"));
        assert_eq!(delete(&world, &owner, name, version).await.refusal(), (404, "template_not_found"));
    }
    assert_eq!(list(&world, &stranger).await, Vec::<Value>::new());
    assert_eq!(show(&world, &stranger, "invoice", None).await.refusal(), (404, "template_not_found"));
    assert_eq!(delete(&world, &stranger, "invoice", None).await.refusal(), (404, "template_not_found"));

    assert_eq!(files(&world, &owner, "invoice").await, 4);
    assert_eq!(delete(&world, &owner, "invoice", Some("2")).await.status, 204);
    assert_eq!(files(&world, &owner, "invoice").await, 2);
    assert_eq!(show(&world, &owner, "invoice", None).await.body["template"]["version"], 1);
    // No number is given twice.
    assert_eq!(add(&world, &owner, "invoice", PAGE).await.body["template"]["version"], 3);
    assert_eq!(delete(&world, &owner, "invoice", None).await.status, 204);
    assert_eq!(delete(&world, &owner, "invoice", None).await.refusal(), (404, "template_not_found"));
    assert_eq!((files(&world, &owner, "invoice").await, list(&world, &owner).await.len()), (0, 1));
    assert_eq!(add(&world, &owner, "invoice", PAGE).await.body["template"]["version"], 4);
}

#[tokio::test]
async fn a_misspelled_parameter_never_means_all_versions() {
    let world = World::new();
    let owner = world.account(0).await;
    assert_eq!(add(&world, &owner, "invoice", PAGE).await.status, 201);
    let twice = about(Method::DELETE, &owner, "invoice", Some("1")).query("version", "2").build();
    let misspelled = about(Method::DELETE, &owner, "invoice", None).query("versoin", "1").build();
    for request in [twice, misspelled] {
        let answer = Answer::of(delete_template::handle(service(&world), request).await);
        assert_eq!(answer.refusal(), (422, "validation_failed"));
    }
    for version in ["0", "newest", ""] {
        let answer = delete(&world, &owner, "invoice", Some(version)).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"));
        assert_eq!(answer.body["error"]["details"][0]["path"], "?version");
    }
    assert_eq!(list(&world, &owner).await.len(), 1);
}

#[tokio::test]
async fn unusable_templates_are_refused_with_all_reasons_and_not_stored() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    let answer = add(&world, &owner, "invoice", "<p>{#items}</p>\n<p>{name|uper}</p>").await;
    assert_eq!(answer.refusal(), (422, "invalid_template"));
    let details = answer.body["error"]["details"].as_array().unwrap();
    assert_eq!(details.len(), 2, "{details:?}");
    let told = format!("{details:?}");
    assert!(told.contains("`upper`") && told.contains("is not closed"), "{told}");
    assert_eq!(add(&world, &owner, "invoice", "").await.refusal(), (422, "invalid_template"));

    let foreign = uploaded(&world, &stranger, PAGE).await;
    for upload in [foreign, UploadId::new().to_string(), "upl_1".to_owned()] {
        let answer = post_template(&world, &owner, &json!({"name": "invoice", "uploadId": upload})).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"));
        assert_eq!(answer.body["error"]["details"][0]["path"], "/uploadId");
    }
    assert_eq!((list(&world, &owner).await.len(), files(&world, &owner, "invoice").await), (0, 0));
}

pub fn version(number: u32) -> Version {
    Version {
        version: number,
        format: docmill_formats::Format::Html,
        bytes: 7,
        created_at: clock::now(),
        upload: UploadId::new().to_string(),
        file: format!("file-{number}"),
        delimiters: None,
    }
}

/// Each upload gets its own version, whoever comes first.
#[tokio::test]
async fn uploads_of_one_name_at_once_get_different_versions() {
    let world = World::new();
    let account = world.account(0).await;
    let added = join_all((0..5).map(|_| add(&world, &account, "invoice", PAGE))).await;
    let mut given: Vec<_> = added.iter().map(|answer| answer.body["template"]["version"].as_u64()).collect();
    given.sort_unstable();
    assert_eq!(given, [1, 2, 3, 4, 5].map(Some));
    assert_eq!(numbers(&list(&world, &account).await[0]), [1, 2, 3, 4, 5]);
    assert_eq!(files(&world, &account, "invoice").await, 10, "what lost a race is deleted");
}

#[tokio::test]
async fn a_repeated_request_is_one_version_even_at_once() {
    let world = World::new();
    let account = world.account(0).await;
    let upload = uploaded(&world, &account, PAGE).await;
    let body = json!({"name": "invoice", "uploadId": upload});
    let answers = join_all((0..4).map(|_| post_template(&world, &account, &body))).await;
    let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert!(answers.iter().all(|answer| answer.body["template"]["version"] == 1));
    assert_eq!(files(&world, &account, "invoice").await, 2);

    // The response of a request is lost after its write.
    let upload = uploaded(&world, &account, PAGE).await;
    let body = json!({"name": "invoice", "uploadId": upload});
    world.watch.inject((0..3).map(|_| Fault::lost_answer("TransactWriteItems")));
    post_template(&world, &account, &body).await;
    world.watch.clear();
    let again = post_template(&world, &account, &body).await;
    assert_eq!((again.status, &again.body["template"]["version"]), (200, &json!(2)));
    assert_eq!(numbers(&again.body["template"]), [1, 2]);

    // With other delimiters, the same upload is another template.
    let body = json!({"name": "invoice", "uploadId": upload, "delimiters": {"open": "[[", "close": "]]"}});
    let other = post_template(&world, &account, &body).await;
    assert_eq!((other.status, &other.body["template"]["version"]), (201, &json!(3)));
    assert_eq!(other.body["template"]["delimiters"]["open"], "[[");
}

/// In any order of events, listed versions have their files, and no other file is left.
#[tokio::test]
async fn a_deletion_during_additions_loses_none_of_them() {
    let world = World::new();
    let account = world.account(0).await;
    assert_eq!(add(&world, &account, "invoice", PAGE).await.status, 201);
    let adding = join_all((0..4).map(|_| add(&world, &account, "invoice", PAGE)));
    let (added, deleted) = tokio::join!(adding, delete(&world, &account, "invoice", None));
    assert_eq!(deleted.status, 204);
    assert!(added.iter().all(|answer| answer.status == 201), "{added:?}");
    let kept = list(&world, &account).await.first().map(numbers).unwrap_or_default();
    assert_eq!(files(&world, &account, "invoice").await, 2 * kept.len());
    for version in kept {
        assert_eq!(show(&world, &account, "invoice", Some(&version.to_string())).await.status, 200);
    }
}

async fn create_job(world: &World, account: &Account, body: &Value) -> Answer {
    let request = post("/v1/tools/render-template/jobs", body).key(&account.key);
    let request = request.header("idempotency-key", "one").parameter("tool_slug", "render-template").build();
    Answer::of(create_tool_job::handle(world.service.clone(), request).await)
}

async fn read(world: &World, account: &Account, version: u32) -> Result<String, JobErrorCode> {
    let scratch = tempfile::tempdir().unwrap();
    let clock = clock::Clock::default();
    let shelf = AccountFiles {
        files: &world.context.files,
        jobs: &world.context.jobs,
        templates: &world.context.templates,
        clock: &clock,
        account: &account.id,
    };
    let budget = docmill_sources::Budget::of(&docmill_engine::Limits::default());
    let fetched = shelf.template(&named("invoice"), version, &scratch.path().join("source"), &budget).await;
    let Fetched { path, filename, content_type, .. } = fetched.map_err(|failure| failure.code)?;
    assert_eq!(
        (filename.as_deref(), content_type.as_deref()),
        (Some("invoice.html"), Some("text/html; charset=utf-8"))
    );
    Ok(std::fs::read_to_string(path).unwrap())
}

#[tokio::test]
async fn a_job_keeps_the_version_that_was_the_newest_when_it_was_created() {
    let world = World::new();
    let (owner, stranger) = (world.account(5).await, world.account(5).await);
    let upload = uploaded(&world, &owner, "<p>[[a]] {").await;
    let delimiters = json!({"open": "[[", "close": "]]"});
    let body = json!({"name": "invoice", "uploadId": upload, "delimiters": delimiters});
    let added = post_template(&world, &owner, &body).await;
    assert_eq!(added.body["template"]["delimiters"], delimiters, "{}", added.body);

    let body = json!({"template": {"name": "invoice"}, "options": {"data": {"a": 1}}});
    let created = create_job(&world, &owner, &body).await;
    assert_eq!(created.status, 202, "{}", created.body);
    let job = &created.body["job"];
    assert_eq!(job["input"], json!({"template": {"name": "invoice", "version": 1}}));
    assert_eq!(job["options"], json!({"data": "[redacted]", "delimiters": delimiters}));
    let stored = world.context.jobs.get(JobId::parse(&created.job_id()).unwrap()).await.unwrap().unwrap();
    let Some(Payload::Inline(payload)) = stored.request.secret else { panic!("inline") };
    let payload: Value = serde_json::from_str(&payload).unwrap();
    assert_eq!((&payload["input"]["template"]["version"], &payload["options"]["delimiters"]), (&json!(1), &delimiters));

    // A repeated request is the same request, although there is a newer version now.
    assert_eq!(add(&world, &owner, "invoice", PAGE).await.body["template"]["version"], 2);
    let repeated = create_job(&world, &owner, &body).await;
    assert_eq!((repeated.status, repeated.job_id()), (202, created.job_id()));
    assert_eq!(read(&world, &owner, 1).await.unwrap(), "<p>[[a]] {");
    assert_eq!(read(&world, &owner, 2).await.unwrap(), PAGE);
    assert_eq!(read(&world, &stranger, 1).await, Err(JobErrorCode::SourceUnreachable));

    // Deleted while the job waits: it fails, and a repeated request still finds it.
    assert_eq!(delete(&world, &owner, "invoice", Some("1")).await.status, 204);
    assert_eq!(read(&world, &owner, 1).await, Err(JobErrorCode::SourceUnreachable));
    assert_eq!(read(&world, &owner, 2).await.unwrap(), PAGE);
    assert_eq!(delete(&world, &owner, "invoice", None).await.status, 204);
    assert_eq!(create_job(&world, &owner, &body).await.job_id(), created.job_id());
}

#[tokio::test]
async fn a_job_that_names_no_template_of_its_account_is_refused() {
    let world = World::new();
    let (owner, stranger) = (world.account(5).await, world.account(5).await);
    assert_eq!(add(&world, &owner, "invoice", PAGE).await.status, 201);
    let refused = async |account: &Account, body: Value| {
        let request = post("/v1/jobs", &body).key(&account.key).build();
        let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
        assert_eq!(answer.refusal(), (422, "validation_failed"), "{body}");
        answer.body["error"]["details"][0]["path"].as_str().unwrap().to_owned()
    };
    let body = |template: Value| json!({"toolSlug": "render-template", "template": template, "options": {"data": {}}});
    assert_eq!(refused(&stranger, body(json!({"name": "invoice"}))).await, "/template");
    assert_eq!(refused(&owner, body(json!({"name": "invoice", "version": 2}))).await, "/template");
    assert_eq!(refused(&owner, body(json!({"name": "a/b"}))).await, "/template/name");
    let nested =
        json!({"toolSlug": "render-template", "input": {"template": {"name": "none"}}, "options": {"data": {}}});
    assert_eq!(refused(&owner, nested).await, "/input/template");
    assert_eq!(world.spent(&owner).await, (0, 0));
}

/// Follows the page's script: a template is added by its own request, and the list is fetched again.
#[tokio::test]
async fn the_page_of_templates_adds_lists_shows_and_deletes_them() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    let (visitor, other) = (Visitor::of(&world, &owner).await, Visitor::of(&world, &stranger).await);
    let empty = visitor.get("/app/templates").await;
    assert!(empty.text.contains("You have no templates yet"), "{}", empty.text);

    let announce = |bytes: usize| {
        let body = json!({"contentType": "text/html", "bytes": bytes, "filename": "x.html"}).to_string();
        visitor.script("/app/templates/-uploads", "application/json", body)
    };
    let link: Value = serde_json::from_str(&announce(9).await.text).unwrap();
    assert!(link["upload"]["id"].as_str().is_some_and(|id| id.starts_with("upl_")), "{link}");
    for (size, reason) in [(0, "empty"), ((20 << 20) + 1, "too large")] {
        let refused = announce(size).await;
        assert!(refused.status == 422 && refused.text.contains(reason), "{}", refused.text);
    }

    let add = async |visitor: &Visitor, name: &str, upload: String| {
        let form = format!("uploadId={upload}&name={name}");
        visitor.script("/app/templates", "application/x-www-form-urlencoded", form).await
    };
    for expected in [1, 2] {
        let added = add(&visitor, "invoice", uploaded(&world, &owner, PAGE).await).await;
        let template: Value = serde_json::from_str(&added.text).unwrap();
        assert_eq!((added.status, &template["template"]["version"]), (200, &json!(expected)), "{template}");
    }
    let refused = add(&visitor, "invoice", uploaded(&world, &owner, "{#a}\n{b|uper}").await).await;
    assert!(refused.status == 422 && refused.text.contains("`upper`"), "{}", refused.text);
    let refused = add(&visitor, "a b", uploaded(&world, &owner, PAGE).await).await;
    assert!(refused.status == 422 && refused.text.contains("name"), "{}", refused.text);
    let foreign = add(&other, "invoice", uploaded(&world, &owner, PAGE).await).await;
    assert!(foreign.status == 422 && foreign.text.contains("expired"), "{}", foreign.text);

    let rows = visitor.get("/app/templates/-rows").await;
    assert!(rows.text.contains("invoice") && rows.text.contains("HTML"), "{}", rows.text);
    let page = visitor.get("/app/templates/invoice").await;
    assert!(page.text.contains("customer") && page.text.contains("Version 1"), "{}", page.text);
    assert!(page.text.contains("template:invoice") && page.text.contains("docmill.Stored("), "{}", page.text);
    let playground = visitor.get("/app/playground?tool=render-template&template=invoice").await;
    let has_field = |name: &str| playground.text.contains(&format!("name=\"option.data.{name}\""));
    assert!(
        has_field("customer") && playground.text.contains("<option value=\"invoice\" selected"),
        "{}",
        playground.text
    );
    let file = visitor.get("/app/templates/invoice/2/file").await;
    assert_eq!(file.status, 303);
    let stored = reqwest::get(file.header("location")).await.unwrap();
    assert!(stored.headers()["content-disposition"].to_str().unwrap().contains("invoice-2.html"), "{stored:?}");
    assert_eq!(stored.text().await.unwrap(), PAGE);
    for path in [
        "/app/templates/invoice",
        "/app/templates/invoice/2/file",
        "/app/templates/invoice/delete",
        "/app/templates/none",
        "/app/playground?tool=render-template&template=invoice",
    ] {
        assert_eq!(other.get(path).await.status, 404, "{path}");
    }
    assert_eq!(visitor.get("/app/templates/invoice/3/file").await.status, 404);
    assert_eq!(other.post("/app/templates/invoice/delete", &[]).await.status, 404);
    let deleted = visitor.post("/app/templates/invoice/1/delete", &[]).await;
    assert_eq!((deleted.status, deleted.header("location")), (303, "/base/app/templates/invoice"));
    assert_eq!(files(&world, &owner, "invoice").await, 2);
    let deleted = visitor.post("/app/templates/invoice/delete", &[]).await;
    assert_eq!((deleted.status, deleted.header("location")), (303, "/base/app/templates"));
    assert_eq!(files(&world, &owner, "invoice").await, 0);
}

/// The template of the samples, as users would add it.
#[tokio::test]
async fn a_word_document_is_told_by_its_content() {
    let world = World::new();
    let account = world.account(0).await;
    let upload = UploadId::new();
    let key = ObjectKey::Upload { account: &account.id, upload };
    let file = std::fs::read(root().join("samples/invoice-template.docx")).unwrap();
    world.context.files.put_bytes(&key, file, "application/octet-stream").await.unwrap();
    let answer = post_template(&world, &account, &json!({"name": "invoice", "uploadId": upload.to_string()})).await;
    assert_eq!((answer.status, &answer.body["template"]["format"]), (201, &json!("docx")), "{}", answer.body);
    let required = answer.body["template"]["schema"]["required"].as_array().unwrap();
    assert!(["customer", "items"].iter().all(|name| required.contains(&json!(name))), "{required:?}");
}
