//! Parses the query string.

use docmill_domain::batch::State;
use docmill_domain::breach::Breach;
use docmill_http::query;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ListRequest {
    pub(crate) state: Option<State>,
    pub(crate) limit: usize,
    pub(crate) cursor: Option<String>,
}

impl ListRequest {
    /// Fails with all breaches.
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut read = Self { state: None, limit: DEFAULT_LIMIT, cursor: None };
        query::read_each(query, |name, value| read.take(name, value))?;
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.state = Some(query::one_of(value, State::ALL, State::as_str)?),
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
        let read = parse(&[("status", "paused"), ("limit", "100"), ("cursor", "x")]).unwrap();
        assert_eq!(read, ListRequest { state: Some(State::Paused), limit: 100, cursor: Some("x".into()) });
        assert_eq!(parse(&[]).unwrap(), ListRequest { state: None, limit: DEFAULT_LIMIT, cursor: None });
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let wrong = parse(&[("status", "done"), ("limit", "0"), ("staus", "paused"), ("limit", "5")]);
        let paths: Vec<_> = wrong.unwrap_err().into_iter().map(|breach| breach.path).collect();
        assert_eq!(paths, ["?status", "?limit", "?staus", "?limit"]);
    }
}
