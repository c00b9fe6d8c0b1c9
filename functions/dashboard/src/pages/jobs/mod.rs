//! Jobs: a list, and a page for each.

mod bulk;
pub mod certificate;
mod control;
mod detail;
mod export;
mod files;
mod list;
mod receipt;
mod steps;
pub mod support;
pub mod table;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use docmill_aws::files::{OutputPart, part_key};
use docmill_config::clock;
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::layout::{Page, fragment};
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::{AppState, redirect_to};
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::AccountKey;
use serde::Deserialize;

use self::detail::Shown;
pub(super) use self::list::read;
use super::playground::preview::Preview;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/jobs", get(list::show))
        .route("/app/jobs/rows", get(list::rows))
        .route("/app/jobs/export.csv", get(export::csv))
        .route("/app/jobs/delete", post(bulk::delete))
        .route("/app/jobs/{id}", get(show))
        .route("/app/jobs/{id}/progress", get(progress))
        .route("/app/jobs/{id}/download", get(download))
        .route("/app/jobs/{id}/certificate", get(certificate::show))
        .route("/app/jobs/{id}/certificate.json", get(certificate::download))
        .route("/app/jobs/{id}/receipt.json", get(receipt::download))
        .route("/app/jobs/{id}/cancel", post(control::cancel))
        .route("/app/jobs/{id}/delete", get(control::ask_to_delete).post(control::delete))
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

/// The user's own job.
pub(super) async fn own_job(state: &AppState, user: &SignedIn, id: &str, now: Timestamp) -> Result<Job, PageError> {
    state.context.jobs.get_own(&user.account, id, now).await?.ok_or(PageError::NotFound)
}

/// The files of a job with several.
pub(super) fn file_list(state: &AppState, job: &Job) -> Option<maud::Markup> {
    (job.status_at(clock::now()) == JobStatus::Completed && files::of(job).len() > 1).then(|| files::list(state, job))
}

/// The job with all its results, and the links of its preview.
async fn with_results(state: &AppState, job: Job) -> Result<(Job, Option<Preview>), PageError> {
    let unavailable = |error: docmill_aws::files::FilesError| PageError::Unavailable(error.to_string());
    let job = state.context.files.with_results(job, clock::now()).await.map_err(unavailable)?;
    let preview = Preview::of(state, &job).await.map_err(unavailable)?;
    Ok((job, preview))
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
    let (job, preview) = with_results(&state, job.clone()).await?;
    let key = keys.iter().find(|key| key.key.key_id == job.request.key_id).map(|key| key.key.name.as_str());
    let shown = Shown { state: &state, viewer: &viewer, job: &job, preview: preview.as_ref(), now };
    let bucket = state.context.files.origin().await.map_err(|error| PageError::Unavailable(error.to_string()))?;
    let policy = Policy::default().connect(bucket.clone()).image(bucket.clone()).frame(bucket);
    Ok(Page::new("Job", detail::page(&shown, key)).policy(policy).live().script("job.js").respond(&state, &viewer))
}

/// The part of the page that changes until the job ends.
async fn progress(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let (job, preview) = with_results(&state, own_job(&state, &user, &id, now).await?).await?;
    let shown = Shown { state: &state, viewer: &viewer, job: &job, preview: preview.as_ref(), now };
    Ok(fragment(detail::live(&shown)))
}

#[derive(Debug, Deserialize)]
struct WantedFile {
    /// The index of one of several files; the primary result without it.
    output: Option<usize>,
}

/// Redirects to a newly signed link.
async fn download(
    State(state): State<AppState>,
    user: SignedIn,
    Path(id): Path<String>,
    Query(wanted): Query<WantedFile>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let job = own_job(&state, &user, &id, now).await?;
    let back = format!("/app/jobs/{}", job.id);
    match job.status_at(now) {
        JobStatus::Completed => {}
        JobStatus::Expired => {
            return Ok(Flash::error("The result has expired. Create the job again.").on(&state, &back));
        }
        JobStatus::Queued | JobStatus::Processing | JobStatus::Failed | JobStatus::Canceled | JobStatus::Deleted => {
            return Ok(Flash::error("This job has no result to download.").on(&state, &back));
        }
    }
    let unavailable = |error: docmill_aws::files::FilesError| PageError::Unavailable(error.to_string());
    let (key, output) = match wanted.output {
        None => (job.result.output_key.clone(), job.result.output.clone()),
        Some(index) => {
            let job = state.context.files.with_results(job, clock::now()).await.map_err(unavailable)?;
            (part_key(&job, OutputPart::File(index)), files::of(&job).get(index).cloned())
        }
    };
    let (Some(key), Some(output)) = (key, output) else { return Err(PageError::NotFound) };
    let link = state.context.files.link(&key, &output).await.map_err(unavailable)?;
    Ok(redirect_to(link.reveal()).into_response())
}
