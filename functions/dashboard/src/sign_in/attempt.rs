//! One attempt to sign in, noted in a signed cookie between the way to the issuer and the way back.

use std::time::Duration;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::SignedCookieJar;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill::clock;
use docmill::domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cookies::Purpose;
use crate::issuer::Handshake;
use crate::return_to::ReturnTo;
use crate::state::AppState;

/// Time to find one's password, and to set up a second factor.
const TIME: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Serialize, Deserialize)]
pub struct Attempt {
    pub handshake: Handshake,
    pub place: ReturnTo,
    /// Whether the issuer had to ask for the password even if the user was signed in there.
    pub again: bool,
    /// The browser alone decides how long it keeps a cookie, so the time is in the value.
    pub began_at: Timestamp,
}

impl Attempt {
    pub fn new(place: ReturnTo, again: bool) -> Self {
        Self { handshake: Handshake::new(), place, again, began_at: clock::now() }
    }

    pub fn remember(&self, state: &AppState) -> SignedCookieJar {
        // A struct of strings and numbers always has a JSON form.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Purpose::SignIn.set(state, URL_SAFE_NO_PAD.encode(text), TIME)
    }

    pub fn recall(state: &AppState, headers: &HeaderMap) -> Option<Self> {
        let text = URL_SAFE_NO_PAD.decode(Purpose::SignIn.read(state, headers)?).ok()?;
        let attempt: Self = serde_json::from_slice(&text).ok()?;
        let age = clock::now().millis_since(attempt.began_at);
        (u128::from(age) < TIME.as_millis()).then_some(attempt)
    }
}
