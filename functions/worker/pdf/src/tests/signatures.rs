use docmill_pdf_request::ErrorCode;

use super::*;

const APPROVED: &[u8] = include_bytes!("../../signatures/tests/fixtures/approval.pdf");
const UNSIGNED: &[u8] = include_bytes!("../../signatures/tests/fixtures/unsigned.pdf");
const PROTECTED: &[u8] = include_bytes!("../../signatures/tests/fixtures/protected.pdf");
const ROOT: &str = include_str!("../../signatures/tests/fixtures/root.pem");

/// The job's report, and the result.
fn verified(run: &Run, options: Value) -> (Value, Value) {
    let outcome = run.run(Tool::VerifySignatures, options).unwrap();
    let written = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    (outcome.report.unwrap(), serde_json::from_slice(&written).unwrap())
}

#[test]
fn signatures_are_verified() {
    let run = Run::new().with(APPROVED);
    let (report, found) = verified(&run, json!({"trustedRoots": ROOT, "time": "2026-01-01T00:00:00Z"}));
    let sentence = "Signature: The signature of Ada Signer is valid, and the document is as it was signed.";
    let expected = json!({"signatures": 1, "intact": 1, "valid": 1, "failed": 0, "sentences": [sentence]});
    assert_eq!(report, expected);
    let signature = &found["signatures"][0];
    assert_eq!((&signature["indication"], &signature["subIndication"]), (&json!("TOTAL-PASSED"), &Value::Null));
    assert_eq!(signature["validationTime"], "2026-01-01T00:00:00.000Z");
    let (report, found) = verified(&run, json!({"trustedRoots": ROOT, "time": "2020-01-01T00:00:00Z"}));
    assert_eq!(
        (&report["valid"], &found["signatures"][0]["subIndication"]),
        (&json!(0), &json!("OUT_OF_BOUNDS_NO_POE"))
    );
    let (_, found) = verified(&run, json!({}));
    assert_eq!(found["signatures"][0]["subIndication"], "NO_CERTIFICATE_CHAIN_FOUND");
}

#[test]
fn a_protected_file_needs_its_password() {
    let mut run = Run::new().with(PROTECTED);
    let refused = |run: &Run| run.run(Tool::VerifySignatures, json!({"trustedRoots": ROOT})).unwrap_err().code;
    assert_eq!(refused(&run), ErrorCode::PasswordRequired);
    run.sources[0].password = Some("shut".to_owned());
    assert_eq!(refused(&run), ErrorCode::WrongPassword);
    run.sources[0].password = Some("open".to_owned());
    let (report, _) = verified(&run, json!({"trustedRoots": ROOT}));
    assert_eq!(report["valid"], 1);
}

#[test]
fn what_is_no_certificate_is_refused() {
    let refused = Run::new().with(APPROVED).run(Tool::VerifySignatures, json!({"trustedRoots": "x"})).unwrap_err();
    assert!(refused.message.contains("`trustedRoots`"), "{refused:?}");
    let damaged = Run::new().with(b"%PDF-1.7\n").run(Tool::VerifySignatures, json!({})).unwrap_err();
    assert_eq!(damaged.code, ErrorCode::CorruptDocument);
}

/// Whether the tool warns that a signature has ended.
fn ends_signature(run: &Run, tool: Tool, options: Value) -> bool {
    let outcome = run.run(tool, options).unwrap_or_else(|failure| panic!("{tool:?}: {failure:?}"));
    outcome.warnings.iter().filter(|warning| warning.code == "signature_invalidated").count() == 1
}

#[test]
fn tools_that_rewrite_a_signed_file_say_that_it_is_no_longer_signed() {
    let run = Run::new().with(APPROVED);
    for (tool, options) in [
        (Tool::MergePdf, json!({})),
        (Tool::SplitPdf, json!({"ranges": ["1"]})),
        (Tool::OrganizePdf, json!({})),
        (Tool::ProtectPdf, json!({"userPassword": "a"})),
        (Tool::WatermarkPdf, json!({"text": "Draft"})),
        (Tool::EditMetadata, json!({"set": {"title": "Other"}})),
        (Tool::FlattenPdf, json!({})),
        (Tool::FillForm, json!({"fields": {"name": "Zoe"}})),
        (Tool::PdfToPdfa, json!({"level": "2b", "onUnsupported": "warn"})),
        (Tool::OcrPdf, json!({})),
        (Tool::RedactPdf, json!({"text": [{"literal": "Signed"}]})),
        (Tool::MarkTest, Value::Null),
    ] {
        assert!(ends_signature(&run, tool, options), "{tool:?}");
    }
    let mut protected = Run::new().with(PROTECTED);
    assert!(ends_signature(&protected, Tool::UnlockPdf, json!({"password": "open"})));
    protected.sources[0].password = Some("open".to_owned());
    assert!(ends_signature(&protected, Tool::OrganizePdf, json!({})));
}

#[test]
fn what_is_only_read_or_stays_as_it_is_keeps_its_signature() {
    let run = Run::new().with(APPROVED);
    for (tool, options) in [
        (Tool::PdfToText, json!({})),
        (Tool::PdfToImages, json!({"dpi": 36})),
        (Tool::InspectDocument, json!({})),
        (Tool::VerifySignatures, json!({})),
        (Tool::ExtractDocument, json!({})),
        (Tool::UnlockPdf, json!({})),
        (Tool::Verify, Value::Null),
    ] {
        assert!(!ends_signature(&run, tool, options), "{tool:?}");
    }
    let both = Run::new().with(APPROVED).with(APPROVED);
    assert!(!ends_signature(&both, Tool::CompareDocuments, json!({})));
    let attached = Run::new().with(UNSIGNED).with(APPROVED);
    assert!(!ends_signature(&attached, Tool::EditMetadata, json!({"attachments": [{"source": 1}]})));
    let attachments = std::fs::read(attached.path("result.pdf")).unwrap();
    assert!(!ends_signature(&Run::new().with(&attachments), Tool::OrganizePdf, json!({})));
}

#[test]
fn a_file_that_names_ranges_of_bytes_without_a_signature_is_not_signed() {
    let noted = [UNSIGNED, b"\n% /ByteRange\n"].concat();
    assert!(!ends_signature(&Run::new().with(&noted), Tool::OrganizePdf, json!({})));
}
