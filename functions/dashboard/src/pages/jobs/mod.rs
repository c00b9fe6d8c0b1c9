//! Jobs: a list, and a page for each.

mod control;
mod detail;
pub mod support;
pub mod table;

use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use docmill::clock;
use docmill::domain::job::{Job, JobStatus};
use docmill::domain::time::Timestamp;
use docmill::store::accounts::keys::AccountKey;
use docmill::store::jobs::{JobFilter, JobMark, JobsPage};
use maud::{Markup, html};

use self::table::jobs_table;
use super::parts::{pager, query_of, value_of, with_query};
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{input, select};
use crate::layout::{Page, fragment};
use crate::session::SignedIn;
use crate::state::{AppState, redirect_to};
use crate::viewer::Viewer;

const PAGE: usize = 25;
/// Longest search text in characters.
const MAX_SEARCH: usize = 255;
/// The states in the filter.
const STATES: [JobStatus; 7] = JobStatus::ALL;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/jobs", get(list))
        .route("/app/jobs/rows", get(rows))
        .route("/app/jobs/{id}", get(show))
        .route("/app/jobs/{id}/progress", get(progress))
        .route("/app/jobs/{id}/download", get(download))
        .route("/app/jobs/{id}/cancel", post(control::cancel))
        .route("/app/jobs/{id}/delete", get(control::ask_to_delete).post(control::delete))
}

/// The filter and page of a list, from its address.
struct ListRequest {
    filter: JobFilter,
    after: Option<JobMark>,
}

impl ListRequest {
    /// Invalid values are ignored.
    fn of(path: &str) -> Self {
        let query = query_of(path);
        let status =
            value_of(&query, "status").and_then(|wanted| STATES.into_iter().find(|status| status.as_str() == wanted));
        let tool = value_of(&query, "tool").map(str::to_owned);
        let text = value_of(&query, "search").map(|text| text.trim().chars().take(MAX_SEARCH).collect::<String>());
        let text = text.filter(|text| !text.is_empty());
        Self {
            filter: JobFilter { status, tool, text, ..JobFilter::default() },
            after: value_of(&query, "after").and_then(JobMark::parse),
        }
    }

    fn path(&self, base: &str, after: Option<JobMark>) -> String {
        let status = self.filter.status.map(|status| status.as_str().to_owned());
        let after = after.map(|mark| mark.to_string());
        let Self { filter: JobFilter { tool, text, .. }, .. } = self;
        with_query(base, &[("search", text.clone()), ("status", status), ("tool", tool.clone()), ("after", after)])
    }
}

/// The jobs in the list at this path.
pub(super) async fn read(state: &AppState, account: &str, path: &str, now: Timestamp) -> Result<JobsPage, PageError> {
    let request = ListRequest::of(path);
    Ok(state.context.jobs.of_account(account, &request.filter, request.after, PAGE, now).await?)
}

/// The content of a job's page.
#[derive(Debug)]
pub(super) struct One {
    job: Option<Job>,
    /// Includes the name of the key that created the job.
    keys: Vec<AccountKey>,
}

/// The job in this path, if it belongs to the account. Other accounts' jobs, unknown jobs and invalid ids get the same page after
/// the same read.
pub(super) async fn read_one(state: &AppState, account: &str, id: &str, now: Timestamp) -> Result<One, PageError> {
    let keys = state.context.accounts.keys_of(account, now);
    let (job, keys) = futures_util::try_join!(state.context.jobs.get_own(account, id, now), keys)?;
    Ok(One { job, keys })
}

async fn list(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, request) = (clock::now(), ListRequest::of(&viewer.path));
    let page = viewer.read_or(&user, read(&state, &user.account, &viewer.path, now)).await?;
    let content = html! {
        header.page-head {
            h1 { "Jobs" }
            p.lead { "Records are kept for " (state.context.config.job_retention.as_secs() / 86_400) " days, results for "
                (state.context.config.output_retention_hours()) " hours." }
        }
        (filters(&state, &request))
        (live_rows(&state, &request, &page, now))
    };
    Ok(Page::new("Jobs", content).live().respond(&state, &viewer))
}

