//! A month's usage: jobs by day as a chart, stacked by tool or key, in numbers, and as CSV.

use std::cmp::Reverse;

use axum::extract::State;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::account::StoredKey;
use docmill_domain::statistics::GroupBy;
use docmill_domain::time::{Period, Timestamp};
use docmill_site::chart::{COLORS, Series, color_of, stacked_days};
use docmill_site::delivery::attachment;
use docmill_site::error::PageError;
use docmill_site::parts::{query_of, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::usage::MonthlyUsage;
use maud::{Markup, html};

/// One month's data.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub state: &'a AppState,
    pub usage: &'a MonthlyUsage,
    pub period: Period,
    pub keys: &'a [StoredKey],
    /// What the bars are stacked by.
    pub by: GroupBy,
}

/// The month in a query, or the current one.
pub fn month(query: &[(String, String)], now: Timestamp) -> Period {
    let asked = value_of(query, "month").and_then(|month| month.parse::<Period>().ok());
    asked.filter(|period| *period < now.period()).unwrap_or(now.period())
}

pub fn stacked_by(query: &[(String, String)]) -> GroupBy {
    if value_of(query, "by") == Some(GroupBy::Key.as_str()) { GroupBy::Key } else { GroupBy::Tool }
}

/// `?by=day`, `tool` or `key`: the month's counts as a file.
pub async fn csv(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let query = query_of(&viewer.path);
    let period = month(&query, clock::now());
    let by = GroupBy::ALL.into_iter().find(|by| value_of(&query, "by") == Some(by.as_str())).unwrap_or(GroupBy::Day);
    let (first, last) = period.first_and_last_day();
    let groups = state.context.usage.grouped(&user.account, &first, &last, by).await?;
    let name = format!("usage-{period}-by-{}.csv", by.as_str());
    Ok(attachment(&name, "text/csv; charset=utf-8", by.csv(&groups)))
}

pub fn section(shown: &Shown<'_>, now: Timestamp) -> Result<Markup, PageError> {
    let series = series(shown);
    let groups = group_name(shown.by);
    let title = format!("Jobs by day and {groups}, {}", shown.period.for_people());
    let totals: Vec<_> =
        series.iter().map(|series| format!("{}: {}", series.name, series.counts.iter().sum::<u64>())).collect();
    let description = match totals.is_empty() {
        true => "No jobs this month.".to_owned(),
        false => format!("A bar for each day, stacked by {groups}. {}.", totals.join(", ")),
    };
    let picture = stacked_days(&title, &description, shown.period.days(), &series)
        .map_err(|error| PageError::Internal(error.to_string()))?;
    Ok(html! {
        section.card aria-labelledby="by-day" {
            header.row {
                h2 #by-day { "Jobs by day" }
                (months(shown, now))
            }
            (groupings(shown, now))
            figure {
                (picture)
                figcaption {
                    @if series.is_empty() { span.muted { "No jobs this month. New jobs appear within a few minutes; test jobs aren't counted." } }
                    @else { ul.legend { @for (position, series) in series.iter().enumerate() {
                        li { span.swatch data-color=(color_of(position)) {} (series.name) }
                    } } }
                }
            }
            @if !series.is_empty() { (totals_table(shown)) (days_table(shown, &series)) }
            p.muted {
                "Download as CSV: "
                @for (position, by) in GroupBy::ALL.into_iter().enumerate() {
                    @if position > 0 { " · " }
                    a href=(link(shown, "/app/usage.csv", by, now)) download { "by " (group_name(by)) }
                }
            }
        }
    })
}

const fn group_name(by: GroupBy) -> &'static str {
    match by {
        GroupBy::Day => "day",
        GroupBy::Tool => "tool",
        GroupBy::Key => "API key",
    }
}

/// A page or file for this month.
fn link(shown: &Shown<'_>, path: &str, by: GroupBy, now: Timestamp) -> String {
    let month = (shown.period != now.period()).then(|| shown.period.to_string());
    shown.state.link(&with_query(path, &[("month", month), ("by", Some(by.as_str().to_owned()))]))
}

fn months(shown: &Shown<'_>, now: Timestamp) -> Markup {
    let by = || (shown.by == GroupBy::Key).then(|| shown.by.as_str().to_owned());
    let earlier = with_query("/app", &[("month", Some(shown.period.previous().to_string())), ("by", by())]);
    html! {
        nav aria-label="Month" {
            a href=(shown.state.link(&earlier)) { (shown.period.previous().for_people()) }
            " · " strong aria-current="true" { (shown.period.for_people()) }
            @if shown.period != now.period() {
                " · " a href=(shown.state.link(&with_query("/app", &[("by", by())]))) { (now.period().for_people()) }
            }
        }
    }
}

