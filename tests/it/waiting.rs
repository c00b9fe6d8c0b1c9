//! `Prefer: wait` and `Accept` on the creating endpoints, on a job and on its download.

use std::time::Duration;

use docmill_aws::files::{KeptFor, ObjectKey, OutputPart};
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::job::Completion;
use docmill_domain::job::{Job, JobError, JobErrorCode, Warning};
use docmill_domain::limits::Limit;
use docmill_http::request::ApiRequest;
use docmill_store::jobs::JobFilter;
use functions::{create_job, get_job, get_job_download};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World};
use crate::support::{deployed_url, eventually};

const PATIENCE: Duration = Duration::from_secs(20);

fn creating(account: &Account) -> RequestBuilder {
    post("/v1/jobs", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key)
}

async fn create(world: &World, request: ApiRequest) -> Answer {
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

async fn read(world: &World, request: ApiRequest) -> Answer {
    Answer::of(get_job::handle(world.context.clone(), request).await)
}

/// Claims the account's newest job as soon as there is one.
async fn claimed(world: &World, account: &Account) -> Job {
    let listed = async || {
        let page = world.context.jobs.of_account(&account.id, &JobFilter::default(), None, 1, clock::now()).await;
        page.unwrap().jobs.into_iter().next()
    };
    let job = eventually("the job is listed", PATIENCE, listed).await;
    claim(&world.context.jobs, job.id).await
}

/// A worker that completes the account's next job and stores a result.
async fn complete(world: &World, account: &Account) -> Job {
    let job = claimed(world, account).await;
    let key = ObjectKey::Output {
        account: &account.id,
        job: job.id,
        attempt: 1,
        part: OutputPart::File(0),
        kept_for: KeptFor::Day,
    };
    world.context.files.put_text(&key, "%PDF-1.7 waited for".into()).await.unwrap();
    let warnings = ["b", "a", "b"].map(|code| Warning::new(code, "Said to the owner.")).to_vec();
    let done = Completion { output_key: key.to_string(), warnings, ..completion(clock::now()) };
    world.context.jobs.complete(&job, &done).await.unwrap();
    job
}

async fn fail(world: &World, account: &Account) {
    let job = claimed(world, account).await;
    let error = JobError::new(JobErrorCode::CorruptDocument, "told to fail");
    world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap();
}

async fn bytes_at(link: &Value) -> String {
    reqwest::get(link.as_str().unwrap()).await.unwrap().error_for_status().unwrap().text().await.unwrap()
}

#[tokio::test]
async fn a_request_that_waits_returns_the_result() {
    let world = World::new();
    let account = world.account(10).await;
    let waiting = create(&world, creating(&account).header("prefer", "wait=20").build());
    let (answer, job) = tokio::join!(waiting, complete(&world, &account));
    assert_eq!((answer.status, answer.job_id()), (200, job.id.to_string()), "{}", answer.body);
    assert_eq!(answer.header("preference-applied"), Some("wait"));
    assert_eq!(answer.header("location"), Some(format!("/v1/jobs/{}", job.id).as_str()));
    assert_eq!(answer.body["job"]["status"], "completed");
    assert_eq!(bytes_at(&answer.body["download"]["url"]).await, "%PDF-1.7 waited for");

    let read_again = get("/").key(&account.key).parameter("job_id", &job.id.to_string());
    let waited = read(&world, read_again.query("wait", "5").build()).await;
    assert_eq!((waited.status, waited.header("preference-applied")), (200, Some("wait")));
    assert_eq!(bytes_at(&waited.body["download"]["url"]).await, "%PDF-1.7 waited for");
}

#[tokio::test]
async fn a_client_that_accepts_the_result_is_redirected_to_it() {
    let world = World::new();
    let account = world.account(10).await;
    let wanted = |request: RequestBuilder| request.header("accept", "application/pdf, */*;q=0.1");
    let waiting = create(&world, wanted(creating(&account).header("prefer", "wait=20")).build());
    let (answer, job) = tokio::join!(waiting, complete(&world, &account));
    let one = || get("/").key(&account.key).parameter("job_id", &job.id.to_string());
    let read = read(&world, wanted(one().header("prefer", "wait=20")).build()).await;
    let download = wanted(one()).build();
    let download = Answer::of(get_job_download::handle(world.context.clone(), download).await);
    for answer in [answer, read, download] {
        assert_eq!((answer.status, &answer.body), (303, &Value::Null));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("docmill-job"), Some(job.id.to_string().as_str()));
        assert_eq!(answer.header("docmill-warnings"), Some("a, b"));
        let link = json!(answer.header("location").unwrap());
        assert_eq!(bytes_at(&link).await, "%PDF-1.7 waited for");
    }
}

#[tokio::test]
async fn a_job_that_fails_in_time_is_answered_as_accept_asks() {
    let world = World::new();
    let account = world.account(10).await;
    let waiting = creating(&account).header("idempotency-key", "k").header("prefer", "wait=20");
    let (answer, ()) = tokio::join!(create(&world, waiting.build()), fail(&world, &account));
    assert_eq!((answer.status, &answer.body["job"]["error"]["code"]), (200, &json!("corrupt_document")));
    assert_eq!(answer.body["download"], Value::Null);

    // The same request again does not wait. One that only accepts the result can only be refused.
    let again = creating(&account).header("idempotency-key", "k").header("prefer", "wait=20");
    let answer = create(&world, again.header("accept", "application/pdf").build()).await;
    assert_eq!(answer.refusal(), (409, "job_failed"));
    assert_eq!(answer.body["job"]["error"]["code"], "corrupt_document");
}

