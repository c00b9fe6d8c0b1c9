//! Deletion at the owner's request. Owner, tool, times, price and size of a job are kept, and the digests of its receipt.

use super::{Jobs, Written, written};
use crate::StoreError;
use crate::dynamo::send;
use crate::item::{OPEN, Shard, nested, number, string, time};
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::time::Timestamp;

impl Jobs {
    /// `completed | failed | expired | canceled → deleted`.
    ///
    /// # Errors
    /// If the table can't be written now.
    pub async fn delete(&self, job: &Job, now: Timestamp) -> Result<Written, StoreError> {
        let mut update = self
            .transition(job.id)
            // Timeline: the sweeper expires the job while its owner deletes it. The deletion finds another state than it read,
            // and reads again.
            // Timeline: the sweeper takes the job out of the cleanup in the meantime, and keeps it until it expires. The deletion
            // reads again, and removes it from there.
            .condition_expression(match &job.index.open {
                Some(_) => "#status = :current AND #open = :open",
                None => "#status = :current AND attribute_not_exists(#open)",
            })
            .expression_attribute_names("#input", "input")
            .expression_attribute_names("#options", "options")
            .expression_attribute_names("#error", "error")
            .expression_attribute_names("#then", "then")
            .expression_attribute_names("#open", OPEN)
            .expression_attribute_values(":current", string(job.status.as_str()))
            .expression_attribute_values(":deleted", string(JobStatus::Deleted.as_str()))
            .expression_attribute_values(":now", time(now))
            // Timeline: the result expires, its owner reads the version of that expiry, and deletes the job before the sweeper has
            // written the expiry. The deletion is newer than both.
            .expression_attribute_values(":version", number(job.version_at(now) + 1))
            .expression_attribute_values(":nothing", nested(&serde_json::json!({}))?);
        let mut size = "";
        if let Some(output) = &job.result.output {
            // The files were removed before, by this deletion or at the end of their time.
            size = ", #output = :output, removed_at = if_not_exists(removed_at, :now)";
            update = update
                .expression_attribute_names("#output", "output")
                .expression_attribute_values(":output", nested(&output.size_alone())?);
        }
        if let Some(open) = &job.index.open {
            update = update.expression_attribute_values(":open", string(open));
        }
        // An attempt that was canceled may still store files: the sweeper looks for them.
        let place = if Shard::is_cleanup(job.index.open.as_deref()) { "" } else { ", #open, due" };
        let update = update.update_expression(format!(
            "SET #status = :deleted, version = :version, ended_as = :current, deleted_at = :now, #input = :nothing, #options = :nothing{size} \
             REMOVE metadata, output_key, output_request, results, steps, #then, warnings, #error, secret, waiters{place}"
        ));
        written(Box::pin(send(update)).await)
    }
}
