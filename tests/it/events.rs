//! Events: each is recorded exactly once, with the data for receivers and without secrets.

use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::event::EventKind;
use docmill_domain::job::{Job, JobError, JobErrorCode, JobId};
use docmill_domain::time::Timestamp;
use docmill_store::events::StoredEvent;
use docmill_store::jobs::Written;
use functions::create_job;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::aws_watch::Fault;
use crate::support::http::{Answer, post};
use crate::support::jobs::{claim, completion};
use crate::support::world::{Account, World};

async fn request(world: &World, account: &Account) -> Answer {
    let request = post("/", &json!({"toolSlug": "html-to-pdf", "html": "<p>x"})).key(&account.key).build();
    Answer::of(create_job::handle(world.service.clone(), request).await)
}

async fn claimed(world: &World, account: &Account) -> Job {
    let answer = request(world, account).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    claim(&world.context.jobs, JobId::parse(&answer.job_id()).unwrap()).await
}

async fn complete(world: &World, job: &Job) -> Written {
    world.context.jobs.complete(job, &completion(clock::now())).await.unwrap()
}

async fn events(world: &World, account: &Account) -> Vec<StoredEvent> {
    let page = world.context.events.page(&account.id, None, None, 100, clock::now()).await.unwrap();
    assert!(page.next.is_none());
    page.events
}

async fn kinds(world: &World, account: &Account) -> Vec<String> {
    let mut kinds: Vec<_> = events(world, account).await.into_iter().map(|event| event.kind).collect();
    kinds.sort();
    kinds
}

#[tokio::test]
async fn a_jobs_end_writes_one_event_without_the_request() {
    let world = World::new();
    let account = world.account(100).await;
    let asked = json!({
        "toolSlug": "office-to-pdf",
        "sourceUrl": "https://a.example/x.docx?sig=canaryquery",
        "options": {"password": "canarypassword"},
        "metadata": {"order": "4711"},
    });
    let answer =
        Answer::of(create_job::handle(world.service.clone(), post("/", &asked).key(&account.key).build()).await);
    let job = claim(&world.context.jobs, JobId::parse(&answer.job_id()).unwrap()).await;
    let done = completion(clock::now());
    let ends = join_all((0..5).map(|_| world.context.jobs.complete(&job, &done))).await;
    assert!(ends.into_iter().all(|end| end.unwrap() == Written::Yes), "a repeated end is the same end");

    let recorded = events(&world, &account).await;
    assert_eq!(recorded.len(), 1, "{recorded:?}");
    let event = &recorded[0];
    assert!(event.ttl > done.finished_at.as_ttl_seconds());
    let body: Value = serde_json::from_str(&event.body()).unwrap();
    assert_eq!((&body["type"], &body["timestamp"]), (&json!("job.completed"), &json!(done.finished_at.to_string())));
    let told = &body["data"]["job"];
    assert_eq!((&told["id"], &told["status"]), (&json!(job.id), &json!("completed")));
    assert_eq!((&told["metadata"], &told["output"]["pages"]), (&json!({"order": "4711"}), &json!(1)));
    assert_eq!(told["credits"], json!({"charged": 1, "refunded": 0}));
    let text = event.body();
    assert!(
        !["canary", "a.example", "input", "options", "outputs/"].iter().any(|secret| text.contains(secret)),
        "{text}"
    );
}

