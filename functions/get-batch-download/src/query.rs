//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_http::query;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    pub(crate) limit: u32,
    pub(crate) cursor: Option<String>,
}

impl PageRequest {
    /// Fails with all breaches.
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut read = Self { limit: DEFAULT_LIMIT, cursor: None };
        query::read_each(query, |name, value| read.take(name, value))?;
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
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

    fn parse(query: &[(&str, &str)]) -> Result<PageRequest, Vec<Breach>> {
        let query: Vec<_> = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        PageRequest::parse(&query)
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let read = parse(&[("limit", "1000"), ("cursor", "x")]).unwrap();
        assert_eq!(read, PageRequest { limit: 1000, cursor: Some("x".into()) });
        assert_eq!(parse(&[]).unwrap(), PageRequest { limit: DEFAULT_LIMIT, cursor: None });
        let wrong = parse(&[("limit", "1001"), ("page", "1"), ("limit", "1")]).unwrap_err();
        let paths: Vec<_> = wrong.into_iter().map(|breach| breach.path).collect();
        assert_eq!(paths, ["?limit", "?page", "?limit"]);
    }
}
