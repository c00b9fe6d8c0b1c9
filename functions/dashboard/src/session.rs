//! Sessions as pages see them: the cookie, who is signed in, and the extractors that demand it.

use std::time::Duration;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::{Cookie, SameSite, SignedCookieJar};
use docmill::clock;
use docmill::domain::account::{Profile, StoredKey};
use docmill::domain::api_key::Mode;
use docmill::domain::user::{Email, Role, SESSION_TIME, SessionId, SessionToken, UserId};

use crate::error::PageError;
use crate::state::AppState;
use crate::visit::{Viewer, send_to_sign_in};

const SESSION: &str = "session";

/// A person who is signed in. As an extractor it leads everybody else to the sign-in, and back afterwards.
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
}

impl SignedIn {
    /// The key with which the dashboard acts for the account: what it may use is what the account may use.
    pub fn own_key(&self) -> StoredKey {
        StoredKey::of_dashboard(&self.account, Mode::Live, clock::now()).in_standing(self.profile.standing())
    }

    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

/// An administrator. Everybody else who is signed in gets a 403 page.
#[derive(Clone, Debug)]
pub struct AdminUser(pub SignedIn);

/// What a request's cookie comes to.
#[derive(Debug)]
pub enum Seat {
    Empty,
    /// A session that is over.
    Stale,
    Suspended,
    Taken(Box<SignedIn>),
}

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

/// Who holds the session of a request's cookie: compared on each request with its end, with the user's own sign-outs
/// elsewhere, and with their account's standing.
pub async fn find(state: &AppState, jar: &SignedCookieJar) -> Result<Seat, PageError> {
    let Some(token) = token(state, jar) else { return Ok(Seat::Empty) };
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
pub fn token(state: &AppState, jar: &SignedCookieJar) -> Option<SessionToken> {
    SessionToken::parse(jar.get(&cookie_name(state, SESSION))?.value())
}

pub fn remember(state: &AppState, jar: SignedCookieJar, token: &SessionToken) -> SignedCookieJar {
    jar.add(own_cookie(state, SESSION, token.reveal().to_owned(), SESSION_TIME))
}

pub fn forget(state: &AppState, jar: SignedCookieJar) -> SignedCookieJar {
    jar.add(own_cookie(state, SESSION, String::new(), Duration::ZERO))
}

/// A cookie that scripts don't see and other sites' forms don't carry. `Lax`, so that the way back from the issuer
/// does. No time at all removes it.
pub fn own_cookie(state: &AppState, name: &str, value: String, time: Duration) -> Cookie<'static> {
    make_cookie(state.config.is_secure(), state.base_path(), name, value, time)
}

fn make_cookie(secure: bool, base_path: &str, name: &str, value: String, time: Duration) -> Cookie<'static> {
    let path = if secure { "/".to_owned() } else { format!("{base_path}/") };
    let cookie = Cookie::build((full_name(secure, name), value));
    let cookie = cookie.path(path).http_only(true).secure(secure).same_site(SameSite::Lax);
    match time.try_into() {
        Ok(time) => cookie.max_age(time).build(),
        // Out of range: until the browser is closed.
        Err(_) => cookie.build(),
    }
}

pub fn cookie_name(state: &AppState, name: &str) -> String {
    full_name(state.config.is_secure(), name)
}

/// `__Host-` binds a cookie to this host, HTTPS and the root, so that no neighbour can set it.
fn full_name(secure: bool, name: &str) -> String {
    if secure { format!("__Host-docmill-{name}") } else { format!("docmill-{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_for_this_host_alone_and_for_no_script() {
        let cookie = make_cookie(true, "", SESSION, "value".into(), Duration::from_secs(60)).to_string();
        assert_eq!(cookie, "__Host-docmill-session=value; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60");
        let local = make_cookie(false, "/_aws/execute-api/abc", SESSION, String::new(), Duration::ZERO).to_string();
        assert_eq!(local, "docmill-session=; HttpOnly; SameSite=Lax; Path=/_aws/execute-api/abc/; Max-Age=0");
    }
}
