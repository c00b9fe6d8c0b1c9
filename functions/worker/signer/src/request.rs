//! What the signer is asked for.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::job::JobErrorCode;
use docmill_engine::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    pub(crate) key: Key,
    #[serde(flatten)]
    pub(crate) stamping: Stamping,
    pub(crate) prepared: Prepared,
}

/// Whether there is a time stamp.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamping {
    #[serde(default)]
    pub(crate) level: Level,
    /// It may have a secret.
    pub(crate) timestamp_url: Option<String>,
}

/// What signs. It is never printed.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Key {
    /// A key in a PKCS#12 file.
    File(KeyFile),
    /// A key in AWS KMS.
    Kms {
        /// It, and its certificates.
        kms: KmsKey,
    },
}

/// A PKCS#12 file.
#[derive(Deserialize)]
pub(crate) struct KeyFile {
    pkcs12: String,
    #[serde(default)]
    pub(crate) password: String,
}

/// A key in AWS KMS.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KmsKey {
    pub(crate) key_arn: String,
    /// A role of the customer's. Without it, the key is the deployment's.
    pub(crate) role_arn: Option<String>,
    /// In PEM.
    pub(crate) certificates: String,
    #[serde(default)]
    pub(crate) padding: Padding,
}

/// How an RSA key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Padding {
    #[default]
    Pkcs1,
    Pss,
}

/// A level of PAdES.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Level {
    /// The signature alone.
    #[default]
    #[serde(rename = "B-B")]
    Basic,
    /// With a time stamp.
    #[serde(rename = "B-T")]
    Time,
    /// With that, and with what proves for long that the certificates were good.
    #[serde(rename = "B-LT")]
    Long,
}

/// What the PDF tools report of the file. A child under a document's control may say anything.
#[derive(Deserialize)]
pub(crate) struct Prepared {
    gap: [u64; 2],
    pub(crate) field: Option<String>,
}

impl Level {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Basic => "B-B",
            Self::Time => "B-T",
            Self::Long => "B-LT",
        }
    }
}

impl Options {
    pub(crate) fn read(options: &Value) -> Result<Self, Failure> {
        // Without the text of the error, which may quote the key.
        Self::deserialize(options).map_err(|_| Failure::internal("the options of a signature can't be read"))
    }
}

impl KeyFile {
    /// The file, from base64 with or without line breaks.
    pub(crate) fn file(&self) -> Result<Vec<u8>, Failure> {
        let text: String = self.pkcs12.split_ascii_whitespace().collect();
        STANDARD.decode(text).map_err(|_| {
            let message = "`key.pkcs12` is not base64. Encode the PKCS#12 file (.p12, .pfx) in base64.";
            Failure::new(JobErrorCode::InvalidSignatureKey, message, "a key that is not base64")
        })
    }
}

impl Prepared {
    pub(crate) fn gap(&self) -> Range<u64> {
        let [start, end] = self.gap;
        start..end
    }
}
