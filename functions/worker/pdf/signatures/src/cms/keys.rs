//! Digests and signatures, by AWS-LC.

use aws_lc_rs::digest::{self, Context};
use aws_lc_rs::signature::{self as algorithms, RsaPssSaltLength, UnparsedPublicKey, VerificationAlgorithm};

use super::asn1::{INTEGER, SEQUENCE, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    pub(crate) fn of(oid: &str) -> Option<Self> {
        [Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512].into_iter().find(|hash| hash.oid() == oid)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA-1",
            Self::Sha224 => "SHA-224",
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    pub(crate) const fn oid(self) -> &'static str {
        match self {
            Self::Sha1 => "1.3.14.3.2.26",
            Self::Sha224 => "2.16.840.1.101.3.4.2.4",
            Self::Sha256 => "2.16.840.1.101.3.4.2.1",
            Self::Sha384 => "2.16.840.1.101.3.4.2.2",
            Self::Sha512 => "2.16.840.1.101.3.4.2.3",
        }
    }

    pub(crate) fn context(self) -> Context {
        Context::new(match self {
            Self::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha224 => &digest::SHA224,
            Self::Sha256 => &digest::SHA256,
            Self::Sha384 => &digest::SHA384,
            Self::Sha512 => &digest::SHA512,
        })
    }

    pub(crate) fn digest(self, parts: &[&[u8]]) -> Vec<u8> {
        let mut context = self.context();
        for part in parts {
            context.update(part);
        }
        context.finish().as_ref().to_vec()
    }
}

/// An algorithm's identifier with its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Algorithm<'d> {
    pub(crate) oid: String,
    pub(crate) parameters: Option<Value<'d>>,
}

impl<'d> Algorithm<'d> {
    pub(crate) fn read(value: Value<'d>) -> Option<Self> {
        let mut parts = value.with(SEQUENCE)?.values();
        Some(Self { oid: parts.next()?.oid()?, parameters: parts.next() })
    }
}

/// A public key.
#[derive(Debug)]
pub(crate) struct PublicKey<'d> {
    algorithm: Algorithm<'d>,
    bits: &'d [u8],
}

/// How a signature was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    RsaPkcs1(Hash),
    /// With this many bytes of salt.
    RsaPss(Hash, usize),
    Ecdsa(Hash),
    Ed25519,
}

impl Scheme {
    pub(crate) fn name(self) -> String {
        match self {
            Self::RsaPkcs1(hash) => format!("RSA with {}", hash.name()),
            Self::RsaPss(hash, _) => format!("RSA-PSS with {}", hash.name()),
            Self::Ecdsa(hash) => format!("ECDSA with {}", hash.name()),
            Self::Ed25519 => "Ed25519".to_owned(),
        }
    }

    const fn is_weak(self) -> bool {
        matches!(self, Self::RsaPkcs1(Hash::Sha1) | Self::RsaPss(Hash::Sha1, _) | Self::Ecdsa(Hash::Sha1))
    }

    /// What a signature's algorithm says; `digest` is what the signer says that it digested with.
    fn of(algorithm: &Algorithm<'_>, digest: Hash) -> Option<Self> {
        let scheme = match algorithm.oid.as_str() {
            "1.2.840.113549.1.1.1" => Self::RsaPkcs1(digest),
            "1.2.840.113549.1.1.5" => Self::RsaPkcs1(Hash::Sha1),
            "1.2.840.113549.1.1.14" => Self::RsaPkcs1(Hash::Sha224),
            "1.2.840.113549.1.1.11" => Self::RsaPkcs1(Hash::Sha256),
            "1.2.840.113549.1.1.12" => Self::RsaPkcs1(Hash::Sha384),
            "1.2.840.113549.1.1.13" => Self::RsaPkcs1(Hash::Sha512),
            "1.2.840.113549.1.1.10" => pss(algorithm.parameters?)?,
            "1.2.840.10045.2.1" => Self::Ecdsa(digest),
            "1.2.840.10045.4.1" => Self::Ecdsa(Hash::Sha1),
            "1.2.840.10045.4.3.1" => Self::Ecdsa(Hash::Sha224),
            "1.2.840.10045.4.3.2" => Self::Ecdsa(Hash::Sha256),
            "1.2.840.10045.4.3.3" => Self::Ecdsa(Hash::Sha384),
            "1.2.840.10045.4.3.4" => Self::Ecdsa(Hash::Sha512),
            "1.3.101.112" => Self::Ed25519,
            _ => return None,
        };
        Some(scheme)
    }