#[tokio::test]
async fn every_transition_raises_the_version_and_an_event_has_that_of_its_end() {
    let world = World::new();
    let account = world.account(10).await;
    let (jobs, now) = (&world.context.jobs, clock::now());
    let read = async |id: JobId, at: Timestamp| jobs.get(id).await.unwrap().unwrap().view(at).version;
    let answer = request(&world, &account).await;
    assert_eq!(answer.body["job"]["version"], 1, "queued");
    let first = claim(jobs, JobId::parse(&answer.job_id()).unwrap()).await;
    assert_eq!(first.version, 2, "processing");
    assert_eq!(jobs.release(&first, now).await.unwrap(), Written::Yes);
    assert_eq!(read(first.id, now).await, 3, "queued again");
    let second = claim(jobs, first.id).await;
    let done = completion(now);
    assert_eq!(jobs.complete(&second, &done).await.unwrap(), Written::Yes);
    assert_eq!(read(first.id, now).await, 5, "completed");
    assert_eq!(events(&world, &account).await[0].data["job"]["version"], 5);
    assert_eq!(read(first.id, done.expires_at).await, 6, "expired, though the sweeper has not written it");

    // One copy of the job is expired before it is deleted, the other one is not.
    let completed = jobs.get(first.id).await.unwrap().unwrap();
    assert_eq!(jobs.delete(&completed, done.expires_at).await.unwrap(), Written::Yes);
    assert_eq!(read(first.id, now).await, 7, "newer than the expiry that was read");
    let other = claimed(&world, &account).await;
    assert_eq!(jobs.complete(&other, &done).await.unwrap(), Written::Yes);
    let other = jobs.get(other.id).await.unwrap().unwrap();
    assert_eq!(jobs.expire(&other, None).await.unwrap(), Written::Yes);
    assert_eq!(read(other.id, done.expires_at).await, 4, "as it was read before");
}

#[tokio::test]
async fn of_ends_that_race_only_the_one_that_wins_is_in_an_event_with_its_version() {
    let world = World::new();
    let account = world.account(10).await;
    for _ in 0..5 {
        let job = claimed(&world, &account).await;
        let (done, error) =
            (completion(clock::now()), JobError::new(JobErrorCode::WrongPassword, "Send the right one."));
        let jobs = &world.context.jobs;
        tokio::join!(
            async { jobs.complete(&job, &done).await.map(drop).unwrap() },
            async { jobs.cancel(&job, clock::now()).await.map(drop).unwrap() },
            async { jobs.fail(&job, &error, None, clock::now()).await.map(drop).unwrap() },
            async { jobs.release(&job, clock::now()).await.map(drop).unwrap() },
        );
        let ended = jobs.get(job.id).await.unwrap().unwrap();
        let told: Vec<_> =
            events(&world, &account).await.into_iter().filter(|event| event.job == Some(job.id)).collect();
        if ended.status.is_terminal() {
            assert_eq!(told.len(), 1, "{told:?}");
            let told = &told[0].data["job"];
            assert_eq!((&told["version"], &told["status"]), (&json!(ended.version), &json!(ended.status)));
        } else {
            assert!(told.is_empty(), "the job was released first: {told:?}");
        }
        assert_eq!(ended.version, 3, "one transition won");
    }
}

#[tokio::test]
async fn a_body_is_the_same_at_each_read_and_never_larger_than_20_kb() {
    let world = World::new();
    let account = world.account(10).await;
    // As large as labels may be: each character takes six bytes in JSON.
    let labels: serde_json::Map<_, _> =
        (0..20).map(|label| (format!("{label:\u{1}<40}"), json!("\u{1}".repeat(500)))).collect();
    let asked = json!({"toolSlug": "html-to-pdf", "html": "<p>x", "metadata": labels});
    let created = post("/", &asked).key(&account.key).build();
    let answer = Answer::of(create_job::handle(world.service.clone(), created).await);
    assert_eq!(answer.status, 202, "{}", answer.body);
    let job = claim(&world.context.jobs, JobId::parse(&answer.job_id()).unwrap()).await;
    complete(&world, &job).await;
    let bodies = join_all((0..5).map(|_| events(&world, &account))).await;
    let body = bodies[0][0].body();
    assert!(bodies.iter().all(|read| read[0].body() == body), "members keep their order");
    assert!(body.len() <= 20_000 && body.len() > 15_000, "{}", body.len());
    let told: Value = serde_json::from_str(&body).unwrap();
    let told = told["data"]["job"].as_object().unwrap();
    assert_eq!(told["metadataTruncated"], true);
    let members: Vec<_> = told.keys().map(String::as_str).collect();
    assert!(members.starts_with(&["id", "status", "version", "toolSlug"]), "{members:?}");
}

