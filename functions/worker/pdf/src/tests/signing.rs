use docmill_domain::time::Timestamp;
use docmill_pdf_request::ErrorCode;
use docmill_pdf_signatures::make::{Attributes, SigningKey, fill, signature};
use docmill_pdf_signatures::{Indication, Report, roots_of, verify};
use lopdf::Document;

use super::*;

const UNSIGNED: &[u8] = include_bytes!("../../signatures/tests/fixtures/unsigned.pdf");
const APPROVED: &[u8] = include_bytes!("../../signatures/tests/fixtures/approval.pdf");
const PROTECTED: &[u8] = include_bytes!("../../signatures/tests/fixtures/protected.pdf");
const KEY: &[u8] = include_bytes!("../../signatures/tests/fixtures/keys/p256.p12");
const ROOTS: [&str; 2] = [
    include_str!("../../signatures/tests/fixtures/keys/root.pem"),
    include_str!("../../signatures/tests/fixtures/root.pem"),
];

/// What the tool makes, and the same with a signature in its gap.
fn signed(run: &Run, options: Value) -> (Outcome, Vec<u8>) {
    let outcome = run.run(Tool::SignPdf, options).unwrap();
    let mut file = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    let report = outcome.report.as_ref().unwrap();
    let place = |index: usize| report["gap"][index].as_u64().unwrap() as usize;
    let (start, end) = (place(0), place(1));
    let key = SigningKey::from_pkcs12(KEY, "secret").unwrap();
    let mut digest = key.algorithm().digest();
    digest.update(&file[..start]);
    digest.update(&file[end..]);
    let attributes = Attributes::new(key.algorithm(), digest.finish().as_ref(), &key.certificates()[0]);
    let made = signature(&attributes, &key.sign(&attributes.signed).unwrap(), key.certificates(), None).unwrap();
    file[start..end].copy_from_slice(&fill(&made, end - start).unwrap());
    (outcome, file)
}

fn judged(file: &[u8], password: &str) -> Report {
    let roots: Vec<Vec<u8>> = ROOTS.iter().flat_map(|pem| roots_of(pem).unwrap()).collect();
    let time = Timestamp::parse("2026-11-28T00:00:00Z").unwrap();
    let options = docmill_pdf_signatures::Options { password, roots: &roots, time, check_revocation: false };
    verify(file, &options).unwrap()
}

fn assert_passed(file: &[u8], password: &str, count: usize) {
    let found = judged(file, password).signatures;
    assert_eq!(found.len(), count);
    for signature in found {
        assert_eq!(signature.indication, Indication::TotalPassed, "{}", signature.sentence);
    }
}

fn refusal(run: &Run, options: Value) -> (ErrorCode, String) {
    let failure = run.run(Tool::SignPdf, options).unwrap_err();
    (failure.code, failure.message)
}

/// The widget of the last field, and what its look draws.
fn look(file: &[u8]) -> (Vec<f32>, Vec<u8>, Document) {
    let document = Document::load_mem(file).unwrap();
    let catalog = document.catalog().unwrap();
    let form = document.dereference(catalog.get(b"AcroForm").unwrap()).unwrap().1.as_dict().unwrap();
    let fields = document.dereference(form.get(b"Fields").unwrap()).unwrap().1.as_array().unwrap();
    let widget = document.get_dictionary(fields.last().unwrap().as_reference().unwrap()).unwrap();
    let sides = widget.get(b"Rect").unwrap().as_array().unwrap().iter().map(|side| side.as_float().unwrap()).collect();
    let normal = widget.get(b"AP").unwrap().as_dict().unwrap().get(b"N").unwrap().as_reference().unwrap();
    let content = document.get_object(normal).unwrap().as_stream().unwrap().content.clone();
    (sides, content, document)
}

#[test]
fn a_signature_without_a_look_shows_nothing() {
    let run = Run::new().with(UNSIGNED);
    let (outcome, file) = signed(&run, json!({"reason": "Approved"}));
    assert!(file.starts_with(UNSIGNED) && outcome.warnings.is_empty());
    assert_eq!(outcome.report.unwrap()["field"], "Signature1");
    assert_passed(&file, "", 1);
}

