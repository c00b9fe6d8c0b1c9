//! The account's batches, newest first.

use axum::extract::State;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::batch::{BatchId, State as BatchState};
use docmill_site::error::PageError;
use docmill_site::form::select;
use docmill_site::layout;
use docmill_site::parts::{moment, pager, query_of, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::batches::BatchesPage;
use maud::{Markup, html};

use super::{PATH, badge, tool};

const PAGE: usize = 20;

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let query = query_of(&viewer.path);
    let before = value_of(&query, "before").and_then(BatchId::parse);
    let wanted = value_of(&query, "status");
    let status = BatchState::ALL.into_iter().find(|known| Some(known.as_str()) == wanted);
    let page = state.context.batches.of_account(&user.account, status, before, PAGE, clock::now()).await?;
    let path = |before: Option<BatchId>| {
        let status = status.map(|status| status.as_str().to_owned());
        with_query(PATH, &[("status", status), ("before", before.map(|id| id.to_string()))])
    };
    let content = html! {
        header.page-head {
            h1 { "Batches" }
            p.lead { "A batch creates many jobs of one tool with one request. "
                a href=(state.link("/docs/batches")) { "How to create one" } "." }
        }
        form.filters method="get" action=(state.link(PATH)) role="search" aria-label="Filter batches" {
            (select("status", "Status", choices()).value(status.map(BatchState::as_str).unwrap_or_default()).unmarked())
            button.button type="submit" { "Filter" }
        }
        @if !page.batches.is_empty() { (table(&state, &page)) }
        @else if page.next.is_some() { p.empty { "No matches yet. Search older batches." } }
        @else if status.is_some() || before.is_some() { p.empty { "No such batches." } }
        @else { p.empty { "No batches yet." } }
        (pager(&state, "Pages of batches", before.map(|_| path(None)), page.next.map(|id| path(Some(id)))))
    };
    Ok(layout::page(&state, &viewer, "Batches", content))
}

fn choices() -> Vec<(&'static str, &'static str)> {
    [("", "All")].into_iter().chain(BatchState::ALL.map(|state| (state.as_str(), state.as_str()))).collect()
}

fn table(state: &AppState, page: &BatchesPage) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Batches" {
            table {
                thead { tr {
                    th scope="col" { "Batch" } th scope="col" { "Status" } th.number scope="col" { "Items" }
                    th.number scope="col" { "Completed" } th.number scope="col" { "Failed" } th.number scope="col" { "Credits" }
                    th scope="col" { "Created" }
                } }
                tbody { @for batch in &page.batches {
                    tr {
                        th scope="row" { a href=(state.link(&format!("{PATH}/{}", batch.id))) { (tool(state, batch)) } }
                        td { (badge(batch)) }
                        td.number { (batch.total) }
                        td.number { (batch.tally.completed) }
                        td.number { @if batch.tally.failed > 0 { span.badge.danger { (batch.tally.failed) } } @else { "0" } }
                        td.number { (batch.charged.saturating_sub(batch.refunded)) }
                        td { (moment(batch.created_at)) }
                    }
                } }
            }
        }
    }
}
