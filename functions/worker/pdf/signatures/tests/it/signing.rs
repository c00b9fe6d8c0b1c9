//! Signatures of our own: what they are, what they leave as it is, and what they are refused for.

use docmill_pdf_signatures::make::{Attributes, Dossier, SigningKey, fill, signature};
use docmill_pdf_signatures::sign::{Certify, Draft, Position, Prepared, Spot, Unsignable, Wanted};

use super::*;
use crate::keys::key;
use crate::update::{Update, object};

const RESERVED: usize = 16 << 10;

fn signing_roots() -> Vec<Vec<u8>> {
    roots_of(include_str!("../fixtures/keys/root.pem")).unwrap()
}

fn now() -> Timestamp {
    Timestamp::parse("2026-11-27T10:20:30Z").unwrap()
}

fn wanted<'w>(draft: &Draft<'_>, field: Option<&str>, certify: Certify) -> Result<Wanted<'w>, Unsignable> {
    Ok(Wanted {
        spot: draft.spot(field)?,
        position: Position { page: draft.page(0)?, rectangle: [0.0; 4] },
        look: None,
        certify,
        reason: Some("Näher geprüft"),
        location: Some("Wien"),
        contact: Some("ada@example.com"),
        time: now(),
        reserved: RESERVED,
    })
}

/// A signed version of a file.
pub(crate) fn sealed(file: &[u8], prepared: &Prepared, key: &SigningKey) -> Vec<u8> {
    sealed_with(file, prepared, key, |_| {})
}

/// The same with a change of what is signed.
fn sealed_with(file: &[u8], prepared: &Prepared, key: &SigningKey, change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let Prepared { update, gap } = prepared;
    let mut whole = [file, update].concat();
    let mut digest = key.algorithm().digest();
    digest.update(&whole[..gap.start]);
    digest.update(&whole[gap.end..]);
    let mut attributes = Attributes::new(key.algorithm(), digest.finish().as_ref(), &key.certificates()[0]);
    change(&mut attributes.signed);
    let made = signature(&attributes, &key.sign(&attributes.signed).unwrap(), key.certificates(), None).unwrap();
    whole[gap.clone()].copy_from_slice(&fill(&made, gap.len()).unwrap());
    whole
}

/// Programs that sort the attributes, as the standard says, find another signature than those that don't.
#[test]
fn what_is_signed_in_another_order_never_passes() {
    let file = fixture("unsigned");
    let draft = Draft::open(&file, "").unwrap();
    let prepared = draft.prepare(wanted(&draft, None, Certify::No).unwrap()).unwrap();
    let signed = sealed_with(&file, &prepared, &key("p256"), |set| {
        // Short attributes in a longer set: the first one goes to the end.
        let head = if set[1] < 0x80 { 2 } else { 3 };
        let first = usize::from(set[head + 1]) + 2;
        set[head..].rotate_left(first);
    });
    let found = judged(&signed, "").signatures.remove(0);
    let said = (found.indication, found.sub_indication, found.intact);
    let expected = (Indication::Indeterminate, Some(SubIndication::SigConstraintsFailure), true);
    assert_eq!(said, expected, "{}", found.sentence);
    assert!(found.sentence.contains("not written in the order"), "{}", found.sentence);
}

fn try_sign(file: &[u8], password: &str, field: Option<&str>, certify: Certify) -> Result<Vec<u8>, Unsignable> {
    let draft = Draft::open(file, password)?;
    let prepared = draft.prepare(wanted(&draft, field, certify)?)?;
    Ok(sealed(file, &prepared, &key("p256")))
}

fn sign(file: &[u8], field: Option<&str>, certify: Certify) -> Vec<u8> {
    try_sign(file, "", field, certify).unwrap()
}

/// The report with both authorities trusted.
fn judged(file: &[u8], password: &str) -> Report {
    report_with(file, password, &[roots(), signing_roots()].concat(), false)
}

fn refusal(file: &[u8], field: Option<&str>, certify: Certify) -> String {
    let refused = try_sign(file, "", field, certify).unwrap_err();
    assert!(matches!(refused, Unsignable::Refused(_)), "{refused}");
    refused.to_string()
}

