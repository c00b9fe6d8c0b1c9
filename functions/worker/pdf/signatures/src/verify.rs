//! Verifies each signature of a file.

use docmill_domain::time::Timestamp;
use lopdf::{Dictionary, Object};

use crate::changes::Comparison;
use crate::cms::asn1::{OCTETS, Value, to_der};
use crate::cms::certificate::{Certificate, NoChain, chain};
use crate::cms::check::{Integrity, Outcome, check};
use crate::cms::keys::{Checked, Hash, PublicKey};
use crate::cms::revocation::{Evidence, Status, status};
use crate::cms::signed::{DATA, Signed};
use crate::cms::stamp::{Stamp, Stamped};
use crate::cms::{keys, time};
use crate::fields::{Field, fields};
use crate::file::{Broken, Entry, File, View};
use crate::report::{Change, ChangeKind, Kind, Report, Signature};
use crate::seal::{Covered, Restrictions, Seal};
use crate::verdict::{Findings, Identity};
use crate::{Options, Unreadable};

/// The most signatures that are verified.
const MOST_SIGNATURES: usize = 100;
/// How many ends of revisions are tried if the file's own can't be read.
const MOST_TRIES: usize = 50;
/// The most certificates, lists and answers that a file may bring.
const MOST_EVIDENCE: usize = 500;

pub(crate) fn all(bytes: &[u8], options: &Options<'_>) -> Result<Report, Unreadable> {
    let file = File::new(bytes);
    let (view, broken) = match opened(&file, bytes.len(), options.password) {
        Ok(view) => (view, None),
        Err(broken) => match earlier(&file, options.password) {
            Some(view) => (view, Some(broken)),
            None if may_have_signature(bytes) => {
                return Ok(Report { signatures: vec![Findings::unreadable(broken, options.time)], revisions: 0 });
            }
            None => return Err(Unreadable(broken.0)),
        },
    };
    let found = fields(&view);
    let seals: Vec<Seal> = found.iter().filter_map(|field| Seal::of(&view, field)).take(MOST_SIGNATURES).collect();
    let unreadable = found.iter().filter(|field| is_unreadable(&view, field)).take(MOST_SIGNATURES);
    let unreadable = unreadable.map(|field| Findings::without_dictionary(&field.name, options.time));
    let store = Store::read(&view);
    let document = Document { file: &file, view: &view, broken, options, store: &store };
    let mut findings: Vec<Findings> = seals.iter().map(|seal| document.findings(seal)).collect();
    findings.sort_by_key(|each| each.end);
    let archived: Vec<usize> =
        findings.iter().filter(|each| each.is_proven_time_stamp()).filter_map(|each| each.end).collect();
    let signatures = findings.into_iter().map(|each| {
        let later = each.end.is_some_and(|end| archived.iter().any(|other| *other > end));
        each.report(later)
    });
    let mut signatures: Vec<Signature> = signatures.chain(unreadable).collect();
    // What was added may be the signature.
    if let (Some(broken), true) = (broken, signatures.is_empty() && may_have_signature(bytes)) {
        signatures.push(Findings::unreadable(broken, options.time));
    }
    Ok(Report { signatures, revisions: view.revision.sections.len() })
}

/// Whether a file has the word for the bytes that a signature covers, which is never compressed or encrypted.
fn may_have_signature(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"/ByteRange").is_some()
}

/// Whether the newest revision that can be read has a signature, in a field or as what gives readers rights. True if no revision can be read.
pub(crate) fn has_signature(bytes: &[u8], password: &str) -> bool {
    let file = File::new(bytes);
    let newest = opened(&file, bytes.len(), password).ok();
    let Some(view) = newest.or_else(|| earlier(&file, password)) else { return true };
    let gives_rights = view.catalog().and_then(|catalog| view.dictionary(&catalog, b"Perms")).is_some();
    gives_rights || fields(&view).iter().any(|field| Seal::of(&view, field).is_some() || is_unreadable(&view, field))
}

/// The revision that ends here, which must have a catalog.
fn opened<'b>(file: &File<'b>, end: usize, password: &str) -> Result<View<'b>, Broken> {
    let view = View::open(file, end, password)?;
    if view.catalog().is_some() { Ok(view) } else { Err(Broken("it does not say where the document begins")) }
}

