//! Items, and in one place their key strings and index names.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;
use docmill_domain::api_key::Mode;
use docmill_domain::job::{Job, JobId, OpenShards, SWEPT_SHARDS};
use docmill_domain::statistics::Subject;
use docmill_domain::template::TemplateName;
use docmill_domain::time::{Period, Timestamp};
use docmill_domain::tool::QueueName;

/// Attributes by name.
pub type Item = HashMap<String, AttributeValue>;

/// Index of the Keys and Jobs tables by account.
pub const BY_ACCOUNT: &str = "by_account";
/// Sparse index of the Usage table: its profiles by name.
pub const BY_NAME: &str = "by_name";
/// Sparse index of jobs that need further work.
pub const OPEN: &str = "open";
/// Sparse index of ended jobs by time of their end, for operators.
pub const ENDED: &str = "ended";
/// Sparse index of jobs that are still to be counted.
pub const UNCOUNTED: &str = "uncounted";
/// Sparse index of queued jobs that are held back, by queue and account.
pub const HELD: &str = "held";
/// Sparse index of events that have no place in their account's log yet, by account.
pub const UNLISTED: &str = "unlisted";
/// Sparse index of events that are not fanned out yet, and of deliveries that wait for a try: by shard and time.
pub const DUE: &str = "due";
/// The outcome of a job in the index of ended jobs.
pub const OUTCOME: &str = "outcome";

/// The attributes of a structure, by the names of its fields.
///
/// # Errors
/// If the value is no structure, or has a part that DynamoDB can't hold.
pub fn to_item(value: &impl Serialize) -> Result<Item, StoreError> {
    Ok(serde_dynamo::to_item(value)?)
}

/// The attributes of a job that are sets of ids: DynamoDB's conditions and updates need sets of strings.
const SETS_OF_IDS: [&str; 2] = ["waiting_for", "waiters"];

/// A job as its table stores it.
///
/// # Errors
/// If a part of the job can't be held by DynamoDB.
pub fn job_item(job: &Job) -> Result<Item, StoreError> {
    let mut item = to_item(job)?;
    for name in SETS_OF_IDS {
        if let Some(AttributeValue::L(ids)) = item.get(name) {
            let ids = ids.iter().filter_map(|id| id.as_s().ok().cloned()).collect();
            item.insert(name.to_owned(), AttributeValue::Ss(ids));
        }
    }
    Ok(item)
}

pub(crate) fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, StoreError> {
    Ok(serde_dynamo::from_item(item)?)
}

/// A text.
pub fn string(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// A number. It must be displayed as one.
pub fn number(value: impl ToString) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

pub(crate) fn time(value: Timestamp) -> AttributeValue {
    number(value.as_millis())
}

/// A nested value in DynamoDB's form.
///
/// # Errors
/// If the value has a part that DynamoDB can't hold.
pub fn nested(value: &impl Serialize) -> Result<AttributeValue, StoreError> {
    Ok(serde_dynamo::to_attribute_value(value)?)
}

/// The key of a job in the Jobs table.
pub fn job_key(id: JobId) -> Item {
    HashMap::from([("id".to_owned(), string(id.to_string()))])
}

/// A partition of the open index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shard {
    /// Jobs that wait in a queue.
    Queued(QueueName, u8),
    /// Jobs that wait for other jobs.
    Waiting(u8),
    /// Jobs that a worker holds until its lease ends. They are apart from queued ones, so that no backlog delays them.
    Leased(u8),
    /// Completed jobs with stored output. There are many, and they are not urgent, so their own shards keep them from delaying
    /// repairs.
    Kept(u8),
    /// Ended jobs of which another attempt may have left files, or may still store some.
    Cleanup(u8),
}

const CLEANUP: &str = "cleanup-";

impl Shard {
    /// Where a job waits for its worker.
    pub fn queued(queue: QueueName, id: JobId, shards: OpenShards) -> Self {
        Self::Queued(queue, shards.of(id))
    }

    /// Where a job waits for other jobs.
    pub fn waiting(id: JobId, shards: OpenShards) -> Self {
        Self::Waiting(shards.of(id))
    }

    /// Where a job is while a worker has it.
    pub fn leased(id: JobId, shards: OpenShards) -> Self {
        Self::Leased(shards.of(id))
    }

    /// Where a completed job waits for its expiry.
    pub fn kept(id: JobId, shards: OpenShards) -> Self {
        Self::Kept(shards.of(id))
    }

    /// Where an ended job waits for its files to be cleaned up.
    pub fn cleanup(id: JobId, shards: OpenShards) -> Self {
        Self::Cleanup(shards.of(id))
    }

    /// Whether the attribute `open` of a job says that its files are still to be cleaned up.
    pub fn is_cleanup(open: Option<&str>) -> bool {
        open.is_some_and(|open| open.starts_with(CLEANUP))
    }

    /// All shards of unfinished jobs.
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
            Self::Cleanup(number) => format!("{CLEANUP}{number}"),
        }
    }
}

/// A partition of the index of ended jobs: one day, with as many shards per day as the open index has. It contends no more than
/// that index, and does not grow after its day.
pub fn ended_shard(day: &str, shard: u8) -> String {
    format!("{day}#{shard}")
}

