//! Keys that sign, with their certificates.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair as RsaKeyPair;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, KeyPair as _, RSA_PKCS1_SHA256,
};
use docmill_domain::time::Timestamp;

use super::pkcs12;
use crate::cms::asn1::{SEQUENCE, Value};
use crate::cms::certificate::Certificate;
use crate::cms::keys::{Hash, PublicKey};

/// Most certificates with a key.
const MOST_CERTIFICATES: usize = 20;
const RSA: &str = "1.2.840.113549.1.1.1";
const ELLIPTIC: &str = "1.2.840.10045.2.1";

/// How a key signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with PKCS #1 v1.5.
    RsaSha256,
    /// RSA-PSS with a salt of 32 bytes. Only keys that are elsewhere sign so.
    RsaPssSha256,
    /// ECDSA on P-256.
    EcdsaSha256,
    /// ECDSA on P-384.
    EcdsaSha384,
    /// ECDSA on P-521.
    EcdsaSha512,
}

impl Algorithm {
    pub(super) const fn hash(self) -> Hash {
        match self {
            Self::RsaSha256 | Self::RsaPssSha256 | Self::EcdsaSha256 => Hash::Sha256,
            Self::EcdsaSha384 => Hash::Sha384,
            Self::EcdsaSha512 => Hash::Sha512,
        }
    }

    /// A digest of the document's bytes.
    pub fn digest(self) -> aws_lc_rs::digest::Context {
        self.hash().context()
    }
}

/// Why a key can't sign. The texts are for the owner of the job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// It is no PKCS#12 file, or has more than such files have.
    #[error(
        "`key.pkcs12` is no PKCS#12 file that can be read: {0}. Export key and certificates again, and send the file in base64."
    )]
    Unreadable(&'static str),
    /// The password does not open it.
    #[error("The password does not open the PKCS#12 file. Check `key.password`.")]
    WrongPassword,
    /// There is no key, or one of a kind that does not sign here.
    #[error(
        "`key` has no key that can sign: use RSA with 2048 bits or more, or the elliptic curves P-256, P-384 or P-521."
    )]
    Unsupported,
    /// No certificate is for the key.
    #[error("None of the certificates in `key` belongs to its key. Export the key together with its certificate.")]
    NoCertificate,
    /// The text with the certificates has none that can be read.
    #[error(
        "`key.kms.certificates` has no certificate that can be read. Send PEM: the certificate of the key, then those of its authorities."
    )]
    NoCertificates,
    /// Another key signed than that of the certificate.
    #[error(
        "The key does not belong to the first certificate in `key.kms.certificates`. Send the certificate that was made for it."
    )]
    OtherKey,
    /// The certificate is not valid now.
    #[error("The certificate of the key is valid from {from} to {to}, so a signature now would not be.")]
    OutOfBounds {
        /// The first day.
        from: String,
        /// The last day.
        to: String,
    },
    /// The certificate is for other uses.
    #[error(
        "The certificate of the key is not for signatures: its key usage has neither digitalSignature nor nonRepudiation."
    )]
    OtherUse,
}

/// A private key with the certificates that belong to it.
pub struct SigningKey {
    pair: Pair,
    /// The signer's, then those of its authorities.
    certificates: Vec<Vec<u8>>,
}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Elliptic(Box<EcdsaKeyPair>, Algorithm),
}

/// A key is secret.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Reads a PKCS#12 file. This can take seconds, since it stretches the password.
    ///
    /// # Errors
    /// If it can't be read with this password, or its key can't sign.
    pub fn from_pkcs12(file: &[u8], password: &str) -> Result<Self, BadKey> {
        let contents = pkcs12::open(file, password)?;
        let mut reason = BadKey::Unsupported;
        for key in &contents.keys {
            let Some(pair) = Pair::read(key) else { continue };
            match with_own_first(contents.certificates.clone(), pair.public()) {
                Some(certificates) => return Ok(Self { pair, certificates }),
                None => reason = BadKey::NoCertificate,
            }
        }
        Err(reason)
    }

    /// The signer's certificate, then those of its authorities, as DER.
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }

    /// How it signs.
    pub const fn algorithm(&self) -> Algorithm {
        match &self.pair {
            Pair::Rsa(_) => Algorithm::RsaSha256,
            Pair::Elliptic(_, algorithm) => *algorithm,
        }
    }

    /// Fails if its certificate forbids a signature now.
    ///
    /// # Errors
    /// See [`BadKey::OutOfBounds`] and [`BadKey::OtherUse`].
    pub fn check(&self, now: Timestamp) -> Result<(), BadKey> {
        allowed_at(&self.certificates, now)
    }

    /// Signs a message. `None` if the library fails.
    pub fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).ok()?;
                Some(signature)
            }
            Pair::Elliptic(pair, _) => Some(pair.sign(&random, message).ok()?.as_ref().to_vec()),
        }
    }
}

