//! The receipt of an ended job as a file: a signed statement of what it took and made.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_app::jobs::receipts::{ReceiptError, signed};
use docmill_config::clock;
use docmill_signing::receipt::ReceiptKeys;
use docmill_site::delivery::attachment;
use docmill_site::error::PageError;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;

use super::own_job;

pub(super) async fn download(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let job = own_job(&state, &user, &id, now).await?;
    let keys = ReceiptKeys::of_function().map_err(|error| PageError::Internal(error.to_string()))?;
    let receipt = signed(&keys, &job, now).map_err(|error| match error {
        ReceiptError::NotFound | ReceiptError::NotEnded(_) => PageError::NotFound,
        ReceiptError::Fault(fault) => fault.into(),
    })?;
    Ok(attachment(&format!("receipt-{}.json", job.id), "application/json", format!("{receipt:#}")))
}
