//! The log: the order of an account's events.
//!
//! Ids of events are not in the order in which they were written: an id has the time of a job's end, and writing that end may take
//! minutes. Who reads up to an id would miss events that are written later. So each event gets a place in its account's log after
//! it was written. Nobody needs a log whose account never reads its events, so only a reader appends the new ones first.
//!
//! The log consists of numbered pages. Each is one item, written once:
//!
//! 1. Pages are written one after the other: a page is only appended by who has read the page before it. So who reads a page, with
//!    strongly consistent reads, sees or has seen all pages before it.
//! 2. A page is only appended once all events of the page before it are marked with their places. So an event without a mark is in
//!    the last page or in none, and no event is in two pages.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::KeysAndAttributes;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::{Events, StoredEvent, event_key};
use crate::dynamo::{failed_condition, get_items, only, readable, send};
use crate::item::{Item, UNLISTED, from_item, nested, number, string};
use crate::{StoreError, store_error};
use docmill_domain::event::{EVENT_RETENTION, EventKind, event_ids_at, event_time};
use docmill_domain::job::JobId;
use docmill_domain::time::Timestamp;

/// Most events in a page of the log.
const MOST_IN_PAGE: usize = 100;
/// Most pages that one request appends. A reader with more new events gets them with its next requests.
const MOST_APPENDED: usize = 4;
/// How often others may append the same page first.
const TRIES: usize = 8;
/// Most entries that one request looks at, as for jobs.
const LOOKED_AT: usize = 1000;
const PAGES_PER_QUERY: i32 = 100;
const MARKED_AT_ONCE: usize = 10;
/// Pages outlive their events, so that their numbers only grow.
const PAGE_OUTLIVES: std::time::Duration = std::time::Duration::from_secs(2 * 86_400);

/// An event's place in its account's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    page: u64,
    entry: usize,
}

impl Place {
    /// Before all events.
    pub const START: Self = Self { page: 0, entry: 0 };
}

/// Which events are read.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only events after the first and before the second place.
    pub after: Option<Place>,
    /// See [`after`](Self::after).
    pub before: Option<Place>,
    /// Only events of this kind.
    pub kind: Option<EventKind>,
    /// Only events about this job.
    pub job: Option<JobId>,
}

/// The place that an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The event's place.
    At(Place),
    /// The event is no longer kept: it was before all that are.
    Expired,
    /// The account never had such an event.
    Unknown,
}

/// Events in their order.
#[derive(Debug, Default)]
pub struct Listed {
    /// No more than were asked for.
    pub events: Vec<StoredEvent>,
    /// The last event that was looked at, whether the filter admits it or not. Reading goes on after it.
    pub last: Option<String>,
    /// Whether there may be more now.
    pub more: bool,
}

/// What a page says about an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    id: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    job: Option<JobId>,
}

/// A page of the log.
#[derive(Debug, Deserialize)]
struct Page {
    id: String,
    entries: Vec<Entry>,
    ttl: i64,
}

/// What an event says about its place.
#[derive(Debug, Deserialize)]
struct Candidate {
    id: String,
    kind: String,
    #[serde(default)]
    job: Option<JobId>,
    #[serde(default)]
    unlisted: Option<String>,
    ttl: i64,
}

const FIRST_PAGE: u64 = 1;
const LAST_KEY: &str = "page#~";

fn page_key(number: u64) -> String {
    format!("page#{number:012}")
}

impl Page {
    fn number(&self) -> Result<u64, StoreError> {
        let number = self.id.strip_prefix("page#").and_then(|number| number.parse().ok());
        number.ok_or_else(|| StoreError::Malformed("a page of events without a number".into()))
    }
}

impl EventFilter {
    fn admits(&self, entry: &Entry) -> bool {
        self.kind.is_none_or(|kind| kind.as_str() == entry.kind) && self.job.is_none_or(|job| entry.job == Some(job))
    }

    /// Whether the place is after the first bound.
    fn begins_before(&self, place: Place) -> bool {
        self.after.is_none_or(|after| after < place)
    }

    fn ends_before(&self, place: Place) -> bool {
        self.before.is_some_and(|before| before <= place)
    }
}

