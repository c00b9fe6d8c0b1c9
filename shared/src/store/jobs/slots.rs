//! Slots: an account holds at most so many of one kind at the same time, over all environments.
//!
//! Each kind is one item with a map from holder to the end of its slot. Nobody has to clean up after a holder that died: its slot
//! ends with its time, and the next one that finds no free slot removes it.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;

use super::{Jobs, Lane};
use crate::domain::time::Timestamp;
use crate::store::dynamo::{failed_condition, send};
use crate::store::item::{Item, from_item, number, string, time};
use crate::store::{StoreError, store_error};

/// One try without slots, one with slots that have ended, and one in between.
const TRIES: usize = 3;

/// What an account holds slots for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot<'a> {
    /// Jobs that are processed.
    Running(&'a Lane),
    /// Requests that wait for a job.
    Waiting { account: &'a str },
}

/// An account's slots of one kind.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Occupancy {
    /// When each holder's slot ends.
    #[serde(default)]
    slots: BTreeMap<String, Timestamp>,
    /// When a job was last held back for want of a slot, if any may still be.
    #[serde(default)]
    pub held_at: Option<Timestamp>,
}

impl Slot<'_> {
    fn key(&self) -> Item {
        let id = match self {
            Self::Running(lane) => format!("running#{lane}"),
            Self::Waiting { account } => format!("waits#{account}"),
        };
        HashMap::from([("id".to_owned(), string(id))])
    }
}

impl Occupancy {
    /// How many of `most` slots are free.
    pub fn free(&self, most: u64, now: Timestamp) -> u64 {
        let taken = self.slots.values().filter(|until| **until > now).count();
        most.saturating_sub(u64::try_from(taken).unwrap_or(u64::MAX))
    }

    fn ended(&self, now: Timestamp) -> Vec<&str> {
        self.slots.iter().filter(|(_, until)| **until <= now).map(|(holder, _)| holder.as_str()).collect()
    }
}

impl Jobs {
    /// Takes one of `most` slots until `until`, and gives up `instead`, a slot that was reserved for the holder. False if all
    /// slots are taken.
    pub async fn take_slot(
        &self,
        slot: &Slot<'_>,
        holder: &str,
        instead: Option<&str>,
        most: u64,
        (now, until): (Timestamp, Timestamp),
    ) -> Result<bool, StoreError> {
        for _ in 0..TRIES {
            let Some(found) = self.try_slot(slot, holder, instead, most, until).await? else { return Ok(true) };
            match found {
                None => self.prepare_slots(slot).await?,
                // The response to our own update was lost, and the SDK repeated it.
                Some(found) if found.slots.contains_key(holder) => return Ok(true),
                Some(found) => {
                    let ended = found.ended(now);
                    if ended.is_empty() {
                        return Ok(false);
                    }
                    self.remove_ended(slot, &ended, now).await?;
                }
            }
        }
        Ok(false)
    }

    /// `None` if the slot was taken; otherwise the slots that were found, if there are any.
    async fn try_slot(
        &self,
        slot: &Slot<'_>,
        holder: &str,
        instead: Option<&str>,
        most: u64,
        until: Timestamp,
    ) -> Result<Option<Option<Occupancy>>, StoreError> {
        let mut take = self
            .update_slots(slot)
            .expression_attribute_names("#holder", holder)
            .expression_attribute_values(":until", time(until))
            .expression_attribute_values(":most", number(most))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        // Timeline: forty workers receive messages of one account that may have fifteen running jobs. The condition admits
        // fifteen, and one more each time that a slot is given back.
        take = match instead {
            None => take.condition_expression("size(slots) < :most").update_expression("SET slots.#holder = :until"),
            // Timeline: a job ends, its slot is reserved for the next job, and a younger job comes first. It finds all slots
            // taken, and the next job finds its own.
            Some(reserved) => take
                .condition_expression("attribute_exists(slots.#reserved) OR size(slots) < :most")
                .update_expression("SET slots.#holder = :until REMOVE slots.#reserved")
                .expression_attribute_names("#reserved", reserved),
        };
        match Box::pin(send(take)).await {
            Ok(_) => Ok(None),
            Err(error) => match failed_condition(&error) {
                Some(found) => {
                    let found = found.filter(|item| item.contains_key("slots"));
                    Ok(Some(found.map(from_item).transpose()?))
                }
                None => Err(store_error(&error)),
            },
        }
    }

