//! The largest requests: their jobs live like all others, and stand in nobody's way.

use std::collections::BTreeSet;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{
    Completion, EngineInfo, Job, JobError, JobErrorCode, JobId, JobStatus, MAX_WARNINGS, Results, StepRun,
    StoredResults, Warning,
};
use docmill_store::item::to_item;
use functions::sweeper::Sweeper;
use functions::{convert_html_to_pdf, convert_office_to_pdf, create_job, create_tool_job, delete_job, list_jobs};
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::{Map, Value, json};

use crate::support::http::{Answer, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::largest::largest_body;
use crate::support::tables::{remove_jobs, with_own_jobs};
use crate::support::world::{Account, World, patient_aws};

/// DynamoDB refuses larger items. The margin is for what the service adds to a job during its life.
const MOST_ITEM_BYTES: usize = 350 << 10;
/// Lambda refuses larger responses.
const MOST_RESPONSE_BYTES: usize = 6 << 20;

/// The size of an item as DynamoDB counts it: names and values in UTF-8, with some bytes for each number and nested value.
fn item_bytes(job: &Job) -> usize {
    use aws_sdk_dynamodb::types::AttributeValue as Attribute;
    fn of(value: &Attribute) -> usize {
        match value {
            Attribute::S(text) => text.len(),
            Attribute::N(number) => number.len() / 2 + 2,
            Attribute::L(values) => 3 + values.iter().map(|value| 1 + of(value)).sum::<usize>(),
            Attribute::M(members) => 3 + members.iter().map(|(name, value)| 1 + name.len() + of(value)).sum::<usize>(),
            Attribute::Ss(texts) => texts.iter().map(String::len).sum(),
            _ => 1,
        }
    }
    to_item(job).unwrap().iter().map(|(name, value)| name.len() + of(value)).sum()
}

/// A result that says as much as a worker can say.
fn wordy_completion() -> Completion {
    let text = "𝔘".repeat(1000);
    let warnings = |count| vec![Warning::new("resource_blocked", text.clone()).with_detail(text.clone()); count];
    let engine = EngineInfo { name: "stub".into(), version: "1".into() };
    let step = |count| StepRun {
        tool_slug: "compress-pdf".into(),
        engine: engine.clone(),
        duration_ms: 1,
        warnings: warnings(count),
        // As many bytes as the worker keeps of a step's report.
        report: Some(json!("x".repeat(16_000))),
    };
    let now = clock::now();
    Completion {
        results: Some(StoredResults::Inline(Results { outputs: Vec::new(), report: Some(json!("x".repeat(4000))) })),
        // A job keeps so many warnings of all its steps together.
        steps: (0..6).map(|n| step(MAX_WARNINGS / 6 + n % 2)).collect(),
        warnings: warnings(MAX_WARNINGS),
        expires_at: now.minus(Duration::from_secs(1)),
        ..completion(now)
    }
}

/// A world with jobs of its own, which no deployed worker or sweeper touches.
async fn apart() -> World {
    World::with_config(with_own_jobs(Config::from_env().unwrap(), &patient_aws()).await)
}

async fn create(world: &World, account: &Account, tool: &str, body: &Map<String, Value>) -> Answer {
    let body = json!(body);
    // Unknown names are a part of the largest requests.
    let request = post("/", &body).key(&account.key).parameter("tool_slug", tool).header("docmill-strict", "false");
    let answer = Answer::of(create_tool_job::handle(world.service.clone(), request.build()).await);
    assert_eq!(answer.status, 202, "{tool}: {}", answer.body);
    answer
}

async fn stored(world: &World, id: JobId) -> Job {
    world.context.jobs.get(id).await.unwrap().unwrap()
}

async fn listed(world: &World, account: &Account) -> BTreeSet<String> {
    let (mut found, mut cursor) = (BTreeSet::new(), None::<String>);
    loop {
        let request = get("/v1/jobs").key(&account.key).query("limit", "100");
        let request = cursor.iter().fold(request, |request, cursor| request.query("cursor", cursor));
        let page = Answer::of(list_jobs::handle(world.context.clone(), request.build()).await);
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.to_string().len() < MOST_RESPONSE_BYTES);
        found.extend(page.body["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()));
        cursor = page.body["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn the_largest_request_of_every_tool_lives_like_any_other() {
    let world = apart().await;
    let account = world.account(10_000).await;
    let catalogue = Catalogue::load().unwrap();
    let mut created = BTreeSet::new();
    for (number, tool) in catalogue.tools().iter().enumerate() {
        let slug = tool.definition.slug.as_str();
        let body = largest_body(&catalogue, tool);
        let id = JobId::parse(&create(&world, &account, slug, &body).await.job_id()).unwrap();
        created.insert(id.to_string());
        let claimed = claim(&world.context.jobs, id).await;
        if number % 5 == 0 {
            let error = JobError::new(JobErrorCode::RenderFailed, "𝔘".repeat(1000));
            world.context.jobs.fail(&claimed, &error, None, clock::now()).await.unwrap();
        } else {
            // As for a result that is delivered before its job is completed: the item holds its description twice.
            let completion = wordy_completion();
            let mut fullest = claimed.clone();
            fullest.delivery.delivered = Some(Box::new(completion.clone()));
            assert!(item_bytes(&fullest) < MOST_ITEM_BYTES, "{slug}: {} bytes", item_bytes(&fullest));
            world.context.jobs.complete(&claimed, &completion).await.unwrap();
        }
    }
    assert_eq!(listed(&world, &account).await, created);

    Sweeper::new(Context::new(world.config.clone(), patient_aws()).unwrap()).run().await.unwrap();
    for id in &created {
        let job = stored(&world, JobId::parse(id).unwrap()).await;
        assert!(matches!(job.status, JobStatus::Expired | JobStatus::Failed), "{id}: {:?}", job.status);
        let request = get("/").parameter("job_id", id).key(&account.key).build();
        assert_eq!(Answer::of(delete_job::handle(world.deletion.clone(), request).await).status, 204);
        assert_eq!(stored(&world, job.id).await.status, JobStatus::Deleted);
    }
    remove_jobs(&world.config, &patient_aws()).await;
}

#[tokio::test]
async fn a_page_ends_where_the_next_job_would_not_fit_into_the_response() {
    let world = apart().await;
    let account = world.account(1000).await;
    let labels: Map<String, Value> = (0..20).map(|n| (n.to_string(), json!("𝔘".repeat(500)))).collect();
    let body = json!({"html": "x", "metadata": labels}).as_object().unwrap().clone();
    let mut created = BTreeSet::new();
    // Of some 170 KB each.
    for _ in 0..40 {
        let id = JobId::parse(&create(&world, &account, "html-to-pdf", &body).await.job_id()).unwrap();
        world.context.jobs.complete(&claim(&world.context.jobs, id).await, &wordy_completion()).await.unwrap();
        created.insert(id.to_string());
    }
    assert_eq!(listed(&world, &account).await, created, "all of them, on several pages");
    remove_jobs(&world.config, &patient_aws()).await;
}

/// The endpoints of tools of their own take the same bodies.
#[tokio::test]
async fn every_creating_endpoint_takes_the_largest_request() {
    let world = apart().await;
    let account = world.account(1000).await;
    let catalogue = Catalogue::load().unwrap();
    let largest = |slug: &str| largest_body(&catalogue, catalogue.find(slug).unwrap());
    let check = |response: Response<Body>| {
        let answer = Answer::of(response);
        assert_eq!(answer.status, 202, "{}", answer.body);
    };
    let service = || world.service.clone();
    let request = |body: &Map<String, Value>| post("/", &json!(body)).key(&account.key).build();
    check(convert_html_to_pdf::handle(service(), request(&largest("html-to-pdf"))).await);
    check(convert_office_to_pdf::handle(service(), request(&largest("office-to-pdf"))).await);
    let mut named = largest("merge-pdf");
    named.insert("toolSlug".to_owned(), json!("merge-pdf"));
    // The slug takes the room of an unknown name.
    named.retain(|name, _| !name.starts_with("unknown-0-"));
    check(create_job::handle(service(), request(&named)).await);
    remove_jobs(&world.config, &patient_aws()).await;
}
