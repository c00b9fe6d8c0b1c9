//! Sessions as pages see them: the cookie, who is signed in, and when they last proved who they are.

use std::time::Duration;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::SignedCookieJar;
use docmill::clock;
use docmill::domain::account::{Profile, StoredKey};
use docmill::domain::api_key::Mode;
use docmill::domain::time::Timestamp;
use docmill::domain::user::{Email, Role, SESSION_TIME, SessionId, SessionToken, UserId};

use crate::cookies::Purpose;
use crate::error::PageError;
use crate::state::AppState;

/// A person who is signed in. As an extractor ([`crate::viewer`]) it leads everybody else to the
/// sign-in, and back afterwards.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub session: SessionId,
    pub user: UserId,
    pub subject: String,
    pub email: Email,
    /// The account that they belong to, and all that they may see of.
    pub account: String,
    pub profile: Profile,
    pub role: Role,
    /// When they last gave the issuer their password, as far as this browser can show.
    pub proved_at: Option<Timestamp>,
}

impl SignedIn {
    /// Whether they gave their password so lately that nobody else can have taken their place.
    pub fn proved_within(&self, time: Duration) -> bool {
        let age = |at| clock::now().millis_since(at);
        self.proved_at.is_some_and(|at| u128::from(age(at)) <= time.as_millis())
    }

    /// The key with which the dashboard acts for the account: what it may use is what the account may use.
    pub fn own_key(&self) -> StoredKey {
        StoredKey::of_dashboard(&self.account, Mode::Live, clock::now()).in_standing(self.profile.standing())
    }

    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

/// What a request's cookie comes to.
#[derive(Debug)]
pub enum Seat {
    Empty,
    /// A session that is over.
    Stale,
    Suspended,
    Taken(Box<SignedIn>),
}

/// Who holds the session of a request's cookie: compared on each request with its end, with the user's own sign-outs
/// elsewhere, and with their account's standing.
pub async fn find(state: &AppState, headers: &HeaderMap) -> Result<Seat, PageError> {
    let Some(token) = token(state, headers) else { return Ok(Seat::Empty) };
    let now = clock::now();
    let Some(session) = state.context.sessions.find(&token.id(), now).await? else { return Ok(Seat::Stale) };
    let Some(user) = state.context.users.get(&session.user).await? else { return Ok(Seat::Stale) };
    if session.was_ended_by(&user) {
        return Ok(Seat::Stale);
    }
    let Some(profile) = state.context.usage.profile(&user.account).await? else { return Ok(Seat::Stale) };
    if profile.suspended {
        return Ok(Seat::Suspended);
    }
    state.context.sessions.note_use(&session, now).await?;
    Ok(Seat::Taken(Box::new(SignedIn {
        proved_at: proof(state, headers, &session.session),
        session: session.session,
        user: user.user,
        subject: user.subject,
        email: user.email,
        account: user.account,
        profile,
        role: session.role,
    })))
}

/// The token in a request's cookie, if we signed it.
pub fn token(state: &AppState, headers: &HeaderMap) -> Option<SessionToken> {
    SessionToken::parse(&Purpose::Session.read(state, headers)?)
}

pub fn remember(state: &AppState, token: &SessionToken) -> SignedCookieJar {
    Purpose::Session.set(state, token.reveal().to_owned(), SESSION_TIME)
}

pub fn forget(state: &AppState) -> SignedCookieJar {
    Purpose::Session.remove(state)
}

/// Notes when the holder of a new session proved who they are.
pub fn remember_proof(state: &AppState, token: &SessionToken, at: Timestamp) -> SignedCookieJar {
    Purpose::Proof.set(state, format!("{}.{}", token.id().as_str(), at.as_millis()), SESSION_TIME)
}

/// What the browser's note says, if it is of this very session.
fn proof(state: &AppState, headers: &HeaderMap, session: &SessionId) -> Option<Timestamp> {
    let note = Purpose::Proof.read(state, headers)?;
    let (of, at) = note.rsplit_once('.')?;
    (of == session.as_str()).then(|| at.parse().ok().map(Timestamp)).flatten()
}
