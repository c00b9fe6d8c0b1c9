//! Sources that lie in the bucket already: uploads, stored templates, and results of the account's other jobs. They are read under
//! the same limits as one that is fetched.

use std::path::Path;
use std::time::Duration;

use docmill_app::notices::why;
use docmill_aws::files::{Files, ObjectKey, TemplatePart, result_files};
use docmill_config::clock::Clock;
use docmill_domain::job::{FileDigest, JobErrorCode, JobId, JobStatus};
use docmill_domain::template::{TemplateName, chosen};
use docmill_domain::upload::UploadId;
use docmill_engine::Failure;
use docmill_fetch::{internal, save};
use docmill_sources::{Budget, Fetched, disposition_filename, plain_name};
use docmill_store::jobs::Jobs;
use docmill_store::templates::Templates;

/// The bucket is near: what takes longer is its fault, and is tried again.
const TIME: Duration = Duration::from_secs(30);

/// The stored files of one account.
#[derive(Clone, Copy, Debug)]
pub struct AccountFiles<'a> {
    pub files: &'a Files,
    pub jobs: &'a Jobs,
    pub templates: &'a Templates,
    pub clock: &'a Clock,
    pub account: &'a str,
}

impl AccountFiles<'_> {
    /// Reads an upload into the file `to`. Fails as internal where the bucket is to blame.
    pub async fn upload(&self, upload: UploadId, to: &Path, budget: &Budget) -> Result<Fetched, Failure> {
        let key = ObjectKey::Upload { account: self.account, upload }.to_string();
        self.read(&key, to, budget).await?.ok_or_else(upload_gone)
    }

    /// Reads a version of a stored template into the file `to`.
    pub async fn template(
        &self,
        name: &TemplateName,
        version: u32,
        to: &Path,
        budget: &Budget,
    ) -> Result<Fetched, Failure> {
        let versions = self.templates.named(self.account, name).await;
        let versions = versions.map_err(|error| internal("reading a template", &error))?;
        let version = chosen(versions.each(), Some(version)).ok_or_else(template_gone)?;
        let key = ObjectKey::of_template(self.account, name, version, TemplatePart::File).to_string();
        let fetched = self.read(&key, to, budget).await?.ok_or_else(template_gone)?;
        Ok(Fetched { filename: Some(format!("{name}.{}", version.format)), ..fetched })
    }

    /// Reads the result with this index of another job into the file `to`. Fails with `source_job_failed` if there is none.
    pub async fn result(&self, id: JobId, index: usize, to: &Path, budget: &Budget) -> Result<Fetched, Failure> {
        let job = self.jobs.get(id).await.map_err(|error| internal("reading a source job", &error))?;
        let now = self.clock.now();
        // The request was checked when it was accepted; the account is checked again where documents are read.
        let Some(job) = job.filter(|job| job.is_of(self.account, now)) else {
            return Err(no_result(id, JobStatus::Deleted));
        };
        let status = job.status_at(now);
        if status != JobStatus::Completed {
            return Err(no_result(id, status));
        }
        let job = self.files.with_results(job, now).await.map_err(|error| internal("reading a source job", &error))?;
        let Some((output, key)) = result_files(&job).into_iter().nth(index) else {
            return Err(no_result(id, status));
        };
        let name = output.filename.clone();
        let fetched = self.read(&key, to, budget).await?.ok_or_else(|| no_result(id, JobStatus::Expired))?;
        Ok(Fetched { filename: Some(name), content_type: Some(output.content_type.clone()), ..fetched })
    }

    async fn read(&self, key: &str, to: &Path, budget: &Budget) -> Result<Option<Fetched>, Failure> {
        match tokio::time::timeout(TIME, self.copy(key, to, budget)).await {
            Ok(result) => result,
            Err(elapsed) => Err(internal("reading a stored source", &elapsed)),
        }
    }

    async fn copy(&self, key: &str, to: &Path, budget: &Budget) -> Result<Option<Fetched>, Failure> {
        let stored = self.files.get(key).await.map_err(|error| internal("reading a stored source", &error))?;
        let Some(stored) = stored else { return Ok(None) };
        let filename = stored.content_disposition.as_deref().and_then(disposition_filename).and_then(plain_name);
        let content_type = stored.content_type.clone();
        // An upload's size was signed, but limits may have been lowered since.
        let FileDigest { bytes, sha256 } = save(stored, to, budget).await?;
        let (path, sha256, url) = (to.to_owned(), Some(sha256), None);
        Ok(Some(Fetched { path, bytes, sha256, content_type, url, filename }))
    }
}

/// The job was accepted with its upload there: since then, the bucket's lifecycle has removed it.
fn upload_gone() -> Failure {
    let message = "The upload was deleted. Upload the document again, and create a new job.";
    Failure::new(JobErrorCode::SourceUnreachable, message, "an upload is not in the bucket")
}

/// The job was accepted with its template there.
fn template_gone() -> Failure {
    let message = "The template, or this version of it, was deleted. Create a new job with another one.";
    Failure::new(JobErrorCode::SourceUnreachable, message, "a stored template is gone")
}

fn no_result(job: JobId, status: JobStatus) -> Failure {
    Failure::new(JobErrorCode::SourceJobFailed, why(job, status), "a source job has no result to take")
}
