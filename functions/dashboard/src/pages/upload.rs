//! Uploads from pages that add files to the account. `requests.js` sends the files.

use axum::Json;
use axum::response::{IntoResponse, Response};
use docmill_domain::api_key::Mode;
use docmill_http::error::{ApiError, ErrorCode};
use docmill_site::parts::bytes;
use docmill_site::state::AppState;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

/// What a page takes.
#[derive(Debug)]
pub struct Accepted {
    /// As in "A font may have up to 10 MiB".
    pub what: &'static str,
    pub most_bytes: usize,
    /// The code for files of other sizes.
    pub refused: ErrorCode,
}

/// A signed link for a file that a script announces.
pub async fn announce(state: &AppState, account: &str, body: &Map<String, Value>, accepted: &Accepted) -> Response {
    let most = accepted.most_bytes as u64;
    let size = body.get("bytes").and_then(Value::as_u64).unwrap_or_default();
    if size == 0 || size > most {
        let problem = if size == 0 { "This file is empty." } else { "This file is too large." };
        let message = format!("{problem} A {} may have up to {}.", accepted.what, bytes(most));
        return refusal(&ApiError::from(accepted.refused).with_message(message));
    }
    match state.issue_upload(account, Mode::Live, body).await {
        Ok(upload) => Json(json!({"upload": upload})).into_response(),
        Err(error) if error.details.is_empty() => refusal(&error),
        Err(error) => refusal(&error.with_message("This file cannot be uploaded. Rename it and try again.")),
    }
}

/// Why a file is not accepted, for the script.
pub fn refusal(error: &ApiError) -> Response {
    (error.code.status(), Json(json!({"message": error.message}))).into_response()
}

/// The bar that `requests.js` moves.
pub fn progress() -> Markup {
    html! {
        div #upload-progress hidden {
            label for="upload-bar" { "Uploading" }
            progress #upload-bar max="100" value="0" {}
        }
    }
}
