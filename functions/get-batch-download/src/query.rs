//! Parses the query string.

use docmill::domain::breach::Breach;

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageRequest {
    pub(crate) limit: u32,
    /// The first item of the page.
    pub(crate) first: u32,
}

impl PageRequest {
    /// Fails with all breaches.
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut read = Self { limit: DEFAULT_LIMIT, first: 0 };
        let mut breaches = Vec::new();
        for (position, (name, value)) in query.iter().enumerate() {
            let refusal = if query[..position].iter().any(|(earlier, _)| earlier == name) {
                Some("is given twice".to_owned())
            } else {
                read.take(name, value).err()
            };
            let shown: String = name.chars().take(60).collect();
            breaches.extend(refusal.map(|message| Breach::new(format!("?{shown}"), message)));
        }
        if breaches.is_empty() { Ok(read) } else { Err(breaches) }
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "limit" => {
                let limit = value.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
                self.limit = limit.ok_or_else(|| format!("must be a whole number from 1 to {MAX_LIMIT}"))?;
            }
            "cursor" => {
                self.first = value.parse().map_err(|_| "must be the `nextCursor` of a page of this list")?;
            }
            _ => return Err("is not known here".to_owned()),
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
        assert_eq!(parse(&[("limit", "1000"), ("cursor", "7")]).unwrap(), PageRequest { limit: 1000, first: 7 });
        assert_eq!(parse(&[]).unwrap(), PageRequest { limit: DEFAULT_LIMIT, first: 0 });
        let wrong = parse(&[("limit", "1001"), ("cursor", "x"), ("page", "1"), ("limit", "1")]).unwrap_err();
        let paths: Vec<_> = wrong.into_iter().map(|breach| breach.path).collect();
        assert_eq!(paths, ["?limit", "?cursor", "?page", "?limit"]);
    }
}