fn groupings(shown: &Shown<'_>, now: Timestamp) -> Markup {
    html! {
        nav aria-label="Stacked by" { p {
            @for (position, by) in [GroupBy::Tool, GroupBy::Key].into_iter().enumerate() {
                @if position > 0 { " · " }
                @if by == shown.by { strong aria-current="true" { "By " (group_name(by)) } }
                @else { a href=(link(shown, "/app", by, now)) { "By " (group_name(by)) } }
            }
        } }
    }
}

/// The name of a tool or key for people.
fn name_of(shown: &Shown<'_>, id: &str) -> String {
    let known = match shown.by {
        GroupBy::Tool => shown.state.context.catalogue.find(id).map(|tool| tool.definition.name.clone()),
        GroupBy::Key if id == StoredKey::DASHBOARD_ID => Some("Playground".to_owned()),
        GroupBy::Key => shown.keys.iter().find(|key| key.key_id == id).map(|key| key.name.clone()),
        GroupBy::Day => None,
    };
    known.filter(|name| !name.is_empty()).unwrap_or_else(|| id.to_owned())
}

/// A series for each tool or key with jobs. If there are more than colors, the smallest are combined.
fn series(shown: &Shown<'_>) -> Vec<Series> {
    let Shown { usage, period, by, .. } = shown;
    let counts = |id: &str| (1..=period.days()).map(|day| usage.of_day_in(day, *by, id).created).collect();
    let mut series: Vec<_> =
        usage.by(*by).into_keys().map(|id| Series { name: name_of(shown, id), counts: counts(id) }).collect();
    if series.len() > COLORS {
        series.sort_by_key(|series| Reverse(series.counts.iter().sum::<u64>()));
        let rest = series.split_off(COLORS - 1);
        let counts =
            (0..usize::from(period.days())).map(|day| rest.iter().filter_map(|series| series.counts.get(day)).sum());
        series.push(Series { name: "Others".to_owned(), counts: counts.collect() });
    }
    series
}

fn totals_table(shown: &Shown<'_>) -> Markup {
    let what = if shown.by == GroupBy::Key { "API key" } else { "Tool" };
    let mut rows: Vec<_> = shown.usage.by(shown.by).into_iter().collect();
    rows.sort_by_key(|(_, counts)| Reverse(counts.created));
    html! {
        div.table-frame tabindex="0" role="region" aria-label=(format!("Totals by {}", group_name(shown.by))) {
            table {
                thead { tr {
                    th scope="col" { (what) }
                    @for column in ["Jobs", "Completed", "Failed", "Canceled", "Credits"] { th.number scope="col" { (column) } }
                } }
                tbody { @for (id, counts) in rows {
                    tr {
                        th scope="row" { a href=(jobs_of(shown, id)) { (name_of(shown, id)) } }
                        @for count in [counts.created, counts.completed, counts.failed, counts.canceled, counts.credits()] { td.number { (count) } }
                    }
                } }
            }
        }
    }
}

/// The jobs of a tool or key.
fn jobs_of(shown: &Shown<'_>, id: &str) -> String {
    let filter = if shown.by == GroupBy::Key { "key" } else { "tool" };
    shown.state.link(&with_query("/app/jobs", &[(filter, Some(id.to_owned()))]))
}

/// The chart's numbers, for people who can't see it.
fn days_table(shown: &Shown<'_>, series: &[Series]) -> Markup {
    let days = (1..=shown.period.days()).map(|day| (day, shown.usage.of_day(day)));
    html! {
        details {
            summary { "Show the numbers by day" }
            div.table-frame tabindex="0" role="region" aria-label="Jobs by day" {
                table {
                    thead { tr {
                        th scope="col" { "Day" }
                        @for series in series { th scope="col" { (series.name) } }
                        th scope="col" { "Completed" }
                        th scope="col" { "Failed" }
                    } }
                    tbody { @for (day, outcome) in days.filter(|(_, counts)| counts.created > 0) {
                        tr {
                            th scope="row" { (day) }
                            @for series in series { td { (series.counts.get(usize::from(day) - 1).copied().unwrap_or(0)) } }
                            td { (outcome.completed) }
                            td { (outcome.failed) }
                        }
                    } }
                }
            }
        }
    }
}
