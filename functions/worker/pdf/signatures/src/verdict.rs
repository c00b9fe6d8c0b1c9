//! What was found about a signature, and what that means.

use docmill_domain::time::Timestamp;

use crate::cms::certificate::{Certificate, NoChain};
use crate::cms::check::{Integrity, Outcome};
use crate::cms::revocation::Status;
use crate::cms::signed::Reference;
use crate::cms::stamp::Stamped;
use crate::file::{Broken, Revision, View, is_white};
use crate::report::{
    CertificateView, Change, DocMdp, Indication, Kind, Revocation, Signature, SubIndication, TimestampView,
};
use crate::seal::{Restrictions, Seal};

/// Who signed.
#[derive(Debug)]
pub(crate) struct Identity {
    name: String,
    signer: CertificateView,
    chain: Vec<CertificateView>,
    no_chain: Option<NoChain>,
    /// Whether the certificate is for signatures that bind. `None` if it does not say.
    binds: Option<bool>,
}

impl Identity {
    pub(crate) fn of(signer: &Certificate<'_>, chain: Result<&[Certificate<'_>], NoChain>) -> Self {
        Self {
            name: signer.name().to_owned(),
            signer: shown(signer),
            chain: chain.map_or_else(|_| vec![shown(signer)], |chain| chain.iter().map(shown).collect()),
            no_chain: chain.err(),
            binds: signer.binds,
        }
    }
}

fn shown(certificate: &Certificate<'_>) -> CertificateView {
    CertificateView {
        subject: certificate.subject.clone(),
        issuer: certificate.issuer.clone(),
        serial_number: certificate.serial_hex(),
        not_before: certificate.not_before.to_string(),
        not_after: certificate.not_after.to_string(),
        sha256: certificate.fingerprint(),
    }
}

/// All that is known about a signature.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) kind: Kind,
    /// Where its revision ends.
    pub(crate) end: Option<usize>,
    pub(crate) integrity: Option<Integrity>,
    pub(crate) identity: Option<Identity>,
    pub(crate) reference: Reference,
    pub(crate) is_unsupported: bool,
    pub(crate) changes: Vec<Change>,
    pub(crate) claimed_time: Option<Timestamp>,
    pub(crate) validation_time: Timestamp,
    pub(crate) has_stamp: bool,
    pub(crate) revocation: Option<Status>,
    pub(crate) must_not_be_revoked: bool,
    malformed: Option<String>,
    stamp: Option<TimestampView>,
    field: Option<String>,
    sub_filter: Option<String>,
    byte_range: Vec<i64>,
    revision: Option<usize>,
    covers_whole_document: bool,
    certified: Option<u8>,
    locked_fields: Vec<String>,
    texts: [Option<String>; 3],
}

/// An indication with its sentence.
struct Verdict {
    indication: Indication,
    sub_indication: Option<SubIndication>,
    sentence: String,
}

fn failed(sub_indication: SubIndication, sentence: impl Into<String>) -> Verdict {
    Verdict { indication: Indication::TotalFailed, sub_indication: Some(sub_indication), sentence: sentence.into() }
}

fn unknown(sub_indication: SubIndication, sentence: impl Into<String>) -> Verdict {
    Verdict { indication: Indication::Indeterminate, sub_indication: Some(sub_indication), sentence: sentence.into() }
}

impl Findings {
    pub(crate) fn new(seal: &Seal, view: &View<'_>, time: Timestamp) -> Self {
        Self {
            kind: if seal.is_time_stamp() { Kind::Timestamp } else { Kind::Signature },
            claimed_time: seal.claimed_time(view),
            field: Some(seal.field.clone()),
            sub_filter: seal.sub_filter.clone(),
            byte_range: seal.byte_range(view),
            texts: [b"Name".as_slice(), b"Reason", b"Location"].map(|key| seal.text(view, key)),
            ..Self::empty(time)
        }
    }

    fn empty(time: Timestamp) -> Self {
        Self {
            kind: Kind::Signature,
            end: None,
            integrity: None,
            identity: None,
            reference: Reference::Missing,
            is_unsupported: false,
            changes: Vec::new(),
            claimed_time: None,
            validation_time: time,
            has_stamp: false,
            revocation: None,
            must_not_be_revoked: false,
            malformed: None,
            stamp: None,
            field: None,
            sub_filter: None,
            byte_range: Vec::new(),
            revision: None,
            covers_whole_document: false,
            certified: None,
            locked_fields: Vec::new(),
            texts: [None, None, None],
        }
    }

    /// The one signature of a file that can't be read.
    pub(crate) fn unreadable(broken: Broken, time: Timestamp) -> Signature {
        let reason = format!("The file has a signature and can't be read without doubt: {broken}.");
        Self { malformed: Some(reason), ..Self::empty(time) }.report(false)
    }

    /// A signature in a field of which nothing can be read.
    pub(crate) fn without_dictionary(field: &str, time: Timestamp) -> Signature {
        let found = Self { field: Some(field.to_owned()), ..Self::empty(time) };
        found.malformed("What its field names can't be read as a signature.").report(false)
    }

