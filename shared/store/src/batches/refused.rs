//! Items without a job.

use aws_sdk_dynamodb::types::{DeleteRequest, Put, WriteRequest};
use serde::{Deserialize, Serialize};

use super::{Batches, Gate, key};
use crate::dynamo::{TRIES, all, back_off, put, too_contended};
use crate::item::{string, to_item};
use crate::jobs::Written;
use crate::{StoreError, store_error};
use docmill_domain::batch::{Batch, BatchId, Refusal};

/// Most writes in one call.
const WRITES: usize = 25;

/// An item without a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RefusedItem {
    account: String,
    id: String,
    /// The item's place in the batch, from 0.
    pub index: u32,
    /// Why it has no job.
    pub refusal: Refusal,
    ttl: i64,
}

impl Batches {
    /// Notes why an item has no job. A job that a repeated run makes of it after all counts more than this.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn refuse(&self, batch: &Batch, index: u32, refusal: &Refusal) -> Result<Written, StoreError> {
        let item = RefusedItem {
            account: batch.account.clone(),
            id: item_id(batch.id, index),
            index,
            refusal: refusal.clone(),
            ttl: batch.ttl,
        };
        let noted = Put::builder().table_name(&self.table).set_item(Some(to_item(&item)?)).build();
        // Timeline: a run sleeps here, and the batch is deleted. When the run wakes up, the gate is gone, and nothing is written that
        // nobody would delete.
        self.commit(vec![put(noted)?, Gate::of(batch).check(&self.table)?]).await
    }

    /// The items from `first` to `last` that have no job.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn refused(&self, batch: &Batch, first: u32, last: u32) -> Result<Vec<RefusedItem>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(&batch.account))
            .expression_attribute_values(":first", string(item_id(batch.id, first)))
            .expression_attribute_values(":last", string(item_id(batch.id, last)))
            .consistent_read(true);
        all(query).await
    }

    /// Forgets the items from `first` to `last` that have no job.
    ///
    /// # Errors
    /// If the table can't be written now. Some of the items may be forgotten.
    pub async fn forget_refused(&self, batch: &Batch, first: u32, last: u32) -> Result<(), StoreError> {
        let items = self.refused(batch, first, last).await?;
        for items in items.chunks(WRITES) {
            let deletion = |item: &RefusedItem| {
                let delete = DeleteRequest::builder().set_key(Some(key(&item.account, &item.id))).build()?;
                Ok(WriteRequest::builder().delete_request(delete).build())
            };
            self.delete_all(items.iter().map(deletion).collect::<Result<_, StoreError>>()?).await?;
        }
        Ok(())
    }

    async fn delete_all(&self, mut deletions: Vec<WriteRequest>) -> Result<(), StoreError> {
        for attempt in 0..TRIES {
            let write = self.client.batch_write_item().request_items(&self.table, deletions);
            let output = write.send().await.map_err(|error| store_error(&error))?;
            // A busy table leaves some undone.
            deletions = output.unprocessed_items.unwrap_or_default().remove(&self.table).unwrap_or_default();
            if deletions.is_empty() {
                return Ok(());
            }
            back_off(attempt).await;
        }
        Err(too_contended())
    }
}

fn item_id(batch: BatchId, index: u32) -> String {
    format!("item#{batch}#{index:06}")
}
