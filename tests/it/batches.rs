//! Batches: their store under races, and runs that are killed.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use docmill_app::batches::{BatchControl, NewBatches, own_batch};
use docmill_app::caller::caller_of;
use docmill_app::context::Context;
use docmill_app::jobs::submit::JobService;
use docmill_aws::files::ObjectKey;
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::batch::{Batch, BatchId, CancelReason, OnError, Reason, State, Tally};
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::upload::UploadId;
use docmill_http::error::ApiError;
use docmill_store::batches::LEASE;
use docmill_store::jobs::Written;
use functions::batch_runner::Runner;
use functions::{cancel_batch, create_batch, get_batch, resume_batch};
use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use lambda_http::http::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::hooks::sealing;
use crate::support::http::{Answer, RequestBuilder, get, post};
use crate::support::jobs::{claim, completion};
use crate::support::tables::{remove_jobs, with_own_jobs};
use crate::support::world::{Account, World, author, patient_aws};

pub const SHORT: Duration = Duration::from_secs(20);
const AT_ONCE: usize = 16;

/// A world whose jobs no deployed worker, sweeper or runner sees.
pub struct Scene {
    pub world: World,
}

impl Scene {
    pub async fn new() -> Self {
        let aws = patient_aws();
        let mut config = with_own_jobs(World::new().config, &aws).await;
        let sqs = aws.sqs();
        for url in [&mut config.html_queue_url, &mut config.batches_queue_url, &mut config.events_queue_url] {
            let name = format!("batches-{}", Uuid::now_v7().simple());
            *url = sqs.create_queue().queue_name(name).send().await.unwrap().queue_url.unwrap();
        }
        Self { world: World::with_config(config) }
    }

    pub async fn end(self) {
        remove_jobs(&self.world.config, &self.world.context.aws).await;
        let sqs = self.world.context.aws.sqs();
        let config = &self.world.config;
        for url in [&config.html_queue_url, &config.batches_queue_url, &config.events_queue_url] {
            sqs.delete_queue().queue_url(url).send().await.unwrap();
        }
    }

    pub fn context(&self) -> Context {
        Context::new(self.world.config.clone(), patient_aws()).unwrap()
    }

    pub fn runner(&self) -> Runner {
        Runner::new(self.context())
    }

    pub async fn post(&self, account: &Account, body: &Value, key: Option<&str>) -> Answer {
        let service = Arc::new(NewBatches::new(JobService::new(self.context(), Some(sealing()))));
        let request = post("/v1/batches", body).key(&account.key);
        let request = match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        Answer::of(create_batch::handle(service, request.build()).await)
    }

    /// A batch of so many pages.
    pub async fn create(&self, account: &Account, items: usize, more: Value) -> BatchId {
        let row = |row: usize| json!({"html": format!("<p>{row}"), "metadata": {"row": row.to_string()}});
        let items: Vec<_> = (0..items).map(row).collect();
        let mut body = json!({"toolSlug": "html-to-pdf", "items": items});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.post(account, &body, None).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
        BatchId::parse(answer.body["batch"]["id"].as_str().unwrap()).unwrap()
    }

    /// The same from an upload.
    pub async fn create_uploaded(&self, account: &Account, items: usize) -> BatchId {
        let upload = UploadId::new();
        let row = |row: usize| json!({"html": format!("<p>{row}"), "metadata": {"row": row.to_string()}});
        let lines: String = (0..items).map(|index| format!("{}\n", row(index))).collect();
        let key = ObjectKey::Upload { account: &account.id, upload };
        self.world.context.files.put_bytes(&key, lines.into_bytes(), "application/jsonl").await.unwrap();
        let body = json!({"toolSlug": "html-to-pdf", "itemsUploadId": upload.to_string()});
        let answer = self.post(account, &body, None).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
        BatchId::parse(answer.body["batch"]["id"].as_str().unwrap()).unwrap()
    }

