//! How the service is doing, for operators: the sweeper's last run, and the job that has waited longest.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::KeysAndAttributes;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use super::item::{Item, OPEN, OPEN_SHARDS, from_item, nested, string};
use super::{StoreError, store_error};
use crate::domain::job::{JobId, JobStatus};
use crate::domain::time::Timestamp;

/// The one item of the Jobs table that is neither a job nor a record: there, because the sweeper may write no other table
/// that fits. No job has such an id.
const LAST_SWEEP: &str = "sweep#last";
/// Open jobs that are looked at in each shard.
const LOOKED_AT: i32 = 25;

#[derive(Debug)]
pub struct Health {
    client: Client,
    jobs_table: String,
}

/// A run of the sweeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    pub at: Timestamp,
    pub resent: u32,
    pub released: u32,
    pub failed: u32,
    pub expired: u32,
    /// Jobs that could not be repaired.
    pub errors: u32,
}

/// A job that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpenJob {
    pub id: JobId,
    pub status: JobStatus,
    pub tool: String,
    pub created_at: Timestamp,
    pub attempts: u32,
}

impl Health {
    pub fn new(client: Client, jobs_table: String) -> Self {
        Self { client, jobs_table }
    }

    /// Leaves word of a run. Two at once: the later word stands.
    pub async fn note_sweep(&self, sweep: &Sweep) -> Result<(), StoreError> {
        self.client
            .update_item()
            .table_name(&self.jobs_table)
            .key("id", string(LAST_SWEEP))
            .update_expression("SET sweep = :sweep")
            .expression_attribute_values(":sweep", nested(sweep)?)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }

    /// `None`: the sweeper has never run.
    pub async fn last_sweep(&self) -> Result<Option<Sweep>, StoreError> {
        #[derive(Deserialize)]
        struct Noted {
            sweep: Sweep,
        }
        let output = self
            .client
            .get_item()
            .table_name(&self.jobs_table)
            .key("id", string(LAST_SWEEP))
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(output.item.map(from_item::<Noted>).transpose()?.map(|noted| noted.sweep))
    }

    /// Jobs that are queued or in work, the oldest first: of the hundred open ones that the sweeper would look at next.
    pub async fn unfinished(&self) -> Result<Vec<OpenJob>, StoreError> {
        let ids: Vec<Item> = try_join_all((0..OPEN_SHARDS).map(|shard| self.first_due(shard))).await?.concat();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let request = KeysAndAttributes::builder()
            .set_keys(Some(ids))
            .projection_expression("id, #status, tool, created_at, attempts")
            .expression_attribute_names("#status", "status")
            .build()
            .map_err(|error| StoreError::Malformed(error.to_string()))?;
        let read = self.client.batch_get_item().request_items(&self.jobs_table, request).send().await;
        let items = read.map_err(|error| store_error(&error))?.responses.unwrap_or_default().remove(&self.jobs_table);
        let jobs: Vec<OpenJob> =
            items.unwrap_or_default().into_iter().map(from_item).collect::<Result<_, StoreError>>()?;
        let mut unfinished: Vec<_> =
            jobs.into_iter().filter(|job| matches!(job.status, JobStatus::Queued | JobStatus::Processing)).collect();
        unfinished.sort_by_key(|job| job.created_at);
        Ok(unfinished)
    }

    async fn first_due(&self, shard: u8) -> Result<Vec<Item>, StoreError> {
        let output = self
            .client
            .query()
            .table_name(&self.jobs_table)
            .index_name(OPEN)
            .key_condition_expression("#open = :shard")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":shard", string(shard.to_string()))
            .limit(LOOKED_AT)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let id = |item: Item| Some(HashMap::from([("id".to_owned(), item.get("id")?.clone())]));
        Ok(output.items.unwrap_or_default().into_iter().filter_map(id).collect())
    }
}
