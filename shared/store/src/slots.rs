//! Slots: at most so many holders of one kind at the same time, over all environments.
//!
//! Each kind is one item with a map from holder to the end of its slot. Nobody has to clean up after a holder that died: its slot
//! ends with its time, and the next one that finds no free slot removes it.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;
use aws_sdk_dynamodb::operation::update_item::{UpdateItemError, UpdateItemOutput};
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;

use super::dynamo::{failed_condition, send};
use super::item::{Item, from_item, number, time};
use super::{StoreError, store_error};
use docmill_domain::time::Timestamp;

/// One try without slots, one with slots that have ended, and one in between.
const TRIES: usize = 3;

/// The slots of one kind.
#[derive(Debug)]
pub(super) struct Slots<'a> {
    pub(super) client: &'a Client,
    pub(super) table: &'a str,
    pub(super) key: Item,
}

/// Who holds the slots of one kind.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Occupancy {
    /// When each holder's slot ends.
    #[serde(default)]
    slots: BTreeMap<String, Timestamp>,
    /// When a job was last held back for want of a slot, if any may still be.
    #[serde(default)]
    pub held_at: Option<Timestamp>,
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

impl Slots<'_> {
    /// Takes one of `most` slots until `until`, and gives up `instead`, a slot that was reserved for the holder. False if all
    /// slots are taken.
    pub(super) async fn take(
        &self,
        holder: &str,
        instead: Option<&str>,
        most: u64,
        (now, until): (Timestamp, Timestamp),
    ) -> Result<bool, StoreError> {
        for _ in 0..TRIES {
            let Some(found) = self.try_to_take(holder, instead, most, until).await? else { return Ok(true) };
            match found {
                None => self.prepare().await?,
                // The response to our own update was lost, and the SDK repeated it.
                Some(found) if found.slots.contains_key(holder) => return Ok(true),
                Some(found) => {
                    let ended = found.ended(now);
                    if ended.is_empty() {
                        return Ok(false);
                    }
                    self.remove_ended(&ended, now).await?;
                }
            }
        }
        Ok(false)
    }

    /// `None` if the slot was taken; otherwise the slots that were found, if there are any.
    async fn try_to_take(
        &self,
        holder: &str,
        instead: Option<&str>,
        most: u64,
        until: Timestamp,
    ) -> Result<Option<Option<Occupancy>>, StoreError> {
        let mut take = self
            .update()
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
    pub(super) async fn give_back(&self, holder: &str) -> Result<Occupancy, StoreError> {
        let update = self
            .update()
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

    /// An update of a nested value needs the map to exist.
    async fn prepare(&self) -> Result<(), StoreError> {
        let update = self
            .update()
            .update_expression("SET slots = if_not_exists(slots, :none)")
            .expression_attribute_values(":none", AttributeValue::M(HashMap::new()));
        Box::pin(send(update)).await.map_err(|error| store_error(&error))?;
        Ok(())
    }

    async fn remove_ended(&self, ended: &[&str], now: Timestamp) -> Result<(), StoreError> {
        let names: Vec<String> = (0..ended.len()).map(|index| format!("slots.#h{index}")).collect();
        // Timeline: a reserved slot ends, a worker reads that, and another one reserves it again. The condition fails, and the
        // slot stays.
        let conditions: Vec<String> =
            names.iter().map(|name| format!("(attribute_not_exists({name}) OR {name} <= :now)")).collect();
        let mut update = self
            .update()
            .condition_expression(conditions.join(" AND "))
            .update_expression(format!("REMOVE {}", names.join(", ")))
            .expression_attribute_values(":now", time(now));
        for (index, holder) in ended.iter().enumerate() {
            update = update.expression_attribute_names(format!("#h{index}"), *holder);
        }
        done_or_outdated(Box::pin(send(update)).await)
    }

    pub(super) fn update(&self) -> UpdateItemFluentBuilder {
        self.client.update_item().table_name(self.table).set_key(Some(self.key.clone()))
    }
}

/// An update that may find that others were first.
pub(super) fn done_or_outdated(result: Result<UpdateItemOutput, SdkError<UpdateItemError>>) -> Result<(), StoreError> {
    match result {
        Ok(_) => Ok(()),
        Err(error) if failed_condition(&error).is_some() => Ok(()),
        Err(error) => Err(store_error(&error)),
    }
}
