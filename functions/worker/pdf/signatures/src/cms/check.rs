//! Whether a CMS signature is intact: what was signed is what is there, and the certificate's key signed it.

use super::certificate::Certificate;
use super::keys::{Checked, Hash, PublicKey, Scheme};
use super::signed::Signed;

/// What was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integrity {
    pub(crate) digest: Option<Hash>,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) outcome: Outcome,
    /// A digest or a key that can be forged today.
    pub(crate) is_weak: bool,
    /// Whether what is signed is written as the standard asks for.
    pub(crate) is_in_order: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Intact,
    /// The content is another one than was signed.
    OtherContent,
    /// The signature was not made by this key, or over something else.
    BadSignature,
    /// What the signature says about itself is contradictory or missing.
    Malformed,
    Unsupported,
}

/// Checks the signature over a content, in parts, of this type.
pub(crate) fn check(signed: &Signed<'_>, certificate: &Certificate<'_>, content: &[&[u8]]) -> Integrity {
    let signer = &signed.signer;
    let is_in_order = signer.is_in_order();
    let found = |outcome, scheme| Integrity { digest: signer.digest, scheme, outcome, is_weak: false, is_in_order };
    let (Some(digest), Some(key)) = (signer.digest, PublicKey::read(certificate.key)) else {
        return found(Outcome::Unsupported, None);
    };
    let message = if let Some(attributes) = &signer.signed_attributes {
        if signer.content_type().as_ref() != Some(&signed.content_type) || !signer.algorithms_match() {
            return found(Outcome::Malformed, None);
        }
        let Some(expected) = signer.message_digest() else { return found(Outcome::Malformed, None) };
        if expected != digest.digest(content) {
            return found(Outcome::OtherContent, None);
        }
        attributes.clone()
    } else {
        content.concat()
    };
    let (outcome, scheme) = match key.verify(&signer.algorithm, digest, &message, signer.signature) {
        Checked::Valid(scheme) if scheme.hash().is_some_and(|hash| hash != digest) => (Outcome::Malformed, scheme),
        Checked::Valid(scheme) => (Outcome::Intact, scheme),
        Checked::Invalid(scheme) => (Outcome::BadSignature, scheme),
        Checked::Unsupported => return found(Outcome::Unsupported, None),
    };
    Integrity { is_weak: digest == Hash::Sha1 || key.is_weak(scheme), ..found(outcome, Some(scheme)) }
}
