//! What proves for long that the certificates of a signature were good: who asks whom for it, without asking.

use docmill_domain::time::Timestamp;

use super::der::{oid, sequence, value};
use crate::cms::asn1::{INTEGER, OCTETS, to_der};
use crate::cms::certificate::Certificate;
use crate::cms::keys::{Hash, PublicKey};
use crate::cms::links::Links;
use crate::cms::revocation::{Evidence, Status, delegate, is_signed_by, status};
use crate::cms::stamp::Stamp;

/// The most certificates of a signature and its time stamp.
const MOST_CERTIFICATES: usize = 50;

/// Certificates, CRLs and OCSP responses as DER.
#[derive(Clone, Debug, Default)]
pub struct Dossier {
    /// All that are needed for the chains.
    pub certificates: Vec<Vec<u8>>,
    /// CRLs.
    pub lists: Vec<Vec<u8>>,
    /// OCSP responses.
    pub responses: Vec<Vec<u8>>,
}

/// What is missing, and where it can be had. The addresses are those of the certificate.
#[derive(Clone, Debug)]
pub enum Missing {
    /// The certificate of the issuer.
    Issuer {
        /// Where it is.
        addresses: Vec<String>,
    },
    /// Whether a certificate is revoked.
    State {
        /// A question for OCSP responders.
        question: Vec<u8>,
        /// Theirs.
        responders: Vec<String>,
        /// Of CRLs.
        lists: Vec<String>,
    },
}

/// Why the certificates can't be proven good.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoProof {
    /// The chain does not end in a root.
    #[error("the certificate of the issuer of {0} is missing; send the key with all certificates up to the root")]
    Issuer(String),
    /// Nobody says so.
    #[error("nothing that can be reached says whether the certificate of {0} is revoked")]
    Unknown(String),
    /// It is not.
    #[error("the certificate of {0} was revoked on {1}")]
    Revoked(String, String),
    /// A certificate or a time stamp can't be read.
    #[error("a certificate can't be read")]
    Unreadable,
}

/// The work of proving certificates good, one after the other.
#[derive(Debug)]
pub struct Inquiry {
    dossier: Dossier,
    /// Places of certificates that are to be proven.
    open: Vec<usize>,
    /// Places of those that are.
    proven: Vec<usize>,
    time: Timestamp,
}

impl Inquiry {
    /// About these certificates, the signer's first, and those of a time stamp, which proves the time.
    ///
    /// # Errors
    /// If the time stamp can't be read.
    pub fn new(certificates: &[Vec<u8>], token: &[u8]) -> Result<Self, NoProof> {
        let stamp = Stamp::read(token).ok_or(NoProof::Unreadable)?;
        let mut inquiry = Self { dossier: Dossier::default(), open: Vec::new(), proven: Vec::new(), time: stamp.time };
        for der in certificates {
            inquiry.know(der);
        }
        inquiry.open.extend((!certificates.is_empty()).then_some(0));
        let signer = &stamp.signed.signer;
        for der in &stamp.signed.certificates {
            let place = inquiry.know(der);
            let read = Certificate::read(der);
            if read.is_some_and(|read| signer.is(read.issuer_der, read.serial, read.key_id.as_deref())) {
                // The signer comes first, and may name issuers of both.
                inquiry.open.insert(0, place);
            }
        }
        Ok(inquiry)
    }

    /// The place of a certificate, which is known from now on.
    fn know(&mut self, der: &[u8]) -> usize {
        let known = &mut self.dossier.certificates;
        known.iter().position(|other| other == der).unwrap_or_else(|| {
            known.push(der.to_vec());
            known.len() - 1
        })
    }