/// Whether a field has a signature of which nothing can be read.
fn is_unreadable(view: &View<'_>, field: &Field) -> bool {
    let value = field.dict.get(b"V").and_then(|value| value.as_reference());
    let has_one = || value.is_ok_and(|id| matches!(view.entry(id.0), Entry::At { .. } | Entry::Packed { .. }));
    field.is_signature() && Seal::of(view, field).is_none() && has_one()
}

/// The newest revision that can be read, if the file's own end can't.
fn earlier<'b>(file: &File<'b>, password: &str) -> Option<View<'b>> {
    let ends = memchr::memmem::rfind_iter(file.bytes, b"%%EOF").map(|at| at + 5);
    ends.take(MOST_TRIES).find_map(|end| opened(file, end, password).ok())
}

/// What the document's security store has, and the roots of the caller.
#[derive(Debug, Default)]
struct Store {
    certificates: Vec<Vec<u8>>,
    lists: Vec<Vec<u8>>,
    responses: Vec<Vec<u8>>,
}

impl Store {
    fn read(view: &View<'_>) -> Self {
        let catalog = view.catalog().unwrap_or_default();
        let Some(store) = view.dictionary(&catalog, b"DSS") else { return Self::default() };
        Self {
            certificates: streams(view, &store, b"Certs"),
            lists: streams(view, &store, b"CRLs"),
            responses: streams(view, &store, b"OCSPs"),
        }
    }
}

/// The data of the streams in a list.
fn streams(view: &View<'_>, dict: &Dictionary, key: &[u8]) -> Vec<Vec<u8>> {
    const MOST_BYTES: usize = 16 << 20;
    let numbers = crate::fields::numbers(&view.array(dict, key));
    let read = |number: u32| {
        let Some(Object::Stream(stream)) = view.whole(number) else { return None };
        if stream.dict.has(b"Filter") {
            stream.decompressed_content_with_limit(MOST_BYTES).ok()
        } else {
            Some(stream.content)
        }
    };
    numbers.into_iter().take(MOST_EVIDENCE).filter_map(read).filter_map(|data| to_der(&data)).collect()
}

/// A file with what its signatures are checked with.
struct Document<'d, 'b> {
    file: &'d File<'b>,
    view: &'d View<'b>,
    /// Why the file's end can't be read.
    broken: Option<Broken>,
    options: &'d Options<'d>,
    store: &'d Store,
}

impl Document<'_, '_> {
    fn findings(&self, seal: &Seal) -> Findings {
        let mut found = Findings::new(seal, self.view, self.options.time);
        let covered = match seal.covered(self.view, self.file.bytes) {
            Ok(covered) => covered,
            Err(reason) => return found.malformed(reason),
        };
        let signed = match self.signed_revision(seal, &covered) {
            Ok(signed) => signed,
            Err(reason) => return found.malformed(reason),
        };
        let restrictions = seal.restrictions(&signed);
        found.place(&signed.revision, self.file.bytes, &restrictions);
        found.changes = self.changes(&signed, &restrictions);
        self.cryptography(seal, &covered, found)
    }

    /// The revision that a signature signs. Its signature must have been in it as it is now.
    fn signed_revision(&self, seal: &Seal, covered: &Covered) -> Result<View<'_>, &'static str> {
        let unclear = "The signed part is not a whole PDF of its own.";
        let signed = View::open(self.file, covered.end(), self.options.password).map_err(|_| unclear)?;
        let holder = seal.number.unwrap_or(seal.field_number);
        let same = signed.entry(holder) == self.view.entry(holder);
        let was_there = fields(&signed)
            .iter()
            .filter_map(|field| Seal::of(&signed, field))
            .any(|other| other.field == seal.field && other.number == seal.number && other.dict == seal.dict);
        if same && was_there {
            Ok(signed)
        } else {
            Err("The signature is not part of what it says that it signs, or was replaced afterwards.")
        }
    }

    fn changes(&self, signed: &View<'_>, restrictions: &Restrictions) -> Vec<Change> {
        if let Some(broken) = self.broken {
            let sentence = format!("The data after the signed part can't be read: {broken}.");
            return vec![Change {
                kind: ChangeKind::UnknownData,
                allowed: false,
                of: None,
                sentence: Some(sentence),
                is_unclear: false,
            }];
        }
        Comparison { file: self.file, old: signed, new: self.view, restrictions }.changes()
    }