#[test]
fn keys_of_each_kind_make_signatures_that_pass() {
    let file = fixture("unsigned");
    let draft = Draft::open(&file, "").unwrap();
    for (name, signed_by) in [
        ("rsa", "RSA with SHA-256"),
        ("p256", "ECDSA with SHA-256"),
        ("p384", "ECDSA with SHA-384"),
        ("p521", "ECDSA with SHA-512"),
    ] {
        let prepared = draft.prepare(wanted(&draft, None, Certify::No).unwrap()).unwrap();
        let signed = sealed(&file, &prepared, &key(name));
        let found = judged(&signed, "").signatures.remove(0);
        assert_eq!(found.indication, Indication::TotalPassed, "{name}: {}", found.sentence);
        assert_eq!((found.signature_algorithm.as_deref(), found.level), (Some(signed_by), Some("B-B")), "{name}");
        assert!(found.covers_whole_document && found.chain.len() == 3, "{name}");
        assert_eq!((found.field.as_deref(), found.reason.as_deref()), (Some("Signature1"), Some("Näher geprüft")));
        assert_eq!(found.signing_time.as_deref(), Some("2026-11-27T10:20:30.000Z"));
        assert!(signed.starts_with(&file));
    }
}

#[test]
fn earlier_signatures_stay_valid() {
    for name in ["approval", "packed", "two", "archived", "stored", "certified-2", "certified-3", "approval-filled"] {
        let before = fixture(name);
        let after = sign(&before, None, Certify::No);
        assert!(after.starts_with(&before), "{name}");
        let (old, new) = (report(&before).signatures, judged(&after, "").signatures);
        assert_eq!(new.len(), old.len() + 1, "{name}");
        for found in &new {
            assert_eq!(found.indication, Indication::TotalPassed, "{name}: {}", found.sentence);
        }
        assert!(kinds(&new[0]).contains(&(ChangeKind::SignatureAdded, true)), "{name}");
    }
}

#[test]
fn a_protected_file_stays_protected_and_gets_its_signature() {
    let signed = try_sign(&fixture("protected"), "open", None, Certify::No).unwrap();
    let found = judged(&signed, "open").signatures;
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|each| each.indication == Indication::TotalPassed), "{found:?}");
    assert_eq!(found[1].reason.as_deref(), Some("Näher geprüft"));
    assert!(matches!(Draft::open(&fixture("protected"), "shut"), Err(Unsignable::Unreadable(_))));
    // What proves its certificates good is as protected as everything else, and no fault.
    let proof = b"what an authority said".to_vec();
    let dossier = Dossier { responses: vec![proof.clone()], ..Dossier::default() };
    let update = Draft::open(&signed, "open").unwrap().keep(&dossier).unwrap();
    assert!(!update.windows(proof.len()).any(|window| window == proof));
    let kept = [signed, update].concat();
    let found = judged(&kept, "open").signatures;
    assert!(found.iter().all(|each| each.indication == Indication::TotalPassed), "{found:?}");
    assert!(kinds(&found[1]).contains(&(ChangeKind::DssAdded, true)), "{found:?}");
    let read = lopdf::Document::load_mem_with_options(&kept, lopdf::LoadOptions::with_password("open")).unwrap();
    let holds = |object: &lopdf::Object| object.as_stream().is_ok_and(|stream| stream.content == proof);
    assert!(read.objects.values().any(holds));
}

#[test]
fn a_certifying_signature_says_what_may_change() {
    for (certify, permission) in [(Certify::NoChanges, 1), (Certify::Forms, 2), (Certify::Annotations, 3)] {
        let signed = sign(&fixture("unsigned"), None, certify);
        let found = judged(&signed, "").signatures.remove(0);
        assert_eq!((found.indication, found.doc_mdp.unwrap().permission), (Indication::TotalPassed, permission));
    }
    let locked = sign(&fixture("unsigned"), None, Certify::NoChanges);
    assert!(refusal(&locked, None, Certify::No).contains("allows no changes"));
    assert!(refusal(&fixture("certified-1"), None, Certify::No).contains("allows no changes"));
    assert!(refusal(&fixture("approval"), None, Certify::Forms).contains("only its first signature can certify"));
}

