//! The results of a batch: a table, JSON, or the archive.

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use docmill_app::batches::results;
use docmill_app::fault::Fault;
use docmill_config::clock;
use docmill_domain::batch::Archive;
use docmill_site::delivery::attachment;
use docmill_site::error::PageError;
use docmill_site::parts::{bytes, moment_or};
use docmill_site::session::SignedIn;
use docmill_site::state::{AppState, redirect_to};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::{PATH, Shown, own};

/// Items of a file: links are long, and Lambda's limit is 6 MB.
const PAGE: u32 = 2500;

#[derive(Debug, Deserialize)]
pub(super) struct Wanted {
    /// The first item.
    #[serde(default)]
    first: u32,
    #[serde(default)]
    json: bool,
}

/// The items from `first` on, with links to their results.
pub(super) async fn results(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, PageError> {
    let batch = own(&state, &user, &id).await?;
    let range = (wanted.first, batch.next.min(wanted.first.saturating_add(PAGE)));
    let unavailable = |fault: Fault| PageError::Unavailable(fault.to_string());
    let rows = results::rows(&state.context, &batch, range, clock::now()).await.map_err(unavailable)?;
    let (kind, text, suffix) = if wanted.json {
        ("application/json", format!("{:#}", json!({"results": rows})), "json")
    } else {
        ("text/csv; charset=utf-8", results::csv(&rows).map_err(PageError::Internal)?, "csv")
    };
    Ok(attachment(&format!("{}.{suffix}", batch.id), kind, text))
}

#[derive(Debug, Deserialize)]
pub(super) struct WantedFile {
    #[serde(default)]
    file: usize,
}

/// Redirects to a newly signed link.
pub(super) async fn archive(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    Query(wanted): Query<WantedFile>,
) -> Result<Response, PageError> {
    let batch = own(&state, &user, &id).await?;
    if !batch.has_archive(clock::now()) {
        return Err(PageError::NotFound);
    }
    let link = results::archive_link(&state.context.files, &batch, wanted.file).await;
    let link = link.map_err(|error| PageError::Unavailable(error.to_string()))?.ok_or(PageError::NotFound)?;
    Ok(redirect_to(link.reveal()).into_response())
}

pub(super) fn section(shown: &Shown<'_>) -> Markup {
    let Shown { state, batch, now, .. } = *shown;
    let path = format!("{PATH}/{}/results", batch.id);
    let pages: Vec<_> = (0..batch.next).step_by(PAGE as usize).collect();
    html! {
        section.card aria-labelledby="results" {
            h2 #results { "Results" }
            @if let Some(archive) = batch.archive.as_ref().filter(|_| batch.has_archive(now)) { (archive_links(shown, archive)) }
            @if pages.is_empty() { p.muted { "No item has a job yet." } }
            @else {
                p { "The status of each item, with a link to its result that works for ten minutes:" }
                ul.plain { @for first in &pages {
                    @let last = batch.next.min(first.saturating_add(PAGE));
                    li.actions {
                        span { "Items " (first) "–" (last - 1) }
                        a.button href=(state.link(&format!("{path}?first={first}")))
                            aria-label=(format!("Items {first} to {} as CSV", last - 1)) { "CSV" }
                        a.button href=(state.link(&format!("{path}?first={first}&json=true")))
                            aria-label=(format!("Items {first} to {} as JSON", last - 1)) { "JSON" }
                    }
                } }
            }
        }
    }
}

fn archive_links(shown: &Shown<'_>, archive: &Archive) -> Markup {
    let Shown { state, batch, .. } = *shown;
    html! {
        p { "All results as ZIP, until " (moment_or(batch.kept_until, "")) ":" }
        ul.plain { @for (index, file) in archive.files.iter().enumerate() {
            li.actions {
                a.button.primary href=(state.link(&format!("{PATH}/{}/archive?file={index}", batch.id))) {
                    "Download ZIP" @if archive.files.len() > 1 { " " (index + 1) }
                }
                span.muted { (file.results) @if file.results == 1 { " result, " } @else { " results, " } (bytes(file.bytes)) }
            }
        } }
        @if archive.left_out > 0 {
            p.muted { (archive.left_out) " results had expired or were deleted before the ZIP was made." }
        }
    }
}