    fn cryptography(&self, seal: &Seal, covered: &Covered, mut found: Findings) -> Findings {
        let [before, after] = covered.parts.clone();
        let parts = [before, after].map(|range| self.file.bytes.get(range).unwrap_or_default());
        let roots: Vec<Certificate<'_>> = self.options.roots.iter().filter_map(|der| Certificate::read(der)).collect();
        let stored: Vec<Certificate<'_>> =
            self.store.certificates.iter().filter_map(|der| Certificate::read(der)).collect();
        let trust = Trust { roots, stored, store: self.store, options: self.options };
        match seal.sub_filter.as_deref() {
            Some("adbe.x509.rsa_sha1") => trust.bare(seal.certificates(self.view), covered, &parts, found),
            Some("ETSI.RFC3161") => match Stamp::read(&covered.contents) {
                Some(stamp) => trust.document_stamp(&stamp, &parts, found),
                None => found.malformed("The time stamp can't be read."),
            },
            Some("adbe.pkcs7.detached" | "ETSI.CAdES.detached" | "adbe.pkcs7.sha1") => {
                match Signed::read(&covered.contents) {
                    Some(signed) => trust.signature(&signed, seal, &parts, found),
                    None => found.malformed("The signature can't be read, or has not exactly one signer."),
                }
            }
            Some(_) | None => {
                found.is_unsupported = true;
                found
            }
        }
    }
}

/// What certificates are judged with.
struct Trust<'t> {
    roots: Vec<Certificate<'t>>,
    stored: Vec<Certificate<'t>>,
    store: &'t Store,
    options: &'t Options<'t>,
}

impl<'t> Trust<'t> {
    fn signature(&self, signed: &Signed<'t>, seal: &Seal, parts: &[&[u8]], mut found: Findings) -> Findings {
        let hashed = Hash::Sha1.digest(parts);
        let content: Vec<&[u8]> = match (seal.sub_filter.as_deref(), signed.content) {
            (Some("adbe.pkcs7.sha1"), Some(content)) => {
                if content != hashed {
                    found.integrity = Some(Integrity {
                        digest: Some(Hash::Sha1),
                        scheme: None,
                        outcome: Outcome::OtherContent,
                        is_weak: true,
                        is_in_order: true,
                    });
                    return found;
                }
                vec![content]
            }
            (Some("adbe.pkcs7.sha1"), None) => return found.malformed("The signature has no digest of the document."),
            (_, Some(_)) => return found.malformed("The signature signs data of its own, not the document."),
            (_, None) if signed.content_type != DATA => return found.malformed("The signature signs something else."),
            (_, None) => parts.to_vec(),
        };
        let known = self.known(signed);
        let Some(signer) = known.iter().find(|each| is_signer(signed, each)).cloned() else { return found };
        let mut integrity = check(signed, &signer, &content);
        integrity.is_weak |= seal.sub_filter.as_deref() == Some("adbe.pkcs7.sha1");
        found.reference = signed.signer.refers_to(signer.der);
        found.claimed_time = found.claimed_time.or_else(|| signed.signer.claimed_time().and_then(time::read));
        found.integrity = Some(integrity);
        let stamp = self.signature_stamp(signed, &known);
        let proven = stamp.as_ref().filter(|stamp| stamp.is_trusted()).map(|stamp| stamp.time);
        found.has_stamp = stamp.is_some();
        found.set_stamp(stamp.as_ref());
        let (lists, responses) = signed.revocation();
        self.identify(&signer, &known, (lists, responses), proven, &mut found);
        found
    }

