//! Fonts of accounts: adding, listing and deleting them, and the jobs that use them.

use std::collections::BTreeSet;
use std::sync::Arc;

use docmill_app::fonts::FontService;
use docmill_aws::files::ObjectKey;
use docmill_config::clock;
use docmill_domain::font::{FontFace, FontId, MOST_FONTS, StoredFont};
use docmill_domain::job::JobStatus;
use docmill_domain::upload::UploadId;
use docmill_store::fonts::Added;
use functions::{create_font, delete_font, list_fonts};
use futures_util::future::join_all;
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::visitor::Visitor;
use crate::support::world::{Account, World};
use crate::worker_pipeline::Bench;

pub fn fixture(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fonts").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn service(world: &World) -> Arc<FontService> {
    Arc::new(FontService::new(world.context.clone()))
}

/// The id of an upload with this content.
pub async fn uploaded(world: &World, account: &Account, content: Vec<u8>) -> UploadId {
    let upload = UploadId::new();
    let key = ObjectKey::Upload { account: &account.id, upload };
    world.context.files.put_bytes(&key, content, "font/ttf").await.unwrap();
    upload
}

async fn add_upload(world: &World, account: &Account, upload: &str) -> Answer {
    let request = post("/v1/fonts", &json!({"uploadId": upload})).key(&account.key).build();
    Answer::of(create_font::handle(service(world), request).await)
}

async fn add(world: &World, account: &Account, file: Vec<u8>) -> Answer {
    let upload = uploaded(world, account, file).await;
    add_upload(world, account, &upload.to_string()).await
}

async fn list(world: &World, account: &Account) -> Vec<Value> {
    let answer = Answer::of(list_fonts::handle(service(world), get("/v1/fonts").key(&account.key).build()).await);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["fonts"].as_array().unwrap().clone()
}

async fn delete(world: &World, account: &Account, id: &str) -> Answer {
    let request = RequestBuilder::new(Method::DELETE, "/v1/fonts/x").key(&account.key).parameter("font_id", id).build();
    Answer::of(delete_font::handle(service(world), request).await)
}

pub fn stored(family: &str) -> StoredFont {
    let face = FontFace {
        family: family.to_owned(),
        aliases: BTreeSet::from(["Alias".to_owned()]),
        style: "Regular".to_owned(),
        weight: 400,
        italic: false,
        postscript_name: None,
    };
    let upload = UploadId::new().to_string();
    StoredFont { format: "ttf".to_owned(), bytes: 7, faces: vec![face], created_at: clock::now(), upload }
}

async fn has_file(world: &World, account: &Account, upload: &UploadId) -> bool {
    let key = ObjectKey::Font { account: &account.id, upload: &upload.to_string() };
    world.context.files.exists(&key).await.unwrap()
}

#[tokio::test]
async fn a_font_is_added_once_and_listed_until_it_is_deleted() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    let upload = uploaded(&world, &owner, fixture("pair.ttc")).await;
    let first = add_upload(&world, &owner, &upload.to_string()).await;
    assert_eq!(first.status, 201, "{}", first.body);
    let font = &first.body["font"];
    let id = font["id"].as_str().unwrap();
    assert_eq!(
        (&font["family"], &font["format"], &font["bytes"], &font["faces"]),
        (
            &json!("Probe Pair"),
            &json!("ttc"),
            &json!(fixture("pair.ttc").len()),
            &json!([
                {"family": "Probe Pair", "style": "Regular", "weight": 400, "italic": false, "postscriptName": "ProbePair-Regular"},
                {"family": "Probe Pair", "style": "Bold", "weight": 700, "italic": false, "postscriptName": "ProbePair-Bold"},
            ])
        )
    );
    // The same request again, and the same font from another upload.
    let repeated = add_upload(&world, &owner, &upload.to_string()).await;
    let another = uploaded(&world, &owner, fixture("pair.ttc")).await;
    let same = add_upload(&world, &owner, &another.to_string()).await;
    assert_eq!((repeated.status, &repeated.body["font"], same.status, &same.body["font"]), (200, font, 200, font));
    assert!(has_file(&world, &owner, &upload).await && !has_file(&world, &owner, &another).await);

    assert_eq!(add(&world, &owner, fixture("packed.woff2")).await.status, 201);
    let families: Vec<_> = list(&world, &owner).await.iter().map(|font| font["family"].clone()).collect();
    assert_eq!(families, ["Probe Pair", "Probe Packed"], "the oldest first");
    assert_eq!(list(&world, &stranger).await, Vec::<Value>::new());
    assert_eq!(delete(&world, &stranger, id).await.refusal(), (404, "font_not_found"));
    assert_eq!(delete(&world, &owner, id).await.status, 204);
    assert_eq!(delete(&world, &owner, id).await.refusal(), (404, "font_not_found"));
    assert_eq!(delete(&world, &owner, "fnt_1").await.refusal(), (404, "font_not_found"));
    assert_eq!(list(&world, &owner).await.len(), 1);
    assert!(!has_file(&world, &owner, &upload).await);
}

