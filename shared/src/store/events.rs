//! The Events table: webhook tests and prepared events, per account.

use aws_sdk_dynamodb::Client;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::item::to_item;
use super::{StoreError, store_error};
use crate::domain::time::Timestamp;

#[derive(Debug)]
pub struct Events {
    client: Client,
    table: String,
}

/// An item of the Events table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredEvent {
    pub account: String,
    /// `evt_` + UUIDv7, sorted by time.
    pub id: String,
    pub kind: String,
    pub recorded_at: Timestamp,
    pub data: Value,
    pub ttl: i64,
}

impl Events {
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    pub async fn record(&self, event: &StoredEvent) -> Result<(), StoreError> {
        self.client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(to_item(event)?))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }
}
