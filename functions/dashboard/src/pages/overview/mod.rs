//! Overview: credits, usage by day, tool and key, limits, and recent jobs.

pub mod usage;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use docmill_config::clock;
use docmill_domain::account::{Plan, StoredKey};
use docmill_domain::job::Job;
use docmill_domain::quota::RatePolicy;
use docmill_domain::time::{Period, Timestamp};
use docmill_domain::webhook::Endpoint;
use docmill_look::number::grouped;
use docmill_site::error::PageError;
use docmill_site::layout;
use docmill_site::parts::{percent, query_of};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::jobs::JobFilter;
use docmill_store::usage::MonthlyUsage;
use maud::{Markup, html};

use self::usage::Shown;
use super::jobs::table::jobs_table;
use super::plans;
use super::webhooks::endpoints::banner;

const LAST_JOBS: usize = 5;

pub fn routes() -> Router<AppState> {
    Router::new().route("/app", get(show)).route("/app/usage.csv", get(usage::csv))
}

/// An account's data for the page.
#[derive(Debug)]
pub(super) struct Read {
    usage: MonthlyUsage,
    jobs: Vec<Job>,
    keys: Vec<StoredKey>,
    endpoints: Vec<Endpoint>,
}

pub(super) async fn read(state: &AppState, account: &str, path: &str, now: Timestamp) -> Result<Read, PageError> {
    let filter = JobFilter::default();
    let (usage, jobs, holder, endpoints) = futures_util::try_join!(
        state.context.usage.of_month(account, usage::month(&query_of(path), now)),
        state.context.jobs.of_account(account, &filter, None, LAST_JOBS, now),
        state.context.accounts.holder(account, now),
        state.context.webhooks.endpoints(account),
    )?;
    let keys = holder.map(|holder| holder.keys).unwrap_or_default();
    Ok(Read { usage, jobs: jobs.jobs, keys, endpoints })
}

async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let now = clock::now();
    let query = query_of(&viewer.path);
    let period = usage::month(&query, now);
    let read = viewer.read_or(&user, read(&state, &user.account, &viewer.path, now)).await?;
    let Read { usage, jobs, keys, endpoints } = read.as_ref();
    let month = Month { period, usage, plan: viewer.settings.plan(&user.profile.plan) };
    let content = html! {
        header.page-head {
            h1 { "Overview" }
            p.lead { (user.profile.name) ", plan " code { (month.plan.id) } }
        }
        (banner(&state, endpoints))
        @if jobs.len() < LAST_JOBS { (first_steps(&state)) }
        (low_credits(&viewer, &month, now))
        (figures(&state, &month, keys, now))
        (last_jobs(&state, jobs, now))
        (usage::section(&Shown { state: &state, usage, period, keys, by: usage::stacked_by(&query) }, now)?)
        (plans::section(&state, &viewer, &month.plan.id))
    };
    Ok(layout::page(&state, &viewer, "Overview", content))
}

/// One month's data.
struct Month<'a> {
    period: Period,
    usage: &'a MonthlyUsage,
    plan: Plan,
}

/// When the period's credits end: the day, with the moment as its title.
fn reset_day(period: Period) -> Markup {
    let end = period.end();
    html! { span title=(end.for_people()) { (end.day_for_people()) } }
}

/// Warns if less than a fifth of the plan's credits is left, including granted ones. Only for the current month.
fn low_credits(viewer: &Viewer, month: &Month<'_>, now: Timestamp) -> Markup {
    let pots = &month.usage.credits.pots;
    let left = pots.included_left(month.plan.included_credits).saturating_add(pots.granted_left());
    let is_low = left == 0 || left < month.plan.included_credits / 5;
    html! {
        @if is_low && month.period == now.period() {
            div.note.warn role="status" {
                p {
                    strong { @if left == 0 { "You have no credits left." } @else { "You have " (grouped(left)) " credits left." } }
                    @if month.plan.included_credits > 0 { " Plan credits reset on " (reset_day(month.period)) "." }
                    @if let Some(contact) = &viewer.settings.service.credits_contact {
                        " " a href=(contact.as_url()) { "Ask for more credits" } "."
                    }
                }
            }
        }
    }
}

fn first_steps(state: &AppState) -> Markup {
    html! {
        section.card aria-labelledby="first-steps" {
            h2 #first-steps { "First steps" }
            ol {
                li { a href=(state.link("/app/playground")) { "Convert a document" } " in the playground. You don't need a key for that." }
                li { a href=(state.link("/app/keys/new")) { "Create an API key" } " for your own programs." }
                li { "Copy the code from the playground, or read " a href=(state.link("/docs")) { "the docs" } "." }
            }
        }
    }
}

