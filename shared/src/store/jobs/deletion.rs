//! Deletion at the owner's request. Owner, tool, times, price and size of a job are kept.

use super::{Jobs, Written, written};
use crate::domain::job::{Job, JobStatus};
use crate::domain::time::Timestamp;
use crate::store::StoreError;
use crate::store::dynamo::send;
use crate::store::item::{OPEN, nested, string, time};

impl Jobs {
    /// `completed | failed | expired | canceled → deleted`.
    pub async fn delete(&self, job: &Job, now: Timestamp) -> Result<Written, StoreError> {
        let mut update = self
            .transition(job.id)
            // Timeline: the sweeper expires the job while its owner deletes it. The deletion finds another state than it read,
            // and reads again.
            .condition_expression("#status = :current")
            .expression_attribute_names("#input", "input")
            .expression_attribute_names("#options", "options")
            .expression_attribute_names("#error", "error")
            .expression_attribute_names("#then", "then")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":current", string(job.status.as_str()))
            .expression_attribute_values(":deleted", string(JobStatus::Deleted.as_str()))
            .expression_attribute_values(":now", time(now))
            .expression_attribute_values(":nothing", nested(&serde_json::json!({}))?);
        let mut size = "";
        if let Some(output) = &job.output {
            size = ", #output = :output";
            update = update
                .expression_attribute_names("#output", "output")
                .expression_attribute_values(":output", nested(&output.size_alone())?);
        }
        let update = update.update_expression(format!(
            "SET #status = :deleted, ended_as = :current, deleted_at = :now, #input = :nothing, #options = :nothing{size} \
             REMOVE metadata, output_key, output_request, results, steps, #then, warnings, #error, secret, waiters, #open, due"
        ));
        written(Box::pin(send(update)).await)
    }
}
