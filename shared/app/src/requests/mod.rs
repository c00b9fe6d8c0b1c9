//! The log of an account's requests: what is stored and, before that, what the endpoints have logged since the collector last stored
//! any (functions/request-log). So a request is there within seconds, although it is stored together with others.

mod line;

use std::collections::HashSet;
use std::time::Duration;

use docmill_aws::logs::{LogGroup, LogLine, LogsError};
use docmill_domain::request_log::{LoggedRequest, RequestFilter};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::requests::RequestMark;
use tokio::time::timeout;

pub use self::line::{Read, read};
use crate::context::Context;
use crate::fault::Fault;

/// A line reaches the log group at most this long after it was written, or it is not found.
pub const LATE: Duration = Duration::from_secs(180);
/// Requests wait no longer for others to be stored with.
pub const LONGEST_WAIT: Duration = Duration::from_secs(30 * 60);
/// Most requests that are shown before they are stored, which takes a minute where there are more. A page of them has less than 50 KB.
const MOST_RECENT: usize = 50;
/// How long a page waits for these.
const RECENT_TIME: Duration = Duration::from_secs(4);

/// The pattern of lines about requests of this account, or of any.
pub fn pattern(account: Option<&str>) -> String {
    let message = docmill_telemetry::REQUEST_HANDLED;
    format!(r#"{{ ($.message = "{message}") && ($.account = "{}") }}"#, account.unwrap_or("*"))
}

/// Requests of an account, newest first.
#[derive(Debug)]
pub struct Listed {
    /// The page.
    pub requests: Vec<LoggedRequest>,
    /// Where the next, older page begins, if there may be more.
    pub next: Option<RequestMark>,
    /// Whether the newest are missing, because the log group did not answer.
    pub late: bool,
}

#[derive(Debug, thiserror::Error)]
enum RecentError {
    #[error(transparent)]
    Logs(#[from] LogsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the log group took too long")]
    TooSlow,
}

/// The account's requests that the filter admits and that are older than `before`. The first page begins with those that are not
/// stored yet. Stored ones fill it up to the limit; one at least, after which the next page goes on.
///
/// # Errors
/// If a table does not answer. If the log group does not, the list is late.
pub async fn list(
    context: &Context,
    account: &str,
    filter: &RequestFilter,
    before: Option<&RequestMark>,
    limit: usize,
    now: Timestamp,
) -> Result<Listed, Fault> {
    // Timeline: A reads how far the collector is. The collector stores more requests and notes that. A finds these both in the lines
    // and in the table, and shows them once. In the other order, A would miss them.
    let recent = match before {
        None => Box::pin(recent(context, account, filter, now)).await,
        Some(_) => Ok(Vec::new()),
    };
    let late =
        recent.as_ref().err().map(|error| tracing::warn!(%error, "the newest requests could not be read")).is_some();
    let mut requests = recent.unwrap_or_default();
    let room = limit.saturating_sub(requests.len()).max(1);
    let stored = context.requests.of_account(account, filter, before, room, now).await?;
    let seen: HashSet<_> = requests.iter().map(|request| request.id.clone()).collect();
    let stored_requests = stored.requests.into_iter().map(|(_, request)| request);
    requests.extend(stored_requests.filter(|request| !seen.contains(&request.id)));
    Ok(Listed { requests, next: stored.next, late })
}

/// The account's requests that are not stored yet.
async fn recent(
    context: &Context,
    account: &str,
    filter: &RequestFilter,
    now: Timestamp,
) -> Result<Vec<LoggedRequest>, RecentError> {
    let Some(group) = &context.config.endpoint_logs else { return Ok(Vec::new()) };
    // The collector begins with that time.
    let collected = context.health.collected().await?.unwrap_or(now.minus(LONGEST_WAIT));
    let group = LogGroup::new(&context.aws, group.clone());
    let wanted = pattern(Some(account));
    let lines = timeout(RECENT_TIME, group.lines(&wanted, collected.minus(LATE), now));
    let lines = lines.await.map_err(|_| RecentError::TooSlow)??;
    Ok(newest_of(&lines, account, filter, collected))
}

fn newest_of(lines: &[LogLine], account: &str, filter: &RequestFilter, collected: Timestamp) -> Vec<LoggedRequest> {
    let new = lines.iter().filter(|line| line.arrived_at > collected).filter_map(|line| read(&line.text));
    // Not only the pattern decides whose requests an account sees.
    let own = new.filter(|read| read.account == account).map(|read| read.request);
    let mut requests: Vec<_> = own.filter(|request| filter.admits(request)).collect();
    requests.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    requests.dedup_by(|a, b| a.id == b.id);
    requests.truncate(MOST_RECENT);
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_requests_are_the_accounts_own_and_not_stored_yet() {
        let line = |account: &str, id: &str, arrived_at| LogLine {
            text: line::tests::line(account, id).to_string(),
            arrived_at: Timestamp(arrived_at),
        };
        let lines =
            [line("acc_a", "r-1", 5), line("acc_a", "r-2", 6), line("acc_b", "r-3", 7), line("acc_a", "r-2", 8)];
        let found = newest_of(&lines, "acc_a", &RequestFilter::default(), Timestamp(5));
        assert_eq!(found.iter().map(|request| request.id.as_str()).collect::<Vec<_>>(), ["r-2"]);
        let other = RequestFilter { method: Some("POST".into()), ..RequestFilter::default() };
        assert!(newest_of(&lines, "acc_a", &other, Timestamp(5)).is_empty());
    }

    #[test]
    fn a_pattern_names_the_message_and_the_account() {
        assert_eq!(pattern(Some("acc_a")), r#"{ ($.message = "request handled") && ($.account = "acc_a") }"#);
        assert_eq!(pattern(None), r#"{ ($.message = "request handled") && ($.account = "*") }"#);
    }
}