#[tokio::test]
async fn a_job_that_is_still_running_is_answered_as_without_waiting() {
    let world = World::new();
    let account = world.account(10).await;
    let began = std::time::Instant::now();
    let answer = create(&world, creating(&account).query("wait", "1").build()).await;
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!((answer.status, &answer.body["job"]["status"]), (202, &json!("queued")));
    assert_eq!(answer.header("preference-applied"), Some("wait"));

    let one = get("/").key(&account.key).parameter("job_id", &answer.job_id());
    let answer = read(&world, one.query("wait", "1").build()).await;
    assert_eq!((answer.status, &answer.body["job"]["status"]), (200, &json!("queued")));
    assert_eq!(answer.body["download"], Value::Null);
}

#[tokio::test]
async fn an_invalid_wait_is_reported_with_all_other_errors() {
    let world = World::new();
    let account = world.account(10).await;
    let wrong = post("/v1/jobs", &json!({"toolSlug": "html-to-pdf", "html": 7})).key(&account.key).query("wait", "26");
    let answer = create(&world, wrong.build()).await;
    assert_eq!(answer.refusal(), (422, "validation_failed"));
    let details = answer.body["error"]["details"].as_array().unwrap();
    assert!(details.iter().any(|breach| breach["path"] == "?wait") && details.len() > 1, "{details:?}");
    let answer = create(&world, creating(&account).query("wait", "x").build()).await;
    assert_eq!(answer.body["error"]["details"][0]["path"], "?wait");
    assert_eq!(world.spent(&account).await, (0, 0), "what was refused made no job");
}

#[tokio::test]
async fn an_unavailable_table_during_the_wait_only_delays_the_result() {
    let world = World::new();
    let account = world.account(10).await;
    world.watch.inject([Fault::down("GetItem").lasting()]);
    let answer = create(&world, creating(&account).query("wait", "1").build()).await;
    world.watch.heal();
    assert_eq!((answer.status, &answer.body["job"]["status"]), (202, &json!("queued")));
}

#[tokio::test]
async fn each_poll_is_one_read() {
    let world = World::new();
    let account = world.account(10).await;
    create(&world, creating(&account).build()).await;
    world.watch.take_calls();
    let answer = create(&world, creating(&account).query("wait", "1").build()).await;
    assert_eq!(answer.status, 202);
    let calls = world.watch.take_calls();
    let (before, rest) = calls.split_at(3);
    assert_eq!(before, ["UpdateItem", "TransactWriteItems", "SendMessage"]);
    // The account's first slot needs three writes, every other one needs one.
    let (slot, polls) = rest.split_at(3);
    assert_eq!(slot, ["UpdateItem"; 3]);
    let (returned, polls) = polls.split_last().unwrap();
    assert_eq!(returned, "UpdateItem");
    assert!(!polls.is_empty() && polls.iter().all(|call| call == "GetItem"), "{polls:?}");
    assert!(polls.len() <= 6, "50, 75, 112, 168, 252 and 343 ms are a second: {polls:?}");
}

/// Waits hold environments, so an account has only so many at once, whatever its keys. One more is answered at once, and creating
/// jobs still works.
#[tokio::test]
async fn an_accounts_waits_are_limited_over_all_its_keys() {
    let world = World::new();
    let account = world.account(10).await;
    let key = world.another_key(&account, Mode::Live, |key| key.limits.set(Limit::Waits, Some(2))).await;
    let waiting = |seconds: &'static str| {
        let request = post("/v1/jobs", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&key);
        create(&world, request.header("prefer", seconds).build())
    };
    let third = async {
        let waits = async || {
            let slot = docmill_store::jobs::Slot::Waiting { account: &account.id };
            let found = world.context.jobs.return_slot(&slot, "none").await.unwrap();
            (found.free(2, clock::now()) == 0).then_some(())
        };
        eventually("both requests wait", PATIENCE, waits).await;
        let started = std::time::Instant::now();
        (waiting("wait=20").await, started.elapsed())
    };
    let (first, second, (third, took)) = tokio::join!(waiting("wait=6"), waiting("wait=6"), third);
    assert_eq!((first.status, second.status, third.status), (202, 202, 202), "{}", third.body);
    assert_eq!((first.header("preference-applied"), third.header("preference-applied")), (Some("wait"), None));
    assert!(took < Duration::from_secs(5), "it waited for {took:?}");
    let after = waiting("wait=1").await;
    assert_eq!(after.header("preference-applied"), Some("wait"), "the slots are free again");
}

/// The exact line that `make up` prints: curl follows a 303 after a POST with a GET.
#[tokio::test]
async fn one_curl_converts_a_document() {
    let Some(url) = deployed_url() else { return };
    let setting = |name: &str| std::env::var(name).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let printed = "from local import proof; import sys; print(proof.pasteable(*sys.argv[1:]))";
    let line = Command::new("python3")
        .args(["-c", printed, &url, &setting("DOCMILL_LIVE_KEY"), &setting("SAMPLES_URL")])
        .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/../infra"))
        .output()
        .await
        .unwrap();
    let line = String::from_utf8(line.stdout).unwrap();
    assert!(line.contains("curl -f -L -o small.pdf"), "{line}");
    let ran = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().await.unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let pdf = std::fs::read(folder.path().join("small.pdf")).unwrap();
    assert!(crate::support::pdf::text(&pdf).contains("Amet aliqua dolor"));
}
