//! How jobs ended, for operators: each end is recorded once, with its engine and without data of the owner.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use docmill_domain::job::{JobError, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS};
use docmill_domain::outcome::Outcome;
use docmill_store::item::{ENDED, Item};
use docmill_store::jobs::Written;
use futures_util::future::join_all;

use crate::support::jobs::{claim, completion};
use crate::support::stage::Stage;
use crate::support::stub_engine::Act;
use crate::support::world::Account;

const HTML: &str = "<p>canary-of-a-document";

/// All items of the index in DynamoDB's form.
async fn entries(stage: &Stage) -> Vec<Item> {
    let (client, table) = (stage.auditor.aws.dynamodb(), &stage.auditor.config.tables.jobs);
    let output = client.scan().table_name(table).index_name(ENDED).send().await.unwrap();
    output.items.unwrap()
}

/// What administrators see, in any order.
async fn told(stage: &Stage) -> HashSet<(String, Option<String>, Option<JobErrorCode>, usize)> {
    let outcomes = stage.auditor.health.recent_ends(stage.now()).await.unwrap().outcomes;
    let count = |wanted: &Outcome| outcomes.iter().filter(|outcome| *outcome == wanted).count();
    let tell = |outcome: &Outcome| (outcome.tool.clone(), outcome.engine.clone(), outcome.error, count(outcome));
    outcomes.iter().map(tell).collect()
}

async fn account(stage: &Stage) -> Account {
    stage.world.account_on(&stage.plan_with_one, 50).await
}

/// How jobs can end.
fn may_end(from: JobStatus, to: JobStatus) -> bool {
    match to {
        JobStatus::Failed | JobStatus::Canceled => true,
        JobStatus::Completed => from == JobStatus::Processing,
        JobStatus::Queued | JobStatus::Processing | JobStatus::Expired | JobStatus::Deleted => false,
    }
}

/// Every transition that ends a job, tried by four actors at once.
#[tokio::test]
async fn each_end_is_counted_once_for_every_transition() {
    let stage = Stage::new().await;
    let (account, jobs) = (account(&stage).await, &stage.auditor.jobs);
    let mut ids = BTreeSet::new();
    for from in JobStatus::ALL.into_iter().filter(|status| !status.is_terminal()) {
        for to in JobStatus::ALL.into_iter().filter(|to| to.is_terminal() && may_end(from, *to)) {
            let id = stage.create_as(&account, &format!("{from:?}-{to:?}")).await;
            let job = match from {
                JobStatus::Queued => stage.job(id).await,
                JobStatus::Processing => claim(jobs, id).await,
                other => panic!("no job comes to its end from {other:?}"),
            };
            let error = JobError::new(JobErrorCode::RenderFailed, HTML);
            let ends = join_all((0..4).map(|turn| {
                let (job, error, at) = (&job, &error, stage.now().plus(Duration::from_millis(turn)));
                async move {
                    match to {
                        JobStatus::Completed => jobs.complete(job, &completion(at)).await.unwrap(),
                        JobStatus::Failed => jobs.fail(job, error, None, at).await.unwrap(),
                        JobStatus::Canceled => match jobs.cancel(job, at).await.unwrap() {
                            Some(_) => Written::Yes,
                            None => Written::Superseded,
                        },
                        other => panic!("nothing brings a job to {other:?}"),
                    }
                }
            }));
            let written = ends.await.into_iter().filter(|end| *end == Written::Yes).count();
            assert_eq!((written, stage.job(id).await.status), (1, to), "{from:?}");
            // Operators get no record of cancellations.
            if to != JobStatus::Canceled {
                ids.insert(id.to_string());
            }
        }
    }
    let entries = entries(&stage).await;
    let told: Vec<_> = entries.iter().map(|item| item["id"].as_s().unwrap().clone()).collect();
    assert_eq!((told.len(), told.into_iter().collect::<BTreeSet<_>>()), (ids.len(), ids));
    stage.remove().await;
}

