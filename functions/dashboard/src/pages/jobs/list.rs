//! The list of jobs: filters, rows that refresh themselves, and what can be done with several jobs at once.

use axum::extract::State;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::account::StoredKey;
use docmill_domain::api_key::Mode;
use docmill_domain::job::JobStatus;
use docmill_domain::time::Timestamp;
use docmill_site::error::PageError;
use docmill_site::form::{input, select, token_field};
use docmill_site::layout::{Page, fragment};
use docmill_site::parts::{pager, query_of, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::AccountKey;
use docmill_store::jobs::{JobFilter, JobMark, JobsPage};
use maud::{Markup, html};

use super::bulk;
use super::table::jobs_table;

const PAGE: usize = 15;
/// Longest search text in characters.
const MAX_SEARCH: usize = 255;
/// The states in the filter.
const STATES: [JobStatus; 7] = JobStatus::ALL;
const ROWS: &str = "/app/jobs/rows";
const DAY_MS: i64 = 86_400_000;

/// The filter and page of a list, from its address.
pub(super) struct ListRequest {
    pub(super) filter: JobFilter,
    pub(super) after: Option<JobMark>,
}

impl ListRequest {
    /// Invalid values are ignored.
    pub(super) fn of(path: &str) -> Self {
        let query = query_of(path);
        let given = |name: &str| value_of(&query, name).map(str::to_owned);
        let day = |name: &str| value_of(&query, name).and_then(Timestamp::of_day);
        let text = given("search").map(|text| text.trim().chars().take(MAX_SEARCH).collect::<String>());
        let filter = JobFilter {
            status: given("status").and_then(|wanted| STATES.into_iter().find(|status| status.as_str() == wanted)),
            tool: given("tool"),
            text: text.filter(|text| !text.is_empty()),
            mode: given("mode")
                .and_then(|wanted| [Mode::Live, Mode::Test].into_iter().find(|mode| mode.as_str() == wanted)),
            key_id: given("key"),
            // The filter excludes its own bounds, and both days belong to the list.
            created_after: day("from").map(|start| Timestamp(start.as_millis().saturating_sub(1))),
            created_before: day("to").map(|start| Timestamp(start.as_millis().saturating_add(DAY_MS))),
            ..JobFilter::default()
        };
        Self { filter, after: value_of(&query, "after").and_then(JobMark::parse) }
    }

    fn first_day(&self) -> Option<String> {
        self.filter.created_after.map(|before| Timestamp(before.as_millis().saturating_add(1)).day())
    }

    fn last_day(&self) -> Option<String> {
        self.filter.created_before.map(|next| Timestamp(next.as_millis().saturating_sub(1)).day())
    }

    fn path(&self, base: &str, after: Option<JobMark>) -> String {
        let JobFilter { status, tool, text, mode, key_id, .. } = &self.filter;
        with_query(
            base,
            &[
                ("search", text.clone()),
                ("status", status.map(|status| status.as_str().to_owned())),
                ("tool", tool.clone()),
                ("mode", mode.map(|mode| mode.as_str().to_owned())),
                ("key", key_id.clone()),
                ("from", self.first_day()),
                ("to", self.last_day()),
                ("after", after.map(|mark| mark.to_string())),
            ],
        )
    }
}

/// A page of the list.
#[derive(Debug)]
pub(in crate::pages) struct Listed {
    page: JobsPage,
    /// The keys to filter by. The rows don't need them.
    keys: Vec<AccountKey>,
}

/// The jobs in the list at this path.
pub(in crate::pages) async fn read(
    state: &AppState,
    account: &str,
    path: &str,
    now: Timestamp,
) -> Result<Listed, PageError> {
    let request = ListRequest::of(path);
    let keys = async {
        if path.starts_with(ROWS) { Ok(Vec::new()) } else { state.context.accounts.keys_of(account, now).await }
    };
    let page = state.context.jobs.of_account(account, &request.filter, request.after, PAGE, now);
    let (page, keys) = futures_util::try_join!(page, keys)?;
    Ok(Listed { page, keys })
}

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, request) = (clock::now(), ListRequest::of(&viewer.path));
    let listed = viewer.read_or(&user, read(&state, &user.account, &viewer.path, now)).await?;
    let content = html! {
        header.page-head {
            h1 { "Jobs" }
            p.lead { "Records are kept for " (state.context.config.job_retention.as_secs() / 86_400) " days, results for "
                (state.context.config.output_retention_hours()) " hours unless the job asks for up to 7 days." }
        }
        (filters(&state, &request, &listed.keys))
        // The rows' boxes belong to this form, and the rows are replaced while jobs run.
        form #chosen-jobs method="post" action=(state.link(bulk::PATH)) { (token_field(&viewer)) }
        (live_rows(&state, &request, &listed.page, now))
    };
    Ok(Page::new("Jobs", content).live().respond(&state, &viewer))
}

