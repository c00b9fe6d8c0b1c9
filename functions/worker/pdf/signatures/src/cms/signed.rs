//! CMS `SignedData` (RFC 5652) with one signer.

use super::asn1::{INTEGER, OCTETS, SEQUENCE, SET, Value, Values, put};
use super::keys::{Algorithm, Hash};

pub(crate) const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
pub(crate) const DATA: &str = "1.2.840.113549.1.7.1";
pub(crate) const TST_INFO: &str = "1.2.840.113549.1.9.16.1.4";

pub(crate) const CONTENT_TYPE: &str = "1.2.840.113549.1.9.3";
pub(crate) const MESSAGE_DIGEST: &str = "1.2.840.113549.1.9.4";
const SIGNING_TIME: &str = "1.2.840.113549.1.9.5";
const SIGNING_CERTIFICATE: &str = "1.2.840.113549.1.9.16.2.12";
pub(crate) const SIGNING_CERTIFICATE_V2: &str = "1.2.840.113549.1.9.16.2.47";
pub(crate) const ALGORITHM_PROTECTION: &str = "1.2.840.113549.1.9.52";
pub(crate) const TIME_STAMP_TOKEN: &str = "1.2.840.113549.1.9.16.2.14";
const ADOBE_REVOCATION: &str = "1.2.840.113583.1.1.8";
const REVOCATION_VALUES: &str = "1.2.840.113549.1.9.16.2.24";

/// What was signed, by whom, and what came with it.
#[derive(Debug)]
pub(crate) struct Signed<'d> {
    pub(crate) content_type: String,
    pub(crate) content: Option<&'d [u8]>,
    pub(crate) certificates: Vec<&'d [u8]>,
    pub(crate) revocation_lists: Vec<&'d [u8]>,
    pub(crate) signer: Signer<'d>,
}

#[derive(Debug)]
pub(crate) struct Signer<'d> {
    identifier: Value<'d>,
    pub(crate) digest: Option<Hash>,
    digest_algorithm: Algorithm<'d>,
    pub(crate) algorithm: Algorithm<'d>,
    algorithm_der: &'d [u8],
    pub(crate) signature: &'d [u8],
    /// As they are signed: as a set.
    pub(crate) signed_attributes: Option<Vec<u8>>,
    attributes: Vec<Attribute<'d>>,
    unsigned: Vec<Attribute<'d>>,
}

#[derive(Debug)]
struct Attribute<'d> {
    oid: String,
    values: Values<'d>,
}

/// What the reference to the signer's certificate says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    Missing,
    Matches,
    NamesAnother,
}

impl<'d> Signed<'d> {
    /// Reads a `ContentInfo`. `None` if it is anything but data with one signer.
    pub(crate) fn read(der: &'d [u8]) -> Option<Self> {
        let mut info = Value::only(der)?.with(SEQUENCE)?.values();
        if info.next()?.oid()? != SIGNED_DATA {
            return None;
        }
        let mut parts = Value::only(info.typed(0xa0)?.body)?.with(SEQUENCE)?.values();
        parts.typed(INTEGER)?;
        parts.typed(SET)?;
        let mut encapsulated = parts.typed(SEQUENCE)?.values();
        let content_type = encapsulated.next()?.oid()?;
        let content = match encapsulated.optional(0xa0) {
            Some(content) => Some(Value::only(content.body)?.with(OCTETS)?.body),
            None => None,
        };
        let certificates = parts.optional(0xa0).map(Value::values);
        let certificates = certificates.into_iter().flatten().filter(|each| each.tag == SEQUENCE);
        let certificates = certificates.map(|each| each.whole).collect();
        let lists = parts.optional(0xa1).map(Value::values);
        let lists = lists.into_iter().flatten().filter(|each| each.tag == SEQUENCE).map(|each| each.whole).collect();
        let signer = Signer::read(Value::only(parts.typed(SET)?.body)?)?;
        Some(Self { content_type, content, certificates, revocation_lists: lists, signer })
    }

    /// CRLs and OCSP responses that came with the signature.
    pub(crate) fn revocation(&self) -> (Vec<&'d [u8]>, Vec<&'d [u8]>) {
        let (mut lists, mut responses) = (self.revocation_lists.clone(), Vec::new());
        let archived = self.signer.attribute(ADOBE_REVOCATION).into_iter();
        let values = archived.chain(self.signer.unsigned.iter().filter(|each| each.oid == REVOCATION_VALUES));
        for part in values.flat_map(|each| each.values).filter_map(|each| each.with(SEQUENCE)).flat_map(Value::values) {
            let found = Value::only(part.body).into_iter().flat_map(Value::values).map(|each| each.whole);
            match part.tag {
                0xa0 => lists.extend(found),
                0xa1 => responses.extend(found),
                _ => {}
            }
        }
        (lists, responses)
    }
}

