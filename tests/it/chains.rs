//! Chains of messages: Lambda stops none that is meant, and one that never ends is cut.

use std::time::Duration;

use docmill_app::lanes::Lanes;
use docmill_aws::queue::chain::{Chain, MOST_HOPS, following};
use docmill_aws::queue::{QueueError, WebhookMessage};
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::job::{JobId, JobStatus};
use docmill_domain::limits::Limit;
use docmill_domain::tool::QueueName;
use docmill_domain::webhook::{DeliveryId, EndpointId};
use docmill_store::jobs::{Lane, Slot};
use functions::batch_runner::Obstacle;
use serde_json::{Value, json};

use crate::batches::Scene;
use crate::support::lines::{Lines, metrics};
use crate::support::stage::{Actor, Stage, receive_record};
use crate::support::world::{Account, World, patient_aws};

const HOUR: Duration = Duration::from_secs(3600);
/// More than Lambda's detection of loops lets pass.
const BACKLOG: usize = 105;

/// Lambda's detection of recursive loops, as AWS describes it: the trace header says how often each function was invoked in a chain
/// of messages, and a function that was invoked sixteen times is not invoked again, unless its `RecursiveLoop` allows that.
struct LoopDetection {
    function: &'static str,
    allows: bool,
}

impl LoopDetection {
    /// That of the function in the template.
    fn of(function: &'static str) -> Self {
        let template = include_str!("../../template.yaml");
        let resource = template.split(&format!("\n  {function}:\n")).nth(1).expect("the template has the function");
        let mut own = resource.lines().take_while(|line| line.is_empty() || line.starts_with("    "));
        Self { function, allows: own.any(|line| line.trim() == "RecursiveLoop: Allow") }
    }

    /// The trace header of the invocation with this message. `None`: the message is dropped.
    fn passes(&self, record: &Value) -> Option<String> {
        let seen = self.invocations(record);
        (self.allows || seen < 16).then(|| {
            format!(
                "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0;Lineage={}:{}",
                self.function,
                seen + 1
            )
        })
    }

    /// How often the function was invoked before this message.
    fn invocations(&self, record: &Value) -> u32 {
        let header = record["attributes"]["AWSTraceHeader"].as_str().unwrap_or_default();
        let lineage = header.split(';').find_map(|part| part.strip_prefix("Lineage=")).unwrap_or_default();
        let own = lineage.split('|').find_map(|part| part.strip_prefix(self.function)?.strip_prefix(':'));
        own.map_or(0, |count| count.parse().unwrap())
    }
}

fn hops(record: &Value) -> u32 {
    record["messageAttributes"]["hops"]["stringValue"].as_str().unwrap().parse().unwrap()
}

