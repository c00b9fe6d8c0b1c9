//! A request through the proxy: a tunnel (CONNECT) or a forwarded HTTP request.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use docmill_egress::Refusal;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION};
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use url::Url;

use super::PROXY_STATUS;
use super::meter::Metered;
use super::session::{LOGIN_HOST, Session};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Headers of a single connection (RFC 9110, 7.6.1), and those that proxies add.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

type Body = BoxBody<Bytes, hyper::Error>;

/// Why a request got no response from its host.
#[derive(Debug)]
enum Problem {
    /// Not a proxy request.
    Malformed,
    Refused {
        host: String,
        refusal: Refusal,
    },
    Failed {
        host: String,
        cause: String,
    },
}

/// Answers a request of the browser. A tunnel keeps `slot` for as long as it is open.
pub(super) async fn answer(
    session: Arc<Session>,
    slot: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Response<Body> {
    let authorization = request.headers().get(PROXY_AUTHORIZATION);
    if !authorization.is_some_and(|value| session.authorizes(value.as_bytes())) {
        let mut response = empty(StatusCode::PROXY_AUTHENTICATION_REQUIRED);
        response.headers_mut().insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"docmill\""));
        return response;
    }
    if request.method() == Method::GET && request.uri().host() == Some(LOGIN_HOST) {
        return empty(StatusCode::NO_CONTENT);
    }
    let result = if request.method() == Method::CONNECT {
        tunnel(&session, slot, request).await
    } else {
        pass_on(&session, request).await
    };
    result.unwrap_or_else(|problem| {
        let mut response = empty(status_of(&session, problem));
        response.headers_mut().insert(PROXY_STATUS, HeaderValue::from_static("docmill"));
        response
    })
}

/// Records the problem for the session's report.
fn status_of(session: &Session, problem: Problem) -> StatusCode {
    match problem {
        Problem::Malformed => StatusCode::BAD_REQUEST,
        Problem::Refused { host, refusal: Refusal::Unresolved(_) } => {
            session.note_failed(&host);
            StatusCode::BAD_GATEWAY
        }
        Problem::Refused { host, refusal } => {
            // Logged once per host: a page may ask any number of times.
            if session.note_blocked(&host) {
                tracing::info!(host, %refusal, "the egress proxy refused a connection");
            }
            StatusCode::FORBIDDEN
        }
        Problem::Failed { host, cause } => {
            tracing::debug!(host, cause, "the egress proxy could not pass on a request");
            session.note_failed(&host);
            StatusCode::BAD_GATEWAY
        }
    }
}

async fn tunnel(
    session: &Arc<Session>,
    slot: Arc<OwnedSemaphorePermit>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Problem> {
    let authority = request.uri().authority().filter(|authority| authority.port().is_some());
    // The scheme is only needed to form a URL: the rules are the same for both, and the port is given.
    let url = authority.and_then(|authority| Url::parse(&format!("http://{authority}/")).ok());
    let mut upstream = connect(session, &url.ok_or(Problem::Malformed)?).await?;
    session.spawn(async move {
        let copied = match hyper::upgrade::on(request).await {
            Ok(upgraded) => tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut upstream).await.map(drop),
            Err(error) => Err(io::Error::other(error)),
        };
        if let Err(error) = copied {
            tracing::debug!(%error, "a tunnel ended early");
        }
        drop(slot);
    });
    Ok(empty(StatusCode::OK))
}

async fn pass_on(session: &Arc<Session>, mut request: Request<Incoming>) -> Result<Response<Body>, Problem> {
    let url = Url::parse(&request.uri().to_string()).ok().filter(|url| url.scheme() == "http");
    let url = url.ok_or(Problem::Malformed)?;
    let failed = |error: hyper::Error| Problem::Failed { host: host(&url), cause: error.to_string() };

    to_origin_form(&mut request, &url)?;
    let upstream = connect(session, &url).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(upstream)).await.map_err(failed)?;
    session.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a host ended early");
        }
    });
    let mut response = sender.send_request(request).await.map_err(failed)?;
    // The browser would take it for this proxy's challenge and send the session's credentials.
    if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        return Err(Problem::Failed { host: host(&url), cause: "the host asks for proxy credentials".to_owned() });
    }
    remove_hop_by_hop(response.headers_mut());
    Ok(response.map(BodyExt::boxed))
}

/// Rewrites a request for the origin server: only a path, the target's host, and no proxy headers.
fn to_origin_form(request: &mut Request<Incoming>, url: &Url) -> Result<(), Problem> {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
    *request.uri_mut() = path.parse::<Uri>().map_err(|_| Problem::Malformed)?;
    *request.version_mut() = Version::HTTP_11;
    remove_hop_by_hop(request.headers_mut());
    request.headers_mut().insert(HOST, HeaderValue::from_str(authority).map_err(|_| Problem::Malformed)?);
    Ok(())
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let listed = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let listed: Vec<HeaderName> =
        listed.flat_map(|value| value.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    for name in listed {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// Connects to the checked address: a second look-up could return another one.
async fn connect(session: &Session, url: &Url) -> Result<Metered, Problem> {
    let refused = |refusal| Problem::Refused { host: host(url), refusal };
    let target = session.policy.admit(url).map_err(refused)?;
    let mut cause = String::new();
    for address in session.policy.resolve(&target).await.map_err(refused)? {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Requests are small and latency matters.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY could not be set");
                }
                return Ok(Metered::new(stream, session.meter.clone()));
            }
            Ok(Err(error)) => cause = error.to_string(),
            Err(_) => cause = "the connection timed out".to_owned(),
        }
    }
    Err(Problem::Failed { host: host(url), cause })
}

fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Empty::new().map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    response
}
