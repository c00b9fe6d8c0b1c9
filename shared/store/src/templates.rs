//! Stored templates of accounts: an item of the Usage table for each name, with its versions, and one that counts them all.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};
use serde::Deserialize;

use super::StoreError;
use super::dynamo::{TRIES, Transacted, all, back_off, get, too_contended, transact, update};
use super::item::{TEMPLATE, UsageItem, nested, number, string};
use docmill_domain::template::{MOST_NEW_NAMES, MOST_TEMPLATES, MOST_VERSIONS, TemplateName, Version};
use docmill_domain::time::Timestamp;

/// How long the number of the last version is remembered once all are deleted: longer than a job may still name it, which ends in
/// 20 hours. With [`MOST_NEW_NAMES`], an account has no more than some 2,000 such items, of 100 bytes.
const REMEMBERED: Duration = Duration::from_secs(3 * 86_400);
/// How long the number of a day's new names is kept.
const DAY_KEPT: Duration = Duration::from_secs(2 * 86_400);

/// Which templates accounts have. Their files are in the bucket.
#[derive(Debug)]
pub struct Templates {
    client: Client,
    table: String,
}

/// All versions of a name, as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Versions {
    /// Increases with each write.
    revision: u64,
    /// The highest number ever given. No number is given twice.
    latest: u32,
    /// In order.
    versions: Vec<Version>,
}

impl Versions {
    /// In order; empty if there is no template of this name.
    pub fn each(&self) -> &[Version] {
        &self.versions
    }

    /// Whether the name has [`MOST_VERSIONS`].
    pub fn is_full(&self) -> bool {
        self.versions.len() >= MOST_VERSIONS
    }

    /// The number of the next version.
    pub fn next(&self) -> u32 {
        self.latest.saturating_add(1)
    }
}

/// The outcome of a write.
#[derive(Debug, PartialEq, Eq)]
pub enum Write {
    /// With what the name has now.
    Done(Versions),
    /// Another write came first: read again.
    Outdated,
    /// This limit is reached.
    Full(Limit),
}

/// What an account has too many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Of the account's versions.
    Account,
    /// Of the template's versions.
    Template,
    /// Of the account's new names on one day.
    NewNames,
}

#[derive(Deserialize)]
struct NamedItem {
    item: String,
    #[serde(flatten)]
    versions: Versions,
}

