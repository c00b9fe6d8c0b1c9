//! Transactions whose conditions say that what was read is still so.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{CancellationReason, Put, TransactWriteItem, Update};
use rand::RngExt;

use super::item::Item;
use super::{StoreError, store_error};

/// How often a change is tried anew on what others have changed meanwhile.
pub(super) const TRIES: u32 = 8;

/// What became of one transaction.
#[derive(Debug)]
pub(super) enum Transacted {
    Committed,
    /// Nothing was written, because conditions failed: by the position of the part, with its old item where it asked for it.
    Failed(Vec<(usize, Option<Item>)>),
    /// Nothing was written, because another transaction was under way.
    Contended,
}

/// One attempt. Repetitions of it after a lost answer change nothing: the SDK gives them all one token.
pub(super) async fn transact(client: &Client, writes: Vec<TransactWriteItem>) -> Result<Transacted, StoreError> {
    let Err(error) = client.transact_write_items().set_transact_items(Some(writes)).send().await else {
        return Ok(Transacted::Committed);
    };
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => judge(canceled.cancellation_reasons()),
        Some(TransactWriteItemsError::TransactionInProgressException(_)) => Ok(Transacted::Contended),
        _ => Err(store_error(&error)),
    }
}

fn judge(reasons: &[CancellationReason]) -> Result<Transacted, StoreError> {
    if let Some(refused) = reasons.iter().find(|reason| reason.code() == Some("ValidationError")) {
        return Err(StoreError::Refused(refused.message().unwrap_or("ValidationError").to_owned()));
    }
    let failed: Vec<_> = reasons
        .iter()
        .enumerate()
        .filter(|(_, reason)| reason.code() == Some("ConditionalCheckFailed"))
        .map(|(position, reason)| (position, reason.item().cloned()))
        .collect();
    Ok(if failed.is_empty() { Transacted::Contended } else { Transacted::Failed(failed) })
}

/// Waits before another try, longer each time, and not as long as others do.
pub(super) async fn back_off(attempt: u32) {
    let longest = 20u64 << attempt.min(5);
    let pause = Duration::from_millis(rand::rng().random_range(longest / 2..=longest));
    tokio::time::sleep(pause).await;
}

pub(super) fn never_quiet() -> StoreError {
    StoreError::Unavailable("others changed the same items under every attempt".into())
}

pub(super) fn update(update: Result<Update, BuildError>) -> Result<TransactWriteItem, StoreError> {
    let update = update.map_err(|error| StoreError::Malformed(error.to_string()))?;
    Ok(TransactWriteItem::builder().update(update).build())
}

pub(super) fn put(put: Result<Put, BuildError>) -> Result<TransactWriteItem, StoreError> {
    let put = put.map_err(|error| StoreError::Malformed(error.to_string()))?;
    Ok(TransactWriteItem::builder().put(put).build())
}
