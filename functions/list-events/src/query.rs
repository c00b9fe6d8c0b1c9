//! Parses the query string.

use docmill_domain::breach::Breach;
use docmill_domain::event::EventKind;
use docmill_domain::job::JobId;
use docmill_http::query;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

#[derive(Debug)]
pub(crate) struct ListRequest {
    pub(crate) after: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) kind: Option<EventKind>,
    pub(crate) job: Option<JobId>,
    pub(crate) limit: usize,
}

impl ListRequest {
    pub(crate) fn parse(query: &[(String, String)]) -> Result<Self, Vec<Breach>> {
        let mut request = Self { after: None, before: None, kind: None, job: None, limit: DEFAULT_LIMIT };
        query::read_each(query, |name, value| request.take(name, value))?;
        Ok(request)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "after" => self.after = Some(value.to_owned()),
            "before" => self.before = Some(value.to_owned()),
            "type" => self.kind = Some(query::one_of(value, EventKind::ALL, EventKind::as_str)?),
            "jobId" => self.job = Some(JobId::parse(value).ok_or("must be the id of a job")?),
            "limit" => self.limit = query::whole_number(value, 1..=MAX_LIMIT)?,
            // Checked where it is used.
            "wait" => {}
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
    fn every_filter_is_read() {
        let job = JobId::new();
        let (id, after) = (job.to_string(), "evt_1");
        let query = [("after", after), ("type", "job.failed"), ("jobId", &id), ("limit", "100"), ("wait", "5")];
        let request = parse(&query).unwrap();
        assert_eq!((request.after.as_deref(), request.before), (Some(after), None));
        assert_eq!((request.kind, request.job, request.limit), (Some(EventKind::JobFailed), Some(job), 100));
        assert_eq!(parse(&[]).unwrap().limit, DEFAULT_LIMIT);
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let query = [("type", "webhook.test"), ("jobId", "x"), ("limit", "0"), ("until", "x"), ("limit", "5")];
        let breaches = parse(&query).unwrap_err();
        let paths: Vec<_> = breaches.iter().map(|breach| breach.path.as_str()).collect();
        assert_eq!(paths, ["?type", "?jobId", "?limit", "?until", "?limit"]);
    }
}