impl Events {
    /// The place of an event of this account.
    ///
    /// # Errors
    /// If the table can't be read now, or new events can't be added to the log.
    pub async fn place_of(&self, account: &str, id: &str, now: Timestamp) -> Result<Bound, StoreError> {
        let Some(recorded_at) = event_time(id) else { return Ok(Bound::Unknown) };
        for _ in 0..2 {
            match self.get(account, id, now).await? {
                None if recorded_at.plus(EVENT_RETENTION) <= now => return Ok(Bound::Expired),
                None => return Ok(Bound::Unknown),
                Some(StoredEvent { place: Some(place), .. }) => return Ok(Bound::At(place)),
                // Timeline: the receiver of a webhook asks for the events after it, and nobody has listed this one yet. The index
                // may not show it either.
                Some(_) => drop(self.append(account, BTreeSet::from([id.to_owned()]), now).await?),
            }
        }
        // An event of the earlier form has no place.
        Ok(Bound::Unknown)
    }

    /// The account's events that the filter admits, oldest first, `limit` at most (up to 100). All that were written before are
    /// among them, in this answer or a later one.
    ///
    /// # Errors
    /// If the table can't be read now, or new events can't be added to the log.
    pub async fn list(
        &self,
        account: &str,
        filter: &EventFilter,
        limit: usize,
        now: Timestamp,
    ) -> Result<Listed, StoreError> {
        let unlisted_left = self.append_new(account, now).await?;
        let (entries, mut listed) = self.look(account, filter, limit, now).await?;
        listed.more |= unlisted_left && filter.before.is_none();
        let keys = entries.iter().map(|entry| event_key(account, &entry.id)).collect();
        let found =
            get_items(&self.client, &self.table, keys, &KeysAndAttributes::builder().consistent_read(true)).await?;
        let found = readable::<StoredEvent>(found).into_iter().filter(|event| event.ttl > now.as_ttl_seconds());
        let mut found: BTreeMap<_, _> = found.map(|event| (event.id.clone(), event)).collect();
        listed.events = entries.iter().filter_map(|entry| found.remove(&entry.id)).collect();
        Ok(listed)
    }

    /// The entries that the filter admits.
    async fn look(
        &self,
        account: &str,
        filter: &EventFilter,
        limit: usize,
        now: Timestamp,
    ) -> Result<(Vec<Entry>, Listed), StoreError> {
        let (mut entries, mut listed, mut looked_at) = (Vec::new(), Listed::default(), 0);
        let mut from = filter.after.map_or(FIRST_PAGE, |after| after.page);
        loop {
            let pages = self.pages(account, from).await?;
            for page in pages.iter().filter(|page| page.ttl > now.as_ttl_seconds()) {
                let number = page.number()?;
                for (entry, told) in page.entries.iter().enumerate() {
                    let place = Place { page: number, entry };
                    if filter.ends_before(place) {
                        return Ok((entries, listed));
                    }
                    if !filter.begins_before(place) {
                        continue;
                    }
                    if entries.len() >= limit || looked_at >= LOOKED_AT {
                        listed.more = true;
                        return Ok((entries, listed));
                    }
                    looked_at += 1;
                    listed.last = Some(told.id.clone());
                    entries.extend(Some(told.clone()).filter(|entry| filter.admits(entry)));
                }
            }
            match pages.last() {
                Some(last) => from = last.number()? + 1,
                None => return Ok((entries, listed)),
            }
        }
    }

