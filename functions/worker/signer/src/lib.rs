//! Signs PDFs that a child of the PDF tools has prepared. The key is in this process alone, which opens no document: it digests a file's
//! bytes, and writes the signature into the gap that was left for it.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod authority;
mod evidence;
mod file;
mod kms;
mod request;

use std::ops::Range;
use std::path::PathBuf;

use async_trait::async_trait;
use docmill_config::clock;
use docmill_domain::job::{EngineInfo, JobErrorCode, Warning};
use docmill_domain::tool::EngineKind;
use docmill_engine::{Artifact, Conversion, Engine, Failure, Source, Task, Unfinished};
use docmill_fetch::Fetcher;
use docmill_formats::Format;
use docmill_pdf_signatures::make::{
    Algorithm, Attributes, BadKey, RemoteKey, SigningKey, Token, fill, name_of, signature,
};
use serde_json::json;

use crate::file::Copied;
use crate::request::{Key, KeyFile, KmsKey, Level, Options, Padding, Stamping};

pub use crate::kms::{KeyService, OwnKeys};

/// The name of the signed file.
const SIGNED: &str = "signed.pdf";

/// The name of the file with what proves that its certificates were good.
const EVIDENCE: &str = "evidence.json";

/// The warning that a signature has no time stamp.
const TIMESTAMP_MISSING: &str = "timestamp_missing";

/// Signs with keys of requests, and of KMS.
#[derive(Debug)]
pub struct Signer {
    fetcher: Fetcher,
    keys: Option<KeyService>,
}

impl Signer {
    /// Asks authorities through `fetcher`. Without a key service, keys of KMS are refused.
    pub const fn new(fetcher: Fetcher, keys: Option<KeyService>) -> Self {
        Self { fetcher, keys }
    }

    /// Signs a copy of the prepared file by KMS.
    async fn sign_by_kms(&self, key: &KmsKey, account: Option<&str>, copy: Copy) -> Result<Signed, Failure> {
        let (Some(keys), Some(account)) = (&self.keys, account) else {
            let message = "Keys of AWS KMS can only be used through the service. Send a PKCS#12 file in `key.pkcs12`.";
            return Err(Failure::new(JobErrorCode::InvalidSignatureKey, message, "a key of KMS without a service"));
        };
        let remote = RemoteKey::of(&key.certificates, key.padding == Padding::Pss).map_err(|error| bad_key(&error))?;
        remote.check(clock::now()).map_err(|error| bad_key(&error))?;
        let (algorithm, certificates) = (remote.algorithm(), remote.certificates().to_vec());
        let unsigned = aside(move || copy.unsigned(algorithm, certificates)).await?;
        let digest = remote.digest(&unsigned.attributes.signed);
        let signature = keys.sign(key, account, algorithm, &digest).await?;
        remote.accept(&unsigned.attributes.signed, &signature).map_err(|error| bad_key(&error))?;
        Ok(unsigned.signed(signature))
    }

    /// A time stamp, if there is an authority. Without one, the signature is made all the same, unless its level needs one.
    async fn stamp(&self, options: &Stamping, signature: &[u8]) -> Result<(Option<Token>, Option<Warning>), Failure> {
        let why = match &options.timestamp_url {
            None if options.level == Level::Basic => return Ok((None, None)),
            None => "`timestampUrl` is missing.".to_owned(),
            Some(address) => match authority::stamp(&self.fetcher, address, signature).await {
                Ok(token) => return Ok((Some(token), None)),
                Err(why) => why,
            },
        };
        if options.level == Level::Basic {
            let message = format!("The signature has no time stamp. {why}");
            return Ok((None, Some(Warning::new(TIMESTAMP_MISSING, message))));
        }
        let message = format!("The level {} needs a time stamp. {why}", options.level.as_str());
        Err(Failure::new(JobErrorCode::SigningFailed, message, "no time stamp"))
    }
}

#[async_trait]
impl Engine for Signer {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let Options { key, stamping, prepared } = Options::read(task.options)?;
        let (from, made) = source(task.source()?)?;
        let (to, gap) = (task.scratch.join(SIGNED), prepared.gap());
        let copy = Copy { from, to: to.clone(), gap: gap.clone() };
        let signed = match key {
            Key::File(key) => aside(move || sign(copy, &key)).await?,
            Key::Kms { kms } => self.sign_by_kms(&kms, task.account, copy).await?,
        };
        let (token, warning) = self.stamp(&stamping, &signed.signature).await?;
        let time = token.as_ref().map(|token| token.time.to_string());
        let mut level = if token.is_some() { Level::Time } else { Level::Basic };
        let mut artifacts = vec![Artifact { path: to, ..made }];
        if let (Level::Long, Some(token)) = (stamping.level, &token) {
            level = Level::Long;
            let dossier = evidence::collect(&self.fetcher, &signed.certificates, &token.der).await?;
            let path = task.scratch.join(EVIDENCE);
            std::fs::write(&path, evidence::as_json(&dossier).to_string())
                .map_err(|error| Failure::internal(format!("writing evidence: {}", error.kind())))?;
            let made = Artifact { path, media: Format::Json, pages: None, width: None, height: None, filename: None };
            artifacts.push(made);
        }
        let signer = aside(move || signed.finish(&gap, token.as_ref())).await?;
        let report = json!({"field": prepared.field, "signer": signer, "level": level, "timestamp": time});
        Ok(Conversion {
            artifacts,
            report: Some(report),
            engine: info(),
            warnings: warning.into_iter().collect(),
            unfinished: Unfinished::default(),
        })
    }
}