/// An account with so many held jobs, which run one after the other. Nothing is in its queue.
async fn backlog(stage: &Stage, jobs: usize) -> (Account, Lane, Vec<JobId>) {
    let plan = stage.world.plan(1000).await;
    let account = stage.world.account_on(&plan.id, 0).await;
    let key = stage.world.another_key(&account, Mode::Live, |key| key.limits.set(Limit::RunningJobs, Some(1))).await;
    let account = Account { key, ..account };
    let lane = Lane { queue: QueueName::Html, account: account.id.clone() };
    let now = stage.now();
    assert!(
        stage.auditor.jobs.take_slot(&Slot::Running(&lane), "first", None, 1, (now, now.plus(HOUR))).await.unwrap()
    );
    let mut ids = Vec::new();
    for number in 0..jobs {
        ids.push(stage.create_as(&account, &number.to_string()).await);
    }
    while let Some(record) = stage.receive_record().await {
        stage.invoke(&record).await;
    }
    (account, lane, ids)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backlog_is_a_chain_that_lambda_does_not_stop() {
    let stage = Stage::new().await;
    let (_, lane, ids) = backlog(&stage, BACKLOG).await;
    let queue = stage.auditor.queue();
    let lanes = Lanes { jobs: &stage.auditor.jobs, queue: &queue };
    lanes.leave(&lane, "first", 1, stage.now()).await.unwrap();

    let (detection, mut followed) = (LoopDetection::of("HtmlWorker"), Vec::new());
    while let Some(record) = stage.receive_record().await {
        let Some(trace) = detection.passes(&record) else { panic!("Lambda stops the chain after {followed:?}") };
        followed.push((hops(&record), detection.invocations(&record)));
        stage.watch(Actor::Worker).trace(trace);
        stage.invoke(&record).await;
    }
    let expected: Vec<_> = (0..u32::try_from(BACKLOG).unwrap()).map(|hops| (hops, hops)).collect();
    assert_eq!(followed, expected, "each message follows from the one before");
    for id in ids {
        assert_eq!(stage.job(id).await.status, JobStatus::Completed);
    }
    stage.remove().await;
}

#[tokio::test]
async fn a_chain_at_its_bound_is_cut_and_the_sweeper_begins_a_new_one() {
    let stage = Stage::new().await;
    let (account, lane, ids) = backlog(&stage, 2).await;
    stage.auditor.jobs.return_slot(&Slot::Running(&lane), "first").await.unwrap();
    stage.send_after(ids[0], MOST_HOPS).await;
    let (record, lines) = (stage.receive_record().await.unwrap(), Lines::collect());
    stage.invoke(&record).await;
    assert_eq!(stage.job(ids[0]).await.status, JobStatus::Completed, "the last message of the chain counts");
    assert_eq!(stage.receive_record().await, None, "the next one is not sent");
    let cut = lines.take_saying("a chain of messages was cut");
    assert_eq!(cut.len(), 1, "{cut:?}");
    assert_eq!((&cut[0]["queue"], &cut[0]["account"]), (&json!("jobs"), &json!(account.id)));
    assert_eq!(metrics(&cut[0]), [("chains_cut".to_owned(), 1, vec![])]);
    assert_eq!(stage.job(ids[1]).await.status, JobStatus::Queued);

    stage.advance(Duration::from_secs(150));
    stage.sweep().await;
    let record = stage.receive_record().await.expect("the sweeper sends the message");
    assert_eq!(hops(&record), 0);
    stage.invoke(&record).await;
    assert_eq!(stage.job(ids[1]).await.status, JobStatus::Completed);
    stage.remove().await;
}

#[tokio::test]
async fn a_run_of_a_batch_follows_from_the_one_before() {
    let scene = Scene::new().await;
    let account = scene.world.account(10).await;
    let id = scene.create(&account, 2, json!({})).await;
    let (sqs, queue) = (patient_aws().sqs(), &scene.world.config.batches_queue_url);
    let first = receive_record(&sqs, queue).await.unwrap();
    assert_eq!(hops(&first), 0, "a request begins the chain");
    let runner = scene.runner();
    following(Chain::Batches, Some("7"), runner.run(&account.id, id, Duration::ZERO)).await.unwrap();
    assert_eq!(hops(&receive_record(&sqs, queue).await.unwrap()), 8);
    let jobs = scene.world.config.html_queue_url.clone();
    assert_eq!(hops(&receive_record(&sqs, &jobs).await.unwrap()), 0, "a job begins a chain of its own");

    let bound = MOST_HOPS.to_string();
    let cut = following(Chain::Batches, Some(&bound), runner.run(&account.id, id, Duration::ZERO)).await;
    assert!(matches!(cut, Err(Obstacle::Queue(QueueError::ChainTooLong))), "{cut:?}");
    assert_eq!(receive_record(&sqs, queue).await, None);
    let batch = scene.batch(&account, id).await;
    assert_eq!(batch.lease_until, None, "the next run can begin");
    assert!(batch.due.unwrap() <= clock::now().plus(Duration::from_secs(60)), "the sweeper calls it");
    scene.end().await;
}

#[tokio::test]
async fn a_delivery_that_comes_back_follows_from_itself() {
    let mut config = World::new().config;
    let sqs = patient_aws().sqs();
    let name = format!("deliveries-{}", JobId::new());
    config.deliveries_queue_url = sqs.create_queue().queue_name(name).send().await.unwrap().queue_url.unwrap();
    let queue = World::with_config(config.clone()).context.queue();
    let endpoint = EndpointId::parse("wh_0123456789abcdef0123456789abcdef").unwrap();
    let id = DeliveryId { account: "acme".into(), endpoint, event: "evt_1".into() };
    let messages = [(WebhookMessage::Delivery(id), 0)];
    queue.hurry(&messages).await.unwrap();
    following(Chain::Deliveries, Some("7"), queue.hurry(&messages)).await.unwrap();
    let bound = MOST_HOPS.to_string();
    let cut = following(Chain::Deliveries, Some(&bound), queue.hurry(&messages)).await;
    assert!(matches!(cut, Err(QueueError::ChainTooLong)), "{cut:?}");
    let url = &config.deliveries_queue_url;
    let mut received =
        vec![hops(&receive_record(&sqs, url).await.unwrap()), hops(&receive_record(&sqs, url).await.unwrap())];
    received.sort_unstable();
    assert_eq!(received, [0, 8]);
    assert_eq!(receive_record(&sqs, url).await, None);
    sqs.delete_queue().queue_url(url).send().await.unwrap();
}
