//! Cancel, resume, retry or delete a batch.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_app::batches::BatchError;
use docmill_app::caller::{Caller, as_account};
use docmill_domain::batch::{Batch, State as BatchState};
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::Timestamp;
use docmill_http::error::ApiError;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, button_form, confirm};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

use super::{PATH, own};

pub(super) async fn cancel(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let canceled =
        changed(&state, &user, &id, RatePolicy::Read, async |caller| state.batches.cancel(&caller, &id).await);
    Ok(Flash::of(canceled.await?, "The batch is being canceled.").on(&state, &format!("{PATH}/{id}")))
}

pub(super) async fn resume(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let resumed =
        changed(&state, &user, &id, RatePolicy::Create, async |caller| state.batches.resume(&caller, &id).await);
    Ok(Flash::of(resumed.await?, "The batch goes on.").on(&state, &format!("{PATH}/{id}")))
}

/// Creates a batch of the items that failed, and shows it.
pub(super) async fn retry(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let mut created = None;
    let retried = changed(&state, &user, &id, RatePolicy::Create, async |caller| {
        let batch = state.new_batches.retry_failed(&caller, &id).await?;
        created = Some(batch.id);
        Ok(batch)
    });
    let flash = Flash::of(retried.await?, "The failed items are a new batch. An upload that has expired fails again.");
    let path = created.map_or_else(|| format!("{PATH}/{id}"), |id| format!("{PATH}/{id}"));
    Ok(flash.on(&state, &path))
}

/// Asks for confirmation on its own page.
pub(super) async fn ask_to_delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let batch = own(&state, &user, &id).await?;
    let path = format!("{PATH}/{}", batch.id);
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(&path)) { "Batch" } } } }
        header.page-head { h1 { "Delete this batch?" } }
        p { "Jobs that have not ended are canceled. All results, requests and what describes the documents are deleted, for good. "
            "The jobs' ids, tools, times and credits remain in your list of jobs." }
        (confirm(&state, &viewer, (&format!("{path}/delete"), "Delete the batch"), (&path, "Keep it")))
    };
    Ok(Page::new("Delete a batch", content).respond(&state, &viewer))
}

pub(super) async fn delete(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let deleted =
        changed(&state, &user, &id, RatePolicy::Read, async |caller| state.batches.delete(&caller, &id).await);
    Ok(Flash::of(deleted.await?, "The batch is being deleted.").on(&state, PATH))
}

/// Changes the user's own batch in the mode that it was created in.
async fn changed(
    state: &AppState,
    user: &SignedIn,
    id: &str,
    policy: RatePolicy,
    change: impl AsyncFnOnce(Caller) -> Result<Batch, BatchError>,
) -> Result<Result<Batch, ApiError>, PageError> {
    let mode = own(state, user, id).await?.mode;
    let work = async |caller| Ok(change(caller).await?);
    Ok(as_account(&state.context, &user.account, mode, policy, work).await)
}

/// The owner's actions on the batch.
pub(super) fn actions(state: &AppState, viewer: &Viewer, batch: &Batch, now: Timestamp) -> Markup {
    let path = format!("{PATH}/{}", batch.id);
    let button =
        |verb: &str, label: &str, class: &str| button_form(state, viewer, &format!("{path}/{verb}"), label, class, &[]);
    html! {
        @if batch.state == BatchState::Paused { (button("resume", "Resume", "primary")) }
        @if matches!(batch.state, BatchState::Processing | BatchState::Paused) { (button("cancel", "Cancel the batch", "")) }
        @if batch.can_be_retried(now) { (button("retry", "Retry failed", "primary")) }
        @if batch.state != BatchState::Deleting { a.button href=(state.link(&format!("{path}/delete"))) { "Delete" } }
    }
}
