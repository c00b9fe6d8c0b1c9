//! The worker's pipeline with the emulator and a scripted engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_lambda_events::sqs::SqsEvent;
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::api_key::ApiKey;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{Job, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS};
use docmill_domain::tool::{EngineKind, QueueName};
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::Engines;
use docmill_fetch::Fetcher;
use functions::create_job;
use lambda_runtime::LambdaEvent;
use serde_json::{Value, json};
use worker::converter::{Converter, Network};
use worker::fonts::FontCache;
use worker::pipeline::{Delivery, Handled, Pipeline};

use crate::support::aws_watch::{Fault, Watch};
use crate::support::http::{Answer, post};
use crate::support::lines::{Lines, metrics};
use crate::support::stub_engine::{Act, StubChecker, StubEngine};
use crate::support::world::{Account, World, patient_aws};

/// A test's own worker, and a job for it that deployed workers don't see.
pub(crate) struct Bench {
    pub(crate) world: World,
    pub(crate) account: Account,
    pub(crate) pipeline: Pipeline,
    pub(crate) engine: Arc<StubEngine>,
    pub(crate) watch: Watch,
    pub(crate) id: JobId,
}

/// A job whose message is never sent: its test delivers it.
async fn create(world: &World, key: &ApiKey, body: &Value) -> JobId {
    world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
    let request = post("/", body).key(key).build();
    let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
    JobId::parse(&answer.job_id()).unwrap()
}

impl Bench {
    pub(crate) async fn new(script: impl IntoIterator<Item = Act>) -> Self {
        Self::with_html("<p>x", script).await
    }

    async fn with_html(html: &str, script: impl IntoIterator<Item = Act>) -> Self {
        let world = World::new();
        let account = world.account(5).await;
        Self::with_job(world, account, &json!({"toolSlug": "html-to-pdf", "html": html}), script).await
    }

    pub(crate) async fn with_job(
        world: World,
        account: Account,
        body: &Value,
        script: impl IntoIterator<Item = Act>,
    ) -> Self {
        let id = create(&world, &account.key, body).await;

        let watch = Watch::default();
        let aws = patient_aws().with_interceptor(watch.interceptor());
        let context = Context::new(world.config.clone(), aws).unwrap();
        let engine = Arc::new(StubEngine::playing(script));
        let fetcher = Fetcher::new(EgressPolicy::new(SourceExceptions::default())).unwrap();
        let pipeline = Pipeline {
            files: context.files.clone(),
            queue: context.queue(),
            jobs: context.jobs.clone(),
            budgets: context.budgets,
            fonts: context.fonts,
            templates: context.templates,
            font_cache: FontCache::default(),
            converter: Converter {
                catalogue: Catalogue::load().unwrap(),
                fetcher,
                engines: Engines::default()
                    .with(EngineKind::Chromium, engine.clone())
                    .checked_by(Arc::new(StubChecker)),
                network: Network::Open,
            },
            config: context.config,
            queue_name: QueueName::Html,
            // Only the test of cancellation needs these reads. In others, they would happen at any time and meet injected faults.
            look_every: Duration::from_secs(3600),
            clock: clock::Clock::default(),
        };
        Self { world, account, pipeline, engine, watch, id }
    }

    /// A further job, for the same worker.
    pub(crate) async fn create(&self, key: &ApiKey, body: &Value) -> JobId {
        create(&self.world, key, body).await
    }

    pub(crate) async fn deliver(&self) -> Handled {
        let body = json!({"type": "convert.v1", "jobId": self.id}).to_string();
        let ends_at = Instant::now() + Duration::from_secs(240);
        // The queue does not know this receipt, so changing its visibility fails, which must not matter.
        self.pipeline.handle(Delivery { body: &body, receipt: "none", ends_at }).await
    }

    pub(crate) async fn job(&self) -> Job {
        self.world.context.jobs.get(self.id).await.unwrap().unwrap()
    }
}

