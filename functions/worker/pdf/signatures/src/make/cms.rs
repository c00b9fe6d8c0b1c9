//! CMS signatures as PAdES wants them (ETSI EN 319 142-1): a reference to the certificate is signed, and no time.

use super::der::{oid, sequence, set, set_of, tagged, value};
use super::key::Algorithm;
use crate::cms::asn1::OCTETS;
use crate::cms::certificate::Certificate;
use crate::cms::keys::Hash;
use crate::cms::signed::{
    ALGORITHM_PROTECTION, CONTENT_TYPE, DATA, MESSAGE_DIGEST, SIGNED_DATA, SIGNING_CERTIFICATE_V2, TIME_STAMP_TOKEN,
};

/// Version 1.
const VERSION: [u8; 3] = [2, 1, 1];

/// Bytes of salt, as many as SHA-256 has.
const PSS_SALT: u8 = 32;

/// What is signed: the attributes of a signature.
#[derive(Clone, Debug)]
pub struct Attributes {
    /// As a set, in DER. The key signs these bytes.
    pub signed: Vec<u8>,
    algorithm: Algorithm,
}

impl Attributes {
    /// The attributes for a document with this digest, by the algorithm's hash.
    pub fn new(algorithm: Algorithm, digest: &[u8], certificate: &[u8]) -> Self {
        let hash = algorithm.hash();
        let attribute = |kind: &str, body: &[u8]| sequence(&[&oid(kind), &set(body)]);
        let digest = value(OCTETS, &[digest]);
        let of_certificate = value(OCTETS, &[&Hash::Sha256.digest(&[certificate])]);
        // A list of lists of identifiers. SHA-256 is the default, which DER leaves out.
        let reference = sequence(&[&sequence(&[&sequence(&[&of_certificate])])]);
        let protected = sequence(&[&digest_algorithm(hash), &tagged(0xa1, signature_algorithm(algorithm))]);
        let signed = set_of(vec![
            attribute(CONTENT_TYPE, &oid(DATA)),
            attribute(MESSAGE_DIGEST, &digest),
            attribute(SIGNING_CERTIFICATE_V2, &reference),
            attribute(ALGORITHM_PROTECTION, &protected),
        ]);
        Self { signed, algorithm }
    }
}

/// The whole signature. `certificates`: the signer's, then those of its authorities. `token`: a time stamp of the signature.
/// `None` if the signer's certificate can't be read.
pub fn signature(
    attributes: &Attributes,
    signature: &[u8],
    certificates: &[Vec<u8>],
    token: Option<&[u8]>,
) -> Option<Vec<u8>> {
    let signer = Certificate::read(certificates.first()?)?;
    let hash = digest_algorithm(attributes.algorithm.hash());
    let serial = value(crate::cms::asn1::INTEGER, &[signer.serial]);
    let identifier = sequence(&[signer.issuer_der, &serial]);
    // In the message, the set has another tag than where it is signed.
    let signed = tagged(0xa0, attributes.signed.clone());
    let unsigned = token.map(|token| value(0xa1, &[&sequence(&[&oid(TIME_STAMP_TOKEN), &set(token)])]));
    let info = sequence(&[
        &VERSION,
        &identifier,
        &hash,
        &signed,
        &signature_algorithm(attributes.algorithm),
        &value(OCTETS, &[signature]),
        &unsigned.unwrap_or_default(),
    ]);
    let content = sequence(&[
        &VERSION,
        &set(&hash),
        &sequence(&[&oid(DATA)]),
        &tagged(0xa0, set_of(certificates.to_vec())),
        &set(&info),
    ]);
    Some(sequence(&[&oid(SIGNED_DATA), &value(0xa0, &[&content])]))
}

/// A signature as it is written into a gap of so many bytes, brackets included. `None` if it is larger.
pub fn fill(signature: &[u8], gap: usize) -> Option<Vec<u8>> {
    let digits: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
    let empty = gap.checked_sub(2)?.checked_sub(digits.len())?;
    Some(format!("<{digits}{}>", "0".repeat(empty)).into_bytes())
}

pub(super) fn digest_algorithm(hash: Hash) -> Vec<u8> {
    sequence(&[&oid(hash.oid())])
}

pub(super) fn signature_algorithm(algorithm: Algorithm) -> Vec<u8> {
    match algorithm {
        // RSA has parameters, which are empty; elliptic curves have none.
        Algorithm::RsaSha256 => sequence(&[&oid("1.2.840.113549.1.1.11"), &[5, 0]]),
        Algorithm::RsaPssSha256 => {
            let hash = digest_algorithm(Hash::Sha256);
            let mask = sequence(&[&oid("1.2.840.113549.1.1.8"), &hash]);
            let salt = value(crate::cms::asn1::INTEGER, &[&[PSS_SALT]]);
            let parameters = [value(0xa0, &[&hash]), value(0xa1, &[&mask]), value(0xa2, &[&salt])];
            sequence(&[&oid("1.2.840.113549.1.1.10"), &sequence(&parameters.each_ref().map(Vec::as_slice))])
        }
        Algorithm::EcdsaSha256 => sequence(&[&oid("1.2.840.10045.4.3.2")]),
        Algorithm::EcdsaSha384 => sequence(&[&oid("1.2.840.10045.4.3.3")]),
        Algorithm::EcdsaSha512 => sequence(&[&oid("1.2.840.10045.4.3.4")]),
    }
}