    /// The digest that is part of the scheme. Ed25519 has its own.
    pub(crate) const fn hash(self) -> Option<Hash> {
        match self {
            Self::RsaPkcs1(hash) | Self::RsaPss(hash, _) | Self::Ecdsa(hash) => Some(hash),
            Self::Ed25519 => None,
        }
    }
}

/// RSA-PSS with these parameters. Its mask must use the same digest: everybody's does.
fn pss(parameters: Value<'_>) -> Option<Scheme> {
    let mut hash = Hash::Sha1;
    let mut mask = Hash::Sha1;
    let mut salt = 20;
    for part in parameters.with(SEQUENCE)?.values() {
        match part.tag {
            0xa0 => hash = Hash::of(&Algorithm::read(Value::only(part.body)?)?.oid)?,
            0xa1 => mask = Hash::of(&Algorithm::read(Algorithm::read(Value::only(part.body)?)?.parameters?)?.oid)?,
            0xa2 => {
                let number = Value::only(part.body)?.with(INTEGER)?.body;
                let digits = number.get(..).filter(|digits| digits.len() <= 3)?;
                salt = digits.iter().fold(0, |value, byte| value << 8 | usize::from(*byte));
            }
            _ => {}
        }
    }
    (hash == mask).then_some(Scheme::RsaPss(hash, salt))
}

/// What a check of a signature says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    Valid(Scheme),
    Invalid(Scheme),
    /// This algorithm or key is not supported.
    Unsupported,
}

impl<'d> PublicKey<'d> {
    /// Reads a `SubjectPublicKeyInfo`.
    pub(crate) fn read(der: &'d [u8]) -> Option<Self> {
        let mut parts = Value::only(der)?.with(SEQUENCE)?.values();
        let algorithm = Algorithm::read(parts.next()?)?;
        let bits = parts.typed(0x03)?.body.split_first().filter(|(unused, _)| **unused == 0)?.1;
        Some(Self { algorithm, bits })
    }

    /// The key without its algorithm.
    pub(crate) const fn bits(&self) -> &'d [u8] {
        self.bits
    }

    /// The identifier of an elliptic curve.
    pub(crate) fn curve(&self) -> Option<String> {
        (self.algorithm.oid == "1.2.840.10045.2.1").then(|| self.algorithm.parameters?.oid()).flatten()
    }

    /// The length of an RSA key in bits.
    pub(crate) fn rsa_bits(&self) -> Option<usize> {
        let modulus = Value::only(self.bits)?.with(SEQUENCE)?.values().next()?.body;
        Some(modulus.iter().skip_while(|byte| **byte == 0).count() * 8)
    }

    /// Whether signatures of this key by this scheme no longer prove anything.
    pub(crate) fn is_weak(&self, scheme: Scheme) -> bool {
        let is_rsa = matches!(scheme, Scheme::RsaPkcs1(_) | Scheme::RsaPss(_, _));
        scheme.is_weak() || (is_rsa && self.rsa_bits().is_none_or(|bits| bits < 2048))
    }

    /// Checks a signature over a message.
    pub(crate) fn verify(&self, algorithm: &Algorithm<'_>, digest: Hash, message: &[u8], signature: &[u8]) -> Checked {
        let Some(scheme) = Scheme::of(algorithm, digest) else { return Checked::Unsupported };
        let Some(verification) = self.verification(scheme) else { return Checked::Unsupported };
        match UnparsedPublicKey::new(verification, self.bits).verify(message, signature) {
            Ok(()) => Checked::Valid(scheme),
            Err(_) => Checked::Invalid(scheme),
        }
    }

    fn verification(&self, scheme: Scheme) -> Option<&'static dyn VerificationAlgorithm> {
        let curve = self.algorithm.parameters.and_then(Value::oid).unwrap_or_default();
        match (self.algorithm.oid.as_str(), scheme) {
            ("1.2.840.113549.1.1.1", Scheme::RsaPkcs1(hash)) => pkcs1(hash, self.rsa_bits()?),
            ("1.2.840.113549.1.1.1" | "1.2.840.113549.1.1.10", Scheme::RsaPss(hash, salt)) => {
                pss_verification(hash, salt, self.rsa_bits()?)
            }
            ("1.2.840.10045.2.1", Scheme::Ecdsa(hash)) => ecdsa(&curve, hash),
            ("1.3.101.112", Scheme::Ed25519) => Some(&algorithms::ED25519),
            _ => None,
        }
    }
}

