//! The log of requests, in the Events table: one item for the requests of an account that the collector found in one go.
//!
//! An item's id has the time from which its requests were collected, so that newer items have greater ids. What an item says about
//! its requests is compressed JSON: twenty take about as much as one would otherwise.

use std::io::{Read, Write};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::item::{Item, number, string};
use super::{StoreError, store_error};
use docmill_domain::request_log::{LoggedRequest, RequestFilter};
use docmill_domain::time::Timestamp;

/// Most requests in an item.
const MOST_IN_ITEM: usize = 200;
/// Most bytes of an item's requests once they are unpacked: far more than that many take.
const MOST_UNPACKED: u64 = 1 << 20;
/// Most items that a page looks at. A filter that few match gives short pages rather than slow ones.
const LOOKED_AT: usize = 1000;
const ITEMS_PER_QUERY: i32 = 100;
const PREFIX: &str = "req#";
/// The id of an item is at most this far from the times of its requests: half an hour of them is stored together.
const LATE: Duration = Duration::from_secs(40 * 60);
/// No item has a greater part.
const MOST_PARTS: usize = 999;

/// The logs of requests, by account.
#[derive(Debug)]
pub struct Requests {
    client: Client,
    table: String,
}

/// What the collector found between two times.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// Included.
    pub from: Timestamp,
    /// Excluded.
    pub until: Timestamp,
}

/// The place of a request in its account's log: the item, and the request in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestMark {
    item: String,
    index: usize,
}

impl RequestMark {
    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (at, part, index) = (parts.next()?, parts.next()?, parts.next()?);
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let well_formed =
            parts.next().is_none() && at.len() == 15 && part.len() == 3 && is_number(at) && is_number(part);
        let index = index.parse().ok()?;
        well_formed.then(|| Self { item: format!("{PREFIX}{at}#{part}"), index })
    }
}

impl std::fmt::Display for RequestMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.item.trim_start_matches(PREFIX).replace('#', "-"), self.index)
    }
}

/// Requests, newest first.
#[derive(Debug, Default)]
pub struct RequestsPage {
    /// Each with its place.
    pub requests: Vec<(RequestMark, LoggedRequest)>,
    /// Where the next, older page begins, if there may be more.
    pub next: Option<RequestMark>,
}

/// An item.
#[derive(Debug)]
struct StoredRequests {
    id: String,
    packed: Vec<u8>,
    ttl: i64,
}

impl Requests {
    /// `table`: the Events table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// Stores an account's requests of this span, in the order in which their lines arrived. They are kept until `ends`.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn add(
        &self,
        account: &str,
        span: Span,
        requests: &[LoggedRequest],
        ends: Timestamp,
    ) -> Result<(), StoreError> {
        for (part, requests) in requests.chunks(MOST_IN_ITEM).enumerate() {
            let put = self
                .client
                .put_item()
                .table_name(&self.table)
                .item("account", string(account))
                .item("id", string(item_id(span.from, part)))
                .item("until", number(span.until.as_millis()))
                .item("requests", AttributeValue::B(Blob::new(packed(requests)?)))
                .item("ttl", number(ends.as_ttl_seconds()))
                // Timeline: A collects from 12:00 to 12:01 and is slow. B collects from 12:00 to 12:02, and so finds all that A has
                // found, first and in the same order, and more. B's items replace A's. If B is first, A's condition fails. A run
                // that is repeated for the same span fails too, and the items stay what they are.
                .condition_expression("attribute_not_exists(id) OR #until < :until")
                .expression_attribute_names("#until", "until")
                .expression_attribute_values(":until", number(span.until.as_millis()));
            match put.send().await {
                Ok(_) => {}
                Err(error)
                    if error.as_service_error().is_some_and(|error| error.is_conditional_check_failed_exception()) => {}
                Err(error) => return Err(store_error(&error)),
            }
        }
        Ok(())
    }

    /// The account's requests that the filter admits and that are older than `before`.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(
        &self,
        account: &str,
        filter: &RequestFilter,
        before: Option<&RequestMark>,
        limit: usize,
        now: Timestamp,
    ) -> Result<RequestsPage, StoreError> {
        let first = item_id(filter.from.map_or(Timestamp(0), |from| from.minus(LATE)), 0);
        let newest = filter.until.map_or_else(|| format!("{PREFIX}~"), |until| item_id(until.plus(LATE), MOST_PARTS));
        let last = before.map_or(newest.clone(), |before| before.item.clone().min(newest));
        let (mut page, mut looked_at, mut start) = (RequestsPage::default(), 0, None);
        // `BETWEEN` refuses bounds in the wrong order.
        if first > last {
            return Ok(page);
        }
        loop {
            let (items, further) = self.items(account, (&first, &last), start).await?;
            for item in items.into_iter().filter(|item| item.ttl > now.as_ttl_seconds()) {
                let seen = before.filter(|before| before.item == item.id).map(|before| before.index);
                for (index, request) in newest_first(&item)?.into_iter().enumerate() {
                    if seen.is_some_and(|seen| index <= seen) || !filter.admits(&request) {
                        continue;
                    }
                    if page.requests.len() == limit {
                        page.next = page.requests.last().map(|(mark, _)| mark.clone());
                        return Ok(page);
                    }
                    page.requests.push((RequestMark { item: item.id.clone(), index }, request));
                }
                looked_at += 1;
                page.next = Some(RequestMark { item: item.id, index: usize::MAX });
            }
            if further.is_none() {
                return Ok(RequestsPage { next: None, ..page });
            }
            if looked_at >= LOOKED_AT {
                return Ok(page);
            }
            start = further;
        }
    }

    /// Items between these ids, newest first, and where the query goes on.
    async fn items(
        &self,
        account: &str,
        (first, last): (&str, &str),
        start: Option<Item>,
    ) -> Result<(Vec<StoredRequests>, Option<Item>), StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(first))
            .expression_attribute_values(":last", string(last))
            .set_exclusive_start_key(start)
            .scan_index_forward(false)
            .limit(ITEMS_PER_QUERY);
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let items = output.items.unwrap_or_default().into_iter().map(StoredRequests::of);
        Ok((items.collect::<Result<_, _>>()?, output.last_evaluated_key))
    }
}

