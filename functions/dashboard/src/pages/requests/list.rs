//! The list of requests, newest first, with filters.

use axum::extract::State;
use axum::response::Response;
use docmill_app::requests::{self, Listed};
use docmill_config::clock;
use docmill_domain::request_log::{LoggedRequest, RequestFilter, StatusClass};
use docmill_domain::time::Timestamp;
use docmill_http::error::ErrorCode;
use docmill_site::error::PageError;
use docmill_site::form::{input, select};
use docmill_site::layout::page;
use docmill_site::parts::{ago, millis, pager, query_of, value_of, with_query};
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::accounts::keys::AccountKey;
use docmill_store::requests::RequestMark;
use maud::{Markup, html};

use super::{PATH, kept, key_name, status_badge};

const PAGE: usize = 25;
/// Longest search text in characters.
const MAX_SEARCH: usize = 120;
const METHODS: [&str; 4] = ["GET", "POST", "PATCH", "DELETE"];

/// The filter and page of the list, from its address.
struct ListRequest {
    filter: RequestFilter,
    before: Option<RequestMark>,
}

impl ListRequest {
    /// Invalid values are ignored.
    fn of(path: &str) -> Self {
        let query = query_of(path);
        let given = |name: &str| value_of(&query, name);
        let text = |name: &str| {
            let text = given(name)?.trim().chars().take(MAX_SEARCH).collect::<String>();
            Some(text).filter(|text| !text.is_empty())
        };
        let filter = RequestFilter {
            class: given("status").and_then(StatusClass::parse),
            method: given("method").filter(|method| METHODS.contains(method)).map(str::to_owned),
            path: text("path"),
            code: given("code").and_then(ErrorCode::named).map(|code| code.as_str().to_owned()),
            key_id: text("key"),
            id: text("id"),
            from: given("from").and_then(Timestamp::of_day),
            until: given("to").and_then(Timestamp::of_day).map(Timestamp::next_day),
        };
        Self { filter, before: given("before").and_then(RequestMark::parse) }
    }

    fn first_day(&self) -> Option<String> {
        self.filter.from.map(Timestamp::day)
    }

    fn last_day(&self) -> Option<String> {
        self.filter.until.map(|next| Timestamp(next.as_millis().saturating_sub(1)).day())
    }

    fn path(&self, before: Option<RequestMark>) -> String {
        let RequestFilter { class, method, path, code, key_id, id, .. } = &self.filter;
        with_query(
            PATH,
            &[
                ("status", class.map(|class| class.as_str().to_owned())),
                ("method", method.clone()),
                ("path", path.clone()),
                ("code", code.clone()),
                ("key", key_id.clone()),
                ("id", id.clone()),
                ("from", self.first_day()),
                ("to", self.last_day()),
                ("before", before.map(|mark| mark.to_string())),
            ],
        )
    }
}

pub(super) async fn show(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, request) = (clock::now(), ListRequest::of(&viewer.path));
    let found = requests::list(&state.context, &user.account, &request.filter, request.before.as_ref(), PAGE, now);
    let (found, keys) = futures_util::join!(found, state.context.accounts.keys_of(&user.account, now));
    let (found, keys) = (found?, keys?);
    let content = html! {
        header.page-head {
            h1 { "Requests" }
            p.lead {
                "What your keys asked of the API, accepted or refused, in the last " (kept(&user)) ". "
                a href=(state.link("/docs/request-log")) { "What is recorded" }
            }
        }
        (filters(&state, &request, &keys))
        @if found.late { div.note.warn { p { "The newest requests can't be shown at the moment. Reload the page in a minute." } } }
        (results(&state, &request, found, &keys, now))
    };
    Ok(page(&state, &viewer, "Requests", content))
}