impl Pair {
    /// Reads a key as PKCS#8.
    fn read(key: &[u8]) -> Option<Self> {
        let mut parts = Value::only(key)?.with(SEQUENCE)?.values();
        parts.next()?;
        let mut algorithm = parts.typed(SEQUENCE)?.values();
        let kind = algorithm.next()?.oid()?;
        if kind == RSA {
            return RsaKeyPair::from_pkcs8(key).ok().map(|pair| Self::Rsa(Box::new(pair)));
        }
        let curve = algorithm.next()?.oid()?;
        let (curve, algorithm): (&'static EcdsaSigningAlgorithm, _) = match (kind.as_str(), curve.as_str()) {
            (ELLIPTIC, "1.2.840.10045.3.1.7") => (&ECDSA_P256_SHA256_ASN1_SIGNING, Algorithm::EcdsaSha256),
            (ELLIPTIC, "1.3.132.0.34") => (&ECDSA_P384_SHA384_ASN1_SIGNING, Algorithm::EcdsaSha384),
            (ELLIPTIC, "1.3.132.0.35") => (&ECDSA_P521_SHA512_ASN1_SIGNING, Algorithm::EcdsaSha512),
            _ => return None,
        };
        let pair = EcdsaKeyPair::from_pkcs8(curve, key).ok()?;
        Some(Self::Elliptic(Box::new(pair), algorithm))
    }

    fn public(&self) -> &[u8] {
        match self {
            Self::Rsa(pair) => pair.public_key().as_ref(),
            Self::Elliptic(pair, _) => pair.public_key().as_ref(),
        }
    }
}

/// Fails if the first certificate forbids a signature at a time.
pub(super) fn allowed_at(certificates: &[Vec<u8>], time: Timestamp) -> Result<(), BadKey> {
    let own = certificates.first().and_then(|der| Certificate::read(der)).ok_or(BadKey::NoCertificate)?;
    if !own.is_valid_at(time) {
        return Err(BadKey::OutOfBounds { from: own.not_before.day(), to: own.not_after.day() });
    }
    if own.signs { Ok(()) } else { Err(BadKey::OtherUse) }
}

/// The certificates with that of the key first, and each issuer after it. Others are left out. `None` if none is the key's.
pub(super) fn with_own_first(certificates: Vec<Vec<u8>>, key: &[u8]) -> Option<Vec<Vec<u8>>> {
    let read: Vec<Certificate<'_>> = certificates.iter().filter_map(|der| Certificate::read(der)).collect();
    let is_own = |certificate: &&Certificate<'_>| PublicKey::read(certificate.key).is_some_and(|own| own.bits() == key);
    let mut chain = vec![read.iter().find(is_own)?];
    while let Some(last) = chain.last().filter(|last| last.subject_der != last.issuer_der) {
        let issuer = read.iter().find(|other| other.subject_der == last.issuer_der);
        match issuer
            .filter(|issuer| chain.len() < MOST_CERTIFICATES && chain.iter().all(|known| known.der != issuer.der))
        {
            Some(issuer) => chain.push(issuer),
            None => break,
        }
    }
    Some(chain.into_iter().map(|certificate| certificate.der.to_vec()).collect())
}

/// The name in a certificate, for people.
pub fn name_of(certificate: &[u8]) -> Option<String> {
    Certificate::read(certificate).map(|certificate| certificate.name().to_owned())
}