    /// The signature says what no signature may say.
    pub(crate) fn malformed(mut self, reason: &str) -> Self {
        self.malformed = Some(reason.to_owned());
        self
    }

    /// Where in the file the signature's revision is.
    pub(crate) fn place(&mut self, revision: &Revision, bytes: &[u8], restrictions: &Restrictions) {
        self.end = Some(revision.end);
        self.revision = Some(revision.sections.len());
        let after = bytes.get(revision.end..).unwrap_or_default();
        self.covers_whole_document = after.iter().all(|byte| is_white(*byte));
        self.certified = restrictions.certified;
        self.locked_fields = restrictions.locks.iter().flat_map(crate::seal::Lock::names).collect();
        // The field and the signature both say it.
        self.locked_fields.sort();
        self.locked_fields.dedup();
    }

    pub(crate) fn set_stamp(&mut self, stamp: Option<&Stamped<'_>>) {
        self.stamp = stamp.map(|stamp| TimestampView {
            time: stamp.time.to_string(),
            authority: stamp.authority.as_ref().map(|authority| authority.name().to_owned()),
            intact: stamp.is_intact,
            trusted: stamp.is_trusted(),
        });
    }

    fn is_intact(&self) -> bool {
        self.malformed.is_none() && self.integrity.is_some_and(|found| found.outcome == Outcome::Intact)
    }

    /// Whether it is a time stamp of the document that proves its time.
    pub(crate) fn is_proven_time_stamp(&self) -> bool {
        self.kind == Kind::Timestamp && self.is_intact() && self.stamp.as_ref().is_some_and(|stamp| stamp.trusted)
    }

    /// What is sent. `archived`: a time stamp of the document follows.
    pub(crate) fn report(self, archived: bool) -> Signature {
        let Verdict { indication, sub_indication, sentence } = self.verdict();
        let intact = self.is_intact();
        let level = self.level(archived);
        let [name, reason, location] = self.texts;
        let trusted = self.identity.as_ref().is_some_and(|identity| identity.no_chain.is_none());
        let (signer, chain) = self.identity.map_or((None, Vec::new()), |who| (Some(who.signer), who.chain));
        Signature {
            field: self.field,
            kind: self.kind,
            indication,
            sub_indication,
            sentence,
            intact,
            sub_filter: self.sub_filter,
            digest_algorithm: self.integrity.and_then(|found| found.digest).map(crate::cms::keys::Hash::name),
            signature_algorithm: self.integrity.and_then(|found| found.scheme).map(crate::cms::keys::Scheme::name),
            byte_range: self.byte_range,
            revision: self.revision,
            covers_whole_document: self.covers_whole_document,
            signer,
            chain,
            trusted,
            signing_time: self.claimed_time.map(|time| time.to_string()),
            validation_time: self.validation_time.to_string(),
            timestamp: self.stamp,
            revocation: match (self.must_not_be_revoked, self.revocation) {
                (false, _) | (true, None) => Revocation::NotChecked,
                (true, Some(Status::Good)) => Revocation::Good,
                (true, Some(Status::Revoked(_))) => Revocation::Revoked,
                (true, Some(Status::Unknown)) => Revocation::Unknown,
            },
            level,
            doc_mdp: self.certified.map(|permission| DocMdp { permission }),
            locked_fields: self.locked_fields,
            changes_after: self.changes,
            name,
            reason,
            location,
        }
    }

