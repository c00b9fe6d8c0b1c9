//! Time stamps (RFC 3161).

use docmill_domain::time::Timestamp;

use super::asn1::{BOOLEAN, GENERALIZED_TIME, INTEGER, OCTETS, SEQUENCE, Value};
use super::certificate::{Certificate, chain};
use super::check::{Outcome, check};
use super::keys::{Algorithm, Hash};
use super::signed::{Reference, Signed, TST_INFO};
use super::time;

/// A time stamp that was read.
#[derive(Debug)]
pub(crate) struct Stamp<'d> {
    pub(crate) signed: Signed<'d>,
    pub(crate) time: Timestamp,
    pub(crate) hash: Hash,
    /// Of the question that it answers, as DER without tag and length.
    pub(crate) nonce: Option<&'d [u8]>,
    imprint: &'d [u8],
    content: &'d [u8],
}

/// What a time stamp proves.
#[derive(Debug)]
pub(crate) struct Stamped<'d> {
    pub(crate) time: Timestamp,
    /// It is of these bytes, and its signature is right.
    pub(crate) is_intact: bool,
    /// Its chain, if that leads to a trusted root.
    pub(crate) chain: Option<Vec<Certificate<'d>>>,
    pub(crate) authority: Option<Certificate<'d>>,
}

impl Stamped<'_> {
    pub(crate) const fn is_trusted(&self) -> bool {
        self.is_intact && self.chain.is_some()
    }
}

impl<'d> Stamp<'d> {
    /// Reads a token, which is a `ContentInfo`.
    pub(crate) fn read(der: &'d [u8]) -> Option<Self> {
        let signed = Signed::read(der)?;
        if signed.content_type != TST_INFO {
            return None;
        }
        let content = signed.content?;
        let mut parts = Value::only(content)?.with(SEQUENCE)?.values();
        parts.typed(INTEGER)?;
        parts.next()?.oid()?;
        let mut imprint = parts.typed(SEQUENCE)?.values();
        let hash = Hash::of(&Algorithm::read(imprint.next()?)?.oid)?;
        let digest = imprint.typed(OCTETS)?.body;
        parts.typed(INTEGER)?;
        let time = time::read(parts.typed(GENERALIZED_TIME)?)?;
        // Accuracy and order are of no interest.
        parts.optional(SEQUENCE);
        parts.optional(BOOLEAN);
        let nonce = parts.optional(INTEGER).map(|nonce| nonce.body);
        Some(Self { signed, time, hash, nonce, imprint: digest, content })
    }

    /// Whether it is of these bytes.
    pub(crate) fn is_of(&self, parts: &[&[u8]]) -> bool {
        self.imprint == self.hash.digest(parts)
    }

    /// Checks it against what it should be of.
    pub(crate) fn check(&self, of: &[&[u8]], others: &[Certificate<'d>], roots: &[Certificate<'d>]) -> Stamped<'d> {
        let mut known: Vec<Certificate<'d>> =
            self.signed.certificates.iter().filter_map(|der| Certificate::read(der)).collect();
        known.extend(others.iter().cloned());
        let signer = &self.signed.signer;
        let authority =
            known.iter().find(|each| signer.is(each.issuer_der, each.serial, each.key_id.as_deref())).cloned();
        let mut stamped = Stamped { time: self.time, is_intact: false, chain: None, authority };
        let Some(authority) = &stamped.authority else { return stamped };
        let integrity = check(&self.signed, authority, &[self.content]);
        stamped.is_intact = integrity.outcome == Outcome::Intact
            && !integrity.is_weak
            && self.hash != Hash::Sha1
            && self.is_of(of)
            && signer.refers_to(authority.der) == Reference::Matches
            && authority.may_stamp();
        stamped.chain = chain(authority, &known, roots, self.time).ok();
        stamped
    }
}
