//! The collector of request logs: it reads what the API's functions have logged about requests, and stores it for the accounts whose
//! requests these are.
//!
//! No request waits for this or writes anything for it: its function has logged a line, as it does in any case. A run that finds few
//! requests leaves them for a later one, so that many are stored at once; pages read them from the log group until then. What was not
//! collected stays in the group, so that a failure loses nothing. Each run begins at the noted time and covers the lines that have
//! arrived since, not those that were written since, so that late lines are not missed. Two runs at once do no harm: see
//! `Requests::add`.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use docmill_app::context::Context;
use docmill_app::requests::{LATE, LONGEST_WAIT, pattern, read};
use docmill_aws::logs::{LogGroup, LogLine, LogsError};
use docmill_domain::request_log::{LoggedRequest, kept_for};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::requests::Span;

/// CloudWatch Logs shows a line within seconds of its arrival.
const LAG: Duration = Duration::from_secs(15);
/// Requests for each account, on average, that are worth a write.
const ENOUGH: usize = 25;
/// So many wait for no others: each run and each page searches through them again.
const MOST_WAITING: usize = 20_000;
/// How far back a run goes after a long failure.
const OLDEST: Duration = Duration::from_secs(86_400);
/// A run begins nothing further after this time. The next run continues.
const RUN_TIME: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    #[error(transparent)]
    Logs(#[from] LogsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the environment variable ENDPOINT_LOGS is not set")]
    NoGroup,
}

#[derive(Debug)]
pub struct Collector {
    context: Context,
    group: LogGroup,
}

/// Requests of each account, in the order in which their lines arrived, with the account's plan.
type ByAccount = BTreeMap<String, (String, Vec<LoggedRequest>)>;

impl Collector {
    /// # Errors
    /// If the settings name no log group.
    pub fn new(context: Context) -> Result<Self, CollectError> {
        let group = context.config.endpoint_logs.clone().ok_or(CollectError::NoGroup)?;
        Ok(Self { group: LogGroup::new(&context.aws, group), context })
    }

    /// Collects what has arrived until a moment ago, if that is worth it.
    ///
    /// # Errors
    /// If the log group or a table does not answer. The next run begins where this one did.
    pub async fn run(&self, now: Timestamp) -> Result<(), CollectError> {
        let (began, until) = (Instant::now(), now.minus(LAG));
        let mut from = match self.context.health.collected().await? {
            Some(collected) => collected.max(until.minus(OLDEST)),
            None => {
                let first = until.minus(LONGEST_WAIT);
                self.context.health.note_collected(first).await?;
                first
            }
        };
        while from < until && began.elapsed() < RUN_TIME {
            let span = Span { from, until: until.min(from.plus(LONGEST_WAIT)) };
            self.collect(span, span.until >= from.plus(LONGEST_WAIT)).await?;
            from = span.until;
        }
        Ok(())
    }

    /// Stores the requests whose lines arrived in this span, if they are enough or due, and notes that.
    ///
    /// # Errors
    /// As for [`Self::run`].
    pub async fn collect(&self, span: Span, due: bool) -> Result<(), CollectError> {
        let mut lines = self.group.lines(&pattern(None), span.from.minus(LATE), span.until).await?;
        lines.retain(|line| span.from < line.arrived_at && line.arrived_at <= span.until);
        // The same order in each run.
        lines.sort_by(|a, b| (a.arrived_at, &a.text).cmp(&(b.arrived_at, &b.text)));
        let by_account = by_account(&lines);
        if !due && !are_enough(&by_account) {
            return Ok(());
        }
        for (account, (plan, requests)) in &by_account {
            self.context.requests.add(account, span, requests, span.until.plus(kept_for(plan))).await?;
        }
        Ok(self.context.health.note_collected(span.until).await?)
    }
}

/// Whether each write would be for enough requests. Whoever waits for one has only few.
fn are_enough(by_account: &ByAccount) -> bool {
    let requests: usize = by_account.values().map(|(_, requests)| requests.len()).sum();
    requests > 0 && (requests >= ENOUGH * by_account.len() || requests >= MOST_WAITING)
}

/// The requests by account, each once, with the account's plan.
fn by_account(lines: &[LogLine]) -> ByAccount {
    let (mut by_account, mut seen) = (ByAccount::new(), HashSet::new());
    let mut unreadable = 0;
    for line in lines {
        match read(&line.text) {
            // Lambda may send lines twice.
            Some(read) if seen.insert(read.request.id.clone()) => {
                let (plan, requests) = by_account.entry(read.account).or_default();
                *plan = read.plan;
                requests.push(read.request);
            }
            Some(_) => {}
            None => unreadable += 1,
        }
    }
    if unreadable > 0 {
        tracing::warn!("{unreadable} lines about requests can't be read");
    }
    by_account
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arrived(account: &str, id: &str) -> LogLine {
        let line = json!({
            "timestamp": "2026-11-28T12:00:00.123Z", "level": "INFO", "message": "request handled", "request_id": id,
            "status": 200, "code": "ok", "duration_us": 4321, "account": account, "plan": "free", "key": "key_a",
            "path": "/v1/tools", "method": "GET",
        });
        LogLine { text: line.to_string(), arrived_at: Timestamp(0) }
    }

    #[test]
    fn each_account_gets_its_own_requests_once() {
        let lines = [
            arrived("acc_a", "r-1"),
            arrived("acc_b", "r-2"),
            LogLine { text: "START RequestId: x".into(), arrived_at: Timestamp(0) },
            arrived("acc_a", "r-3"),
            arrived("acc_a", "r-1"),
        ];
        let by_account = by_account(&lines);
        let ids =
            |account: &str| -> Vec<_> { by_account[account].1.iter().map(|request| request.id.as_str()).collect() };
        assert_eq!((ids("acc_a"), ids("acc_b")), (vec!["r-1", "r-3"], vec!["r-2"]));
        assert_eq!((by_account.len(), by_account["acc_a"].0.as_str()), (2, "free"));
    }

    #[test]
    fn requests_are_stored_when_a_write_is_for_many() {
        let lines = |first: usize, second: usize| -> Vec<_> {
            let of =
                |account: &'static str, count| (0..count).map(move |id| arrived(account, &format!("{account}{id}")));
            of("acc_a", first).chain(of("acc_b", second)).collect()
        };
        for ((first, second), enough) in
            [((0, 0), false), ((24, 0), false), ((25, 0), true), ((48, 1), false), ((49, 1), true), ((25, 25), true)]
        {
            assert_eq!(are_enough(&by_account(&lines(first, second))), enough, "{first}, {second}");
        }
    }
}