    fn known(&self, signed: &Signed<'t>) -> Vec<Certificate<'t>> {
        let own = signed.certificates.iter().take(MOST_EVIDENCE).filter_map(|der| Certificate::read(der));
        own.chain(self.stored.iter().cloned()).collect()
    }

    /// The signature's own time stamp: the first one that is right, or else the first one.
    fn signature_stamp(&self, signed: &Signed<'t>, known: &[Certificate<'t>]) -> Option<Stamped<'t>> {
        let tokens = signed.signer.time_stamps().take(10).filter_map(Stamp::read);
        let mut stamps: Vec<_> =
            tokens.map(|stamp| stamp.check(&[signed.signer.signature], known, &self.roots)).collect();
        let best = stamps.iter().position(Stamped::is_trusted).unwrap_or(0);
        (best < stamps.len()).then(|| stamps.swap_remove(best))
    }

    fn document_stamp(&self, stamp: &Stamp<'t>, parts: &[&[u8]], mut found: Findings) -> Findings {
        let known = self.known(&stamp.signed);
        let Some(authority) = known.iter().find(|each| is_signer(&stamp.signed, each)).cloned() else { return found };
        let stamped = stamp.check(parts, &known, &self.roots);
        let integrity = check(&stamp.signed, &authority, &[stamp.signed.content.unwrap_or_default()]);
        let outcome = match integrity.outcome {
            Outcome::Intact if !stamp.is_of(parts) => Outcome::OtherContent,
            Outcome::Intact if !authority.may_stamp() => Outcome::Malformed,
            other @ (Outcome::Intact
            | Outcome::OtherContent
            | Outcome::BadSignature
            | Outcome::Malformed
            | Outcome::Unsupported) => other,
        };
        let is_weak = integrity.is_weak || stamp.hash == Hash::Sha1;
        found.integrity = Some(Integrity { outcome, is_weak, digest: Some(stamp.hash), ..integrity });
        found.reference = stamp.signed.signer.refers_to(authority.der);
        found.kind = Kind::Timestamp;
        found.set_stamp(Some(&stamped));
        let (lists, responses) = stamp.signed.revocation();
        self.identify(&authority, &known, (lists, responses), Some(stamp.time), &mut found);
        found
    }

    /// A signature without CMS: a certificate, and a number made with its key.
    fn bare(&self, certificates: Vec<Vec<u8>>, covered: &Covered, parts: &[&[u8]], mut found: Findings) -> Findings {
        let known: Vec<Certificate<'_>> = certificates.iter().filter_map(|der| Certificate::read(der)).collect();
        let Some(signer) = known.first() else { return found };
        let (Some(signature), Some(key)) =
            (Value::only(&covered.contents).and_then(|value| value.with(OCTETS)), PublicKey::read(signer.key))
        else {
            return found.malformed("The signature can't be read.");
        };
        let algorithm = keys::Algorithm { oid: "1.2.840.113549.1.1.5".to_owned(), parameters: None };
        let (outcome, scheme) = match key.verify(&algorithm, Hash::Sha1, &parts.concat(), signature.body) {
            Checked::Valid(scheme) => (Outcome::Intact, Some(scheme)),
            Checked::Invalid(scheme) => (Outcome::BadSignature, Some(scheme)),
            Checked::Unsupported => (Outcome::Unsupported, None),
        };
        found.integrity =
            Some(Integrity { digest: Some(Hash::Sha1), scheme, outcome, is_weak: true, is_in_order: true });
        let trust = Trust { roots: self.roots.clone(), stored: Vec::new(), store: self.store, options: self.options };
        trust.identify(signer, &known, (Vec::new(), Vec::new()), None, &mut found);
        found
    }

    /// Who signed, and whether that is known and was valid.
    fn identify(
        &self,
        signer: &Certificate<'_>,
        known: &[Certificate<'_>],
        (mut lists, mut responses): (Vec<&[u8]>, Vec<&[u8]>),
        proven: Option<Timestamp>,
        found: &mut Findings,
    ) {
        let time = proven.unwrap_or(self.options.time);
        found.validation_time = time;
        let path = chain(signer, known, &self.roots, time);
        found.identity =
            Some(Identity::of(signer, path.as_ref().map(Vec::as_slice).map_err(|reason: &NoChain| *reason)));
        lists.extend(self.store.lists.iter().map(Vec::as_slice));
        responses.extend(self.store.responses.iter().map(Vec::as_slice));
        lists.truncate(MOST_EVIDENCE);
        responses.truncate(MOST_EVIDENCE);
        let Ok(path) = path else { return };
        let evidence = Evidence { lists, responses };
        found.revocation = Some(worst(&path, &evidence, time));
        found.must_not_be_revoked = self.options.check_revocation;
    }
}

/// The worst state of the certificates in a chain. The root has none.
fn worst(path: &[Certificate<'_>], evidence: &Evidence<'_>, time: Timestamp) -> Status {
    let mut worst = Status::Good;
    for (certificate, issuer) in path.iter().zip(path.iter().skip(1)) {
        match status(certificate, issuer, evidence, time) {
            revoked @ Status::Revoked(_) => return revoked,
            Status::Unknown => worst = Status::Unknown,
            Status::Good => {}
        }
    }
    worst
}

fn is_signer(signed: &Signed<'_>, certificate: &Certificate<'_>) -> bool {
    signed.signer.is(certificate.issuer_der, certificate.serial, certificate.key_id.as_deref())
}