#[tokio::test]
async fn a_completed_job_has_all_its_fields() {
    let bench = Bench::new([]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 1));
    let output = job.result.output.unwrap();
    assert_eq!((output.bytes, output.pages, output.filename.as_str()), (13, Some(3), "document.pdf"));
    assert_eq!(output.sha256, docmill_domain::sha256_hex(b"%PDF-1.7 stub"));
    assert_eq!(job.result.engine.unwrap().name, "stub");
    assert!(job.result.timings.is_some() && job.request.secret.is_none() && job.work.lease_until.is_none());
    let key = job.result.output_key.unwrap();
    assert_eq!(key, format!("outputs/day/{}/{}/1/0", bench.account.id, bench.id));
    assert_eq!(bench.world.context.files.get_text(&key).await.unwrap(), "%PDF-1.7 stub");
}

#[tokio::test]
async fn a_second_delivery_is_acknowledged_and_does_nothing() {
    let bench = Bench::new([]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let finished = bench.job().await.times.finished_at;
    bench.watch.take_calls();
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.watch.take_calls(), ["GetItem"]);
    assert_eq!(bench.job().await.times.finished_at, finished);
}

#[tokio::test]
async fn the_documents_own_fault_ends_the_job_at_once_with_its_credits_back() {
    let bench = Bench::new([Act::Fail(JobErrorCode::CorruptDocument)]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts, job.payment.refunded), (JobStatus::Failed, 1, 1));
    assert_eq!(job.result.error.unwrap().code, JobErrorCode::CorruptDocument);
    assert_eq!(bench.world.spent(&bench.account).await, (0, 1));
}

#[tokio::test]
async fn a_crashed_engine_gets_one_more_try_within_the_attempt() {
    let bench = Bench::new([Act::Fail(JobErrorCode::EngineCrashed)]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 1));

    let bench = Bench::new([Act::Fail(JobErrorCode::EngineCrashed), Act::Fail(JobErrorCode::EngineCrashed)]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts, job.payment.refunded), (JobStatus::Failed, 1, 1));
    assert_eq!(job.result.error.unwrap().code, JobErrorCode::EngineCrashed);
}

#[tokio::test]
async fn our_own_fault_is_tried_again_until_attempts_are_used_up() {
    let bench = Bench::new((0..MAX_ATTEMPTS).map(|_| Act::Fail(JobErrorCode::Internal))).await;
    for attempt in 1..MAX_ATTEMPTS {
        assert_eq!(bench.deliver().await, Handled::Return);
        let job = bench.job().await;
        assert_eq!((job.status, job.attempts), (JobStatus::Queued, attempt));
        assert!(job.index.due > Some(clock::now()));
    }
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts, job.payment.refunded), (JobStatus::Failed, MAX_ATTEMPTS, 1));
}

#[tokio::test]
async fn a_storage_fault_is_ours_and_retried() {
    let bench = Bench::new([]).await;
    bench.watch.inject((0..3).map(|_| Fault::down("PutObject")));
    assert_eq!(bench.deliver().await, Handled::Return);
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 2));
}

#[tokio::test]
async fn a_completion_whose_answer_is_lost_is_one_completion() {
    let bench = Bench::new([]).await;
    bench.watch.inject((0..3).map(|_| Fault::lost_answer("TransactWriteItems")));
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.job().await.status, JobStatus::Completed);
    bench.world.count([bench.job().await.id]).await;
    let usage = bench.world.context.usage.of_month(&bench.account.id, clock::now().period()).await.unwrap();
    assert_eq!((usage.credits.used, usage.total().completed, usage.total().failed), (1, 1, 0));
}

#[tokio::test]
async fn a_claim_whose_response_is_lost_is_still_valid() {
    let bench = Bench::new([]).await;
    bench.watch.inject([Fault::lost_answer("UpdateItem")]);
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.watch.unmet_faults(), 0);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 1));
}

#[tokio::test]
async fn a_worker_killed_in_the_middle_leaves_a_job_that_the_next_one_finishes() {
    let bench = Bench::new([]).await;
    // The first worker's lease ends at once, and the worker disappears.
    bench.world.context.jobs.claim(bench.id, clock::now(), Duration::ZERO).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 2));
    assert_eq!(bench.world.spent(&bench.account).await, (1, 1));
}

