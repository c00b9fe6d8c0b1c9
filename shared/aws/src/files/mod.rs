//! The files bucket: keys, lifetimes and signed links.

mod deletion;
mod keys;
mod links;
mod multipart;

pub use deletion::{StoredRequest, TemplateFile};
pub use keys::{
    ArchivePart, BatchPart, KeptFor, ObjectKey, OutputPart, RelayPart, TemplatePart, archive_folder, template_folder,
};
pub use links::{LINK_LIFETIME, SignedLink, SignedUpload, UPLOAD_LINK_LIFETIME};
pub use multipart::Pieces;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::{Arc, OnceLock};

use aws_sdk_s3::Client;
use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::primitives::ByteStream;

use self::links::attachment;
use crate::Aws;
use docmill_domain::job::{Job, JobStatus, Output, StoredResults};
use docmill_domain::time::Timestamp;

/// The value of `If-None-Match` that only allows to store an object that does not exist.
const NOT_THERE_YET: &str = "*";

/// Why an object was not stored or read.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// S3 refused the request or did not answer.
    #[error("S3 refused the request: {0}")]
    Unavailable(String),
    /// The file on this machine can't be read, or an object has another form than was expected.
    #[error("a file could not be read: {0}")]
    Local(String),
}

/// A stored document, to be read piece by piece.
#[derive(Debug)]
pub struct Stored {
    /// The bytes, as they arrive.
    pub body: ByteStream,
    /// As it was stored with.
    pub content_type: Option<String>,
    /// As it was stored with; it has the file's name.
    pub content_disposition: Option<String>,
}

