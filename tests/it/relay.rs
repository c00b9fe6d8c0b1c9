//! Workers without a network, and the relay that reaches it for them: S3 announces their requests to a queue of the emulator.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_s3::types::{Event, NotificationConfiguration, QueueConfiguration};
use aws_sdk_sqs::types::QueueAttributeName;
use docmill_app::context::Context;
use docmill_aws::files::Files;
use docmill_aws::queue::Queue;
use docmill_aws::relay::{Fetch, Put, Relay, Reply, Request};
use docmill_config::Config;
use docmill_domain::job::{JobErrorCode, JobStatus};
use docmill_domain::limits::Limits;
use docmill_domain::time::millis;
use docmill_domain::tool::{EngineKind, QueueName};
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Engines, Failure};
use docmill_fetch::{Caps, Fetched, Fetcher, Question};
use docmill_sources::Budget;
use functions::egress_relay::EgressRelay;
use futures_util::future::join_all;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use url::Url;
use uuid::Uuid;
use worker::converter::Network;
use worker::pipeline::Handled;

use crate::support::receiver::{Receiver, Reception};
use crate::support::stage::files_of;
use crate::support::stub_engine::StubChecker;
use crate::support::tables::{remove_jobs, with_own_jobs};
use crate::support::world::{World, patient_aws};
use crate::support::{deployed_url, eventually};
use crate::worker_pipeline::Bench;

const SOON: Duration = Duration::from_secs(20);
const MINUTE: Duration = Duration::from_secs(60);

/// A bucket that announces requests, as the template's does, and queues that only this test reads.
struct Isle {
    config: Config,
    relay_queue: String,
    sqs: aws_sdk_sqs::Client,
    receiver: Receiver,
}

impl Isle {
    async fn new() -> Self {
        let aws = patient_aws();
        let mut config = with_own_jobs(Config::from_env().unwrap(), &aws).await;
        let (sqs, id) = (aws.sqs(), Uuid::now_v7().simple());
        let make = async |name: &str| {
            let queue = sqs.create_queue().queue_name(format!("{name}-{id}")).send().await.unwrap();
            queue.queue_url.unwrap()
        };
        config.html_queue_url = make("html").await;
        config.pdf_queue_url = make("pdf").await;
        config.events_queue_url = make("events").await;
        let relay_queue = make("relay").await;
        announce(&config, &relay_queue).await;
        Self { config, relay_queue, sqs, receiver: Receiver::start().await }
    }

    fn context(&self) -> Context {
        Context::new(self.config.clone(), patient_aws()).unwrap()
    }

    /// The bucket as the role of this function may use it.
    fn files(&self, function: &str) -> Files {
        files_of(&self.config, patient_aws(), function)
    }

    /// What an isolated worker has in the place of a network.
    fn relay(&self) -> Relay {
        Relay::new(self.files("OFFICE_WORKER"))
    }

    fn function(&self, exceptions: &str) -> EgressRelay {
        let policy = EgressPolicy::new(exceptions.parse::<SourceExceptions>().unwrap());
        EgressRelay::new(self.files("EGRESS_RELAY"), self.context().queue(), policy).unwrap()
    }

    /// Runs the function for each message, like Lambda.
    fn serving(&self, exceptions: &str) -> Serving {
        let (relay, sqs, queue) = (self.function(exceptions), self.sqs.clone(), self.relay_queue.clone());
        Serving(tokio::spawn(async move {
            loop {
                for (body, receipt) in receive(&sqs, &queue).await {
                    relay.handle(&body).await.unwrap();
                    sqs.delete_message().queue_url(&queue).receipt_handle(receipt).send().await.unwrap();
                }
            }
        }))
    }

    /// A source at the receiver's host, and a result for it.
    fn exception(&self, port: u16) -> String {
        let receiver = Url::parse(&self.receiver.url()).unwrap().port().unwrap();
        format!("127.0.0.1:{port},127.0.0.1:{receiver}")
    }

    /// What is left of requests to the relay.
    async fn left(&self) -> Vec<String> {
        self.context().files.list("relay/").await.unwrap()
    }

    async fn remove(self) {
        for queue in
            [&self.relay_queue, &self.config.html_queue_url, &self.config.pdf_queue_url, &self.config.events_queue_url]
        {
            self.sqs.delete_queue().queue_url(queue).send().await.unwrap();
        }
        remove_jobs(&self.config, &patient_aws()).await;
    }
}

