//! A customer's keys and jobs, for administrators who help them. Each view is recorded in the audit trail before it is shown.
//! Secrets, file names, addresses and document content are never shown.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::account::{Profile, StoredKey};
use docmill_domain::api_key::Mode;
use docmill_domain::audit::{Author, View};
use docmill_domain::job::{Job, JobId};
use docmill_domain::time::Timestamp;
use docmill_look::code::copyable_code;
use docmill_look::highlight::Syntax;
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::parts::{list_or, millis, moment, moment_or, pager, query_of, status_badge, value_of, with_query};
use docmill_site::state::AppState;
use docmill_site::viewer::{AdminUser, Viewer};
use docmill_store::jobs::{JobFilter, JobMark};
use maud::{Markup, html};

use super::accounts::path;
use crate::pages::jobs::support;
use crate::pages::jobs::table::{short, took};

const PAGE: usize = 50;

pub(super) fn routes() -> Router<AppState> {
    Router::new()
        .route("/admin/accounts/{id}/keys", get(keys))
        .route("/admin/accounts/{id}/jobs", get(jobs))
        .route("/admin/accounts/{id}/jobs/{job}", get(job))
}

/// Records the view while `read` fetches the data. Shows nothing if either fails.
async fn recorded<T>(
    state: &AppState,
    admin: &AdminUser,
    account: &str,
    viewed: View,
    read: impl Future<Output = Result<T, PageError>>,
) -> Result<(Profile, T), PageError> {
    let profile = async { state.context.usage.profile(account).await?.ok_or(PageError::NotFound) };
    let (profile, found) = futures_util::try_join!(profile, read)?;
    let by = Author { actor: admin.0.email.as_str().to_owned(), reason: None, at: clock::now() };
    state.context.audit.note_view(account, viewed, &by).await?;
    Ok((profile, found))
}

async fn keys(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let holder = async { state.context.accounts.holder(&id, now).await?.ok_or(PageError::NotFound) };
    let (profile, holder) = recorded(&state, &admin, &id, View::Keys, holder).await?;
    let keys: Vec<_> = holder.keys.into_iter().filter(|key| !key.is_dashboards()).collect();
    let content = html! {
        (head(&state, &id, &profile, "Keys", "The active API keys, without their secrets."))
        (keys_table(&keys))
    };
    Ok(page(&state, &viewer, "Keys", content))
}

async fn jobs(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let now = clock::now();
    let after = value_of(&query_of(&viewer.path), "after").and_then(JobMark::parse);
    let filter = JobFilter::default();
    let found = async { Ok(state.context.jobs.of_account(&id, &filter, after, PAGE, now).await?) };
    let (profile, found) = recorded(&state, &admin, &id, View::Jobs, found).await?;
    let list = format!("{}/jobs", path(&id));
    let older = found.next.map(|mark| with_query(&list, &[("after", Some(mark.to_string()))]));
    let content = html! {
        (head(&state, &id, &profile, "Jobs", "Without file names, addresses and documents."))
        @if found.jobs.is_empty() { p.empty { "No jobs." } } @else { (jobs_table(&state, &list, &found.jobs, now)) }
        (pager(&state, "Pages of jobs", after.map(|_| list.clone()), older))
    };
    Ok(page(&state, &viewer, "Jobs", content))
}

