//! An account's jobs, newest first. The index finds them; state and owner are read from the jobs themselves.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::Jobs;
use crate::item::{BY_ACCOUNT, Item, job_key, number, string, time};
use crate::{StoreError, store_error};
use docmill_domain::api_key::Mode;
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::time::Timestamp;

/// Most index items per query, and most queries per page. A filter that few jobs match gives short pages rather than slow ones.
const LOOKED_AT: i32 = 200;
const MAX_QUERIES: usize = 5;
/// Most jobs per read.
const BATCH: usize = 100;
/// As many jobs may be read for one request of the rate limit.
const READ_PER_REQUEST: usize = 200;

/// A filter; `None` matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct JobFilter {
    /// At the time of reading: an expiry counts at once.
    pub status: Option<JobStatus>,
    /// The slug of the first tool.
    pub tool: Option<String>,
    /// Created after the first and before the second time.
    pub created_after: Option<Timestamp>,
    /// See [`created_after`](Self::created_after).
    pub created_before: Option<Timestamp>,
    /// Pairs that a job's metadata must contain.
    pub metadata: BTreeMap<String, String>,
    /// The start of its id, or a part of a document name or label, ignoring case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// That of the key which created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The id of the API key that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<String>,
}

impl JobFilter {
    fn admits(&self, job: &Job, now: Timestamp) -> bool {
        self.status.is_none_or(|status| job.status_at(now) == status)
            && self.tool.as_ref().is_none_or(|tool| job.tool == *tool)
            && self.mode.is_none_or(|mode| job.mode == mode)
            && self.key_id.as_ref().is_none_or(|key| job.request.key_id == *key)
            && self.text.as_ref().is_none_or(|text| mentions(job, &text.to_lowercase()))
            && self.metadata.iter().all(|(name, value)| job.request.metadata.get(name) == Some(value))
    }

    /// The first and last creation time that matches; `None` if none can.
    fn created(&self) -> Option<(Timestamp, Timestamp)> {
        let first = self.created_after.map_or(0, |after| after.as_millis().saturating_add(1));
        let last = self.created_before.map_or(i64::MAX, |before| before.as_millis().saturating_sub(1));
        (first <= last).then_some((Timestamp(first), Timestamp(last)))
    }

    /// Whether the index can answer it. The index has only states and tools.
    fn is_of_index(&self) -> bool {
        self.metadata.is_empty() && self.text.is_none() && self.mode.is_none() && self.key_id.is_none()
    }

    /// How many jobs to read to find this many.
    fn batch(&self, wanted: usize) -> usize {
        if self.is_of_index() { wanted.clamp(1, BATCH) } else { BATCH }
    }
}

/// Whether the job's id begins with this text (lower case), or one of its names or labels contains it.
fn mentions(job: &Job, text: &str) -> bool {
    let output = job.result.output.iter().map(|output| output.filename.as_str());
    let request = job.request.request_id.as_deref();
    let labels = job.request.metadata.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    let mut told: Vec<&str> = output.chain(request).chain(labels).collect();
    strings(&job.request.input, &mut told);
    job.id.to_string().starts_with(text) || told.iter().any(|told| told.to_lowercase().contains(text))
}

/// All strings in a value, at any depth.
fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(values) => values.values().for_each(|value| strings(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A page of jobs.
#[derive(Debug)]
pub struct JobsPage {
    /// No more than were asked for.
    pub jobs: Vec<Job>,
    /// Where the next page begins, if there may be more.
    pub next: Option<JobMark>,
    /// How many jobs were read to find these.
    read: usize,
}

impl JobsPage {
    /// How many requests of the rate limit the reads are worth, besides the first.
    pub fn further_requests(&self) -> u32 {
        u32::try_from(self.read.saturating_sub(1) / READ_PER_REQUEST).unwrap_or(u32::MAX)
    }
}

/// A place in the list of an account's jobs. Written `1795176000007.0197…`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobMark {
    created_at: Timestamp,
    id: JobId,
}

impl JobMark {
    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (created_at, id) = text.split_once('.')?;
        Some(Self { created_at: Timestamp(created_at.parse().ok()?), id: JobId::parse(id)? })
    }

    /// The place of this job.
    pub fn of_job(job: &Job) -> Self {
        Self { created_at: job.times.created_at, id: job.id }
    }

    fn of(item: &Item) -> Option<Self> {
        let created_at = item.get("created_at")?.as_n().ok()?.parse().ok()?;
        Some(Self { created_at: Timestamp(created_at), id: JobId::parse(item.get("id")?.as_s().ok()?)? })
    }

    fn key(self, account: &str) -> Item {
        let mut key = job_key(self.id);
        key.insert("account".to_owned(), string(account));
        key.insert("created_at".to_owned(), number(self.created_at.as_millis()));
        key
    }
}

