//! Cookies: hidden from scripts, not sent by other sites' forms, and each signed for its own purpose.

use std::time::Duration;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::{Cookie, SameSite, SignedCookieJar};

use crate::state::AppState;

/// What a cookie is for. None can stand in for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Who is signed in.
    Session,
    /// An attempt to sign in, while the user is at the issuer.
    SignIn,
    /// A message for the next page.
    Flash,
    /// When the session's user last gave their password.
    Proof,
}

impl Purpose {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::SignIn => "sign-in",
            Self::Flash => "flash",
            Self::Proof => "proof",
        }
    }

    /// The value of the request's cookie of this purpose, if its signature is valid.
    pub fn read(self, state: &AppState, headers: &HeaderMap) -> Option<String> {
        let jar = SignedCookieJar::from_headers(headers, state.config.cookie_key.of(self.as_str()));
        Some(jar.get(&full_name(state.config.is_secure(), self.as_str()))?.value().to_owned())
    }

    /// The response header that sets the cookie. `Lax`, so that the redirect from the issuer carries it.
    pub fn set(self, state: &AppState, value: String, time: Duration) -> SignedCookieJar {
        let cookie = make_cookie(state.config.is_secure(), state.base_path(), self.as_str(), value, time);
        SignedCookieJar::new(state.config.cookie_key.of(self.as_str())).add(cookie)
    }

    /// The response header that deletes the cookie.
    pub fn remove(self, state: &AppState) -> SignedCookieJar {
        self.set(state, String::new(), Duration::ZERO)
    }
}

/// A lifetime of zero removes the cookie.
fn make_cookie(secure: bool, base_path: &str, name: &str, value: String, time: Duration) -> Cookie<'static> {
    let path = if secure { "/".to_owned() } else { format!("{base_path}/") };
    let cookie = Cookie::build((full_name(secure, name), value));
    let cookie = cookie.path(path).http_only(true).secure(secure).same_site(SameSite::Lax);
    match time.try_into() {
        Ok(time) => cookie.max_age(time).build(),
        // Out of range: the cookie lasts until the browser is closed.
        Err(_) => cookie.build(),
    }
}

/// `__Host-` binds a cookie to this host, HTTPS and the root, so that other subdomains can't set it.
fn full_name(secure: bool, name: &str) -> String {
    if secure { format!("__Host-docmill-{name}") } else { format!("docmill-{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_bound_to_this_host_and_hidden_from_scripts() {
        let cookie = make_cookie(true, "", "session", "value".into(), Duration::from_secs(60)).to_string();
        assert_eq!(cookie, "__Host-docmill-session=value; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60");
        let local = make_cookie(false, "/_aws/execute-api/abc", "session", String::new(), Duration::ZERO).to_string();
        assert_eq!(local, "docmill-session=; HttpOnly; SameSite=Lax; Path=/_aws/execute-api/abc/; Max-Age=0");
    }
}
