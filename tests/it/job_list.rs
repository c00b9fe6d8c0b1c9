//! An account's jobs, newest first.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::files::{KeptFor, ObjectKey, OutputPart};
use docmill_config::clock;
use docmill_domain::job::{
    Completion, Job, JobError, JobErrorCode, JobId, JobStatus, Output, Results, StoredResults, Times,
};
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;
use docmill_store::item::to_item;
use docmill_store::jobs::{JobFilter, JobMark, JobsPage};
use functions::{create_job, get_job, list_jobs};
use futures_util::StreamExt;
use serde_json::json;

use crate::support::http::{Answer, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World};

async fn create(world: &World, account: &Account, tool: &str) -> JobId {
    let input =
        if tool == "html-to-pdf" { json!({"html": "<p>x"}) } else { json!({"sourceUrl": "https://a.example/x"}) };
    let request = post("/", &json!({"toolSlug": tool, "input": input})).key(&account.key).build();
    JobId::parse(&Answer::of(create_job::handle(world.service.clone(), request).await).job_id()).unwrap()
}

async fn page(world: &World, account: &Account, filter: &JobFilter, after: Option<JobMark>, limit: usize) -> JobsPage {
    world.context.jobs.of_account(&account.id, filter, after, limit, clock::now()).await.unwrap()
}

fn ids(page: &JobsPage) -> Vec<JobId> {
    page.jobs.iter().map(|job| job.id).collect()
}

#[tokio::test]
async fn pages_start_with_the_newest_and_show_no_job_twice() {
    let world = World::new();
    let (account, stranger) = (world.account(100).await, world.account(100).await);
    let mut created = Vec::new();
    for _ in 0..7 {
        created.push(create(&world, &account, "html-to-pdf").await);
        create(&world, &stranger, "html-to-pdf").await;
    }
    created.reverse();
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = page(&world, &account, &JobFilter::default(), after, 3).await;
        seen.extend(ids(&page));
        pages += 1;
        // In its text form, as in an address.
        after = page.next.map(|mark| JobMark::parse(&mark.to_string()).unwrap());
        if after.is_none() {
            break;
        }
    }
    assert_eq!((seen, pages), (created, 3));
}

#[tokio::test]
async fn a_filter_checks_the_current_state_of_jobs() {
    let world = World::new();
    let account = world.account(100).await;
    let (queued, office) =
        (create(&world, &account, "html-to-pdf").await, create(&world, &account, "office-to-pdf").await);
    let (done, failed) = (create(&world, &account, "html-to-pdf").await, create(&world, &account, "html-to-pdf").await);
    let jobs = &world.context.jobs;
    let now = clock::now();
    jobs.complete(&claim(jobs, done).await, &completion(now)).await.unwrap();
    let error = JobError::new(JobErrorCode::RenderFailed, "told to");
    jobs.fail(&claim(jobs, failed).await, &error, None, now).await.unwrap();

    let filtered = async |status: Option<JobStatus>, tool: Option<&str>, at| {
        let filter = JobFilter { status, tool: tool.map(str::to_owned), ..JobFilter::default() };
        let mut found = ids(&jobs.of_account(&account.id, &filter, None, 10, at).await.unwrap());
        found.sort_by_key(ToString::to_string);
        found
    };
    assert_eq!(filtered(None, Some("office-to-pdf"), now).await, [office]);
    assert_eq!(filtered(Some(JobStatus::Queued), None, now).await, [queued, office]);
    assert_eq!(filtered(Some(JobStatus::Queued), Some("html-to-pdf"), now).await, [queued]);
    assert_eq!(filtered(Some(JobStatus::Failed), None, now).await, [failed]);
    assert_eq!(filtered(Some(JobStatus::Completed), None, now).await, [done]);
    assert_eq!(filtered(Some(JobStatus::Expired), None, now).await, []);
    let tomorrow = now.plus(Duration::from_secs(86_400));
    assert_eq!(filtered(Some(JobStatus::Completed), None, tomorrow).await, [], "an output past its time is expired");
    assert_eq!(filtered(Some(JobStatus::Expired), None, tomorrow).await, [done]);
}

async fn listed(context: &Arc<Context>, account: &Account, query: &[(&str, &str)]) -> Answer {
    let request =
        query.iter().fold(get("/v1/jobs").key(&account.key), |request, (name, value)| request.query(name, value));
    Answer::of(list_jobs::handle(context.clone(), request.build()).await)
}

fn listed_ids(answer: &Answer) -> Vec<String> {
    answer.body["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_endpoint_filters_by_metadata_and_returns_pages() {
    let world = World::new();
    let list = World::new().context;
    let account = world.account(100).await;
    let mut orders: Vec<String> = Vec::new();
    for number in 0..6 {
        let order = if number % 2 == 0 { "4711" } else { "4712" };
        let body = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "metadata": {"order": order, "of": "us"}});
        let request = post("/", &body).key(&account.key).build();
        orders.push(Answer::of(create_job::handle(world.service.clone(), request).await).job_id());
    }
    let wanted: Vec<_> = orders.iter().step_by(2).rev().cloned().collect();
    let filter = [("metadata.order", "4711"), ("metadata.of", "us"), ("toolSlug", "html-to-pdf"), ("limit", "2")];
    let first = listed(&list, &account, &filter).await;
    assert_eq!((first.status, listed_ids(&first)), (200, wanted[..2].to_vec()), "{}", first.body);
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = listed(&list, &account, &[&filter[..], &[("cursor", cursor)]].concat()).await;
    assert_eq!((listed_ids(&second), &second.body["nextCursor"]), (wanted[2..].to_vec(), &json!(null)));

    // The cursor only works for this list.
    let other = world.account(0).await;
    for (account, query) in [(&account, &filter[1..]), (&other, &filter[..])] {
        let answer = listed(&list, account, &[query, &[("cursor", cursor)]].concat()).await;
        assert_eq!(answer.refusal(), (422, "validation_failed"));
        assert_eq!(answer.body["error"]["details"][0]["path"], "?cursor");
    }
}

