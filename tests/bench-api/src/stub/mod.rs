//! An AWS that answers every call correctly after a fixed time, so that each extra or serial call is visible.

mod ledger;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use self::ledger::Ledger;
use crate::Problem;
use crate::world::Items;

/// The time of each call.
pub const CALL_TIME: Duration = Duration::from_millis(4);
/// How long a transaction holds its items if conflicts are modelled: a high estimate for DynamoDB.
pub const TRANSACTION_TIME: Duration = Duration::from_millis(10);

/// One call as the stub saw it.
#[derive(Clone, Debug)]
pub struct Call {
    pub operation: String,
    pub began: Instant,
    pub ended: Instant,
}

#[derive(Debug)]
pub struct Stub {
    pub endpoint: String,
    /// The certificate of the stub's authority as PEM, which callers over TLS must trust.
    pub authority: Option<String>,
    state: Arc<State>,
    accepting: AbortHandle,
}

#[derive(Debug)]
struct State {
    items: Items,
    calls: Mutex<Vec<Call>>,
    /// The balances that transactions change if conflicts are modelled.
    ledger: Ledger,
    conflicts: bool,
}

/// A response: status and body.
type Said = (StatusCode, String);

impl Stub {
    pub async fn plain(items: Items) -> Result<Self, Problem> {
        Self::start(items, None, false).await
    }

    /// Like DynamoDB, this refuses a transaction on an item of the Usage table while another one writes it, or if its condition
    /// fails.
    pub async fn with_conflicts(items: Items) -> Result<Self, Problem> {
        Self::start(items, None, true).await
    }

    pub async fn tls(items: Items) -> Result<Self, Problem> {
        let authority_key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, authority_key)?;
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(["localhost".to_owned()])?.signed_by(&key, &authority)?;
        let private = PrivateKeyDer::try_from(key.serialize_der()).map_err(str::to_owned)?;
        // Named explicitly, because a build of the whole workspace has two providers.
        let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private)?;
        // Like DynamoDB and SQS, which do not support HTTP/2.
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Self::start(items, Some((TlsAcceptor::from(Arc::new(config)), authority.pem())), false).await
    }

    async fn start(items: Items, tls: Option<(TlsAcceptor, String)>, conflicts: bool) -> Result<Self, Problem> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let ledger = Ledger::new(&items.usage);
        let state = Arc::new(State { items, calls: Mutex::default(), ledger, conflicts });
        let (acceptor, authority) = tls.unzip();
        let endpoint =
            if acceptor.is_some() { format!("https://localhost:{port}") } else { format!("http://127.0.0.1:{port}") };
        let accepting = tokio::spawn(accept(listener, acceptor, state.clone())).abort_handle();
        Ok(Self { endpoint, authority, state, accepting })
    }

    /// The number of stored jobs, if conflicts are modelled.
    pub fn jobs(&self) -> usize {
        self.state.ledger.jobs()
    }

    /// The calls since the last time.
    pub fn take_calls(&self) -> Vec<Call> {
        self.state.calls.lock().map(|mut calls| std::mem::take(&mut *calls)).unwrap_or_default()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// The longest chain of calls of which each began after the one before had ended.
pub fn serial_calls(calls: &[Call]) -> usize {
    let mut by_end: Vec<&Call> = calls.iter().collect();
    by_end.sort_by_key(|call| call.ended);
    let mut chain = 0;
    let mut free_from = None;
    for call in by_end {
        if free_from.is_none_or(|free_from| call.began >= free_from) {
            chain += 1;
            free_from = Some(call.ended);
        }
    }
    chain
}

async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let (tls, state) = (tls.clone(), state.clone());
        tokio::spawn(async move {
            match tls {
                None => serve(stream, state).await,
                // A client that does not trust the stub reports that itself.
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => serve(stream, state).await,
                    Err(_refused) => {}
                },
            }
        });
    }
}