impl fmt::Display for JobMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.created_at.as_millis(), self.id)
    }
}

impl Jobs {
    /// Up to `limit` of the account's jobs (100 at most) after `after`. Reads at most 1,000, so a page may be short or even empty
    /// and still have a next one.
    ///
    /// # Errors
    /// If the index or a job can't be read now.
    pub async fn of_account(
        &self,
        account: &str,
        filter: &JobFilter,
        after: Option<JobMark>,
        limit: usize,
        now: Timestamp,
    ) -> Result<JobsPage, StoreError> {
        let mut page = JobsPage { jobs: Vec::new(), next: after, read: 0 };
        let Some(created) = filter.created() else { return Ok(JobsPage { next: None, ..page }) };
        for _ in 0..MAX_QUERIES {
            let (marks, last) = self.query(account, filter, created, page.next).await?;
            let mut unread = marks.as_slice();
            while page.jobs.len() < limit && !unread.is_empty() {
                let (batch, rest) = unread.split_at(filter.batch(limit - page.jobs.len()).min(unread.len()));
                page.read += batch.len();
                let mut jobs = self.admitted(account, filter, batch, now).await?;
                for mark in batch {
                    if page.jobs.len() == limit {
                        break;
                    }
                    page.next = Some(*mark);
                    page.jobs.extend(jobs.remove(&mark.id));
                }
                unread = rest;
            }
            if marks.last().is_none_or(|mark| page.next == Some(*mark)) {
                page.next = last;
            }
            if page.jobs.len() >= limit || page.next.is_none() {
                break;
            }
        }
        Ok(page)
    }

    /// Those of the marked jobs that the filter admits. The index may be late and never authorizes.
    async fn admitted(
        &self,
        account: &str,
        filter: &JobFilter,
        marks: &[JobMark],
        now: Timestamp,
    ) -> Result<HashMap<JobId, Job>, StoreError> {
        let admits = |job: &Job| job.is_of(account, now) && filter.admits(job, now);
        let mut ids: Vec<_> = marks.iter().map(|mark| mark.id).collect();
        if !filter.is_of_index() {
            // Few of them match, and a late read costs half as much. What it admits is read again.
            ids = self.glimpse_all(&ids).await?.into_iter().filter(admits).map(|job| job.id).collect();
        }
        let jobs = self.get_all(&ids).await?.into_iter().filter(admits);
        Ok(jobs.map(|job| (job.id, job)).collect())
    }

    async fn query(
        &self,
        account: &str,
        filter: &JobFilter,
        (first, last): (Timestamp, Timestamp),
        after: Option<JobMark>,
    ) -> Result<(Vec<JobMark>, Option<JobMark>), StoreError> {
        let mut query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(BY_ACCOUNT)
            .key_condition_expression("account = :account AND created_at BETWEEN :first AND :last")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", time(first))
            .expression_attribute_values(":last", time(last))
            .scan_index_forward(false)
            .limit(LOOKED_AT)
            .set_exclusive_start_key(after.map(|mark| mark.key(account)));
        let mut conditions = Vec::new();
        match filter.status {
            // Output past its time counts as expired, not completed, even before the sweeper has updated the job.
            Some(JobStatus::Expired) => {
                conditions.push("#status IN (:status, :completed)");
                query = query.expression_attribute_values(":completed", string(JobStatus::Completed.as_str()));
            }
            Some(_) => conditions.push("#status = :status"),
            None => {}
        }
        if let Some(status) = filter.status {
            query = query
                .expression_attribute_names("#status", "status")
                .expression_attribute_values(":status", string(status.as_str()));
        }
        if let Some(tool) = &filter.tool {
            conditions.push("tool = :tool");
            query = query.expression_attribute_values(":tool", string(tool));
        }
        if !conditions.is_empty() {
            query = query.filter_expression(conditions.join(" AND "));
        }
        let output = query.send().await.map_err(|error| store_error(&error))?;
        let items = output.items.unwrap_or_default();
        let mark = |item: &Item| {
            let mark = JobMark::of(item);
            if mark.is_none() {
                tracing::error!(item_id = ?item.get("id"), "an indexed job without an id or a time is skipped");
            }
            mark
        };
        let marks = items.iter().filter_map(mark).collect();
        Ok((marks, output.last_evaluated_key.as_ref().and_then(JobMark::of)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_written_as_it_is_read() {
        let mark = JobMark { created_at: Timestamp(1_795_176_000_007), id: JobId::new() };
        assert_eq!(JobMark::parse(&mark.to_string()), Some(mark));
        for text in ["", "1", "1.x", "x.0197", ".", "1795176000007"] {
            assert_eq!(JobMark::parse(text), None, "{text}");
        }
    }
}
