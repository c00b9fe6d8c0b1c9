//! Counts of an account's jobs. The sweeper counts later, so that the transactions that create and end jobs need not.
//!
//! A live job is in the sparse index `uncounted` after its creation, and again after its end, until it is counted. The
//! transaction that adds to the counts also removes the job from the index, so that each job is counted once, even if a process
//! dies or repeats a step.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem, Update};
use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};

use super::StoreError;
use super::dynamo::{
    self, TRIES, Transacted, all_items, back_off, get, get_items, only, readable, too_contended, transact,
};
use super::events::StoredEvent;
use super::item::{Item, UNCOUNTED, UsageItem, from_item, job_key, number, string, time};
use super::jobs::{DueMark, DuePage};
use docmill_config::Tables;
use docmill_domain::event::{self, EventKind};
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::quota::warning_threshold;
use docmill_domain::statistics::{Counts, Subject};
use docmill_domain::time::{Period, Timestamp};

/// Most jobs and most different subjects per transaction, which may have 100 parts.
const JOBS_AT_ONCE: usize = 70;
const SUBJECTS_AT_ONCE: usize = 25;
const PAGE: i32 = 1000;
/// What is read of a job to count it.
const COUNTED_BY: [&str; 16] = [
    "id",
    "account",
    "key_id",
    "mode",
    "tool",
    "status",
    "created_at",
    "attempts",
    "period",
    "charge",
    "included_credits",
    "refunded",
    "uncounted",
    "creation_counted",
    "ended_as",
    "ttl",
];
/// Most accounts that are counted at the same time.
const ACCOUNTS_AT_ONCE: usize = 16;
/// How long counts are kept.
const KEPT: std::time::Duration = std::time::Duration::from_secs(400 * 86_400);

/// Counts of jobs in the Usage table.
#[derive(Debug)]
pub struct Statistics {
    client: Client,
    tables: Tables,
}

/// The counts of one subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Which jobs they are.
    pub subject: Subject,
    /// How many, and what they cost.
    pub counts: Counts,
}

/// The quota events that an account got in a month.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
struct Notices {
    /// Included credits used by completed jobs.
    #[serde(default)]
    spent: u64,
    #[serde(default)]
    warned_at: Option<Timestamp>,
}

/// Jobs of one account and month that are counted together.
#[derive(Debug)]
struct Batch {
    account: String,
    period: Period,
    jobs: Vec<Job>,
}

impl Batch {
    fn halves(mut self) -> [Self; 2] {
        let rest = self.jobs.split_off(self.jobs.len() / 2);
        [Self { account: self.account.clone(), period: self.period, jobs: rest }, self]
    }
}

impl Statistics {
    /// Over the service's tables.
    pub fn new(client: Client, tables: Tables) -> Self {
        Self { client, tables }
    }

