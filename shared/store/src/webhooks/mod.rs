//! Webhooks in the Events table: endpoints (`wh_…`), and deliveries (`dlv#wh_…#evt_…`).
//!
//! The table is the truth, and messages only hurry. An event is in the index [`DUE`](super::item::DUE) until it is fanned out to
//! deliveries, and a delivery until it has ended. The sweeper sends a message for what is overdue.

mod deliveries;
mod endpoints;
mod job_urls;
mod limits;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;

pub use deliveries::{Claim, DeliveryFilter, Due, DueDeliveries, DueMark};
pub use endpoints::{Change, Created};

use super::dynamo::{failed_condition, send};
use super::item::{Item, string};
use super::{StoreError, store_error};

/// Endpoints of accounts, and deliveries to them.
#[derive(Debug)]
pub struct Webhooks {
    client: Client,
    table: String,
}

impl Webhooks {
    /// `table`: the Events table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }
}

fn key(account: &str, id: &str) -> Item {
    Item::from([("account".to_owned(), string(account)), ("id".to_owned(), string(id))])
}

/// False if the update's condition failed.
async fn done(update: UpdateItemFluentBuilder) -> Result<bool, StoreError> {
    match Box::pin(send(update)).await {
        Ok(_) => Ok(true),
        Err(error) if failed_condition(&error).is_some() => Ok(false),
        Err(error) => Err(store_error(&error)),
    }
}
