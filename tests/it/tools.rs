//! `GET /v1/tools` and `GET /v1/tools/{tool_slug}/schema`.

use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::Catalogue;
use functions::{get_tool_schema, list_tools};
use serde_json::{Value, json};

use crate::support::http::{Answer, get};
use crate::support::world::World;

fn slugs(answer: &Answer) -> Vec<&str> {
    answer.body["tools"].as_array().unwrap().iter().map(|tool| tool["slug"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_list_shows_what_the_key_may_use() {
    let world = World::new();
    let account = world.account(10).await;
    let list = |key| {
        let request = get("/v1/tools").key(key).build();
        let context = world.context.clone();
        async { Answer::of(list_tools::handle(context, request).await) }
    };
    let all = list(&account.key).await;
    let catalogue = Catalogue::load().unwrap();
    let known: Vec<_> = catalogue.tools().iter().map(|tool| tool.definition.slug.as_str()).collect();
    assert_eq!(slugs(&all), known);
    let tool = &all.body["tools"][0];
    for field in ["name", "description", "accessTier", "creditCost", "state", "category"] {
        assert!(!tool[field].is_null(), "{field}");
    }
    assert_eq!(tool["pageVisibility"]["api"], true);
    assert!(tool["endpoints"].as_array().unwrap().contains(&json!("/v1/convert/office-to-pdf")));

    let bound =
        world.another_key(&account, Mode::Live, |key| key.allowed_tools = Some(vec!["html-to-pdf".into()])).await;
    assert_eq!(slugs(&list(&bound).await), ["html-to-pdf"]);
}

#[tokio::test]
async fn an_unchanged_list_is_not_sent_again() {
    let world = World::new();
    let account = world.account(10).await;
    let list = async |etag: Option<&str>| {
        let request = get("/v1/tools").key(&account.key);
        let request = match etag {
            Some(etag) => request.header("if-none-match", etag),
            None => request,
        };
        Answer::of(list_tools::handle(world.context.clone(), request.build()).await)
    };
    let first = list(None).await;
    let etag = first.header("etag").unwrap();
    for known in [etag, &format!("\"other\", W/{etag}"), "*"] {
        let again = list(Some(known)).await;
        assert_eq!((again.status, &again.body), (304, &Value::Null), "{known}");
        assert_eq!(again.header("etag"), Some(etag));
    }
    assert_eq!(list(Some("\"other\"")).await.status, 200);
}

#[tokio::test]
async fn a_schema_is_published_with_modes_format_and_limits() {
    let world = World::new();
    let account = world.account(10).await;
    let schema = async |slug: &str, key| {
        let request = get("/v1/tools/x/schema").parameter("tool_slug", slug).key(key).build();
        Answer::of(get_tool_schema::handle(world.context.clone(), request).await)
    };
    let answer = schema("html-to-pdf", &account.key).await;
    let tool = &answer.body["tool"];
    assert_eq!(tool["supportedModes"], json!(["browser", "basic"]));
    assert_eq!(tool["outputFormat"]["contentType"], "application/pdf");
    assert_eq!(tool["parameters"]["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(tool["metadata"]["limits"]["sourceBytes"], 104_857_600);

    assert_eq!(schema("pdf-to-gold", &account.key).await.refusal(), (404, "tool_not_found"));
    let bound = world.another_key(&account, Mode::Live, |key| key.allowed_tools = Some(vec![])).await;
    assert_eq!(schema("html-to-pdf", &bound).await.refusal(), (403, "tool_not_allowed"));
}