/// Ends with its test.
struct Serving(JoinHandle<()>);

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// As the template does it.
async fn announce(config: &Config, queue: &str) {
    let aws = patient_aws();
    let (sqs, s3) = (aws.sqs(), aws.s3(config.s3_path_style));
    let arn = QueueAttributeName::QueueArn;
    let attributes = sqs.get_queue_attributes().queue_url(queue).attribute_names(arn.clone()).send().await.unwrap();
    let arn = attributes.attributes.unwrap()[&arn].clone();
    let policy = json!({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "s3.amazonaws.com"}, "Action": "sqs:SendMessage", "Resource": arn}
    ]});
    let set = sqs.set_queue_attributes().queue_url(queue);
    set.attributes(QueueAttributeName::Policy, policy.to_string()).send().await.unwrap();
    let rule = aws_sdk_s3::types::FilterRule::builder()
        .name(aws_sdk_s3::types::FilterRuleName::Prefix)
        .value("relay/requests/")
        .build();
    let key = aws_sdk_s3::types::S3KeyFilter::builder().filter_rules(rule).build();
    let filter = aws_sdk_s3::types::NotificationConfigurationFilter::builder().key(key).build();
    let to_queue = QueueConfiguration::builder().queue_arn(arn).events(Event::S3ObjectCreatedPut).filter(filter);
    let configuration = NotificationConfiguration::builder().queue_configurations(to_queue.build().unwrap()).build();
    let put = s3.put_bucket_notification_configuration().bucket(&config.files_bucket);
    put.notification_configuration(configuration).send().await.unwrap();
}

/// Bodies and receipts of messages.
async fn receive(sqs: &aws_sdk_sqs::Client, queue: &str) -> Vec<(String, String)> {
    let received = sqs.receive_message().queue_url(queue).max_number_of_messages(10).wait_time_seconds(1).send().await;
    let messages = received.unwrap().messages.unwrap_or_default();
    messages.into_iter().map(|message| (message.body.unwrap(), message.receipt_handle.unwrap())).collect()
}

/// Answers each connection with this response, and keeps the heads of requests.
async fn source(response: &'static str) -> (u16, Arc<tokio::sync::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(tokio::sync::Mutex::new(Vec::new()));
    let kept = heads.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            kept.lock().await.push(String::from_utf8(head).unwrap().to_lowercase());
            drop(stream.write_all(response.as_bytes()).await);
        }
    });
    (port, heads)
}

const A_PDF: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n\
    content-disposition: attachment; filename=\"report.pdf\"\r\nconnection: close\r\n\r\n%PDF-1.7 source";

