use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::time::Duration;

use futures_util::{Stream, stream};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::client::Client;
use crate::error::Result;
use crate::jobs::LONGEST_WAIT;
use crate::models::{
    Batch, BatchResult, BatchResultsResponse, BatchStatus, BatchesResponse, DeliveriesResponse, Delivery,
    DeliveryStatus, Event, EventType, EventsResponse, Job, JobStatus, JobsResponse,
};
use crate::transport::Call;

/// If too many requests wait already, one more is answered at once.
const CROWDED: Duration = Duration::from_secs(5);

/// The entries of a list. A page is asked for when the one before is used up.
pub type Entries<T> = Pin<Box<dyn Stream<Item = Result<T>> + Send>>;

/// Chooses jobs. Its default chooses all.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    /// Only jobs in this state.
    pub status: Option<JobStatus>,
    /// Only jobs of this tool.
    pub tool_slug: Option<String>,
    /// Only jobs that were created after this moment.
    pub created_after: Option<Timestamp>,
    /// Only jobs that were created before this moment.
    pub created_before: Option<Timestamp>,
    /// Labels that jobs must have.
    pub metadata: BTreeMap<String, String>,
    /// How many jobs one request asks for: 1 to 100, by default 20.
    pub page_size: Option<u32>,
}

/// Chooses events. Its default chooses all that are kept.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only events after this one, by its id.
    pub after: Option<String>,
    /// Only events before this one, by its id.
    pub before: Option<String>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// Only events about this job.
    pub job_id: Option<String>,
    /// How many events one request asks for: 1 to 100, by default 20.
    pub page_size: Option<u32>,
    /// Goes on at the end of the list, and waits for further events.
    pub follow: bool,
}

/// Chooses deliveries of a webhook. Its default chooses all.
#[derive(Clone, Debug, Default)]
pub struct DeliveryFilter {
    /// Only deliveries with this status.
    pub status: Option<DeliveryStatus>,
    /// Only deliveries of events of this type.
    pub event_type: Option<EventType>,
    /// Only the delivery of this event.
    pub event_id: Option<String>,
    /// How many deliveries one request asks for: 1 to 100, by default 20.
    pub page_size: Option<u32>,
}

/// Chooses batches. Its default chooses all.
#[derive(Clone, Debug, Default)]
pub struct BatchFilter {
    /// Only batches in this state.
    pub status: Option<BatchStatus>,
    /// How many batches one request asks for: 1 to 100, by default 20.
    pub page_size: Option<u32>,
}

/// A page of a list.
struct Page<T> {
    entries: Vec<T>,
    /// What the next request sends in the list's parameter, if there is one.
    next: Option<String>,
    has_more: bool,
}

trait PageOf<T> {
    /// Where the next page begins.
    const PARAMETER: &'static str;
    fn page(self) -> Page<T>;
}

impl PageOf<Job> for JobsResponse {
    const PARAMETER: &'static str = "cursor";
    fn page(self) -> Page<Job> {
        Page { entries: self.jobs, has_more: self.next_cursor.is_some(), next: self.next_cursor }
    }
}

impl PageOf<Event> for EventsResponse {
    const PARAMETER: &'static str = "after";
    fn page(self) -> Page<Event> {
        Page { entries: self.events, has_more: self.has_more, next: self.next_cursor }
    }
}

impl PageOf<Delivery> for DeliveriesResponse {
    const PARAMETER: &'static str = "cursor";
    fn page(self) -> Page<Delivery> {
        Page { entries: self.deliveries, has_more: self.has_more && self.next_cursor.is_some(), next: self.next_cursor }
    }
}

impl PageOf<Batch> for BatchesResponse {
    const PARAMETER: &'static str = "cursor";
    fn page(self) -> Page<Batch> {
        Page { entries: self.batches, has_more: self.next_cursor.is_some(), next: self.next_cursor }
    }
}

impl PageOf<BatchResult> for BatchResultsResponse {
    const PARAMETER: &'static str = "cursor";
    fn page(self) -> Page<BatchResult> {
        Page { entries: self.results, has_more: self.next_cursor.is_some(), next: self.next_cursor }
    }
}

