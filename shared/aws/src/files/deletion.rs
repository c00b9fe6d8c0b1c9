//! Deletes what jobs have in the bucket: results, files of every attempt, and stored requests.

use std::collections::{BTreeSet, HashMap, HashSet};

use aws_sdk_s3::types::{Delete, Object, ObjectIdentifier};

use super::keys::{EXPECTED, INPUTS, TEMPLATES};
use super::{Files, FilesError, KeptFor, ObjectKey, OutputPart, part_key, result_folder, unavailable};
use docmill_domain::job::{Job, JobId, StoredResults};
use docmill_domain::template::TemplateName;
use docmill_domain::time::Timestamp;

/// Most objects that S3 deletes in one request.
const MOST_DELETED_AT_ONCE: usize = 1000;

/// A request in the bucket, and its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRequest {
    /// The job that is, or was to be, created by it.
    pub job: JobId,
    /// Where it lies.
    pub key: String,
    /// By the bucket's clock.
    pub stored_at: Timestamp,
}

impl StoredRequest {
    fn of(object: Object) -> Option<Self> {
        let stored_at = object.last_modified.and_then(|at| at.to_millis().ok()).map(Timestamp)?;
        let key = object.key?;
        let (_, job) = key.rsplit_once('/')?;
        Some(Self { job: JobId::parse(job)?, key, stored_at })
    }
}

/// A file of a stored template, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFile {
    /// Whose template it is.
    pub account: String,
    /// The template's name.
    pub name: TemplateName,
    /// The name that its version gives it.
    pub file: String,
    /// Where it lies.
    pub key: String,
}

impl TemplateFile {
    fn parse(key: String) -> Option<Self> {
        let mut parts = key.strip_prefix(TEMPLATES)?.split('/');
        let (account, name, file) = (parts.next()?.to_owned(), TemplateName::parse(parts.next()?)?, parts.next()?);
        let file = file.strip_suffix(EXPECTED).unwrap_or(file).to_owned();
        parts.next().is_none().then_some(Self { account, name, file, key })
    }
}

/// A page of the bucket's files of templates.
#[derive(Debug)]
pub struct TemplateFiles {
    /// Those that were stored before the given time.
    pub files: Vec<TemplateFile>,
    /// The page's last key, unless it was the last page: the next page begins after it.
    pub next: Option<String>,
}

impl Files {
    /// Deleting a missing object succeeds.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        self.client()
            .delete_object()
            .bucket(&self.bucket)
            .key(key)
            .send()
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Deletes these objects. Missing ones count as deleted.
    ///
    /// # Errors
    /// If an object may still be there.
    pub async fn delete_all(&self, keys: &[String]) -> Result<(), FilesError> {
        let mut left = 0;
        for keys in keys.chunks(MOST_DELETED_AT_ONCE) {
            left += self.try_delete(keys).await?.len();
        }
        if left == 0 { Ok(()) } else { Err(FilesError::Unavailable(format!("{left} objects were not deleted"))) }
    }

    /// Deletes everything that a job has in the bucket: its request, its result, and what any other attempt has stored.
    ///
    /// # Errors
    /// If an object may still be there.
    pub async fn delete_everything(&self, job: &Job) -> Result<(), FilesError> {
        let mut keys = BTreeSet::from([ObjectKey::of_request(job).to_string()]);
        keys.extend(result_keys(job));
        if job.attempts > 0 {
            keys.extend(self.list(&attempts_folder(job)).await?);
        }
        self.delete_all(&keys.into_iter().collect::<Vec<_>>()).await
    }

    /// Deletes what attempts have stored that did not complete the job.
    ///
    /// # Errors
    /// If an object may still be there.
    pub async fn delete_other_attempts(&self, job: &Job) -> Result<(), FilesError> {
        let mut keys = self.list(&attempts_folder(job)).await?;
        if let Some(result) = result_folder(job) {
            keys.retain(|key| !key.starts_with(result));
        }
        self.delete_all(&keys).await
    }

    /// Deletes the results of many jobs with few calls. Returns the jobs with files that could not be deleted.
    pub async fn delete_results_of(&self, jobs: &[Job]) -> HashSet<JobId> {
        let keys: HashMap<String, JobId> =
            jobs.iter().flat_map(|job| result_keys(job).into_iter().map(|key| (key, job.id))).collect();
        let names: Vec<_> = keys.keys().cloned().collect();
        let mut kept = HashSet::new();
        for names in names.chunks(MOST_DELETED_AT_ONCE) {
            let left = self.try_delete(names).await.unwrap_or_else(|error| {
                tracing::error!(%error, "results could not be deleted");
                names.to_vec()
            });
            kept.extend(left.iter().filter_map(|name| keys.get(name)));
        }
        kept
    }

