//! Whether certificates were revoked, by the lists and answers that came with a signature.

use docmill_domain::time::Timestamp;

use super::asn1::{INTEGER, OCTETS, SEQUENCE, Value, Values};
use super::certificate::Certificate;
use super::keys::{Algorithm, Checked, Hash, PublicKey};
use super::time;

const REVOKED_FOR_ISSUER: &str = "2.5.29.28";
const BASIC_RESPONSE: &str = "1.3.6.1.5.5.7.48.1.1";

/// CRLs and OCSP responses as DER.
#[derive(Debug, Default)]
pub(crate) struct Evidence<'d> {
    pub(crate) lists: Vec<&'d [u8]>,
    pub(crate) responses: Vec<&'d [u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Good,
    Revoked(Timestamp),
    /// Nothing that counts says anything.
    Unknown,
}

/// The state of a certificate at a time, by its issuer.
///
/// What was issued before that time counts as long as it says; what was issued later counts in any case.
pub(crate) fn status(
    certificate: &Certificate<'_>,
    issuer: &Certificate<'_>,
    evidence: &Evidence<'_>,
    time: Timestamp,
) -> Status {
    let answers = evidence.responses.iter().filter_map(|der| answer(der, certificate, issuer, time));
    let lists = evidence.lists.iter().filter_map(|der| listed(der, certificate, issuer, time));
    let mut status = Status::Unknown;
    for found in answers.chain(lists) {
        match found {
            // A revocation after the time does not count; one before it wins.
            Status::Revoked(when) if when <= time => return found,
            Status::Good | Status::Revoked(_) => status = Status::Good,
            Status::Unknown => {}
        }
    }
    status
}

/// Signed content with its signature: the form of lists, answers and certificates.
struct SignedParts<'d> {
    content: Value<'d>,
    algorithm: Algorithm<'d>,
    signature: &'d [u8],
    rest: Values<'d>,
}

impl<'d> SignedParts<'d> {
    fn read(der: &'d [u8]) -> Option<Self> {
        let mut parts = Value::only(der)?.with(SEQUENCE)?.values();
        let content = parts.typed(SEQUENCE)?;
        let algorithm = Algorithm::read(parts.next()?)?;
        let (_, signature) = parts.typed(0x03)?.body.split_first()?;
        Some(Self { content, algorithm, signature, rest: parts })
    }

    fn is_by(&self, key: &[u8]) -> bool {
        let checked = || {
            let key = PublicKey::read(key)?;
            let checked = key.verify(&self.algorithm, Hash::Sha256, self.content.whole, self.signature);
            Some(matches!(checked, Checked::Valid(scheme) if !key.is_weak(scheme)))
        };
        checked() == Some(true)
    }
}

/// Whether a certificate, a list or an answer was signed with this key.
pub(crate) fn is_signed_by(der: &[u8], key: &[u8]) -> bool {
    SignedParts::read(der).is_some_and(|signed| signed.is_by(key))
}

/// The certificate of who answered instead of the issuer. `None` if the issuer did.
pub(crate) fn delegate(der: &[u8], issuer: &Certificate<'_>) -> Option<Vec<u8>> {
    let response = SignedParts::read(basic(der)?)?;
    if response.is_by(issuer.key) {
        return None;
    }
    let mut rest = response.rest;
    let list = Value::only(rest.optional(0xa0)?.body)?;
    list.values()
        .map(|der| der.whole)
        .find(|der| Certificate::read(der).is_some_and(|other| response.is_by(other.key)))
        .map(<[u8]>::to_vec)
}

/// Whether something of this date counts at a time.
fn counts(this: Timestamp, next: Option<Timestamp>, time: Timestamp) -> bool {
    this >= time || next.is_some_and(|next| next >= time)
}

/// What a CRL says.
fn listed(der: &[u8], certificate: &Certificate<'_>, issuer: &Certificate<'_>, time: Timestamp) -> Option<Status> {
    let list = SignedParts::read(der)?;
    let mut parts = list.content.values();
    parts.optional(INTEGER);
    parts.typed(SEQUENCE)?;
    let named = parts.typed(SEQUENCE)?;
    if named.whole != certificate.issuer_der || !list.is_by(issuer.key) {
        return None;
    }
    let this = time::read(parts.next()?)?;
    let mut rest = parts;
    let next = rest.next().and_then(time::read);
    if next.is_some() {
        parts = rest;
    }
    let revoked = parts.optional(SEQUENCE);
    let extensions = parts.optional(0xa0);
    if !counts(this, next, time) || !is_for(extensions, certificate) {
        return None;
    }
    for entry in revoked.into_iter().flat_map(Value::values) {
        let mut entry = entry.values();
        if entry.typed(INTEGER)?.body == certificate.serial {
            return Some(Status::Revoked(time::read(entry.next()?)?));
        }
    }
    Some(Status::Good)
}