#[test]
fn an_empty_field_is_signed_and_others_are_not() {
    let field = "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Here) /Rect [200 20 280 50] /P 3 0 R /F 4 \
                 /Lock << /Type /SigFieldLock /Action /Include /Fields [(amount)] >> >>";
    let form = object(&fixture("unsigned"), 1).replace("[6 0 R 7 0 R]", "[6 0 R 7 0 R 50 0 R]");
    let page = object(&fixture("unsigned"), 3).replace("[6 0 R 7 0 R]", "[6 0 R 7 0 R 50 0 R]");
    let file = Update::of(&fixture("unsigned")).put(50, field).put(1, &form).put(3, &page).finish();
    let draft = Draft::open(&file, "").unwrap();
    let Spot::Empty(empty) = draft.spot(Some("Here")).unwrap() else { panic!("not found") };
    assert_eq!((empty.rectangle, empty.rotation, empty.is_visible()), ([200.0, 20.0, 280.0, 50.0], 0, true));
    let signed = sign(&file, Some("Here"), Certify::No);
    let found = judged(&signed, "").signatures.remove(0);
    assert_eq!(
        (found.field.as_deref(), found.indication),
        (Some("Here"), Indication::TotalPassed),
        "{}",
        found.sentence
    );
    let text = String::from_utf8_lossy(&signed);
    assert!(text.contains("/TransformMethod/FieldMDP") && text.contains("/Fields[(amount)]"), "the lock is signed");
    assert!(refusal(&signed, Some("Here"), Certify::No).contains("signed already"));
    assert!(refusal(&file, Some("name"), Certify::No).contains("not for a signature"));
    assert!(refusal(&file, Some("a.b"), Certify::No).contains("a new one can't be"));
}

/// The unsigned file with an empty field whose author asks for this.
fn with_seed_values(seed: &str) -> Vec<u8> {
    let field = format!(
        "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Here) /Rect [0 0 0 0] /P 3 0 R /F 4 /SV << {seed} >> >>"
    );
    let form = object(&fixture("unsigned"), 1).replace("[6 0 R 7 0 R]", "[6 0 R 7 0 R 50 0 R]");
    Update::of(&fixture("unsigned")).put(50, &field).put(1, &form).finish()
}

#[test]
fn what_a_field_asks_for_is_kept_or_the_signature_is_refused() {
    for seed in [
        "",
        "/Filter /Other /SubFilter [/adbe.pkcs7.detached] /Reasons [(Read)]",
        "/Ff 11 /Filter /Adobe.PPKLite /SubFilter [/adbe.pkcs7.detached /ETSI.CAdES.detached] /Reasons [(Read) <FEFF004E00E4006800650072002000670065007000720\
         0FC00660074>]",
        "/Ff 64 /DigestMethod [(SHA1) (SHA256)] /MDP << /P 0 >>",
        "/Cert << /Type /SVCert >> /TimeStamp << /URL (http://a.example) >>",
    ] {
        sign(&with_seed_values(seed), Some("Here"), Certify::No);
    }
    sign(&with_seed_values("/MDP << /P 2 >>"), Some("Here"), Certify::Forms);
    for (seed, certify, words) in [
        ("/Ff 1 /Filter /Other", Certify::No, "a program of its own"),
        ("/Ff 2 /SubFilter [/adbe.pkcs7.detached]", Certify::No, "another form of signature"),
        ("/Ff 64 /DigestMethod [(SHA1)]", Certify::No, "a digest that is no longer safe"),
        ("/Ff 8 /Reasons [(Read)]", Certify::No, "one of its own texts in `reason`"),
        ("/Ff 8 /Reasons [(.)]", Certify::No, "a signature without `reason`"),
        ("/MDP << /P 0 >>", Certify::Forms, "leave out `certify`"),
        ("/MDP << /P 1 >>", Certify::No, "must be `noChanges`"),
        ("/Cert << /Ff 1 >>", Certify::No, "certain certificates"),
        ("/TimeStamp << /Ff 1 >>", Certify::No, "the time stamp of a certain authority"),
        ("/Ff 32 /AddRevInfo true", Certify::No, "proof within the signature"),
        ("/Ff 16 /LegalAttestation [(a)]", Certify::No, "a legal attestation"),
    ] {
        let message = refusal(&with_seed_values(seed), Some("Here"), certify);
        assert!(message.starts_with("The field Here asks for ") && message.contains(words), "{seed}: {message}");
    }
}

#[test]
fn a_page_that_is_missing_is_named() {
    let file = fixture("unsigned");
    let draft = Draft::open(&file, "").unwrap();
    let refused = draft.page(4).unwrap_err().to_string();
    assert_eq!(refused, "`appearance.page` is 5, and the document has 1 pages.");
}