#[tokio::test]
async fn a_failed_jobs_event_has_the_reason_and_does_not_count_for_the_quota_warning() {
    let world = World::new();
    let account = world.account(1).await;
    let job = claimed(&world, &account).await;
    let error = JobError::new(JobErrorCode::WrongPassword, "Send the right password.");
    assert_eq!(world.context.jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
    let recorded = events(&world, &account).await;
    let told = &recorded[0].data["job"];
    assert_eq!((recorded.len(), recorded[0].kind.as_str()), (1, "job.failed"));
    assert_eq!((&told["error"]["code"], &told["error"]["retryable"]), (&json!("wrong_password"), &json!(false)));
    assert_eq!(told["credits"], json!({"charged": 1, "refunded": 1}));

    let completed = claimed(&world, &account).await;
    assert_eq!(complete(&world, &completed).await, Written::Yes);
    world.count([job.id]).await;
    assert_eq!(kinds(&world, &account).await, ["job.completed", "job.failed"]);
    world.count([completed.id]).await;
    assert_eq!(kinds(&world, &account).await, ["job.completed", "job.failed", "quota.warning"]);
}

#[tokio::test]
async fn the_job_that_reaches_80_percent_of_the_month_warns_once() {
    let world = World::new();
    let account = world.account(10).await;
    let mut jobs = Vec::new();
    for _ in 0..10 {
        jobs.push(claimed(&world, &account).await);
    }
    let ids: Vec<_> = jobs.iter().map(|job| job.id).collect();
    for job in &jobs[..7] {
        complete(&world, job).await;
    }
    world.count(ids.clone()).await;
    assert!(!kinds(&world, &account).await.contains(&"quota.warning".to_owned()), "seven of ten are no warning");
    assert!(
        join_all(jobs[7..].iter().map(|job| complete(&world, job))).await.into_iter().all(|end| end == Written::Yes)
    );
    join_all((0..5).map(|_| world.count(ids.clone()))).await;
    let warnings: Vec<_> =
        events(&world, &account).await.into_iter().filter(|event| event.kind == "quota.warning").collect();
    assert_eq!(warnings.len(), 1);
    let period = clock::now().period();
    let expected = json!({
        "period": {"start": period.start().to_string(), "end": period.end().to_string()},
        "credits": {"included": 10, "threshold": 8},
    });
    assert_eq!(warnings[0].data, expected);
    let usage = world.context.usage.of_month(&account.id, period).await.unwrap();
    assert_eq!(usage.total().completed, 10, "every completion is counted, whoever warned");
}

#[tokio::test]
async fn completions_that_race_across_the_threshold_warn_once_and_all_count() {
    let world = World::new();
    let account = world.account(10).await;
    let jobs = join_all((0..10).map(|_| claimed(&world, &account))).await;
    // Two count each end in parallel with the others'.
    join_all(jobs.iter().map(|job| async {
        assert_eq!(complete(&world, job).await, Written::Yes);
        // If the account's items are always contended, the job is left to the next run.
        let count = || world.context.statistics.count(std::slice::from_ref(&job.id), clock::now());
        join_all([count(), count()]).await;
    }))
    .await;
    world.count(jobs.iter().map(|job| job.id)).await;
    let kinds = kinds(&world, &account).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "quota.warning").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| *kind == "job.completed").count(), 10);
    let usage = world.context.usage.of_month(&account.id, clock::now().period()).await.unwrap();
    let total = usage.total();
    assert_eq!((total.created, total.completed, total.charged, usage.counts.len()), (10, 10, 10, 1));
}

#[tokio::test]
async fn a_warning_whose_answer_is_lost_is_recorded_once() {
    let world = World::new();
    let account = world.account(2).await;
    let (first, second) = (claimed(&world, &account).await, claimed(&world, &account).await);
    complete(&world, &first).await;
    assert_eq!(complete(&world, &second).await, Written::Yes);
    // As often as the SDK tries.
    world.watch.inject((0..3).map(|_| Fault::lost_answer("TransactWriteItems")));
    let ids = [first.id, second.id];
    assert!(world.context.statistics.count(&ids, clock::now()).await.is_err(), "nobody knows what became of it");
    assert_eq!(world.watch.unmet_faults(), 0);
    world.count(ids).await;
    assert_eq!(kinds(&world, &account).await, ["job.completed", "job.completed", "quota.warning"]);
}

