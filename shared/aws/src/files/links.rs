//! Signed links: to documents that are uploaded, and to results. Signing makes no call.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_s3::presigning::PresigningConfig;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use url::Url;

use super::{Files, FilesError, NOT_THERE_YET, ObjectKey, unavailable};
use docmill_domain::job::Output;
use docmill_domain::upload::UploadRequest;

/// How long a download link works: less than a role's session, since the link ends with it.
pub const LINK_LIFETIME: Duration = Duration::from_secs(600);

/// How long an upload link works. The upload must begin within this time.
pub const UPLOAD_LINK_LIFETIME: Duration = Duration::from_secs(900);

/// A presigned URL. Its `Debug` is opaque.
pub struct SignedLink(String);

impl SignedLink {
    /// The URL: only for its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SignedLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignedLink(..)")
    }
}

/// A presigned URL for uploading one document, and the headers that were signed with it.
#[derive(Debug)]
pub struct SignedUpload {
    /// Where the document is sent.
    pub link: SignedLink,
    /// To be sent exactly as they are.
    pub headers: BTreeMap<&'static str, String>,
}

impl Files {
    /// A link that accepts exactly the announced document, and only once.
    ///
    /// Timeline: the document is uploaded, a job is accepted, and the link is used again with other content. Without the
    /// precondition, the second upload would replace what the job was accepted with.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn upload_link(
        &self,
        key: &ObjectKey<'_>,
        announced: &UploadRequest,
    ) -> Result<SignedUpload, FilesError> {
        let config = PresigningConfig::expires_in(UPLOAD_LINK_LIFETIME)
            .map_err(|error| FilesError::Unavailable(error.to_string()))?;
        let disposition = announced.filename.as_deref().map(attachment);
        let checksum = announced.sha256.map(|digest| BASE64.encode(digest));
        let length = i64::try_from(announced.bytes).map_err(|error| FilesError::Local(error.to_string()))?;
        let request = self
            .client()
            .put_object()
            .bucket(&self.bucket)
            .key(key.to_string())
            .content_type(&announced.content_type)
            .content_length(length)
            .if_none_match(NOT_THERE_YET)
            .set_content_disposition(disposition.clone())
            .set_checksum_sha256(checksum.clone())
            .presigned(config)
            .await
            .map_err(|error| unavailable(&error))?;
        // The length is signed too, but every client sends it, and browsers do not let scripts set it.
        let headers = [
            ("content-type", Some(announced.content_type.clone())),
            ("content-disposition", disposition),
            ("if-none-match", Some(NOT_THERE_YET.to_owned())),
            ("x-amz-checksum-sha256", checksum),
        ];
        let headers = headers.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Ok(SignedUpload { link: SignedLink(request.uri().to_owned()), headers })
    }

    /// A link that downloads the output under its name.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn link(&self, key: &str, output: &Output) -> Result<SignedLink, FilesError> {
        self.result_link(key, output, attachment(&output.filename)).await
    }

    /// The origin of signed links, for pages' policies: it depends on region, partition and endpoint. Nothing is sent.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn origin(&self) -> Result<String, FilesError> {
        let unreadable = |error: &dyn std::fmt::Display| FilesError::Unavailable(error.to_string());
        let config = PresigningConfig::expires_in(LINK_LIFETIME).map_err(|error| unreadable(&error))?;
        let request = self.client().get_object().bucket(&self.bucket).key("outputs/").presigned(config).await;
        let request = request.map_err(|error| unavailable(&error))?;
        let url = Url::parse(request.uri()).map_err(|error| unreadable(&error))?;
        Ok(url.origin().ascii_serialization())
    }

    /// A link that displays the output inline: only for the dashboard's pages.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn preview_link(&self, key: &str, output: &Output) -> Result<SignedLink, FilesError> {
        self.result_link(key, output, disposition("inline", &output.filename)).await
    }

    /// A link that displays an upload as this type: only for the dashboard's pages of its account.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn upload_preview_link(&self, key: &ObjectKey<'_>, content_type: &str) -> Result<SignedLink, FilesError> {
        self.signed_link(&key.to_string(), content_type, "inline".to_owned()).await
    }

    /// A link that downloads a stored template under this name: only for the dashboard's pages of its account.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn template_link(
        &self,
        key: &ObjectKey<'_>,
        content_type: &str,
        filename: &str,
    ) -> Result<SignedLink, FilesError> {
        self.signed_link(&key.to_string(), content_type, attachment(filename)).await
    }

    /// A link that downloads a file of a batch's archive under this name.
    ///
    /// # Errors
    /// If the function has no credentials.
    pub async fn archive_link(&self, key: &ObjectKey<'_>, filename: &str) -> Result<SignedLink, FilesError> {
        self.signed_link(&key.to_string(), "application/zip", attachment(filename)).await
    }

    async fn result_link(&self, key: &str, output: &Output, disposition: String) -> Result<SignedLink, FilesError> {
        self.signed_link(key, &output.content_type, disposition).await
    }

    async fn signed_link(&self, key: &str, content_type: &str, disposition: String) -> Result<SignedLink, FilesError> {
        let config =
            PresigningConfig::expires_in(LINK_LIFETIME).map_err(|error| FilesError::Unavailable(error.to_string()))?;
        let request = self
            .client()
            .get_object()
            .bucket(&self.bucket)
            .key(key)
            .response_content_disposition(disposition)
            .response_content_type(content_type)
            .presigned(config)
            .await
            .map_err(|error| unavailable(&error))?;
        Ok(SignedLink(request.uri().to_owned()))
    }
}

pub(super) fn attachment(filename: &str) -> String {
    disposition("attachment", filename)
}

/// `Content-Disposition` with an ASCII fallback and the exact name (RFC 6266, RFC 8187).
fn disposition(kind: &str, filename: &str) -> String {
    let plain = |character: char| character.is_ascii_graphic() && !"\"\\%".contains(character) || character == ' ';
    let fallback: String = filename.chars().map(|character| if plain(character) { character } else { '_' }).collect();
    let exact: String = filename
        .bytes()
        .map(|byte| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    format!("{kind}; filename=\"{fallback}\"; filename*=UTF-8''{exact}")
}
