//! Ended jobs whose files the sweeper cleans up, and results that are delivered before their job has ended.

use std::time::Duration;

use super::{Jobs, Written, written};
use crate::StoreError;
use crate::dynamo::send;
use crate::item::{OPEN, Shard, nested, number, string, time};
use docmill_domain::job::{Completion, Job, JobStatus};
use docmill_domain::time::Timestamp;

/// A worker has this long to delete its own files before the sweeper looks for them.
const CLEANUP_GRACE: Duration = Duration::from_secs(30);

impl Jobs {
    /// The index attributes of an ended job whose files are to be cleaned up.
    pub(super) fn cleanup_after(&self, job: &Job, ended_at: Timestamp) -> (Option<String>, Option<Timestamp>) {
        (Some(Shard::cleanup(job.id, self.shards).key()), Some(ended_at.plus(CLEANUP_GRACE)))
    }

    /// Takes an ended job out of the cleanup. A completed one is kept until its result expires.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn cleaned(&self, job: &Job) -> Result<Written, StoreError> {
        let Some(open) = &job.index.open else { return Ok(Written::Superseded) };
        let update = self
            .transition(job.id)
            // Timeline: the sweeper deletes the files of earlier attempts, and the owner deletes the job. A deletion leaves the
            // job in the cleanup, so that the next run looks at the deleted job too.
            .condition_expression("#status = :status AND #open = :cleanup")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":status", string(job.status.as_str()))
            .expression_attribute_values(":cleanup", string(open));
        let update = match job.times.expires_at.filter(|_| job.status == JobStatus::Completed) {
            Some(expires_at) => update
                .update_expression("SET #open = :kept, due = :expires REMOVE lease_until")
                .expression_attribute_values(":kept", string(Shard::kept(job.id, self.shards).key()))
                .expression_attribute_values(":expires", time(expires_at)),
            None => update.update_expression("REMOVE #open, due, lease_until"),
        };
        written(Box::pin(send(update)).await)
    }

    /// Notes that the result was delivered, so that another attempt completes the job with it and delivers nothing again.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn note_delivered(&self, job: &Job, completion: &Completion) -> Result<Written, StoreError> {
        let update = self
            .transition(job.id)
            // Timeline: A delivers after its lease has ended, and B has claimed the job. B delivers its own result, and only that
            // is noted.
            .condition_expression("#status = :processing AND attempts = :attempt")
            .update_expression("SET delivered = :completion")
            .expression_attribute_values(":processing", string(JobStatus::Processing.as_str()))
            .expression_attribute_values(":attempt", number(job.attempts))
            .expression_attribute_values(":completion", nested(completion)?);
        written(Box::pin(send(update)).await)
    }
}
