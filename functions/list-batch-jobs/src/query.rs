//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_domain::job::JobStatus;
use docmill_http::query;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListRequest {
    pub(crate) status: Option<JobStatus>,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<String>,
}

impl ListRequest {
    /// Fails with all breaches.
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut read = Self { status: None, limit: DEFAULT_LIMIT, cursor: None };
        query::read_each(query, |name, value| read.take(name, value))?;
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.status = Some(query::one_of(value, JobStatus::ALL, JobStatus::as_str)?),
            "limit" => self.limit = query::whole_number(value, 1..=MAX_LIMIT)?,
            "cursor" => self.cursor = Some(value.to_owned()),
            _ => return Err(query::UNKNOWN.to_owned()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &[(&str, &str)]) -> Result<ListRequest, Vec<Breach>> {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ListRequest::parse(&query)
    }

    #[test]
    fn every_parameter_is_read() {
        let read = parse(&[("status", "failed"), ("limit", "100"), ("cursor", "x")]).unwrap();
        assert_eq!(read, ListRequest { status: Some(JobStatus::Failed), limit: 100, cursor: Some("x".into()) });
        assert_eq!(parse(&[]).unwrap(), ListRequest { status: None, limit: DEFAULT_LIMIT, cursor: None });
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let wrong = parse(&[("status", "done"), ("limit", "0"), ("staus", "failed"), ("limit", "5")]);
        let paths: Vec<_> = wrong.unwrap_err().into_iter().map(|breach| breach.path).collect();
        assert_eq!(paths, ["?status", "?limit", "?staus", "?limit"]);
    }
}
