//! Reads of several items at once.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::builders::KeysAndAttributesBuilder;

use super::item::Item;
use super::{StoreError, store_error};

/// The items of the keys that `wanted` names (100 at most), in no order; unknown ones are left out.
pub(super) async fn batch_get(
    client: &Client,
    table: &str,
    wanted: KeysAndAttributesBuilder,
) -> Result<Vec<Item>, StoreError> {
    let read = client.batch_get_item().request_items(table, wanted.build()?).send().await;
    let output = read.map_err(|error| store_error(&error))?;
    if output.unprocessed_keys.is_some_and(|left| !left.is_empty()) {
        return Err(StoreError::Unavailable("DynamoDB left a part of the read undone".into()));
    }
    Ok(output.responses.and_then(|mut tables| tables.remove(table)).unwrap_or_default())
}
