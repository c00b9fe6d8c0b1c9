//! Errors of pages. A handler returns [`PageError`], and `visit` renders it as a page.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use docmill::http::error::ApiError;
use docmill::queue::QueueError;
use docmill::store::StoreError;
use maud::{Markup, html};

use crate::layout::{Page, sign_out};
use crate::state::AppState;
use crate::visit::Viewer;

/// Why a handler returns no page. The cause is logged, and never shown.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error("no such page")]
    NotFound,
    #[error("the role does not allow it")]
    Forbidden,
    #[error("the account is suspended")]
    Suspended,
    #[error("the method is not supported here")]
    MethodNotAllowed,
    /// The form's token is missing or of another session.
    #[error("the form is of another session")]
    StaleForm,
    #[error("the request is malformed")]
    BadRequest,
    /// The issuer refused, or its response is invalid.
    #[error("sign-in failed: {0}")]
    SignIn(String),
    /// A service that we depend on did not respond.
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    Internal(String),
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(_) => Self::Unavailable(error.to_string()),
            StoreError::Refused(_) | StoreError::Malformed(_) => Self::Internal(error.to_string()),
        }
    }
}

impl From<QueueError> for PageError {
    fn from(error: QueueError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        let text = format!("{}: {}", error.code.as_str(), error.cause.as_deref().unwrap_or(&error.message));
        if error.code.status() == StatusCode::SERVICE_UNAVAILABLE {
            Self::Unavailable(text)
        } else {
            Self::Internal(text)
        }
    }
}

/// What the error page says; carried by the response until `visit` renders it.
#[derive(Clone, Copy, Debug)]
struct Words {
    title: &'static str,
    text: &'static str,
}

impl PageError {
    const fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::Suspended | Self::StaleForm => StatusCode::FORBIDDEN,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::BadRequest | Self::SignIn(_) => StatusCode::BAD_REQUEST,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn words(&self) -> Words {
        let (title, text) = match self {
            Self::NotFound => ("Page not found", "This address does not exist. Check it for typing errors."),
            Self::Forbidden => ("Administrators only", "Only administrators of the service can open this page."),
            Self::Suspended => (
                "Account suspended",
                "Your account is suspended. Its keys do not work and its pages are closed. Contact the operator of this \
                 service.",
            ),
            Self::MethodNotAllowed => {
                ("Method not supported", "This address does not support this kind of request. Go back and try again.")
            }
            Self::StaleForm => (
                "The form is out of date",
                "It belongs to another session, perhaps because you signed in again in another tab. Nothing was changed. \
                 Go back, reload the page and send the form again.",
            ),
            Self::BadRequest => ("Invalid request", "A part of this request is missing or malformed."),
            Self::SignIn(_) => (
                "Sign-in failed",
                "This sign-in did not begin in this browser within the last ten minutes. Sign in again.",
            ),
            Self::Unavailable(_) => ("Try again", "The service did not respond in time. Nothing was lost."),
            Self::Internal(_) => {
                ("Something went wrong", "This was an error on our side, and it was logged. Try again.")
            }
        };
        Words { title, text }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match &self {
            Self::Unavailable(cause) | Self::Internal(cause) => tracing::error!(cause, "page failed"),
            Self::SignIn(cause) => tracing::warn!(cause, "sign-in failed"),
            Self::NotFound
            | Self::Forbidden
            | Self::Suspended
            | Self::MethodNotAllowed
            | Self::StaleForm
            | Self::BadRequest => {}
        }
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self.words());
        response
    }
}

/// Renders what a response carries of an error; any other response is passed on.
pub fn dress(state: &AppState, viewer: &Viewer, response: Response) -> Response {
    let Some(words) = response.extensions().get::<Words>().copied().or_else(|| bare(&response)) else {
        return response;
    };
    let status = response.status();
    let mut page = Page::new(words.title, content(state, viewer, status, words)).status(status).respond(state, viewer);
    carry(response.headers(), page.headers_mut());
    page
}

/// Framework errors are plain text: a path or a body that could not be read.
fn bare(response: &Response) -> Option<Words> {
    let has_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| !kind.as_bytes().starts_with(b"text/plain"));
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    // Responses to scripts stay as they are.
    let redirects = response.headers().contains_key("hx-redirect");
    (is_error && !has_page && !redirects).then(|| match response.status() {
        StatusCode::NOT_FOUND => PageError::NotFound.words(),
        status if status.is_server_error() => PageError::Internal(String::new()).words(),
        _ => PageError::BadRequest.words(),
    })
}

fn carry(from: &HeaderMap<HeaderValue>, to: &mut HeaderMap<HeaderValue>) {
    for (name, value) in from {
        if matches!(*name, header::ALLOW | header::SET_COOKIE) {
            to.append(name, value.clone());
        }
    }
}

fn content(state: &AppState, viewer: &Viewer, status: StatusCode, words: Words) -> Markup {
    html! {
        section.notice-page {
            p.eyebrow { (status.as_u16()) }
            h1 { (words.title) }
            p.lead { (words.text) }
            p.actions {
                @if viewer.suspended {
                    (sign_out(state, viewer))
                } @else if viewer.user.is_some() {
                    a.button.primary href=(state.link("/app")) { "Go to the dashboard" }
                } @else {
                    a.button.primary href=(state.link("/")) { "Go to the homepage" }
                    a.button href=(state.link("/app")) { "Sign in" }
                }
            }
        }
    }
}
