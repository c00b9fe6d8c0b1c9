//! Parses the query string.

use docmill::domain::breach::Breach;
use docmill::domain::job::JobStatus;
use docmill::domain::time::Timestamp;
use docmill::store::jobs::{JobFilter, JobMark};

use crate::cursor::CursorKey;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
/// As many pairs as a job can have.
const MAX_PAIRS: usize = 20;

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) filter: JobFilter,
    pub(crate) limit: usize,
    pub(crate) after: Option<JobMark>,
}

impl ListRequest {
    pub(crate) fn parse(query: &[(String, String)], account: &str, cursors: &CursorKey) -> Result<Self, Vec<Breach>> {
        let mut parser = Parser { breaches: Vec::new(), filter: JobFilter::default(), limit: DEFAULT_LIMIT };
        let mut cursor = None;
        for (position, (name, value)) in query.iter().enumerate() {
            if query[..position].iter().any(|(earlier, _)| earlier == name) {
                parser.refuse(name, "is given twice");
            } else if name == "cursor" {
                cursor = Some(value);
            } else {
                parser.take(name, value);
            }
        }
        let Parser { mut breaches, filter, limit } = parser;
        let after = cursor.and_then(|cursor| cursors.read(cursor, account, &filter));
        if cursor.is_some() && after.is_none() && breaches.is_empty() {
            breaches
                .push(Breach::new("?cursor", "must be the `nextCursor` of a page of this list, with the same filters"));
        }
        if breaches.is_empty() { Ok(Self { filter, limit, after }) } else { Err(breaches) }
    }
}

struct Parser {
    breaches: Vec<Breach>,
    filter: JobFilter,
    limit: usize,
}

impl Parser {
    fn refuse(&mut self, name: &str, message: impl Into<String>) {
        let shown: String = name.chars().take(60).collect();
        self.breaches.push(Breach::new(format!("?{shown}"), message));
    }

    fn take(&mut self, name: &str, value: &str) {
        match name {
            "status" => match JobStatus::ALL.into_iter().find(|status| status.as_str() == value) {
                Some(status) => self.filter.status = Some(status),
                None => {
                    let all = JobStatus::ALL.map(JobStatus::as_str).join(", ");
                    self.refuse(name, format!("must be one of {all}"));
                }
            },
            "toolSlug" => self.filter.tool = Some(value.to_owned()),
            "createdAfter" => self.filter.created_after = self.time(name, value),
            "createdBefore" => self.filter.created_before = self.time(name, value),
            "limit" => match value.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit)) {
                Some(limit) => self.limit = limit,
                None => self.refuse(name, format!("must be a whole number from 1 to {MAX_LIMIT}")),
            },
            _ => self.take_metadata(name, value),
        }
    }

    fn take_metadata(&mut self, name: &str, value: &str) {
        match name.strip_prefix("metadata.") {
            Some("") => self.refuse(name, "must name a label, as in metadata.order=4711"),
            Some(_) if self.filter.metadata.len() >= MAX_PAIRS => {
                self.refuse(name, format!("exceeds the limit of {MAX_PAIRS} pairs"));
            }
            Some(key) => drop(self.filter.metadata.insert(key.to_owned(), value.to_owned())),
            None => self.refuse(name, "is not a filter of this list"),
        }
    }

    fn time(&mut self, name: &str, value: &str) -> Option<Timestamp> {
        let time = Timestamp::parse(value);
        if time.is_none() {
            self.refuse(name, "must be a time such as 2026-11-20T12:00:00Z (RFC 3339)");
        }
        time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &[(&str, &str)]) -> Result<ListRequest, Vec<Breach>> {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ListRequest::parse(&query, "acc_a", &CursorKey::derived_from(&"s".repeat(32)).unwrap())
    }

    #[test]
    fn every_filter_is_read() {
        let request = parse(&[
            ("status", "failed"),
            ("toolSlug", "html-to-pdf"),
            ("createdAfter", "2026-11-20T12:00:00Z"),
            ("createdBefore", "2026-11-20T13:00:00.5+01:00"),
            ("metadata.order", "4711"),
            ("metadata.a.b", ""),
            ("limit", "100"),
        ])
        .unwrap();
        let noon = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        assert_eq!(request.filter.status, Some(JobStatus::Failed));
        assert_eq!(
            (request.filter.created_after, request.filter.created_before),
            (Some(noon), Some(Timestamp(noon.0 + 500)))
        );
        assert_eq!(request.filter.metadata.len(), 2);
        assert_eq!((request.limit, request.after), (100, None));
        assert_eq!(parse(&[]).unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let breaches = parse(&[
            ("status", "done"),
            ("createdAfter", "yesterday"),
            ("limit", "101"),
            ("staus", "failed"),
            ("metadata.", "x"),
            ("toolSlug", "a"),
            ("toolSlug", "b"),
        ])
        .unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(paths, ["?status", "?createdAfter", "?limit", "?staus", "?metadata.", "?toolSlug"]);
        assert_eq!(parse(&[("cursor", "x")]).unwrap_err()[0].path, "?cursor");
    }
}
