//! Items and the names in them: key strings and index names in one place.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use crate::domain::job::JobId;
use crate::domain::statistics::Subject;
use crate::domain::time::{Period, Timestamp};
use crate::domain::tool::QueueName;

pub type Item = HashMap<String, AttributeValue>;

/// Index of the Keys and Jobs tables by account.
pub const BY_ACCOUNT: &str = "by_account";
/// Sparse index of the Usage table: its profiles by name.
pub const BY_NAME: &str = "by_name";
/// Sparse index of the jobs for which something is still to be done.
pub const OPEN: &str = "open";
/// Partitions of each of the sweeper's indexes, so that no single one takes all the writes.
pub const OPEN_SHARDS: u8 = 4;
/// Partitions that are swept: all that [`OPEN_SHARDS`] ever was, since jobs from before a change lie there. Never lower it.
pub const SWEPT_SHARDS: u8 = 8;
const _: () = assert!(OPEN_SHARDS <= SWEPT_SHARDS, "jobs in unknown shards would never be read");
/// Sparse index of the jobs that have ended, by the moment of their end: for operators.
pub const ENDED: &str = "ended";
/// Sparse index of the jobs of which something is yet to be counted.
pub const UNCOUNTED: &str = "uncounted";
/// What the index of ended jobs has of each.
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
    /// Of jobs that wait in a queue.
    Queued(QueueName, u8),
    /// Of jobs that wait for other jobs.
    Waiting(u8),
    /// Of jobs that a worker holds until its lease ends: apart from queued ones, so that no backlog is before them.
    Leased(u8),
    /// Completed jobs whose output is still kept. There are many of them, and they are not urgent: in their own shards, they
    /// hold up no repair.
    Kept(u8),
}

impl Shard {
    pub fn queued(queue: QueueName, id: JobId) -> Self {
        Self::Queued(queue, id.shard(OPEN_SHARDS))
    }

    pub fn waiting(id: JobId) -> Self {
        Self::Waiting(id.shard(OPEN_SHARDS))
    }

    pub fn leased(id: JobId) -> Self {
        Self::Leased(id.shard(OPEN_SHARDS))
    }

    pub fn kept(id: JobId) -> Self {
        Self::Kept(id.shard(OPEN_SHARDS))
    }

    /// All shards of jobs that have not ended.
    pub fn unfinished() -> impl Iterator<Item = Self> {
        let queued = |number| QueueName::ALL.map(|queue| Self::Queued(queue, number));
        (0..SWEPT_SHARDS)
            .flat_map(move |number| queued(number).into_iter().chain([Self::Waiting(number), Self::Leased(number)]))
    }

    /// The value of the attribute `open`.
    pub fn key(self) -> String {
        match self {
            Self::Queued(queue, number) => format!("{}-{number}", queue.as_str()),
            Self::Waiting(number) => format!("waiting-{number}"),
            Self::Leased(number) => format!("leased-{number}"),
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
pub enum UsageItem<'a> {
    Profile,
    /// The credits of a month: what was taken of those that the plan includes, what was used, and the jobs created.
    Balance(Period),
    /// Credits of a month that an environment has taken to spend them by itself.
    Till(Period, u8),
    /// Granted credits that an environment has taken to spend them by itself.
    GrantedTill(u8),
    /// What the account was told of a month's credits, and how many of them completed jobs have spent.
    Notices(Period),
    /// The account's own fonts.
    Fonts,
    /// Test jobs of one UTC day.
    TestDay(Timestamp),
    /// Jobs of one day, tool and key: as many items as there are of these, and none of them grows.
    Counts(&'a Subject),
}

const COUNTS: &str = "counts#";
const TILL: &str = "till-";
const GRANTED: &str = "granted#";

impl UsageItem<'_> {
    pub fn sort_key(self) -> String {
        match self {
            Self::Profile => "profile".to_owned(),
            Self::Balance(period) => period.to_string(),
            Self::Till(period, till) => format!("{period}#{TILL}{till:02}"),
            Self::GrantedTill(till) => format!("{GRANTED}{TILL}{till:02}"),
            Self::Notices(period) => format!("{period}#notices"),
            Self::Fonts => "fonts".to_owned(),
            Self::TestDay(now) => format!("test#{}", now.day()),
            Self::Counts(subject) => format!("{COUNTS}{subject}"),
        }
    }

    /// The till of the period that a sort key names.
    pub fn till(sort_key: &str, period: Period) -> Option<u8> {
        sort_key.strip_prefix(&format!("{period}#{TILL}"))?.parse().ok()
    }

    pub fn granted_till(sort_key: &str) -> Option<u8> {
        sort_key.strip_prefix(GRANTED)?.strip_prefix(TILL)?.parse().ok()
    }

    /// What an item of counts is of.
    pub fn subject(sort_key: &str) -> Option<Subject> {
        Subject::parse(sort_key.strip_prefix(COUNTS)?)
    }

    /// Before the sort keys of all counts of a day.
    pub fn first_counts_of(day: &str) -> String {
        format!("{COUNTS}{day}#")
    }

    /// After the sort keys of all counts of a day: `~` comes after every character of a slug or id.
    pub fn last_counts_of(day: &str) -> String {
        format!("{COUNTS}{day}#~")
    }

    pub fn key(self, account: &str) -> Item {
        HashMap::from([("account".to_owned(), string(account)), ("item".to_owned(), string(self.sort_key()))])
    }
}
