//! The objects that an attempt stores.

use std::sync::{Mutex, PoisonError};

use docmill_aws::files::Files;
use docmill_domain::job::Job;
use docmill_store::jobs::Jobs;

/// The keys of an attempt's objects, noted before they are stored: the attempt may be dropped at any moment.
#[derive(Debug, Default)]
pub(crate) struct StoredKeys(Mutex<Vec<String>>);

impl StoredKeys {
    pub(crate) fn note(&self, keys: impl IntoIterator<Item = String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(keys);
    }

    /// Deletes the objects if the job has ended without them. What can't be deleted, the sweeper deletes.
    ///
    /// Timeline: A hangs after its delivery until its lease has ended, and B completes the job with A's result. A wakes up, finds
    /// that the job belongs to B, and must not delete the result. While the job goes on, nothing is deleted either: B may be about
    /// to complete it.
    pub(crate) async fn discard(&self, jobs: &Jobs, files: &Files, job: &Job) {
        let keys = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if keys.is_empty() {
            return;
        }
        match jobs.get(job.id).await {
            Ok(Some(current)) if !current.status.is_terminal() || is_result(&keys, &current) => {}
            Ok(_) => {
                if let Err(error) = files.delete_all(&keys).await {
                    tracing::warn!(job_id = %job.id, %error, "files of an attempt could not be deleted; the sweeper will do it");
                }
            }
            Err(error) => {
                tracing::warn!(job_id = %job.id, %error, "a job could not be read; the sweeper will delete what its attempt has stored");
            }
        }
    }
}

fn is_result(keys: &[String], job: &Job) -> bool {
    job.result.output_key.as_ref().is_some_and(|key| keys.contains(key))
}
