//! The Usage table: profiles, monthly balances and outcomes. Debits are in `submission`, refunds in `jobs`.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::KeysAndAttributes;

use super::batch::batch_get;
use super::item::{Item, UsageItem, from_item};
use super::{StoreError, accounts, store_error};
use crate::domain::account::Profile;
use crate::domain::time::{Period, Timestamp};

/// Attributes of a balance that count per tool: the name of the tool follows.
pub(super) const TOOL_JOBS: &str = "jobs#";
pub(super) const TOOL_CREDITS: &str = "credits#";
/// Attributes of the outcomes.
pub(super) const COMPLETED: &str = "completed";
pub(super) const FAILED: &str = "failed";
/// Attributes that count per UTC day: `day#07#` and what is counted, in the balance the tools' slugs, in the outcomes how
/// jobs ended. At most a month of days for each tool, so that no item grows without end.
const DAY: &str = "day#";

/// Counts of a day are those of the jobs created on it, whenever they ended.
pub(super) fn day_counter(created_at: Timestamp, what: &str) -> String {
    format!("{DAY}{:02}#{what}", created_at.day_of_month())
}

#[derive(Debug)]
pub struct Usage {
    client: Client,
    table: String,
}

/// An account's month.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonthlyUsage {
    pub profile: Option<Profile>,
    /// Included credits that are left; `None` before the month's first debit.
    pub remaining: Option<u64>,
    /// Credits spent, refunds deducted.
    pub used: u64,
    pub created: u64,
    pub completed: u64,
    pub failed: u64,
    /// Jobs and credits by tool slug.
    pub by_tool: BTreeMap<String, (u64, u64)>,
    /// By day of the month, from 1.
    pub by_day: BTreeMap<u8, DayUsage>,
}

/// What became of the jobs that were created on one UTC day.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DayUsage {
    /// Jobs by tool slug.
    pub by_tool: BTreeMap<String, u64>,
    pub completed: u64,
    pub failed: u64,
}

impl Usage {
    pub fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }

    /// Balance, outcomes and profile in one strongly consistent read.
    pub async fn of_month(&self, account: &str, period: Period) -> Result<MonthlyUsage, StoreError> {
        let wanted = [UsageItem::Profile, UsageItem::Balance(period), UsageItem::Outcomes(period)];
        let mut items = self.batch_get(wanted.iter().map(|item| item.key(account)).collect()).await?;
        let mut usage = MonthlyUsage::default();
        for item in wanted {
            let Some(found) = items.remove(&item.sort_key()) else { continue };
            match item {
                UsageItem::Profile => usage.profile = Some(from_item(found)?),
                UsageItem::Balance(_) => usage.add_balance(&found),
                UsageItem::Outcomes(_) => usage.add_outcomes(&found),
                UsageItem::TestDay(_) => {}
            }
        }
        Ok(usage)
    }

    async fn batch_get(&self, keys: Vec<Item>) -> Result<HashMap<String, Item>, StoreError> {
        let wanted = KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(true);
        let items = batch_get(&self.client, &self.table, wanted).await?;
        let sort_key = |item: &Item| item.get("item").and_then(|key| key.as_s().ok()).cloned();
        Ok(items.into_iter().filter_map(|item| Some((sort_key(&item)?, item))).collect())
    }

    pub async fn profile(&self, account: &str) -> Result<Option<Profile>, StoreError> {
        let output = self
            .client
            .get_item()
            .table_name(&self.table)
            .set_key(Some(UsageItem::Profile.key(account)))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        output.item.map(from_item).transpose()
    }

    /// False: there is an account of that id already.
    pub async fn create_profile(&self, account: &str, profile: &Profile) -> Result<bool, StoreError> {
        let result = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(accounts::profile_item(account, profile)?))
            // Timeline: two administrators create the same id; the second must not reset the first one's credits.
            .condition_expression("attribute_not_exists(account)")
            .send()
            .await;
        match result {
            Ok(_) => Ok(true),
            Err(error)
                if error.as_service_error().is_some_and(|error| error.is_conditional_check_failed_exception()) =>
            {
                Ok(false)
            }
            Err(error) => Err(store_error(&error)),
        }
    }
}

impl MonthlyUsage {
    fn add_balance(&mut self, item: &Item) {
        self.remaining = item.contains_key("remaining").then(|| count(item, "remaining"));
        self.used = count(item, "used");
        self.created = count(item, "created");
        for name in item.keys() {
            if let Some(tool) = name.strip_prefix(TOOL_JOBS) {
                self.by_tool.entry(tool.to_owned()).or_default().0 = count(item, name);
            } else if let Some(tool) = name.strip_prefix(TOOL_CREDITS) {
                self.by_tool.entry(tool.to_owned()).or_default().1 = count(item, name);
            } else if let Some((day, tool)) = counted_on(name) {
                self.by_day.entry(day).or_default().by_tool.insert(tool.to_owned(), count(item, name));
            }
        }
    }

    fn add_outcomes(&mut self, item: &Item) {
        self.completed = count(item, COMPLETED);
        self.failed = count(item, FAILED);
        for name in item.keys() {
            match counted_on(name) {
                Some((day, COMPLETED)) => self.by_day.entry(day).or_default().completed = count(item, name),
                Some((day, FAILED)) => self.by_day.entry(day).or_default().failed = count(item, name),
                Some(_) | None => {}
            }
        }
    }
}

/// The day and what is counted, of a day's counter.
fn counted_on(name: &str) -> Option<(u8, &str)> {
    let (day, what) = name.strip_prefix(DAY)?.split_once('#')?;
    Some((day.parse().ok()?, what))
}

/// A counter attribute; absent means that nothing was counted yet.
pub(super) fn count(item: &Item, name: &str) -> u64 {
    item.get(name).and_then(|value| value.as_n().ok()).and_then(|text| text.parse().ok()).unwrap_or(0)
}