/// Does what takes the processor or the disk.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, Failure> + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|_panicked| Failure::internal("signing panicked"))?
}

/// The prepared file, and what is known of it.
fn source(source: &Source) -> Result<(PathBuf, Artifact), Failure> {
    match source {
        Source::File(file) => {
            let (pages, width, height, filename) = (None, None, None, None);
            let made = Artifact { path: file.path.clone(), media: file.media, pages, width, height, filename };
            Ok((file.path.clone(), made))
        }
        Source::Document { .. } | Source::Page(_) | Source::Html { .. } => {
            Err(Failure::internal("what is to be signed is no file"))
        }
    }
}

/// A copy of the prepared file, and what will be in its gap.
struct Signed {
    file: std::fs::File,
    attributes: Attributes,
    signature: Vec<u8>,
    certificates: Vec<Vec<u8>>,
}

/// What is copied to be signed, and where its gap is.
struct Copy {
    from: PathBuf,
    to: PathBuf,
    gap: Range<u64>,
}

/// A copy of the prepared file, and what is to be signed of it.
struct Unsigned {
    file: std::fs::File,
    attributes: Attributes,
    certificates: Vec<Vec<u8>>,
}

impl Copy {
    fn unsigned(self, algorithm: Algorithm, certificates: Vec<Vec<u8>>) -> Result<Unsigned, Failure> {
        let own = certificates.first().ok_or_else(|| Failure::internal("a key without a certificate"))?;
        let Copied { file, digest } = file::copy(&self.from, &self.to, &self.gap, algorithm)?;
        let attributes = Attributes::new(algorithm, &digest, own);
        Ok(Unsigned { file, attributes, certificates })
    }
}

impl Unsigned {
    fn signed(self, signature: Vec<u8>) -> Signed {
        let Self { file, attributes, certificates } = self;
        Signed { file, attributes, signature, certificates }
    }
}

/// Signs a copy of the prepared file.
fn sign(copy: Copy, key: &KeyFile) -> Result<Signed, Failure> {
    let key = open(key)?;
    let unsigned = copy.unsigned(key.algorithm(), key.certificates().to_vec())?;
    let signature = key.sign(&unsigned.attributes.signed).ok_or_else(|| Failure::internal("the key does not sign"))?;
    Ok(unsigned.signed(signature))
}

impl Signed {
    /// Writes the signature into the gap. Returns the signer's name.
    fn finish(mut self, gap: &Range<u64>, token: Option<&Token>) -> Result<String, Failure> {
        let token = token.map(|token| token.der.as_slice());
        let whole = signature(&self.attributes, &self.signature, &self.certificates, token);
        let whole = whole.ok_or_else(|| Failure::internal("the certificate can't be read again"))?;
        let width = usize::try_from(gap.end.saturating_sub(gap.start)).unwrap_or_default();
        let filled = fill(&whole, width).ok_or_else(|| {
            let message = "The certificates in `key` are too large for a signature. Send the signer's, and those of its authorities only.";
            Failure::new(JobErrorCode::InvalidSignatureKey, message, "a signature larger than its gap")
        })?;
        file::write(&mut self.file, gap.start, &filled)?;
        Ok(self.certificates.first().and_then(|own| name_of(own)).unwrap_or_default())
    }
}

fn open(key: &KeyFile) -> Result<SigningKey, Failure> {
    let file = key.file()?;
    let opened = SigningKey::from_pkcs12(&file, &key.password);
    opened.and_then(|key| key.check(clock::now()).map(|()| key)).map_err(|error| bad_key(&error))
}

fn bad_key(error: &BadKey) -> Failure {
    let cause = match error {
        BadKey::Unreadable(_) => "a key file that can't be read",
        BadKey::WrongPassword => "the password of a key",
        BadKey::Unsupported => "a key that does not sign",
        BadKey::NoCertificate => "a key without its certificate",
        BadKey::OutOfBounds { .. } => "a certificate that is not valid now",
        BadKey::OtherUse => "a certificate for other uses",
        BadKey::NoCertificates => "certificates that can't be read",
        BadKey::OtherKey => "another key than that of the certificate",
    };
    Failure::new(JobErrorCode::InvalidSignatureKey, error.to_string(), cause)
}

/// Signing is part of the PDF tools for those who ask what made a result.
fn info() -> EngineInfo {
    EngineInfo { name: EngineKind::PdfTools.as_str().to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

#[cfg(test)]
mod tests;
