//! `GET /v1/jobs/{job_id}` and its download, in every state.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::job::Completion;
use docmill_domain::job::{EngineInfo, Job, JobError, JobErrorCode, JobId, Output, Progress, Timings, Traces};
use docmill_domain::time::Timestamp;
use docmill_store::jobs::{Claim, Written};
use functions::{create_job, get_job, get_job_download};
use serde_json::json;

use crate::support::http::{Answer, get, post};
use crate::support::world::{Account, World};

async fn queued(world: &World, account: &Account) -> JobId {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
    JobId::parse(&answer.job_id()).unwrap()
}

async fn claimed(world: &World, id: JobId) -> Job {
    match world.context.jobs.claim(id, clock::now(), Duration::from_secs(60)).await.unwrap() {
        Claim::Taken(job) => *job,
        other => panic!("{other:?}"),
    }
}

fn completion(expires_at: Timestamp) -> Completion {
    Completion {
        output: Output {
            format: "pdf".into(),
            content_type: "application/pdf".into(),
            bytes: 5,
            pages: Some(1),
            width: None,
            height: None,
            sha256: "00".repeat(32),
            filename: "März.pdf".into(),
        },
        output_key: "outputs/a/b/1".into(),
        results: None,
        steps: Vec::new(),
        engine: EngineInfo { name: "stub".into(), version: "1".into() },
        timings: Timings::default(),
        warnings: Vec::new(),
        traces: Traces::default(),
        finished_at: clock::now(),
        expires_at,
    }
}

async fn read(world: &World, account: &Account, id: &str) -> Answer {
    let request = get("/").parameter("job_id", id).key(&account.key).build();
    Answer::of(get_job::handle(world.context.clone(), request).await)
}

async fn download(world: &World, account: &Account, id: &str) -> Answer {
    let request = get("/").parameter("job_id", id).key(&account.key).build();
    Answer::of(get_job_download::handle(world.context.clone(), request).await)
}

#[tokio::test]
async fn another_accounts_job_looks_like_an_unknown_one() {
    let world = World::new();
    let (owner, other) = (world.account(10).await, world.account(10).await);
    let id = queued(&world, &owner).await.to_string();
    assert_eq!(read(&world, &owner, &id).await.status, 200);

    let message = |answer: &Answer| answer.body["error"].clone();
    let unknown = read(&world, &other, &JobId::new().to_string()).await;
    assert_eq!(unknown.refusal(), (404, "job_not_found"));
    world.watch.take_calls();
    for id in [id.as_str(), "no-uuid", "", "../../etc/passwd"] {
        let answer = read(&world, &other, id).await;
        assert_eq!(message(&answer), message(&unknown), "{id}");
        let reads = world.watch.take_calls();
        assert_eq!(reads, ["UpdateItem", "GetItem"], "the same work, whatever the id: {id}");
        assert_eq!(message(&download(&world, &other, id).await), message(&unknown), "{id}");
        world.watch.take_calls();
    }
}

#[tokio::test]
async fn a_download_follows_the_states() {
    let world = World::new();
    let account = world.account(10).await;
    let id = queued(&world, &account).await;
    let name = id.to_string();

    let waiting = download(&world, &account, &name).await;
    assert_eq!((waiting.status, &waiting.body["job"]["status"]), (202, &json!("queued")));
    assert_eq!(waiting.header("retry-after"), Some("1"));

    let job = claimed(&world, id).await;
    let working = download(&world, &account, &name).await;
    assert_eq!((working.status, &working.body["job"]["status"]), (202, &json!("processing")));

    let done = completion(clock::now().plus(Duration::from_secs(3600)));
    assert_eq!(world.context.jobs.complete(&job, &done).await.unwrap(), Written::Yes);
    let ready = download(&world, &account, &name).await;
    assert_eq!(ready.status, 200);
    let link = ready.body["download"]["url"].as_str().unwrap();
    assert!(link.contains("X-Amz-Expires=600") && link.contains("response-content-type=application%2Fpdf"), "{link}");
    assert!(link.contains("response-content-disposition=attachment"), "{link}");
    assert_eq!(ready.body["download"]["filename"], "März.pdf");
    assert_eq!(ready.body["job"]["output"]["pages"], 1);
}