fn pkcs1(hash: Hash, bits: usize) -> Option<&'static dyn VerificationAlgorithm> {
    match (hash, bits >= 2048) {
        (Hash::Sha1, _) => Some(&algorithms::RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY),
        (Hash::Sha256, true) => Some(&algorithms::RSA_PKCS1_2048_8192_SHA256),
        (Hash::Sha384, true) => Some(&algorithms::RSA_PKCS1_2048_8192_SHA384),
        (Hash::Sha512, true) => Some(&algorithms::RSA_PKCS1_2048_8192_SHA512),
        (Hash::Sha256, false) => Some(&algorithms::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY),
        (Hash::Sha512, false) => Some(&algorithms::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY),
        (Hash::Sha224, _) | (Hash::Sha384, false) => None,
    }
}

/// With a salt as long as the digest, or as long as it can be.
fn pss_verification(hash: Hash, salt: usize, bits: usize) -> Option<&'static dyn VerificationAlgorithm> {
    const LONGEST: RsaPssSaltLength = RsaPssSaltLength::Max;
    let digest = hash.digest(&[]).len();
    let is_longest = bits.div_ceil(8).checked_sub(digest + 2) == Some(salt);
    match (hash, salt == digest, is_longest) {
        (Hash::Sha256, true, _) => Some(&algorithms::RSA_PSS_2048_8192_SHA256),
        (Hash::Sha384, true, _) => Some(&algorithms::RSA_PSS_2048_8192_SHA384),
        (Hash::Sha512, true, _) => Some(&algorithms::RSA_PSS_2048_8192_SHA512),
        (Hash::Sha256, false, true) => {
            Some(&const { algorithms::RSA_PSS_2048_8192_SHA256.with_pss_salt_length(LONGEST) })
        }
        (Hash::Sha384, false, true) => {
            Some(&const { algorithms::RSA_PSS_2048_8192_SHA384.with_pss_salt_length(LONGEST) })
        }
        (Hash::Sha512, false, true) => {
            Some(&const { algorithms::RSA_PSS_2048_8192_SHA512.with_pss_salt_length(LONGEST) })
        }
        (Hash::Sha1 | Hash::Sha224, _, _) | (_, false, false) => None,
    }
}

fn ecdsa(curve: &str, hash: Hash) -> Option<&'static dyn VerificationAlgorithm> {
    const P256: &str = "1.2.840.10045.3.1.7";
    const P384: &str = "1.3.132.0.34";
    const P521: &str = "1.3.132.0.35";
    match (curve, hash) {
        (P256, Hash::Sha1) => Some(&algorithms::ECDSA_P256_SHA1_ASN1),
        (P256, Hash::Sha256) => Some(&algorithms::ECDSA_P256_SHA256_ASN1),
        (P256, Hash::Sha384) => Some(&algorithms::ECDSA_P256_SHA384_ASN1),
        (P256, Hash::Sha512) => Some(&algorithms::ECDSA_P256_SHA512_ASN1),
        (P384, Hash::Sha256) => Some(&algorithms::ECDSA_P384_SHA256_ASN1),
        (P384, Hash::Sha384) => Some(&algorithms::ECDSA_P384_SHA384_ASN1),
        (P384, Hash::Sha512) => Some(&algorithms::ECDSA_P384_SHA512_ASN1),
        (P521, Hash::Sha1) => Some(&algorithms::ECDSA_P521_SHA1_ASN1),
        (P521, Hash::Sha224) => Some(&algorithms::ECDSA_P521_SHA224_ASN1),
        (P521, Hash::Sha256) => Some(&algorithms::ECDSA_P521_SHA256_ASN1),
        (P521, Hash::Sha384) => Some(&algorithms::ECDSA_P521_SHA384_ASN1),
        (P521, Hash::Sha512) => Some(&algorithms::ECDSA_P521_SHA512_ASN1),
        _ => None,
    }
}