async fn rows(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, request) = (clock::now(), ListRequest::of(&viewer.path));
    let page = viewer.read_or(&user, read(&state, &user.account, &viewer.path, now)).await?;
    Ok(fragment(live_rows(&state, &request, &page, now)))
}

fn filters(state: &AppState, request: &ListRequest) -> Markup {
    let mut states = vec![("", "Any status")];
    states.extend(STATES.map(|status| (status.as_str(), status.as_str())));
    let mut tools = vec![("", "Any tool")];
    let catalogue = state.context.catalogue.tools();
    tools.extend(catalogue.iter().map(|tool| (tool.definition.slug.as_str(), tool.definition.name.as_str())));
    let chosen = request.filter.status.map_or("", JobStatus::as_str);
    html! {
        form.filters method="get" action=(state.link("/app/jobs")) role="search" aria-label="Filter jobs" {
            (input("search", "search", "Search").value(request.filter.text.as_deref().unwrap_or_default())
                .with("placeholder", "Job or request ID, file name or label").unmarked())
            (select("status", "Status", states).value(chosen).unmarked())
            (select("tool", "Tool", tools).value(request.filter.tool.as_deref().unwrap_or_default()).unmarked())
            button.button type="submit" { "Filter" }
        }
    }
}

/// The rows. They refresh themselves while a job is unfinished. Without scripts, users reload the page.
fn live_rows(state: &AppState, request: &ListRequest, page: &JobsPage, now: Timestamp) -> Markup {
    let unfinished = page.jobs.iter().any(|job| !job.status_at(now).is_terminal());
    let again = unfinished.then(|| state.link(&request.path("/app/jobs/rows", request.after)));
    let is_filtered = request.filter != JobFilter::default();
    html! {
        div #job-rows hx-get=[again.as_ref()] hx-trigger=[again.as_ref().map(|_| "every 3s")] hx-swap="outerHTML" {
            @if !page.jobs.is_empty() { (jobs_table(state, &page.jobs, now)) }
            @else if page.next.is_some() { p.empty { "No matches yet. Search older jobs." } }
            @else if is_filtered || request.after.is_some() { p.empty { "No jobs match these filters." } }
            @else {
                p.empty { "No jobs yet. " a href=(state.link("/app/playground")) { "Convert a document" } " to create the first one." }
            }
            (pager(state, "Pages of jobs",
                request.after.map(|_| request.path("/app/jobs", None)),
                page.next.map(|mark| request.path("/app/jobs", Some(mark)))))
        }
    }
}

/// The user's own job.
async fn own_job(state: &AppState, user: &SignedIn, id: &str, now: Timestamp) -> Result<Job, PageError> {
    state.context.jobs.get_own(&user.account, id, now).await?.ok_or(PageError::NotFound)
}

async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let one = viewer.read_or(&user, read_one(&state, &user.account, &id, now)).await?;
    let One { job: Some(job), keys } = one.as_ref() else { return Err(PageError::NotFound) };
    let key = keys.iter().find(|key| key.key.key_id == job.key_id).map(|key| key.key.name.as_str());
    Ok(Page::new("Job", detail::page(&state, &viewer, job, key, now)).live().respond(&state, &viewer))
}

/// The part of the page that changes until the job ends.
async fn progress(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let job = own_job(&state, &user, &id, now).await?;
    Ok(fragment(detail::live(&state, &viewer, &job, now)))
}

/// Redirects to a newly signed link.
async fn download(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let job = own_job(&state, &user, &id, now).await?;
    let back = format!("/app/jobs/{}", job.id);
    match (job.status_at(now), &job.output, &job.output_key) {
        (JobStatus::Completed, Some(output), Some(key)) => {
            let link = state.context.files.link(key, output).await;
            let link = link.map_err(|error| PageError::Unavailable(error.to_string()))?;
            Ok(redirect_to(link.reveal()).into_response())
        }
        (JobStatus::Expired, ..) => Ok(Flash::error("The result has expired. Create the job again.").on(&state, &back)),
        _ => Ok(Flash::error("This job has no result to download.").on(&state, &back)),
    }
}
