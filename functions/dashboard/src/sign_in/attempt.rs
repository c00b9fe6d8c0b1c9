//! One attempt to sign in, noted in a signed cookie between the way to the issuer and the way back.

use std::time::Duration;

use axum_extra::extract::cookie::SignedCookieJar;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openidconnect::{CsrfToken, Nonce, PkceCodeVerifier};
use serde::{Deserialize, Serialize};

use super::return_to::ReturnTo;
use crate::session::{cookie_name, own_cookie};
use crate::state::AppState;

const COOKIE: &str = "sign-in";
/// Time to find one's password, and to set up a second factor.
const TIME: Duration = Duration::from_secs(10 * 60);

/// What binds the issuer's answer to this browser (`state`), its token to this attempt (`nonce`), and the code to us
/// (`verifier`, of which the issuer has seen a digest).
#[derive(Debug, Serialize, Deserialize)]
pub struct Attempt {
    state: CsrfToken,
    nonce: Nonce,
    verifier: PkceCodeVerifier,
    place: ReturnTo,
    /// Milliseconds of the epoch: a cookie's own age is only the browser's word.
    began_at: i64,
}

impl Attempt {
    pub fn new(place: ReturnTo) -> Self {
        let (_challenge, verifier) = openidconnect::PkceCodeChallenge::new_random_sha256();
        let began_at = docmill::clock::now().as_millis();
        Self { state: CsrfToken::new_random(), nonce: Nonce::new_random(), verifier, place, began_at }
    }

    pub fn state(&self) -> &str {
        self.state.secret()
    }

    pub fn nonce(&self) -> &Nonce {
        &self.nonce
    }

    pub fn verifier(&self) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.verifier.secret().clone())
    }

    pub fn into_place(self) -> ReturnTo {
        self.place
    }

    pub fn remember(&self, state: &AppState, jar: SignedCookieJar) -> SignedCookieJar {
        // A struct of strings and a number always has a JSON form.
        let text = serde_json::to_vec(self).unwrap_or_default();
        jar.add(own_cookie(state, COOKIE, URL_SAFE_NO_PAD.encode(text), TIME))
    }

    pub fn recall(state: &AppState, jar: &SignedCookieJar) -> Option<Self> {
        let cookie = jar.get(&cookie_name(state, COOKIE))?;
        let attempt: Self = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cookie.value()).ok()?).ok()?;
        let age = docmill::clock::now().millis_since(docmill::domain::time::Timestamp(attempt.began_at));
        (u128::from(age) < TIME.as_millis()).then_some(attempt)
    }

    pub fn forget(state: &AppState, jar: SignedCookieJar) -> SignedCookieJar {
        jar.add(own_cookie(state, COOKIE, String::new(), Duration::ZERO))
    }
}
