//! The files bucket: where what lies, for how long, and the links that lead there.

use std::path::Path;
use std::time::Duration;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::ProvideErrorMetadata;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;

use crate::domain::job::{JobId, Output};

/// How long a download link works. Shorter than any role's session, with which it would die.
pub const LINK_LIFETIME: Duration = Duration::from_secs(600);

/// What the bucket holds. Lifecycle rules remove each kind by its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKey<'a> {
    /// A request too large for a job item.
    Input { account: &'a str, job: JobId },
    /// A result. Each attempt has its own, so that a late worker overwrites nothing.
    Output { account: &'a str, job: JobId, attempt: u32 },
}

impl std::fmt::Display for ObjectKey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input { account, job } => write!(f, "inputs/{account}/{job}"),
            Self::Output { account, job, attempt } => write!(f, "outputs/{account}/{job}/{attempt}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("S3 did not do what was asked: {0}")]
    Unavailable(String),
    #[error("a file could not be read: {0}")]
    Local(String),
}

/// A presigned address: opaque in logs.
pub struct SignedLink(String);

impl SignedLink {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SignedLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignedLink(..)")
    }
}

#[derive(Clone, Debug)]
pub struct Files {
    client: Client,
    bucket: String,
}

fn unavailable(error: &impl ProvideErrorMetadata) -> FilesError {
    FilesError::Unavailable(error.code().unwrap_or("no answer").to_owned())
}

impl Files {
    pub fn new(client: Client, bucket: String) -> Self {
        Self { client, bucket }
    }

    pub async fn put_text(&self, key: &ObjectKey<'_>, text: String) -> Result<(), FilesError> {
        self.client
            .put_object()
            .bucket(&self.bucket)
            .key(key.to_string())
            .content_type("application/json")
            .body(ByteStream::from(text.into_bytes()))
            .send()
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(())
    }

    pub async fn put_file(&self, key: &ObjectKey<'_>, path: &Path, content_type: &str) -> Result<(), FilesError> {
        let body = ByteStream::from_path(path).await.map_err(|error| FilesError::Local(error.to_string()))?;
        self.client
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

    pub async fn get_text(&self, key: &str) -> Result<String, FilesError> {
        let object =
            self.client.get_object().bucket(&self.bucket).key(key).send().await.map_err(|error| unavailable(&error))?;
        let bytes = object.body.collect().await.map_err(|error| FilesError::Unavailable(error.to_string()))?;
        String::from_utf8(bytes.to_vec()).map_err(|_| FilesError::Local("the stored request is not UTF-8".into()))
    }

    /// Deleting what is not there succeeds too.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        self.client.delete_object().bucket(&self.bucket).key(key).send().await.map_err(|error| unavailable(&error))?;
        Ok(())
    }

    /// A link that downloads the output under its name. Signing needs no call.
    pub async fn link(&self, key: &str, output: &Output) -> Result<SignedLink, FilesError> {
        let config =
            PresigningConfig::expires_in(LINK_LIFETIME).map_err(|error| FilesError::Unavailable(error.to_string()))?;
        let request = self
            .client
            .get_object()
            .bucket(&self.bucket)
            .key(key)
            .response_content_disposition(attachment(&output.filename))
            .response_content_type(&output.content_type)
            .presigned(config)
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(SignedLink(request.uri().to_owned()))
    }
}

/// `Content-Disposition` with an ASCII fall-back and the exact name (RFC 6266, RFC 8187).
fn attachment(filename: &str) -> String {
    let plain = |character: char| character.is_ascii_graphic() && !"\"\\%".contains(character) || character == ' ';
    let fallback: String = filename.chars().map(|character| if plain(character) { character } else { '_' }).collect();
    let exact: String = filename
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_keeps_its_name_and_cannot_break_out_of_the_header() {
        assert_eq!(attachment("a b.pdf"), "attachment; filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf");
        assert_eq!(
            attachment("März \"1\"\r\n.pdf"),
            "attachment; filename=\"M_rz _1___.pdf\"; filename*=UTF-8''M%C3%A4rz%20%221%22%0D%0A.pdf"
        );
    }

    #[test]
    fn each_kind_of_object_has_its_prefix() {
        let job = JobId::NONE;
        assert!(ObjectKey::Input { account: "a", job }.to_string().starts_with("inputs/a/"));
        assert!(ObjectKey::Output { account: "a", job, attempt: 2 }.to_string().ends_with("/2"));
    }
}
