//! The health of URLs that jobs name in their `webhook`. They have no item of an endpoint: only one that fails or is slow is stored.

use std::time::Duration;

use serde::Deserialize;

use super::{Webhooks, done, key};
use crate::StoreError;
use crate::dynamo::{TRIES, get, too_contended};
use crate::item::{nested, number};
use docmill_domain::webhook::{Endpoint, EndpointId, Health};

/// How long the health of a URL is kept. Longer than any pause.
const KEPT: Duration = Duration::from_secs(2 * 86_400);

#[derive(Deserialize)]
struct StoredHealth {
    health: Health,
}

fn item_id(id: &EndpointId) -> String {
    format!("health#{id}")
}

impl Webhooks {
    /// How the URL with this id has answered lately.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn health_of_url(&self, account: &str, id: &EndpointId) -> Result<Health, StoreError> {
        let found: Option<StoredHealth> = get(&self.client, &self.table, key(account, &item_id(id))).await?;
        Ok(found.map(|stored| stored.health).unwrap_or_default())
    }

    /// Like [`note_health`](Self::note_health).
    pub(super) async fn note_health_of_url(
        &self,
        endpoint: &Endpoint,
        after: impl Fn(Health) -> Health,
    ) -> Result<Health, StoreError> {
        let mut seen = endpoint.health;
        for _ in 0..TRIES {
            let next = after(seen);
            if next == seen {
                return Ok(seen);
            }
            let update = self
                .client
                .update_item()
                .table_name(&self.table)
                .set_key(Some(key(&endpoint.account, &item_id(&endpoint.id))))
                // Timeline: A and B both read that the URL has failed nine times. A notes the tenth failure, and B's condition fails:
                // B starts from A's, so that no failure is lost.
                .condition_expression("attribute_not_exists(health) OR health = :seen")
                .update_expression("SET health = :next, #ttl = :ttl")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":seen", nested(&seen)?)
                .expression_attribute_values(":next", nested(&next)?)
                .expression_attribute_values(":ttl", number(kept_until(next)));
            if done(update).await? {
                return Ok(next);
            }
            seen = self.health_of_url(&endpoint.account, &endpoint.id).await?;
        }
        Err(too_contended())
    }
}

fn kept_until(health: Health) -> i64 {
    health.paused_until.unwrap_or_else(docmill_config::clock::now).plus(KEPT).as_ttl_seconds()
}