    /// What is to be asked next. `None` if all certificates are proven good.
    ///
    /// # Errors
    /// If a certificate is revoked, or names nobody who could be asked.
    pub fn missing(&mut self) -> Result<Option<Missing>, NoProof> {
        while let Some(&place) = self.open.last() {
            let der = self.dossier.certificates.get(place).cloned().ok_or(NoProof::Unreadable)?;
            let certificate = Certificate::read(&der).ok_or(NoProof::Unreadable)?;
            let links = Links::of(&der);
            let needs_no_proof = certificate.subject_der == certificate.issuer_der
                || (links.is_never_revoked && certificate.may_answer_ocsp());
            if needs_no_proof || self.proven.contains(&place) {
                self.open.pop();
                continue;
            }
            let Some(issuer_place) = self.issuer_of(&certificate) else {
                let name = certificate.name().to_owned();
                let can_ask = !links.issuers.is_empty();
                return if can_ask {
                    Ok(Some(Missing::Issuer { addresses: links.issuers }))
                } else {
                    Err(NoProof::Issuer(name))
                };
            };
            let issuer_der = self.dossier.certificates.get(issuer_place).cloned().ok_or(NoProof::Unreadable)?;
            let issuer = Certificate::read(&issuer_der).ok_or(NoProof::Unreadable)?;
            match self.status(&certificate, &issuer) {
                Status::Good => {
                    // The issuer comes next.
                    self.proven.push(place);
                    self.open.pop();
                    self.open.push(issuer_place);
                }
                Status::Revoked(when) => return Err(NoProof::Revoked(certificate.name().to_owned(), when.day())),
                Status::Unknown if links.responders.is_empty() && links.lists.is_empty() => {
                    return Err(NoProof::Unknown(certificate.name().to_owned()));
                }
                Status::Unknown => {
                    let question = question(&certificate, &issuer).ok_or(NoProof::Unreadable)?;
                    return Ok(Some(Missing::State { question, responders: links.responders, lists: links.lists }));
                }
            }
        }
        Ok(None)
    }

    /// Why what is missing can't be had.
    pub fn given_up(&self) -> NoProof {
        let der = self.open.last().and_then(|place| self.dossier.certificates.get(*place));
        let Some(certificate) = der.and_then(|der| Certificate::read(der)) else { return NoProof::Unreadable };
        let name = certificate.name().to_owned();
        if self.issuer_of(&certificate).is_some() { NoProof::Unknown(name) } else { NoProof::Issuer(name) }
    }

    /// Takes a certificate that is the missing issuer's, as DER or PEM. Returns whether it is.
    pub fn take_issuer(&mut self, bytes: &[u8]) -> bool {
        let pem = std::str::from_utf8(bytes).ok().and_then(crate::roots_of);
        let found = pem.unwrap_or_else(|| vec![bytes.to_vec()]);
        for der in found.into_iter().take(MOST_CERTIFICATES) {
            if self.is_missing_issuer(&der) && self.dossier.certificates.len() < MOST_CERTIFICATES {
                self.know(&der);
                return true;
            }
        }
        false
    }

    /// Takes an OCSP response that says that the certificate is good, or that it is revoked. Returns whether it does.
    pub fn take_response(&mut self, bytes: &[u8]) -> bool {
        let Some(der) = to_der(bytes) else { return false };
        let Some((issuer, says)) = self.says(&Evidence { lists: Vec::new(), responses: vec![&der] }) else {
            return false;
        };
        if says == Status::Unknown {
            return false;
        }
        // Somebody to whom the issuer gave a certificate for that has to be proven good, too.
        if let Some(responder) = Certificate::read(&issuer).and_then(|issuer| delegate(&der, &issuer)) {
            let place = self.know(&responder);
            self.open.insert(0, place);
        }
        self.dossier.responses.push(der);
        true
    }

    /// The same of a CRL.
    pub fn take_list(&mut self, bytes: &[u8]) -> bool {
        let Some(der) = to_der(bytes) else { return false };
        match self.says(&Evidence { lists: vec![&der], responses: Vec::new() }) {
            None | Some((_, Status::Unknown)) => false,
            Some((_, Status::Good | Status::Revoked(_))) => {
                self.dossier.lists.push(der);
                true
            }
        }
    }

    /// What was collected.
    pub fn dossier(self) -> Dossier {
        self.dossier
    }

    /// The issuer of the certificate in question, and what evidence says about it.
    fn says(&self, evidence: &Evidence<'_>) -> Option<(Vec<u8>, Status)> {
        let certificate = Certificate::read(self.dossier.certificates.get(*self.open.last()?)?)?;
        let issuer_der = self.dossier.certificates.get(self.issuer_of(&certificate)?)?;
        let issuer = Certificate::read(issuer_der)?;
        Some((issuer_der.clone(), status(&certificate, &issuer, evidence, self.time)))
    }

