//! DynamoDB's API: reads, transactions, and the meaning of failures. No other module interprets them.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemError;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::builders::KeysAndAttributesBuilder;
use aws_sdk_dynamodb::types::{CancellationReason, KeysAndAttributes, Put, TransactWriteItem, Update};
use rand::RngExt;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::item::{DUE, Item, from_item, string, time};
use super::{StoreError, store_error};
use docmill_domain::time::Timestamp;

/// Most tries of a change that conflicts with others.
pub(super) const TRIES: u32 = 8;
/// The first pause between tries is at most this long.
const FIRST_PAUSE_MS: u64 = 20;
const LONGEST_PAUSE_MS: u64 = 640;
/// Most keys in one `BatchGetItem`.
const BATCH: usize = 100;

/// A strongly consistent read of one item.
pub(super) async fn get<T: DeserializeOwned>(client: &Client, table: &str, key: Item) -> Result<Option<T>, StoreError> {
    read(client, table, key, true).await
}

/// An eventually consistent read at half the price, which may be late.
pub(super) async fn glimpse<T: DeserializeOwned>(
    client: &Client,
    table: &str,
    key: Item,
) -> Result<Option<T>, StoreError> {
    read(client, table, key, false).await
}

async fn read<T: DeserializeOwned>(
    client: &Client,
    table: &str,
    key: Item,
    consistent: bool,
) -> Result<Option<T>, StoreError> {
    let read = client.get_item().table_name(table).set_key(Some(key)).consistent_read(consistent).send().await;
    read.map_err(|error| store_error(&error))?.item.map(from_item).transpose()
}

/// Strongly consistent reads of several items in any order. Unknown ones are left out.
pub(super) async fn get_all<T: DeserializeOwned>(
    client: &Client,
    table: &str,
    keys: Vec<Item>,
) -> Result<Vec<T>, StoreError> {
    let wanted = KeysAndAttributes::builder().consistent_read(true);
    get_items(client, table, keys, &wanted).await?.into_iter().map(from_item).collect()
}

/// The same, as DynamoDB items. `wanted`: how to read, and which attributes.
pub(super) async fn get_items(
    client: &Client,
    table: &str,
    keys: Vec<Item>,
    wanted: &KeysAndAttributesBuilder,
) -> Result<Vec<Item>, StoreError> {
    let mut found = Vec::with_capacity(keys.len());
    for keys in keys.chunks(BATCH) {
        found.extend(batch_get(client, table, wanted.clone().set_keys(Some(keys.to_vec()))).await?);
    }
    Ok(found)
}

/// Only these attributes of each item. All names have placeholders, because many are reserved words.
pub(super) fn only(attributes: &[&str]) -> KeysAndAttributesBuilder {
    let names = attributes.iter().map(|name| (format!("#{name}"), (*name).to_owned()));
    let names: HashMap<String, String> = names.collect();
    let projection = names.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    KeysAndAttributes::builder().projection_expression(projection).set_expression_attribute_names(Some(names))
}

/// The items with these keys (100 at most) in any order. Unknown ones are left out.
///
/// DynamoDB leaves keys unprocessed when a response would exceed 16 MB, and when it throttles a part of them. Those are asked for
/// again, until several reads in a row have found nothing.
pub(super) async fn batch_get(
    client: &Client,
    table: &str,
    wanted: KeysAndAttributesBuilder,
) -> Result<Vec<Item>, StoreError> {
    let mut wanted = HashMap::from([(table.to_owned(), wanted.build()?)]);
    let (mut found, mut fruitless) = (Vec::new(), 0);
    while !wanted.is_empty() {
        if fruitless == TRIES {
            return Err(StoreError::Unavailable("DynamoDB left part of the batch unread".into()));
        }
        let batch = client.batch_get_item().set_request_items(Some(wanted.clone()));
        match Box::pin(batch.send()).await {
            Ok(output) => {
                let read = output.responses.and_then(|mut tables| tables.remove(table)).unwrap_or_default();
                fruitless = if read.is_empty() { fruitless + 1 } else { 0 };
                found.extend(read);
                wanted = output.unprocessed_keys.unwrap_or_default();
            }
            Err(error) if is_throttled(&error) => fruitless += 1,
            Err(error) => return Err(store_error(&error)),
        }
        if !wanted.is_empty() {
            back_off(fruitless).await;
        }
    }
    Ok(found)
}

/// Whether DynamoDB processed none of the batch for lack of capacity.
fn is_throttled<R>(error: &SdkError<BatchGetItemError, R>) -> bool {
    let code = error.as_service_error().and_then(|error| error.meta().code());
    matches!(code, Some("ThrottlingException" | "ProvisionedThroughputExceededException" | "RequestLimitExceeded"))
}

/// The values of these items, except unreadable ones: one malformed item must not hide all others. Each is logged with its id.
pub(super) fn readable<T: DeserializeOwned>(items: Vec<Item>) -> Vec<T> {
    let read = |item: Item| {
        let item_id = item.get("id").and_then(|id| id.as_s().ok()).cloned().unwrap_or_default();
        from_item(item).inspect_err(|error| tracing::error!(item_id, %error, "an unreadable item is skipped")).ok()
    };
    items.into_iter().filter_map(read).collect()
}

