//! A request: all that is kept of it, and what its error means.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_app::requests;
use docmill_config::clock;
use docmill_domain::job::Job;
use docmill_domain::request_log::{LoggedRequest, RequestFilter};
use docmill_domain::time::Timestamp;
use docmill_http::error::ErrorCode;
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::parts::{millis, moment, prose, query_of, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::AccountKey;
use maud::{Markup, html};
use url::form_urlencoded;

use super::{PATH, kept, key_name, status_badge};

/// A request is answered this long after the job that it created, at most.
const ANSWERED: Duration = Duration::from_secs(60);

/// The page of a request. Its time is there so that it is found without a search through all days.
pub(super) fn path_of(request: &LoggedRequest) -> String {
    with_query(&path_to(&request.id), &[("at", Some(request.at.as_millis().to_string()))])
}

/// The page of the request that created this job, if it came from a client.
pub(in crate::pages) fn path_near(job: &Job) -> Option<String> {
    let id = job.request.request_id.as_ref()?;
    Some(with_query(&path_to(id), &[("at", Some(job.times.created_at.as_millis().to_string()))]))
}

/// Ids of requests may have characters that mean something in a path.
fn path_to(id: &str) -> String {
    format!("{PATH}/{}", form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>())
}

pub(super) async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let at = value_of(&query_of(&viewer.path), "at").and_then(|at| at.parse().ok()).map(Timestamp);
    let filter = RequestFilter {
        id: Some(id),
        from: at.map(|at| at.minus(ANSWERED)),
        until: at.map(|at| at.plus(ANSWERED)),
        ..RequestFilter::default()
    };
    let found = requests::list(&state.context, &user.account, &filter, None, 1, now);
    let (found, keys) = futures_util::join!(found, state.context.accounts.keys_of(&user.account, now));
    let (found, keys) = (found?, keys?);
    let content = match found.requests.first() {
        Some(request) => shown(&state, request, &keys),
        None if found.late => missing(&state, &user),
        None => return Err(PageError::NotFound),
    };
    Ok(page(&state, &viewer, "Request", content))
}

/// The newest requests can't be read at the moment, and it may be one of them.
fn missing(state: &AppState, user: &SignedIn) -> Markup {
    html! {
        (crumbs(state))
        header.page-head { h1 { "Request" } }
        p.empty { "The newest requests can't be shown at the moment. Reload the page in a minute. Requests are kept for " (kept(user)) "." }
    }
}

fn crumbs(state: &AppState) -> Markup {
    html! { nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(PATH)) { "Requests" } } } } }
}

fn shown(state: &AppState, request: &LoggedRequest, keys: &[AccountKey]) -> Markup {
    let name = key_name(request, keys);
    html! {
        (crumbs(state))
        header.page-head {
            h1 { code { (request.method) " " (request.path) } }
            p.lead { (moment(request.at)) ". Request " code { (request.id) } }
        }
        section.card aria-labelledby="outcome" {
            header.row { h2 #outcome { "Outcome" } p { (status_badge(request)) } }
            @match request.code.as_deref() {
                Some(code) => (error(state, code)),
                None => p { "The request succeeded." },
            }
            dl.details {
                div { dt { "Time" } dd { (moment(request.at)) } }
                div { dt { "Took" } dd { (millis(request.duration_ms())) } }
                div { dt { "Key" } dd {
                    a href=(state.link("/app/keys")) { (name) } @if name != request.key_id { " " code { (request.key_id) } }
                } }
                @if let Some(job) = request.about() {
                    div { dt { "Job" } dd { a href=(state.link(&format!("/app/jobs/{job}"))) { code { (job) } } } }
                }
                div { dt { "Request ID" } dd { code { (request.id) } } }
            }
            p.actions {
                a.button href=(state.link("/docs/api")) { "All endpoints" }
                a.button href=(state.link(&with_query(PATH, &[("path", Some(request.path.clone()))]))) { "Other requests to this path" }
            }
        }
        p.muted { "Bodies, query strings and keys are not recorded. " a href=(state.link("/docs/request-log")) { "What is recorded" } }
    }
}

/// What an error code means, and where to read more.
fn error(state: &AppState, code: &str) -> Markup {
    html! {
        div.note.danger {
            p { strong { a href=(state.link(&format!("/docs/errors/{code}"))) { code { (code) } } } }
            @if let Some(known) = ErrorCode::named(code) { p { (prose(known.text())) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_stays_one_part_of_the_path() {
        assert_eq!(path_to("JKJa/PLv+c=?"), "/app/requests/JKJa%2FPLv%2Bc%3D%3F");
    }
}
