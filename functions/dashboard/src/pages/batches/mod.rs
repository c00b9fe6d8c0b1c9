//! Batches: a list, and a page for each.

mod control;
mod detail;
mod download;
mod failures;
mod items;
mod list;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use axum::routing::{get, post};
use docmill_config::clock;
use docmill_domain::batch::{Batch, BatchId, State as BatchState};
use docmill_domain::time::Timestamp;
use docmill_site::error::PageError;
use docmill_site::layout::{Page, fragment};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

use self::failures::Failures;
use self::items::Items;

const PATH: &str = "/app/batches";

pub fn routes() -> Router<AppState> {
    Router::new()
        .route(PATH, get(list::show))
        .route("/app/batches/{id}", get(show))
        .route("/app/batches/{id}/progress", get(progress))
        .route("/app/batches/{id}/results", get(download::results))
        .route("/app/batches/{id}/archive", get(download::archive))
        .route("/app/batches/{id}/cancel", post(control::cancel))
        .route("/app/batches/{id}/resume", post(control::resume))
        .route("/app/batches/{id}/retry", post(control::retry))
        .route("/app/batches/{id}/delete", get(control::ask_to_delete).post(control::delete))
}

/// A batch as its page shows it.
#[derive(Clone, Copy, Debug)]
struct Shown<'a> {
    state: &'a AppState,
    viewer: &'a Viewer,
    batch: &'a Batch,
    now: Timestamp,
}

/// The user's own batch. Those of others, unknown ones and invalid ids get the same page after the same read.
async fn own(state: &AppState, user: &SignedIn, id: &str) -> Result<Batch, PageError> {
    let id = BatchId::parse(id).unwrap_or(BatchId::NONE);
    let batch = state.context.batches.get(&user.account, id).await?;
    batch.filter(|batch| batch.is_current(clock::now())).ok_or(PageError::NotFound)
}

async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
    Query(wanted): Query<items::Wanted>,
) -> Result<Response, PageError> {
    let batch = own(&state, &user, &id).await?;
    let failures = Failures::of(&state.context, &batch).await?;
    let items = Items::of(&state.context, &batch, &wanted).await?;
    let shown = Shown { state: &state, viewer: &viewer, batch: &batch, now: clock::now() };
    Ok(Page::new("Batch", detail::page(&shown, &failures, &items)).live().respond(&state, &viewer))
}

/// The part of the page that changes until the batch has ended. Then the page is loaded again, with its failures.
async fn progress(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let batch = own(&state, &user, &id).await?;
    let shown = Shown { state: &state, viewer: &viewer, batch: &batch, now: clock::now() };
    let mut response = fragment(detail::live(&shown));
    if !is_moving(&batch) {
        response.headers_mut().insert(HeaderName::from_static("hx-refresh"), HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Whether something changes by itself.
fn is_moving(batch: &Batch) -> bool {
    batch.is_active()
}

fn badge(batch: &Batch) -> Markup {
    let failed = batch.tally.failed;
    let class = match batch.state {
        BatchState::Processing | BatchState::Archiving => "badge info",
        BatchState::Completed if failed > 0 => "badge warn",
        BatchState::Completed => "badge success",
        BatchState::Paused => "badge warn",
        BatchState::Canceling | BatchState::Canceled | BatchState::Deleting => "badge",
    };
    html! { span class=(class) { (batch.state.as_str()) @if failed > 0 { ", " (failed) " failed" } } }
}

/// The name of the batch's tool.
fn tool<'a>(state: &'a AppState, batch: &'a Batch) -> &'a str {
    state.context.catalogue.find(&batch.tool).map_or(&batch.tool, |tool| &tool.definition.name)
}
