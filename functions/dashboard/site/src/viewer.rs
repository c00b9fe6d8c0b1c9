//! The visitor of a page, and the extractors for restricted pages.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use docmill_store::settings::Snapshot;

use crate::error::PageError;
use crate::flash::Flash;
use crate::prefetched::Prefetched;
use crate::return_to::ReturnTo;
use crate::session::SignedIn;
use crate::state::{AppState, redirect_to};

/// How long after giving their password a user may open a form that needs it, and how long they may submit it.
const OPEN_TIME: Duration = Duration::from_secs(15 * 60);
const SEND_TIME: Duration = Duration::from_secs(45 * 60);

/// The visitor of a page, signed in or not. Every handler that renders a page takes it.
#[derive(Clone, Debug)]
pub struct Viewer {
    /// `None`: a guest.
    pub user: Option<SignedIn>,
    /// Whether there is a session without a user, because the account is suspended.
    pub suspended: bool,
    /// A message of an earlier request, to be shown once.
    pub flash: Option<Flash>,
    /// Path and query of the request, without the base path.
    pub path: String,
    /// The current settings, for the navigation.
    pub settings: Arc<Snapshot>,
    /// The token that this session's forms and scripts must send.
    pub form_token: Option<String>,
    /// Origins of the sign-in and sign-out, which pages' policies must allow.
    pub form_origins: Vec<String>,
    /// Data that was read ahead for the page.
    pub ahead: Option<Prefetched>,
}

impl Viewer {
    /// The data that was read ahead for this user's account, or else that of `read`.
    ///
    /// # Errors
    /// What `read` fails with.
    pub async fn read_or<T: Any + Send + Sync>(
        &self,
        user: &SignedIn,
        read: impl Future<Output = Result<T, PageError>>,
    ) -> Result<Arc<T>, PageError> {
        match self.ahead.as_ref().and_then(|ahead| ahead.of(&user.account)) {
            Some(read) => Ok(read),
            None => Ok(Arc::new(read.await?)),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Viewer {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, PageError> {
        let viewer = parts.extensions.get::<Self>().cloned();
        viewer.ok_or_else(|| PageError::Internal("a page was served without the visit middleware".into()))
    }
}

/// An administrator. Other signed-in users get a 403 page.
#[derive(Clone, Debug)]
pub struct AdminUser(pub SignedIn);

/// Asks for the password again, unless it was given recently. Handlers take it in addition to [`SignedIn`] or [`AdminUser`] where
/// an unattended browser could do more harm: keys and credits.
#[derive(Clone, Copy, Debug)]
pub struct Proved;

impl FromRequestParts<AppState> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Response> {
        let viewer = <Viewer as FromRequestParts<AppState>>::from_request_parts(parts, state).await;
        let viewer = viewer.map_err(IntoResponse::into_response)?;
        match viewer.user {
            Some(user) => Ok(user),
            None if viewer.suspended => Err(PageError::Suspended.into_response()),
            None => Err(send_to_sign_in(state, &parts.method, &parts.headers, &viewer.path)),
        }
    }
}

impl OptionalFromRequestParts<AppState> for SignedIn {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Option<Self>, PageError> {
        Ok(<Viewer as FromRequestParts<AppState>>::from_request_parts(parts, state).await?.user)
    }
}

impl FromRequestParts<AppState> for AdminUser {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Response> {
        let user = <SignedIn as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        if user.is_admin() { Ok(Self(user)) } else { Err(PageError::Forbidden.into_response()) }
    }
}

impl FromRequestParts<AppState> for Proved {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Response> {
        let user = <SignedIn as FromRequestParts<AppState>>::from_request_parts(parts, state).await?;
        let time = if parts.method == Method::GET { OPEN_TIME } else { SEND_TIME };
        if user.proved_within(time) {
            return Ok(Self);
        }
        let path = parts.uri.path_and_query().map_or("/app", |path| path.as_str());
        Err(lead_to_sign_in(state, &parts.method, &parts.headers, path, true))
    }
}

/// Redirects to the sign-in. Scripts get the address in a header.
pub fn send_to_sign_in(state: &AppState, method: &Method, headers: &HeaderMap, path: &str) -> Response {
    lead_to_sign_in(state, method, headers, path, false)
}

/// `again`: signed-in users must give their password again.
fn lead_to_sign_in(state: &AppState, method: &Method, headers: &HeaderMap, path: &str, again: bool) -> Response {
    let by_script = headers.contains_key("hx-request");
    let own_page = |name: &str| {
        let url = headers.get(name)?.to_str().ok()?;
        ReturnTo::parse(url.strip_prefix(&state.absolute(""))?)
    };
    let place = match (by_script, method) {
        (true, _) => own_page("hx-current-url"),
        (false, &Method::GET) => ReturnTo::parse(path),
        // Back to the page with the form, which is the referrer on our own pages.
        (false, _) => own_page("referer"),
    };
    let wish = if again { "&again=on" } else { "" };
    let target = state.link(&format!("/app/sign-in?{}{wish}", place.unwrap_or_default().to_query()));
    if by_script {
        return (StatusCode::UNAUTHORIZED, [("hx-redirect", target)]).into_response();
    }
    redirect_to(&target)
}