    fn status(&self, certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> Status {
        let lists = self.dossier.lists.iter().map(Vec::as_slice).collect();
        let responses = self.dossier.responses.iter().map(Vec::as_slice).collect();
        status(certificate, issuer, &Evidence { lists, responses }, self.time)
    }

    fn issuer_of(&self, certificate: &Certificate<'_>) -> Option<usize> {
        self.dossier.certificates.iter().position(|der| is_issuer(der, certificate))
    }

    fn is_missing_issuer(&self, der: &[u8]) -> bool {
        let certificate = self.open.last().and_then(|place| self.dossier.certificates.get(*place));
        let certificate = certificate.and_then(|der| Certificate::read(der));
        certificate.is_some_and(|certificate| is_issuer(der, &certificate))
    }
}

fn is_issuer(der: &[u8], certificate: &Certificate<'_>) -> bool {
    let other = Certificate::read(der);
    other.is_some_and(|other| other.subject_der == certificate.issuer_der && is_signed_by(certificate.der, other.key))
}

/// An OCSP request. SHA-1 identifies the certificate for all responders, and protects nothing.
fn question(certificate: &Certificate<'_>, issuer: &Certificate<'_>) -> Option<Vec<u8>> {
    let hash = |bytes: &[u8]| value(OCTETS, &[&Hash::Sha1.digest(&[bytes])]);
    let algorithm = sequence(&[&oid(Hash::Sha1.oid()), &[5, 0]]);
    let (name, key) = (hash(certificate.issuer_der), hash(PublicKey::read(issuer.key)?.bits()));
    let id = sequence(&[&algorithm, &name, &key, &value(INTEGER, &[certificate.serial])]);
    Some(sequence(&[&sequence(&[&sequence(&[&sequence(&[&id])])])]))
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! seed {
        ($name:literal) => {
            include_bytes!(concat!("../../../../../../tests/fuzz/seeds/certificate-answers/", $name)).as_slice()
        };
    }

    const SIGNER: &[u8] = seed!("signer.der");
    const ISSUER: &[u8] = seed!("issuing.der");
    const TOKEN: &[u8] = seed!("token.der");

    fn inquiry(certificates: &[&[u8]]) -> Inquiry {
        let certificates: Vec<Vec<u8>> = certificates.iter().map(|der| der.to_vec()).collect();
        Inquiry::new(&certificates, TOKEN).unwrap()
    }

    #[test]
    fn what_authorities_answer_is_taken() {
        let mut inquiry = inquiry(&[SIGNER]);
        assert!(
            matches!(inquiry.missing(), Ok(Some(Missing::Issuer { addresses })) if addresses == ["http://127.0.0.1/issuing.der"])
        );
        assert!(!inquiry.take_issuer(SIGNER) && inquiry.take_issuer(ISSUER));
        assert!(
            matches!(inquiry.missing(), Ok(Some(Missing::State { lists, .. })) if lists == ["http://127.0.0.1/issuing.crl"])
        );
        assert!(!inquiry.take_list(seed!("response.der")) && !inquiry.take_response(seed!("issuing.crl")));
        assert!(inquiry.take_response(seed!("response.der")) && inquiry.take_list(seed!("issuing.crl")));
    }

    #[test]
    fn fuzz_answers_of_authorities() {
        docmill_fuzz::fuzz("certificate-answers", &[], |bytes| {
            let links = Links::of(bytes);
            drop((links.responders, links.issuers, links.lists));
            drop(Inquiry::new(&[bytes.to_vec()], TOKEN).map(|mut inquiry| inquiry.missing()));
            drop(Inquiry::new(&[SIGNER.to_vec()], bytes).map(|mut inquiry| inquiry.missing()));
            let mut alone = inquiry(&[SIGNER]);
            assert!(alone.missing().is_ok());
            if alone.take_issuer(bytes) {
                assert!(alone.missing().is_ok());
            }
            let mut both = inquiry(&[SIGNER, ISSUER]);
            assert!(both.missing().is_ok());
            let taken = [both.take_response(bytes), both.take_list(bytes)];
            drop(both.missing());
            let dossier = both.dossier();
            assert_eq!(taken.map(usize::from), [dossier.responses.len(), dossier.lists.len()]);
        });
    }
}