/// Whether a CRL is complete for certificates of this kind. One with unknown critical extensions counts for none.
fn is_for(extensions: Option<Value<'_>>, certificate: &Certificate<'_>) -> bool {
    let Some(extensions) = extensions else { return true };
    let Some(list) = Value::only(extensions.body) else { return false };
    list.values().all(|extension| {
        let mut parts = extension.values();
        let Some(oid) = parts.next().and_then(Value::oid) else { return false };
        let is_critical = parts.optional(0x01).is_some_and(|flag| flag.body != [0]);
        if oid != REVOKED_FOR_ISSUER {
            return !is_critical;
        }
        let point = parts.next().and_then(|value| Value::only(value.body));
        point.is_some_and(|point| {
            point.values().all(|part| match part.tag {
                0xa0 => true,
                0x81 => !certificate.is_authority,
                0x82 => certificate.is_authority,
                _ => false,
            })
        })
    })
}

/// What an OCSP response says.
fn answer(der: &[u8], certificate: &Certificate<'_>, issuer: &Certificate<'_>, time: Timestamp) -> Option<Status> {
    let response = SignedParts::read(basic(der)?)?;
    let mut parts = response.content.values();
    parts.optional(0xa0);
    parts.next()?;
    let produced = time::read(parts.next()?)?;
    let answers = parts.typed(SEQUENCE)?;
    if !is_authorized(&response, issuer, produced) {
        return None;
    }
    answers.values().find_map(|single| about(single, certificate, issuer, time))
}

/// The `BasicOCSPResponse` in a response, or the bytes themselves.
fn basic(der: &[u8]) -> Option<&[u8]> {
    let mut parts = Value::only(der)?.with(SEQUENCE)?.values();
    if parts.optional(0x0a).is_none_or(|status| status.body != [0]) {
        return Some(der);
    }
    let mut bytes = Value::only(parts.typed(0xa0)?.body)?.with(SEQUENCE)?.values();
    if bytes.next()?.oid()? != BASIC_RESPONSE {
        return None;
    }
    Some(bytes.typed(OCTETS)?.body)
}

/// Whether the issuer signed the answer, or somebody to whom it gave a certificate for that.
fn is_authorized(response: &SignedParts<'_>, issuer: &Certificate<'_>, time: Timestamp) -> bool {
    if response.is_by(issuer.key) {
        return true;
    }
    let mut rest = response.rest;
    let list = rest.optional(0xa0).and_then(|list| Value::only(list.body));
    list.into_iter().flat_map(Value::values).any(|der| {
        Certificate::read(der.whole).is_some_and(|responder| {
            responder.may_answer_ocsp()
                && responder.is_valid_at(time)
                && responder.issuer_der == issuer.subject_der
                && SignedParts::read(responder.der).is_some_and(|signed| signed.is_by(issuer.key))
                && response.is_by(responder.key)
        })
    })
}

/// What a single answer says, if it is about this certificate.
fn about(
    single: Value<'_>,
    certificate: &Certificate<'_>,
    issuer: &Certificate<'_>,
    time: Timestamp,
) -> Option<Status> {
    let mut parts = single.with(SEQUENCE)?.values();
    let mut id = parts.typed(SEQUENCE)?.values();
    let hash = Hash::of(&Algorithm::read(id.next()?)?.oid)?;
    let (name, key, serial) = (id.typed(OCTETS)?.body, id.typed(OCTETS)?.body, id.typed(INTEGER)?.body);
    let own = hash.digest(&[certificate.issuer_der]) == name
        && hash.digest(&[PublicKey::read(issuer.key)?.bits()]) == key
        && serial == certificate.serial;
    if !own {
        return None;
    }
    let state = parts.next()?;
    let this = time::read(parts.next()?)?;
    let next = parts.optional(0xa0).and_then(|next| Value::only(next.body)).and_then(time::read);
    match state.tag {
        0xa1 => Some(Status::Revoked(time::read(state.values().next()?)?)),
        0x80 if counts(this, next, time) => Some(Status::Good),
        _ => None,
    }
}
