//! The service's health for operators: the sweeper's last run, the oldest waiting job, and how jobs ended.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use super::dynamo::{batch_get, failed_condition, get, glimpse, only, readable};
use super::item::{ENDED, Item, OPEN, Shard, ended_shard, from_item, nested, string, time};
use super::{StoreError, store_error};
use docmill_domain::job::{JobId, JobStatus, SWEPT_SHARDS};
use docmill_domain::outcome::Outcome;
use docmill_domain::time::Timestamp;

/// An item of the Jobs table that is neither a job nor a record. It is here because the sweeper may not write to a more
/// suitable table. No job has this id.
const LAST_SWEEP: &str = "sweep#last";
/// The item of the Jobs table that says how far the log of requests has been collected. It is here because operators' pages already
/// read single items of this table. No job has this id.
const COLLECTED: &str = "requests#collected";
/// Most open jobs that are read, in total and per shard.
const UNFINISHED: usize = 100;
const LOOKED_AT: i32 = 25;
/// Most ended jobs that are read per partition, newest first.
const ENDS_LOOKED_AT: i32 = 125;
/// How far back ended jobs are read: from two days' partitions at most.
const DAY: Duration = Duration::from_secs(86_400);

/// What operators look at. It is in the Jobs table, beside the jobs.
#[derive(Debug)]
pub struct Health {
    client: Client,
    jobs_table: String,
}

/// How far the sweeper has come with the files of stored templates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateSweep {
    /// When it goes on.
    pub due: Timestamp,
    /// The last key that it has looked at. None: it begins again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A run of the sweeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// When the run began.
    pub at: Timestamp,
    /// Queued jobs whose message was sent again.
    pub resent: u32,
    /// Jobs that were given back to their queue, because their worker was lost.
    pub released: u32,
    /// Jobs that had no attempt left.
    pub failed: u32,
    /// Completed jobs whose time was over.
    pub expired: u32,
    /// Jobs that could not be repaired.
    pub errors: u32,
}

/// A job that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpenJob {
    /// The job's id.
    pub id: JobId,
    /// Queued or processing.
    pub status: JobStatus,
    /// The slug of its first tool.
    pub tool: String,
    /// When it was accepted.
    pub created_at: Timestamp,
    /// How often a worker has claimed it.
    pub attempts: u32,
}

/// The most recently ended jobs.
#[derive(Debug, PartialEq, Eq)]
pub struct RecentEnds {
    /// Newest first.
    pub outcomes: Vec<Outcome>,
    /// All jobs that ended since this time are included.
    pub since: Timestamp,
}

/// An item of the index of ended jobs.
#[derive(Clone, Debug, Deserialize)]
struct Ended {
    finished_at: Timestamp,
    outcome: Outcome,
}

/// The newest items of one partition.
#[derive(Debug)]
struct Newest {
    ends: Vec<Ended>,
    /// Whether the partition has older ones.
    more: bool,
}

impl Health {
    /// Over the Jobs table.
    pub fn new(client: Client, jobs_table: String) -> Self {
        Self { client, jobs_table }
    }

