//! Queued jobs that are held back while their account has as many running jobs as it may. They have no message.

use std::fmt;

use super::{DuePage, Jobs, Written, written};
use crate::StoreError;
use crate::dynamo::send;
use crate::item::{HELD, string, time};
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_domain::tool::QueueName;

/// An account's jobs in one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Where the jobs' messages are sent.
    pub queue: QueueName,
    /// Whose jobs they are.
    pub account: String,
}

impl Lane {
    /// The lane that the job is in.
    pub fn of(job: &Job) -> Self {
        Self { queue: job.queue, account: job.account.clone() }
    }
}

/// As in the index of held jobs.
impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.queue.as_str(), self.account)
    }
}

impl Jobs {
    /// Holds a queued job back. The sweeper looks at it at `due`.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn hold(&self, id: JobId, lane: &Lane, due: Timestamp) -> Result<Written, StoreError> {
        let update = self
            .transition(id)
            // Timeline: a message is delivered twice while the account has a single free slot. A starts the job, and B finds no
            // slot. The job is no longer queued, so B does not hold it back.
            .condition_expression("#status = :queued AND attribute_not_exists(waiting_for)")
            .update_expression("SET held = :lane, due = :due")
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":lane", string(lane.to_string()))
            .expression_attribute_values(":due", time(due));
        written(Box::pin(send(update)).await)
    }

    /// Lets a held job go. Only the caller for whom this succeeds sends its message.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn let_go(&self, id: JobId, lane: &Lane, due: Timestamp) -> Result<Written, StoreError> {
        let update = self
            .transition(id)
            // Timeline: two jobs end at once, and both their workers read the same next job, also when the index is late. The
            // first one lets it go. The second one finds it gone, and takes the one after it.
            .condition_expression("#status = :queued AND held = :lane")
            .update_expression("SET due = :due REMOVE held")
            .expression_attribute_values(":queued", string(JobStatus::Queued.as_str()))
            .expression_attribute_values(":lane", string(lane.to_string()))
            .expression_attribute_values(":due", time(due));
        written(Box::pin(send(update)).await)
    }

    /// The lane's held jobs in the order of their creation, `most` at most. The index may be late.
    ///
    /// # Errors
    /// If the index can't be read now.
    pub async fn held(&self, lane: &Lane, most: u64) -> Result<Vec<JobId>, StoreError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(HELD)
            .key_condition_expression("held = :lane")
            .expression_attribute_values(":lane", string(lane.to_string()))
            .limit(i32::try_from(most).unwrap_or(i32::MAX));
        Ok(DuePage::of(query, None).await?.ids)
    }
}