impl Client {
    /// The account's batches, newest first.
    pub fn batches(&self, filter: &BatchFilter) -> Result<Entries<Batch>> {
        let call =
            Call::get(&["v1", "batches"])?.query("status", filter.status.as_ref()).query("limit", filter.page_size);
        Ok(self.entries::<BatchesResponse, _>(call, false))
    }

    /// What became of each item of a batch, in their order: a link to its result, or why there is none. `page_size`: how many one request
    /// asks for, 1 to 1,000.
    pub fn batch_results(&self, id: &str, page_size: Option<u32>) -> Result<Entries<BatchResult>> {
        let call = Call::get(&["v1", "batches", id, "download"])?.query("limit", page_size);
        Ok(self.entries::<BatchResultsResponse, _>(call, false))
    }

    /// The account's jobs, newest first.
    pub fn jobs(&self, filter: &JobFilter) -> Result<Entries<Job>> {
        let mut call = Call::get(&["v1", "jobs"])?
            .query("status", filter.status.as_ref())
            .query("toolSlug", filter.tool_slug.as_ref())
            .query("createdAfter", filter.created_after)
            .query("createdBefore", filter.created_before)
            .query("limit", filter.page_size);
        for (name, value) in &filter.metadata {
            call = call.query(&format!("metadata.{name}"), Some(value));
        }
        Ok(self.entries::<JobsResponse, _>(call, false))
    }

    /// The account's events, oldest first. To go on later, remember the last event's id for [`EventFilter::after`].
    pub fn events(&self, filter: &EventFilter) -> Result<Entries<Event>> {
        let call = Call::get(&["v1", "events"])?
            .query("after", filter.after.as_ref())
            .query("before", filter.before.as_ref())
            .query("type", filter.event_type.as_ref())
            .query("jobId", filter.job_id.as_ref())
            .query("limit", filter.page_size)
            .wait(if filter.follow { LONGEST_WAIT } else { Duration::ZERO });
        Ok(self.entries::<EventsResponse, _>(call, filter.follow))
    }

    /// What was sent to a webhook, newest first.
    pub fn deliveries(&self, webhook_id: &str, filter: &DeliveryFilter) -> Result<Entries<Delivery>> {
        let call = Call::get(&["v1", "webhooks", webhook_id, "deliveries"])?
            .query("status", filter.status.as_ref())
            .query("type", filter.event_type.as_ref())
            .query("eventId", filter.event_id.as_ref())
            .query("limit", filter.page_size);
        Ok(self.entries::<DeliveriesResponse, _>(call, false))
    }

    /// `follow`: there is always another page, for which the API waits.
    fn entries<P, T>(&self, call: Call, follow: bool) -> Entries<T>
    where
        P: PageOf<T> + DeserializeOwned + Send,
        T: Send + 'static,
    {
        let list = List { client: self.clone(), next: Some(call), entries: VecDeque::new(), follow };
        Box::pin(stream::try_unfold(list, |mut list| async move {
            loop {
                if let Some(entry) = list.entries.pop_front() {
                    return Ok(Some((entry, list)));
                }
                let Some(call) = list.next.take() else { return Ok(None) };
                list.read::<P>(call).await?;
            }
        }))
    }
}

struct List<T> {
    client: Client,
    next: Option<Call>,
    entries: VecDeque<T>,
    follow: bool,
}

impl<T> List<T> {
    async fn read<P: PageOf<T> + DeserializeOwned>(&mut self, call: Call) -> Result<()> {
        let answer = self.client.send(&call).await?;
        let page = answer.json::<P>()?.page();
        if self.follow && page.entries.is_empty() && !answer.headers.contains_key("preference-applied") {
            tokio::time::sleep(CROWDED).await;
        }
        if page.has_more || self.follow {
            self.next = Some(call.query(P::PARAMETER, page.next));
        }
        self.entries = page.entries.into();
        Ok(())
    }
}