#[tokio::test]
async fn a_large_request_is_read_from_the_bucket_and_removed_at_the_end() {
    let bench = Bench::with_html(&"<p>long".repeat(6000), []).await;
    let Some(docmill_domain::job::Payload::Stored(key)) = bench.job().await.request.secret else { panic!("stored") };
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.job().await.status, JobStatus::Completed);
    assert!(bench.world.context.files.get_text(&key).await.is_err(), "the request is gone");
}

#[tokio::test]
async fn a_message_that_cannot_be_read_goes_towards_the_dead_letters() {
    let bench = Bench::new([]).await;
    let delivery = Delivery { body: "{\"type\":\"convert.v9\"}", receipt: "none", ends_at: Instant::now() };
    bench.watch.take_calls();
    assert_eq!(bench.pipeline.handle(delivery).await, Handled::Return);
    assert_eq!(bench.watch.take_calls(), ["ChangeMessageVisibility"], "it comes back at once, and not in 24 minutes");
}

#[tokio::test]
async fn a_panic_ends_an_attempt_and_not_the_environment() {
    let bench = Bench::new([Act::Panic]).await;
    let body = json!({"type": "convert.v1", "jobId": bench.id}).to_string();
    let event: SqsEvent = serde_json::from_value(json!({
        "Records": [{"messageId": "m-1", "receiptHandle": "none", "body": body, "attributes": {}, "messageAttributes": {}}]
    }))
    .unwrap();
    let mut context = lambda_runtime::Context::default();
    context.deadline = u64::try_from(clock::now().plus(Duration::from_secs(240)).as_millis()).unwrap();
    let response = worker::lambda::handle(&bench.pipeline, LambdaEvent::new(event, context)).await;
    assert_eq!(response.batch_item_failures[0].item_identifier, "m-1");
    // The job keeps its lease, until the sweeper or the next delivery takes it.
    assert_eq!(bench.job().await.status, JobStatus::Processing);
}

#[tokio::test]
async fn each_end_of_a_job_has_one_line_with_its_metrics() {
    let lines = Lines::collect();
    let bench = Bench::new([]).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let ended = lines.take_saying("job ended");
    assert_eq!(ended.len(), 1, "{ended:?}");
    let (line, timings) = (&ended[0], bench.job().await.result.timings.unwrap());
    assert_eq!((&line["job_id"], &line["account"]), (&json!(bench.id.to_string()), &json!(bench.account.id)));
    assert_eq!((&line["pages"], &line["attempt"], &line["tool"]), (&json!(3), &json!(1), &json!("html-to-pdf")));
    let engine = || vec!["chromium".to_owned()];
    let group = |line: &serde_json::Value| line["account_group"].as_str().unwrap().to_owned();
    let expected = [
        ("jobs".to_owned(), 1, engine()),
        ("jobs".to_owned(), 1, vec!["chromium".to_owned(), "completed".to_owned()]),
        ("queued_ms".to_owned(), timings.queued_ms, engine()),
        ("fetch_ms".to_owned(), timings.fetch_ms, engine()),
        ("convert_ms".to_owned(), timings.convert_ms, engine()),
        ("store_ms".to_owned(), timings.store_ms, engine()),
        ("completions".to_owned(), 1, vec![group(line)]),
    ];
    assert_eq!(metrics(line), expected);

    let bench = Bench::new([Act::Fail(JobErrorCode::Internal), Act::Fail(JobErrorCode::CorruptDocument)]).await;
    assert_eq!(bench.deliver().await, Handled::Return);
    assert_eq!(lines.take_saying("job ended"), Vec::<serde_json::Value>::new());
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let ended = lines.take_saying("job ended");
    assert_eq!(ended.len(), 1, "{ended:?}");
    assert_eq!((&ended[0]["cause"], &ended[0]["attempt"]), (&json!("told to fail"), &json!(2)));
    let expected = [
        ("jobs".to_owned(), 1, engine()),
        ("jobs".to_owned(), 1, vec!["chromium".to_owned(), "corrupt_document".to_owned()]),
        ("credits_refunded".to_owned(), 1, vec![]),
        ("source_failures".to_owned(), 1, vec![group(&ended[0])]),
    ];
    assert_eq!(metrics(&ended[0]), expected);
}
