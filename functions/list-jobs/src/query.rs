//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_domain::job::JobStatus;
use docmill_domain::time::Timestamp;
use docmill_http::query;
use docmill_store::jobs::{JobFilter, JobMark};

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
        let mut read = Self { filter: JobFilter::default(), limit: DEFAULT_LIMIT, after: None };
        let mut cursor = None;
        query::read_each(query, |name, value| match name {
            "cursor" => {
                cursor = Some(value.to_owned());
                Ok(())
            }
            _ => read.take(name, value),
        })?;
        // A cursor belongs to its filters: only now are they all known.
        read.after = cursor.as_deref().and_then(|cursor| cursors.read(cursor, account, &read.filter));
        if cursor.is_some() && read.after.is_none() {
            let message = "must be the `nextCursor` of a page of this list, with the same filters";
            return Err(vec![Breach::new("?cursor", message)]);
        }
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.filter.status = Some(query::one_of(value, JobStatus::ALL, JobStatus::as_str)?),
            "toolSlug" => self.filter.tool = Some(value.to_owned()),
            "createdAfter" => self.filter.created_after = Some(time(value)?),
            "createdBefore" => self.filter.created_before = Some(time(value)?),
            "limit" => self.limit = query::whole_number(value, 1..=MAX_LIMIT)?,
            _ => self.take_metadata(name, value)?,
        }
        Ok(())
    }

    fn take_metadata(&mut self, name: &str, value: &str) -> Result<(), String> {
        let metadata = &mut self.filter.metadata;
        match name.strip_prefix("metadata.") {
            Some("") => return Err("must name a label, as in metadata.order=4711".to_owned()),
            Some(_) if metadata.len() >= MAX_PAIRS => return Err(format!("exceeds the limit of {MAX_PAIRS} pairs")),
            Some(key) => drop(metadata.insert(key.to_owned(), value.to_owned())),
            None => return Err(query::UNKNOWN.to_owned()),
        }
        Ok(())
    }
}

fn time(value: &str) -> Result<Timestamp, String> {
    Timestamp::parse(value).ok_or_else(|| "must be a time such as 2026-11-20T12:00:00Z (RFC 3339)".to_owned())
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