fn item_id(from: Timestamp, part: usize) -> String {
    format!("{PREFIX}{:015}#{part:03}", from.as_millis().max(0))
}

impl StoredRequests {
    fn of(mut item: Item) -> Result<Self, StoreError> {
        let text = |item: &Item, name: &str| item.get(name).and_then(|value| value.as_s().ok().cloned());
        let ttl = item.get("ttl").and_then(|value| value.as_n().ok()?.parse().ok());
        let (id, packed) = (text(&item, "id"), item.remove("requests"));
        match (id, packed, ttl) {
            (Some(id), Some(AttributeValue::B(packed)), Some(ttl)) => Ok(Self { id, packed: packed.into_inner(), ttl }),
            _ => Err(StoreError::Malformed("an item of the log of requests".into())),
        }
    }
}

fn newest_first(item: &StoredRequests) -> Result<Vec<LoggedRequest>, StoreError> {
    let mut requests = unpacked(&item.packed)?;
    requests.sort_by(|a, b| (b.at, &b.id).cmp(&(a.at, &a.id)));
    Ok(requests)
}

fn packed(requests: &[LoggedRequest]) -> Result<Vec<u8>, StoreError> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let json = serde_json::to_vec(requests).map_err(|error| malformed(&error))?;
    encoder.write_all(&json).and_then(|()| encoder.finish()).map_err(|error| malformed(&error))
}

fn unpacked(packed: &[u8]) -> Result<Vec<LoggedRequest>, StoreError> {
    let mut json = Vec::new();
    DeflateDecoder::new(packed).take(MOST_UNPACKED).read_to_end(&mut json).map_err(|error| malformed(&error))?;
    serde_json::from_slice(&json).map_err(|error| malformed(&error))
}

fn malformed(error: &impl std::fmt::Display) -> StoreError {
    StoreError::Malformed(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: u32) -> LoggedRequest {
        // As API Gateway and UUIDv7 make them: nothing of an id can be foretold from the one before.
        let random = uuid::Uuid::new_v4().simple().to_string();
        let job = uuid::Uuid::now_v7();
        LoggedRequest {
            id: format!("{}=", &random[..15]),
            at: Timestamp(1_795_000_000_000 + i64::from(number) * 2_917),
            method: if number.is_multiple_of(4) { "POST" } else { "GET" }.into(),
            path: if number.is_multiple_of(4) { "/v1/convert/merge-pdf".into() } else { format!("/v1/jobs/{job}") },
            status: if number.is_multiple_of(7) { 422 } else { 200 },
            code: number.is_multiple_of(7).then(|| "validation_failed".into()),
            key_id: "key_2f1a6c7e8d90".into(),
            duration_us: 9_000 + u64::from(number) * 137,
            job: None,
        }
    }

    #[test]
    fn requests_are_read_as_they_were_written() {
        let requests: Vec<_> = (0..200).map(request).collect();
        let item = StoredRequests { id: item_id(Timestamp(5), 0), packed: packed(&requests).unwrap(), ttl: 0 };
        let read = newest_first(&item).unwrap();
        assert_eq!(read, requests.iter().rev().cloned().collect::<Vec<_>>());
        assert!(unpacked(b"no deflate").is_err());
    }

    /// What `make cost` calculates with.
    #[test]
    fn sixty_requests_take_less_than_five_kilobytes() {
        let bytes = packed(&(0..60).map(request).collect::<Vec<_>>()).unwrap().len();
        assert!((1_000..5_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_mark_is_written_as_it_is_read() {
        let mark = RequestMark { item: item_id(Timestamp(1_795_000_000_000), 2), index: 17 };
        assert_eq!(mark.to_string(), "001795000000000-002-17");
        assert_eq!(RequestMark::parse(&mark.to_string()), Some(mark));
        for wrong in [
            "",
            "1-2-3",
            "001795000000000-002",
            "001795000000000-002-x",
            "001795000000000-002-1-1",
            "00179500000000~-002-1",
        ] {
            assert_eq!(RequestMark::parse(wrong), None, "{wrong}");
        }
    }
}
