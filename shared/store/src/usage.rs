//! The Usage table: profiles, monthly balances and counts. `submission` writes debits, `jobs` refunds, and `statistics` counts.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use futures_util::try_join;

use super::StoreError;
use super::credits::{self, Credits};
use super::dynamo::get;
use super::item::UsageItem;
use super::statistics::{Counted, Statistics};
use docmill_config::Tables;
use docmill_domain::account::Profile;
use docmill_domain::statistics::{Counts, GroupBy};
use docmill_domain::time::Period;

/// What accounts have used.
#[derive(Debug)]
pub struct Usage {
    client: Client,
    table: String,
    statistics: Statistics,
}

/// An account's month. Credits and created jobs are current; other counts lag by the sweeper's interval.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonthlyUsage {
    /// What is left, and what was used.
    pub credits: Credits,
    /// By day of creation, tool and key.
    pub counts: Vec<Counted>,
}

impl Usage {
    /// Over the service's tables.
    pub fn new(client: Client, tables: &Tables) -> Self {
        let statistics = Statistics::new(client.clone(), tables.clone());
        Self { client, table: tables.usage.clone(), statistics }
    }

    /// Strongly consistent reads of the credits, and the counts of the month.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_month(&self, account: &str, period: Period) -> Result<MonthlyUsage, StoreError> {
        let (first, last) = period.first_and_last_day();
        let (credits, counts) = try_join!(
            credits::read(&self.client, &self.table, account, period),
            self.statistics.between(account, &first, &last)
        )?;
        Ok(MonthlyUsage { credits, counts })
    }

    /// The sums of the counts from `first` to `last` (`YYYY-MM-DD`, both included), up to a minute late.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn grouped(
        &self,
        account: &str,
        first: &str,
        last: &str,
        by: GroupBy,
    ) -> Result<BTreeMap<String, Counts>, StoreError> {
        let mut groups: BTreeMap<String, Counts> = BTreeMap::new();
        for Counted { subject, counts } in self.statistics.between(account, first, last).await? {
            *groups.entry(by.name_of(&subject).to_owned()).or_default() += counts;
        }
        Ok(groups)
    }

    /// A strongly consistent read of the account. `None` if there is no such account.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn profile(&self, account: &str) -> Result<Option<Profile>, StoreError> {
        get(&self.client, &self.table, UsageItem::Profile.key(account)).await
    }
}

impl MonthlyUsage {
    /// The sum of all counts.
    pub fn total(&self) -> Counts {
        sum(self.counts.iter())
    }

    /// The counts by the slug of the first tool.
    pub fn by_tool(&self) -> BTreeMap<&str, Counts> {
        self.by(GroupBy::Tool)
    }

    /// The counts by the group's name.
    pub fn by(&self, by: GroupBy) -> BTreeMap<&str, Counts> {
        let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
        for Counted { subject, counts } in &self.counts {
            *groups.entry(by.name_of(subject)).or_default() += *counts;
        }
        groups
    }

    /// The counts of a day of the month, from 1.
    pub fn of_day(&self, day: u8) -> Counts {
        sum(self.counts.iter().filter(|counted| counted.subject.day_of_month() == Some(day)))
    }

    /// The same for one tool or key.
    pub fn of_day_in(&self, day: u8, by: GroupBy, name: &str) -> Counts {
        let wanted =
            |counted: &&Counted| counted.subject.day_of_month() == Some(day) && by.name_of(&counted.subject) == name;
        sum(self.counts.iter().filter(wanted))
    }
}

fn sum<'a>(counted: impl Iterator<Item = &'a Counted>) -> Counts {
    counted.fold(Counts::default(), |mut sum, counted| {
        sum += counted.counts;
        sum
    })
}