    /// Pages of the log from this number on, by a strongly consistent read.
    async fn pages(&self, account: &str, from: u64) -> Result<Vec<Page>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(page_key(from)))
            .expression_attribute_values(":last", string(LAST_KEY))
            .consistent_read(true)
            .limit(PAGES_PER_QUERY);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        output.items.unwrap_or_default().into_iter().map(from_item).collect()
    }

    async fn last_page(&self, account: &str) -> Result<Option<Page>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND begins_with(id, :pages)")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":pages", string("page#"))
            .consistent_read(true)
            .scan_index_forward(false)
            .limit(1);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        output.items.and_then(|mut items| items.pop()).map(from_item).transpose()
    }

    /// Appends the events that the index shows. True if there may be more.
    async fn append_new(&self, account: &str, now: Timestamp) -> Result<bool, StoreError> {
        for _ in 0..MOST_APPENDED {
            let candidates = self.unlisted(account, now).await?;
            let all = candidates.len() < MOST_IN_PAGE;
            if !candidates.is_empty() {
                self.append(account, candidates, now).await?;
            }
            if all {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Events that may have no place yet. The index may be late: it misses new ones, and shows some that have just got a place.
    async fn unlisted(&self, account: &str, now: Timestamp) -> Result<BTreeSet<String>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(UNLISTED)
            // What is past its time is not listed any more, and DynamoDB deletes it late: it must not hide newer events.
            .key_condition_expression("unlisted = :account AND id >= :oldest")
            .expression_attribute_values(":oldest", string(event_ids_at(now.minus(EVENT_RETENTION)).0))
            .expression_attribute_values(":account", string(account))
            .limit(i32::try_from(MOST_IN_PAGE).unwrap_or(i32::MAX));
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let id = |item: &Item| item.get("id")?.as_s().ok().cloned();
        Ok(output.items.unwrap_or_default().iter().filter_map(id).collect())
    }

    /// Gives these events places at the end of the log, unless they have one.
    async fn append(&self, account: &str, candidates: BTreeSet<String>, now: Timestamp) -> Result<(), StoreError> {
        for _ in 0..TRIES {
            let last = self.last_page(account).await?;
            let last_number = last.as_ref().map_or(Ok(FIRST_PAGE - 1), Page::number)?;
            let in_last = last.map(|page| page.entries).unwrap_or_default();
            let unmarked = self.unmarked(account, &in_last, &candidates).await?;
            // Timeline: A appends page 7 and dies before all its events are marked. B marks them before it appends page 8.
            self.mark(account, last_number, &in_last, &unmarked).await?;
            let is_new = |event: &&Candidate| {
                event.ttl > now.as_ttl_seconds() && in_last.iter().all(|entry| entry.id != event.id)
            };
            let new: Vec<Entry> = unmarked
                .values()
                .filter(is_new)
                .map(|Candidate { id, kind, job, .. }| Entry { id: id.clone(), kind: kind.clone(), job: *job })
                .collect();
            if new.is_empty() {
                return Ok(());
            }
            if self.write_page(account, last_number + 1, &new, now).await? {
                return self.mark(account, last_number + 1, &new, &unmarked).await;
            }
        }
        Err(StoreError::Unavailable("the log of events grew during every attempt".into()))
    }

    /// Those of the last page's events and of the candidates that have no mark, by strongly consistent reads.
    async fn unmarked(
        &self,
        account: &str,
        in_last: &[Entry],
        candidates: &BTreeSet<String>,
    ) -> Result<BTreeMap<String, Candidate>, StoreError> {
        let ids: BTreeSet<&String> = in_last.iter().map(|entry| &entry.id).chain(candidates).collect();
        let keys = ids.into_iter().map(|id| event_key(account, id)).collect();
        let wanted = only(&["id", "kind", "job", "unlisted", "ttl"]).consistent_read(true);
        let found = readable::<Candidate>(get_items(&self.client, &self.table, keys, &wanted).await?);
        let unmarked = found.into_iter().filter(|event| event.unlisted.is_some());
        Ok(unmarked.map(|event| (event.id.clone(), event)).collect())
    }

    /// False if there is a page of this number.
    async fn write_page(
        &self,
        account: &str,
        page: u64,
        entries: &[Entry],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let ends = now.plus(EVENT_RETENTION).plus(PAGE_OUTLIVES).as_ttl_seconds();
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(event_key(account, &page_key(page))))
            // Timeline: A and B read page 7 and the same new events. A appends page 8. B's condition fails: B reads page 8, and
            // finds that the events are in it.
            .condition_expression("attribute_not_exists(id)")
            .update_expression("SET entries = :entries, #ttl = :ttl")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":entries", nested(&entries)?)
            .expression_attribute_values(":ttl", number(ends));
        match Box::pin(send(update)).await {
            Ok(_) => Ok(true),
            Err(error) if failed_condition(&error).is_some() => Ok(false),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Marks the unmarked events of a page with their places, which takes them out of the index.
    async fn mark(
        &self,
        account: &str,
        page: u64,
        entries: &[Entry],
        unmarked: &BTreeMap<String, Candidate>,
    ) -> Result<(), StoreError> {
        let places = entries.iter().enumerate().filter(|(_, entry)| unmarked.contains_key(&entry.id));
        let marks = places.map(|(entry, told)| self.mark_one(account, &told.id, Place { page, entry }));
        stream::iter(marks.collect::<Vec<_>>()).buffer_unordered(MARKED_AT_ONCE).try_collect().await
    }

    async fn mark_one(&self, account: &str, id: &str, place: Place) -> Result<(), StoreError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(event_key(account, id)))
            // Timeline: two readers mark the same event with the same place, or DynamoDB deletes it at the end of its time. The
            // second write changes nothing, and does not create the event again.
            .condition_expression("attribute_exists(unlisted)")
            .update_expression("SET place = :place REMOVE unlisted")
            .expression_attribute_values(":place", nested(&place)?);
        match Box::pin(send(update)).await {
            Ok(_) => Ok(()),
            Err(error) if failed_condition(&error).is_some() => Ok(()),
            Err(error) => Err(store_error(&error)),
        }
    }
}
