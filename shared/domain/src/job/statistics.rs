//! Counts of an account's live jobs by day of creation, tool and key.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::job::{Job, JobStatus};

/// What is counted together. Written `2026-11-21#office-to-pdf#key_…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject {
    /// UTC day of the jobs' creation, as `YYYY-MM-DD`.
    pub day: String,
    /// The slug of the jobs' first tool.
    pub tool: String,
    /// The id of the key that created the jobs.
    pub key_id: String,
}

impl Subject {
    /// Where this job is counted.
    pub fn of(job: &Job) -> Self {
        Self { day: job.times.created_at.day(), tool: job.tool.clone(), key_id: job.request.key_id.clone() }
    }

    /// `None` unless the text has all three parts.
    pub fn parse(text: &str) -> Option<Self> {
        let (day, rest) = text.split_once('#')?;
        let (tool, key_id) = rest.split_once('#')?;
        Some(Self { day: day.to_owned(), tool: tool.to_owned(), key_id: key_id.to_owned() })
    }

    /// The UTC day of the month, from 1.
    pub fn day_of_month(&self) -> Option<u8> {
        self.day.rsplit_once('-')?.1.parse().ok()
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}#{}", self.day, self.tool, self.key_id)
    }
}

/// How counts are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// By UTC day of the jobs' creation.
    Day,
    /// By the jobs' first tool.
    Tool,
    /// By the key that created the jobs.
    Key,
}

impl GroupBy {
    /// In the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Day, Self::Tool, Self::Key];

    /// As the query parameter `groupBy` has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Tool => "tool",
            Self::Key => "key",
        }
    }

    /// The API's name for the group.
    pub const fn column(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Tool => "toolSlug",
            Self::Key => "keyId",
        }
    }

    /// A header line, then a line per group. Days, slugs and ids need no quotes (RFC 4180).
    pub fn csv(self, groups: &BTreeMap<String, Counts>) -> String {
        let mut lines = vec![format!("{},created,completed,failed,canceled,charged,refunded,credits", self.column())];
        lines.extend(groups.iter().map(|(group, counts)| {
            let Counts { created, completed, failed, canceled, charged, refunded } = counts;
            let credits = counts.credits();
            format!("{group},{created},{completed},{failed},{canceled},{charged},{refunded},{credits}")
        }));
        lines.join("\r\n") + "\r\n"
    }

    /// The group's name for a subject.
    pub fn name_of(self, subject: &Subject) -> &str {
        match self {
            Self::Day => &subject.day,
            Self::Tool => &subject.tool,
            Self::Key => &subject.key_id,
        }
    }
}

/// Numbers of jobs and of credits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// All jobs.
    pub created: u64,
    /// Jobs that had a result, even if it has expired.
    pub completed: u64,
    /// Jobs that ended with an error.
    pub failed: u64,
    /// Jobs that their owner canceled.
    pub canceled: u64,
    /// Credits taken at creation.
    pub charged: u64,
    /// Credits given back at the end.
    pub refunded: u64,
}

impl Counts {
    /// What is still to be counted of a job: its creation and, once it has ended, its end.
    pub fn due(job: &Job) -> Self {
        let mut counts = Self::default();
        if !job.index.creation_counted {
            counts.created = 1;
            counts.charged = job.payment.charge.total();
        }
        match job.deletion.ended_as.unwrap_or(job.status) {
            JobStatus::Queued | JobStatus::Processing => return counts,
            JobStatus::Completed | JobStatus::Expired => counts.completed = 1,
            JobStatus::Failed => counts.failed = 1,
            JobStatus::Canceled => counts.canceled = 1,
            // Not possible: `ended_as` is a deleted job's state before.
            JobStatus::Deleted => {}
        }
        counts.refunded = job.payment.refunded;
        counts
    }

    /// Credits that the jobs cost after refunds.
    pub fn credits(&self) -> u64 {
        self.charged.saturating_sub(self.refunded)
    }

    /// Each number with the name of the attribute that holds it.
    pub fn by_name(&self) -> [(&'static str, u64); 6] {
        [
            ("created", self.created),
            ("completed", self.completed),
            ("failed", self.failed),
            ("canceled", self.canceled),
            ("charged", self.charged),
            ("refunded", self.refunded),
        ]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.created += other.created;
        self.completed += other.completed;
        self.failed += other.failed;
        self.canceled += other.canceled;
        self.charged += other.charged;
        self.refunded += other.refunded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_read_as_it_is_written() {
        let subject = Subject { day: "2026-11-21".into(), tool: "office-to-pdf".into(), key_id: "key_1".into() };
        assert_eq!(subject.to_string(), "2026-11-21#office-to-pdf#key_1");
        assert_eq!(Subject::parse(&subject.to_string()), Some(subject.clone()));
        assert_eq!(subject.day_of_month(), Some(21));
        assert_eq!(Subject::parse("2026-11-21"), None);
    }

    #[test]
    fn counts_are_named_as_they_serialise() {
        let counts = Counts { created: 1, completed: 2, failed: 3, canceled: 4, charged: 5, refunded: 6 };
        let stored = serde_json::to_value(counts).unwrap();
        let named: serde_json::Map<_, _> =
            counts.by_name().into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
        assert_eq!(stored, serde_json::Value::Object(named));
    }
}