    pub async fn batch(&self, account: &Account, id: BatchId) -> Batch {
        self.world.context.batches.get(&account.id, id).await.unwrap().unwrap()
    }

    /// Ends the lease of a run that was killed.
    pub async fn end_lease(&self, account: &Account, id: BatchId) {
        let mut batch = self.batch(account, id).await;
        if !batch.state.is_ended() {
            batch.lease_until = None;
            self.world.context.batches.write(&mut batch, None).await.unwrap();
        }
    }

    pub async fn control(&self, account: &Account, id: BatchId, verb: &str) -> Answer {
        let service = Arc::new(BatchControl::new(self.context()));
        let request = RequestBuilder::new(Method::POST, &format!("/v1/batches/{id}/{verb}"))
            .key(&account.key)
            .parameter("batch_id", &id.to_string())
            .build();
        Answer::of(match verb {
            "cancel" => cancel_batch::handle(service, request).await,
            _ => resume_batch::handle(service, request).await,
        })
    }

    pub async fn jobs(&self, batch: &Batch) -> Vec<Job> {
        let ids: Vec<_> = (0..batch.total).map(|index| batch.job(index)).collect();
        self.world.context.jobs.get_all(&ids).await.unwrap()
    }

    /// Completes all open jobs that wait.
    pub async fn complete_jobs(&self, batch: &Batch) {
        let jobs = &self.world.context.jobs;
        let ids: Vec<_> = batch.open.iter().map(|index| batch.job(*index)).collect();
        let waiting = jobs.get_all(&ids).await.unwrap().into_iter().filter(|job| job.status == JobStatus::Queued);
        stream::iter(waiting)
            .for_each_concurrent(AT_ONCE, async |job| {
                let job = claim(jobs, job.id).await;
                assert_eq!(jobs.complete(&job, &completion(clock::now())).await.unwrap(), Written::Yes);
            })
            .await;
    }
}

/// A batch without items that has ended.
pub fn completed_batch(account: &Account) -> Batch {
    let now = clock::now();
    Batch {
        account: account.id.clone(),
        id: BatchId::new(),
        key_hash: account.key.hash(),
        mode: Mode::Live,
        tool: "html-to-pdf".into(),
        on_error: OnError::Continue,
        webhook: None,
        state: State::Completed,
        reason: None,
        created_at: now,
        paused_at: None,
        finished_at: Some(now),
        total: 0,
        next: 0,
        next_byte: 0,
        open: Vec::new(),
        processing: 0,
        tally: Tally::default(),
        charged: 0,
        refunded: 0,
        archive: None,
        retention_seconds: None,
        kept_until: None,
        deleted: 0,
        run: 1,
        lease_until: None,
        revision: 1,
        due_shard: None,
        due: None,
        ttl: now.next_day().as_ttl_seconds(),
    }
}

