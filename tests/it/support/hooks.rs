//! A server that webhooks are sent to, and a deliverer with a clock that can be put ahead.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::queue::WebhookMessage;
use docmill_config::Config;
use docmill_config::clock::{self, Clock};
use docmill_domain::webhook::DeliveryId;
use docmill_egress::{EgressPolicy, GuardedClient};
use docmill_signing::keys::KeyRing;
use docmill_signing::seal::SealingKey;
use docmill_signing::signature::{Received, Verdict};
use docmill_store::item::DUE_SHARDS;
use docmill_store::webhooks::Due;
use docmill_webhooks::{AwsOutlets, Outlets, Sender, SigningKeys, WebhookService};
use functions::create_webhook;
use functions::deliverer::Deliverer;
use functions::test_webhook::TestService;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::http::{Answer, post};
use super::world::{Account, World, patient_aws};

/// A received request.
#[derive(Clone, Debug)]
pub struct Hook {
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Hook {
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub fn event(&self) -> &str {
        self.header("webhook-id")
    }
}

/// Whether the request has a signature with this secret.
pub fn is_signed(hook: &Hook, secret: &str) -> bool {
    let headers: Vec<_> = hook.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let received = Received { secret, headers: &headers.join("\n"), body: &hook.body };
    received.verify(clock::now()) == Verdict::Valid
}

/// What the server answers: bytes of an HTTP response, after a time.
#[derive(Clone, Debug)]
pub struct Reply {
    pub after: Duration,
    pub text: String,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self::with(status, "", "")
    }

    /// `headers`: complete lines.
    pub fn with(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n{headers}connection: close\r\n\r\n{body}");
        Self { after: Duration::ZERO, text }
    }
}

#[derive(Debug, Default)]
struct State {
    /// The next answers; then 200.
    replies: VecDeque<Reply>,
    always: Option<Reply>,
    received: Vec<Hook>,
}

pub struct Hooks {
    port: u16,
    state: Arc<Mutex<State>>,
    server: JoinHandle<()>,
}

