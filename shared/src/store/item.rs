//! Items and the names in them: key strings and index names in one place.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use crate::domain::job::JobId;
use crate::domain::time::{Period, Timestamp};

pub type Item = HashMap<String, AttributeValue>;

/// Index of the Keys and Jobs tables by account.
pub const BY_ACCOUNT: &str = "by_account";
/// Sparse index of the Usage table: its profiles by name.
pub const BY_NAME: &str = "by_name";
/// Sparse index of the jobs for which something is still to be done.
pub const OPEN: &str = "open";
/// Partitions of the open index, so that no single one takes all the writes.
pub const OPEN_SHARDS: u8 = 4;
/// Sparse index of the jobs that have ended, by the moment of their end: for operators.
pub const ENDED: &str = "ended";
/// What the index of ended jobs tells of each.
pub const OUTCOME: &str = "outcome";

pub fn to_item(value: &impl Serialize) -> Result<Item, StoreError> {
    Ok(serde_dynamo::to_item(value)?)
}

pub fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, StoreError> {
    Ok(serde_dynamo::from_item(item)?)
}

pub fn string(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

pub fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

pub fn time(value: Timestamp) -> AttributeValue {
    number(value.as_millis())
}

/// A nested value in DynamoDB's form.
pub fn nested(value: &impl Serialize) -> Result<AttributeValue, StoreError> {
    Ok(serde_dynamo::to_attribute_value(value)?)
}

pub fn job_key(id: JobId) -> Item {
    HashMap::from([("id".to_owned(), string(id.to_string()))])
}

/// A partition of the open index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shard {
    /// Of jobs that have not ended.
    Open(u8),
    /// Of completed jobs whose output is kept for now. There are many more of these, and nobody waits for them: apart, they
    /// hold up no repair.
    Kept(u8),
}

impl Shard {
    pub fn open(id: JobId) -> Self {
        Self::Open(id.shard(OPEN_SHARDS))
    }

    pub fn kept(id: JobId) -> Self {
        Self::Kept(id.shard(OPEN_SHARDS))
    }

    /// The value of the attribute `open`.
    pub fn key(self) -> String {
        match self {
            Self::Open(number) => number.to_string(),
            Self::Kept(number) => format!("kept-{number}"),
        }
    }
}

/// A partition of the index of ended jobs: of a day, and as many of each day as the open index has. So an end meets no more
/// others here than it meets there, and no partition grows for longer than a day.
pub fn ended_shard(day: &str, shard: u8) -> String {
    format!("{day}#{shard}")
}

/// The items of the Usage table, by their sort key.
#[derive(Clone, Copy, Debug)]
pub enum UsageItem {
    Profile,
    /// Credits and creations of a month.
    Balance(Period),
    /// Completions and failures of a month: apart, so that workers don't contend with creates.
    Outcomes(Period),
    /// Test jobs of one UTC day.
    TestDay(Timestamp),
}

impl UsageItem {
    pub fn sort_key(self) -> String {
        match self {
            Self::Profile => "profile".to_owned(),
            Self::Balance(period) => period.to_string(),
            Self::Outcomes(period) => format!("{period}#outcomes"),
            Self::TestDay(now) => format!("test#{}", now.day()),
        }
    }

    pub fn key(self, account: &str) -> Item {
        HashMap::from([("account".to_owned(), string(account)), ("item".to_owned(), string(self.sort_key()))])
    }
}