fn figures(state: &AppState, month: &Month<'_>, keys: &[StoredKey], now: Timestamp) -> Markup {
    let Month { period, usage, plan } = month;
    let (included_left, granted) =
        (usage.credits.pots.included_left(plan.included_credits), usage.credits.pots.granted_left());
    let total = usage.total();
    let ended = total.completed + total.failed;
    let not_ended = usage.credits.created.saturating_sub(ended + total.canceled);
    let is_current = *period == now.period();
    html! {
        section aria-labelledby="figures" {
            h2.quiet #figures { "Figures of the month" }
            dl.figures {
                div {
                    dt { @if is_current { "Credits left" } @else { "Plan credits left" } }
                    dd {
                        span.big { @if is_current { (grouped(included_left + granted)) } @else { (grouped(included_left)) } }
                        @if plan.included_credits > 0 {
                            meter min="0" max=(plan.included_credits) value=(included_left.min(plan.included_credits))
                                low=(plan.included_credits / 5) optimum=(plan.included_credits)
                                aria-label="Plan credits left" {}
                        }
                        p.muted {
                            (grouped(included_left)) " of " (grouped(plan.included_credits)) " included in the plan"
                            @if is_current && granted > 0 { ", and " (grouped(granted)) " granted (they carry over)" }
                        }
                        @if is_current { p.muted { "Resets " (reset_day(*period)) } }
                    }
                }
                div {
                    dt { "Credits used" }
                    dd { span.big { (grouped(usage.credits.used)) } p.muted { "Failed jobs are refunded." } }
                }
                div {
                    dt { "Jobs" }
                    dd {
                        span.big { (grouped(usage.credits.created)) }
                        p.muted {
                            (grouped(total.completed)) " completed, " (grouped(total.failed)) " failed"
                            @if total.canceled > 0 { ", " (grouped(total.canceled)) " canceled" }
                            @if not_ended > 0 { ", " (grouped(not_ended)) " not ended yet" }
                            ", without test keys"
                        }
                    }
                }
                div {
                    dt { "Error rate" }
                    dd {
                        span.big { (percent(total.failed, ended).unwrap_or_else(|| "–".to_owned())) }
                        p.muted {
                            "of finished jobs"
                            @if total.failed > 0 { ": " a href=(state.link("/app/jobs?status=failed")) { "see the failures" } }
                        }
                    }
                }
                (rate_limit(plan, keys, &state.link("/app/keys")))
            }
        }
    }
}

/// The limits of the account's keys, each of which keeps the limits of its creation. Without keys, the limits of a new one.
fn rate_limit(plan: &Plan, keys: &[StoredKey], list: &str) -> Markup {
    let limits = |key: &StoredKey| [RatePolicy::Create, RatePolicy::Read].map(|policy| key.limiter.limit(policy));
    let held: Vec<_> = keys.iter().filter(|key| !key.is_dashboards()).map(limits).collect();
    let first = held.first().copied();
    let all_the_same = held.iter().all(|limits| Some(*limits) == first);
    let [create, read] = first.unwrap_or([plan.create_limit, plan.read_limit]);
    let rates = || held.iter().map(|[create, _]| create.per_minute);
    html! {
        div {
            @if !all_the_same {
                dt { "Rate limits of the keys" }
                dd {
                    span.big { (rates().min().unwrap_or_default()) "–" (rates().max().unwrap_or_default()) " / min" }
                    p.muted { "new jobs, by key: " a href=(list) { "see API keys" } }
                }
            } @else {
                dt { @if first.is_some() { "Rate limit of each key" } @else { "Rate limit of a new key" } }
                dd {
                    span.big { (create.per_minute) " / min" }
                    p.muted {
                        "new jobs (" (create.burst) " at once), and "
                        (read.per_minute) " reads per minute (" (read.burst) " at once)"
                    }
                }
            }
        }
    }
}

fn last_jobs(state: &AppState, jobs: &[Job], now: Timestamp) -> Markup {
    html! {
        section aria-labelledby="last-jobs" {
            header.row {
                h2 #last-jobs { "Recent jobs" }
                @if !jobs.is_empty() { a href=(state.link("/app/jobs")) { "All jobs" } }
            }
            @if jobs.is_empty() { p.empty { "No jobs yet." } } @else { (jobs_table(state, jobs, now, None)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::account::Limiter;
    use docmill_domain::api_key::Mode;
    use docmill_domain::quota::RateLimit;

    fn key(key_id: &str, per_minute: u32) -> StoredKey {
        let limit = RateLimit { per_minute, burst: 7 };
        let key = StoredKey::of_dashboard("acc_1", Mode::Live, Timestamp(0));
        StoredKey { key_id: key_id.into(), limiter: Limiter::new(limit, limit), ..key }
    }

    #[test]
    fn the_displayed_limits_are_those_in_force() {
        let plan = Plan { create_limit: RateLimit { per_minute: 99, burst: 9 }, ..Plan::fallback("free") };
        let shown = |keys: &[StoredKey]| rate_limit(&plan, keys, "/app/keys").into_string();
        assert!(shown(&[]).contains("of a new key") && shown(&[]).contains("99 / min"));
        assert!(shown(&[key(StoredKey::DASHBOARD_ID, 1)]).contains("99 / min"), "the dashboard's own key is nobody's");
        let same = shown(&[key("a", 30), key("b", 30)]);
        assert!(same.contains("of each key") && same.contains("30 / min") && same.contains("7 at once"), "{same}");
        let mixed = shown(&[key("a", 30), key("b", 60)]);
        assert!(mixed.contains("by key") && mixed.contains("30–60 / min"), "{mixed}");
    }
}
