//! Signing in and out by OpenID Connect: authorization code with PKCE, state and nonce.
//!
//! The way in: `/app/sign-in` notes in a signed cookie what this browser asked for and sends it to the issuer; the issuer
//! sends it back to `/app/callback` with a code; the code is exchanged for an ID token, whose signature, issuer, audience,
//! expiry and nonce are verified; a new session begins. No token of the issuer is kept.

pub mod attempt;
pub mod issuer;
pub mod return_to;

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum_extra::extract::cookie::SignedCookieJar;
use docmill::clock;
use docmill::domain::user::{Session, SessionToken};
use url::form_urlencoded;

use crate::error::PageError;
use crate::form::FormData;
use crate::layout::Flash;
use crate::session::{self, SignedIn};
use crate::state::{AppState, redirect_to};
use attempt::Attempt;
use return_to::ReturnTo;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/sign-in", get(begin))
        .route("/app/callback", get(finish))
        .route("/app/sign-out", post(end))
}

async fn begin(
    State(state): State<AppState>,
    user: Option<SignedIn>,
    jar: SignedCookieJar,
    uri: Uri,
) -> Result<Response, PageError> {
    let place = ReturnTo::from_query(query(&uri, "return_to").as_deref());
    if user.is_some() {
        return Ok(state.redirect(place.as_str()));
    }
    let attempt = Attempt::new(place);
    let location = state.issuer.authorization_url(&attempt).await?;
    Ok((attempt.remember(&state, jar), redirect_to(location.as_str())).into_response())
}

async fn finish(State(state): State<AppState>, jar: SignedCookieJar, uri: Uri) -> Result<Response, PageError> {
    let attempt = Attempt::recall(&state, &jar);
    // Only once, whatever comes of it.
    let cleared = Attempt::forget(&state, jar.clone());
    match enter(&state, attempt, &jar, &uri).await {
        Ok((token, place)) => {
            let jar = session::remember(&state, cleared, &token);
            Ok((jar, state.redirect(place.as_str())).into_response())
        }
        Err(error) => Ok((cleared, error).into_response()),
    }
}

async fn enter(
    state: &AppState,
    attempt: Option<Attempt>,
    jar: &SignedCookieJar,
    uri: &Uri,
) -> Result<(SessionToken, ReturnTo), PageError> {
    let refused = |why: &str| PageError::SignIn(why.to_owned());
    let attempt = attempt.ok_or_else(|| refused("no attempt of this browser"))?;
    if query(uri, "state").as_deref() != Some(attempt.state()) {
        return Err(refused("the state is another one"));
    }
    let code = query(uri, "code").ok_or_else(|| refused("the issuer sent no code"))?;
    let identity = state.issuer.identify(code, &attempt).await?;
    let now = clock::now();
    let user = state.context.users.enter(&identity, now).await?;
    // Rotation: whatever session this browser had, nobody who knew it is signed in by this.
    if let Some(earlier) = session::token(state, jar) {
        state.context.sessions.end(&earlier.id()).await?;
    }
    let token = SessionToken::generate();
    let session = Session { session: token.id(), user: user.user, role: identity.role, began_at: now, seen_at: now };
    state.context.sessions.begin(&session).await?;
    Ok((token, attempt.into_place()))
}

/// Here, or everywhere; and then at the issuer, which would otherwise sign the next person in without asking.
async fn end(State(state): State<AppState>, jar: SignedCookieJar, form: FormData) -> Result<Response, PageError> {
    if let Some(token) = session::token(&state, &jar) {
        let id = token.id();
        if form.is_on("everywhere")
            && let Some(session) = state.context.sessions.find(&id, clock::now()).await?
        {
            state.context.users.sign_out_everywhere(&session.user, clock::now()).await?;
        }
        state.context.sessions.end(&id).await?;
    }
    let jar = session::forget(&state, jar);
    Ok(match state.issuer.sign_out_url(&state.absolute("/")).await {
        Some(location) => (Flash::success("You are signed out.").remember(&state, jar), redirect_to(location.as_str()))
            .into_response(),
        None => {
            let text = "You are signed out here. On a shared computer, sign out at your sign-in provider too.";
            (Flash::success(text).remember(&state, jar), state.redirect("/")).into_response()
        }
    })
}

fn query(uri: &Uri, name: &str) -> Option<String> {
    let pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}
