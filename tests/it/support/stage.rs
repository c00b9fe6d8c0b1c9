//! Plays jobs from creation to end, one after the other: with its own jobs table and queue, a clock that can be put ahead, and
//! records of each actor's calls.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use aws_sdk_sqs::types::{MessageAttributeValue, MessageSystemAttributeName as AttributeName};
use docmill_app::context::Context;
use docmill_aws::Aws;
use docmill_aws::files::Files;
use docmill_aws::queue::chain::HOPS;
use docmill_config::Config;
use docmill_config::clock::{self, Clock};
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{Job, JobId, OpenShards};
use docmill_domain::time::Timestamp;
use docmill_domain::tool::{EngineKind, QueueName};
use docmill_egress::EgressPolicy;
use docmill_engine::Engines;
use docmill_fetch::Fetcher;
use docmill_store::health::{Health, TemplateSweep};
use docmill_store::webhooks::Webhooks;
use functions::sweeper::Sweeper;
use functions::{cancel_job, create_job, delete_job};
use futures_util::FutureExt;
use lambda_http::http::Method;
use lambda_runtime::LambdaEvent;
use serde_json::{Map, Value, json};
use uuid::Uuid;
use worker::converter::{Converter, Network};
use worker::fonts::FontCache;
use worker::pipeline::{Delivery, Handled, Pipeline};

use super::aws_watch::{Fault, Watch};
use super::http::{Answer, RequestBuilder, post};
use super::receiver::Receiver;
use super::stub_engine::{StubChecker, StubEngine};
use super::tables::{remove_jobs, table_like, with_own_jobs};
use super::world::{Account, World, patient_aws};

/// Longest time of an invocation: less than in the template, because a worker tries to end a job for nearly as long.
const INVOCATION: Duration = Duration::from_secs(40);
/// How long an unacknowledged message is invisible, and one that a worker returned early.
const VISIBILITY: Duration = Duration::from_secs(1440);
const EARLY: Duration = Duration::from_secs(10);
/// The queue's `maxReceiveCount`.
const MAX_RECEIVES: u32 = 6;

/// The callers of AWS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    Client,
    Worker,
    Sweeper,
}

impl Actor {
    pub const ALL: [Self; 3] = [Self::Client, Self::Worker, Self::Sweeper];
}

/// How an owner ends a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Cancel,
    Delete,
}

pub struct Stage {
    pub world: World,
    pub engine: Arc<StubEngine>,
    /// Reads the results. Its calls are not recorded.
    pub auditor: Context,
    pub files: Files,
    /// Plans with one included credit and with none, created before the settings are first read.
    pub plan_with_one: String,
    pub plan_with_none: String,
    /// The server of `putUrl`.
    pub receiver: Receiver,
    pipeline: Pipeline,
    sweeper: Sweeper,
    no_events: String,
    watches: [Watch; 3],
    clock: Clock,
    ahead_ms: AtomicU64,
    sqs: aws_sdk_sqs::Client,
}

/// A message received from the queue.
#[derive(Clone, Debug)]
pub struct Message {
    pub body: String,
    receipt: String,
    pub visible_at: Timestamp,
    receives: u32,
}

/// The bucket as the role of this function may use it, where the emulator has roles.
pub fn files_of(config: &Config, aws: Aws, function: &str) -> Files {
    let role = std::env::var(format!("{function}_ROLE")).unwrap_or_default();
    let aws = match role.split(' ').collect::<Vec<_>>()[..] {
        [key, secret, token] => aws.acting_as(key, secret, token),
        _ => aws,
    };
    Files::new(aws, config.s3_path_style, config.files_bucket.clone())
}

