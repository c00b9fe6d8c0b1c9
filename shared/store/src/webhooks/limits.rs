//! How much is sent: at most so many requests at the same time and a second to an endpoint, and a day for an account.

use aws_sdk_dynamodb::operation::update_item::builders::UpdateItemFluentBuilder;

use super::{Webhooks, done, key};
use crate::StoreError;
use crate::item::number;
use crate::slots::Slots;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::delivery::LEASE;
use docmill_domain::webhook::endpoint::MOST_AT_ONCE;
use docmill_domain::webhook::{DeliveryId, Endpoint};

/// Most requests of an account a day. A receiver that fails costs ten for each event, so that jobs alone don't bound them.
const MOST_A_DAY: u64 = 100_000;
/// How long a count outlives its day or second.
const KEPT: std::time::Duration = std::time::Duration::from_secs(2 * 86_400);

impl Webhooks {
    /// Takes one of the endpoint's slots for this delivery. False if all are taken.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn take_slot(&self, id: &DeliveryId, now: Timestamp) -> Result<bool, StoreError> {
        self.slots(id).take(&id.event, None, MOST_AT_ONCE, (now, now.plus(LEASE))).await
    }

    /// Gives the delivery's slot back. One that has ended changes nothing.
    ///
    /// # Errors
    /// If the table can't be written now. Then the slot ends with its time.
    pub async fn return_slot(&self, id: &DeliveryId) -> Result<(), StoreError> {
        self.slots(id).give_back(&id.event).await.map(drop)
    }

    fn slots(&self, id: &DeliveryId) -> Slots<'_> {
        let key = key(&id.account, &format!("slots#{}", id.endpoint));
        Slots { client: &self.client, table: &self.table, key }
    }

    /// Counts a request to an endpoint with a limit. False if it had as many in this second as it may.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn admits(&self, endpoint: &Endpoint, now: Timestamp) -> Result<bool, StoreError> {
        let Some(most) = endpoint.rate_limit else { return Ok(true) };
        let second = now.as_millis().div_euclid(1000);
        let count = || {
            self.count(&endpoint.account, &format!("rate#{}", endpoint.id), now)
                .expression_attribute_values(":second", number(second))
        };
        let one_more = count()
            // Timeline: the endpoint may get one more request in this second, and A and B are about to send. A's update counts
            // it, and B's condition fails.
            .condition_expression("second = :second AND sent < :most")
            .update_expression("SET #ttl = :ttl ADD sent :one")
            .expression_attribute_values(":most", number(most))
            .expression_attribute_values(":one", number(1));
        if done(one_more).await? {
            return Ok(true);
        }
        let first = count()
            // Timeline: A and B are the first in a second. A starts its count, and B's condition fails: B may send in the next.
            .condition_expression("attribute_not_exists(second) OR second < :second")
            .update_expression("SET second = :second, sent = :one, #ttl = :ttl")
            .expression_attribute_values(":one", number(1));
        done(first).await
    }

    /// Counts a request of the account. False if it had as many today as it may.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn admits_today(&self, account: &str, now: Timestamp) -> Result<bool, StoreError> {
        let one_more = self
            .count(account, &format!("sent#{}", now.day()), now)
            // Timeline: the account may send one more today, and A and B are about to. B's condition fails.
            .condition_expression("attribute_not_exists(sent) OR sent < :most")
            .update_expression("SET #ttl = :ttl ADD sent :one")
            .expression_attribute_values(":most", number(MOST_A_DAY))
            .expression_attribute_values(":one", number(1));
        done(one_more).await
    }

    fn count(&self, account: &str, id: &str, now: Timestamp) -> UpdateItemFluentBuilder {
        self.client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(key(account, id)))
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", number(now.plus(KEPT).as_ttl_seconds()))
    }
}
