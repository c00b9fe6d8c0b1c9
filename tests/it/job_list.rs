//! An account's jobs, the newest first.

use std::time::Duration;

use docmill::clock;
use docmill::domain::job::{JobError, JobErrorCode, JobId, JobStatus};
use docmill::store::jobs::{JobFilter, JobMark, JobsPage};
use serde_json::json;

use crate::support::http::{Answer, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World};

async fn create(world: &World, account: &Account, tool: &str) -> JobId {
    let input =
        if tool == "html-to-pdf" { json!({"html": "<p>x"}) } else { json!({"sourceUrl": "https://a.example/x"}) };
    let request = post("/", &json!({"toolSlug": tool, "input": input})).key(&account.key).build();
    JobId::parse(&Answer::of(create_job::handle(world.desk.clone(), request).await).job_id()).unwrap()
}

async fn page(world: &World, account: &Account, filter: &JobFilter, after: Option<JobMark>, limit: usize) -> JobsPage {
    world.context.jobs.of_account(&account.id, filter, after, limit, clock::now()).await.unwrap()
}

fn ids(page: &JobsPage) -> Vec<JobId> {
    page.jobs.iter().map(|job| job.id).collect()
}

#[tokio::test]
async fn pages_follow_each_other_from_the_newest_on_and_show_no_job_twice() {
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
        // As it travels in an address.
        after = page.next.map(|mark| JobMark::parse(&mark.to_string()).unwrap());
        if after.is_none() {
            break;
        }
    }
    assert_eq!((seen, pages), (created, 3));
}

#[tokio::test]
async fn a_filter_looks_at_the_jobs_themselves_as_they_are_now() {
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
        let filter = JobFilter { status, tool: tool.map(str::to_owned) };
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

#[tokio::test]
async fn a_place_in_another_accounts_list_shows_nothing_of_it() {
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