/// Partitions of the index of what is due, so that writes are spread.
pub const DUE_SHARDS: u8 = 4;

/// The partition of an item's id in the index of what is due.
pub fn due_shard(id: &str) -> String {
    due_shard_key(id.bytes().next_back().unwrap_or_default())
}

pub(crate) fn due_shard_key(shard: u8) -> String {
    format!("due-{}", shard % DUE_SHARDS)
}

/// The items of the Usage table by sort key.
#[derive(Clone, Copy, Debug)]
pub enum UsageItem<'a> {
    /// The account itself.
    Profile,
    /// A month's credits: included credits taken, credits used, and jobs created.
    Balance(Period),
    /// A month's credits that an environment has taken for its own jobs.
    Till(Period, u8),
    /// Granted credits that an environment has taken for its own jobs.
    GrantedTill(u8),
    /// A month's notices to the account, and the credits that completed jobs used.
    Notices(Period),
    /// The account's own fonts.
    Fonts,
    /// How many versions of stored templates the account has.
    TemplateCount,
    /// How many names of templates the account has begun to use on one UTC day.
    TemplateNames(Timestamp),
    /// The versions of one stored template.
    Template(&'a TemplateName),
    /// Test jobs of one UTC day.
    TestDay(Timestamp),
    /// Bytes of the uploads that were announced on one UTC day, by live or test keys.
    Uploads(Timestamp, Mode),
    /// How long failed jobs were processed on one UTC day.
    Failures(Timestamp),
    /// Jobs of one day, tool and key. None of these items grows.
    Counts(&'a Subject),
}

/// What the sort keys of stored templates begin with.
pub const TEMPLATE: &str = "template#";
const COUNTS: &str = "counts#";
const TILL: &str = "till-";
const GRANTED: &str = "granted#";

impl UsageItem<'_> {
    /// The item's sort key. The account is its partition key.
    pub fn sort_key(self) -> String {
        match self {
            Self::Profile => "profile".to_owned(),
            Self::Balance(period) => period.to_string(),
            Self::Till(period, till) => format!("{period}#{TILL}{till:02}"),
            Self::GrantedTill(till) => format!("{GRANTED}{TILL}{till:02}"),
            Self::Notices(period) => format!("{period}#notices"),
            Self::Fonts => "fonts".to_owned(),
            Self::TemplateCount => "templates".to_owned(),
            Self::TemplateNames(now) => format!("names#{}", now.day()),
            Self::Template(name) => format!("{TEMPLATE}{name}"),
            Self::TestDay(now) => format!("test#{}", now.day()),
            Self::Uploads(now, mode) => format!("uploads#{}#{}", mode.as_str(), now.day()),
            Self::Failures(now) => format!("failures#{}", now.day()),
            Self::Counts(subject) => format!("{COUNTS}{subject}"),
        }
    }

    /// The till of this period in a sort key.
    pub fn till(sort_key: &str, period: Period) -> Option<u8> {
        sort_key.strip_prefix(&format!("{period}#{TILL}"))?.parse().ok()
    }

    pub(crate) fn granted_till(sort_key: &str) -> Option<u8> {
        sort_key.strip_prefix(GRANTED)?.strip_prefix(TILL)?.parse().ok()
    }

    /// The subject of an item of counts.
    pub fn subject(sort_key: &str) -> Option<Subject> {
        Subject::parse(sort_key.strip_prefix(COUNTS)?)
    }

    /// Sorted before all counts of a day.
    pub fn first_counts_of(day: &str) -> String {
        format!("{COUNTS}{day}#")
    }

    /// Sorted after all counts of a day: `~` comes after all characters of slugs and ids.
    pub fn last_counts_of(day: &str) -> String {
        format!("{COUNTS}{day}#~")
    }

    /// Both keys.
    pub fn key(self, account: &str) -> Item {
        HashMap::from([("account".to_owned(), string(account)), ("item".to_owned(), string(self.sort_key()))])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use docmill_domain::limits::{Ceilings, Limit};
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_of_awaited_jobs_are_a_set_of_strings() {
        let ids = BTreeSet::from([JobId::new(), JobId::new()]);
        let stored = json!({
            "id": JobId::new(), "account": "acc_1", "key_id": "key_1", "mode": "live", "tool": "merge-pdf", "status": "queued",
            "created_at": 1, "attempts": 0, "period": "2026-11", "charge": {"included": 1, "granted": 0}, "refunded": 0,
            "waiting_for": ids, "ttl": 4,
        });
        let job: Job = serde_json::from_value(stored).unwrap();
        let item = job_item(&job).unwrap();
        let expected: Vec<_> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(item.get("waiting_for"), Some(&AttributeValue::Ss(expected)));
        assert!(!item.contains_key("waiters"));
        assert_eq!(from_item::<Job>(item).unwrap().waits.waiting_for, Some(ids));
    }

    #[test]
    fn ceilings_are_read_as_they_were_written() {
        let mut ceilings = Ceilings::default();
        ceilings.set(Limit::Pages, Some(10));
        ceilings.set(Limit::SourceBytes, Some(1 << 20));
        let stored = nested(&ceilings).unwrap();
        assert_eq!(serde_dynamo::from_attribute_value::<_, Ceilings>(stored).unwrap(), ceilings);
    }
}
