//! Certified documents: what each permission allows, and the attacks that misuse it.

use docmill_pdf_signatures::{ChangeKind, Indication};

use super::*;
use crate::update::{Update, object};

/// A text that covers the price.
const COVER: &str = "<< /Type /Annot /Subtype /FreeText /Rect [20 140 280 180] /Contents (Pay 900 euros) /DA (/F 18 Tf) /AP << /N 71 0 R >> >>";
const FORM: &str = "/Type /XObject /Subtype /Form /BBox [0 0 260 40]";

fn with_annotation(signed: &[u8]) -> Vec<u8> {
    let page = object(signed, 3);
    let page = page.replacen("/Annots [", "/Annots [70 0 R ", 1);
    assert!(page.contains("70 0 R"), "{page}");
    Update::of(signed).put(3, &page).put(70, COVER).stream(71, FORM, "1 g 0 0 260 40 re f").finish()
}

/// The evil annotation attack: an annotation that the permission allows covers what was signed.
#[test]
fn annotations_never_pass_unseen() {
    let found = first(&with_annotation(&fixture("certified-3")));
    assert_doubtful(&found, "They can cover what was signed (page 1).");
    assert_eq!(kinds(&found), [(ChangeKind::AnnotationsChanged, true)]);
    for name in ["certified-1", "certified-2"] {
        assert_failed(&first(&with_annotation(&fixture(name))), "which the signer does not allow");
    }
    let found = first(&with_annotation(&fixture("approval")));
    assert_doubtful(&found, "They can cover what was signed");
    assert_eq!(kinds(&found), [(ChangeKind::AnnotationsChanged, false)]);
}

/// A signature in a new field of this size.
fn with_signature(signed: &[u8], rectangle: &str) -> Vec<u8> {
    let catalog = object(signed, 1);
    let catalog = catalog.replacen("/Fields [", "/Fields [ ", 1);
    let fields = catalog.find("/Fields [").unwrap();
    let end = fields + catalog[fields..].find(']').unwrap();
    let catalog = format!("{} 80 0 R{}", &catalog[..end], &catalog[end..]);
    let page = object(signed, 3).replacen("/Annots [", "/Annots [ ", 1);
    let annotations = page.find("/Annots [").unwrap();
    let end = annotations + page[annotations..].find(']').unwrap();
    let page = format!("{} 80 0 R{}", &page[..end], &page[end..]);
    let field = format!(
        "<< /Type /Annot /Subtype /Widget /FT /Sig /T (Mallory) /Rect {rectangle} /P 3 0 R /V 81 0 R /AP << /N 82 0 R >> >>"
    );
    let value = "<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 10 20 10] /Contents <00> >>";
    let update = Update::of(signed).put(1, &catalog).put(3, &page).put(80, &field).put(81, value);
    update.stream(82, FORM, "1 g 0 0 260 40 re f").finish()
}

/// The sneaky signature attack: the look of a further signature covers what was signed.
#[test]
fn a_visible_signature_after_certification_is_doubtful() {
    for name in ["certified-2", "certified-3"] {
        let found = report(&with_signature(&fixture(name), "[20 140 280 180]"));
        let certified = found.signatures.iter().find(|each| each.field.as_deref() == Some("Signature")).unwrap();
        assert_doubtful(certified, "It can cover what was signed (Mallory).");
        let own = found.signatures.iter().find(|each| each.field.as_deref() == Some("Mallory")).unwrap();
        assert_eq!(own.indication, Indication::TotalFailed, "{}", own.sentence);
    }
    let invisible = report(&with_signature(&fixture("certified-2"), "[0 0 0 0]"));
    let certified = invisible.signatures.iter().find(|each| each.field.as_deref() == Some("Signature")).unwrap();
    assert_eq!(certified.indication, Indication::TotalPassed, "{}", certified.sentence);
    let forbidden = report(&with_signature(&fixture("certified-1"), "[0 0 0 0]"));
    let certified = forbidden.signatures.iter().find(|each| each.field.as_deref() == Some("Signature")).unwrap();
    assert_failed(certified, "which the signer does not allow (Mallory)");
    let large = report(&with_signature(&fixture("approval"), "[0 0 600 800]"));
    let approval = large.signatures.iter().find(|each| each.field.as_deref() == Some("Signature")).unwrap();
    assert_doubtful(approval, "It can cover what was signed");
}

fn filled(signed: &[u8]) -> Vec<u8> {
    let field = object(signed, 6).replacen("<<", "<< /V (Zoe)", 1);
    Update::of(signed).put(6, &field).finish()
}

#[test]
fn fields_are_filled_in_as_far_as_the_signer_allows() {
    for name in ["approval", "certified-2", "certified-3"] {
        let found = first(&filled(&fixture(name)));
        assert_eq!(
            (found.indication, kinds(&found)),
            (Indication::TotalPassed, vec![(ChangeKind::FormFilled, true)]),
            "{name}"
        );
    }
    assert_failed(&first(&filled(&fixture("certified-1"))), "which the signer does not allow (name)");
    let locked = first(&filled(&fixture("locked")));
    assert_failed(&locked, "A field was changed that the signature locks (name).");
    assert_eq!(locked.locked_fields, ["name"]);
}

#[test]
fn fields_that_are_no_signatures_are_never_added() {
    let signed = fixture("approval");
    let catalog = object(&signed, 1);
    let fields = catalog.find("/Fields [").unwrap();
    let end = fields + catalog[fields..].find(']').unwrap();
    let with = |field: &str| {
        let catalog = format!("{} 80 0 R{}", &catalog[..end], &catalog[end..]);
        first(&Update::of(&signed).put(1, &catalog).put(80, field).finish())
    };
    assert_failed(&with("<< /FT /Tx /T (x) /V (y) >>"), "not for a signature (x)");
    assert_failed(&with("<< /FT /Sig /T (x) /AA << /F << /S /JavaScript /JS (y) >> >> >>"), "not for a signature (x)");
    assert_eq!(kinds(&with("<< /FT /Sig /T (x) >>")), [(ChangeKind::FieldAdded, true)]);
    let fewer = catalog.replacen("6 0 R", "", 1);
    assert_failed(&first(&Update::of(&signed).put(1, &fewer).finish()), "Fields of the form were removed");
}
