//! A message that the next page shows once. A cookie keeps it until then.

use std::time::Duration;

use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::cookie::SignedCookieJar;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docmill_http::error::ApiError;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use crate::cookies::Purpose;
use crate::state::AppState;

const TIME: Duration = Duration::from_secs(60);

/// A message, plain text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    kind: Kind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Success,
    Error,
    Info,
}

impl Flash {
    /// Something was done.
    pub fn success(text: impl Into<String>) -> Self {
        Self { kind: Kind::Success, text: text.into() }
    }

    /// Something was not done.
    pub fn error(text: impl Into<String>) -> Self {
        Self { kind: Kind::Error, text: text.into() }
    }

    /// Something to know.
    pub fn info(text: impl Into<String>) -> Self {
        Self { kind: Kind::Info, text: text.into() }
    }

    /// What became of a change: `done`, or the error.
    pub fn of<T>(outcome: Result<T, ApiError>, done: impl Into<String>) -> Self {
        match outcome {
            Ok(_) => Self::success(done),
            Err(error) => Self::error(error.message),
        }
    }

    /// Redirects to a page that shows the message.
    pub fn on(self, state: &AppState, path: &str) -> Response {
        (self.remember(state), state.redirect(path)).into_response()
    }

    /// The response header that keeps it for the next page.
    pub fn remember(&self, state: &AppState) -> SignedCookieJar {
        // Two strings can always be serialised.
        let text = serde_json::to_vec(self).unwrap_or_default();
        Purpose::Flash.set(state, URL_SAFE_NO_PAD.encode(text), TIME)
    }

    /// The message of an earlier request, if its cookie's signature is valid.
    pub fn read(state: &AppState, headers: &HeaderMap) -> Option<Self> {
        let text = URL_SAFE_NO_PAD.decode(Purpose::Flash.read(state, headers)?).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// At the top of a page.
    pub fn show(&self) -> Markup {
        let (class, role) = match self.kind {
            Kind::Success => ("flash success", "status"),
            Kind::Info => ("flash", "status"),
            Kind::Error => ("flash danger", "alert"),
        };
        html! { p class=(class) role=(role) { (self.text) } }
    }
}