#[tokio::test]
async fn unusable_fonts_are_refused_with_the_reason_and_not_stored() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    for (file, reason) in [
        (b"%PDF-1.7".to_vec(), "format is not supported"),
        (fixture("locked.ttf"), "does not allow embedding"),
        (fixture("triangle.ttf")[..1000].to_vec(), "damaged"),
    ] {
        let answer = add(&world, &owner, file).await;
        assert_eq!(answer.refusal(), (422, "invalid_font"));
        let message = answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{message}");
    }
    let mut large = fixture("triangle.ttf");
    large.resize(docmill_fonts::MOST_BYTES + 1, 0);
    let answer = add(&world, &owner, large).await;
    assert!(answer.body["error"]["message"].as_str().unwrap().contains("20 MiB"), "{}", answer.body);

    let foreign = uploaded(&world, &stranger, fixture("triangle.ttf")).await.to_string();
    for upload in [foreign, UploadId::new().to_string(), "upl_1".to_owned()] {
        let answer = add_upload(&world, &owner, &upload).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"));
        assert_eq!(answer.body["error"]["details"][0]["path"], "/uploadId");
    }
    let empty = post("/v1/fonts", &json!({})).key(&owner.key).build();
    let answer = Answer::of(create_font::handle(service(&world), empty).await);
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    assert_eq!(list(&world, &owner).await, Vec::<Value>::new());
}

/// Two more fonts are allowed, so two of twenty parallel requests succeed. Deleting makes room again.
#[tokio::test]
async fn an_account_has_fifty_fonts_at_most() {
    let world = World::new();
    let account = world.account(0).await;
    let fonts = &world.context.fonts;
    let add_number = async |number: usize| {
        let name = format!("font {number}");
        fonts.add(&account.id, &FontId::of(name.as_bytes()), &stored(&name)).await.unwrap()
    };
    join_all((0..MOST_FONTS - 2).map(add_number)).await;
    let added = join_all((100..120).map(add_number)).await;
    assert_eq!(added.iter().filter(|added| **added == Added::Yes).count(), 2, "{added:?}");
    assert_eq!(added.iter().filter(|added| **added == Added::Full).count(), 18);
    assert_eq!(fonts.of_account(&account.id).await.unwrap().len(), MOST_FONTS);

    let upload = uploaded(&world, &account, fixture("triangle.ttf")).await;
    let answer = add_upload(&world, &account, &upload.to_string()).await;
    assert_eq!(answer.refusal(), (409, "too_many_fonts"));
    assert!(!has_file(&world, &account, &upload).await);

    let one = FontId::of(b"font 1");
    let removed = join_all((0..4).map(|_| fonts.remove(&account.id, &one))).await;
    assert_eq!(removed.iter().filter(|removed| removed.as_ref().unwrap().is_some()).count(), 1);
    assert_eq!(add(&world, &account, fixture("triangle.ttf")).await.status, 201);
}

#[tokio::test]
async fn the_same_font_added_at_once_is_one() {
    let world = World::new();
    let account = world.account(0).await;
    let (id, font) = (FontId::of(b"a font"), stored("Acme"));
    let added = join_all((0..8).map(|_| world.context.fonts.add(&account.id, &id, &font))).await;
    let added: Vec<_> = added.into_iter().map(Result::unwrap).collect();
    assert_eq!(added.iter().filter(|added| **added == Added::Yes).count(), 1);
    assert_eq!(added.iter().filter(|added| **added == Added::Already(Box::new(font.clone()))).count(), 7);
    assert_eq!(world.context.fonts.of_account(&account.id).await.unwrap(), [(id, font)].into());
}

fn html_job() -> Value {
    json!({"toolSlug": "html-to-pdf", "html": "<p>x"})
}

/// The fonts that a job's engine got.
async fn given(bench: &Bench) -> Vec<(String, Vec<u8>)> {
    bench.deliver().await;
    assert_eq!(bench.job().await.status, JobStatus::Completed);
    bench.engine.fonts()
}

#[tokio::test]
async fn a_job_has_the_fonts_of_its_account_and_a_warm_worker_keeps_them() {
    let world = World::new();
    let (owner, stranger) = (world.account(5).await, world.account(5).await);
    assert_eq!(add(&world, &owner, fixture("triangle.ttf")).await.status, 201);
    assert_eq!(add(&world, &owner, fixture("packed.woff2")).await.status, 201);
    let (owner_key, stranger_key) = (owner.key.clone(), stranger.key.clone());
    let mut bench = Bench::with_job(world, owner, &html_job(), []).await;
    let fonts = given(&bench).await;
    assert_eq!(fonts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["0.ttf", "1.ttf"]);
    assert_eq!(fonts[0].1, docmill_fonts::read(&fixture("triangle.ttf")).unwrap().file);
    let fetched = bench.watch.take_calls().iter().filter(|call| **call == "GetObject").count();
    assert_eq!(fetched, 2);

    // On the same worker, another account's job gets none, and the account's next job only needs one call, for the list.
    for (key, expected) in [(stranger_key, 0), (owner_key, 2)] {
        bench.id = bench.create(&key, &html_job()).await;
        bench.watch.take_calls();
        assert_eq!(given(&bench).await.len(), expected);
        assert_eq!(bench.watch.take_calls().iter().filter(|call| **call == "GetObject").count(), 0);
    }
}