async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin, state: Arc<State>) {
    let service = service_fn(move |request| {
        let state = state.clone();
        async move { Ok::<_, Infallible>(state.answer(request).await) }
    });
    // Connections end with their function at any time.
    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

impl State {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let began = Instant::now();
        let operation = operation(&request);
        let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let (status, answer) = match operation.as_str() {
            "TransactWriteItems" if self.conflicts => transact(&self.ledger, &body).await,
            operation => {
                let answer = self.body(operation, &body);
                sleep(CALL_TIME.saturating_sub(began.elapsed())).await;
                answer.map_or((StatusCode::NOT_IMPLEMENTED, String::new()), |answer| (StatusCode::OK, answer))
            }
        };
        if let Ok(mut calls) = self.calls.lock() {
            calls.push(Call { operation, began, ended: Instant::now() });
        }
        let mut response = Response::new(Full::new(Bytes::from(answer)));
        *response.status_mut() = status;
        response
    }

    /// The service's response. `None` for unknown calls.
    fn body(&self, operation: &str, request: &[u8]) -> Option<String> {
        let json = match operation {
            // The guard's only call: the key after this request was counted.
            "UpdateItem" => json!({"Attributes": self.items.key}),
            "GetItem" => self.get(&parsed(request)),
            "Query" => {
                let request = parsed(request);
                let found = match request["ExpressionAttributeValues"][":kind"]["S"].as_str() {
                    Some("plan") => vec![self.items.plan.clone()],
                    Some(_) => Vec::new(),
                    None => self.ledger.between(&request),
                };
                json!({"Items": found, "Count": found.len(), "ScannedCount": found.len()})
            }
            "BatchGetItem" => json!({"Responses": self.batch(request), "UnprocessedKeys": {}}),
            "TransactWriteItems" | "PutItem" => json!({}),
            "SendMessage" => json!({
                "MessageId": "5fea7756-0ea4-451a-a703-a558b933e274",
                "MD5OfMessageBody": "d41d8cd98f00b204e9800998ecf8427e",
            }),
            "PUT" | "DELETE" => return Some(String::new()),
            _ => return None,
        };
        Some(json.to_string())
    }

    /// The job. If conflicts are modelled, only a job that was created is found.
    fn get(&self, request: &Value) -> Value {
        let is_found = !self.conflicts || request["Key"]["id"]["S"].as_str().is_some_and(|id| self.ledger.has_job(id));
        if is_found { json!({"Item": self.items.job}) } else { json!({}) }
    }

    /// All usage items for each requested table.
    fn batch(&self, request: &[u8]) -> Map<String, Value> {
        let request = parsed(request);
        let tables = request["RequestItems"].as_object().cloned().unwrap_or_default();
        tables.into_iter().map(|(table, _)| (table, json!(self.items.usage))).collect()
    }
}

/// A thread sleeps with microsecond resolution; tokio's timer would round up to a millisecond.
async fn sleep(time: Duration) {
    let slept = tokio::task::spawn_blocking(move || std::thread::sleep(time)).await;
    debug_assert!(slept.is_ok(), "sleeping does not panic");
}

async fn transact(ledger: &Ledger, request: &[u8]) -> Said {
    let request = parsed(request);
    let parts = request["TransactItems"].as_array().cloned().unwrap_or_default();
    let began = Instant::now();
    let Err(reasons) = ledger.transact(&parts, sleep(TRANSACTION_TIME)).await else {
        return (StatusCode::OK, "{}".to_owned());
    };
    sleep(CALL_TIME.saturating_sub(began.elapsed())).await;
    let kind = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException";
    (StatusCode::BAD_REQUEST, json!({"__type": kind, "CancellationReasons": reasons}).to_string())
}

fn parsed(request: &[u8]) -> Value {
    serde_json::from_slice(request).unwrap_or_default()
}

/// `UpdateItem` of `DynamoDB_20120810.UpdateItem`; S3's calls by their method.
fn operation(request: &Request<Incoming>) -> String {
    let target = request.headers().get("x-amz-target").and_then(|target| target.to_str().ok());
    match (target.and_then(|target| target.rsplit_once('.')), request.method()) {
        (Some((_, operation)), _) => operation.to_owned(),
        (None, method @ (&Method::PUT | &Method::DELETE | &Method::GET)) => method.to_string(),
        (None, _) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_calls_count_once() {
        let zero = Instant::now();
        let call = |began: u64, ended: u64| Call {
            operation: String::new(),
            began: zero + Duration::from_millis(began),
            ended: zero + Duration::from_millis(ended),
        };
        assert_eq!(serial_calls(&[]), 0);
        assert_eq!(serial_calls(&[call(0, 4), call(1, 5), call(1, 5)]), 1);
        assert_eq!(serial_calls(&[call(0, 4), call(1, 5), call(5, 9), call(9, 13)]), 3);
        // A long call in parallel does not hide that two short ones waited for each other.
        assert_eq!(serial_calls(&[call(0, 20), call(0, 4), call(5, 9)]), 2);
    }
}
