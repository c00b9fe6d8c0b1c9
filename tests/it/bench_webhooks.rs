//! Measures the deliverer under load: many events for many endpoints, some of them dead, slow or failing. Run by `make
//! bench-webhooks`; EVENTS, RATE (a second) and ENVIRONMENTS set other numbers.
//!
//! New events come from a channel instead of SQS, so that the emulator's queue does not limit the rate. The queue of retries is
//! SQS, and the sweeper runs every minute.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use docmill_app::context::Context;
use docmill_config::Config;
use docmill_config::clock;
use docmill_domain::event::{EventKind, event_time, sample_job};
use docmill_store::events::StoredEvent;
use functions::deliverer::Deliverer;
use functions::sweeper::Sweeper;
use futures_util::future::join_all;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Mutex as Shared, mpsc};
use tokio::task::JoinHandle;
use tower::ServiceExt;
use uuid::Uuid;

use crate::support::eventually;
use crate::support::hooks::{Deliveries, deliverer};
use crate::support::world::{World, patient_aws};

const ENDPOINTS: usize = 200;
/// How a receiver behaves, and how many do.
const KINDS: [(&str, usize); 5] = [("refusing", 10), ("silent", 10), ("slow", 20), ("half", 10), ("healthy", 150)];
const BATCH: usize = 10;
const SLOW: Duration = Duration::from_secs(10);
const SILENT: Duration = Duration::from_secs(60);

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

#[derive(Default)]
struct Received {
    /// From when an event was recorded to its arrival, in milliseconds: of healthy receivers.
    delays: Mutex<Vec<u64>>,
    ids: Mutex<HashSet<String>>,
    /// Requests to healthy receivers with an id that came before.
    repeated: AtomicU64,
    /// Requests to the others that are not refused.
    others: AtomicU64,
}

async fn receive(
    State(received): State<Arc<Received>>,
    Path((kind, _number)): Path<(String, usize)>,
    headers: HeaderMap,
) -> StatusCode {
    if kind != "healthy" {
        let nth = received.others.fetch_add(1, Ordering::Relaxed);
        match kind.as_str() {
            "silent" => tokio::time::sleep(SILENT).await,
            "slow" => tokio::time::sleep(SLOW).await,
            "half" if nth.is_multiple_of(2) => return StatusCode::INTERNAL_SERVER_ERROR,
            _ => {}
        }
        return StatusCode::OK;
    }
    let id = headers["webhook-id"].to_str().unwrap();
    let delay = clock::now().millis_since(event_time(id).unwrap());
    received.delays.lock().unwrap().push(delay);
    let is_new = received.ids.lock().unwrap().insert(id.to_owned());
    received.repeated.fetch_add(u64::from(!is_new), Ordering::Relaxed);
    StatusCode::OK
}

async fn serve(listener: TcpListener, receivers: Router) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let receivers = receivers.clone();
        let service = service_fn(move |request| receivers.clone().oneshot(request.map(Body::new)));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// Resident memory in MB.
fn memory() -> f64 {
    let pages: f64 = std::fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096.0 / 1e6
}

fn percentile(sorted: &[u64], share: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((sorted.len() - 1) as f64 * share).round() as usize;
    sorted[index]
}

/// Like the function, but what fails is printed.
async fn handle(deliverer: &Deliverer, batch: Vec<String>) {
    let handled = batch.iter().map(async |body| {
        let message = docmill_aws::queue::parse_webhook_message(body).unwrap();
        if let Err(error) = deliverer.take(&message).await {
            println!("left to the sweeper: {error}");
        }
    });
    join_all(handled).await;
}

/// The sweeper's runs.
fn sweeps(config: Config) -> JoinHandle<()> {
    let sweeper = Sweeper::new(Context::new(config, patient_aws()).unwrap());
    tokio::spawn(async move {
        let mut minutes = tokio::time::interval(Duration::from_secs(60));
        loop {
            minutes.tick().await;
            sweeper.run_at(clock::now()).await.unwrap();
        }
    })
}

/// An environment that takes batches of new events.
fn takes_events(deliverer: Arc<Deliverer>, events: Arc<Shared<mpsc::Receiver<String>>>) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let mut batch = Vec::new();
            if events.lock().await.recv_many(&mut batch, BATCH).await == 0 {
                return;
            }
            handle(&deliverer, batch).await;
        }
    })
}

/// An environment that takes batches of the queue of retries.
fn takes_retries(deliverer: Arc<Deliverer>, url: String) -> JoinHandle<()> {
    let sqs = patient_aws().sqs();
    tokio::spawn(async move {
        loop {
            let received = sqs.receive_message().queue_url(&url).max_number_of_messages(10).wait_time_seconds(1);
            let Ok(received) = received.send().await else { continue };
            let messages = received.messages.unwrap_or_default();
            handle(&deliverer, messages.iter().filter_map(|message| message.body.clone()).collect()).await;
            for handle in messages.into_iter().filter_map(|message| message.receipt_handle) {
                sqs.delete_message().queue_url(&url).receipt_handle(handle).send().await.unwrap();
            }
        }
    })
}

