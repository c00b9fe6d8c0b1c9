//! A small service for tests: it creates jobs as the API does, and counts what it charges.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use docmill_signing::receipt::ReceiptKeys;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use crate::batches;

pub const KEY: &str = "dm_live_0123456789abcdef";

/// How the service behaves.
#[derive(Clone, Copy, Debug)]
pub struct Manners {
    /// Between the creation of a job and the answer.
    pub answer_after: Duration,
    /// Jobs whose creation is answered only when all of these requests have come.
    pub answer_together: usize,
    pub credits: u64,
    /// Requests that create at once, and per second.
    pub creates: (f64, f64),
}

impl Default for Manners {
    fn default() -> Self {
        Self { answer_after: Duration::ZERO, answer_together: 1, credits: 1_000_000, creates: (10_000.0, 10_000.0) }
    }
}

#[derive(Debug, Default)]
pub struct World {
    pub uploads: HashMap<String, Bytes>,
    /// The request for the last batch, and its items if they are in it.
    pub batch: Value,
    pub items: Vec<Value>,
    /// The requests of all jobs.
    pub requests: Vec<Value>,
    /// How often the batch was read.
    looks: u32,
    /// Job and request by idempotency key.
    keys: HashMap<String, (String, Bytes)>,
    jobs: HashMap<String, Bytes>,
    pub events: Vec<Value>,
    pub charged: u64,
    /// Requests to create a job, with replays.
    pub creates: u64,
    pub refused_for_rate: u64,
    spent: f64,
    at: Option<Instant>,
}

#[derive(Clone, Debug)]
pub struct Service {
    pub url: String,
    world: Arc<Mutex<World>>,
    manners: Arc<Mutex<Manners>>,
    together: Arc<Barrier>,
}

type Answer = Response<Full<Bytes>>;

fn receipt_keys() -> ReceiptKeys {
    ReceiptKeys::new(&"k".repeat(86), "").unwrap()
}

