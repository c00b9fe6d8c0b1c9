//! An attempt to sign in, stored in a signed cookie while the user is at the issuer.

use std::time::Duration;

use axum::http::HeaderMap;
use axum_extra::extract::cookie::SignedCookieJar;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill_config::clock;
use docmill_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::cookies::Purpose;
use crate::issuer::Handshake;
use crate::return_to::ReturnTo;
use crate::state::AppState;

/// Time to find a password and set up a second factor.
const TIME: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Attempt {
    pub(super) handshake: Handshake,
    pub(super) place: ReturnTo,
    /// Whether the issuer had to ask for the password again.
    pub(super) again: bool,
    /// Browsers decide how long they keep a cookie, so its value contains the time.
    pub(super) began_at: Timestamp,
}

impl Attempt {
    pub(super) fn new(place: ReturnTo, again: bool) -> Self {
        Self { handshake: Handshake::new(), place, again, began_at: clock::now() }
    }

    pub(super) fn remember(&self, state: &AppState) -> SignedCookieJar {
        // Strings and numbers can always be serialised.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Purpose::SignIn.set(state, URL_SAFE_NO_PAD.encode(text), TIME)
    }

    pub(super) fn recall(state: &AppState, headers: &HeaderMap) -> Option<Self> {
        let text = URL_SAFE_NO_PAD.decode(Purpose::SignIn.read(state, headers)?).ok()?;
        let attempt: Self = serde_json::from_slice(&text).ok()?;
        let age = clock::now().millis_since(attempt.began_at);
        (u128::from(age) < TIME.as_millis()).then_some(attempt)
    }
}