impl Stage {
    pub async fn new() -> Self {
        let config = Config::from_env().expect("run the tests with `make test`");
        let aws = patient_aws;
        let mut config = with_own_jobs(config, &aws()).await;
        // Most calls of a life are the sweeper's, which looks at each partition in each of its runs.
        config.tables.open_shards = OpenShards::new(1).unwrap();
        let name = format!("stage-{}", Uuid::now_v7().simple());
        let sqs = aws().sqs();
        config.html_queue_url = sqs.create_queue().queue_name(name).send().await.unwrap().queue_url.unwrap();

        let world = World::with_files(config.clone(), aws(), |watched, function| files_of(&config, watched, function));
        let watched = |watch: &Watch, function: &str| {
            let aws = aws().with_interceptor(watch.interceptor());
            let files = files_of(&config, aws.clone(), function);
            Context { files, ..Context::new(config.clone(), aws).unwrap() }
        };
        let (worker_watch, sweeper_watch) = (Watch::default(), Watch::default());
        let context = watched(&worker_watch, "HTML_WORKER");
        let receiver = Receiver::start().await;
        let engine = Arc::new(StubEngine::default());
        let clock = Clock::default();
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
                fetcher: Fetcher::new(EgressPolicy::new(receiver.exception())).unwrap(),
                engines: Engines::default()
                    .with(EngineKind::Chromium, engine.clone())
                    .checked_by(Arc::new(StubChecker)),
                network: Network::Open,
            },
            config: context.config,
            queue_name: QueueName::Html,
            // Time is simulated here, so a hanging worker must not check for cancellation.
            look_every: Duration::from_secs(3600),
            clock: clock.clone(),
        };
        let auditor = Context::new(config.clone(), aws()).unwrap();
        // Lives of jobs, not of webhooks: the sweeper finds none that is due, however many events other lives have left.
        let no_events = format!("{}-none", config.tables.events);
        let no_events = table_like(&auditor.dynamodb, &config.tables.events, &no_events).await;
        let sweeping = watched(&sweeper_watch, "SWEEPER");
        let webhooks = Webhooks::new(sweeping.dynamodb.clone(), no_events.clone());
        // Nor of templates: it looks at them again after all lives.
        let health = Health::new(auditor.dynamodb.clone(), config.tables.jobs.clone());
        let sweep = TemplateSweep { due: clock::now().plus(Duration::from_secs(365 * 86_400)), from: None };
        health.record_template_sweep(&sweep).await.unwrap();
        Self {
            sweeper: Sweeper::over(Context { health, webhooks, ..sweeping }, config.tables.open_shards.count()),
            no_events,
            receiver,
            watches: [world.watch.clone(), worker_watch, sweeper_watch],
            files: auditor.files.clone(),
            ahead_ms: AtomicU64::default(),
            plan_with_one: world.plan(1).await.id,
            plan_with_none: world.plan(0).await.id,
            world,
            engine,
            auditor,
            pipeline,
            clock,
            sqs,
        }
    }

    pub async fn remove(&self) {
        let config = &self.auditor.config;
        self.sqs.delete_queue().queue_url(&config.html_queue_url).send().await.unwrap();
        self.auditor.dynamodb.delete_table().table_name(&self.no_events).send().await.unwrap();
        remove_jobs(config, &self.auditor.aws).await;
    }

    pub fn watch(&self, actor: Actor) -> &Watch {
        match actor {
            Actor::Client => &self.watches[0],
            Actor::Worker => &self.watches[1],
            Actor::Sweeper => &self.watches[2],
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Sets the clock back to the system's.
    pub fn start_over(&self) {
        self.ahead_ms.store(0, Ordering::Relaxed);
        self.clock.put_ahead(Duration::ZERO);
        for actor in Actor::ALL {
            self.watch(actor).clear();
            self.watch(actor).take_calls();
        }
    }

    pub fn advance(&self, by: Duration) {
        let by = by.as_millis() as u64;
        let ahead = self.ahead_ms.fetch_add(by, Ordering::Relaxed) + by;
        self.clock.put_ahead(Duration::from_millis(ahead));
    }

    pub async fn job(&self, id: JobId) -> Job {
        self.auditor.jobs.get(id).await.unwrap().expect("the job exists")
    }

    /// A client that repeats its request until it is accepted, as clients should.
    pub async fn create(&self, account: &Account, html: &str) -> JobId {
        self.create_job(account, &json!({"toolSlug": "html-to-pdf", "html": html})).await
    }

    pub async fn create_job(&self, account: &Account, body: &Value) -> JobId {
        self.create_under(account, body, "k").await
    }

    /// One of several jobs of an account.
    pub async fn create_as(&self, account: &Account, idempotency_key: &str) -> JobId {
        self.create_under(account, &json!({"toolSlug": "html-to-pdf", "html": "<p>x"}), idempotency_key).await
    }

    async fn create_under(&self, account: &Account, body: &Value, idempotency_key: &str) -> JobId {
        for _ in 0..5 {
            let request = post("/", body).key(&account.key).header("idempotency-key", idempotency_key).build();
            let handled =
                AssertUnwindSafe(create_job::handle(self.world.service.clone(), request)).catch_unwind().await;
            self.watch(Actor::Client).heal();
            let Ok(response) = handled else { continue };
            let answer = Answer::of(response);
            if answer.status == 202 {
                return JobId::parse(&answer.job_id()).unwrap();
            }
            assert!(answer.status >= 500, "{} {}", answer.status, answer.body);
        }
        panic!("the request was never accepted");
    }

    /// An owner that repeats a cancellation or deletion until it is answered.
    pub async fn end(&self, account: &Account, id: JobId, by: Control) {
        for _ in 0..5 {
            let method = if by == Control::Cancel { Method::POST } else { Method::DELETE };
            let request =
                RequestBuilder::new(method, "/").key(&account.key).parameter("job_id", &id.to_string()).build();
            let handled = match by {
                Control::Cancel => {
                    AssertUnwindSafe(cancel_job::handle(self.world.cancellation.clone(), request)).catch_unwind().await
                }
                Control::Delete => {
                    AssertUnwindSafe(delete_job::handle(self.world.deletion.clone(), request)).catch_unwind().await
                }
            };
            self.watch(Actor::Client).heal();
            let Ok(response) = handled else { continue };
            let answer = Answer::of(response);
            match answer.status {
                200 | 204 => return,
                _ => assert!(answer.status >= 500, "{} {}", answer.status, answer.body),
            }
        }
        panic!("the job never ends");
    }

    /// Everything that an account has in the bucket.
    pub async fn listing(&self, account: &Account) -> Vec<String> {
        let mut keys = Vec::new();
        for prefix in ["inputs", "outputs/day", "outputs/week"] {
            keys.extend(self.files.list(&format!("{prefix}/{}/", account.id)).await.unwrap());
        }
        keys
    }

    /// A run of the sweeper, which may fail or die: the next one follows in a minute.
    pub async fn sweep(&self) {
        drop(AssertUnwindSafe(self.sweeper.run_at(self.now())).catch_unwind().await);
        self.watch(Actor::Sweeper).heal();
    }

    /// Receives the queue's messages. From now on, the test decides when a message is delivered again.
    pub async fn receive(&self) -> Vec<Message> {
        let queue = &self.auditor.config.html_queue_url;
        let received =
            self.sqs.receive_message().queue_url(queue).max_number_of_messages(10).visibility_timeout(43_200);
        let messages = received.send().await.unwrap().messages.unwrap_or_default();
        let message = |message: aws_sdk_sqs::types::Message| Message {
            body: message.body.unwrap(),
            receipt: message.receipt_handle.unwrap(),
            visible_at: self.now(),
            receives: 0,
        };
        messages.into_iter().map(message).collect()
    }

    /// Receives a message of the queue as Lambda would hand it to a function.
    pub async fn receive_record(&self) -> Option<Value> {
        receive_record(&self.sqs, &self.auditor.config.html_queue_url).await
    }

    /// Invokes the worker with a message, which is deleted if it wants no more of it.
    pub async fn invoke(&self, record: &Value) {
        let event = serde_json::from_value(json!({"Records": [record]})).unwrap();
        let mut context = lambda_runtime::Context::default();
        context.deadline = u64::try_from(clock::now().plus(INVOCATION).as_millis()).unwrap();
        let response = worker::lambda::handle(&self.pipeline, LambdaEvent::new(event, context)).await;
        assert!(response.batch_item_failures.is_empty(), "{response:?}");
        let (queue, receipt) = (&self.auditor.config.html_queue_url, record["receiptHandle"].as_str().unwrap());
        self.sqs.delete_message().queue_url(queue).receipt_handle(receipt).send().await.unwrap();
    }

    /// Sends the job's message as one that follows from so many others.
    pub async fn send_after(&self, id: JobId, hops: u32) {
        let hops = MessageAttributeValue::builder().data_type("Number").string_value(hops.to_string()).build().unwrap();
        let body = json!({"type": "convert.v1", "jobId": id}).to_string();
        let message = self.sqs.send_message().queue_url(&self.auditor.config.html_queue_url).message_body(body);
        message.message_attributes(HOPS, hops).send().await.unwrap();
    }

    /// Delivers a message. Returns it if the queue would keep it.
    pub async fn deliver(&self, message: Message, after_a_crash: Duration) -> Option<Message> {
        let watch = self.watch(Actor::Worker);
        let given_back = watch.count("ChangeMessageVisibility");
        let ends_at = Instant::now() + INVOCATION;
        let delivery = Delivery { body: &message.body, receipt: &message.receipt, ends_at };
        let handled = AssertUnwindSafe(self.pipeline.handle(delivery)).catch_unwind().await;
        watch.heal();
        let away = match handled {
            Ok(Handled::Acknowledge) => {
                self.discard(&message).await;
                return None;
            }
            Ok(Handled::Return) if watch.count("ChangeMessageVisibility") > given_back => EARLY,
            Ok(Handled::Return) => VISIBILITY,
            Err(_crash) => after_a_crash,
        };
        let receives = message.receives + 1;
        (receives < MAX_RECEIVES).then(|| Message { visible_at: self.now().plus(away), receives, ..message })
    }

    /// The second of two workers with the same message deletes a missing one. The emulator refuses this, but AWS does not.
    pub async fn discard(&self, message: &Message) {
        let queue = &self.auditor.config.html_queue_url;
        drop(self.sqs.delete_message().queue_url(queue).receipt_handle(&message.receipt).send().await);
    }

    /// A queue with these messages.
    pub async fn queue_with(&self, bodies: &[&str]) -> String {
        let name = format!("test-{}", Uuid::now_v7().simple());
        let url = self.sqs.create_queue().queue_name(name).send().await.unwrap().queue_url.unwrap();
        for body in bodies {
            self.sqs.send_message().queue_url(&url).message_body(*body).send().await.unwrap();
        }
        url
    }

    /// The number of messages in a queue, received or not.
    pub async fn depth_of(&self, url: &str) -> u64 {
        let depth = docmill_aws::queue::DeadLetters::new(self.sqs.clone(), url.to_owned()).depth().await.unwrap();
        depth.waiting + depth.in_work
    }

    pub async fn remove_queue(&self, url: &str) {
        self.sqs.delete_queue().queue_url(url).send().await.unwrap();
    }

    pub fn inject(&self, actor: Actor, fault: Fault) {
        self.watch(actor).inject([fault]);
    }
}

/// Receives a message as Lambda would hand it to a function: with its attributes.
pub async fn receive_record(sqs: &aws_sdk_sqs::Client, queue: &str) -> Option<Value> {
    let received = sqs.receive_message().queue_url(queue).visibility_timeout(43_200);
    let received = received.message_attribute_names("All").message_system_attribute_names(AttributeName::All);
    let message = received.send().await.unwrap().messages.unwrap_or_default().pop()?;
    let attributes = message.attributes.unwrap_or_default().into_iter();
    let attributes: Map<_, _> = attributes.map(|(name, value)| (name.as_str().to_owned(), value.into())).collect();
    let own = message.message_attributes.unwrap_or_default().into_iter();
    let value = |value: MessageAttributeValue| json!({"dataType": value.data_type, "stringValue": value.string_value});
    let own: Map<_, _> = own.map(|(name, given)| (name, value(given))).collect();
    Some(json!({
        "messageId": message.message_id, "receiptHandle": message.receipt_handle, "body": message.body,
        "attributes": attributes, "messageAttributes": own,
    }))
}