/// A worker for PDF tools without a network, with a job.
async fn bench(isle: &Isle, body: &serde_json::Value) -> Bench {
    let world = World::with_config(isle.config.clone());
    let account = world.account(5).await;
    let mut bench = Bench::with_job(world, account, body, []).await;
    let converter = &mut bench.pipeline.converter;
    converter.engines = Engines::default()
        .with(EngineKind::PdfTools, bench.engine.clone())
        .with(EngineKind::Chromium, bench.engine.clone())
        .checked_by(Arc::new(StubChecker));
    converter.network = Network::Isolated;
    converter.fetcher = Fetcher::Relayed(Arc::new(isle.relay()));
    bench.pipeline.queue_name = QueueName::Pdf;
    bench.pipeline.queue = isle.context().queue().through(isle.relay());
    bench
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_comes_and_a_result_goes_through_the_relay() {
    let isle = Isle::new().await;
    let (port, heads) = source(A_PDF).await;
    let _serving = isle.serving(&isle.exception(port));
    let bench = bench(
        &isle,
        &json!({
            "toolSlug": "compress-pdf",
            "sourceUrl": format!("http://127.0.0.1:{port}/a.pdf"),
            "headers": {"authorization": "Bearer s3cret"},
            "output": {"putUrl": isle.receiver.url()},
        }),
    )
    .await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!(job.status, JobStatus::Completed, "{:?}", job.result.error);
    assert_eq!(job.result.output.unwrap().filename, "report.pdf", "the name that the host gave");
    assert!(heads.lock().await[0].contains("authorization: bearer s3cret\r\n"));
    assert_eq!(isle.receiver.received(), [b"%PDF-1.7 stub".to_vec()]);

    let (event, _) = eventually("the event is announced", SOON, async || {
        receive(&isle.sqs, &isle.config.events_queue_url).await.pop()
    })
    .await;
    assert!(event.contains("event.v1") && event.contains(&bench.account.id), "{event}");
    assert_eq!(isle.left().await, Vec::<String>::new());
    isle.remove().await;
}

/// Fetches this address through the relay, and as a worker with a network does it. Both must end alike.
async fn both(isle: &Isle, exceptions: &str, at: &str, limits: &Limits) -> Result<Fetched, Failure> {
    let (url, none, scratch) = (Url::parse(at).unwrap(), BTreeMap::new(), tempfile::tempdir().unwrap());
    let direct = Fetcher::new(EgressPolicy::new(exceptions.parse().unwrap())).unwrap();
    let relayed = Fetcher::Relayed(Arc::new(isle.relay()));
    let (first, second) = (scratch.path().join("1"), scratch.path().join("2"));
    let expected = direct.fetch(&url, &none, &first, limits, &Budget::of(limits)).await;
    let got = relayed.fetch(&url, &none, &second, limits, &Budget::of(limits)).await;
    match (&expected, &got) {
        (Ok(expected), Ok(got)) => {
            let of = |fetched: &Fetched| (fetched.content_type.clone(), fetched.url.clone(), fetched.filename.clone());
            assert_eq!((of(expected), expected.bytes), (of(got), got.bytes));
            assert_eq!(std::fs::read(first).unwrap(), std::fs::read(second).unwrap());
        }
        (Err(expected), Err(got)) => {
            let of = |failure: &Failure| (failure.code, failure.message.clone(), failure.cause.clone());
            assert_eq!(of(expected), of(got));
        }
        _ => panic!("{at}: {expected:?}, but through the relay {got:?}"),
    }
    got
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_those_of_a_worker_with_a_network() {
    let isle = Isle::new().await;
    let (port, _) = source(A_PDF).await;
    let (missing, _) = source("HTTP/1.1 404 Gone\r\nconnection: close\r\n\r\n").await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let exceptions = format!("127.0.0.1:{port},127.0.0.1:{missing},127.0.0.1:{closed}");
    let _serving = isle.serving(&exceptions);
    let limits = Limits::default();
    let code =
        async |at: &str, limits: &Limits| both(&isle, &exceptions, at, limits).await.map_err(|failure| failure.code);

    let fetched = code(&format!("http://127.0.0.1:{port}/x"), &limits).await.unwrap();
    assert_eq!((fetched.bytes, fetched.filename.as_deref()), (15, Some("report.pdf")));
    let unreachable = JobErrorCode::SourceUnreachable;
    assert_eq!(code(&format!("http://127.0.0.1:{missing}/x?k=s3cret"), &limits).await.unwrap_err(), unreachable);
    assert_eq!(code(&format!("http://127.0.0.1:{closed}/"), &limits).await.unwrap_err(), unreachable);
    for denied in ["http://169.254.169.254/latest/meta-data", "http://127.0.0.1:9001/", "http://[::1]/"] {
        assert_eq!(code(denied, &limits).await.unwrap_err(), JobErrorCode::SourceForbidden, "{denied}");
    }
    let small = Limits { source_bytes: 14, ..limits };
    let too_large = code(&format!("http://127.0.0.1:{port}/x"), &small).await.unwrap_err();
    assert_eq!(too_large, JobErrorCode::SourceTooLarge);
    assert_eq!(isle.left().await, Vec::<String>::new());
    isle.remove().await;
}

fn put(isle: &Isle, key: &str, relay: &Relay) -> Request {
    Request::Put(Put {
        url: isle.receiver.url(),
        headers: BTreeMap::new(),
        content_type: "application/pdf".into(),
        key: key.into(),
        bytes: 6,
        milliseconds: millis(SOON),
        until: relay.until(SOON),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_by_the_relay() {
    let isle = Isle::new().await;
    let (port, heads) = source("HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nanswer").await;
    let (gone, heads_of_gone) = source("HTTP/1.1 404 Gone\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnone").await;
    let serving = isle.serving(&format!("{},127.0.0.1:{gone}", isle.exception(port)));
    let fetcher = Fetcher::Relayed(Arc::new(isle.relay()));
    let ask = async |url: String| {
        let url = Url::parse(&url).unwrap();
        let caps = Caps { bytes: 100, redirects: 0, deadline: tokio::time::Instant::now() + SOON };
        fetcher.ask(&Question::post(&url, "application/timestamp-query", b"", caps)).await
    };
    let answer = ask(format!("http://127.0.0.1:{port}/stamps")).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, b"answer".as_slice()));
    let head = heads.lock().await.remove(0);
    assert!(head.starts_with("post /stamps ") && head.contains("content-type: application/timestamp-query"), "{head}");
    // As calls of KMS are sent, and lists of revoked certificates fetched.
    let headers = BTreeMap::from([("authorization".to_owned(), "signed".to_owned())]);
    let address = Url::parse(&format!("http://127.0.0.1:{gone}/list")).unwrap();
    let caps = Caps { bytes: 100, redirects: 0, deadline: tokio::time::Instant::now() + SOON };
    let question = Question { headers: &headers, any_status: true, ..Question::get(&address, caps) };
    let answer = fetcher.ask(&question).await.unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (404, b"none".as_slice()));
    let head = heads_of_gone.lock().await.remove(0);
    assert!(head.starts_with("get /list ") && head.contains("authorization: signed"), "{head}");
    let wanted = Question { any_status: false, ..question };
    assert_eq!(fetcher.ask(&wanted).await.unwrap_err().code, JobErrorCode::SourceUnreachable);
    let refused = ask("http://127.0.0.1:9/".to_owned()).await.unwrap_err();
    assert_eq!(refused.code, JobErrorCode::SourceForbidden);
    assert_eq!(isle.left().await, Vec::<String>::new());
    drop(serving);
    isle.remove().await;
}

/// S3 and SQS may announce an object more than once. Eight relays that get the same message compete for the request.
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_announced_often_is_done_once() {
    let isle = Isle::new().await;
    let exception = isle.exception(1);
    let relays: Vec<EgressRelay> = (0..8).map(|_| isle.function(&exception)).collect();
    let key = docmill_aws::files::ObjectKey::Upload { account: "a", upload: docmill_domain::upload::UploadId::new() };
    isle.context().files.put_bytes(&key, b"result".to_vec(), "application/pdf").await.unwrap();
    // Only results can be delivered: the role reads nothing else.
    let relay = isle.relay();
    for round in 0..3 {
        isle.receiver.play(Reception::Take);
        let stored = format!("outputs/day/a/{round}/1/0");
        copy(&isle, &key.to_string(), &stored).await;
        let request = put(&isle, &stored, &relay);
        let asked = tokio::spawn({
            let relay = relay.clone();
            async move { relay.ask(&request, SOON).await }
        });
        let (body, _) = eventually("the request is announced", SOON, async || {
            let announced = receive(&isle.sqs, &isle.relay_queue).await;
            announced.into_iter().find(|(body, _)| body.contains("relay/requests/"))
        })
        .await;
        for handled in join_all(relays.iter().map(|relay| relay.handle(&body))).await {
            handled.unwrap();
        }
        let answer = asked.await.unwrap().unwrap();
        assert_eq!(answer.reply, Reply::Delivered);
        assert_eq!(isle.receiver.received(), [b"result".to_vec()], "round {round}");
        answer.forget().await;
        relays[0].handle(&body).await.unwrap();
        assert_eq!(isle.receiver.received().len(), 1, "a late announcement finds nothing");
    }
    isle.remove().await;
}

/// A result, as a worker stores it.
async fn copy(isle: &Isle, from: &str, to: &str) {
    let s3 = patient_aws().s3(isle.config.s3_path_style);
    let bucket = &isle.config.files_bucket;
    s3.copy_object().bucket(bucket).key(to).copy_source(format!("{bucket}/{from}")).send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_nobody_waits_for_is_not_done_and_does_not_stay() {
    let isle = Isle::new().await;
    let relay = isle.relay().waiting(Duration::ZERO);
    let silence = relay.ask(&put(&isle, "outputs/day/a/b/1/0", &relay), Duration::from_millis(1)).await;
    assert_eq!(silence.unwrap_err().to_string(), "the relay did not answer in time");
    assert_eq!(isle.left().await, Vec::<String>::new(), "who gives up takes the request back");

    let Request::Put(late) = put(&isle, "outputs/day/a/b/1/0", &relay) else { unreachable!() };
    let late = Request::Put(Put { until: docmill_domain::time::Timestamp(0), ..late });
    relay.tell(&late).await.unwrap();
    let _serving = isle.serving(&isle.exception(1));
    eventually("the request is deleted", SOON, async || isle.left().await.is_empty().then_some(())).await;
    assert_eq!(isle.receiver.received(), Vec::<Vec<u8>>::new());
    isle.remove().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_does_not_answer_is_the_services_fault() {
    let isle = Isle::new().await;
    let mut bench = bench(&isle, &json!({"toolSlug": "compress-pdf", "sourceUrl": "https://a.example/a.pdf"})).await;
    bench.pipeline.converter.fetcher = Fetcher::Relayed(Arc::new(isle.relay().waiting(Duration::ZERO)));
    bench.pipeline.config.limits.fetch = Duration::from_millis(100);
    assert_eq!(bench.deliver().await, Handled::Return);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts, job.result.error), (JobStatus::Queued, 1, None));
    isle.remove().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_with_pages_goes_to_the_worker_that_can_load_them() {
    let isle = Isle::new().await;
    let _serving = isle.serving("127.0.0.1:1");
    let body = json!({"toolSlug": "merge-pdf", "sources": [{"html": "<p>x"}, {"html": "<p>y"}]});
    let mut bench = bench(&isle, &body).await;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    assert_eq!(bench.job().await.status, JobStatus::Queued);
    let (message, _) =
        eventually("the job is passed on", SOON, async || receive(&isle.sqs, &isle.config.html_queue_url).await.pop())
            .await;
    assert!(message.contains(&bench.id.to_string()), "{message}");
    bench.pipeline.converter.network = Network::Open;
    bench.pipeline.queue_name = QueueName::Html;
    assert_eq!(bench.deliver().await, Handled::Acknowledge);
    let job = bench.job().await;
    assert_eq!((job.status, job.attempts), (JobStatus::Completed, 2), "{:?}", job.result.error);
    isle.remove().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_comes_back_early_through_the_relay() {
    let isle = Isle::new().await;
    let _serving = isle.serving("127.0.0.1:1");
    let url = &isle.config.pdf_queue_url;
    isle.sqs.send_message().queue_url(url).message_body("again").send().await.unwrap();
    let received = isle.sqs.receive_message().queue_url(url).visibility_timeout(600).send().await.unwrap();
    let receipt = received.messages.unwrap().remove(0).receipt_handle.unwrap();
    let queue: Queue = isle.context().queue().through(isle.relay());
    queue.retry_in(QueueName::Pdf, &receipt, 0).await.unwrap();
    let (body, _) = eventually("the message is back", SOON, async || receive(&isle.sqs, url).await.pop()).await;
    assert_eq!(body, "again");
    isle.remove().await;
}

/// The deployed function, with the template's queue, notification and permissions.
#[tokio::test(flavor = "multi_thread")]
async fn the_deployed_relay_fetches_for_whoever_may_ask_it() {
    if deployed_url().is_none() {
        return;
    }
    let mut config = Config::from_env().unwrap();
    config.files_bucket = std::env::var("DEPLOYED_FILES_BUCKET").unwrap();
    let relay = Relay::new(Context::new(config, patient_aws()).unwrap().files);
    let url = format!("{}/small.docx", std::env::var("SAMPLES_URL").unwrap());
    let request = Request::Fetch(Fetch {
        url: url.clone(),
        headers: BTreeMap::new(),
        bytes: 1 << 20,
        most: 1 << 20,
        redirects: 1,
        milliseconds: millis(MINUTE),
        until: relay.until(MINUTE),
    });
    let answer = relay.ask(&request, MINUTE).await.unwrap();
    let Reply::Fetched { url: last, filename, .. } = &answer.reply else { panic!("{:?}", answer.reply) };
    assert_eq!((last, filename.as_deref()), (&url, Some("small.docx")));
    let body = answer.body().await.unwrap().unwrap().bytes(1 << 20).await.unwrap();
    assert_eq!(body, std::fs::read("../samples/small.docx").unwrap());
    answer.forget().await;
}