impl<'d> Signer<'d> {
    fn read(value: Value<'d>) -> Option<Self> {
        let mut parts = value.with(SEQUENCE)?.values();
        parts.typed(INTEGER)?;
        let identifier = parts.next()?;
        let digest_algorithm = Algorithm::read(parts.next()?)?;
        let signed = parts.optional(0xa0);
        let algorithm_value = parts.next()?;
        let signature = parts.typed(OCTETS)?.body;
        let unsigned = parts.optional(0xa1);
        let signed_attributes = signed.map(|attributes| {
            let mut set = Vec::with_capacity(attributes.whole.len());
            put(&mut set, SET, attributes.body);
            set
        });
        Some(Self {
            identifier,
            digest: Hash::of(&digest_algorithm.oid),
            digest_algorithm,
            algorithm: Algorithm::read(algorithm_value)?,
            algorithm_der: algorithm_value.whole,
            signature,
            signed_attributes,
            attributes: attributes(signed)?,
            unsigned: attributes(unsigned)?,
        })
    }

    /// Whether the signer is the certificate with this issuer and serial number (both as DER) and this key identifier.
    pub(crate) fn is(&self, issuer: &[u8], serial: &[u8], key: Option<&[u8]>) -> bool {
        match self.identifier.tag {
            SEQUENCE => {
                let mut parts = self.identifier.values();
                parts.next().is_some_and(|name| name.whole == issuer)
                    && parts.next().is_some_and(|number| number.body == serial)
            }
            0x80 => key == Some(self.identifier.body),
            _ => false,
        }
    }

    /// The signed attribute of this kind. `None` if it is missing or occurs twice.
    fn attribute(&self, oid: &str) -> Option<&Attribute<'d>> {
        let mut found = self.attributes.iter().filter(|each| each.oid == oid);
        found.next().filter(|_| found.next().is_none())
    }

    fn signed_value(&self, oid: &str) -> Option<Value<'d>> {
        let mut values = self.attribute(oid)?.values;
        let value = values.next()?;
        values.next().is_none().then_some(value)
    }

    /// The digest of the content, as the signer wrote it.
    pub(crate) fn message_digest(&self) -> Option<&'d [u8]> {
        Some(self.signed_value(MESSAGE_DIGEST)?.with(OCTETS)?.body)
    }

    /// The kind of the content, as the signer wrote it.
    pub(crate) fn content_type(&self) -> Option<String> {
        self.signed_value(CONTENT_TYPE)?.oid()
    }

    /// The time that the signer claims: `UTCTime` or `GeneralizedTime`.
    pub(crate) fn claimed_time(&self) -> Option<Value<'d>> {
        self.signed_value(SIGNING_TIME)
    }

    /// Whether the signed attributes are in the order of DER, as RFC 5652 has it. Readers that sort them find another signature otherwise.
    pub(crate) fn is_in_order(&self) -> bool {
        let Some(set) = self.signed_attributes.as_deref().and_then(Value::only) else { return true };
        set.values().map(|each| each.whole).is_sorted()
    }

    /// Whether the signed algorithms, if there are any, are those that are used (RFC 6211).
    pub(crate) fn algorithms_match(&self) -> bool {
        let named = self.attributes.iter().any(|each| each.oid == ALGORITHM_PROTECTION);
        let matches = || {
            let mut parts = self.signed_value(ALGORITHM_PROTECTION)?.with(SEQUENCE)?.values();
            let digest = Algorithm::read(parts.next()?)?.oid == self.digest_algorithm.oid;
            let signature = parts.typed(0xa1)?.body;
            let used = Value::only(self.algorithm_der)?.body;
            Some(digest && signature == used)
        };
        !named || matches() == Some(true)
    }

    /// Whether the certificate (as DER) is the one that the signer signed a reference to.
    pub(crate) fn refers_to(&self, certificate: &[u8]) -> Reference {
        let named = |oid| self.attributes.iter().any(|each| each.oid == oid);
        let (oid, default) = match (named(SIGNING_CERTIFICATE_V2), named(SIGNING_CERTIFICATE)) {
            (true, _) => (SIGNING_CERTIFICATE_V2, Hash::Sha256),
            (false, true) => (SIGNING_CERTIFICATE, Hash::Sha1),
            (false, false) => return Reference::Missing,
        };
        // A list of lists of identifiers, of which the first is the signer's.
        let matches = || {
            let mut lists = self.signed_value(oid)?.with(SEQUENCE)?.values();
            let mut parts = lists.typed(SEQUENCE)?.values().typed(SEQUENCE)?.values();
            let hash = match parts.optional(SEQUENCE) {
                None => default,
                Some(algorithm) => Hash::of(&Algorithm::read(algorithm)?.oid)?,
            };
            Some(parts.typed(OCTETS)?.body == hash.digest(&[certificate]))
        };
        if matches() == Some(true) { Reference::Matches } else { Reference::NamesAnother }
    }

    /// Time stamps of the signature.
    pub(crate) fn time_stamps(&self) -> impl Iterator<Item = &'d [u8]> + '_ {
        let tokens = self.unsigned.iter().filter(|each| each.oid == TIME_STAMP_TOKEN);
        tokens.flat_map(|each| each.values).map(|each| each.whole)
    }
}

fn attributes(list: Option<Value<'_>>) -> Option<Vec<Attribute<'_>>> {
    let Some(list) = list else { return Some(Vec::new()) };
    let mut found = Vec::new();
    let mut rest = list.values();
    while !rest.0.is_empty() {
        let mut parts = rest.typed(SEQUENCE)?.values();
        found.push(Attribute { oid: parts.next()?.oid()?, values: parts.typed(SET)?.values() });
    }
    Some(found)
}