async fn own_queue(config: &mut Config) {
    let created = patient_aws().sqs().create_queue().queue_name(format!("retries-{}", Uuid::now_v7().simple()));
    let created = created.attributes(aws_sdk_sqs::types::QueueAttributeName::VisibilityTimeout, "90").send().await;
    config.deliveries_queue_url = created.unwrap().queue_url.unwrap();
}

/// Records an event as a job's end does, and gives the deliverer its message.
async fn record(world: &World, account: &str, to: &mpsc::Sender<String>) {
    let event =
        StoredEvent::new(account, EventKind::JobCompleted, clock::now(), json!({"job": sample_job(clock::now())}));
    world.context.events.record(&event).await.unwrap();
    to.send(json!({"type": "event.v1", "account": account, "event": event.id}).to_string()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: `make bench-webhooks`"]
async fn many_events_for_many_endpoints_of_which_some_are_broken() {
    let (events, rate, environments) = (number("EVENTS", 50_000), number("RATE", 40), number("ENVIRONMENTS", 10));
    let received = Arc::new(Received::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/{kind}/{number}", post(receive)).with_state(received.clone());
    let server = tokio::spawn(serve(listener, router));

    let mut config = World::with_own_events().await.config;
    own_queue(&mut config).await;
    // Receivers are on this machine.
    config.local_mode = true;
    let world = World::with_config(config.clone());
    let hooks = Deliveries::of(&world);
    let mut accounts = Vec::new();
    for (kind, count) in KINDS {
        for number in 0..count {
            let port = if kind == "refusing" { 1 } else { port };
            let account = world.account(1).await;
            hooks.endpoint(&account, &format!("http://127.0.0.1:{port}/{kind}/{number}"), json!({})).await;
            accounts.push((kind, account.id));
        }
    }
    assert_eq!(accounts.len(), ENDPOINTS);

    let (to, from) = mpsc::channel(100_000);
    let from = Arc::new(Shared::new(from));
    let mut running = Vec::new();
    for _ in 0..environments {
        running.push(takes_events(Arc::new(deliverer(&config)), from.clone()));
        running.push(takes_retries(Arc::new(deliverer(&config)), config.deliveries_queue_url.clone()));
    }
    running.push(sweeps(config.clone()));
    let (began, mut healthy) = (Instant::now(), 0);
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / u32::try_from(rate).unwrap());
    for number in 0..events {
        ticks.tick().await;
        let (kind, account) = &accounts[usize::try_from(number).unwrap() * 7 % ENDPOINTS];
        healthy += usize::from(*kind == "healthy");
        record(&world, account, &to).await;
        world.watch.take_calls();
        if (number + 1) % (events / 5) == 0 {
            let waiting = to.max_capacity() - to.capacity();
            println!(
                "{} events after {:.0} s: {:.1} MB, {waiting} wait",
                number + 1,
                began.elapsed().as_secs_f64(),
                memory()
            );
        }
    }
    // A delivery that fails twice comes again after five minutes.
    let mut missing = 0;
    eventually("every event reaches its healthy receiver", Duration::from_secs(900), async || {
        let now = healthy - received.ids.lock().unwrap().len();
        if now != std::mem::replace(&mut missing, now) {
            println!("{now} are missing after {:.0} s", began.elapsed().as_secs_f64());
        }
        (now == 0).then_some(())
    })
    .await;
    running.iter().for_each(JoinHandle::abort);
    let mut delays = received.delays.lock().unwrap().clone();
    delays.sort_unstable();
    let [p50, p95, p99, longest] = [0.5, 0.95, 0.99, 1.0].map(|share| percentile(&delays, share));
    println!("{healthy} to healthy receivers: p50 {p50} ms, p95 {p95} ms, p99 {p99} ms, longest {longest} ms");
    assert_eq!(received.repeated.load(Ordering::Relaxed), 0, "each event reaches a healthy receiver once");
    println!("{} requests to the others", received.others.load(Ordering::Relaxed));

    // One environment alone, with all its time for healthy receivers.
    let (to, from) = mpsc::channel(100_000);
    let healthy_accounts: Vec<_> = accounts.iter().filter(|(kind, _)| *kind == "healthy").collect();
    let count = 2000;
    for number in 0..count {
        record(&world, &healthy_accounts[number % healthy_accounts.len()].1, &to).await;
    }
    let began = Instant::now();
    let alone = takes_events(Arc::new(deliverer(&config)), Arc::new(Shared::new(from)));
    eventually("one environment sends all", Duration::from_secs(300), async || {
        (received.ids.lock().unwrap().len() == healthy + count).then_some(())
    })
    .await;
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let rate = count as f64 / began.elapsed().as_secs_f64();
    println!("one environment: {rate:.0} events/s, with a store on the same two cores");
    alone.abort();
    server.abort();
    world.remove_events().await;
}
