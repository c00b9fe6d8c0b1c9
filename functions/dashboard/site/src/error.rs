//! Errors of pages. A handler returns a [`PageError`], and `error_page` renders it.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use docmill_app::fault::Fault;
use docmill_aws::queue::QueueError;
use docmill_http::error::ApiError;
use docmill_store::StoreError;

/// Why a handler returns no page. The cause is only logged.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// There is no such page, or nothing that it could show to this user.
    #[error("no such page")]
    NotFound,
    /// The page is for administrators.
    #[error("the role does not permit this")]
    Forbidden,
    /// The user's account is suspended.
    #[error("the account is suspended")]
    Suspended,
    /// The page exists, but not for this method.
    #[error("the method is not supported here")]
    MethodNotAllowed,
    /// The form's token is missing or belongs to another session.
    #[error("the form belongs to another session")]
    StaleForm,
    /// The request was not made by one of our pages.
    #[error("the request is malformed")]
    BadRequest,
    /// The issuer refused, or its response is invalid.
    #[error("sign-in failed: {0}")]
    SignIn(String),
    /// A service that we depend on did not respond.
    #[error("{0}")]
    Unavailable(String),
    /// A fault of ours.
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

impl From<Fault> for PageError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unavailable(cause) => Self::Unavailable(cause),
            Fault::Internal(cause) => Self::Internal(cause),
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

/// The text of the error page. The response carries it until `error_page` renders it.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The heading.
    pub title: &'static str,
    /// What to do.
    pub text: &'static str,
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

    /// Without the cause.
    pub const fn words(&self) -> Words {
        let (title, text) = match self {
            Self::NotFound => ("Page not found", "We couldn't find that page."),
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