impl Stored {
    /// The document in memory, cut off once it is known to have more than `most` bytes.
    ///
    /// # Errors
    /// If the connection ends before the document.
    pub async fn bytes(mut self, most: usize) -> Result<Vec<u8>, FilesError> {
        let broken = |error: aws_sdk_s3::primitives::ByteStreamError| FilesError::Unavailable(error.to_string());
        let mut bytes = Vec::new();
        while bytes.len() <= most
            && let Some(chunk) = self.body.try_next().await.map_err(broken)?
        {
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}

/// The bucket. Its role decides what may be read and written.
#[derive(Clone, Debug)]
pub struct Files {
    aws: Aws,
    path_style: bool,
    bucket: String,
    /// Made when first needed: most jobs are created without it, and it takes a seventh of a cold start.
    client: Arc<OnceLock<Client>>,
}

fn unavailable(error: &impl ProvideErrorMetadata) -> FilesError {
    FilesError::Unavailable(error.code().unwrap_or("no answer").to_owned())
}

/// The HTTP status with which S3 refused a request.
fn status_of<E>(error: &SdkError<E>) -> Option<u16> {
    error.raw_response().map(|response| response.status().as_u16())
}

impl Files {
    /// Makes no call and no client yet. `path_style`: see [`Aws::s3`].
    pub fn new(aws: Aws, path_style: bool, bucket: String) -> Self {
        Self { aws, path_style, bucket, client: Arc::default() }
    }

    fn client(&self) -> &Client {
        self.client.get_or_init(|| self.aws.s3(self.path_style))
    }

    /// Stores text, over what is there.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn put_text(&self, key: &ObjectKey<'_>, text: String) -> Result<(), FilesError> {
        self.client()
            .put_object()
            .bucket(&self.bucket)
            .key(key.to_string())
            .content_type("application/json")
            .body(ByteStream::from(text.into_bytes()))
            .customize()
            // TLS and the SDK's checksum protect the content, so its digest need not be signed.
            .disable_payload_signing()
            .send()
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Stores bytes of this media type, over what is there.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn put_bytes(&self, key: &ObjectKey<'_>, bytes: Vec<u8>, content_type: &str) -> Result<(), FilesError> {
        let put = self.client().put_object().bucket(&self.bucket).key(key.to_string()).content_type(content_type);
        let put = put.body(ByteStream::from(bytes)).customize().disable_payload_signing();
        put.send().await.map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Stores a client's document as if it had been uploaded with this type and name.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn put_upload(
        &self,
        key: &ObjectKey<'_>,
        bytes: Vec<u8>,
        content_type: &str,
        filename: Option<&str>,
    ) -> Result<(), FilesError> {
        let put = self.client().put_object().bucket(&self.bucket).key(key.to_string()).content_type(content_type);
        let put = put.set_content_disposition(filename.map(attachment)).body(ByteStream::from(bytes));
        put.customize().disable_payload_signing().send().await.map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Stores text where there is nothing yet. Returns whether it was this call that stored it, which only one can. `text` must be
    /// the caller's own: it tells a repetition of this call from another's.
    pub(crate) async fn create_text(&self, key: &ObjectKey<'_>, text: &str) -> Result<bool, FilesError> {
        let key = key.to_string();
        let body = ByteStream::from(text.as_bytes().to_vec());
        let put = self.client().put_object().bucket(&self.bucket).key(&key).if_none_match(NOT_THERE_YET).body(body);
        match put.send().await {
            Ok(_) => Ok(true),
            // The SDK repeats a call whose answer was lost, and is then refused because of itself.
            Err(error) if status_of(&error) == Some(412) => Ok(self.peek_text(&key).await?.as_deref() == Some(text)),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// Text that may not be there yet. To a role that may not list the bucket, S3 answers 403 in that case: unlike [`Files::get`],
    /// this does not ask why, since it is called often.
    pub(crate) async fn peek_text(&self, key: &str) -> Result<Option<String>, FilesError> {
        let object = match self.client().get_object().bucket(&self.bucket).key(key).send().await {
            Ok(object) => object,
            Err(error) if matches!(status_of(&error), Some(403 | 404)) => return Ok(None),
            Err(error) => return Err(unavailable(&error)),
        };
        let bytes = object.body.collect().await.map_err(|error| FilesError::Unavailable(error.to_string()))?;
        let text = String::from_utf8(bytes.to_vec());
        text.map(Some).map_err(|_| FilesError::Local("a stored text is not UTF-8".into()))
    }

    /// Stores an open file.
    ///
    /// # Errors
    /// If the file can't be read, or S3 refuses it or does not answer.
    pub async fn put_file(&self, key: &ObjectKey<'_>, file: &File, content_type: &str) -> Result<(), FilesError> {
        // Names the descriptor, so that each try reads this file from the start, even if the path now leads elsewhere.
        let opened = format!("/proc/self/fd/{}", file.as_raw_fd());
        let body = ByteStream::from_path(opened).await.map_err(|error| FilesError::Local(error.to_string()))?;
        self.client()
            .put_object()
            .bucket(&self.bucket)
            .key(key.to_string())
            .content_type(content_type)
            .body(body)
            .send()
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// Stored text, which must be there.
    ///
    /// # Errors
    /// If it is not there or no text, or S3 refuses it or does not answer.
    pub async fn get_text(&self, key: &str) -> Result<String, FilesError> {
        let object = self
            .client()
            .get_object()
            .bucket(&self.bucket)
            .key(key)
            .send()
            .await
            .map_err(|error| unavailable(&error))?;
        let bytes = object.body.collect().await.map_err(|error| FilesError::Unavailable(error.to_string()))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| FilesError::Local("the stored request is not UTF-8".into()))
    }

    /// A stored document; `None` if it does not exist.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn get(&self, key: &str) -> Result<Option<Stored>, FilesError> {
        match self.client().get_object().bucket(&self.bucket).key(key).send().await {
            Ok(object) => Ok(Some(Stored {
                body: object.body,
                content_type: object.content_type,
                content_disposition: object.content_disposition,
            })),
            Err(error) if self.is_absent(key, &error).await? => Ok(None),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// Whether S3 refused a request because the object does not exist. It answers 403, as for a missing permission, because no role
    /// may list the whole bucket. Roles may list what lies under the prefixes that they read, and that tells the two apart: a
    /// missing permission is our fault, and never hides behind a missing document.
    async fn is_absent<E>(&self, key: &str, error: &SdkError<E>) -> Result<bool, FilesError> {
        match status_of(error) {
            Some(404) => Ok(true),
            Some(403) => {
                let list = self.client().list_objects_v2().bucket(&self.bucket).prefix(key).max_keys(1);
                let listed = list.send().await.map_err(|error| unavailable(&error))?;
                // Keys are listed in order, so the object itself comes before longer keys.
                Ok(listed.contents().first().and_then(|object| object.key()) != Some(key))
            }
            Some(_) | None => Ok(false),
        }
    }

    /// A stored document in memory, cut off once it is known to have more than `most` bytes; `None` if it does not exist.
    ///
    /// # Errors
    /// If S3 refuses it, does not answer, or ends the connection too early.
    pub async fn get_bytes(&self, key: &str, most: usize) -> Result<Option<Vec<u8>>, FilesError> {
        match self.get(key).await? {
            Some(stored) => stored.bytes(most).await.map(Some),
            None => Ok(None),
        }
    }

    /// A part of a stored document from this byte on, `most` bytes at most. The document must be longer than `from`.
    ///
    /// # Errors
    /// If the document does not exist or is not longer than `from`, or S3 refuses it or does not answer.
    pub async fn get_part(&self, key: &str, from: u64, most: u64) -> Result<Vec<u8>, FilesError> {
        let part = self.find_part(key, from, most).await?;
        part.ok_or_else(|| FilesError::Unavailable("the document does not exist".into()))
    }

    /// The same; `None` if the document does not exist.
    ///
    /// # Errors
    /// If the document is not longer than `from`, or S3 refuses it or does not answer.
    pub async fn find_part(&self, key: &str, from: u64, most: u64) -> Result<Option<Vec<u8>>, FilesError> {
        let range = format!("bytes={from}-{}", from.saturating_add(most).saturating_sub(1));
        let body = match self.client().get_object().bucket(&self.bucket).key(key).range(range).send().await {
            Ok(object) => object.body,
            Err(error) if self.is_absent(key, &error).await? => return Ok(None),
            Err(error) => return Err(unavailable(&error)),
        };
        let bytes = body.collect().await.map_err(|error| FilesError::Unavailable(error.to_string()))?;
        Ok(Some(bytes.to_vec()))
    }

    /// Whether there is such an object now.
    ///
    /// # Errors
    /// If S3 refuses it or does not answer.
    pub async fn exists(&self, key: &ObjectKey<'_>) -> Result<bool, FilesError> {
        let key = key.to_string();
        match self.client().head_object().bucket(&self.bucket).key(&key).send().await {
            Ok(_) => Ok(true),
            Err(error) if self.is_absent(&key, &error).await? => Ok(false),
            Err(error) => Err(unavailable(&error)),
        }
    }

    /// The job with all its results. If there are many, they are read from the bucket, where they are until the job expires.
    ///
    /// # Errors
    /// If the description can't be read.
    pub async fn with_results(&self, mut job: Job, now: Timestamp) -> Result<Job, FilesError> {
        if job.status_at(now) == JobStatus::Completed
            && let Some(StoredResults::Manifest { .. }) = job.result.results
            && let Some(key) = part_key(&job, OutputPart::Manifest)
        {
            let text = self.get_text(&key).await?;
            let results = serde_json::from_str(&text).map_err(|error| FilesError::Local(error.to_string()))?;
            job.result.results = Some(StoredResults::Inline(results));
        }
        Ok(job)
    }
}

/// Every file of a completed job's result with its key, if the job's item describes it (see [`Files::with_results`]). Older jobs
/// have one file.
pub fn result_files(job: &Job) -> Vec<(&Output, String)> {
    match &job.result.results {
        Some(StoredResults::Inline(results)) if !results.outputs.is_empty() => {
            let files = results.outputs.iter().enumerate();
            files.filter_map(|(index, output)| Some((output, part_key(job, OutputPart::File(index))?))).collect()
        }
        Some(StoredResults::Inline(_) | StoredResults::Manifest { .. }) | None => {
            job.result.output.iter().zip(job.result.output_key.clone()).collect()
        }
    }
}

/// The key of one file of a result: next to the primary one, whose key contains the attempt.
pub fn part_key(job: &Job, part: OutputPart) -> Option<String> {
    Some(format!("{}{part}", result_folder(job)?))
}

/// Where the attempt that completed the job has stored its result, ending in `/`.
fn result_folder(job: &Job) -> Option<&str> {
    let key = job.result.output_key.as_deref()?;
    key.rfind('/').map(|slash| &key[..=slash])
}

#[cfg(test)]
mod tests;
