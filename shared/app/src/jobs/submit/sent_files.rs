//! Files that came with a request: they become uploads of its account once nothing else stands against the job.

use std::collections::BTreeMap;

use docmill_aws::files::ObjectKey;
use docmill_domain::breach::Breach;
use docmill_domain::request::form::{FILE, FormFile};
use docmill_domain::upload::UploadId;

use super::{JobService, SubmitError, Taken};
use crate::caller::{Caller, UploadsUsedUp};

/// The uploads that files have become, by their stand-ins.
pub(super) type Sent = BTreeMap<String, UploadId>;

impl JobService {
    /// Stores the files under the limits of uploads. Equal ones are stored once.
    ///
    /// # Errors
    /// If a file is too large, the account has uploaded too much today, or the files can't be stored.
    pub(super) async fn store_files(&self, files: &[FormFile], caller: &Caller) -> Result<Sent, SubmitError> {
        let limits = caller.limits(&self.context.config.limits);
        let by_stand_in: BTreeMap<_, _> = files.iter().map(|file| (file.stand_in.to_string(), file)).collect();
        let size = |file: &FormFile| u64::try_from(file.bytes.len()).unwrap_or(u64::MAX);
        if files.iter().any(|file| size(file) > limits.source_bytes) {
            let why = format!("has more than {} bytes, the limit of your plan or key", limits.source_bytes);
            return Err(SubmitError::Invalid(vec![Breach::new(format!("/{FILE}"), why)]));
        }
        let bytes = by_stand_in.values().map(|file| size(file)).sum();
        if let Some(UploadsUsedUp { most, seconds }) = caller.count_uploads(&self.context, bytes).await? {
            return Err(SubmitError::UploadsUsedUp { most, seconds });
        }
        let sent: Sent = by_stand_in.keys().map(|stand_in| (stand_in.clone(), UploadId::new())).collect();
        let stored = by_stand_in.into_values().zip(sent.values()).map(|(file, upload)| {
            let key = ObjectKey::Upload { account: caller.account(), upload: *upload };
            let (content_type, filename) = (file.content_type.as_str(), file.filename.as_deref());
            async move { self.context.files.put_upload(&key, file.bytes.clone(), content_type, filename).await }
        });
        if let Err(error) = futures_util::future::try_join_all(stored).await {
            self.delete_files(&sent, caller).await;
            return Err(error.into());
        }
        Ok(sent)
    }

    /// Deletes files of which no job came. If that fails, the bucket's lifecycle deletes them as it does all uploads.
    pub(super) async fn delete_files(&self, sent: &Sent, caller: &Caller) {
        for upload in sent.values() {
            let key = ObjectKey::Upload { account: caller.account(), upload: *upload }.to_string();
            if let Err(error) = self.context.files.delete(&key).await {
                tracing::warn!(%error, "a file of a refused request could not be deleted; the bucket's lifecycle will delete it");
            }
        }
    }
}

/// Whether it is certain that no job has the files of this request. After a fault, there may be a job.
pub(super) fn came_to_nothing(outcome: &Result<Taken, SubmitError>) -> bool {
    match outcome {
        Ok(taken) => taken.replayed,
        Err(error) => !matches!(error, SubmitError::Fault(_)),
    }
}
