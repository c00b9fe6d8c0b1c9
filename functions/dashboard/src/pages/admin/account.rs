//! An account: plan, status, credits, usage, users and changes.

use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::account::{Plan, Profile};
use docmill_domain::audit::{AuditEntry, Subject, SubjectKind};
use docmill_domain::user::User;
use docmill_look::number::grouped;
use docmill_site::error::PageError;
use docmill_site::layout::page;
use docmill_site::parts::list_or;
use docmill_site::state::AppState;
use docmill_site::viewer::AdminUser;
use docmill_site::viewer::Viewer;
use docmill_store::usage::MonthlyUsage;
use maud::{Markup, html};

use super::accounts::{path, status_of};
use super::audit::entries_table;
use super::{account_forms, activity};

const RECENT_CHANGES: usize = 10;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/admin/accounts/{id}", get(show)).merge(account_forms::routes()).merge(activity::routes())
}

async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    _admin: AdminUser,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let (context, now) = (&state.context, clock::now());
    let subject = Subject::new(SubjectKind::Account, &id);
    let (profile, usage, settings, users, changes) = futures_util::try_join!(
        context.usage.profile(&id),
        context.usage.of_month(&id, now.period()),
        context.settings.fresh(),
        context.users.of_account(&id),
        context.audit.list(Some(&subject), None, RECENT_CHANGES),
    )?;
    let profile = profile.ok_or(PageError::NotFound)?;
    let plan = settings.plan(&profile.plan);
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/admin/accounts")) { "Accounts" } } } }
        header.page-head { h1 { (profile.name) } p.lead { code { (id) } } }
        (figures(&profile, &plan, &usage))
        div.actions {
            a.button.primary href=(state.link(&format!("{}/edit", path(&id)))) { "Edit plan, tools and origins" }
            a.button href=(state.link(&format!("{}/grant", path(&id)))) { "Grant credits" }
            a.button.danger[!profile.suspended] href=(state.link(&format!("{}/suspension", path(&id)))) {
                @if profile.suspended { "Reinstate" } @else { "Suspend" }
            }
        }
        section aria-labelledby="activity" {
            h2 #activity { "Keys and jobs" }
            p.muted { "Each time you open one of these pages, the audit trail records it." }
            div.actions {
                a.button href=(state.link(&format!("{}/keys", path(&id)))) { "View keys" }
                a.button href=(state.link(&format!("{}/jobs", path(&id)))) { "View jobs" }
            }
        }
        section aria-labelledby="usage" { h2 #usage { "This month" } (usage_table(&usage)) }
        section aria-labelledby="people" { h2 #people { "People" } (people(&users)) }
        section aria-labelledby="changes" {
            h2 #changes { "Changes" }
            (recent(&state, &subject, &changes.entries, changes.next.is_some()))
        }
    };
    Ok(page(&state, &viewer, &profile.name, content))
}

fn figures(profile: &Profile, plan: &Plan, usage: &MonthlyUsage) -> Markup {
    let pots = &usage.credits.pots;
    html! {
        dl.figures {
            div { dt { "Plan" } dd { code { (profile.plan) } } }
            div { dt { "Status" } dd { (status_of(profile.suspended, profile.test_mode)) } }
            div { dt { "Included credits left" } dd { (grouped(pots.included_left(plan.included_credits))) " of " (grouped(plan.included_credits)) } }
            div { dt { "Granted credits left" } dd { (grouped(pots.granted_left())) } }
            div { dt { "Used this month" } dd { (grouped(usage.credits.used)) } }
            div { dt { "Since" } dd { (profile.created_at.day()) } }
            div { dt { "Tools" } dd { (list_or(profile.account_tools.as_deref(), "all tools of the plan")) } }
            div { dt { "Origins" } dd {
                (list_or(Some(profile.account_origins.as_slice()).filter(|origins| !origins.is_empty()), "any"))
            } }
        }
    }
}

fn usage_table(usage: &MonthlyUsage) -> Markup {
    let (total, by_tool) = (usage.total(), usage.by_tool());
    html! {
        p { (grouped(usage.credits.created)) " jobs created, " (grouped(total.completed)) " completed, " (grouped(total.failed)) " failed." }
        @if !by_tool.is_empty() {
            div.table-frame tabindex="0" role="region" aria-label="Usage by tool" {
                table {
                    thead { tr { th scope="col" { "Tool" } th scope="col" { "Jobs" } th scope="col" { "Credits" } } }
                    tbody { @for (tool, counts) in &by_tool {
                        tr { th scope="row" { code { (tool) } } td { (counts.created) } td { (counts.credits()) } }
                    } }
                }
            }
        }
    }
}

fn people(users: &[User]) -> Markup {
    html! {
        @if users.is_empty() { p.empty { "Nobody has signed in to this account yet." } }
        @else { ul { @for user in users { li { (user.email.as_str()) " " span.muted { "since " (user.created_at.day()) } } } } }
    }
}

fn recent(state: &AppState, subject: &Subject, entries: &[AuditEntry], more: bool) -> Markup {
    html! {
        @if entries.is_empty() { p.empty { "No changes yet." } } @else { (entries_table(state, entries)) }
        @if more {
            p { a href=(state.link(&super::audit::path(Some(subject), None))) { "All changes of this account" } }
        }
    }
}
