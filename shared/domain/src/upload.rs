//! Uploads: documents that a client stores by a signed link, to use them as sources.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::breach::Breach;
use crate::job::Digest;
use crate::link::SentLink;
use crate::time::{SentTime, Timestamp};
use crate::tool::validation::{describe_format, is_filename};

/// How long an upload can be used as a source after it was issued. The bucket's lifecycle deletes it.
pub const UPLOAD_LIFETIME: Duration = Duration::from_secs(3600);

const PREFIX: &str = "upl_";
const MAX_CONTENT_TYPE_CHARACTERS: usize = 255;
const MAX_FILENAME_CHARACTERS: usize = 255;

/// An upload's id, which contains its time. The object's key begins with the account that owns it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UploadId(Uuid);

impl UploadId {
    /// A new id (UUIDv7: a time and 74 random bits).
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// Stands for the upload that a file with this digest will become. It was never issued, so nobody can use it.
    pub(crate) fn standing_for(digest: [u8; 32]) -> Self {
        let mut random = [0; 10];
        random.copy_from_slice(&digest[..10]);
        Self(uuid::Builder::from_unix_timestamp_millis(0, &random).into_uuid())
    }

    /// `None` unless the text has the form of an id.
    pub fn parse(text: &str) -> Option<Self> {
        let id = Uuid::try_parse(text.strip_prefix(PREFIX)?).ok().map(Self)?;
        (id.issued_at().is_some() && id.to_string() == text).then_some(id)
    }

    /// From this time on, no job may use it.
    pub fn expires_at(self) -> Timestamp {
        self.issued_at().unwrap_or(Timestamp(0)).plus(UPLOAD_LIFETIME)
    }

    fn issued_at(self) -> Option<Timestamp> {
        let (seconds, nanos) = self.0.get_timestamp().filter(|_| self.0.get_version_num() == 7)?.to_unix();
        Some(Timestamp(i64::try_from(seconds * 1000 + u64::from(nanos / 1_000_000)).ok()?))
    }
}

impl Default for UploadId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for UploadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0.simple())
    }
}

impl fmt::Debug for UploadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A link for uploading a document, as its owner reads it.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Upload", description = ""))]
pub struct UploadView {
    /// Use it as `uploadId` in jobs.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^upl_[0-9a-f]{32}$")))]
    pub id: String,
    /// A signed link. Send the document's bytes there, without a key. Keep it secret.
    pub url: SentLink,
    /// The HTTP method that was signed.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(extend("const" = "PUT")))]
    pub method: String,
    /// Send these with the document, exactly as they are: they are part of the signature, and so is the document's length.
    pub headers: BTreeMap<String, String>,
    /// Start the upload before this time.
    pub url_expires_at: SentTime,
    /// Use the upload before this time.
    pub expires_at: SentTime,
}

/// A client's description of a document to upload. All of it is signed: no other document is accepted.
#[derive(Clone, PartialEq, Eq)]
pub struct UploadRequest {
    /// The document's media type, as the client says.
    pub content_type: String,
    /// The document's exact size.
    pub bytes: u64,
    /// What the client calls the document.
    pub filename: Option<String>,
    /// The document's digest, which the bucket checks.
    pub sha256: Option<[u8; 32]>,
}

impl fmt::Debug for UploadRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UploadRequest").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

impl UploadRequest {
    /// Parses a request's body. `most_bytes`: the limit for sources.
    ///
    /// # Errors
    /// All breaches of the body.
    pub fn parse(body: &Map<String, Value>, most_bytes: u64) -> Result<Self, Vec<Breach>> {
        let mut breaches = Vec::new();
        let mut read = |name: &str, expected: String, valid: bool| {
            if !valid {
                breaches.push(Breach::new(format!("/{name}"), expected));
            }
        };
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let absent = |name: &str| !body.contains_key(name);

        let content_type = text("contentType").filter(|text| is_media_type(text));
        read("contentType", "must be a media type such as `application/pdf`".to_owned(), content_type.is_some());
        let bytes = body.get("bytes").and_then(Value::as_u64).filter(|bytes| (1..=most_bytes).contains(bytes));
        read("bytes", format!("must be the document's size in bytes, from 1 to {most_bytes}"), bytes.is_some());
        let filename = text("filename").filter(|name| is_usable_name(name));
        read("filename", describe_format("filename").to_owned(), filename.is_some() || absent("filename"));
        let sha256 = text("sha256").and_then(Digest::parse).map(Digest::bytes);
        read("sha256", "must be 64 hexadecimal digits in lower case".to_owned(), sha256.is_some() || absent("sha256"));

        match (content_type, bytes) {
            (Some(content_type), Some(bytes)) if breaches.is_empty() => {
                Ok(Self { content_type: content_type.to_owned(), bytes, filename: filename.map(str::to_owned), sha256 })
            }
            _ => Err(breaches),
        }
    }
}