#[tokio::test]
async fn the_endpoint_filters_by_time() {
    let world = World::new();
    let list = World::new().context;
    let account = world.account(100).await;
    let (early, late) = (create(&world, &account, "html-to-pdf").await, create(&world, &account, "html-to-pdf").await);
    let created = |id: JobId| async move { World::new().context.jobs.get(id).await.unwrap().unwrap().times.created_at };
    let (at_first, at_last) = (created(early).await, created(late).await);
    assert!(at_first < at_last, "they are told apart");
    let of = async |query: &[(&str, String)]| {
        let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        listed_ids(&listed(&list, &account, &query).await)
    };
    let (early, late) = (early.to_string(), late.to_string());
    assert_eq!(of(&[("createdAfter", at_first.to_string())]).await, std::slice::from_ref(&late));
    assert_eq!(of(&[("createdBefore", at_last.to_string())]).await, std::slice::from_ref(&early));
    let before = Timestamp(at_first.as_millis() - 1).to_string();
    assert_eq!(of(&[("createdAfter", before)]).await, [late, early]);
    let none = [("createdAfter", at_first.to_string()), ("createdBefore", at_first.to_string())];
    assert_eq!(of(&none).await, [""; 0], "no moment lies between");
}

#[tokio::test]
async fn a_page_reads_a_thousand_jobs_at_most() {
    let world = World::new();
    let list = World::new().context;
    let account = world.account(100).await;
    let model = world.context.jobs.get(create(&world, &account, "html-to-pdf").await).await.unwrap().unwrap();
    let copies = (1..=1050).map(|number| {
        let created_at = Timestamp(model.times.created_at.as_millis() + number);
        let times = Times { created_at, ..model.times };
        let copy = Job { id: JobId::new(), times, ..model.clone() };
        let table = world.context.dynamodb.put_item().table_name(&world.config.tables.jobs);
        table.set_item(Some(to_item(&copy).unwrap())).send()
    });
    futures_util::stream::iter(copies).for_each_concurrent(50, async |put| drop(put.await.unwrap())).await;
    let nothing = [("metadata.order", "none")];
    let before = clock::now();
    let first = listed(&list, &account, &nothing).await;
    let key = world.context.keys.get(&account.key.hash()).await.unwrap().unwrap();
    let counted = key.limiter.state(RatePolicy::Read).0.unwrap().millis_since(before);
    let requests = counted / u64::try_from(key.limiter.limit(RatePolicy::Read).emission_ms()).unwrap();
    assert_eq!(requests, 5, "a thousand jobs read count as five requests");
    let cursor = first.body["nextCursor"].as_str().unwrap();
    assert_eq!(listed_ids(&first), [""; 0], "an empty page that is not the last");
    let second = listed(&list, &account, &[nothing[0], ("cursor", cursor)]).await;
    assert_eq!((listed_ids(&second).len(), &second.body["nextCursor"]), (0, &json!(null)));
}

#[tokio::test]
async fn jobs_with_many_results_list_them_until_they_expire() {
    let world = World::new();
    let list = World::new().context;
    let account = world.account(100).await;
    let id = create(&world, &account, "html-to-pdf").await;
    let claimed = claim(&world.context.jobs, id).await;
    let done = completion(clock::now());
    let output = |n: usize| Output { filename: format!("page-{n}.pdf"), ..done.output.clone() };
    let results = Results { outputs: (0..60).map(output).collect(), report: None };
    let key = |part| ObjectKey::Output { account: &account.id, job: id, attempt: 1, part, kept_for: KeptFor::Day };
    world.context.files.put_text(&key(OutputPart::Manifest), json!(results).to_string()).await.unwrap();
    let stored = Some(StoredResults::Manifest { files: results.outputs.len() });
    let done = Completion { results: stored, output_key: key(OutputPart::Archive).to_string(), ..done };
    world.context.jobs.complete(&claimed, &done).await.unwrap();
    let read = async || {
        let request = get("/").parameter("job_id", &id.to_string()).key(&account.key).build();
        Answer::of(get_job::handle(world.context.clone(), request).await)
    };
    let (one, all) = (read().await, listed(&list, &account, &[]).await);
    assert_eq!(all.body["jobs"][0], one.body["job"]);
    assert_eq!(one.body["job"]["outputs"][59]["filename"], "page-59.pdf");

    // Its list of results is deleted with them.
    let completed = world.context.jobs.get(id).await.unwrap().unwrap();
    world.context.jobs.expire(&completed, None).await.unwrap();
    world.context.files.delete(&key(OutputPart::Manifest).to_string()).await.unwrap();
    let expired = read().await;
    assert_eq!((expired.status, &expired.body["job"]["status"]), (200, &json!("expired")));
    assert_eq!(listed(&list, &account, &[]).await.body["jobs"][0], expired.body["job"]);
}

#[tokio::test]
async fn a_cursor_of_another_accounts_list_reveals_nothing() {
    let world = World::new();
    let (account, stranger) = (world.account(100).await, world.account(100).await);
    for _ in 0..3 {
        create(&world, &account, "html-to-pdf").await;
    }
    let mark = page(&world, &account, &JobFilter::default(), None, 1).await.next;
    assert!(mark.is_some());
    let foreign = world.context.jobs.of_account(&stranger.id, &JobFilter::default(), mark, 10, clock::now()).await;
    assert!(foreign.map_or(true, |page| page.jobs.is_empty()));
}