    /// Records a run. If two run at once, the later one is kept.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn record_sweep(&self, sweep: &Sweep) -> Result<(), StoreError> {
        self.note("sweep", sweep).await
    }

    /// Records how far the sweeper has come, for its next run.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn record_template_sweep(&self, sweep: &TemplateSweep) -> Result<(), StoreError> {
        self.note("templates", sweep).await
    }

    /// Sets an attribute of the sweeper's item.
    async fn note(&self, attribute: &str, value: &impl Serialize) -> Result<(), StoreError> {
        self.client
            .update_item()
            .table_name(&self.jobs_table)
            .key("id", string(LAST_SWEEP))
            .update_expression(format!("SET {attribute} = :value"))
            .expression_attribute_values(":value", nested(value)?)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        Ok(())
    }

    /// `None` if the sweeper has not looked at templates yet. It may be late, and then files are looked at twice.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn template_sweep(&self) -> Result<Option<TemplateSweep>, StoreError> {
        #[derive(Deserialize)]
        struct Noted {
            templates: Option<TemplateSweep>,
        }
        let key = Item::from([("id".to_owned(), string(LAST_SWEEP))]);
        let noted: Option<Noted> = glimpse(&self.client, &self.jobs_table, key).await?;
        Ok(noted.and_then(|noted| noted.templates))
    }

    /// `None` if the sweeper has never run.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn last_sweep(&self) -> Result<Option<Sweep>, StoreError> {
        #[derive(Deserialize)]
        struct Noted {
            sweep: Option<Sweep>,
        }
        let key = Item::from([("id".to_owned(), string(LAST_SWEEP))]);
        let noted: Option<Noted> = get(&self.client, &self.jobs_table, key).await?;
        Ok(noted.and_then(|noted| noted.sweep))
    }

    /// Until when the log of requests has been collected. `None`: never.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn collected(&self) -> Result<Option<Timestamp>, StoreError> {
        #[derive(Deserialize)]
        struct Noted {
            until: Timestamp,
        }
        let key = Item::from([("id".to_owned(), string(COLLECTED))]);
        let noted: Option<Noted> = get(&self.client, &self.jobs_table, key).await?;
        Ok(noted.map(|noted| noted.until))
    }

    /// Notes that it has been collected until this time. An earlier time than the noted one changes nothing.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_collected(&self, until: Timestamp) -> Result<(), StoreError> {
        let update = self
            .client
            .update_item()
            .table_name(&self.jobs_table)
            .key("id", string(COLLECTED))
            .update_expression("SET #until = :until")
            // Timeline: A collects until 12:00, and B until 12:01. B notes it first; A's condition fails, and 12:01 stays.
            .condition_expression("attribute_not_exists(#until) OR #until < :until")
            .expression_attribute_names("#until", "until")
            .expression_attribute_values(":until", time(until));
        match update.send().await {
            Err(error) if failed_condition(&error).is_none() => Err(store_error(&error)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Queued and running jobs, oldest first, among the hundred open jobs that the sweeper would look at next.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn unfinished(&self) -> Result<Vec<OpenJob>, StoreError> {
        let mut due = try_join_all(Shard::unfinished().map(|shard| self.first_due(shard))).await?.concat();
        due.sort_by_key(|(due, _)| *due);
        due.truncate(UNFINISHED);
        let ids: Vec<Item> = due.into_iter().map(|(_, id)| id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = only(&["id", "status", "tool", "created_at", "attempts"]).set_keys(Some(ids));
        let jobs: Vec<OpenJob> = readable(batch_get(&self.client, &self.jobs_table, wanted).await?);
        let mut unfinished: Vec<_> =
            jobs.into_iter().filter(|job| matches!(job.status, JobStatus::Queued | JobStatus::Processing)).collect();
        unfinished.sort_by_key(|job| job.created_at);
        Ok(unfinished)
    }

    /// How the last jobs ended: all of the last 24 hours, or the newest ones. The index is slightly late.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn recent_ends(&self, now: Timestamp) -> Result<RecentEnds, StoreError> {
        let since = now.minus(DAY);
        let days = [since.day(), now.day()];
        let partitions = days.iter().flat_map(|day| (0..SWEPT_SHARDS).map(move |shard| ended_shard(day, shard)));
        let partitions = try_join_all(partitions.map(|partition| self.newest_ends(partition, since))).await?;
        Ok(recent(partitions, since))
    }

    async fn newest_ends(&self, partition: String, since: Timestamp) -> Result<Newest, StoreError> {
        let output = self
            .client
            .query()
            .table_name(&self.jobs_table)
            .index_name(ENDED)
            .key_condition_expression("#ended = :partition AND finished_at > :since")
            .expression_attribute_names("#ended", ENDED)
            .expression_attribute_values(":partition", string(partition))
            .expression_attribute_values(":since", time(since))
            .scan_index_forward(false)
            .limit(ENDS_LOOKED_AT)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let ends = output.items.unwrap_or_default().into_iter().map(from_item).collect::<Result<_, _>>()?;
        Ok(Newest { ends, more: output.last_evaluated_key.is_some() })
    }

    /// The first due jobs of a shard, with their times.
    async fn first_due(&self, shard: Shard) -> Result<Vec<(Timestamp, Item)>, StoreError> {
        let output = self
            .client
            .query()
            .table_name(&self.jobs_table)
            .index_name(OPEN)
            .key_condition_expression("#open = :shard")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":shard", string(shard.key()))
            .limit(LOOKED_AT)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let due = |item: &Item| Some(Timestamp(item.get("due")?.as_n().ok()?.parse().ok()?));
        let entry = |item: Item| Some((due(&item)?, Item::from([("id".to_owned(), item.get("id")?.clone())])));
        Ok(output.items.unwrap_or_default().into_iter().filter_map(entry).collect())
    }
}

/// The ends of all partitions together. If a partition has more than was read, the result only goes back to its oldest item:
/// older ends of other partitions would distort it.
fn recent(partitions: Vec<Newest>, since: Timestamp) -> RecentEnds {
    let told_back_to = |partition: &Newest| partition.ends.last().filter(|_| partition.more).map(|end| end.finished_at);
    let since = partitions.iter().filter_map(told_back_to).fold(since, Timestamp::max);
    let ends = partitions.into_iter().flat_map(|partition| partition.ends);
    RecentEnds { outcomes: ends.filter(|end| end.finished_at >= since).map(|end| end.outcome).collect(), since }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(tool: &str, times: &[i64], more: bool) -> Newest {
        let outcome = Outcome { tool: tool.to_owned(), engine: None, error: None };
        let ends = times.iter().map(|at| Ended { finished_at: Timestamp(*at), outcome: outcome.clone() });
        Newest { ends: ends.collect(), more }
    }

    #[test]
    fn all_partitions_are_read_back_to_the_same_moment() {
        let told = |partitions| {
            let RecentEnds { outcomes, since } = recent(partitions, Timestamp(100));
            (outcomes.into_iter().map(|outcome| outcome.tool).collect::<Vec<_>>(), since.as_millis())
        };
        let (a, b) = ([900, 500, 300], [800, 400, 200]);
        let all = vec!["a", "a", "a", "b", "b", "b"].into_iter().map(str::to_owned).collect();
        assert_eq!(told(vec![newest("a", &a, false), newest("b", &b, false)]), (all, 100));
        let (told, since) = told(vec![newest("a", &a, true), newest("b", &b, false), newest("c", &[], false)]);
        assert_eq!((told, since), (vec!["a".into(), "a".into(), "a".into(), "b".into(), "b".into()], 300));
    }
}
