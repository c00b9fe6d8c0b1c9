//! Certificates, and chains from a signer's to a root that is trusted.

#![allow(clippy::wildcard_enum_match_arm, reason = "an extension of any other kind is the same as none")]

use docmill_domain::time::Timestamp;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use webpki::{EndEntityCert, KeyPurposeIdIter, anchor_from_trusted_cert};
use x509_parser::prelude::{FromDer as _, ParsedExtension, X509Certificate};
use x509_parser::x509::X509Name;

use super::keys::Hash;

const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";
const OCSP_SIGNING: &str = "1.3.6.1.5.5.7.3.9";

/// What this crate needs of a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Certificate<'d> {
    pub(crate) der: &'d [u8],
    pub(crate) subject: String,
    pub(crate) issuer: String,
    pub(crate) common_name: Option<String>,
    /// As DER.
    pub(crate) subject_der: &'d [u8],
    pub(crate) issuer_der: &'d [u8],
    /// As DER, without tag and length.
    pub(crate) serial: &'d [u8],
    pub(crate) not_before: Timestamp,
    pub(crate) not_after: Timestamp,
    /// `SubjectPublicKeyInfo` as DER.
    pub(crate) key: &'d [u8],
    pub(crate) key_id: Option<Vec<u8>>,
    /// Whether it says what its key is for, and if so, whether for signatures that bind.
    pub(crate) binds: Option<bool>,
    /// Whether it does not say that its key is for other things than signatures.
    pub(crate) signs: bool,
    pub(crate) is_authority: bool,
    purposes: Vec<String>,
}

impl<'d> Certificate<'d> {
    /// `None` if the bytes are not one X.509 certificate.
    pub(crate) fn read(der: &'d [u8]) -> Option<Self> {
        let (rest, read) = X509Certificate::from_der(der).ok()?;
        if !rest.is_empty() {
            return None;
        }
        let mut purposes = Vec::new();
        let mut key_id = None;
        let (mut binds, mut signs) = (None, true);
        let mut is_authority = false;
        for extension in read.extensions() {
            match extension.parsed_extension() {
                ParsedExtension::SubjectKeyIdentifier(id) => key_id = Some(id.0.to_vec()),
                ParsedExtension::KeyUsage(usage) => {
                    binds = Some(usage.non_repudiation());
                    signs = usage.non_repudiation() || usage.digital_signature();
                }
                ParsedExtension::BasicConstraints(constraints) => is_authority = constraints.ca,
                ParsedExtension::ExtendedKeyUsage(usage) => {
                    let named = [(usage.time_stamping, TIME_STAMPING), (usage.ocsp_signing, OCSP_SIGNING)];
                    purposes.extend(named.into_iter().filter(|(is, _)| *is).map(|(_, purpose)| purpose.to_owned()));
                }
                _ => {}
            }
        }
        Some(Self {
            der,
            subject: text(read.subject()),
            issuer: text(read.issuer()),
            common_name: read
                .subject()
                .iter_common_name()
                .next()
                .and_then(|name| name.as_str().ok())
                .map(str::to_owned),
            subject_der: read.tbs_certificate.subject.as_raw(),
            issuer_der: read.tbs_certificate.issuer.as_raw(),
            serial: read.tbs_certificate.raw_serial(),
            not_before: seconds(read.validity().not_before.timestamp()),
            not_after: seconds(read.validity().not_after.timestamp()),
            key: read.tbs_certificate.subject_pki.raw,
            key_id,
            binds,
            signs,
            is_authority,
            purposes,
        })
    }

    /// The name to show to people.
    pub(crate) fn name(&self) -> &str {
        self.common_name.as_deref().unwrap_or(&self.subject)
    }

    pub(crate) fn serial_hex(&self) -> String {
        hex(self.serial)
    }

    pub(crate) fn fingerprint(&self) -> String {
        hex(&Hash::Sha256.digest(&[self.der]))
    }

    pub(crate) fn may_stamp(&self) -> bool {
        self.purposes.iter().any(|purpose| purpose == TIME_STAMPING)
    }

    pub(crate) fn may_answer_ocsp(&self) -> bool {
        self.purposes.iter().any(|purpose| purpose == OCSP_SIGNING)
    }

    pub(crate) fn is_valid_at(&self, time: Timestamp) -> bool {
        self.not_before <= time && time <= self.not_after
    }
}

fn text(name: &X509Name<'_>) -> String {
    name.to_string()
}

fn seconds(seconds: i64) -> Timestamp {
    Timestamp(seconds.saturating_mul(1000))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why there is no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoChain {
    /// None leads to a root that is trusted.
    NoRoot,
    /// A certificate was not valid at that time.
    OutOfBounds,
    /// A certificate says something that forbids this use, or can't be used.
    Unusable,
}

/// The certificates from this one to a trusted root, both included, all valid at that time.
///
/// `others`: certificates that came with it. webpki follows signatures, names, lengths and constraints.
pub(crate) fn chain<'d>(
    first: &Certificate<'d>,
    others: &[Certificate<'d>],
    roots: &[Certificate<'d>],
    time: Timestamp,
) -> Result<Vec<Certificate<'d>>, NoChain> {
    if roots.iter().any(|root| root.der == first.der) {
        let valid = first.is_valid_at(time);
        return if valid { Ok(vec![first.clone()]) } else { Err(NoChain::OutOfBounds) };
    }
    let der: Vec<_> = roots.iter().map(|root| CertificateDer::from(root.der)).collect();
    let anchors: Vec<TrustAnchor<'_>> = der.iter().filter_map(|der| anchor_from_trusted_cert(der).ok()).collect();
    let between: Vec<_> = others.iter().map(|other| CertificateDer::from(other.der)).collect();
    let leaf = CertificateDer::from(first.der);
    let leaf = EndEntityCert::try_from(&leaf).map_err(|_| NoChain::Unusable)?;
    let moment = u64::try_from(time.as_millis() / 1000).map_err(|_| NoChain::OutOfBounds)?;
    let moment = UnixTime::since_unix_epoch(std::time::Duration::from_secs(moment));
    let algorithms = webpki::ALL_VERIFICATION_ALGS;
    let path = leaf.verify_for_usage(algorithms, &anchors, &between, moment, AnyUse, None, None).map_err(why)?;
    let mut chain = vec![first.clone()];
    for link in path.intermediate_certificates() {
        let der = link.der();
        chain.extend(others.iter().find(|other| other.der == der.as_ref()).cloned());
    }
    let anchor = path.anchor();
    let root = roots.iter().find(|root| {
        let own = CertificateDer::from(root.der);
        anchor_from_trusted_cert(&own).is_ok_and(|own| own == *anchor)
    });
    let root = root.ok_or(NoChain::NoRoot)?;
    // webpki takes roots at their word.
    if !root.is_valid_at(time) {
        return Err(NoChain::OutOfBounds);
    }
    chain.push(root.clone());
    Ok(chain)
}

/// Accepts certificates for any use: the caller checks what it needs.
struct AnyUse;

impl webpki::ExtendedKeyUsageValidator for AnyUse {
    fn validate(&self, _: KeyPurposeIdIter<'_, '_>) -> Result<(), webpki::Error> {
        Ok(())
    }
}

fn why(error: webpki::Error) -> NoChain {
    match error {
        webpki::Error::UnknownIssuer | webpki::Error::InvalidSignatureForPublicKey => NoChain::NoRoot,
        webpki::Error::CertExpired { .. } | webpki::Error::CertNotValidYet { .. } => NoChain::OutOfBounds,
        _ => NoChain::Unusable,
    }
}