impl Templates {
    /// `table`: the Usage table.
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// A strongly consistent read: a template can be used as soon as it is added.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn named(&self, account: &str, name: &TemplateName) -> Result<Versions, StoreError> {
        let versions = get(&self.client, &self.table, UsageItem::Template(name).key(account)).await?;
        Ok(versions.unwrap_or_default())
    }

    /// All templates by name, by a strongly consistent read.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<Vec<(TemplateName, Versions)>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("account = :account AND begins_with(#item, :templates)")
            .expression_attribute_names("#item", "item")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":templates", string(TEMPLATE))
            .consistent_read(true);
        let items: Vec<NamedItem> = all(query).await?;
        let named = items
            .into_iter()
            .filter(|item| !item.versions.versions.is_empty())
            .filter_map(|item| Some((TemplateName::parse(item.item.strip_prefix(TEMPLATE)?)?, item.versions)));
        Ok(named.collect())
    }

    /// Adds a version to those that were read.
    ///
    /// # Errors
    /// If the table can't be written now, or the account's other templates change again and again.
    pub async fn add(
        &self,
        account: &str,
        name: &TemplateName,
        seen: &Versions,
        version: Version,
    ) -> Result<Write, StoreError> {
        // Whoever has seen too few versions fails in the transaction, and reads again.
        if seen.is_full() {
            return Ok(Write::Full(Limit::Template));
        }
        let begun = (seen.revision == 0).then_some(version.created_at);
        let mut next = seen.clone();
        next.latest = version.version;
        next.versions.push(version);
        let counts = [Some(self.count(account, 1)?), begun.map(|now| self.count_name(account, now)).transpose()?];
        self.replace(account, name, next, counts.into_iter().flatten().collect(), None).await
    }

    /// Removes a version, or all of those that were read.
    ///
    /// # Errors
    /// If the table can't be written now, or the account's other templates change again and again.
    pub async fn remove(
        &self,
        account: &str,
        name: &TemplateName,
        seen: &Versions,
        version: Option<u32>,
        now: Timestamp,
    ) -> Result<Write, StoreError> {
        let mut next = seen.clone();
        next.versions.retain(|known| version.is_some_and(|version| known.version != version));
        let fewer = seen.versions.len() - next.versions.len();
        let forgotten = next.versions.is_empty().then(|| now.plus(REMEMBERED));
        let fewer = self.count(account, -i64::try_from(fewer).unwrap_or(i64::MAX))?;
        self.replace(account, name, next, vec![fewer], forgotten).await
    }

    /// Writes what follows on what was read, with these counts: of versions, and of new names.
    async fn replace(
        &self,
        account: &str,
        name: &TemplateName,
        next: Versions,
        counts: Vec<TransactWriteItem>,
        forgotten: Option<Timestamp>,
    ) -> Result<Write, StoreError> {
        let next = Versions { revision: next.revision + 1, ..next };
        for attempt in 0..TRIES {
            let written = self.write(account, name, &next, forgotten)?;
            let writes = std::iter::once(written).chain(counts.iter().cloned()).collect();
            match transact(&self.client, writes).await? {
                Transacted::Committed => return Ok(Write::Done(next)),
                // Another write of the same name is told first: if it came from the same request, nothing is to be added.
                Transacted::Failed(parts) if parts.iter().any(|(part, _)| *part == 0) => return Ok(Write::Outdated),
                Transacted::Failed(parts) if parts.iter().any(|(part, _)| *part == 1) => {
                    return Ok(Write::Full(Limit::Account));
                }
                Transacted::Failed(_) => return Ok(Write::Full(Limit::NewNames)),
                Transacted::Contended(_) => back_off(attempt).await,
            }
        }
        Err(too_contended())
    }

    fn count(&self, account: &str, more: i64) -> Result<TransactWriteItem, StoreError> {
        let count = Update::builder()
            .table_name(&self.table)
            .set_key(Some(UsageItem::TemplateCount.key(account)))
            .update_expression("ADD templates :more")
            .expression_attribute_values(":more", number(more));
        let count = if more > 0 {
            // Timeline: the account may have one more version, and A and B add one each, of different names. A's transaction
            // increases the count, and B's condition fails.
            count
                .condition_expression("attribute_not_exists(templates) OR templates < :most")
                .expression_attribute_values(":most", number(MOST_TEMPLATES))
        } else {
            count
        };
        update(count.build())
    }

    /// Counts a name that the account begins to use.
    fn count_name(&self, account: &str, now: Timestamp) -> Result<TransactWriteItem, StoreError> {
        let count = Update::builder()
            .table_name(&self.table)
            .set_key(Some(UsageItem::TemplateNames(now).key(account)))
            .update_expression("SET #ttl = :ttl ADD begun :one")
            .condition_expression("attribute_not_exists(begun) OR begun < :most")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", number(now.plus(DAY_KEPT).as_ttl_seconds()))
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":most", number(MOST_NEW_NAMES));
        update(count.build())
    }

    fn write(
        &self,
        account: &str,
        name: &TemplateName,
        next: &Versions,
        forgotten: Option<Timestamp>,
    ) -> Result<TransactWriteItem, StoreError> {
        let written = Update::builder()
            .table_name(&self.table)
            .set_key(Some(UsageItem::Template(name).key(account)))
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":revision", number(next.revision))
            .expression_attribute_values(":latest", number(next.latest))
            .expression_attribute_values(":versions", nested(&next.versions)?);
        // Timeline: A and B read that version 3 is the newest, and each adds one. A's transaction writes version 4, B's condition
        // fails, and B reads again and writes version 5. The same for a version that is added while others are removed: neither
        // write loses the other's, and no version is counted or removed twice.
        let written = if next.revision == 1 {
            written.condition_expression("attribute_not_exists(revision)")
        } else {
            written
                .condition_expression("revision = :seen")
                .expression_attribute_values(":seen", number(next.revision - 1))
        };
        let set = "SET revision = :revision, latest = :latest, versions = :versions";
        update(
            match forgotten {
                Some(at) => written
                    .update_expression(format!("{set}, #ttl = :ttl"))
                    .expression_attribute_values(":ttl", number(at.as_ttl_seconds())),
                None => written.update_expression(format!("{set} REMOVE #ttl")),
            }
            .build(),
        )
    }
}
