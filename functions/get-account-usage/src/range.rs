//! Usage for a range of days, by day, tool or key, as JSON or CSV.

use std::collections::BTreeMap;

use docmill_domain::breach::Breach;
use docmill_domain::statistics::{Counts, GroupBy};
use docmill_domain::time::Timestamp;
use docmill_domain::usage::UsageOfDaysView;
use docmill_http::body::{UsageBody, UsageReport};
use docmill_http::envelope::Reply;
use docmill_http::query;

/// Most days in one request: counts are kept this long.
const MOST_DAYS: u64 = 400;
const PARAMETERS: [&str; 3] = ["from", "to", "groupBy"];
const DAY_MILLIS: u64 = 86_400_000;

/// A query for usage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// First and last day, `YYYY-MM-DD`, both included.
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) group_by: GroupBy,
}

impl Range {
    /// `None` if the query has no range. `from` defaults to the first of the month, `to` to today.
    pub(crate) fn parse(query: &[(String, String)], now: Timestamp) -> Result<Option<Self>, Vec<Breach>> {
        if !query.iter().any(|(name, _)| PARAMETERS.contains(&name.as_str())) {
            return Ok(None);
        }
        let (mut from, mut to, mut group_by) = (now.period().start(), now, GroupBy::Day);
        query::read_each(query, |name, value| {
            match name {
                "from" => from = day(value)?,
                "to" => to = day(value)?,
                "groupBy" => group_by = query::one_of(value, GroupBy::ALL, GroupBy::as_str)?,
                _ => return Err(query::UNKNOWN.to_owned()),
            }
            Ok(())
        })?;
        if from > to {
            return Err(vec![Breach::new("?to", "must not be before `from`")]);
        }
        if to.millis_since(from) / DAY_MILLIS >= MOST_DAYS {
            return Err(vec![Breach::new("?from", format!("must be less than {MOST_DAYS} days before `to`"))]);
        }
        Ok(Some(Self { from: from.day(), to: to.day(), group_by }))
    }

    pub(crate) fn json(&self, groups: &BTreeMap<String, Counts>) -> Reply {
        let usage = UsageOfDaysView::of(&self.from, &self.to, self.group_by, groups);
        Reply::ok(UsageBody { usage: UsageReport::Days(usage) })
    }

    pub(crate) fn csv(&self, groups: &BTreeMap<String, Counts>) -> Reply {
        Reply::text("text/csv; charset=utf-8", self.group_by.csv(groups))
    }
}

fn day(value: &str) -> Result<Timestamp, String> {
    Timestamp::of_day(value).ok_or_else(|| "must be a day such as 2026-11-20".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &[(&str, &str)]) -> Result<Option<Range>, Vec<String>> {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        Range::parse(&query, now).map_err(|breaches| breaches.into_iter().map(|breach| breach.path).collect())
    }

    #[test]
    fn a_range_begins_with_the_month_and_ends_today() {
        assert_eq!(parse(&[]), Ok(None));
        let range = parse(&[("groupBy", "key")]).unwrap().unwrap();
        assert_eq!(
            (range.from.as_str(), range.to.as_str(), range.group_by),
            ("2026-11-01", "2026-11-20", GroupBy::Key)
        );
        let range = parse(&[("from", "2026-01-31"), ("to", "2026-02-01")]).unwrap().unwrap();
        assert_eq!((range.from.as_str(), range.to.as_str()), ("2026-01-31", "2026-02-01"));
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let wrong = parse(&[("from", "2026-2-1"), ("to", "x"), ("groupBy", "week"), ("by", "day"), ("to", "y")]);
        assert_eq!(wrong.unwrap_err(), ["?from", "?to", "?groupBy", "?by", "?to"]);
        assert_eq!(parse(&[("to", "2026-10-31")]).unwrap_err(), ["?to"]);
        assert_eq!(parse(&[("from", "2024-11-20")]).unwrap_err(), ["?from"]);
    }
}