#[test]
fn text_picture_and_code_are_beside_each_other_in_the_box() {
    let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([200, 30, 30]));
    let mut png = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut png);
    image::ImageEncoder::write_image(encoder, &picture, 40, 20, image::ExtendedColorType::Rgb8).unwrap();
    let mut run = Run::new().with(UNSIGNED);
    run.push(&png, Format::Png);
    let look_of = json!({"box": [20, 20, 260, 80], "text": ["Signed by Ada", "{date}"], "source": 1, "qrCode": "https://a.example"});
    let (outcome, file) = signed(&run, json!({"appearance": look_of, "field": "Here"}));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    assert_passed(&file, "", 1);
    let (sides, content, document) = look(&file);
    assert_eq!(sides, [20.0, 120.0, 260.0, 180.0]);
    assert_eq!(String::from_utf8(content).unwrap().matches(" Do Q").count(), 3);
    let described: Vec<_> = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok())
        .filter(|dict| dict.has(b"FontFile2") && dict.has(b"CIDSet"))
        .collect();
    assert!(!described.is_empty());
    for descriptor in described {
        let data = |key: &[u8]| {
            let stream = document.get_object(descriptor.get(key).unwrap().as_reference().unwrap()).unwrap();
            let stream = stream.as_stream().unwrap();
            stream.decompressed_content().unwrap_or_else(|_| stream.content.clone())
        };
        let glyphs = ttf_parser::Face::parse(&data(b"FontFile2"), 0).unwrap().number_of_glyphs();
        let listed: u32 = data(b"CIDSet").iter().map(|byte| byte.count_ones()).sum();
        assert_eq!(listed, u32::from(glyphs), "PDF/A-1 asks for a list of all glyphs");
    }
}

#[test]
fn the_box_is_on_the_page_as_it_is_shown() {
    let mut document = fixture::plain_document("turned", 1, (300.0, 400.0));
    let page = document.get_pages()[&1];
    document.get_dictionary_mut(page).unwrap().set("Rotate", 90);
    let run = Run::new().with(&fixture::save(&mut document));
    let (_, file) = signed(&run, json!({"appearance": {"box": [10, 20, 110, 50], "text": ["Turned"]}}));
    assert_passed(&file, "", 1);
    // The shown page is 400 wide, and its top is the page's left side.
    assert_eq!(look(&file).0, [20.0, 10.0, 50.0, 110.0]);
    let (code, message) = refusal(&run, json!({"appearance": {"box": [900, 900, 950, 950], "text": ["a"]}}));
    assert_eq!(code, ErrorCode::SigningFailed);
    assert!(message.contains("400 by 300"), "{message}");
}

#[test]
fn signed_and_protected_files_are_signed_again() {
    let (_, file) = signed(&Run::new().with(APPROVED), json!({}));
    assert!(file.starts_with(APPROVED));
    assert_passed(&file, "", 2);
    let mut run = Run::new().with(PROTECTED);
    assert_eq!(refusal(&run, json!({})).0, ErrorCode::PasswordRequired);
    run.sources[0].password = Some("shut".to_owned());
    assert_eq!(refusal(&run, json!({})).0, ErrorCode::WrongPassword);
    run.sources[0].password = Some("open".to_owned());
    let (_, file) = signed(&run, json!({"appearance": {"box": [20, 20, 120, 60], "text": ["Ada"]}}));
    assert_passed(&file, "open", 2);
}

#[test]
fn what_a_document_does_not_allow_is_refused() {
    let (_, certified) = signed(&Run::new().with(UNSIGNED), json!({"certify": "noChanges"}));
    let (code, message) = refusal(&Run::new().with(&certified), json!({}));
    assert_eq!(code, ErrorCode::SigningFailed);
    assert!(message.contains("allows no changes"), "{message}");
    let (_, certified) = signed(&Run::new().with(UNSIGNED), json!({"certify": "forms"}));
    let seen = json!({"appearance": {"box": [20, 20, 120, 60], "text": ["Ada"]}});
    assert!(refusal(&Run::new().with(&certified), seen).1.contains("certified"));
    let (_, again) = signed(&Run::new().with(&certified), json!({}));
    assert_passed(&again, "", 2);
    let missing = json!({"appearance": {"page": 7, "box": [1, 1, 9, 9], "text": ["a"]}});
    assert!(refusal(&Run::new().with(UNSIGNED), missing).1.contains("has 1 pages"));
    let nowhere = json!({"appearance": {"text": ["a"]}});
    assert!(refusal(&Run::new().with(UNSIGNED), nowhere).1.contains("needs a `box`"));
}

#[test]
fn tags_get_the_new_field_and_nothing_else_changes() {
    let file = fixture::rich("tagged", 2);
    let before = Document::load_mem(&file).unwrap();
    let (_, signed_file) =
        signed(&Run::new().with(&file), json!({"appearance": {"box": [20, 20, 120, 60], "text": ["Ada"]}}));
    assert_passed(&signed_file, "", 1);
    let after = Document::load_mem(&signed_file).unwrap();
    let elements = |document: &Document| {
        let is_form = |object: &&Object| {
            object.as_dict().is_ok_and(|dict| {
                dict.has_type(b"StructElem")
                    && dict.get(b"S").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form")
            })
        };
        document.objects.values().filter(is_form).count()
    };
    assert_eq!(elements(&after), elements(&before) + 1);
    assert_eq!(after.get_pages().len(), before.get_pages().len());
}

#[test]
fn a_damaged_file_is_repaired_and_signed() {
    let cut = &UNSIGNED[..UNSIGNED.len() - 60];
    let (outcome, file) = signed(&Run::new().with(cut), json!({}));
    assert_eq!(outcome.warnings[0].code, "repaired");
    assert_passed(&file, "", 1);
}
