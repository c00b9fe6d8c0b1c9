//! The audit trail: who changed what, when and why, and who viewed a customer's keys and jobs.

use axum::Router;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use axum::routing::get;
use docmill_domain::audit::{AuditEntry, Subject, SubjectKind, View};
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};

use super::{query, shown_value};

const PAGE: usize = 50;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/admin/audit", get(list))
}

async fn list(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    asked: RawQuery,
) -> Result<Response, PageError> {
    let asked = query(asked);
    let subject: Option<Subject> = asked.get("subject").parse().ok();
    let before = Some(asked.get("before")).filter(|before| !before.is_empty());
    let found = state.context.audit.list(subject.as_ref(), before, PAGE).await?;
    let content = html! {
        header.page-head {
            h1 { "Audit trail" }
            p.lead { "Who created or changed accounts, credits, keys, tools, plans and switches, in the dashboard or with docmill-admin, and who looked at a customer's keys and jobs. Newest first. Entries are never removed." }
        }
        @if let Some(subject) = &subject {
            p { "Changes of " code { (subject) } " only. " a href=(state.link("/admin/audit")) { "Show all" } }
        }
        @if found.entries.is_empty() { p.empty { @if before.is_some() { "No earlier changes." } @else { "No changes yet." } } }
        @else { (entries_table(&state, &found.entries)) }
        @if let Some(next) = &found.next {
            div.actions { a.button href=(state.link(&path(subject.as_ref(), Some(next)))) { "Older changes" } }
        }
    };
    Ok(page(&state, &viewer, "Audit trail", content))
}

pub(super) fn path(subject: Option<&Subject>, before: Option<&str>) -> String {
    let subject = subject.map(ToString::to_string);
    let pairs = [("subject", subject.as_deref()), ("before", before)];
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs.into_iter().filter_map(|(name, value)| Some((name, value?))))
        .finish();
    format!("/admin/audit?{query}")
}

pub(super) fn entries_table(state: &AppState, entries: &[AuditEntry]) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Entries of the audit trail" {
            table {
                thead { tr {
                    th scope="col" { "When" } th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "Change" }
                } }
                tbody { @for entry in entries {
                    tr {
                        td { (time(entry)) }
                        td { (entry.actor) }
                        th.long scope="row" { a href=(state.link(&place(&entry.subject))) { (entry.subject) } }
                        td { (changes(entry)) }
                    }
                } }
            }
        }
    }
}

/// To the second, which is exact enough here.
fn time(entry: &AuditEntry) -> Markup {
    let full = entry.at.to_string();
    let shown = full.get(..19).unwrap_or(&full).replace('T', " ");
    html! { time datetime=(full) { (shown) " UTC" } }
}

fn changes(entry: &AuditEntry) -> Markup {
    html! {
        @if let Some(viewed) = entry.viewed { (view(viewed)) }
        @else if entry.changes.is_empty() { "reset to default" }
        @else {
            ul.changes { @for change in &entry.changes {
                li { code { (change.field) } ": " (shown_value(change.before.as_ref())) " → " (shown_value(change.after.as_ref())) }
            } }
        }
        @if let Some(reason) = &entry.reason { p.muted { "“" (reason) "”" } }
    }
}

fn view(viewed: View) -> Markup {
    html! {
        @match viewed {
            View::Keys => "viewed the keys",
            View::Jobs => "viewed the jobs",
            View::Job(id) => { "viewed the job " code { (id) } }
        }
    }
}

/// The page on which the subject is managed.
fn place(subject: &Subject) -> String {
    match subject.kind {
        SubjectKind::Tool => format!("/admin/tools/{}", subject.id),
        SubjectKind::Plan => format!("/admin/plans/{}", subject.id),
        SubjectKind::Service => "/admin/service".to_owned(),
        SubjectKind::Account => super::accounts::path(&subject.id),
        // Users have no page of their own.
        SubjectKind::User => path(Some(subject), None),
    }
}
