//! Keys that are elsewhere, such as in a key service: only their certificates are known here.

use docmill_domain::time::Timestamp;

use super::cms::signature_algorithm;
use super::key::{Algorithm, BadKey, allowed_at, with_own_first};
use crate::cms::asn1::Value;
use crate::cms::certificate::Certificate;
use crate::cms::keys::{self, Checked, PublicKey};

/// The least bits of an RSA key.
const RSA_BITS: usize = 2048;

/// A key that others sign with, by its certificates.
#[derive(Debug)]
pub struct RemoteKey {
    certificates: Vec<Vec<u8>>,
    algorithm: Algorithm,
}

impl RemoteKey {
    /// The key of the first of these certificates, in PEM. `pss`: how RSA signs.
    ///
    /// # Errors
    /// If there is no certificate, or its key can't sign.
    pub fn of(pem: &str, pss: bool) -> Result<Self, BadKey> {
        let all = crate::roots_of(pem).ok_or(BadKey::NoCertificates)?;
        let own = all.first().and_then(|der| Certificate::read(der)).ok_or(BadKey::NoCertificates)?;
        let key = PublicKey::read(own.key).ok_or(BadKey::Unsupported)?;
        let algorithm = algorithm(&key, pss).ok_or(BadKey::Unsupported)?;
        let certificates = with_own_first(all.clone(), key.bits()).ok_or(BadKey::NoCertificates)?;
        Ok(Self { certificates, algorithm })
    }

    /// The signer's certificate, then those of its authorities, as DER.
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// How it signs.
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Fails if its certificate forbids a signature now.
    ///
    /// # Errors
    /// See [`BadKey::OutOfBounds`] and [`BadKey::OtherUse`].
    pub fn check(&self, now: Timestamp) -> Result<(), BadKey> {
        allowed_at(&self.certificates, now)
    }

    /// What the key signs of a message.
    pub fn digest(&self, message: &[u8]) -> Vec<u8> {
        self.algorithm.hash().digest(&[message])
    }

    /// Fails unless the key of the certificate made this signature.
    ///
    /// # Errors
    /// See [`BadKey::OtherKey`].
    pub fn accept(&self, message: &[u8], signature: &[u8]) -> Result<(), BadKey> {
        let identifier = signature_algorithm(self.algorithm);
        let own = self.certificates.first().and_then(|der| Certificate::read(der)).ok_or(BadKey::NoCertificates)?;
        let key = PublicKey::read(own.key).ok_or(BadKey::Unsupported)?;
        let algorithm = Value::only(&identifier).and_then(keys::Algorithm::read).ok_or(BadKey::Unsupported)?;
        match key.verify(&algorithm, self.algorithm.hash(), message, signature) {
            Checked::Valid(_) => Ok(()),
            Checked::Invalid(_) | Checked::Unsupported => Err(BadKey::OtherKey),
        }
    }
}

/// How a key of this kind signs.
fn algorithm(key: &PublicKey<'_>, pss: bool) -> Option<Algorithm> {
    if key.rsa_bits().is_some_and(|bits| bits >= RSA_BITS) {
        return Some(if pss { Algorithm::RsaPssSha256 } else { Algorithm::RsaSha256 });
    }
    match key.curve()?.as_str() {
        "1.2.840.10045.3.1.7" => Some(Algorithm::EcdsaSha256),
        "1.3.132.0.34" => Some(Algorithm::EcdsaSha384),
        "1.3.132.0.35" => Some(Algorithm::EcdsaSha512),
        _ => None,
    }
}
