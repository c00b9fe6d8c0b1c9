//! A plan's effect on jobs: allowed tools and limits. The published limits are the enforced ones.

use docmill_domain::account::{AccessTier, Plan};
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::job::{JobErrorCode, JobId};
use docmill_domain::limits::{Ceilings, Limit};
use docmill_store::settings::{Change, Versioned};
use functions::{create_job, create_upload, get_tool_schema};
use serde_json::{Value, json};

use crate::support::http::{Answer, get, post};
use crate::support::world::{Account, World, author};
use crate::worker_pipeline::Bench;

fn ceilings(set: &[(Limit, u64)]) -> Ceilings {
    let mut ceilings = Ceilings::default();
    set.iter().for_each(|(limit, most)| ceilings.set(*limit, Some(*most)));
    ceilings
}

async fn set_plan(world: &World, plan: Plan) {
    let before = world.context.settings.fresh().await.unwrap().versioned_plan(&plan.id);
    let change = world.context.settings.change_plan(&before, &plan, &author()).await.unwrap();
    assert!(matches!(change, Change::Written(_)), "{change:?}");
}

async fn set_service(world: &World, limits: Ceilings) {
    let before = world.context.settings.fresh().await.unwrap().versioned_service();
    let after = docmill_domain::tool::ServiceSettings { limits, ..before.value.clone() };
    let change = world.context.settings.change_service(&before, &after, &author()).await.unwrap();
    assert!(matches!(change, Change::Written(_)), "{change:?}");
}

async fn schema(world: &World, key: &ApiKey, tool: &str) -> Value {
    let request = get("/v1/tools/x/schema").parameter("tool_slug", tool).key(key).build();
    let answer = Answer::of(get_tool_schema::handle(world.context.clone(), request).await);
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body["tool"].clone()
}