impl Service {
    pub async fn start(manners: Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let together = Arc::new(Barrier::new(manners.answer_together));
        let service = Self { url, world: Arc::default(), manners: Arc::new(Mutex::new(manners)), together };
        let answering = service.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = answering.clone();
                tokio::spawn(async move {
                    let answer = service_fn(move |request| {
                        let service = service.clone();
                        async move { Ok::<_, Infallible>(service.answer(request).await) }
                    });
                    // A client that was killed breaks its connections.
                    drop(
                        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await,
                    );
                });
            }
        });
        service
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap()
    }

    pub fn behave(&self, change: impl FnOnce(&mut Manners)) {
        change(&mut self.manners.lock().unwrap());
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (parts, body) = request.into_parts();
        let Ok(body) = body.collect().await else { return error(400, "invalid_json") };
        let body = body.to_bytes();
        let path = parts.uri.path().to_owned();
        let path: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        // A program that asks for a key has none yet.
        let is_signed = matches!(path[0], "store" | "results" | "archives" | "app" | ".well-known");
        let key = parts.headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        // A signed link must not get a key.
        match (is_signed, key.as_deref()) {
            (true, None) => {}
            (false, Some(given)) if given == format!("Bearer {KEY}") => {}
            _ => return error(401, "invalid_api_key"),
        }
        let idempotency_key = parts.headers.get("idempotency-key").map(|value| value.to_str().unwrap().to_owned());
        let mut answer = self.answer_to(&parts, &path, idempotency_key.as_deref(), body).await;
        if parts.method == Method::GET {
            answer.headers_mut().insert("ratelimit-policy", "\"read\";q=600000;w=60".parse().unwrap());
            answer.headers_mut().insert("ratelimit", "\"read\";r=10000;t=1".parse().unwrap());
        }
        answer
    }

    async fn answer_to(&self, parts: &Parts, path: &[&str], idempotency_key: Option<&str>, body: Bytes) -> Answer {
        match (&parts.method, path) {
            (&Method::POST, ["v1", "uploads"]) => self.limited(|world| self.issue(world)),
            (&Method::PUT, ["store", id]) => {
                let is_new = self.world().uploads.insert((*id).to_owned(), body).is_none();
                if is_new { empty(200) } else { empty(412) }
            }
            (&Method::POST, ["v1", "tools", _, "jobs"]) => {
                let created = self.limited(|world| self.create(world, idempotency_key.unwrap(), body));
                let pause = self.manners.lock().unwrap().answer_after;
                tokio::time::sleep(pause).await;
                self.together.wait().await;
                created
            }
            (&Method::GET, ["v1", "jobs", id] | ["v1", "jobs", id, "download"]) => self.job(&self.world(), id),
            (&Method::GET, ["v1", "jobs", id, "receipt"]) => {
                let file =
                    |content: &[u8]| json!({"bytes": content.len(), "sha256": docmill_domain::sha256_hex(content)});
                let statement = json!({
                    "type": "docmill.receipt.v1", "jobId": id, "status": "completed", "createdAt": "2026-11-29T09:00:00.000Z",
                    "sources": [file(b"source")], "result": {"files": [file(b"result")]},
                });
                ok(200, json!({"receipt": receipt_keys().sign(statement).unwrap()}))
            }
            (&Method::GET, [".well-known", "docmill-receipts.json"]) => ok(200, receipt_keys().document()),
            (_, ["v1", "batches", rest @ ..]) => self.answer_about_batches(parts, rest, &body),
            (&Method::GET, ["archives", _]) => Response::new(Full::new(batches::ARCHIVE.into())),
            (&Method::GET, ["results", id]) => match self.content(id) {
                Some(content) => Response::new(Full::new(made_of(&content))),
                None => empty(404),
            },
            (&Method::GET, ["v1", "tools"]) => ok(
                200,
                json!({"tools": [{"slug": "office-to-pdf", "creditCost": 3}, {"slug": "watermark-pdf", "creditCost": 2}]}),
            ),
            (&Method::GET, ["v1", "account", "usage"]) => ok(
                200,
                json!({"usage": {"plan": "demo", "credits": {"remaining": 88, "used": 12, "resetsAt": "2026-12-01"}}}),
            ),
            (&Method::GET, ["v1", "templates", "invoice"]) => ok(
                200,
                json!({"template": {"name": "invoice", "version": 2, "format": "docx", "versions": [{"version": 2, "format": "docx"}]}}),
            ),
            (&Method::POST, ["app", "connect", "key"]) => exchange(&body),
            (&Method::GET, ["v1", "events"]) => self.list_events(parts.uri.query().unwrap_or_default()).await,
            _ => error(404, "route_not_found"),
        }
    }

    fn content(&self, id: &str) -> Option<Bytes> {
        let world = self.world();
        // The result of an item is named after its upload.
        world.jobs.get(id).or_else(|| world.uploads.get(id)).cloned()
    }

    fn answer_about_batches(&self, parts: &Parts, path: &[&str], body: &Bytes) -> Answer {
        let mut world = self.world();
        match (&parts.method, path) {
            (&Method::POST, []) => {
                world.batch = serde_json::from_slice(body).unwrap();
                world.items = world.batch["items"].as_array().cloned().unwrap_or_default();
                ok(202, batches::view(&world, "processing"))
            }
            (&Method::GET, []) => {
                let batch = batches::view(&world, "completed")["batch"].take();
                ok(200, json!({"batches": [batch]}))
            }
            (&Method::GET, [batches::ID]) => {
                world.looks += 1;
                ok(200, batches::view(&world, if world.looks == 1 { "processing" } else { "completed" }))
            }
            (&Method::GET, [batches::ID, "download"]) => {
                let cursor = parts.uri.query().and_then(|query| query.split_once("cursor=")?.1.parse().ok());
                ok(200, batches::results(&world, &self.url, cursor.unwrap_or(0)))
            }
            (&Method::POST, [batches::ID, "cancel"]) => ok(200, batches::view(&world, "canceling")),
            (&Method::POST, [batches::ID, "resume"]) => ok(200, batches::view(&world, "processing")),
            (&Method::DELETE, [batches::ID]) => ok(202, batches::view(&world, "deleting")),
            _ => error(404, "batch_not_found"),
        }
    }

    /// Counts a request towards the rate limit.
    fn limited(&self, act: impl FnOnce(&mut World) -> Answer) -> Answer {
        let mut world = self.world();
        let (burst, rate) = self.manners.lock().unwrap().creates;
        let now = Instant::now();
        let since = world.at.map_or(0.0, |at| now.duration_since(at).as_secs_f64());
        world.at = Some(now);
        world.spent = (world.spent - since * rate).max(0.0);
        if world.spent + 1.0 > burst {
            world.refused_for_rate += 1;
            let mut answer = error(429, "rate_limited");
            answer.headers_mut().insert("retry-after", "1".parse().unwrap());
            return answer;
        }
        world.spent += 1.0;
        let left = (burst - world.spent).floor();
        let mut answer = act(&mut world);
        let headers = answer.headers_mut();
        headers.insert("ratelimit-policy", format!("\"create\";q={};w=60", rate * 60.0).parse().unwrap());
        headers.insert("ratelimit", format!("\"create\";r={left};t=1").parse().unwrap());
        answer
    }

    fn issue(&self, world: &World) -> Answer {
        let id = format!("upl_{:08}{}", world.uploads.len(), uuid::Uuid::now_v7().simple());
        let headers = json!({"if-none-match": "*"});
        let url = format!("{}/store/{id}", self.url);
        let upload = json!({"id": id, "method": "PUT", "url": url, "headers": headers,
            "expiresAt": "2099-01-01T00:00:00Z", "urlExpiresAt": "2099-01-01T00:00:00Z"});
        ok(200, json!({"upload": upload}))
    }

    fn create(&self, world: &mut World, key: &str, body: Bytes) -> Answer {
        world.creates += 1;
        if let Some((id, first)) = world.keys.get(key) {
            return if *first == body { self.job(world, &id.clone()) } else { error(422, "idempotency_key_reused") };
        }
        let wanted: Value = serde_json::from_slice(&body).unwrap();
        let stored = wanted["input"]["template"]["name"].as_str().map(|name| Bytes::from(name.to_owned()));
        let upload = wanted["input"]["uploadId"].as_str().and_then(|id| world.uploads.get(id)).cloned();
        let Some(content) = stored.or(upload) else {
            return error(422, "validation_failed");
        };
        world.requests.push(wanted);
        if world.charged >= self.manners.lock().unwrap().credits {
            return error(402, "insufficient_credits");
        }
        let id = uuid::Uuid::now_v7().to_string();
        world.charged += 1;
        world.keys.insert(key.to_owned(), (id.clone(), body));
        world.jobs.insert(id.clone(), content);
        self.job(world, &id)
    }

    fn job(&self, world: &World, id: &str) -> Answer {
        let Some(content) = world.jobs.get(id) else { return error(404, "job_not_found") };
        if content.starts_with(b"bad") {
            let mut problem =
                json!({"code": "corrupt_document", "message": "The file is damaged.", "retryable": false});
            if content.starts_with(b"bad template") {
                let mistake = |name: &str| {
                    json!({"reason": "unknown_name", "message": format!("The data has no value `{name}`."), "tag": "{x}",
                        "place": {"part": "the body", "page": 2, "text": ""}, "suggestion": "dates"})
                };
                problem = json!({"code": "template_error", "retryable": false, "details": [mistake("date"), mistake("total")],
                    "message": "The template has 2 mistakes: see `details`. The first: The data has no value `date`."});
            }
            let credits = json!({"charged": 1, "refunded": 1});
            return ok(200, json!({"job": {"id": id, "status": "failed", "error": problem, "credits": credits}}));
        }
        let result = made_of(content);
        let digest: String = Sha256::digest(&result).iter().map(|byte| format!("{byte:02x}")).collect();
        let download = json!({"url": format!("{}/results/{id}", self.url), "bytes": result.len(), "sha256": digest, "filename": "result.pdf"});
        let credits = json!({"charged": 1, "refunded": 0});
        let mut job = json!({"id": id, "status": "completed", "output": {"pages": 1}, "credits": credits});
        if content.starts_with(b"without the word") {
            job["warnings"] = json!([{"code": "nothing_redacted", "message": "Nothing was found."}]);
        }
        ok(200, json!({"job": job, "download": download}))
    }

    /// The events after the one that the query names, once there are some.
    async fn list_events(&self, query: &str) -> Answer {
        let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        let until = Instant::now() + Duration::from_millis(if parameter("wait").is_some() { 300 } else { 0 });
        loop {
            let events = self.world().events.clone();
            let next = parameter("after")
                .and_then(|id| events.iter().position(|event| event["id"] == id))
                .map_or(0, |at| at + 1);
            if next < events.len() || Instant::now() >= until {
                let cursor = events.last().map(|event| event["id"].clone());
                let mut answer = ok(200, json!({"events": events[next..], "hasMore": false, "nextCursor": cursor}));
                answer.headers_mut().insert("preference-applied", "wait".parse().unwrap());
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// The result of a document.
pub fn made_of(content: &[u8]) -> Bytes {
    Bytes::from([b"PDF of ", content].concat())
}

fn ok(status: u16, mut body: Value) -> Answer {
    body["ok"] = json!(true);
    body["requestId"] = json!("req-1");
    answer(status, &body)
}

fn error(status: u16, code: &str) -> Answer {
    answer(
        status,
        &json!({"ok": false, "requestId": "req-4711", "error": {"code": code, "message": "No.", "status": status}}),
    )
}

fn answer(status: u16, body: &Value) -> Answer {
    Response::builder().status(status).body(Full::new(Bytes::from(body.to_string()))).unwrap()
}

fn empty(status: u16) -> Answer {
    Response::builder().status(status).body(Full::default()).unwrap()
}

/// The code that this service gives is the challenge itself.
fn exchange(body: &[u8]) -> Answer {
    let asked: Value = serde_json::from_slice(body).unwrap();
    let digest = Sha256::digest(asked["verifier"].as_str().unwrap());
    if asked["code"] == URL_SAFE_NO_PAD.encode(digest) {
        ok(201, json!({"key": KEY}))
    } else {
        error(403, "connection_refused")
    }
}