fn filters(state: &AppState, request: &ListRequest, keys: &[AccountKey]) -> Markup {
    let filter = &request.filter;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let mut classes = vec![("", "Any status")];
    classes.extend(StatusClass::ALL.map(|class| (class.as_str(), title(class))));
    let mut methods = vec![("", "Any method")];
    methods.extend(METHODS.map(|method| (method, method)));
    let mut codes = vec![("", "Any code")];
    codes.extend(ErrorCode::ALL.map(|code| (code.as_str(), code.as_str())));
    codes.sort_unstable();
    let mut by = vec![("", "Any key")];
    let own = keys.iter().filter(|key| !key.key.is_dashboards());
    by.extend(own.map(|key| (key.key.key_id.as_str(), key.key.name.as_str())));
    let is_narrow = filter.method.is_some()
        || filter.code.is_some()
        || filter.key_id.is_some()
        || filter.id.is_some()
        || filter.from.is_some()
        || filter.until.is_some();
    html! {
        form.filters method="get" action=(state.link(PATH)) role="search" aria-label="Filter requests" {
            (input("search", "path", "Path").value(text(&filter.path)).with("placeholder", "Tool, job ID or part of the path").unmarked())
            (select("status", "Status", classes).value(filter.class.map_or("", StatusClass::as_str)).unmarked())
            button.button type="submit" { "Filter" }
            details.more open[is_narrow] {
                summary { "More filters" }
                div.filters {
                    (input("search", "id", "Request ID").value(text(&filter.id)).unmarked())
                    (select("method", "Method", methods).value(text(&filter.method)).unmarked())
                    (select("code", "Error code", codes).value(text(&filter.code)).unmarked())
                    (select("key", "Key", by).value(text(&filter.key_id)).unmarked())
                    (input("date", "from", "From").value(request.first_day().unwrap_or_default()).unmarked())
                    (input("date", "to", "To").value(request.last_day().unwrap_or_default()).unmarked())
                }
            }
        }
    }
}

const fn title(class: StatusClass) -> &'static str {
    match class {
        StatusClass::Success => "2xx: succeeded",
        StatusClass::Redirect => "3xx: redirected",
        StatusClass::Client => "4xx: refused",
        StatusClass::Service => "5xx: failed here",
    }
}

fn results(state: &AppState, request: &ListRequest, found: Listed, keys: &[AccountKey], now: Timestamp) -> Markup {
    let is_filtered = request.filter != RequestFilter::default();
    html! {
        @if !found.requests.is_empty() { (table(state, &found.requests, keys, now)) }
        @else if found.next.is_some() { p.empty { "No matches yet. Search older requests." } }
        @else if is_filtered || request.before.is_some() { p.empty { "No requests match these filters." } }
        @else {
            p.empty {
                "No requests yet. " a href=(state.link("/docs/first-conversion")) { "Send the first one" } " with one of your "
                a href=(state.link("/app/keys")) { "API keys" } "."
            }
        }
        (pager(state, "Pages of requests",
            request.before.as_ref().map(|_| request.path(None)),
            found.next.map(|mark| request.path(Some(mark)))))
    }
}

fn table(state: &AppState, found: &[LoggedRequest], keys: &[AccountKey], now: Timestamp) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Requests" {
            table.dense {
                thead { tr {
                    th scope="col" { "Request" }
                    th scope="col" { "Status" }
                    th scope="col" { "Error code" }
                    th scope="col" { "Time" }
                    th scope="col" { "Key" }
                    th.number scope="col" { "Took" }
                } }
                tbody { @for request in found {
                    tr {
                        th.long scope="row" {
                            a href=(state.link(&super::one::path_of(request))) { code { (request.method) " " (request.path) } }
                        }
                        td { (status_badge(request)) }
                        td { @match &request.code { Some(code) => code { (code) }, None => span.muted { "–" } } }
                        td { (ago(request.at, now)) }
                        td.free { (key_name(request, keys)) }
                        td.number { (millis(request.duration_ms())) }
                    }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lists_address_is_written_as_it_is_read() {
        let path = "/app/requests?status=4xx&method=POST&path=merge-pdf&code=validation_failed&key=key_1&id=r-1%3D&from=2026-11-01&to=2026-11-02&before=001795000000000-000-4";
        let request = ListRequest::of(path);
        assert_eq!(request.path(request.before.clone()), path);
        // Both days are complete.
        let (from, until) = (request.filter.from.unwrap(), request.filter.until.unwrap());
        assert_eq!(
            (from.to_string(), until.to_string()),
            ("2026-11-01T00:00:00.000Z".into(), "2026-11-03T00:00:00.000Z".into())
        );
        let ignored = ListRequest::of("/app/requests?status=9xx&method=HEAD&code=x&from=soon&before=1&path=%20");
        assert_eq!((ignored.filter, ignored.before), (RequestFilter::default(), None));
    }
}