fn counts(batch: &Batch) -> Value {
    json!(batch.view())["counts"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_becomes_jobs_and_ends_with_them() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let id = scene.create(&account, 3, json!({"output": {"retentionSeconds": 600}})).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!(
        counts(&batch),
        json!({"total": 3, "queued": 3, "processing": 0, "completed": 0, "failed": 0, "canceled": 0})
    );
    let mut jobs = scene.jobs(&batch).await;
    jobs.sort_by_key(|job| job.batch.unwrap().index);
    for (row, job) in jobs.iter().enumerate() {
        let view = json!(job.view(clock::now()));
        assert_eq!((&view["batchId"], &view["index"]), (&json!(id), &json!(row)));
        assert_eq!(job.request.metadata["row"], row.to_string());
        assert_eq!((job.account.as_str(), job.request.retention_seconds), (account.id.as_str(), Some(600)));
    }
    let running = claim(&scene.world.context.jobs, jobs[0].id).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    assert_eq!(counts(&scene.batch(&account, id).await)["processing"], 1);
    scene.world.context.jobs.complete(&running, &completion(clock::now())).await.unwrap();
    scene.complete_jobs(&batch).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!((batch.state, batch.tally.completed, batch.charged, batch.refunded), (State::Completed, 3, 3, 0));
    assert_eq!((batch.due, batch.lease_until), (None, None));
    assert_eq!(scene.world.spent(&account).await, (3, 3));
    // The items are deleted with the end, and an ended batch is not run again.
    assert_eq!(
        scene.world.context.files.list(&format!("batches/{}/", account.id)).await.unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(scene.world.context.batches.claim(&account.id, id, clock::now()).await.unwrap(), None);
    let kinds = event_kinds(&scene, &account).await;
    assert_eq!(kinds.iter().filter(|kind| *kind == "batch.completed").count(), 1, "{kinds:?}");
    scene.end().await;
}

async fn event_kinds(scene: &Scene, account: &Account) -> Vec<String> {
    let page = scene.world.context.events.page(&account.id, None, None, 100, clock::now()).await.unwrap();
    page.events.into_iter().map(|event| event.kind).collect()
}

/// Runs are dropped at any point, and others begin while they only sleep. `BATCH_ITEMS` makes the batch larger.
#[tokio::test(flavor = "multi_thread")]
async fn each_item_becomes_one_job_although_runs_are_killed() {
    let scene = Scene::new().await;
    let account = scene.world.account(100_000).await;
    let items = std::env::var("BATCH_ITEMS").map_or(120, |items| items.parse().unwrap());
    let id = scene.create_uploaded(&account, items).await;
    for kill_after in [30, 60, 110, 170, 240, 320, 410, 510, 620] {
        // Two runs at once: the second takes the batch from the first, which goes on until it is killed.
        let (first, second) = (scene.runner(), scene.runner());
        let killed = tokio::time::timeout(Duration::from_millis(kill_after), async {
            let later = async {
                tokio::time::sleep(Duration::from_millis(kill_after / 2)).await;
                scene.end_lease(&account, id).await;
                Box::pin(second.run(&account.id, id, SHORT)).await
            };
            tokio::join!(Box::pin(first.run(&account.id, id, SHORT)), later)
        });
        drop(killed.await);
        scene.end_lease(&account, id).await;
    }
    let batch = loop {
        drop(tokio::time::timeout(Duration::from_millis(300), scene.runner().run(&account.id, id, SHORT)).await);
        scene.end_lease(&account, id).await;
        scene.runner().run(&account.id, id, Duration::from_millis(500)).await.unwrap();
        let batch = scene.batch(&account, id).await;
        if batch.state.is_ended() {
            break batch;
        }
        scene.complete_jobs(&batch).await;
    };
    let jobs = scene.jobs(&batch).await;
    let ids: HashSet<JobId> = jobs.iter().map(|job| job.id).collect();
    let rows: HashSet<_> = jobs.iter().map(|job| job.request.metadata["row"].clone()).collect();
    assert_eq!((jobs.len(), ids.len(), rows.len()), (items, items, items));
    assert!(jobs.iter().all(|job| job.request.metadata["row"] == job.batch.unwrap().index.to_string()));
    assert_eq!((batch.state, batch.tally.completed), (State::Completed, items as u32));
    assert_eq!(scene.world.spent(&account).await, (items as u64, items as u64), "charged once each");
    assert_eq!((batch.charged, batch.refunded), (items as u64, 0));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_runs_only_one_gets_the_batch() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let id = scene.create(&account, 2, json!({})).await;
    let (batches, now) = (&scene.world.context.batches, clock::now());
    let claims = join_all((0..8).map(|_| batches.claim(&account.id, id, now))).await;
    let mut taken = claims.into_iter().filter_map(Result::unwrap);
    let first = taken.next().unwrap();
    assert_eq!(taken.next(), None, "one has it");
    // Its lease ends, and the next run has another number.
    assert_eq!(batches.claim(&account.id, id, clock::now()).await.unwrap(), None);
    let second = batches.claim(&account.id, id, now.plus(LEASE)).await.unwrap().unwrap();
    assert_eq!(second.run, first.run + 1);
    // What the first run writes late is not written.
    let mut late = first.clone();
    late.note_created(1, 10);
    assert_eq!(batches.write(&mut late, None).await.unwrap(), Written::Superseded);
    assert_eq!(scene.batch(&account, id).await.next, 0);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_slept_creates_no_job_of_a_canceled_batch() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let id = scene.create(&account, 60, json!({})).await;
    // It is killed while it creates the first jobs, before it notes them.
    let run = scene.runner();
    drop(tokio::time::timeout(Duration::from_millis(150), run.run(&account.id, id, SHORT)).await);
    let canceled = scene.control(&account, id, "cancel").await;
    assert_eq!((canceled.status, &canceled.body["batch"]["status"]), (200, &json!("canceling")), "{}", canceled.body);
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!(batch.state, State::Canceled);
    assert_eq!(batch.reason, Some(Reason::Canceled(CancelReason::Requested)));
    assert_eq!(batch.tally.canceled, 60, "{:?}", batch.tally);
    let jobs = scene.jobs(&batch).await;
    assert!(jobs.iter().all(|job| job.status == JobStatus::Canceled));
    assert_eq!((batch.charged, batch.refunded), (jobs.len() as u64, jobs.len() as u64));
    assert_eq!(scene.world.spent(&account).await.0, 0, "everything is refunded");
    // The first run wakes up, with what it read before.
    let gate = docmill_store::batches::Gate { account: account.id.clone(), batch: id, run: batch.run };
    let item = docmill_app::jobs::submit::BatchItem {
        place: docmill_domain::batch::BatchPlace { id, index: 59 },
        job: batch.job(59),
        gate,
    };
    let caller = caller_of(&scene.world.context, &batch.key_hash).await.unwrap();
    let body = json!({"html": "<p>late"});
    let late = scene.world.service.create_item(&caller, "html-to-pdf", body.as_object().unwrap(), &item).await;
    assert_eq!(ApiError::from(late.unwrap_err()).code.as_str(), "batch_ended");
    assert!(scene.world.context.jobs.get(batch.job(59)).await.unwrap().is_none());
    assert_eq!(scene.world.spent(&account).await.0, 0);
    let again = scene.control(&account, id, "cancel").await;
    assert_eq!((again.status, &again.body["batch"]["status"]), (200, &json!("canceled")));
    assert_eq!(scene.control(&account, id, "resume").await.refusal(), (409, "batch_ended"));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_without_credits_is_paused_and_goes_on_when_it_is_resumed() {
    let scene = Scene::new().await;
    let account = scene.world.account(2).await;
    let id = scene.create(&account, 5, json!({})).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!((batch.state, batch.next, batch.charged), (State::Paused, 2, 2));
    assert_eq!(json!(batch.view())["reason"], "insufficient_credits");
    assert!(event_kinds(&scene, &account).await.contains(&"batch.paused".to_owned()));
    // Its jobs go on while it is paused.
    scene.complete_jobs(&batch).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    assert_eq!(scene.batch(&account, id).await.tally.completed, 2);
    scene.world.context.accounts.grant(&account.id, 10, Uuid::now_v7(), &author()).await.unwrap();
    let resumed = scene.control(&account, id, "resume").await;
    assert_eq!((resumed.status, &resumed.body["batch"]["status"]), (200, &json!("processing")));
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    scene.complete_jobs(&scene.batch(&account, id).await).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!((batch.state, batch.tally.completed, batch.charged), (State::Completed, 5, 5));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_that_can_not_become_a_job_fails_alone_or_stops_the_batch() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let missing = UploadId::new().to_string();
    let body = |on_error: &str| {
        json!({"toolSlug": "html-to-pdf", "onError": on_error,
            "items": [{"html": "<p>1"}, {"uploadId": missing}, {"html": "<p>3"}]})
    };
    for (on_error, state, failed, canceled) in [("continue", State::Completed, 1, 0), ("stop", State::Canceled, 1, 2)] {
        let answer = scene.post(&account, &body(on_error), None).await;
        assert_eq!(answer.status, 202, "{}", answer.body);
        let id = BatchId::parse(answer.body["batch"]["id"].as_str().unwrap()).unwrap();
        scene.runner().run(&account.id, id, SHORT).await.unwrap();
        scene.complete_jobs(&scene.batch(&account, id).await).await;
        scene.runner().run(&account.id, id, SHORT).await.unwrap();
        let batch = scene.batch(&account, id).await;
        assert_eq!((batch.state, batch.tally.failed, batch.tally.canceled), (state, failed, canceled), "{on_error}");
        let refused = scene.world.context.batches.refused(&batch, 0, 2).await.unwrap();
        assert_eq!(refused.len(), 1);
        assert_eq!((refused[0].index, refused[0].refusal.code.as_str()), (1, "validation_failed"));
        assert_eq!(refused[0].refusal.details[0].path, "/uploadId", "{:?}", refused[0].refusal);
    }
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_gets_the_same_batch() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let body = json!({"toolSlug": "html-to-pdf", "items": [{"html": "<p>1"}]});
    let answers = join_all((0..6).map(|_| scene.post(&account, &body, Some("key-1")))).await;
    let ids: HashSet<_> = answers.iter().map(|answer| answer.body["batch"]["id"].clone()).collect();
    assert_eq!((ids.len(), answers.iter().all(|answer| answer.status == 202)), (1, true));
    let replayed = answers.iter().filter(|answer| answer.header("idempotency-replayed") == Some("true"));
    assert_eq!(replayed.count(), 5);
    let other = json!({"toolSlug": "html-to-pdf", "items": [{"html": "<p>2"}]});
    assert_eq!(scene.post(&account, &other, Some("key-1")).await.refusal(), (422, "idempotency_key_reused"));
    // Only the batch that exists has items.
    assert_eq!(scene.world.context.files.list(&format!("batches/{}/", account.id)).await.unwrap().len(), 2);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_is_only_shown_to_its_account() {
    let scene = Scene::new().await;
    let (owner, stranger) = (scene.world.account(10).await, scene.world.account(10).await);
    let id = scene.create(&owner, 1, json!({"webhook": {"url": "https://a.example/hook?secret=canary"}})).await;
    let show = async |account: &Account, id: &str| {
        let request = get("/v1/batches/x").key(&account.key).parameter("batch_id", id).build();
        Answer::of(get_batch::handle(Arc::new(scene.context()), request).await)
    };
    let shown = show(&owner, &id.to_string()).await;
    assert_eq!((shown.status, &shown.body["batch"]["id"]), (200, &json!(id)));
    assert!(!shown.body.to_string().contains("canary"));
    for (account, id) in [(&stranger, id.to_string()), (&owner, BatchId::new().to_string()), (&owner, "x".to_owned())] {
        assert_eq!(show(account, &id).await.refusal(), (404, "batch_not_found"));
    }
    for verb in ["cancel", "resume"] {
        assert_eq!(scene.control(&stranger, id, verb).await.refusal(), (404, "batch_not_found"));
    }
    let caller = caller_of(&scene.world.context, &owner.key.hash()).await.unwrap();
    assert_eq!(own_batch(&scene.world.context, &caller, &id.to_string()).await.unwrap().mode, Mode::Live);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_whose_run_died_is_due() {
    let scene = Scene::new().await;
    let account = scene.world.account(10).await;
    let id = scene.create(&account, 1, json!({})).await;
    let batches = &scene.world.context.batches;
    let due = async |at| batches.due(at).await.unwrap().contains(&(account.id.clone(), id));
    let now = clock::now();
    assert!(!due(now).await && due(now.plus(Duration::from_secs(60))).await, "the first message may be lost");
    batches.claim(&account.id, id, now).await.unwrap().unwrap();
    assert!(!due(now.plus(Duration::from_secs(60))).await && due(now.plus(LEASE)).await, "the run may die");
    scene.end().await;
}