#[tokio::test]
async fn an_output_expires_to_the_second_even_if_its_bytes_remain() {
    let world = World::new();
    let account = world.account(10).await;
    let job = claimed(&world, queued(&world, &account).await).await;
    world.context.jobs.complete(&job, &completion(clock::now())).await.unwrap();
    let answer = download(&world, &account, &job.id.to_string()).await;
    assert_eq!(answer.refusal(), (410, "output_expired"));
    assert_eq!(answer.body["job"]["status"], "expired");
    assert_eq!(read(&world, &account, &job.id.to_string()).await.body["job"]["status"], "expired");
}

#[tokio::test]
async fn a_failed_job_has_no_download_and_says_why() {
    let world = World::new();
    let account = world.account(10).await;
    let job = claimed(&world, queued(&world, &account).await).await;
    let error = JobError::new(JobErrorCode::SourceUnreachable, "The source did not answer.");
    world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap();
    let answer = download(&world, &account, &job.id.to_string()).await;
    assert_eq!(answer.refusal(), (409, "job_failed"));
    let failed = &answer.body["job"];
    assert_eq!(
        failed["error"],
        json!({"code": "source_unreachable", "message": "The source did not answer.", "retryable": true})
    );
    assert_eq!(failed["credits"], json!({"charged": 1, "refunded": 1}));
}

#[tokio::test]
async fn only_the_current_attempt_may_end_a_job() {
    let world = World::new();
    let account = world.account(10).await;
    let id = queued(&world, &account).await;
    let soon = Duration::from_millis(1);
    let Claim::Taken(late) = world.context.jobs.claim(id, clock::now(), soon).await.unwrap() else { panic!("taken") };
    tokio::time::sleep(soon * 5).await;
    let current = claimed(&world, id).await;
    assert_eq!((late.attempts, current.attempts), (1, 2));
    assert!(matches!(world.context.jobs.claim(id, clock::now(), soon).await.unwrap(), Claim::NotNeeded));

    let done = completion(clock::now().plus(Duration::from_secs(3600)));
    assert_eq!(world.context.jobs.complete(&late, &done).await.unwrap(), Written::Superseded);
    assert_eq!(world.context.jobs.release(&late, clock::now()).await.unwrap(), Written::Superseded);
    assert_eq!(world.context.jobs.complete(&current, &done).await.unwrap(), Written::Yes);
    // A repetition is the same end, and another end comes too late.
    assert_eq!(world.context.jobs.complete(&current, &done).await.unwrap(), Written::Yes);
    let later = Completion { finished_at: done.finished_at.plus(soon), ..done };
    assert_eq!(world.context.jobs.complete(&current, &later).await.unwrap(), Written::Superseded);
    world.count([id]).await;
    let usage = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
    assert_eq!((usage.credits.created, usage.total().completed, usage.total().failed), (1, 1, 0));
}

#[tokio::test]
async fn only_the_current_attempts_progress_is_shown_and_only_while_it_runs() {
    let world = World::new();
    let account = world.account(10).await;
    let (id, jobs) = (queued(&world, &account).await, &world.context.jobs);
    let soon = Duration::from_millis(1);
    let Claim::Taken(late) = jobs.claim(id, clock::now(), soon).await.unwrap() else { panic!("taken") };
    let shown = async || {
        jobs.get(id)
            .await
            .unwrap()
            .unwrap()
            .view(clock::now())
            .progress
            .map(|progress| json!(progress))
            .unwrap_or_default()
    };
    let at = |done| Progress { step: 2, done, total: 1000 };
    assert_eq!(jobs.note_progress(&late, at(900)).await.unwrap(), Written::Yes);
    assert_eq!(shown().await, json!({"step": 2, "done": 900, "total": 1000}));

    tokio::time::sleep(soon * 5).await;
    let current = claimed(&world, id).await;
    assert!(shown().await.is_null(), "the new attempt has made nothing yet");
    assert_eq!(jobs.note_progress(&late, at(950)).await.unwrap(), Written::Superseded);
    assert_eq!(jobs.note_progress(&current, at(10)).await.unwrap(), Written::Yes);
    assert_eq!(shown().await["done"], 10);

    let done = completion(clock::now().plus(Duration::from_secs(3600)));
    assert_eq!(jobs.complete(&current, &done).await.unwrap(), Written::Yes);
    assert_eq!(jobs.note_progress(&current, at(11)).await.unwrap(), Written::Superseded);
    assert!(shown().await.is_null());
}