/// `type/subtype`, with or without parameters (RFC 6838 § 4.2).
pub(crate) fn is_media_type(text: &str) -> bool {
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte))
    };
    let is_parameter = |text: &str| {
        let text = text.strip_prefix(' ').unwrap_or(text);
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let mut parts = text.split(';');
    let essence = parts.next().and_then(|essence| essence.split_once('/'));
    text.len() <= MAX_CONTENT_TYPE_CHARACTERS
        && essence.is_some_and(|(kind, subtype)| is_name(kind) && is_name(subtype))
        && parts.all(is_parameter)
}

pub(crate) fn is_usable_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= MAX_FILENAME_CHARACTERS && is_filename(name)
}

/// The upload that a request's body names.
///
/// # Errors
/// If the body names no upload, or one that is too old.
pub fn named_upload(body: &Map<String, Value>, now: Timestamp) -> Result<UploadId, Vec<Breach>> {
    let id = body.get("uploadId").and_then(Value::as_str).and_then(UploadId::parse);
    id.filter(|id| id.expires_at() > now).ok_or_else(no_such_upload)
}

/// The same error for uploads that don't exist, are incomplete or belong to others.
pub fn no_such_upload() -> Vec<Breach> {
    vec![Breach::new(
        "/uploadId",
        "must be the id of an upload of your account that is complete and less than an hour old",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256_hex;
    use serde_json::json;

    fn parse(body: Value) -> Result<UploadRequest, Vec<String>> {
        let paths = |breaches: Vec<Breach>| breaches.into_iter().map(|breach| breach.path).collect();
        UploadRequest::parse(body.as_object().unwrap(), 1000).map_err(paths)
    }

    #[test]
    fn an_id_survives_its_text_and_lasts_an_hour() {
        let id = UploadId::new();
        assert_eq!(UploadId::parse(&id.to_string()), Some(id));
        let fixed = UploadId::parse("upl_01935f6b8d4a7c3e9b5d2f1a6c7e8d90").unwrap();
        assert_eq!(fixed.expires_at(), Timestamp(0x0193_5f6b_8d4a + 3_600_000));
    }

    #[test]
    fn texts_that_were_never_issued_are_not_ids() {
        for text in [
            "",
            "upl_",
            "01935f6b8d4a7c3e9b5d2f1a6c7e8d90",
            "upl_01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90",
            "upl_01935F6B8D4A7C3E9B5D2F1A6C7E8D90",
            "upl_01935f6b8d4a4c3e9b5d2f1a6c7e8d90",
            "upl_../other/01935f6b8d4a7c3e9b5d2f",
        ] {
            assert_eq!(UploadId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_request_has_type_and_size_and_optionally_name_and_digest() {
        let least = parse(json!({"contentType": "text/html; charset=utf-8", "bytes": 1})).unwrap();
        assert_eq!((least.filename, least.sha256), (None, None));
        let digest = sha256_hex(b"x");
        let full =
            parse(json!({"contentType": "a/b", "bytes": 1000, "filename": "März.docx", "sha256": digest, "x": 1}));
        let full = full.unwrap();
        assert_eq!(full.filename.as_deref(), Some("März.docx"));
        assert_eq!(full.sha256.map(|bytes| crate::hex(&bytes)), Some(digest));
    }

    #[test]
    fn every_breach_names_its_path() {
        let all = json!({"contentType": "pdf", "bytes": 1001, "filename": "../x", "sha256": "AB"});
        assert_eq!(parse(all).unwrap_err(), ["/contentType", "/bytes", "/filename", "/sha256"]);
        assert_eq!(parse(json!({})).unwrap_err(), ["/contentType", "/bytes"]);
        for bytes in [json!(0), json!(-1), json!(1.5), json!("1"), json!(null)] {
            assert_eq!(parse(json!({"contentType": "a/b", "bytes": bytes})).unwrap_err(), ["/bytes"]);
        }
        for kind in ["", "/", "a/", "a b/c", "a/b\r\nx: y", "a/b; ", "a/ü"] {
            assert_eq!(parse(json!({"contentType": kind, "bytes": 1})).unwrap_err(), ["/contentType"], "{kind:?}");
        }
        for (name, wrong) in [("filename", json!("")), ("filename", json!(null)), ("sha256", json!("ab".repeat(33)))] {
            let mut body = json!({"contentType": "a/b", "bytes": 1});
            body[name] = wrong;
            assert_eq!(parse(body).unwrap_err(), [format!("/{name}")]);
        }
    }

    #[test]
    fn only_recent_uploads_can_be_named() {
        let id = UploadId::new();
        let body = |value: Value| Map::from_iter([("uploadId".to_owned(), value)]);
        assert_eq!(named_upload(&body(json!(id.to_string())), Timestamp(0)).unwrap(), id);
        for (body, now) in [
            (body(json!(id.to_string())), id.expires_at()),
            (body(json!("upl_1")), Timestamp(0)),
            (body(json!(1)), Timestamp(0)),
            (Map::new(), Timestamp(0)),
        ] {
            assert_eq!(named_upload(&body, now).unwrap_err()[0].path, "/uploadId");
        }
    }
}
