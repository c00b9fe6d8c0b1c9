//! Slots of jobs that are processed, and of requests that wait.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ReturnValue;

use super::{Jobs, Lane};
use crate::dynamo::send;
use crate::item::{from_item, string, time};
pub use crate::slots::Occupancy;
use crate::slots::{Slots, done_or_outdated};
use crate::{StoreError, store_error};
use docmill_domain::time::Timestamp;

/// What an account holds slots for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot<'a> {
    /// Jobs that are processed.
    Running(&'a Lane),
    /// Requests that wait for a job.
    Waiting {
        /// Whose requests they are.
        account: &'a str,
    },
}

impl Jobs {
    fn slots(&self, slot: &Slot<'_>) -> Slots<'_> {
        let id = match slot {
            Slot::Running(lane) => format!("running#{lane}"),
            Slot::Waiting { account } => format!("waits#{account}"),
        };
        Slots { client: &self.client, table: &self.table, key: HashMap::from([("id".to_owned(), string(id))]) }
    }

    /// Takes one of `most` slots until `until`, and gives up `instead`, a slot that was reserved for the holder. False if all
    /// slots are taken.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn take_slot(
        &self,
        slot: &Slot<'_>,
        holder: &str,
        instead: Option<&str>,
        most: u64,
        times: (Timestamp, Timestamp),
    ) -> Result<bool, StoreError> {
        self.slots(slot).take(holder, instead, most, times).await
    }

    /// Gives a slot back, and returns what is left. A slot that has ended or was never taken changes nothing.
    ///
    /// # Errors
    /// If the table can't be written now. Then the slot ends with its time.
    pub async fn return_slot(&self, slot: &Slot<'_>, holder: &str) -> Result<Occupancy, StoreError> {
        self.slots(slot).give_back(holder).await
    }

    /// Notes that a job is held back, and returns the slots. This only saves reads: the sweeper finds held jobs without it.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_held(&self, slot: &Slot<'_>, now: Timestamp) -> Result<Occupancy, StoreError> {
        let update = self
            .slots(slot)
            .update()
            .update_expression("SET held_at = :now")
            .expression_attribute_values(":now", time(now))
            .return_values(ReturnValue::AllNew);
        let output = Box::pin(send(update)).await.map_err(|error| store_error(&error))?;
        Ok(output.attributes.map(from_item).transpose()?.unwrap_or_default())
    }

    /// Notes that no jobs are held back, unless one was since `seen`.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_none_held(&self, slot: &Slot<'_>, seen: Timestamp) -> Result<(), StoreError> {
        let update = self
            .slots(slot)
            .update()
            .condition_expression("held_at = :seen")
            .update_expression("REMOVE held_at")
            .expression_attribute_values(":seen", time(seen));
        done_or_outdated(Box::pin(send(update)).await)
    }
}