impl Hooks {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(State::default()));
        let here = state.clone();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(receive(here.clone(), BufStream::new(stream)));
            }
        });
        Self { port, state, server }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    pub fn next(&self, replies: impl IntoIterator<Item = Reply>) {
        self.state.lock().unwrap().replies.extend(replies);
    }

    pub fn always(&self, reply: Option<Reply>) {
        self.state.lock().unwrap().always = reply;
    }

    pub fn received(&self) -> Vec<Hook> {
        self.state.lock().unwrap().received.clone()
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(state: Arc<Mutex<State>>, mut stream: BufStream<TcpStream>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let headers: Vec<_> = lines.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length =
        headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let hook = Hook { headers, body: String::from_utf8(body).unwrap() };
    let reply = {
        let mut state = state.lock().unwrap();
        let reply = state.replies.pop_front().or_else(|| state.always.clone());
        let reply = reply.unwrap_or_else(|| match serde_json::from_str::<Value>(&hook.body) {
            // An honest receiver answers the challenge.
            Ok(body) if body["type"] == "webhook.challenge" => {
                Reply::with(200, "", body["data"]["challenge"].as_str().unwrap())
            }
            Ok(_) | Err(_) => Reply::status(200),
        });
        state.received.push(hook);
        reply
    };
    tokio::time::sleep(reply.after).await;
    // The client may have given up.
    let _ = stream.write_all(reply.text.as_bytes()).await;
    let _ = stream.flush().await;
}

/// Endpoints, and a deliverer whose clock can be put ahead.
pub struct Deliveries {
    pub service: Arc<WebhookService>,
    pub deliverer: Deliverer,
    pub clock: Clock,
}

pub fn sealing() -> KeyRing<SealingKey> {
    KeyRing::for_secrets(&"s".repeat(86), None).unwrap()
}

fn signing() -> SigningKeys {
    SigningKeys::new(&"k".repeat(86), None).unwrap()
}

fn sender() -> Sender {
    let policy = EgressPolicy::new("127.0.0.1:*".parse().unwrap());
    Sender::new(GuardedClient::new(policy).unwrap())
}

/// The function of `POST /v1/webhooks/test`.
pub fn test_service(context: Arc<Context>) -> Arc<TestService> {
    Arc::new(TestService { context, sender: sender() })
}

/// In this world, where receivers may be on this machine.
pub fn local_context(world: &World) -> Arc<Context> {
    let mut config = world.config.clone();
    config.local_mode = true;
    Arc::new(Context::new(config, patient_aws().with_interceptor(world.watch.interceptor())).unwrap())
}

/// A deliverer as in an environment of its own.
pub fn deliverer(config: &Config) -> Deliverer {
    deliverer_in(Context::new(config.clone(), patient_aws()).unwrap(), Clock::default())
}

fn deliverer_in(context: Context, clock: Clock) -> Deliverer {
    Deliverer {
        queue: context.queue(),
        context,
        sealing: sealing(),
        signing: signing(),
        outlets: Outlets { http: sender(), aws: AwsOutlets::new(patient_aws()) },
        clock,
    }
}

impl Deliveries {
    /// In this world, where endpoints may be on this machine.
    pub fn of(world: &World) -> Self {
        let mut config = world.config.clone();
        config.local_mode = true;
        let context =
            || Context::new(config.clone(), patient_aws().with_interceptor(world.watch.interceptor())).unwrap();
        let clock = Clock::default();
        let service =
            WebhookService { context: Arc::new(context()), sealing: sealing(), signing: signing(), sender: sender() };
        let deliverer = deliverer_in(context(), clock.clone());
        Self { service: Arc::new(service), deliverer, clock }
    }

    /// A new endpoint's view, with its secret.
    pub async fn endpoint(&self, account: &Account, url: &str, more: Value) -> Value {
        let mut body = json!({"url": url});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        self.endpoint_with(account, body).await
    }

    pub async fn endpoint_with(&self, account: &Account, body: Value) -> Value {
        let request = post("/v1/webhooks", &body).key(&account.key).build();
        let answer = Answer::of(create_webhook::handle(self.service.clone(), request).await);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.body["webhook"].clone()
    }

    /// Handles the message of an event, and those of its deliveries that it sends into the queue of retries.
    pub async fn announce(&self, account: &Account, event: &str) {
        let message = WebhookMessage::Event { account: account.id.clone(), event: event.to_owned() };
        self.deliverer.take(&message).await.unwrap();
        let webhooks = &self.deliverer.context.webhooks;
        for endpoint in webhooks.endpoints(&account.id).await.unwrap() {
            let id = DeliveryId { account: account.id.clone(), endpoint: endpoint.id, event: event.to_owned() };
            let delivery = webhooks.delivery(&id).await.unwrap();
            if delivery.is_some_and(|delivery| delivery.tries == 0 && delivery.due <= Some(self.clock.now())) {
                self.deliverer.take(&WebhookMessage::Delivery(id)).await.unwrap();
            }
        }
    }

    /// Handles everything of this account that is due, as the sweeper's messages ask for. Returns how much that was.
    pub async fn sweep(&self, account: &Account) -> usize {
        let mut done = 0;
        for shard in 0..DUE_SHARDS {
            let due = self.deliverer.context.webhooks.due(shard, self.clock.now(), None).await.unwrap();
            assert!(due.next.is_none(), "a test's events are on one page");
            for (what, _) in due.found {
                let message = match what {
                    Due::Event { account, event } => WebhookMessage::Event { account, event },
                    Due::Delivery(id) => WebhookMessage::Delivery(id),
                };
                let of = match &message {
                    WebhookMessage::Event { account, .. } => account,
                    WebhookMessage::Delivery(id) => &id.account,
                };
                if *of == account.id {
                    self.deliverer.take(&message).await.unwrap();
                    done += 1;
                }
            }
        }
        done
    }
}
