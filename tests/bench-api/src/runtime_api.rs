//! Lambda's Runtime API for one environment: sends one event after the other and takes the responses.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::AbortHandle;

use crate::Problem;

const INVOCATION: &str = "/2018-06-01/runtime/invocation/";
/// Remaining time of an invocation at its start, as told to functions.
const INVOCATION_TIME: Duration = Duration::from_secs(10);
const FUNCTION_ARN: &str = "arn:aws:lambda:us-east-1:123456789012:function:bench";

#[derive(Debug)]
pub struct Event {
    pub id: String,
    pub body: Bytes,
}

/// A message of a function.
#[derive(Debug)]
pub enum Signal {
    /// It asks for its next event.
    Ready {
        at: Instant,
    },
    Answered {
        id: String,
        at: Instant,
        body: Bytes,
    },
    /// It could not start, or failed an invocation.
    Failed {
        body: Bytes,
    },
}

/// The server's end of an environment. Dropped with this value.
#[derive(Debug)]
pub struct RuntimeApi {
    pub address: SocketAddr,
    pub events: mpsc::UnboundedSender<Event>,
    pub signals: mpsc::UnboundedReceiver<Signal>,
    accepting: AbortHandle,
}

#[derive(Debug)]
struct Server {
    events: Mutex<mpsc::UnboundedReceiver<Event>>,
    signals: mpsc::UnboundedSender<Signal>,
}

impl RuntimeApi {
    pub async fn start() -> Result<Self, Problem> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (events, waiting) = mpsc::unbounded_channel();
        let (signals, said) = mpsc::unbounded_channel();
        let server = Arc::new(Server { events: Mutex::new(waiting), signals });
        let accepting = tokio::spawn(accept(listener, server)).abort_handle();
        Ok(Self { address, events, signals: said, accepting })
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, server.clone()));
    }
}

async fn serve(stream: TcpStream, server: Arc<Server>) {
    // Without it, the kernel may delay a small response for 40 ms, which would count as the function's time.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(move |request| {
        let server = server.clone();
        async move { Ok::<_, Infallible>(server.answer(request).await) }
    });
    // A connection ends with its function, during a request for the next event. This is not an error.
    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

impl Server {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path().to_owned();
        let operation = path.strip_prefix(INVOCATION).unwrap_or(&path);
        match (request.method(), operation.split_once('/')) {
            (&Method::GET, None) if operation == "next" => self.next().await,
            (&Method::POST, Some((id, "response"))) => {
                let body = read(request).await;
                self.say(Signal::Answered { id: id.to_owned(), at: Instant::now(), body })
            }
            (&Method::POST, _) => {
                let body = read(request).await;
                self.say(Signal::Failed { body })
            }
            _ => status(StatusCode::NOT_FOUND),
        }
    }

    async fn next(&self) -> Response<Full<Bytes>> {
        self.say(Signal::Ready { at: Instant::now() });
        let Some(event) = self.events.lock().await.recv().await else { return status(StatusCode::GONE) };
        let deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default() + INVOCATION_TIME;
        let response = Response::builder()
            .header("content-type", "application/json")
            .header("lambda-runtime-aws-request-id", &event.id)
            .header("lambda-runtime-deadline-ms", deadline.as_millis().to_string())
            .header("lambda-runtime-invoked-function-arn", FUNCTION_ARN)
            .header("lambda-runtime-trace-id", "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0")
            .body(Full::new(event.body));
        response.unwrap_or_else(|_| status(StatusCode::INTERNAL_SERVER_ERROR))
    }

    fn say(&self, signal: Signal) -> Response<Full<Bytes>> {
        match self.signals.send(signal) {
            Ok(()) => status(StatusCode::ACCEPTED),
            Err(_nobody_listens) => status(StatusCode::GONE),
        }
    }
}

async fn read(request: Request<Incoming>) -> Bytes {
    request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default()
}

fn status(code: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = code;
    response
}
