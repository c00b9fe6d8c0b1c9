//! Calls of KMS and STS. They are signed here and sent by others, since a worker without a way out has them sent by the relay.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_config::clock;
use docmill_domain::webhook::Arn;
use serde::Deserialize;
use serde_json::json;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::clients::Aws;

/// The least that STS gives.
const ROLE_SECONDS: &str = "900";
const SESSION: &str = "docmill";

/// A signed request, to be sent by `POST`.
pub struct Call {
    /// The endpoint of the service.
    pub url: Url,
    /// They have the signature.
    pub headers: BTreeMap<String, String>,
    /// The media type of the body.
    pub media_type: &'static str,
    /// What is asked for.
    pub body: Vec<u8>,
}

/// Headers are secret.
impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

/// Why there is no call.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The process has no role.
    #[error("there are no credentials: {0}")]
    Credentials(String),
    /// Never: what is signed is made here.
    #[error("a call can't be signed: {0}")]
    Signing(String),
}

/// How a key of KMS signs a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyAlgorithm {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    RsaPkcs1Sha256,
    /// RSA-PSS with SHA-256 and a salt as long.
    RsaPssSha256,
    /// ECDSA on P-256.
    EcdsaSha256,
    /// ECDSA on P-384.
    EcdsaSha384,
    /// ECDSA on P-521.
    EcdsaSha512,
}

impl KeyAlgorithm {
    const fn name(self) -> &'static str {
        match self {
            Self::RsaPkcs1Sha256 => "RSASSA_PKCS1_V1_5_SHA_256",
            Self::RsaPssSha256 => "RSASSA_PSS_SHA_256",
            Self::EcdsaSha256 => "ECDSA_SHA_256",
            Self::EcdsaSha384 => "ECDSA_SHA_384",
            Self::EcdsaSha512 => "ECDSA_SHA_512",
        }
    }
}

/// What KMS or STS said instead of an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Such as `AccessDeniedException`.
    pub code: String,
    /// For the owner of the key, who can mend it.
    pub message: String,
}

impl Aws {
    /// The credentials of this process.
    ///
    /// # Errors
    /// If it has none.
    pub async fn credentials(&self) -> Result<Credentials, CallError> {
        let provider = self.sdk().credentials_provider();
        let provider = provider.ok_or_else(|| CallError::Credentials("no provider".to_owned()))?;
        provider.provide_credentials().await.map_err(|error| CallError::Credentials(error.to_string()))
    }

    /// Asks KMS to sign a digest.
    ///
    /// # Errors
    /// See [`CallError`].
    pub fn sign_digest(
        &self,
        credentials: Credentials,
        key: &Arn,
        algorithm: KeyAlgorithm,
        digest: &[u8],
    ) -> Result<Call, CallError> {
        let body = json!({
            "KeyId": key.as_str(),
            "Message": STANDARD.encode(digest),
            "MessageType": "DIGEST",
            "SigningAlgorithm": algorithm.name(),
        });
        let headers = BTreeMap::from([("x-amz-target".to_owned(), "TrentService.Sign".to_owned())]);
        let url = self.endpoint("kms", key.region(), key)?;
        let call = Call { url, headers, media_type: "application/x-amz-json-1.1", body: body.to_string().into_bytes() };
        signed(call, credentials, "kms", key.region())
    }

    /// Asks STS for credentials of a customer's role.
    ///
    /// # Errors
    /// See [`CallError`].
    pub fn assume(&self, own: Credentials, role: &Arn, external_id: &str) -> Result<Call, CallError> {
        let region = self.sdk().region().map(ToString::to_string).unwrap_or_default();
        let body = Serializer::new(String::new())
            .extend_pairs([("Action", "AssumeRole"), ("Version", "2011-06-15"), ("RoleArn", role.as_str())])
            .extend_pairs([
                ("RoleSessionName", SESSION),
                ("ExternalId", external_id),
                ("DurationSeconds", ROLE_SECONDS),
            ])
            .finish();
        let media_type = "application/x-www-form-urlencoded";
        let url = self.endpoint("sts", &region, role)?;
        let call = Call { url, headers: BTreeMap::new(), media_type, body: body.into_bytes() };
        signed(call, own, "sts", &region)
    }

    /// The address of a service, which is that of the emulator if there is one.
    fn endpoint(&self, service: &str, region: &str, of: &Arn) -> Result<Url, CallError> {
        let suffix = if of.as_str().starts_with("arn:aws-cn:") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let own = format!("https://{service}.{region}.{suffix}/");
        let address = self.sdk().endpoint_url().unwrap_or(&own);
        Url::parse(address).map_err(|error| CallError::Signing(error.to_string()))
    }
}