#[tokio::test]
async fn an_account_without_fonts_costs_its_jobs_one_read() {
    let world = World::new();
    let account = world.account(5).await;
    let bench = Bench::with_job(world, account, &html_job(), []).await;
    bench.watch.take_calls();
    assert_eq!(given(&bench).await, []);
    let calls = bench.watch.take_calls();
    let reads = calls.iter().take_while(|call| *call != "PutObject").filter(|call| *call == "GetItem").count();
    assert_eq!(reads, 2, "the running jobs of the account, and its fonts: {calls:?}");
}

#[tokio::test]
async fn a_missing_font_file_is_skipped_and_an_unavailable_bucket_is_our_fault() {
    let world = World::new();
    let account = world.account(5).await;
    let upload = uploaded(&world, &account, fixture("triangle.ttf")).await;
    assert_eq!(add_upload(&world, &account, &upload.to_string()).await.status, 201);
    let (key, id) = (account.key.clone(), account.id.clone());
    let mut bench = Bench::with_job(world, account, &html_job(), []).await;
    bench.watch.inject((0..3).map(|_| Fault::down("GetObject")));
    bench.deliver().await;
    assert_eq!(bench.job().await.status, JobStatus::Queued, "it is tried again");

    let file = ObjectKey::Font { account: &id, upload: &upload.to_string() }.to_string();
    bench.world.context.files.delete(&file).await.unwrap();
    bench.id = bench.create(&key, &html_job()).await;
    assert_eq!(given(&bench).await, []);
}

/// Follows the page's script: each upload is added by its own request, and the list is fetched again.
#[tokio::test]
async fn the_page_of_fonts_adds_lists_and_deletes_them() {
    let world = World::new();
    let (owner, stranger) = (world.account(0).await, world.account(0).await);
    let (visitor, other) = (Visitor::of(&world, &owner).await, Visitor::of(&world, &stranger).await);
    let empty = visitor.get("/app/fonts").await;
    assert!(empty.text.contains("You have no fonts yet") && empty.text.contains("0 of 50 fonts"), "{}", empty.text);

    let announce = |bytes: usize| {
        let body = json!({"contentType": "font/ttf", "bytes": bytes, "filename": "x.ttf"}).to_string();
        visitor.script("/app/fonts/uploads", "application/json", body)
    };
    let link: Value = serde_json::from_str(&announce(9).await.text).unwrap();
    assert!(link["upload"]["id"].as_str().is_some_and(|id| id.starts_with("upl_")), "{link}");
    for (size, reason) in [(0, "empty"), (docmill_fonts::MOST_BYTES + 1, "too large")] {
        let refused = announce(size).await;
        assert!(refused.status == 422 && refused.text.contains(reason), "{}", refused.text);
    }

    let add = async |visitor: &Visitor, upload: UploadId| {
        let form = format!("uploadId={upload}");
        visitor.script("/app/fonts", "application/x-www-form-urlencoded", form).await
    };
    let upload = uploaded(&world, &owner, fixture("pair.ttc")).await;
    let added = add(&visitor, upload).await;
    let font: Value = serde_json::from_str(&added.text).unwrap();
    assert_eq!((added.status, &font["font"]["family"]), (200, &json!("Probe Pair")), "{font}");
    let id = font["font"]["id"].as_str().unwrap();
    let refused = add(&visitor, uploaded(&world, &owner, fixture("locked.ttf")).await).await;
    assert!(refused.status == 422 && refused.text.contains("does not allow embedding"), "{}", refused.text);
    let foreign = add(&other, uploaded(&world, &owner, fixture("triangle.ttf")).await).await;
    assert!(foreign.status == 422 && foreign.text.contains("expired"), "{}", foreign.text);

    let rows = visitor.get("/app/fonts/rows").await;
    assert!(rows.text.contains("Probe Pair") && rows.text.contains("Regular, Bold"), "{}", rows.text);
    let page = visitor.get(&format!("/app/fonts/{id}")).await;
    assert!(page.text.contains("ProbePair-Bold") && page.text.contains("show collections"), "{}", page.text);
    for path in [format!("/app/fonts/{id}"), format!("/app/fonts/{id}/delete")] {
        assert_eq!(other.get(&path).await.status, 404, "{path}");
    }
    assert_eq!(other.post(&format!("/app/fonts/{id}/delete"), &[]).await.status, 404);
    let deleted = visitor.post(&format!("/app/fonts/{id}/delete"), &[]).await;
    assert_eq!((deleted.status, deleted.header("location")), (303, "/base/app/fonts"));
    assert!(!has_file(&world, &owner, &upload).await);
    assert!(visitor.get("/app/fonts").await.text.contains("You have no fonts yet"));
}
