//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_domain::event::EventKind;
use docmill_domain::webhook::DeliveryState;
use docmill_http::query;
use docmill_store::webhooks::DeliveryFilter;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) filter: DeliveryFilter,
    pub(crate) cursor: Option<String>,
    pub(crate) limit: usize,
}

impl ListRequest {
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut request = Self { filter: DeliveryFilter::default(), cursor: None, limit: DEFAULT_LIMIT };
        query::read_each(query, |name, value| request.take(name, value))?;
        Ok(request)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.filter.states = states(value).ok_or("must be pending, delivered, failed or dropped")?,
            "type" => {
                let kind = query::one_of(value, EventKind::ALL, EventKind::as_str)?;
                self.filter.kind = Some(kind.as_str().to_owned());
            }
            "eventId" => self.filter.event = Some(value.to_owned()),
            "cursor" => self.cursor = Some(value.to_owned()),
            "limit" => self.limit = query::whole_number(value, 1..=MAX_LIMIT)?,
            _ => return Err(query::UNKNOWN.to_owned()),
        }
        Ok(())
    }
}

/// The states that are shown as this status.
fn states(status: &str) -> Option<Vec<DeliveryState>> {
    match status {
        "pending" => Some(vec![DeliveryState::Waiting, DeliveryState::Sending]),
        "delivered" => Some(vec![DeliveryState::Delivered]),
        "failed" => Some(vec![DeliveryState::Failed]),
        "dropped" => Some(vec![DeliveryState::Dropped]),
        _ => None,
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
    fn every_filter_is_read() {
        let query =
            [("status", "pending"), ("type", "job.failed"), ("eventId", "evt_1"), ("cursor", "evt_2"), ("limit", "7")];
        let request = parse(&query).unwrap();
        let expected = DeliveryFilter {
            states: vec![DeliveryState::Waiting, DeliveryState::Sending],
            kind: Some("job.failed".into()),
            event: Some("evt_1".into()),
            before: None,
        };
        assert_eq!((request.filter, request.cursor.as_deref(), request.limit), (expected, Some("evt_2"), 7));
        assert_eq!(parse(&[]).unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let breaches = parse(&[("status", "sent"), ("type", "x"), ("limit", "101"), ("until", "x")]).unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(paths, ["?status", "?type", "?limit", "?until"]);
    }
}
