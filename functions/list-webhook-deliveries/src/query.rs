//! Parses the query string.

use docmill::domain::breach::Breach;
use docmill::domain::event::EventKind;
use docmill::domain::webhook::DeliveryState;
use docmill::store::webhooks::DeliveryFilter;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) filter: DeliveryFilter,
    pub(crate) limit: usize,
}

impl ListRequest {
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut request = Self { filter: DeliveryFilter::default(), limit: DEFAULT_LIMIT };
        let mut breaches = Vec::new();
        for (position, (name, value)) in query.iter().enumerate() {
            let taken = if query[..position].iter().any(|(earlier, _)| earlier == name) {
                Err("is given twice".to_owned())
            } else {
                request.take(name, value)
            };
            if let Err(message) = taken {
                let shown: String = name.chars().take(60).collect();
                breaches.push(Breach::new(format!("?{shown}"), message));
            }
        }
        if breaches.is_empty() { Ok(request) } else { Err(breaches) }
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "status" => self.filter.states = states(value).ok_or("must be pending, delivered, failed or dropped")?,
            "type" => {
                let known = EventKind::ALL.iter().any(|kind| kind.as_str() == value);
                let expected = || format!("must be one of {}", EventKind::ALL.map(EventKind::as_str).join(", "));
                self.filter.kind = Some(known.then(|| value.to_owned()).ok_or_else(expected)?);
            }
            "eventId" => self.filter.event = Some(value.to_owned()),
            "cursor" => self.filter.before = Some(value.to_owned()),
            "limit" => {
                let limit = value.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
                self.limit = limit.ok_or_else(|| format!("must be a whole number from 1 to {MAX_LIMIT}"))?;
            }
            _ => return Err("is not a filter of this list".to_owned()),
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
            before: Some("evt_2".into()),
        };
        assert_eq!((request.filter, request.limit), (expected, 7));
        assert_eq!(parse(&[]).unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let breaches = parse(&[("status", "sent"), ("type", "x"), ("limit", "101"), ("until", "x")]).unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(paths, ["?status", "?type", "?limit", "?until"]);
    }
}