    /// A page of jobs to be counted. The index is slightly late.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn uncounted(&self, shard: u8, from: Option<DueMark>) -> Result<DuePage, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.tables.jobs)
            .index_name(UNCOUNTED)
            .key_condition_expression("#uncounted = :shard")
            .expression_attribute_names("#uncounted", UNCOUNTED)
            .expression_attribute_values(":shard", string(shard.to_string()))
            .limit(PAGE);
        DuePage::of(query, from).await
    }

    /// Counts these jobs and returns how many were counted. Jobs that changed in the meantime are counted later.
    ///
    /// Accounts are counted in parallel, and one that fails does not delay others.
    ///
    /// # Errors
    /// If an account can't be counted now. The others may be.
    pub async fn count(&self, ids: &[JobId], now: Timestamp) -> Result<usize, StoreError> {
        let keys = ids.iter().map(|id| job_key(*id)).collect();
        let wanted = only(&COUNTED_BY).consistent_read(true);
        let jobs: Vec<Job> = readable(get_items(&self.client, &self.tables.jobs, keys, &wanted).await?);
        let accounts = batches(jobs.into_iter().filter(|job| job.index.uncounted.is_some()));
        let counted = stream::iter(accounts).map(|batches| self.count_account(batches, now));
        let counted: Vec<_> = counted.buffer_unordered(ACCOUNTS_AT_ONCE).collect().await;
        counted.into_iter().sum()
    }

    /// Batches of an account run one after the other: they add to the same counts and would contend.
    ///
    /// DynamoDB refuses a batch whose stored jobs have over 4 MB together, or of which one job has no room for a further
    /// attribute. So a refused batch is counted in halves, until only the job that can't be counted is left out.
    async fn count_account(&self, mut batches: Vec<Batch>, now: Timestamp) -> Result<usize, StoreError> {
        let mut counted = 0;
        batches.reverse();
        while let Some(mut batch) = batches.pop() {
            match self.count_together(&mut batch, now).await {
                Ok(jobs) => counted += jobs,
                Err(StoreError::Refused(_)) if batch.jobs.len() > 1 => batches.extend(batch.halves()),
                Err(error @ StoreError::Refused(_)) => {
                    let job_id = batch.jobs.first().map(|job| job.id.to_string()).unwrap_or_default();
                    tracing::error!(job_id, %error, "a job can't be counted");
                }
                Err(error @ (StoreError::Unavailable(_) | StoreError::Malformed(_))) => return Err(error),
            }
        }
        Ok(counted)
    }

    async fn count_together(&self, batch: &mut Batch, now: Timestamp) -> Result<usize, StoreError> {
        for attempt in 0..TRIES {
            match transact(&self.client, self.writes(batch, now).await?).await? {
                Transacted::Committed => return Ok(batch.jobs.len()),
                Transacted::Contended(_) => back_off(attempt).await,
                Transacted::Failed(failed) => {
                    let moved_on: Vec<usize> = failed.into_iter().map(|(position, _)| position).collect();
                    let mut position = 0..;
                    batch.jobs.retain(|_| position.next().is_some_and(|position| !moved_on.contains(&position)));
                }
            }
            if batch.jobs.is_empty() {
                return Ok(0);
            }
        }
        Err(too_contended())
    }

    /// The jobs' parts come first, so that the position of a failed part identifies the job.
    async fn writes(&self, batch: &Batch, now: Timestamp) -> Result<Vec<TransactWriteItem>, StoreError> {
        let mut writes = Vec::with_capacity(JOBS_AT_ONCE + SUBJECTS_AT_ONCE + 2);
        let mut counts: BTreeMap<Subject, Counts> = BTreeMap::new();
        for job in &batch.jobs {
            writes.push(self.take_out(job)?);
            *counts.entry(Subject::of(job)).or_default() += Counts::due(job);
        }
        for (subject, counts) in &counts {
            writes.push(self.add(&batch.account, subject, counts, now)?);
        }
        writes.extend(self.spend(batch, now).await?);
        Ok(writes)
    }

    fn take_out(&self, job: &Job) -> Result<TransactWriteItem, StoreError> {
        let ended = if job.status.is_terminal() { "NOT " } else { "" };
        let creation = if job.index.creation_counted {
            "creation_counted = :yes"
        } else {
            "attribute_not_exists(creation_counted)"
        };
        let update = Update::builder()
            .table_name(&self.tables.jobs)
            .set_key(Some(job_key(job.id)))
            // Timeline: two sweepers read the same job. The first transaction counts and removes it, and the second one finds it
            // removed. A job that ends between read and write is not removed without its end.
            .condition_expression(format!(
                "attribute_exists(#uncounted) AND {creation} AND {ended}#status IN (:queued, :processing)"
            ))
            .update_expression("SET creation_counted = :yes REMOVE #uncounted")
            .expression_attribute_names("#uncounted", UNCOUNTED)
            .expression_attribute_names("#status", "status")
            .expression_attribute_values(":yes", AttributeValue::Bool(true))
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()));
        dynamo::update(update.build())
    }

    fn add(
        &self,
        account: &str,
        subject: &Subject,
        counts: &Counts,
        now: Timestamp,
    ) -> Result<TransactWriteItem, StoreError> {
        let mut update = Update::builder()
            .table_name(&self.tables.usage)
            .set_key(Some(UsageItem::Counts(subject).key(account)))
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":ttl", number(now.plus(KEPT).as_ttl_seconds()));
        let mut additions = Vec::new();
        for (name, count) in counts.by_name().into_iter().filter(|(_, count)| *count > 0) {
            additions.push(format!("#{name} :{name}"));
            update = update
                .expression_attribute_names(format!("#{name}"), name)
                .expression_attribute_values(format!(":{name}"), number(count));
        }
        let additions = if additions.is_empty() { String::new() } else { format!(" ADD {}", additions.join(", ")) };
        dynamo::update(update.update_expression(format!("SET #ttl = :ttl{additions}")).build())
    }

    /// Adds up the included credits that completed jobs use, and warns once at 80 % of the month's.
    async fn spend(&self, batch: &Batch, now: Timestamp) -> Result<Vec<TransactWriteItem>, StoreError> {
        let completed = batch.jobs.iter().filter(|job| Counts::due(job).completed > 0);
        let spends: u64 = completed.map(|job| job.payment.charge.included).sum();
        // The plan may have changed within the month: the latest job has the current one.
        let included =
            batch.jobs.iter().max_by_key(|job| job.times.created_at).map_or(0, |job| job.payment.included_credits);
        let Some(threshold) = warning_threshold(included).filter(|_| spends > 0) else { return Ok(Vec::new()) };
        let key = UsageItem::Notices(batch.period).key(&batch.account);
        let read: Option<Notices> = get(&self.client, &self.tables.usage, key.clone()).await?;
        let Notices { spent, warned_at } = read.unwrap_or_default();
        let crosses = warned_at.is_none() && spent + spends >= threshold;
        let update = Update::builder()
            .table_name(&self.tables.usage)
            .set_key(Some(key))
            // Timeline: two sweepers count two completions that only cross the threshold together. The second one finds another
            // sum than it read, reads again, and sees that it crosses.
            .condition_expression(match spent {
                0 => "attribute_not_exists(spent) OR spent = :spent",
                _ => "spent = :spent",
            })
            .update_expression(if crosses { "SET warned_at = :now ADD spent :spends" } else { "ADD spent :spends" })
            .expression_attribute_values(":spent", number(spent))
            .expression_attribute_values(":spends", number(spends));
        if !crosses {
            return Ok(vec![dynamo::update(update.build())?]);
        }
        let update = update.expression_attribute_values(":now", time(now));
        let data = event::quota_warning(batch.period, included, threshold);
        let warning = StoredEvent::new(&batch.account, EventKind::QuotaWarning, now, data);
        Ok(vec![dynamo::update(update.build())?, warning.put(&self.tables.events)?])
    }

    /// An account's counts from `first` to `last` (`YYYY-MM-DD`, both included) by subject.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn between(&self, account: &str, first: &str, last: &str) -> Result<Vec<Counted>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.tables.usage)
            .key_condition_expression("account = :account AND #item BETWEEN :first AND :last")
            .expression_attribute_names("#item", "item")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(UsageItem::first_counts_of(first)))
            .expression_attribute_values(":last", string(UsageItem::last_counts_of(last)));
        all_items(query).await?.into_iter().map(counted).collect()
    }
}