#[tokio::test]
async fn concurrent_completion_and_failure_end_a_job_once() {
    let stage = Stage::new().await;
    let (account, jobs) = (account(&stage).await, &stage.auditor.jobs);
    for turn in 0..5 {
        let job = claim(jobs, stage.create_as(&account, &turn.to_string()).await).await;
        let (done, error) = (completion(stage.now()), JobError::new(JobErrorCode::Internal, "lost"));
        let late = stage.now().plus(Duration::from_millis(1));
        let (completed, failed) = futures_util::join!(jobs.complete(&job, &done), jobs.fail(&job, &error, None, late));
        assert!((completed.unwrap() == Written::Yes) != (failed.unwrap() == Written::Yes));
        let ended = stage.job(job.id).await;
        let entries = entries(&stage).await;
        let entry = entries.iter().find(|item| item["id"].as_s().unwrap() == &job.id.to_string()).unwrap();
        let is_failure = entry["outcome"].as_m().unwrap().contains_key("error");
        assert_eq!((entries.len(), is_failure), (turn + 1, ended.status == JobStatus::Failed));
    }
    stage.remove().await;
}

/// The outcomes of worker and sweeper as the page shows them.
#[tokio::test]
async fn an_end_names_the_engine_that_had_the_job_and_no_other() {
    let stage = Stage::new().await;
    let account = account(&stage).await;
    let chromium = || Some("chromium".to_owned());
    let tool = || "html-to-pdf".to_owned();

    // The stub names itself for a conversion. A failure names the engine that had the document.
    play(&stage, &account, [Act::Convert]).await;
    play(&stage, &account, [Act::Fail(JobErrorCode::CorruptDocument)]).await;
    play(&stage, &account, (0..MAX_ATTEMPTS).map(|_| Act::Fail(JobErrorCode::Internal))).await;
    // A job whose worker was lost three times: found once by the next delivery, once by the sweeper.
    let id = abandoned(&stage, &account, "delivered").await;
    for message in stage.receive().await {
        stage.deliver(message, Duration::ZERO).await;
    }
    assert_eq!(stage.job(id).await.status, JobStatus::Failed);
    let id = abandoned(&stage, &account, "swept").await;
    stage.advance(Duration::from_secs(60));
    stage.sweep().await;
    assert_eq!(stage.job(id).await.status, JobStatus::Failed);

    let expected = HashSet::from([
        (tool(), Some("stub".to_owned()), None, 1),
        (tool(), chromium(), Some(JobErrorCode::CorruptDocument), 1),
        (tool(), chromium(), Some(JobErrorCode::Internal), 1),
        (tool(), None, Some(JobErrorCode::Internal), 2),
    ]);
    assert_eq!(told(&stage).await, expected);
    // An expiry is not another end.
    stage.advance(stage.auditor.config.output_retention + Duration::from_secs(60));
    stage.sweep().await;
    assert_eq!(entries(&stage).await.len(), 5);
    assert_eq!(told(&stage).await, HashSet::new(), "those of the day before are not told any more");
    stage.remove().await;
}

/// A job with this script, delivered until it has ended.
async fn play(stage: &Stage, account: &Account, acts: impl IntoIterator<Item = Act>) {
    stage.engine.play(acts);
    stage.create_as(account, &JobId::new().to_string()).await;
    let mut messages = stage.receive().await;
    while let Some(message) = messages.pop() {
        messages.extend(stage.deliver(message, Duration::ZERO).await);
    }
}

/// A job whose attempts were all claimed by workers that disappeared.
async fn abandoned(stage: &Stage, account: &Account, name: &str) -> JobId {
    let id = stage.create_as(account, name).await;
    for _ in 0..MAX_ATTEMPTS {
        stage.auditor.jobs.claim(id, stage.now(), Duration::ZERO).await.unwrap();
        stage.advance(Duration::from_millis(1));
    }
    id
}

#[tokio::test]
async fn the_index_has_no_data_of_a_jobs_owner_or_document() {
    let stage = Stage::new().await;
    let account = account(&stage).await;
    stage.engine.play([Act::Fail(JobErrorCode::CorruptDocument)]);
    let id = stage.create(&account, HTML).await;
    for message in stage.receive().await {
        stage.deliver(message, Duration::ZERO).await;
    }
    let error = stage.job(id).await.result.error.unwrap();
    let entries = entries(&stage).await;
    let [entry] = &entries[..] else { panic!("{entries:?}") };
    let names: BTreeSet<_> = entry.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["ended", "finished_at", "id", "outcome"]));
    let outcome: BTreeSet<_> = entry["outcome"].as_m().unwrap().keys().map(String::as_str).collect();
    assert_eq!(outcome, BTreeSet::from(["engine", "error", "tool"]));
    let written = format!("{entry:?}");
    for secret in [HTML, account.id.as_str(), error.message.as_str()] {
        assert!(!written.contains(secret), "{secret} in {written}");
    }
    stage.remove().await;
}
