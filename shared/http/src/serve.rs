//! Runs a handler as a Lambda function. It writes one log line per request, from which accounts get
//! their request log, and answers for handlers that panic or take too long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_app::deadline::within;
use docmill_telemetry::line::Line;
use docmill_telemetry::start::{Part, started};
use docmill_telemetry::{REQUEST_HANDLED, field, metric};
use lambda_http::http::{Method, Response};
use lambda_http::{Body, Error, service_fn};
use tracing::{Instrument, Level};

use super::envelope::{Noted, NotedCaller, respond};
use super::error::ErrorCode;
use super::request::{ApiRequest, RequestId};
use super::routes::{route_of, shown_path};

/// Serves requests with `handle` until the environment ends.
///
/// # Errors
/// If the runtime's API fails, which ends the environment.
pub async fn serve<S, F, Fut>(state: S, handle: F) -> Result<(), Error>
where
    S: Send + Sync + 'static,
    F: Fn(Arc<S>, ApiRequest) -> Fut + Send + Sync,
    Fut: Future<Output = Response<Body>> + Send,
{
    let state = Arc::new(state);
    started(Part::Api);
    lambda_http::run(service_fn(|request: lambda_http::Request| {
        let request = ApiRequest::from(request);
        let handled = guarded(Asked::of(&request), handle(state.clone(), request));
        async move { Ok::<_, Error>(handled.await) }
    }))
    .await
}

/// What the log line says about a request, apart from its headers and body.
#[derive(Clone, Debug)]
pub struct Asked {
    id: RequestId,
    method: Method,
    path: String,
    ends_at: Instant,
}

impl Asked {
    /// Taken before the request is handled.
    pub fn of(request: &ApiRequest) -> Self {
        let ApiRequest { id, method, path, ends_at, .. } = request;
        Self { id: id.clone(), method: method.clone(), path: path.clone(), ends_at: *ends_at }
    }
}

/// Runs one request to its end, even if the handler panics, and writes its log line.
pub async fn guarded(request: Asked, handled: impl Future<Output = Response<Body>>) -> Response<Body> {
    let began = Instant::now();
    let span = tracing::info_span!("request", { field::REQUEST_ID } = %request.id);
    let contained = within(request.ends_at, handled).instrument(span).await;
    let response = contained.unwrap_or_else(|error| respond(&request.id, Err(error.into()), &[]));
    line(&request, &response, began.elapsed()).write();
    response
}

fn line(request: &Asked, response: &Response<Body>, duration: Duration) -> Line {
    let noted = response.extensions().get::<Noted>().cloned().unwrap_or_default();
    let (job, charged) = noted.job.unzip();
    let level = if noted.cause.is_some() { Level::ERROR } else { Level::INFO };
    let line = Line::new(level, REQUEST_HANDLED)
        .with(field::REQUEST_ID, request.id.to_string())
        .with(field::ROUTE, route_of(&request.method, &request.path))
        .with(field::STATUS, response.status().as_u16())
        .with(field::CODE, noted.code.map_or("ok", ErrorCode::as_str))
        .with(field::DURATION_US, u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
        .with_some(field::JOB_ID, job.map(|id| id.to_string()))
        .with_some(field::CAUSE, noted.cause)
        .measure(&[(metric::REQUESTS, 1)]);
    let line = match noted.caller {
        Some(caller) => of_account(line, request, *caller),
        None => line,
    };
    match charged {
        Some(credits) => line.count(metric::CREDITS_CHARGED, credits),
        None => line,
    }
}

/// What the account's own log of requests shows too (functions/request-log).
fn of_account(line: Line, request: &Asked, caller: NotedCaller) -> Line {
    // Never the path itself: a client can put secrets there by mistake.
    let path = shown_path(&request.method, &request.path);
    line.with(field::ACCOUNT, caller.account)
        .with(field::PLAN, caller.plan)
        .with(field::KEY, caller.key_id)
        .with_some(field::PATH, path)
        .with(field::METHOD, request.method.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RequestId;
    use lambda_http::http::{HeaderMap, Method};

    fn request() -> ApiRequest {
        ApiRequest {
            id: RequestId::from("r-1"),
            method: Method::GET,
            path: "/v1/tools".into(),
            path_parameters: Default::default(),
            query: Vec::new(),
            ends_at: Instant::now() + Duration::from_secs(9),
            headers: HeaderMap::new(),
            body: Vec::new(),
        }
    }

    /// What a request pays for its account's log. A debug build on a busy machine takes about a tenth of what is allowed.
    #[tokio::test]
    async fn a_panic_is_an_internal_error_with_an_envelope() {
        let response = guarded(Asked::of(&request()), async { panic!("secret") }).await;
        assert_eq!(response.status(), 500);
        let body = std::str::from_utf8(response.body()).unwrap();
        assert!(body.contains("\"code\":\"internal\"") && body.contains("r-1") && !body.contains("secret"), "{body}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_handler_that_hangs_is_unavailable_before_the_gateway_gives_up() {
        let response = guarded(Asked::of(&request()), std::future::pending()).await;
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
    }
}
