//! The middleware of all pages: identifies the visitor, checks form tokens, and renders errors.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use docmill_site::cookies::Purpose;
use docmill_site::csrf;
use docmill_site::delivery::for_guests;
use docmill_site::error::PageError;
use docmill_site::error_page::dress;
use docmill_site::flash::Flash;
use docmill_site::prefetched::Prefetched;
use docmill_site::session::{self, Found};
use docmill_site::state::AppState;
use docmill_site::viewer::{Viewer, send_to_sign_in};
use docmill_telemetry::field;
use docmill_telemetry::line::Line;
use futures_util::FutureExt;
use tracing::Level;

use crate::pages;

/// Shorter than the function's timeout (10 s), after which the gateway would answer in its own format.
const REQUEST_TIME: Duration = Duration::from_secs(9);

/// Signing out also works without a session.
const SIGN_OUT: &str = "/app/sign-out";

/// The middleware around all pages.
pub async fn visit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let ahead = read_ahead(&state, request.method(), &path, request.headers());
    let (met, ahead) = futures_util::join!(meet(&state, path.clone(), request.headers()), ahead);
    let (viewer, is_stale) = match met {
        Ok((viewer, is_stale)) => (Viewer { ahead, ..viewer }, is_stale),
        Err(error) => return plain(error),
    };
    let is_guest = viewer.user.is_none() && !viewer.suspended && viewer.flash.is_none();
    let headers = request.headers().clone();
    let response = match admit(&state, &viewer, request).await {
        Ok(mut request) => {
            request.extensions_mut().insert(viewer.clone());
            next.run(request).await
        }
        Err(response) => response,
    };
    let response = dress(&state, &viewer, response);
    let response = if is_guest && is_page(&response) { for_guests(&headers, response).await } else { response };
    // The handler's cookies replace those set here.
    if response.headers().contains_key(header::SET_COOKIE) {
        return response;
    }
    // A message is removed once a page has shown it. Redirects and fragments don't show messages.
    let shown = (viewer.flash.is_some() && is_page(&response)).then(|| Purpose::Flash.remove(&state));
    (is_stale.then(|| session::forget(&state)), shown, response).into_response()
}

/// The visitor, and whether their cookie belongs to an ended session.
async fn meet(state: &AppState, path: String, headers: &HeaderMap) -> Result<(Viewer, bool), PageError> {
    let settings = async { Ok(state.context.settings.current().await?) };
    let (settings, found) = futures_util::try_join!(settings, session::find(state, headers))?;
    let flash = Flash::read(state, headers);
    let is_stale = matches!(found, Found::Ended);
    let form_token = session::token(state, headers).filter(|_| !is_stale).map(|token| token.form_token());
    let (user, suspended) = match found {
        Found::SignedIn(user) => (Some(*user), false),
        Found::Suspended => (None, true),
        Found::Ended | Found::Guest => (None, false),
    };
    // Only pages of a session have forms that end at the issuer.
    let form_origins = if user.is_some() || suspended { state.issuer.origins().await } else { Vec::new() };
    let ahead = None;
    Ok((Viewer { user, suspended, flash, path, settings, form_token, form_origins, ahead }, is_stale))
}

/// Reads the page's data for the account in the cookie.
async fn read_ahead(state: &AppState, method: &Method, path: &str, headers: &HeaderMap) -> Option<Prefetched> {
    let account = session::named_account(state, headers).filter(|_| *method == Method::GET)?;
    pages::read_ahead(state, path, &account).await
}

/// Every request that changes something needs a session and its token. Without a session, it is redirected to the sign-in, and
/// from there to the page with the form.
async fn admit(state: &AppState, viewer: &Viewer, request: Request) -> Result<Request, Response> {
    let method = request.method();
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(request);
    }
    // Programs have no session, and nothing to forge a request with.
    if viewer.path == pages::connect::EXCHANGE {
        return Ok(request);
    }
    let signs_out = viewer.path == SIGN_OUT;
    match &viewer.form_token {
        Some(_) if viewer.suspended && !signs_out => Err(PageError::Suspended.into_response()),
        Some(token) => csrf::check(token, request).await.map_err(IntoResponse::into_response),
        None if signs_out => Ok(request),
        None => Err(send_to_sign_in(state, method, request.headers(), &viewer.path)),
    }
}

fn is_page(response: &Response) -> bool {
    let html =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    html && !response.headers().contains_key("x-fragment")
}

/// An error before the visitor is known. It has no navigation, since settings may be missing.
fn plain(error: PageError) -> Response {
    let status = error.into_response().status();
    (
        status,
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        "The service did not answer in time. Please try again.\n",
    )
        .into_response()
}

/// The outermost layer: writes one log line per request, and answers after panics and timeouts.
pub async fn contained(request: Request, next: Next) -> Result<Response, Infallible> {
    let started = Instant::now();
    // Never the path itself: a client can put secrets there by mistake.
    let route = request.extensions().get::<MatchedPath>().map_or("none".to_owned(), |path| path.as_str().to_owned());
    let run = tokio::time::timeout(REQUEST_TIME, AssertUnwindSafe(next.run(request)).catch_unwind());
    let response = match run.await {
        Ok(Ok(response)) => response,
        // The panic hook has logged the place, but not the message.
        Ok(Err(_panic)) => plain(PageError::Internal("the handler panicked".into())),
        Err(_elapsed) => plain(PageError::Unavailable("the handler ran out of time".into())),
    };
    Line::new(Level::INFO, "page handled")
        .with(field::ROUTE, route)
        .with(field::STATUS, response.status().as_u16())
        .with(field::DURATION_US, u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX))
        .write();
    Ok(response)
}