#[tokio::test]
async fn exhausted_credits_write_one_event_a_month() {
    let world = World::new();
    let (other, account) = (World::new(), world.account(1).await);
    assert_eq!(request(&world, &account).await.status, 202);
    let refusals = (0..12).map(|number| request(if number % 2 == 0 { &world } else { &other }, &account));
    assert!(join_all(refusals).await.into_iter().all(|answer| answer.status == 402));
    let recorded = events(&world, &account).await;
    assert_eq!((recorded.len(), recorded[0].kind.as_str()), (1, "quota.exhausted"));
    assert_eq!(recorded[0].data["credits"], json!({"required": 1, "available": 0}));
}

#[tokio::test]
async fn a_refusal_stays_a_refusal_when_its_event_cannot_be_recorded() {
    let world = World::new();
    let account = world.account(0).await;
    // Without credits, the job needs no transaction; the first one would record the refusal.
    world.watch.inject([Fault::down("TransactWriteItems").lasting()]);
    assert_eq!(request(&world, &account).await.refusal(), (402, "insufficient_credits"));
    assert!(events(&world, &account).await.is_empty());
    world.watch.clear();
    assert_eq!(request(&world, &account).await.status, 402);
    assert_eq!(kinds(&world, &account).await, ["quota.exhausted"]);
}

#[tokio::test]
async fn test_jobs_write_events_without_credits() {
    let world = World::new();
    let account = world.account(1).await;
    let account = Account { key: world.another_key(&account, Mode::Test, |_| {}).await, ..account };
    let job = claimed(&world, &account).await;
    complete(&world, &job).await;
    let recorded = events(&world, &account).await;
    assert_eq!((recorded.len(), &recorded[0].data["job"]["testMode"]), (1, &json!(true)));
}

#[tokio::test]
async fn events_are_listed_newest_first_and_by_page_for_their_account_alone() {
    let world = World::new();
    let (account, stranger) = (world.account(100).await, world.account(100).await);
    for _ in 0..5 {
        let job = claimed(&world, &account).await;
        complete(&world, &job).await;
    }
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let page = world.context.events.page(&account.id, None, before.as_deref(), 2, clock::now()).await.unwrap();
        seen.extend(page.events);
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 5);
    assert!(seen.is_sorted_by(|one, next| one.recorded_at >= next.recorded_at && one.id > next.id));
    assert!(events(&world, &stranger).await.is_empty());
    let much_later = clock::now().plus(std::time::Duration::from_secs(40 * 86_400));
    let page = world.context.events.page(&account.id, None, None, 100, much_later).await.unwrap();
    assert!(page.events.is_empty(), "what is past its time is not shown, whatever the table still holds");
}

#[tokio::test]
async fn events_of_one_kind_are_found_among_many_others() {
    let world = World::new();
    let account = world.account(100).await;
    // Two of this kind are behind more others than one query reads.
    let record = async |kind: EventKind| {
        let now = clock::now();
        let event = StoredEvent::new(&account.id, kind, now, json!({}));
        world.context.events.record(&event).await.unwrap();
        event.id
    };
    let mut revoked = Vec::new();
    for _ in 0..2 {
        revoked.push(record(EventKind::ApiKeyRevoked).await);
    }
    join_all((0..110).map(|_| record(EventKind::JobCompleted))).await;
    revoked.push(record(EventKind::ApiKeyRevoked).await);
    revoked.sort_by(|one: &String, other| other.cmp(one));

    let page = async |before: Option<&str>, limit| {
        let kind = Some(EventKind::ApiKeyRevoked.as_str());
        world.context.events.page(&account.id, kind, before, limit, clock::now()).await.unwrap()
    };
    let ids = |events: Vec<StoredEvent>| events.into_iter().map(|event| event.id).collect::<Vec<_>>();
    assert_eq!(ids(page(None, 10).await.events), revoked);
    let first = page(None, 2).await;
    let next = first.next.clone();
    assert_eq!(ids(first.events), revoked[..2]);
    let last = page(next.as_deref(), 2).await;
    assert_eq!((ids(last.events), last.next), (revoked[2..].to_vec(), None));
}