    /// Gives a slot back, and returns what is left. A slot that has ended or was never taken changes nothing.
    pub async fn return_slot(&self, slot: &Slot<'_>, holder: &str) -> Result<Occupancy, StoreError> {
        let update = self
            .update_slots(slot)
            .condition_expression("attribute_exists(slots)")
            .update_expression("REMOVE slots.#holder")
            .expression_attribute_names("#holder", holder)
            .return_values(ReturnValue::AllNew);
        match Box::pin(send(update)).await {
            Ok(output) => Ok(output.attributes.map(from_item).transpose()?.unwrap_or_default()),
            Err(error) if failed_condition(&error).is_some() => Ok(Occupancy::default()),
            Err(error) => Err(store_error(&error)),
        }
    }

    /// Notes that a job is held back, and returns the slots. This only saves reads: the sweeper finds held jobs without it.
    pub async fn note_held(&self, slot: &Slot<'_>, now: Timestamp) -> Result<Occupancy, StoreError> {
        let update = self
            .update_slots(slot)
            .update_expression("SET held_at = :now")
            .expression_attribute_values(":now", time(now))
            .return_values(ReturnValue::AllNew);
        let output = Box::pin(send(update)).await.map_err(|error| store_error(&error))?;
        Ok(output.attributes.map(from_item).transpose()?.unwrap_or_default())
    }

    /// Notes that no jobs are held back, unless one was since `seen`.
    pub async fn note_none_held(&self, slot: &Slot<'_>, seen: Timestamp) -> Result<(), StoreError> {
        let update = self
            .update_slots(slot)
            .condition_expression("held_at = :seen")
            .update_expression("REMOVE held_at")
            .expression_attribute_values(":seen", time(seen));
        done_or_outdated(Box::pin(send(update)).await)
    }

    /// An update of a nested value needs the map to exist.
    async fn prepare_slots(&self, slot: &Slot<'_>) -> Result<(), StoreError> {
        let update = self
            .update_slots(slot)
            .update_expression("SET slots = if_not_exists(slots, :none)")
            .expression_attribute_values(":none", AttributeValue::M(HashMap::new()));
        Box::pin(send(update)).await.map_err(|error| store_error(&error))?;
        Ok(())
    }

    async fn remove_ended(&self, slot: &Slot<'_>, ended: &[&str], now: Timestamp) -> Result<(), StoreError> {
        let names: Vec<String> = (0..ended.len()).map(|index| format!("slots.#h{index}")).collect();
        // Timeline: a reserved slot ends, a worker reads that, and another one reserves it again. The condition fails, and the
        // slot stays.
        let conditions: Vec<String> =
            names.iter().map(|name| format!("(attribute_not_exists({name}) OR {name} <= :now)")).collect();
        let mut update = self
            .update_slots(slot)
            .condition_expression(conditions.join(" AND "))
            .update_expression(format!("REMOVE {}", names.join(", ")))
            .expression_attribute_values(":now", time(now));
        for (index, holder) in ended.iter().enumerate() {
            update = update.expression_attribute_names(format!("#h{index}"), *holder);
        }
        done_or_outdated(Box::pin(send(update)).await)
    }

    fn update_slots(&self, slot: &Slot<'_>) -> UpdateItemFluentBuilder {
        self.client.update_item().table_name(&self.table).set_key(Some(slot.key()))
    }
}

/// An update that may find that others were first.
fn done_or_outdated(result: Result<UpdateItemOutput, SdkError<UpdateItemError>>) -> Result<(), StoreError> {
    match result {
        Ok(_) => Ok(()),
        Err(error) if failed_condition(&error).is_some() => Ok(()),
        Err(error) => Err(store_error(&error)),
    }
}