    /// The level of a PAdES baseline signature. `None` for other signatures.
    fn level(&self, archived: bool) -> Option<&'static str> {
        let is_baseline = self.kind == Kind::Signature
            && self.sub_filter.as_deref() == Some("ETSI.CAdES.detached")
            && self.is_intact()
            && self.reference == Reference::Matches;
        let stamped = self.stamp.as_ref().is_some_and(|stamp| stamp.intact);
        let long_term = stamped && self.revocation == Some(Status::Good);
        match (is_baseline, stamped, long_term, archived) {
            (false, _, _, _) => None,
            (true, false, _, _) => Some("B-B"),
            (true, true, false, _) => Some("B-T"),
            (true, true, true, false) => Some("B-LT"),
            (true, true, true, true) => Some("B-LTA"),
        }
    }

    fn verdict(&self) -> Verdict {
        self.form().or_else(|| self.cryptography()).or_else(|| self.later()).or_else(|| self.trust()).unwrap_or_else(
            || {
                let name = self.identity.as_ref().map_or("somebody", |identity| &identity.name);
                let sentence = match (self.kind, self.covers_whole_document) {
                    (Kind::Timestamp, _) => format!("The time stamp of {name} is valid."),
                    (Kind::Signature, true) => {
                        format!("The signature of {name} is valid, and the document is as it was signed.")
                    }
                    (Kind::Signature, false) => {
                        format!("The signature of {name} is valid. What was added to the document since was allowed.")
                    }
                };
                Verdict { indication: Indication::TotalPassed, sub_indication: None, sentence }
            },
        )
    }

    /// Whether it is a signature at all.
    fn form(&self) -> Option<Verdict> {
        use SubIndication::{CryptoConstraintsFailure, FormatFailure, NoSigningCertificateFound};
        if let Some(reason) = &self.malformed {
            return Some(failed(FormatFailure, format!("The signature is not valid. {reason}")));
        }
        if self.is_unsupported {
            return Some(unknown(CryptoConstraintsFailure, "The signature is of a kind that is not supported."));
        }
        if self.integrity.is_none() {
            return Some(unknown(NoSigningCertificateFound, "The signer's certificate is missing."));
        }
        None
    }

    fn cryptography(&self) -> Option<Verdict> {
        use SubIndication::{CryptoConstraintsFailure, FormatFailure, HashFailure, SigCryptoFailure};
        let found = self.integrity?;
        match found.outcome {
            Outcome::Intact => None,
            Outcome::OtherContent => Some(failed(HashFailure, "The document was changed after it was signed.")),
            Outcome::BadSignature => {
                Some(failed(SigCryptoFailure, "The signature was not made with the signer's key."))
            }
            Outcome::Malformed => Some(failed(FormatFailure, "The signature contradicts itself.")),
            Outcome::Unsupported => {
                Some(unknown(CryptoConstraintsFailure, "The signature's algorithm or key is not supported."))
            }
        }
    }

    /// What was changed later.
    fn later(&self) -> Option<Verdict> {
        let sentence = |change: &Change| {
            let reason = change.sentence.clone().unwrap_or_else(|| "The document was changed.".to_owned());
            let place = change.of.as_ref().map_or_else(String::new, |of| format!(" ({of})"));
            format!("{}{place}.", reason.trim_end_matches('.'))
        };
        if let Some(change) = self.changes.iter().find(|change| !change.allowed && !change.is_unclear) {
            let message = format!("The document was changed after it was signed. {}", sentence(change));
            return Some(failed(SubIndication::FormatFailure, message));
        }
        let unclear = self.changes.iter().find(|change| change.is_unclear)?;
        let message = format!("The signed part is unchanged, but look at what was added. {}", sentence(unclear));
        Some(unknown(SubIndication::SigConstraintsFailure, message))
    }

    /// Whether the signer is known, and was allowed to sign.
    fn trust(&self) -> Option<Verdict> {
        use SubIndication::{
            CertificateChainGeneralFailure, ChainConstraintsFailure, CryptoConstraintsFailure, NoCertificateChainFound,
            NoSigningCertificateFound, OutOfBoundsNoPoe, RevokedNoPoe, SigConstraintsFailure, TryLater,
        };
        let identity = self.identity.as_ref()?;
        let intact = "The document is as it was signed, but";
        let say = |sub, reason: String| Some(unknown(sub, format!("{intact} {reason}")));
        if self.reference == Reference::NamesAnother {
            return say(NoSigningCertificateFound, "the signer meant another certificate.".to_owned());
        }
        let needs_reference = matches!(self.sub_filter.as_deref(), Some("ETSI.CAdES.detached" | "ETSI.RFC3161"));
        if needs_reference && self.reference == Reference::Missing {
            return say(
                SigConstraintsFailure,
                "the signature does not name the signer's certificate, as it should.".to_owned(),
            );
        }
        if self.integrity.is_some_and(|found| found.is_weak) {
            return say(
                CryptoConstraintsFailure,
                "the signature uses SHA-1 or a short key, which can be forged.".to_owned(),
            );
        }
        if self.integrity.is_some_and(|found| !found.is_in_order) {
            return say(
                SigConstraintsFailure,
                "what was signed is not written in the order that the standard (RFC 5652) asks for, so others may say that the signature is wrong."
                    .to_owned(),
            );
        }
        match identity.no_chain {
            None => {}
            Some(NoChain::NoRoot) => {
                return say(
                    NoCertificateChainFound,
                    format!("{} is not known: no trusted root vouches for it.", identity.name),
                );
            }
            Some(NoChain::OutOfBounds) => {
                let reason = format!("a certificate of {} was not valid at {}.", identity.name, self.validation_time);
                return say(OutOfBoundsNoPoe, reason);
            }
            Some(NoChain::Unusable) => {
                return say(
                    CertificateChainGeneralFailure,
                    format!("a certificate of {} can't be used.", identity.name),
                );
            }
        }
        if self.kind == Kind::Signature && identity.binds == Some(false) {
            let reason = format!("the certificate of {} is not for signatures that bind.", identity.name);
            return say(ChainConstraintsFailure, reason);
        }
        match self.revocation.filter(|_| self.must_not_be_revoked)? {
            Status::Good => None,
            Status::Revoked(when) => {
                say(RevokedNoPoe, format!("a certificate of {} was revoked at {when}.", identity.name))
            }
            Status::Unknown => say(TryLater, "the file does not say whether the certificates were revoked.".to_owned()),
        }
    }
}