/// Adds the headers of the signature.
fn signed(mut call: Call, credentials: Credentials, service: &str, region: &str) -> Result<Call, CallError> {
    let refused = |error: &dyn std::error::Error| CallError::Signing(error.to_string());
    let identity = Identity::from(credentials);
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(service)
        .time(now())
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| refused(&error))?;
    let headers = call.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let headers = headers.chain([("content-type", call.media_type)]);
    let signable = SignableRequest::new("POST", call.url.as_str(), headers, SignableBody::Bytes(&call.body));
    let output = sign(signable.map_err(|error| refused(&error))?, &params.into()).map_err(|error| refused(&error))?;
    let (instructions, _) = output.into_parts();
    let added: Vec<_> = instructions.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    call.headers.extend(added);
    Ok(call)
}

/// Of the clock that tests may put ahead.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(clock::now().0).unwrap_or_default())
}

/// The signature in an answer of KMS.
pub fn signature_in(answer: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Signed {
        signature: String,
    }
    let signed: Signed = serde_json::from_slice(answer).ok()?;
    STANDARD.decode(signed.signature).ok()
}

/// The credentials in an answer of STS.
pub fn credentials_in(answer: &[u8]) -> Option<Credentials> {
    let text = std::str::from_utf8(answer).ok()?;
    let [key, secret, token] = ["AccessKeyId", "SecretAccessKey", "SessionToken"].map(|name| element(text, name));
    Some(Credentials::new(key?, secret?, Some(token?.to_owned()), None, "role"))
}

/// Why KMS or STS refused. KMS answers in JSON, and STS in XML.
pub fn refusal_in(answer: &[u8]) -> Refusal {
    #[derive(Deserialize)]
    struct Told {
        #[serde(rename = "__type")]
        kind: String,
        #[serde(alias = "Message", default)]
        message: String,
    }
    if let Ok(Told { kind, message }) = serde_json::from_slice(answer) {
        let code = kind.rsplit('#').next().unwrap_or_default().to_owned();
        return Refusal { code, message };
    }
    let text = String::from_utf8_lossy(answer);
    let named = |name: &str| element(&text, name).unwrap_or_default().to_owned();
    Refusal { code: named("Code"), message: named("Message") }
}

/// The text of the first element of this name. What AWS sends has no entities there.
fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(content, _)| content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLE: &str = "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AKIA1</AccessKeyId>\
        <SecretAccessKey>s/+=</SecretAccessKey><SessionToken>t==</SessionToken></Credentials></AssumeRoleResult></AssumeRoleResponse>";

    #[test]
    fn answers_are_read() {
        assert_eq!(signature_in(br#"{"KeyId": "k", "Signature": "AQI="}"#), Some(vec![1, 2]));
        assert_eq!(signature_in(b"{}"), None);
        let credentials = credentials_in(ROLE.as_bytes()).unwrap();
        let parts = (credentials.access_key_id(), credentials.secret_access_key(), credentials.session_token());
        assert_eq!(parts, ("AKIA1", "s/+=", Some("t==")));
        assert!(credentials_in(b"<AccessKeyId>a</AccessKeyId>").is_none());
    }

    #[test]
    fn refusals_of_both_services_are_read() {
        let kms = br#"{"__type": "com.amazonaws.kms#NotFoundException", "message": "no key"}"#;
        let sts = b"<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>";
        let told = |answer: &[u8]| {
            let Refusal { code, message } = refusal_in(answer);
            (code, message)
        };
        assert_eq!(told(kms), ("NotFoundException".to_owned(), "no key".to_owned()));
        assert_eq!(told(sts), ("AccessDenied".to_owned(), "not you".to_owned()));
        assert_eq!(told(b"<html>"), (String::new(), String::new()));
    }

    #[test]
    fn fuzz_answers_of_aws() {
        docmill_fuzz::fuzz("aws-answers", &[], |bytes| {
            drop(signature_in(bytes));
            let credentials = credentials_in(bytes);
            assert!(credentials.is_none_or(|credentials| credentials.session_token().is_some()));
            // What is not text becomes a character of three bytes.
            let Refusal { code, message } = refusal_in(bytes);
            assert!(code.len().max(message.len()) <= bytes.len() * 3);
        });
    }
}