    /// A page of the stored requests of all jobs, and where the next page begins.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn stored_requests(
        &self,
        page: Option<String>,
    ) -> Result<(Vec<StoredRequest>, Option<String>), FilesError> {
        let list = self.client().list_objects_v2().bucket(&self.bucket).prefix(INPUTS).set_continuation_token(page);
        let listed = list.send().await.map_err(|error| unavailable(&error))?;
        let objects = listed.contents.unwrap_or_default().into_iter();
        let requests = objects.filter_map(StoredRequest::of).collect();
        Ok((requests, listed.next_continuation_token))
    }

    /// A page of the files of all accounts' templates, in the order of their keys. It begins after the key `from`.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn template_files(&self, from: Option<String>, before: Timestamp) -> Result<TemplateFiles, FilesError> {
        let list = self.client().list_objects_v2().bucket(&self.bucket).prefix(TEMPLATES).set_start_after(from);
        let listed = list.send().await.map_err(|error| unavailable(&error))?;
        let objects = listed.contents.unwrap_or_default();
        let more = listed.is_truncated.unwrap_or_default();
        let next = objects.last().filter(|_| more).and_then(|object| object.key.clone());
        let is_old = |object: &Object| {
            let stored_at = object.last_modified.and_then(|at| at.to_millis().ok());
            stored_at.is_some_and(|at| Timestamp(at) < before)
        };
        let old = objects.into_iter().filter(is_old);
        Ok(TemplateFiles { files: old.filter_map(|object| TemplateFile::parse(object.key?)).collect(), next })
    }

    /// The keys of all objects with this prefix.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn list(&self, prefix: &str) -> Result<Vec<String>, FilesError> {
        let list = self.client().list_objects_v2().bucket(&self.bucket).prefix(prefix);
        let (mut pages, mut keys) = (list.into_paginator().send(), Vec::new());
        while let Some(page) = pages.next().await {
            let objects = page.map_err(|error| unavailable(&error))?.contents.unwrap_or_default();
            keys.extend(objects.into_iter().filter_map(|object| object.key));
        }
        Ok(keys)
    }

    /// Deletes up to [`MOST_DELETED_AT_ONCE`] objects. Returns the keys that could not be deleted.
    async fn try_delete(&self, keys: &[String]) -> Result<Vec<String>, FilesError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let malformed = |error: aws_sdk_s3::error::BuildError| FilesError::Local(error.to_string());
        let objects = keys.iter().map(|key| ObjectIdentifier::builder().key(key).build());
        let objects = objects.collect::<Result<Vec<_>, _>>().map_err(malformed)?;
        let delete = Delete::builder().set_objects(Some(objects)).quiet(true).build().map_err(malformed)?;
        let request = self.client().delete_objects().bucket(&self.bucket).delete(delete);
        let deleted = request.send().await.map_err(|error| unavailable(&error))?;
        Ok(deleted.errors.unwrap_or_default().into_iter().filter_map(|error| error.key).collect())
    }
}

/// What the keys of all attempts at a job begin with.
fn attempts_folder(job: &Job) -> String {
    format!("{}/{}/{}/", KeptFor::of(job).folder(), job.account, job.id)
}

/// Where every file of a result lies.
fn result_keys(job: &Job) -> Vec<String> {
    let Some(results) = &job.result.results else { return job.result.output_key.iter().cloned().collect() };
    let files = results.files();
    let each = (0..files).map(OutputPart::File);
    let archive = (files > 1).then_some(OutputPart::Archive);
    let manifest = match results {
        StoredResults::Manifest { .. } => Some(OutputPart::Manifest),
        StoredResults::Inline(_) => None,
    };
    each.chain(archive).chain(manifest).filter_map(|part| part_key(job, part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::TemplatePart;

    #[test]
    fn files_of_templates_are_told_by_their_keys() {
        let name = TemplateName::parse("invoice.json").unwrap();
        for part in [TemplatePart::File, TemplatePart::Expected] {
            let key = ObjectKey::Template { account: "acc_1", name: &name, file: "f1", part }.to_string();
            let parsed = TemplateFile::parse(key.clone()).unwrap();
            assert_eq!((parsed.account.as_str(), &parsed.name, parsed.file.as_str()), ("acc_1", &name, "f1"));
            assert_eq!(parsed.key, key);
        }
        for other in ["templates/acc_1/invoice", "templates/acc_1/a b/f1", "templates/acc_1/a/b/f1", "fonts/acc_1/a/f1"]
        {
            assert_eq!(TemplateFile::parse(other.to_owned()), None, "{other}");
        }
    }
}
