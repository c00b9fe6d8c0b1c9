//! What must stay valid, and what each says of itself.

use docmill_pdf_signatures::{ChangeKind, Indication, Kind, Revocation, SubIndication, is_signed};

use super::*;
use crate::update::{Update, object};

#[test]
fn signatures_of_all_algorithms_pass() {
    for (name, signed_by, level) in [
        ("approval", "ECDSA with SHA-256", Some("B-B")),
        ("adobe", "ECDSA with SHA-256", None),
        ("rsa", "RSA with SHA-512", None),
        ("rsa-pss", "RSA-PSS with SHA-256", Some("B-B")),
        ("ed25519", "Ed25519", Some("B-B")),
        ("p521", "ECDSA with SHA-384", Some("B-B")),
        ("packed", "ECDSA with SHA-256", Some("B-B")),
        ("shadow", "ECDSA with SHA-256", Some("B-B")),
    ] {
        let found = first(&fixture(name));
        assert_eq!(
            (found.indication, found.sub_indication),
            (Indication::TotalPassed, None),
            "{name}: {}",
            found.sentence
        );
        assert_eq!((found.signature_algorithm.as_deref(), found.level), (Some(signed_by), level), "{name}");
        assert!(found.covers_whole_document && found.trusted && found.changes_after.is_empty(), "{name}");
        assert_eq!(found.chain.len(), 2, "{name}");
    }
}

#[test]
fn a_signature_says_who_signed_and_why() {
    let found = first(&fixture("approval"));
    assert_eq!((found.field.as_deref(), found.reason.as_deref()), (Some("Signature"), Some("I agree")));
    assert_eq!(found.signer.unwrap().subject, "CN=Ada Signer");
    assert_eq!(found.sentence, "The signature of Ada Signer is valid, and the document is as it was signed.");
    assert!(found.signing_time.unwrap().starts_with("20"));
    assert_eq!((found.revision, found.kind), (Some(2), Kind::Signature));
}

#[test]
fn a_file_without_signatures_has_none() {
    assert!(report(&fixture("unsigned")).signatures.is_empty());
}

#[test]
fn a_protected_file_is_read_with_its_password() {
    let found = report_with(&fixture("protected"), "open", &roots(), false);
    assert_eq!(found.signatures[0].indication, Indication::TotalPassed, "{}", found.signatures[0].sentence);
}

#[test]
fn without_a_trusted_root_nothing_passes() {
    let found = report_with(&fixture("approval"), "", &[], false).signatures.remove(0);
    assert_eq!(
        (found.indication, found.sub_indication, found.intact),
        (Indication::Indeterminate, Some(SubIndication::NoCertificateChainFound), true)
    );
    assert_eq!(
        found.sentence,
        "The document is as it was signed, but Ada Signer is not known: no trusted root vouches for it."
    );
}

#[test]
fn what_signers_allow_stays_valid() {
    use ChangeKind::{DssAdded, FormFilled, SignatureAdded, TimestampAdded};
    for (name, changes) in [
        ("approval-filled", vec![(FormFilled, true)]),
        ("packed-filled", vec![(FormFilled, true)]),
        ("certified-filled", vec![(FormFilled, true)]),
        ("two", vec![(SignatureAdded, true)]),
        ("stored", vec![(DssAdded, true)]),
        ("archived", vec![(TimestampAdded, true), (DssAdded, true)]),
    ] {
        let found = report(&fixture(name));
        assert!(found.signatures.iter().all(|each| each.indication == Indication::TotalPassed), "{name}: {found:?}");
        assert_eq!(kinds(&found.signatures[0]), changes, "{name}");
        assert!(!found.signatures[0].covers_whole_document, "{name}");
    }
    let both = report(&fixture("two"));
    assert_eq!(both.signatures[1].signer.as_ref().unwrap().subject, "CN=Ben Second");
    assert!(both.signatures[1].covers_whole_document);
}

#[test]
fn an_empty_signature_field_of_a_certified_document_may_be_signed() {
    let signed = fixture("certified-2");
    let found = first(&signed);
    assert_eq!((found.doc_mdp.unwrap().permission, found.indication), (2, Indication::TotalPassed));
}

#[test]
fn levels_are_told_by_what_is_there() {
    for (name, level) in [("approval", "B-B"), ("stamped", "B-T"), ("stored", "B-LT"), ("archived", "B-LTA")] {
        assert_eq!(first(&fixture(name)).level, Some(level), "{name}");
    }
    let archived = report(&fixture("archived"));
    assert_eq!((archived.signatures.len(), archived.signatures[1].kind), (2, Kind::Timestamp));
    let stamp = archived.signatures[0].timestamp.as_ref().unwrap();
    assert_eq!((stamp.time.as_str(), stamp.authority.as_deref()), ("2024-09-01T00:00:00.000Z", Some("Test Stamps")));
    assert!(stamp.intact && stamp.trusted);
}

#[test]
fn a_trusted_time_stamp_proves_that_a_certificate_was_valid() {
    let found = first(&fixture("expired"));
    assert_eq!(
        (found.indication, found.sub_indication),
        (Indication::Indeterminate, Some(SubIndication::OutOfBoundsNoPoe))
    );
    let stamped = first(&fixture("expired-stamped"));
    assert_eq!(
        (stamped.indication, stamped.validation_time.as_str()),
        (Indication::TotalPassed, "2024-09-01T00:00:00.000Z")
    );
}

#[test]
fn revocation_is_checked_by_what_the_file_has() {
    let checked = |name: &str| {
        let found = report_with(&fixture(name), "", &roots(), true).signatures.remove(0);
        (found.indication, found.sub_indication, found.revocation)
    };
    assert_eq!(checked("stored"), (Indication::TotalPassed, None, Revocation::Good));
    assert_eq!(checked("approval"), (Indication::Indeterminate, Some(SubIndication::TryLater), Revocation::Unknown));
    assert_eq!(checked("revoked"), (Indication::Indeterminate, Some(SubIndication::RevokedNoPoe), Revocation::Revoked));
    assert_eq!(first(&fixture("revoked")).revocation, Revocation::NotChecked);
}

#[test]
fn sha_1_never_passes() {
    let found = first(&fixture("sha1"));
    assert_eq!(
        (found.indication, found.sub_indication),
        (Indication::Indeterminate, Some(SubIndication::CryptoConstraintsFailure))
    );
    assert!(found.intact && found.sentence.contains("SHA-1"), "{}", found.sentence);
}

#[test]
fn titles_may_change() {
    let changed = Update::of(&fixture("approval")).put(10, "<< /Title (Other) >>").finish();
    let found = first(&changed);
    assert_eq!((found.indication, kinds(&found)), (Indication::TotalPassed, vec![(ChangeKind::MetadataChanged, true)]));
}

#[test]
fn the_same_again_is_no_change() {
    let signed = fixture("approval");
    let page = object(&signed, 5);
    assert!(first(&Update::of(&signed).put(5, &page).finish()).changes_after.is_empty());
}

#[test]
fn a_file_is_signed_if_a_revision_of_it_that_can_be_read_has_a_signature() {
    let noted = b"\n% /ByteRange\n";
    for (name, expected) in [("approval", true), ("certified-1", true), ("packed", true), ("unsigned", false)] {
        let file = fixture(name);
        assert_eq!(is_signed(&file, ""), expected, "{name}");
        assert_eq!(is_signed(&[&file[..], noted].concat(), ""), expected, "{name}");
    }
    assert!(is_signed(&fixture("protected"), "open") && is_signed(&fixture("protected"), "wrong"));
    assert!(is_signed(noted, "") && !is_signed(b"", ""));
}