/// All results of a query, page by page.
pub(super) async fn all<T: DeserializeOwned>(query: QueryFluentBuilder) -> Result<Vec<T>, StoreError> {
    all_items(query).await?.into_iter().map(from_item).collect()
}

/// The same, as DynamoDB items.
pub(super) async fn all_items(query: QueryFluentBuilder) -> Result<Vec<Item>, StoreError> {
    let mut pages = query.into_paginator().items().send();
    let mut found = Vec::new();
    while let Some(item) = pages.next().await {
        found.push(item.map_err(|error| store_error(&error))?);
    }
    Ok(found)
}

/// `Some` if the update's condition failed, with the current item.
pub(super) fn failed_condition<R>(error: &SdkError<UpdateItemError, R>) -> Option<Option<Item>> {
    match error.as_service_error() {
        Some(UpdateItemError::ConditionalCheckFailedException(failed)) => Some(failed.item.clone()),
        _ => None,
    }
}

/// Sends an update. Retries while a transaction holds the item, which only takes moments.
pub(super) async fn send(update: UpdateItemFluentBuilder) -> Result<UpdateItemOutput, SdkError<UpdateItemError>> {
    let mut attempt = 0;
    loop {
        // Boxed: futures of SDK calls are large and deeply nested.
        let result = Box::pin(update.clone().send()).await;
        match &result {
            Err(error) if attempt < TRIES && is_conflict(error) => back_off(attempt).await,
            Ok(_) | Err(_) => return result,
        }
        attempt += 1;
    }
}

fn is_conflict(error: &SdkError<UpdateItemError>) -> bool {
    error.as_service_error().is_some_and(UpdateItemError::is_transaction_conflict_exception)
}

/// The outcome of a transaction.
#[derive(Debug)]
pub(super) enum Transacted {
    Committed,
    /// Nothing was written because conditions failed: the position of each part, with the current item if requested.
    Failed(Vec<(usize, Option<Item>)>),
    /// Nothing was written because of another transaction: the positions of the affected parts, if known.
    Contended(Vec<usize>),
}

/// One attempt. The SDK gives its retries one token, so that a repetition after a lost response changes nothing.
pub(super) async fn transact(client: &Client, writes: Vec<TransactWriteItem>) -> Result<Transacted, StoreError> {
    transact_as(client, None, writes).await
}

/// The same with the caller's own token, which must always stand for the same writes.
pub(super) async fn transact_as(
    client: &Client,
    token: Option<String>,
    writes: Vec<TransactWriteItem>,
) -> Result<Transacted, StoreError> {
    let transaction = client.transact_write_items().set_client_request_token(token).set_transact_items(Some(writes));
    let Err(error) = Box::pin(transaction.send()).await else { return Ok(Transacted::Committed) };
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => judge(canceled.cancellation_reasons()),
        Some(TransactWriteItemsError::TransactionInProgressException(_)) => Ok(Transacted::Contended(Vec::new())),
        _ => Err(store_error(&error)),
    }
}

fn positions(reasons: &[CancellationReason], code: &str) -> Vec<usize> {
    let reasons = reasons.iter().enumerate();
    reasons.filter(|(_, reason)| reason.code() == Some(code)).map(|(position, _)| position).collect()
}

fn judge(reasons: &[CancellationReason]) -> Result<Transacted, StoreError> {
    let failed: Vec<_> = reasons
        .iter()
        .enumerate()
        .filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))
        .map(|(position, reason)| (position, reason.item().cloned()))
        .collect();
    if !failed.is_empty() {
        return Ok(Transacted::Failed(failed));
    }
    match reasons.iter().find(|reason| reason.code() == Some("ValidationError")) {
        Some(refused) => Err(StoreError::Refused(refused.message().unwrap_or("ValidationError").to_owned())),
        None => Ok(Transacted::Contended(positions(reasons, "TransactionConflict"))),
    }
}

/// Waits before the next try: longer each time, with jitter.
pub(super) async fn back_off(attempt: u32) {
    tokio::time::sleep(jitter((FIRST_PAUSE_MS << attempt.min(5)).min(LONGEST_PAUSE_MS))).await;
}

/// A random pause of half the time to all of it.
fn jitter(longest_ms: u64) -> Duration {
    Duration::from_millis(rand::rng().random_range(longest_ms / 2..=longest_ms))
}

/// Pauses between tries that go on until a deadline. Each is up to twice as long as the one before.
#[derive(Debug)]
pub(super) struct Retries {
    deadline: Instant,
    pause_ms: u64,
    longest_ms: u64,
}

