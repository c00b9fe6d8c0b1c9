//! Cancel a job, or delete its documents.

use axum::extract::{Path, State};
use axum::response::Response;
use docmill_domain::job::{Job, JobStatus};
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{FormData, button_form, confirm};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

pub(super) async fn cancel(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let canceled = state.cancel_job(&user.account, &id).await;
    Ok(Flash::of(canceled, "The job was canceled.").on(&state, &format!("/app/jobs/{id}")))
}

/// Asks for confirmation on its own page.
pub(super) async fn ask_to_delete(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let job = super::own_job(&state, &user, &id, docmill_config::clock::now()).await?;
    let path = format!("/app/jobs/{}", job.id);
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link(&path)) { "Job" } } } }
        header.page-head { h1 { "Delete this job's documents?" } }
        p { "The result, the request and everything that describes the document are deleted now, for good. "
            "The job's id, tool, times and credits remain in your list." }
        (confirm(&state, &viewer, (&format!("{path}/delete"), "Delete the documents"), (&path, "Keep them")))
    };
    Ok(Page::new("Delete a job", content).respond(&state, &viewer))
}

pub(super) async fn delete(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let deleted = state.delete_job(&user.account, &id).await;
    Ok(Flash::of(deleted, "The job's documents were deleted.").on(&state, &format!("/app/jobs/{id}")))
}

/// Whether the same request would fail again.
fn is_hopeless(job: &Job) -> bool {
    job.result.error.as_ref().is_some_and(|error| !error.retryable)
}

/// The owner's actions on the job.
pub(super) fn actions(state: &AppState, viewer: &Viewer, job: &Job) -> Markup {
    let path = format!("/app/jobs/{}", job.id);
    html! {
        @match job.status {
            JobStatus::Queued | JobStatus::Processing => {
                (button_form(state, viewer, &format!("{path}/cancel"), "Cancel the job", "", &[]))
            }
            JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled => {
                a.button href=(state.link(&format!("{path}/delete"))) { "Delete" }
            }
            JobStatus::Deleted => {}
        }
        @if job.status != JobStatus::Deleted {
            a.button href=(state.link(&format!("/app/playground?job={}", job.id))) {
                @if is_hopeless(job) { "Change and convert again" } @else { "Convert again" }
            }
        }
    }
}
