use docmill_pdf_request::ErrorCode;

use super::*;

const APPROVED: &[u8] = include_bytes!("../../signatures/tests/fixtures/approval.pdf");
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
