//! Daily budgets of accounts: bytes of uploads, and time of failed jobs. Each day is an item of the Usage table, which expires.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::types::ReturnValue;

use super::dynamo::{failed_condition, send};
use super::item::{Item, UsageItem, number};
use super::{StoreError, store_error};
use docmill_config::Tables;
use docmill_domain::api_key::Mode;
use docmill_domain::time::{Timestamp, millis};

/// What accounts have used of their daily budgets.
#[derive(Clone, Debug)]
pub struct Budgets {
    client: Client,
    table: String,
}

impl Budgets {
    /// Over the Usage table.
    pub fn new(client: Client, tables: &Tables) -> Self {
        Self { client, table: tables.usage.clone() }
    }

    /// Takes `bytes` from the day's budget of `most`. False if less is left.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn take_upload(
        &self,
        account: &str,
        mode: Mode,
        bytes: u64,
        most: u64,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let Some(before) = most.checked_sub(bytes) else { return Ok(false) };
        let update = self
            .add(UsageItem::Uploads(now, mode).key(account), bytes, now)
            // Timeline: a hundred requests compete for the last bytes of a day. The condition admits as many as fit.
            .condition_expression("attribute_not_exists(used) OR used <= :before")
            .expression_attribute_values(":before", number(before));
        match Box::pin(send(update)).await {
            Ok(_) => Ok(true),
            Err(error) if failed_condition(&error).is_some() => Ok(false),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Adds the time that a failed job was processed, and returns the day's sum with it.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn add_failure(&self, account: &str, worked: Duration, now: Timestamp) -> Result<Duration, StoreError> {
        let update =
            self.add(UsageItem::Failures(now).key(account), millis(worked), now).return_values(ReturnValue::UpdatedNew);
        let output = Box::pin(send(update)).await.map_err(|error| store_error(&error))?;
        let used = output.attributes.as_ref().and_then(|new| new.get("used")?.as_n().ok()?.parse().ok());
        let used = used.ok_or_else(|| StoreError::Malformed("a day's failures without their sum".into()))?;
        Ok(Duration::from_millis(used))
    }

    fn add(&self, key: Item, amount: u64, now: Timestamp) -> UpdateItemFluentBuilder {
        let ttl = now.next_day().plus(Duration::from_secs(86_400)).as_ttl_seconds();
        self.client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key))
            .update_expression("ADD used :amount SET #ttl = :ttl")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":amount", number(amount))
            .expression_attribute_values(":ttl", number(ttl))
    }
}