fn counted(item: Item) -> Result<Counted, StoreError> {
    let subject = item.get("item").and_then(|key| UsageItem::subject(key.as_s().ok()?));
    let subject = subject.ok_or_else(|| StoreError::Malformed("counts without a subject".into()))?;
    Ok(Counted { subject, counts: from_item(item)? })
}

/// Each account's batches: one month each, and small enough for one transaction.
fn batches(jobs: impl Iterator<Item = Job>) -> Vec<Vec<Batch>> {
    let mut months: BTreeMap<(String, Period), Vec<Job>> = BTreeMap::new();
    for job in jobs {
        months.entry((job.account.clone(), job.payment.period)).or_default().push(job);
    }
    let mut accounts: BTreeMap<String, Vec<Batch>> = BTreeMap::new();
    for ((account, period), mut jobs) in months {
        let batches = accounts.entry(account.clone()).or_default();
        jobs.sort_by_cached_key(Subject::of);
        let (mut batch, mut subjects) = (Vec::new(), Vec::new());
        for job in jobs {
            let subject = Subject::of(&job);
            let is_new = subjects.last() != Some(&subject);
            if batch.len() >= JOBS_AT_ONCE || is_new && subjects.len() >= SUBJECTS_AT_ONCE {
                batches.push(Batch { account: account.clone(), period, jobs: std::mem::take(&mut batch) });
                subjects.clear();
            }
            if subjects.last() != Some(&subject) {
                subjects.push(subject);
            }
            batch.push(job);
        }
        batches.push(Batch { account, period, jobs: batch });
    }
    accounts.into_values().collect()
}
