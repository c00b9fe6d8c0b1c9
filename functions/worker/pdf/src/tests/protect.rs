use docmill_formats::Format;
use docmill_pdf_request::ErrorCode;

use super::*;
use fixture::{plain, plain_document, rich, save};
use lopdf::dictionary;

/// qpdf's report on a file's protection, with this password.
fn protection(path: &Path, password: &str) -> Result<String, ErrorCode> {
    let job = json!({"inputFile": path, "password": password, "showEncryption": ""});
    engines().libraries.qpdf().unwrap().run(&job).map(|report| report.text).map_err(|failure| failure.code)
}

fn protected(options: Value) -> (Run, PathBuf) {
    let run = Run::new().with(&plain("secret", 2));
    let outcome = run.run(Tool::ProtectPdf, options).unwrap();
    assert_eq!(outcome.artifacts[0].pages, Some(2));
    let path = run.path("result.pdf");
    (run, path)
}

#[test]
fn a_document_is_protected_by_aes_256() {
    let (_run, path) = protected(
        json!({"userPassword": "öffnen", "ownerPassword": "owner", "permissions": {"print": false, "copy": false}}),
    );
    let shown = protection(&path, "öffnen").unwrap();
    for line in [
        "file encryption method: AESv3",
        "print high resolution: not allowed",
        "extract for any purpose: not allowed",
        "modify forms: allowed",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let wrong = engines().libraries.qpdf().unwrap().pages(&path, Some("wrong")).unwrap_err();
    assert_eq!(wrong.code, ErrorCode::WrongPassword);
    assert!(!std::fs::read(&path).unwrap().windows(8).any(|window| window == b"secret 1"));
}

#[test]
fn a_password_is_required_and_checked() {
    let (_run, path) = protected(json!({"userPassword": "one"}));
    let content = std::fs::read(path).unwrap();
    let mut run = Run::new();
    run.push(&content, Format::Pdf);
    for tool in [Tool::MergePdf, Tool::SplitPdf, Tool::UnlockPdf, Tool::FlattenPdf] {
        assert_eq!(run.run(tool, json!({})).unwrap_err().code, ErrorCode::PasswordRequired, "{tool:?}");
    }
    run.sources[0].password = Some("two".to_owned());
    for tool in [Tool::MergePdf, Tool::SplitPdf, Tool::UnlockPdf, Tool::FlattenPdf] {
        let failure = run.run(tool, json!({})).unwrap_err();
        assert_eq!(failure.code, ErrorCode::WrongPassword, "{tool:?}");
        assert!(!format!("{failure:?}").contains("two"));
    }
    run.sources[0].password = Some("one".to_owned());
    let (outcome, documents) = run.results(Tool::MergePdf, json!({}));
    assert_eq!(page_texts(&documents[0]), ["secret 1", "secret 2"]);
    assert_eq!(outcome.warnings[0].code, "encryption_removed");
}

/// A document in every kind of encryption that opens without a password, though its owner has one.
fn owned() -> Vec<Vec<u8>> {
    let run = Run::new().with(&rich("secret", 2));
    let encrypted = |kind: &str, settings: Value| {
        let path = run.directory.path().join("owned.pdf");
        let encrypt = json!({"userPassword": "", "ownerPassword": "owner", kind: settings});
        let job = json!({
            "inputFile": run.sources[0].path, "outputFile": path, "allowWeakCrypto": "", "objectStreams": "disable",
            "encrypt": encrypt,
        });
        engines().libraries.qpdf().unwrap().run(&job).unwrap();
        std::fs::read(path).unwrap()
    };
    let rc4 = encrypted("128bit", json!({"useAes": "n"}));
    // pdfium takes the key for a shorter one then.
    let length = b"/Length 128 /O";
    let place = rc4.windows(length.len()).position(|window| window == length).unwrap();
    let mut without_length = rc4.clone();
    without_length[place + 1] = b'X';
    let aes = encrypted("128bit", json!({"useAes": "y"}));
    let restricted = encrypted("256bit", json!({"print": "none", "modify": "none", "extract": "n"}));
    vec![encrypted("40bit", json!({})), rc4, without_length, aes, encrypted("256bit", json!({})), restricted]
}

/// The text of PDFs, and the bytes of other results.
fn contents(run: &Run, outcome: &docmill_pdf_request::Outcome) -> Vec<Vec<u8>> {
    let read = |artifact: &docmill_pdf_request::Artifact| {
        let path = run.path(&artifact.file);
        if artifact.media != Format::Pdf {
            return std::fs::read(path).unwrap();
        }
        let open = run.path("open.pdf");
        engines().libraries.qpdf().unwrap().normalize(&path, Some("a"), &open).unwrap();
        page_texts(&Document::load(open).unwrap()).concat().into_bytes()
    };
    outcome.artifacts.iter().map(read).collect()
}

#[test]
fn an_empty_user_password_opens_in_every_tool() {
    let sources = owned();
    for (tool, options) in [
        (Tool::MergePdf, json!({})),
        (Tool::SplitPdf, json!({"mode": "every"})),
        (Tool::OrganizePdf, json!({"pages": "2,1"})),
        (Tool::CompressPdf, json!({})),
        (Tool::ProtectPdf, json!({"userPassword": "a"})),
        (Tool::UnlockPdf, json!({})),
        (Tool::WatermarkPdf, json!({"text": "x"})),
        (Tool::PdfToImages, json!({"dpi": 36})),
        (Tool::Thumbnail, json!({})),
        (Tool::PdfToText, json!({})),
        (Tool::EditMetadata, json!({"set": {"title": "x"}})),
        (Tool::FlattenPdf, json!({})),
        (Tool::FillForm, json!({"fields": {"name": "x"}})),
        (Tool::OcrPdf, json!({})),
        (Tool::PdfToPdfa, json!({"level": "2b", "onUnsupported": "warn"})),
        (Tool::CompareDocuments, json!({"format": "json"})),
        (Tool::RedactPdf, json!({"text": [{"literal": "secret"}]})),
    ] {
        let made = |source: &[u8]| {
            let run = Run::new().with(source);
            let run = if tool == Tool::CompareDocuments { run.with(source) } else { run };
            let outcome = run.run(tool, options.clone()).unwrap_or_else(|failure| panic!("{tool:?}: {failure:?}"));
            contents(&run, &outcome)
        };
        let expected = made(&rich("secret", 2));
        assert!(!expected.concat().is_empty(), "{tool:?}");
        for (kind, source) in sources.iter().enumerate() {
            assert!(made(source) == expected, "{tool:?} of kind {kind}");
        }
    }
}

#[test]
fn a_description_says_what_a_protected_document_allows() {
    let expected = [(2, true), (3, true), (3, true), (4, true), (6, true), (6, false)];
    for (source, (revision, may)) in owned().iter().zip(expected) {
        let run = Run::new().with(source);
        let outcome = run.run(Tool::InspectDocument, json!({})).unwrap();
        let seen: Value = serde_json::from_slice(&contents(&run, &outcome)[0]).unwrap();
        assert_eq!(seen["encryption"]["revision"], revision);
        assert_eq!(seen["encryption"]["permissions"]["copy"], may, "{seen}");
        assert_eq!(seen["pageCount"], 2);
    }
}

#[test]
fn unlocking_opens_for_everyone() {
    let (_run, path) = protected(json!({"userPassword": "one"}));
    let run = Run::new().with(&std::fs::read(path).unwrap());
    let result = run.result(Tool::UnlockPdf, json!({"password": "one"}));
    assert!(!result.is_encrypted());
    assert_eq!(page_texts(&result), ["secret 1", "secret 2"]);
}

#[test]
fn an_unprotected_document_stays_as_it_is() {
    let content = plain("one", 1);
    let run = Run::new().with(&content);
    let (outcome, _) = run.results(Tool::UnlockPdf, json!({}));
    assert_eq!(outcome.warnings[0].code, "not_protected");
    assert_eq!(std::fs::read(run.path("result.pdf")).unwrap(), content);
}

#[test]
fn permissions_need_an_owner() {
    let run = Run::new().with(&plain("one", 1));
    for options in [
        json!({}),
        json!({"userPassword": "a", "permissions": {"copy": false}}),
        json!({"ownerPassword": "a", "userPassword": "a", "permissions": {"copy": false}}),
    ] {
        assert_eq!(run.run(Tool::ProtectPdf, options).unwrap_err().code, ErrorCode::RenderFailed);
    }
}

#[test]
fn a_broken_signature_is_reported() {
    let mut document = plain_document("one", 1, (300.0, 400.0));
    let signature = dictionary! {
        "Type" => "Sig", "Filter" => "Adobe.PPKLite", "Contents" => Object::string_literal("x"),
        "ByteRange" => vec![0.into(), 1.into(), 2.into(), 3.into()],
    };
    let signature = document.add_object(signature);
    let root = document.trailer.get(b"Root").unwrap().as_reference().unwrap();
    let field =
        document.add_object(dictionary! { "FT" => "Sig", "T" => Object::string_literal("s"), "V" => signature });
    let form = dictionary! { "Fields" => vec![field.into()], "SigFlags" => 3 };
    document.get_dictionary_mut(root).unwrap().set("AcroForm", form);
    let run = Run::new().with(&save(&mut document));
    for (tool, options) in [(Tool::OrganizePdf, json!({})), (Tool::ProtectPdf, json!({"userPassword": "a"}))] {
        let outcome = run.run(tool, options).unwrap();
        assert_eq!(outcome.warnings[0].code, "signature_invalidated", "{tool:?}");
    }
    let changed = run.result(Tool::OrganizePdf, json!({}));
    let form = changed.child(catalog(&changed), b"AcroForm").unwrap();
    let field = changed.dictionary(&changed.array(form, b"Fields")[0]).unwrap();
    assert!(field.has(b"T") && !field.has(b"V") && !form.has(b"SigFlags"), "{field:?} {form:?}");
}

#[test]
fn a_damaged_document_without_protection_is_repaired() {
    let run = Run::new().with(include_bytes!("../../../../../tests/corpus/pdfs/cross-reference-ring.pdf"));
    let outcome = run.run(Tool::UnlockPdf, json!({})).unwrap();
    let codes: Vec<_> = outcome.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["not_protected"]);
    check(&run.path(&outcome.artifacts[0].file));
}
