//! Sessions: the cookie, the user, and when they last gave their password.

use std::time::Duration;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::SignedCookieJar;
use docmill_config::clock;
use docmill_domain::account::{Profile, StoredKey};
use docmill_domain::api_key::Mode;
use docmill_domain::time::Timestamp;
use docmill_domain::user::{Email, Role, SESSION_TIME, SessionId, SessionToken, UserId};

use crate::cookies::Purpose;
use crate::error::PageError;
use crate::state::AppState;

/// A signed-in user. As an extractor ([`crate::viewer`]), it redirects everybody else to the sign-in and back afterwards.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The session's id, not its token.
    pub session: SessionId,
    /// Who they are to us.
    pub user: UserId,
    /// Who they are to the issuer.
    pub subject: String,
    /// As the issuer states it.
    pub email: Email,
    /// The user's account, the only one whose data they can see.
    pub account: String,
    /// The account's own item, as it is now.
    pub profile: Profile,
    /// As the issuer stated it at the sign-in.
    pub role: Role,
    /// When they last gave their password to the issuer, as far as this browser can show.
    pub proved_at: Option<Timestamp>,
}

impl SignedIn {
    /// Whether they gave their password recently enough.
    pub fn proved_within(&self, time: Duration) -> bool {
        let age = |at| clock::now().millis_since(at);
        self.proved_at.is_some_and(|at| u128::from(age(at)) <= time.as_millis())
    }

    /// The dashboard's key for the account, which may use all of the account's tools.
    pub fn own_key(&self) -> StoredKey {
        StoredKey::of_dashboard(&self.account, Mode::Live, clock::now()).with_policy(self.profile.policy())
    }

    pub(crate) fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

/// The result of looking up a request's session.
#[derive(Debug)]
pub enum Found {
    /// There is no session.
    Guest,
    /// A session that is over.
    Ended,
    /// The user's account is suspended.
    Suspended,
    /// The session goes on.
    SignedIn(Box<SignedIn>),
}

/// The session cookie: the token, and the user and account, so that they can be read together with the session. Only the token is
/// trusted.
struct SessionCookie {
    token: SessionToken,
    user: UserId,
    account: String,
}

impl SessionCookie {
    fn read(state: &AppState, headers: &HeaderMap) -> Option<Self> {
        let text = Purpose::Session.read(state, headers)?;
        let mut parts = text.splitn(3, '.');
        let (token, user) = (SessionToken::parse(parts.next()?)?, UserId::parse(parts.next()?)?);
        Some(Self { token, user, account: parts.next()?.to_owned() })
    }
}

/// The user of a request's session. Each request checks the session's end, the user's sign-outs elsewhere, and the account's
/// policy.
///
/// # Errors
/// If a table can't be read now.
pub async fn find(state: &AppState, headers: &HeaderMap) -> Result<Found, PageError> {
    let Some(cookie) = SessionCookie::read(state, headers) else { return Ok(Found::Guest) };
    let (context, now) = (&state.context, clock::now());
    let id = cookie.token.id();
    let (session, user, profile) = futures_util::try_join!(
        context.sessions.find(&id, now),
        context.users.get(&cookie.user),
        context.usage.profile(&cookie.account),
    )?;
    let (Some(session), Some(user)) = (session, user) else { return Ok(Found::Ended) };
    if session.user != user.user || session.was_ended_by(&user) {
        return Ok(Found::Ended);
    }
    // An administrator has linked the user to another account since they signed in.
    let profile = if user.account == cookie.account { profile } else { context.usage.profile(&user.account).await? };
    let Some(profile) = profile else { return Ok(Found::Ended) };
    if profile.suspended {
        return Ok(Found::Suspended);
    }
    context.sessions.note_use(&session, now).await?;
    Ok(Found::SignedIn(Box::new(SignedIn {
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

/// The account in a request's cookie, if its signature is valid. [`find`] checks the session itself.
pub fn named_account(state: &AppState, headers: &HeaderMap) -> Option<String> {
    Some(SessionCookie::read(state, headers)?.account)
}

/// The token in a request's cookie, if its signature is valid.
pub fn token(state: &AppState, headers: &HeaderMap) -> Option<SessionToken> {
    Some(SessionCookie::read(state, headers)?.token)
}

/// The response header that sets the session's cookie.
pub fn remember(state: &AppState, token: &SessionToken, user: &UserId, account: &str) -> SignedCookieJar {
    let value = format!("{}.{}.{account}", token.reveal(), user.as_str());
    Purpose::Session.set(state, value, SESSION_TIME)
}

/// The response header that deletes the session's cookie.
pub fn forget(state: &AppState) -> SignedCookieJar {
    Purpose::Session.remove(state)
}

/// Records when the user of a new session gave their password.
pub fn remember_proof(state: &AppState, token: &SessionToken, at: Timestamp) -> SignedCookieJar {
    Purpose::Proof.set(state, format!("{}.{}", token.id().as_str(), at.as_millis()), SESSION_TIME)
}

/// The recorded time, if it belongs to this session.
fn proof(state: &AppState, headers: &HeaderMap, session: &SessionId) -> Option<Timestamp> {
    let note = Purpose::Proof.read(state, headers)?;
    let (of, at) = note.rsplit_once('.')?;
    (of == session.as_str()).then(|| at.parse().ok().map(Timestamp)).flatten()
}
