//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_domain::job::JobStatus;
use docmill_domain::time::Timestamp;
use docmill_http::query;
use docmill_store::jobs::JobFilter;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;
/// As many pairs as a job can have.
const MAX_PAIRS: usize = 20;

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) filter: JobFilter,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<String>,
}

impl ListRequest {
    /// Fails with all breaches.
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut read = Self { filter: JobFilter::default(), limit: DEFAULT_LIMIT, cursor: None };
        query::read_each(query, |name, value| read.take(name, value))?;
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.filter.status = Some(query::one_of(value, JobStatus::ALL, JobStatus::as_str)?),
            "toolSlug" => self.filter.tool = Some(value.to_owned()),
            "createdAfter" => self.filter.created_after = Some(time(value)?),
            "createdBefore" => self.filter.created_before = Some(time(value)?),
            "cursor" => self.cursor = Some(value.to_owned()),
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
        ListRequest::parse(&query)
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
            ("cursor", "x"),
        ])
        .unwrap();
        let noon = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        assert_eq!(request.filter.status, Some(JobStatus::Failed));
        assert_eq!(
            (request.filter.created_after, request.filter.created_before),
            (Some(noon), Some(Timestamp(noon.0 + 500)))
        );
        assert_eq!(request.filter.metadata.len(), 2);
        assert_eq!((request.limit, request.cursor.as_deref()), (100, Some("x")));
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
    }
}
