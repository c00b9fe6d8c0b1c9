//! An account's batches, newest first.

use super::Batches;
use crate::item::{Item, from_item, string};
use crate::{StoreError, store_error};
use docmill_domain::batch::{Batch, BatchId, State};
use docmill_domain::time::Timestamp;

/// Most batches per query, and most queries per page. A filter that few match gives short pages rather than slow ones.
const LOOKED_AT: i32 = 200;
const MAX_QUERIES: usize = 5;
/// Sorts after every id of a batch.
const END: &str = "bat_~";

/// Batches, newest first.
#[derive(Debug)]
pub struct BatchesPage {
    /// No more than were asked for.
    pub batches: Vec<Batch>,
    /// The batch after which the next page begins, if there may be more.
    pub next: Option<BatchId>,
    /// How many batches were looked at.
    pub read: u32,
}

impl Batches {
    /// The batches in this state, or in any, that are older than `before`.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(
        &self,
        account: &str,
        state: Option<State>,
        before: Option<BatchId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<BatchesPage, StoreError> {
        let look = match state {
            // One more tells whether there is another page.
            None => i32::try_from(limit.saturating_add(1)).map_or(LOOKED_AT, |limit| limit.min(LOOKED_AT)),
            Some(_) => LOOKED_AT,
        };
        let mut page = BatchesPage { batches: Vec::new(), next: before, read: 0 };
        for _ in 0..MAX_QUERIES {
            let (items, is_last) = self.older_than(account, page.next, look).await?;
            for item in items {
                let batch: Batch = from_item(item)?;
                if page.batches.len() == limit {
                    return Ok(page);
                }
                page.read += 1;
                page.next = Some(batch.id);
                if batch.is_current(now) && state.is_none_or(|state| batch.state == state) {
                    page.batches.push(batch);
                }
            }
            if is_last {
                page.next = None;
                return Ok(page);
            }
        }
        Ok(page)
    }

    /// The next batches, and whether they are the last ones.
    async fn older_than(
        &self,
        account: &str,
        before: Option<BatchId>,
        most: i32,
    ) -> Result<(Vec<Item>, bool), StoreError> {
        let last = before.map_or_else(|| END.to_owned(), |id| id.to_string());
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND id BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string("bat_"))
            .expression_attribute_values(":last", string(&last))
            .scan_index_forward(false)
            // `before` itself is among them.
            .limit(most.saturating_add(1));
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let is_last = output.last_evaluated_key.is_none();
        let is_older = |item: &Item| item.get("id").and_then(|id| id.as_s().ok()) != Some(&last);
        Ok((output.items.unwrap_or_default().into_iter().filter(is_older).collect(), is_last))
    }
}
