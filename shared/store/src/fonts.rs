//! Fonts of accounts: an item of the Usage table for each account with fonts, with an attribute per font.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{ReturnValue, ReturnValuesOnConditionCheckFailure};
use serde::Deserialize;

use super::dynamo::{failed_condition, get};
use super::item::{Item, UsageItem, nested, number};
use super::{StoreError, store_error};
use docmill_domain::font::{FontId, MOST_FONTS, StoredFont};

/// Which fonts accounts have. Their files are in the bucket.
#[derive(Debug)]
pub struct Fonts {
    client: Client,
    table: String,
}

/// The outcome of adding a font.
#[derive(Debug, PartialEq, Eq)]
pub enum Added {
    /// Jobs can use the font.
    Yes,
    /// The account already has it.
    Already(Box<StoredFont>),
    /// The account has reached its limit.
    Full,
}

/// All attributes that are not named here are fonts by id.
#[derive(Deserialize)]
struct FontsItem {
    #[serde(rename = "account")]
    _account: String,
    #[serde(rename = "item")]
    _item: String,
    #[serde(rename = "fonts")]
    _count: u64,
    #[serde(flatten)]
    each: BTreeMap<String, StoredFont>,
}

impl Fonts {
    /// `table`: the Usage table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// A strongly consistent read: a font can be used as soon as it is added.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<BTreeMap<FontId, StoredFont>, StoreError> {
        let item: Option<FontsItem> = get(&self.client, &self.table, UsageItem::Fonts.key(account)).await?;
        let fonts = item.map(|item| item.each).unwrap_or_default().into_iter();
        Ok(fonts.filter_map(|(name, font)| Some((FontId::parse(&name)?, font))).collect())
    }

    /// Adds a font whose files are stored, unless the account has it or is full.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn add(&self, account: &str, id: &FontId, font: &StoredFont) -> Result<Added, StoreError> {
        let result = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(UsageItem::Fonts.key(account)))
            // Timeline: the account may have one more font, and A and B add different ones. A's update increases the count, and
            // B's condition fails. If both add the same font, B's condition on its id fails.
            .condition_expression("attribute_not_exists(#id) AND (attribute_not_exists(fonts) OR fonts < :most)")
            .update_expression("SET #id = :font ADD fonts :one")
            .expression_attribute_names("#id", id.as_str())
            .expression_attribute_values(":font", nested(font)?)
            .expression_attribute_values(":most", number(MOST_FONTS))
            .expression_attribute_values(":one", number(1))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let Err(error) = result else { return Ok(Added::Yes) };
        let old = failed_condition(&error).ok_or_else(|| store_error(&error))?;
        match old.and_then(|mut item: Item| item.remove(id.as_str())) {
            Some(font) => Ok(Added::Already(Box::new(serde_dynamo::from_attribute_value(font)?))),
            None => Ok(Added::Full),
        }
    }

    /// The removed font. `None` if the account has no font with this id.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn remove(&self, account: &str, id: &FontId) -> Result<Option<StoredFont>, StoreError> {
        let result = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(UsageItem::Fonts.key(account)))
            // Timeline: A and B remove the same font. B's condition fails, so that the count decreases once.
            .condition_expression("attribute_exists(#id)")
            .update_expression("REMOVE #id ADD fonts :one_less")
            .expression_attribute_names("#id", id.as_str())
            .expression_attribute_values(":one_less", number(-1))
            .return_values(ReturnValue::UpdatedOld)
            .send()
            .await;
        match result {
            Ok(output) => {
                let mut removed: Item = output.attributes.unwrap_or_default();
                let font = removed.remove(id.as_str());
                let font = font.ok_or_else(|| StoreError::Malformed("the removed font did not come back".into()))?;
                Ok(Some(serde_dynamo::from_attribute_value(font)?))
            }
            Err(error) if failed_condition(&error).is_some() => Ok(None),
            Err(error) => Err(store_error(&error)),
        }
    }
}