impl Retries {
    pub(super) fn within(patience: Duration) -> Self {
        Self::until(Instant::now() + patience, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    }

    pub(super) fn until(deadline: Instant, first_ms: u64, longest_ms: u64) -> Self {
        Self { deadline, pause_ms: first_ms, longest_ms }
    }

    pub(super) fn have_time(&self) -> bool {
        Instant::now() < self.deadline
    }

    /// Waits before the next try. Returns `error` if a retry can't help, or would come too late.
    pub(super) async fn pause(&mut self, error: StoreError) -> Result<(), StoreError> {
        match error {
            StoreError::Unavailable(_) => {}
            StoreError::Refused(_) | StoreError::Malformed(_) => return Err(error),
        }
        let pause = jitter(self.pause_ms);
        if Instant::now() + pause >= self.deadline {
            return Err(error);
        }
        tokio::time::sleep(pause).await;
        self.pause_ms = (self.pause_ms * 2).min(self.longest_ms);
        Ok(())
    }
}

pub(super) fn too_contended() -> StoreError {
    StoreError::Unavailable("other requests changed the same items during every attempt".into())
}

pub(super) fn update(update: Result<Update, BuildError>) -> Result<TransactWriteItem, StoreError> {
    Ok(TransactWriteItem::builder().update(update?).build())
}

pub(super) fn put(put: Result<Put, BuildError>) -> Result<TransactWriteItem, StoreError> {
    Ok(TransactWriteItem::builder().put(put?).build())
}

/// Since when the most overdue item of this partition of the index [`DUE`] is due; `None` if none is.
pub(super) async fn due_since(
    client: &Client,
    table: &str,
    shard: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let query = client
        .query()
        .table_name(table)
        .index_name(DUE)
        .key_condition_expression("due_shard = :shard AND due <= :now")
        .expression_attribute_values(":shard", string(shard))
        .expression_attribute_values(":now", time(now))
        .limit(1);
    let output = query.send().await.map_err(|error| store_error(&error))?;
    let first = output.items.unwrap_or_default().into_iter().next();
    Ok(first.and_then(|item| Some(Timestamp(item.get("due")?.as_n().ok()?.parse().ok()?))))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::{TcpListener, TcpStream};

    use aws_sdk_dynamodb::config::retry::RetryConfig;
    use aws_sdk_dynamodb::types::AttributeValue;
    use serde_json::{Value, json};

    use super::*;

    fn reason(code: &str) -> CancellationReason {
        CancellationReason::builder().code(code).message("why").build()
    }

    #[test]
    fn failed_conditions_decide_before_conflicts_and_refusals() {
        let failed =
            judge(&[reason("TransactionConflict"), reason("ConditionalCheckFailed"), reason("ValidationError")]);
        assert!(matches!(failed, Ok(Transacted::Failed(failed)) if failed.len() == 1 && failed[0].0 == 1));
        assert!(matches!(judge(&[reason("None"), reason("ThrottlingError")]), Ok(Transacted::Contended(_))));
        assert!(matches!(judge(&[reason("None"), reason("ValidationError")]), Err(StoreError::Refused(_))));
    }

    /// Answers each batch read like DynamoDB under load: at random, it throttles the read, or processes only a third of the keys.
    /// Returns its address.
    fn busy_table() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                answer(&mut connection.unwrap());
            }
        });
        address
    }

    fn answer(connection: &mut TcpStream) {
        let mut reader = BufReader::new(connection.try_clone().unwrap());
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut request = vec![0; length];
        reader.read_exact(&mut request).unwrap();
        let wanted = serde_json::from_slice::<Value>(&request).unwrap()["RequestItems"]["jobs"].clone();
        let (status, body) = if rand::random() {
            (400, json!({"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}))
        } else {
            let keys = wanted["Keys"].as_array().unwrap();
            let (read, left) = keys.split_at(keys.len().div_ceil(3));
            let mut unprocessed = json!({});
            if !left.is_empty() {
                unprocessed["jobs"] = wanted.clone();
                unprocessed["jobs"]["Keys"] = left.into();
            }
            assert_eq!(wanted["ProjectionExpression"], "#id", "also when it asks for what was left");
            (200, json!({"Responses": {"jobs": read}, "UnprocessedKeys": unprocessed}))
        };
        let body = body.to_string();
        let head = format!("HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
        connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
    }

    fn client_of(address: String) -> Client {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version_latest()
            .region(aws_sdk_dynamodb::config::Region::new("test"))
            .credentials_provider(aws_credential_types::Credentials::new("key", "secret", None, None, "test"))
            .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)))
            .endpoint_url(address);
        Client::from_conf(config.build())
    }

    #[tokio::test]
    async fn a_batch_read_goes_on_past_unprocessed_keys_and_throttling() {
        let ids: Vec<String> = (0..130).map(|id| format!("{id:03}")).collect();
        let keys = ids.iter().map(|id| Item::from([("id".to_owned(), AttributeValue::S(id.clone()))]));
        let client = client_of(busy_table());
        let items = get_items(&client, "jobs", keys.collect(), &only(&["id"])).await.unwrap();
        let mut found: Vec<&str> = items.iter().map(|item| item["id"].as_s().unwrap().as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, ids, "each once");
    }

    #[test]
    fn an_unreadable_item_does_not_hide_others() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Job {
            attempts: u32,
        }
        let item = |value| Item::from([("attempts".to_owned(), value)]);
        let items = vec![item(AttributeValue::N("1".into())), item(AttributeValue::S("x".into())), Item::new()];
        assert_eq!(readable::<Job>(items), [Job { attempts: 1 }]);
    }
}