async fn job(
    State(state): State<AppState>,
    viewer: Viewer,
    admin: AdminUser,
    Path((id, job)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let (now, viewed) = (clock::now(), JobId::parse(&job).ok_or(PageError::NotFound)?);
    let own = async { state.context.jobs.get_own(&id, &job, now).await?.ok_or(PageError::NotFound) };
    let (profile, job) = recorded(&state, &admin, &id, View::Job(viewed), own).await?;
    let facts = format!("{:#}", support::facts(&job, now));
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol {
            li { a href=(state.link("/admin/accounts")) { "Accounts" } }
            li { a href=(state.link(&path(&id))) { (profile.name) } }
            li { a href=(state.link(&format!("{}/jobs", path(&id)))) { "Jobs" } }
        } }
        header.page-head {
            h1 { "Job " (status_badge(job.status_at(now))) }
            p.lead { code { (job.id) } }
        }
        @if let Some(error) = &job.result.error {
            div.note.danger { p { code { (error.code.as_str()) } ": " (error.code.meaning()) "." } }
        }
        section.card aria-label="Figures" {
            dl.details {
                div { dt { "Created" } dd { (moment(job.times.created_at)) } }
                div { dt { "Finished" } dd { (moment_or(job.times.finished_at, "not yet")) } }
                div { dt { "Key" } dd { code { (job.request.key_id) } } }
                div { dt { "Credits" } dd { (job.payment.charge.total()) " charged, " (job.payment.refunded) " refunded" } }
            }
        }
        section.card aria-labelledby="facts" {
            h2 #facts { "Details" }
            p.muted { "What the customer can copy for support: without links, full addresses, metadata and content." }
            (copyable_code("job-facts", Syntax::Json, &facts))
        }
    };
    Ok(page(&state, &viewer, "Job", content))
}

fn head(state: &AppState, id: &str, profile: &Profile, title: &str, lead: &str) -> Markup {
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol {
            li { a href=(state.link("/admin/accounts")) { "Accounts" } }
            li { a href=(state.link(&path(id))) { (profile.name) } }
        } }
        header.page-head { h1 { (title) } p.lead { (lead) } }
    }
}

fn jobs_table(state: &AppState, list: &str, jobs: &[Job], now: Timestamp) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Jobs" {
            table {
                thead { tr {
                    th scope="col" { "Job" } th scope="col" { "Status" } th scope="col" { "Tool" } th scope="col" { "Created" }
                    th scope="col" { "Took" } th scope="col" { "Credits" }
                } }
                tbody { @for job in jobs {
                    tr {
                        th scope="row" { a href=(state.link(&format!("{list}/{}", job.id))) title=(job.id) { code { (short(job)) } } }
                        td {
                            (status_badge(job.status_at(now))) @if job.mode == Mode::Test { " " span.badge { "test" } }
                            @if let Some(error) = &job.result.error { br; code { (error.code.as_str()) } }
                        }
                        td { code { (job.tool) } }
                        td { (moment(job.times.created_at)) }
                        td.short { @match took(job) { Some(time) => (millis(time)), None => span.muted { "–" } } }
                        td { (job.payment.charge.total() - job.payment.refunded.min(job.payment.charge.total())) }
                    }
                } }
            }
        }
    }
}

fn keys_table(keys: &[StoredKey]) -> Markup {
    html! {
        @if keys.is_empty() { p.empty { "No active keys." } }
        @else {
            div.table-frame tabindex="0" role="region" aria-label="Keys" {
                table {
                    thead { tr {
                        th scope="col" { "Key" } th scope="col" { "Mode" } th scope="col" { "Last characters" }
                        th scope="col" { "Tools" } th scope="col" { "Origins" } th scope="col" { "Last used" }
                        th scope="col" { "Expires" }
                    } }
                    tbody { @for key in keys {
                        tr {
                            th scope="row" { (key.name) br; code.id { (key.key_id) } }
                            td { (key.mode.as_str()) }
                            td { code { (key.last4) } }
                            td { (list_or(key.allowed_tools.as_deref(), "all of the account's")) }
                            td { (list_or(Some(key.allowed_origins.as_slice()).filter(|origins| !origins.is_empty()), "any")) }
                            td { @match key.last_used_at { Some(at) => (moment(at)), None => span.muted { "never" } } }
                            td { @match key.expires_at { Some(at) => (moment(at)), None => span.muted { "never" } } }
                        }
                    } }
                }
            }
        }
    }
}