async fn merge(world: &World, key: &ApiKey, sources: u64) -> Answer {
    let sources: Vec<_> = (0..sources).map(|_| json!({"html": "<p>x"})).collect();
    let request = post("/", &json!({"toolSlug": "merge-pdf", "sources": sources})).key(key).build();
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

async fn announce(world: &World, key: &ApiKey, bytes: u64) -> Answer {
    let request = post("/v1/uploads", &json!({"contentType": "text/html", "bytes": bytes})).key(key).build();
    Answer::of(create_upload::handle(world.uploads.clone(), request).await)
}

/// Compares the schema's limits for a key with those that its requests and jobs meet.
async fn assert_published_is_enforced(world: &World, key: &ApiKey, expected: &[(Limit, u64)]) {
    let tool = schema(world, key, "merge-pdf").await;
    let published = |limit: Limit| tool["metadata"]["limits"][limit.as_str()].as_u64().unwrap();
    for (limit, value) in expected {
        assert_eq!(published(*limit), *value, "{}", limit.as_str());
    }
    let most = published(Limit::Sources);
    assert_eq!(tool["metadata"]["mostSources"], most);
    assert_eq!(tool["parameters"]["properties"]["sources"]["maxItems"], most);
    assert_eq!(tool["parameters"]["properties"]["input"]["properties"]["sources"]["maxItems"], most);
    assert_eq!(schema(world, key, "split-pdf").await["metadata"]["limits"]["sources"], 1);

    let one_more = merge(world, key, most + 1).await;
    assert_eq!(one_more.refusal(), (422, "validation_failed"));
    assert_eq!(one_more.body["error"]["details"][0]["path"], "/sources");
    let bytes = published(Limit::SourceBytes);
    assert_eq!(announce(world, key, bytes).await.status, 200);
    assert_eq!(announce(world, key, bytes + 1).await.refusal(), (422, "validation_failed"));

    let created = merge(world, key, most).await;
    assert_eq!(created.status, 202, "{}", created.body);
    let job = world.context.jobs.get(JobId::parse(&created.job_id()).unwrap()).await.unwrap().unwrap();
    let enforced = world.config.limits.clone().narrowed_by(&job.request.limits);
    for limit in Limit::ALL {
        assert_eq!(published(limit), enforced.get(limit), "{}", limit.as_str());
    }
}

#[tokio::test]
async fn the_limits_published_for_a_caller_are_enforced() {
    let world = World::with_own_settings().await;
    set_service(&world, ceilings(&[(Limit::Redirects, 2), (Limit::Pages, 500)])).await;
    let (wide, narrow) = (world.plan(100).await, world.plan(100).await);
    let of_plan =
        ceilings(&[(Limit::Pages, 50), (Limit::Sources, 5), (Limit::SourceBytes, 4000), (Limit::Redirects, 9)]);
    set_plan(&world, Plan { limits: of_plan, ..narrow.clone() }).await;
    let (rich, poor) = (world.account_on(&wide.id, 0).await, world.account_on(&narrow.id, 0).await);
    let of_key = ceilings(&[(Limit::Sources, 2), (Limit::SourceBytes, 8000), (Limit::ConversionMs, 5000)]);
    let bound = world.another_key(&poor, Mode::Live, |key| key.limits = of_key).await;

    let widest = [(Limit::Redirects, 2), (Limit::Pages, 500), (Limit::Sources, 100), (Limit::SourceBytes, 100 << 20)];
    assert_published_is_enforced(&world, &rich.key, &widest).await;
    let of_plan = [(Limit::Redirects, 2), (Limit::Pages, 50), (Limit::Sources, 5), (Limit::SourceBytes, 4000)];
    assert_published_is_enforced(&world, &poor.key, &of_plan).await;
    let of_key = [(Limit::Pages, 50), (Limit::Sources, 2), (Limit::SourceBytes, 4000), (Limit::ConversionMs, 5000)];
    assert_published_is_enforced(&world, &bound, &of_key).await;
    world.remove_settings().await;
}

#[tokio::test]
async fn the_rates_published_for_a_key_are_its_own() {
    let world = World::new();
    let account = world.account(1).await;
    let limits = schema(&world, &account.key, "split-pdf").await["metadata"]["limits"].clone();
    let published = ["createsPerMinute", "createBurst", "readsPerMinute", "readBurst"].map(|name| limits[name].clone());
    assert_eq!(json!(published), json!([60, 2000, 60, 2000]));
}

#[tokio::test]
async fn the_worker_keeps_to_the_limits_of_the_jobs_plan() {
    let page = "<p>Too much for this plan";
    for (most, code) in [(page.len() as u64, None), (page.len() as u64 - 1, Some(JobErrorCode::SourceTooLarge))] {
        let world = World::new();
        let account = world.account(1).await;
        // An upload from before the plan was changed.
        let answer = announce(&world, &account.key, page.len() as u64).await;
        let upload = &answer.body["upload"];
        let mut put = reqwest::Client::new().put(upload["url"].as_str().unwrap()).body(page);
        for (name, value) in upload["headers"].as_object().unwrap() {
            put = put.header(name, value.as_str().unwrap());
        }
        assert!(put.send().await.unwrap().status().is_success());
        let plan = world.context.settings.fresh().await.unwrap().plan(&account.plan);
        set_plan(&world, Plan { limits: ceilings(&[(Limit::SourceBytes, most)]), ..plan }).await;
        let body = json!({"toolSlug": "html-to-pdf", "uploadId": upload["id"]});
        let bench = Bench::with_job(World::new(), account, &body, []).await;
        bench.deliver().await;
        assert_eq!(bench.job().await.result.error.map(|error| error.code), code);
    }
}

#[tokio::test]
async fn a_tool_of_a_higher_tier_is_not_for_the_plan() {
    let world = World::with_own_settings().await;
    let tool = world.context.catalogue.find("html-to-pdf").unwrap();
    let before = Versioned { value: tool.definition.settings.clone(), version: 0 };
    let dearer = docmill_domain::tool::ToolSettings { access_tier: AccessTier::Pro, ..before.value.clone() };
    world.context.settings.change_tool("html-to-pdf", &before, &dearer, &author()).await.unwrap();
    let (free, pro) = (world.plan(5).await, world.plan(5).await);
    set_plan(&world, Plan { tier: AccessTier::Pro, ..pro.clone() }).await;
    let (free, pro) = (world.account_on(&free.id, 0).await, world.account_on(&pro.id, 0).await);
    let create = async |account: &Account| {
        let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
        Answer::of(create_job::handle(world.service.clone(), request).await)
    };
    assert_eq!(create(&free).await.refusal(), (403, "tool_not_allowed"));
    assert_eq!(create(&pro).await.status, 202);
    world.remove_settings().await;
}