pub(super) async fn rows(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, request) = (clock::now(), ListRequest::of(&viewer.path));
    let listed = viewer.read_or(&user, read(&state, &user.account, &viewer.path, now)).await?;
    Ok(fragment(live_rows(&state, &request, &listed.page, now)))
}

fn filters(state: &AppState, request: &ListRequest, keys: &[AccountKey]) -> Markup {
    let filter = &request.filter;
    let mut states = vec![("", "Any status")];
    states.extend(STATES.map(|status| (status.as_str(), status.as_str())));
    let mut tools = vec![("", "Any tool")];
    let catalogue = state.context.catalogue.tools();
    tools.extend(catalogue.iter().map(|tool| (tool.definition.slug.as_str(), tool.definition.name.as_str())));
    let mut by = vec![("", "Any key"), (StoredKey::DASHBOARD_ID, "Playground")];
    let own = keys.iter().filter(|key| !key.key.is_dashboards());
    by.extend(own.map(|key| (key.key.key_id.as_str(), key.key.name.as_str())));
    let is_narrow = filter.mode.is_some()
        || filter.key_id.is_some()
        || request.first_day().is_some()
        || request.last_day().is_some();
    html! {
        form.filters method="get" action=(state.link("/app/jobs")) role="search" aria-label="Filter jobs" {
            (input("search", "search", "Search").value(filter.text.as_deref().unwrap_or_default())
                .with("placeholder", "Job or request ID, file name or label").unmarked())
            (select("status", "Status", states).value(filter.status.map_or("", JobStatus::as_str)).unmarked())
            (select("tool", "Tool", tools).value(filter.tool.as_deref().unwrap_or_default()).unmarked())
            button.button type="submit" { "Filter" }
            details.more open[is_narrow] {
                summary { "More filters" }
                div.filters {
                    (input("date", "from", "From").value(request.first_day().unwrap_or_default()).unmarked())
                    (input("date", "to", "To").value(request.last_day().unwrap_or_default()).unmarked())
                    (select("mode", "Mode", vec![("", "Live and test"), ("live", "Live"), ("test", "Test")])
                        .value(filter.mode.map_or("", Mode::as_str)).unmarked())
                    (select("key", "Created by", by).value(filter.key_id.as_deref().unwrap_or_default()).unmarked())
                }
            }
        }
    }
}

/// The rows. They refresh themselves while a job is unfinished. Without scripts, users reload the page.
fn live_rows(state: &AppState, request: &ListRequest, page: &JobsPage, now: Timestamp) -> Markup {
    let unfinished = page.jobs.iter().any(|job| !job.status_at(now).is_terminal());
    let again = unfinished.then(|| state.link(&request.path(ROWS, request.after)));
    let is_filtered = request.filter != JobFilter::default();
    html! {
        div #job-rows hx-get=[again.as_ref()] hx-trigger=[again.as_ref().map(|_| "every 3s")] hx-swap="outerHTML" {
            @if !page.jobs.is_empty() {
                (jobs_table(state, &page.jobs, now, Some("chosen-jobs")))
                p.actions {
                    button.button type="submit" form="chosen-jobs" { "Delete chosen jobs" }
                    a.button href=(state.link(&request.path("/app/jobs/export.csv", None))) download { "Export as CSV" }
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lists_address_is_written_as_it_is_read() {
        let path = "/app/jobs?search=a&status=failed&tool=merge-pdf&mode=test&key=key_1&from=2026-11-01&to=2026-11-02";
        let request = ListRequest::of(path);
        assert_eq!(request.path("/app/jobs", None), path);
        let (after, before) = (request.filter.created_after.unwrap(), request.filter.created_before.unwrap());
        // Both days are complete.
        assert_eq!(
            (after.to_string(), before.to_string()),
            ("2026-10-31T23:59:59.999Z".into(), "2026-11-03T00:00:00.000Z".into())
        );
        assert_eq!(ListRequest::of("/app/jobs?from=soon&mode=x&status=y").filter, JobFilter::default());
    }
}
