//! Signing in and out by OpenID Connect: authorization code with PKCE, state and nonce.
//!
//! `/app/sign-in` stores the attempt in a signed cookie and redirects to the issuer. The issuer redirects to `/app/callback` with
//! a code, which is exchanged for an ID token. After verifying its signature, issuer, audience, expiry and nonce, a new session
//! begins. The issuer's tokens are not stored.

mod attempt;

use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use docmill_config::clock;
use docmill_domain::time::Timestamp;
use docmill_domain::user::{Session, SessionToken, User};
use url::form_urlencoded;

use crate::cookies::Purpose;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::FormData;
use crate::issuer::Proof;
use crate::return_to::ReturnTo;
use crate::session::{self, SignedIn};
use crate::state::{AppState, redirect_to};
use attempt::Attempt;

/// How far the issuer's clock may be behind ours.
const CLOCK_SKEW: Duration = Duration::from_secs(60);

/// Signing in and out, and the issuer's way back.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/sign-in", get(begin))
        .route("/app/callback", get(finish))
        .route("/app/sign-out", post(end))
}

async fn begin(State(state): State<AppState>, user: Option<SignedIn>, uri: Uri) -> Result<Response, PageError> {
    let place = ReturnTo::from_query(query(&uri, "return_to").as_deref());
    let again = query(&uri, "again").is_some();
    if user.is_some() && !again {
        return Ok(state.redirect(place.as_str()));
    }
    let attempt = Attempt::new(place, again);
    let location = state.issuer.authorization_url(&attempt.handshake, again).await?;
    Ok((attempt.remember(&state), redirect_to(location.as_str())).into_response())
}

async fn finish(State(state): State<AppState>, headers: HeaderMap, uri: Uri) -> Result<Response, PageError> {
    let attempt = Attempt::recall(&state, &headers);
    // Valid once, whether the sign-in succeeds or not.
    let cleared = Purpose::SignIn.remove(&state);
    match enter(&state, attempt, &headers, &uri).await {
        Ok(entered) => {
            let proof = entered.proved_at.map(|at| session::remember_proof(&state, &entered.token, at));
            let session = session::remember(&state, &entered.token, &entered.user.user, &entered.user.account);
            Ok((cleared, session, proof, state.redirect(entered.place.as_str())).into_response())
        }
        Err(error) => Ok((cleared, error).into_response()),
    }
}

/// A new session.
struct Entered {
    token: SessionToken,
    user: User,
    proved_at: Option<Timestamp>,
    place: ReturnTo,
}

async fn enter(
    state: &AppState,
    attempt: Option<Attempt>,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<Entered, PageError> {
    let refused = |why: &str| PageError::SignIn(why.to_owned());
    let attempt = attempt.ok_or_else(|| refused("no sign-in was started in this browser"))?;
    if query(uri, "state").as_deref() != Some(attempt.handshake.state()) {
        return Err(refused("the state does not match"));
    }
    let code = query(uri, "code").ok_or_else(|| refused("the issuer sent no code"))?;
    let Proof { identity, at } = state.issuer.identify(code, &attempt.handshake).await?;
    if attempt.again && at.is_none_or(|at| at.plus(CLOCK_SKEW) < attempt.began_at) {
        return Err(refused("the issuer did not ask for the password again"));
    }
    let now = clock::now();
    let user = state.context.users.enter(&identity, now).await?;
    // Rotation: ends the browser's earlier session, so that a stolen one never becomes signed in.
    if let Some(earlier) = session::token(state, headers) {
        state.context.sessions.end(&earlier.id()).await?;
    }
    let token = SessionToken::generate();
    let session =
        Session { session: token.id(), user: user.user.clone(), role: identity.role, began_at: now, seen_at: now };
    state.context.sessions.begin(&session).await?;
    Ok(Entered { token, user, proved_at: at, place: attempt.place })
}

/// Signs out here or everywhere, and then at the issuer, which would otherwise sign the next person in without asking.
async fn end(State(state): State<AppState>, headers: HeaderMap, form: FormData) -> Result<Response, PageError> {
    if let Some(token) = session::token(&state, &headers) {
        let id = token.id();
        if form.is_on("everywhere")
            && let Some(session) = state.context.sessions.find(&id, clock::now()).await?
        {
            state.context.users.sign_out_everywhere(&session.user, clock::now()).await?;
        }
        state.context.sessions.end(&id).await?;
    }
    let forgotten = (session::forget(&state), Purpose::Proof.remove(&state));
    Ok(match state.issuer.sign_out_url(&state.absolute("/")).await {
        Some(location) => {
            let flash = Flash::success("You are signed out.").remember(&state);
            (forgotten.0, forgotten.1, flash, redirect_to(location.as_str())).into_response()
        }
        None => {
            let text = "You are signed out here. On a shared computer, sign out at your sign-in provider too.";
            (forgotten.0, forgotten.1, Flash::success(text).remember(&state), state.redirect("/")).into_response()
        }
    })
}

fn query(uri: &Uri, name: &str) -> Option<String> {
    let pairs = form_urlencoded::parse(uri.query()?.as_bytes());
    pairs.into_iter().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}
