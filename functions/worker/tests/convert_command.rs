//! Tests the command for conversions without AWS like a user.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tempfile::TempDir;

fn fixture(name: &str) -> String {
    format!("{}/../../tests/fixtures/office/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Exit code and the printed object.
fn convert(source: &str, out: &Path, more: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_worker"))
        .args(["convert", "--json", "--in", source, "--out"])
        .arg(out)
        .args(if more.contains(&"--tool") { &[] } else { &["--tool", "office-to-pdf"][..] })
        .args(more)
        .output()
        .unwrap();
    // An engine with problems logs them.
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(!log.contains("the PDF tools:"), "{log}");
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_file_is_converted_as_often_as_asked_and_marked_if_asked() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("out.pdf");
    let (code, report) = convert(&fixture("talk.odp"), &out, &["--repeat", "2", "--test", "--options", "{\"nix\":1}"]);
    assert_eq!(code, 0, "{report}");
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 2);
    assert!(runs.iter().all(|run| run["convertMs"].as_f64() > Some(1.0) && run["cpuMs"].is_number()), "{report}");
    assert_eq!((&report["output"]["pages"], &report["output"]["filename"]), (&2.into(), &"talk.pdf".into()));
    assert_eq!(report["warnings"][0]["code"], "unknown_option");
    let read = std::process::Command::new("pdftotext").arg(&out).arg("-").output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    let pages: Vec<&str> = text.split_terminator('\u{c}').collect();
    assert!(pages.len() == 2 && pages.iter().all(|page| page.contains("TEST")), "{text}");
}

#[test]
fn pages_are_counted_from_either_end_and_come_in_the_order_asked_for() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("out.pdf");
    let pages = |range: &str| {
        let options = format!("{{\"pageRange\": \"{range}\"}}");
        let (code, report) = convert(&fixture("talk.odp"), &out, &["--options", &options]);
        let read = Command::new("pdftotext").arg(&out).arg("-").output().unwrap();
        let text = String::from_utf8(read.stdout).unwrap();
        (code, report, text.split_terminator('\u{c}').map(str::to_owned).collect::<Vec<_>>())
    };
    let (_, _, forwards) = pages("1-2");
    let (code, report, backwards) = pages("z, r2");
    assert!(code == 0 && forwards.len() == 2, "{report}");
    assert_eq!(backwards, [forwards[1].clone(), forwards[0].clone()]);
    let (code, report, _) = pages("z,9");
    assert_eq!((code, &report["error"]["code"]), (1, &"render_failed".into()));
    assert!(report["error"]["message"].as_str().unwrap().starts_with("`pageRange`: There is no page 9"), "{report}");
}

#[test]
fn a_file_of_an_unknown_kind_is_refused_with_what_the_tool_accepts() {
    let directory = TempDir::new().unwrap();
    let (cut, out) = (directory.path().join("paper.pdf"), directory.path().join("out.pdf"));
    std::fs::write(&cut, b"\0\x01\x02 the middle of a file \0\xff").unwrap();
    for (tool, accepted) in
        [("compress-pdf", "This tool accepts: pdf."), ("office-to-pdf", "This tool accepts: docx, doc, dotx,")]
    {
        let (code, report) = convert(cut.to_str().unwrap(), &out, &["--tool", tool]);
        assert_eq!((code, &report["error"]["code"]), (1, &"unsupported_format".into()), "{report}");
        let message = report["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("The source seems to be a binary file of an unknown kind. It may be damaged."),
            "{message}"
        );
        assert!(message.contains(accepted), "{message}");
    }
}

#[test]
fn signatures_are_kept_where_that_is_asked_for() {
    let directory = TempDir::new().unwrap();
    let (signed, out) = (
        format!("{}/pdf/signatures/tests/fixtures/approval.pdf", env!("CARGO_MANIFEST_DIR")),
        directory.path().join("out"),
    );
    let keep =
        |tool: &str, more: &[&str]| convert(&signed, &out, &[&["--tool", tool, "--keep-signatures"], more].concat());
    let (code, refused) = keep("organize-pdf", &[]);
    assert_eq!((code, &refused["error"]["code"]), (1, &"document_signed".into()), "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("A source is signed, and organize-pdf would end its signatures."), "{message}");
    let then = r#"[{"toolSlug": "compress-pdf"}, {"toolSlug": "watermark-pdf", "options": {"text": "Draft"}}]"#;
    let (_, refused) = keep("unlock-pdf", &["--then", then]);
    assert_eq!(refused["error"]["code"], "document_signed", "{refused}");
    let (code, same) = keep("unlock-pdf", &[]);
    assert!(code == 0 && std::fs::read(&out).unwrap() == std::fs::read(&signed).unwrap(), "{same}");
    let (code, read) = keep("pdf-to-text", &[]);
    assert!(code == 0 && read["warnings"] == serde_json::json!([]), "{read}");
    let (_, marked) =
        convert(&signed, &out, &["--tool", "protect-pdf", "--test", "--options", r#"{"userPassword": "a"}"#]);
    assert_eq!(marked["warnings"][0]["code"], "signature_invalidated", "{marked}");
    let (_, verified) = convert(&signed, &out, &["--tool", "verify-signatures", "--test"]);
    assert_eq!(
        (&verified["report"]["intact"], &verified["warnings"][0]["code"]),
        (&1.into(), &"test_mark_missing".into())
    );
}

#[test]
fn a_signed_and_protected_file_is_signed_again_and_keeps_both() {
    let directory = TempDir::new().unwrap();
    let fixtures = format!("{}/pdf/signatures/tests/fixtures", env!("CARGO_MANIFEST_DIR"));
    let out = directory.path().join("out.pdf");
    let key = std::fs::read(format!("{fixtures}/keys/rsa.p12")).unwrap();
    let options = |password: &str| {
        let key = serde_json::json!({"pkcs12": STANDARD.encode(&key), "password": password});
        serde_json::json!({"key": key, "reason": "Approved"}).to_string()
    };
    let sign = |source: &str, password: &str, more: &[&str]| {
        let options = options(password);
        let own = ["--tool", "sign-pdf", "--keep-signatures", "--options", &options];
        convert(&format!("{fixtures}/{source}.pdf"), &out, &[&own, more].concat())
    };
    let (code, made) = sign("approval", "secret", &[]);
    let report = serde_json::json!({"field": "Signature1", "signer": "Rita RSA", "level": "B-B", "timestamp": null});
    assert_eq!((code, &made["report"], &made["warnings"]), (0, &report, &serde_json::json!([])), "{made}");
    assert_eq!((&made["output"]["filename"], &made["engine"]["name"]), (&"approval.pdf".into(), &"pdf-tools".into()));
    assert!(std::fs::read(&out).unwrap().starts_with(&std::fs::read(format!("{fixtures}/approval.pdf")).unwrap()));
    let (code, made) = sign("protected", "secret", &["--password", "open"]);
    assert_eq!((code, &made["warnings"]), (0, &serde_json::json!([])), "{made}");
    let checked = Command::new("pdfsig").args(["-nocert", "-upw", "open"]).arg(&out).output().unwrap();
    let said = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(said.matches("Signature is Valid.").count(), 2, "{said}");
    let (code, refused) = sign("approval", "other", &[]);
    assert_eq!((code, &refused["error"]["code"]), (1, &"invalid_signature_key".into()), "{refused}");
    let (code, refused) = sign("certified-1", "secret", &[]);
    assert_eq!((code, &refused["error"]["code"]), (1, &"signing_failed".into()), "{refused}");
}

#[test]
fn an_invoice_is_checked_as_it_was_sent_with_a_test_key_too() {
    let directory = TempDir::new().unwrap();
    let (hybrid, out) = (directory.path().join("hybrid.pdf"), directory.path().join("out"));
    let invoice = include_str!("../../../tests/fixtures/invoices/en16931.xml");
    let options = serde_json::json!({"facturX": {"xml": invoice}}).to_string();
    let page = fixture("../pdf/layouts/headings.pdf");
    let (code, report) = convert(&page, &hybrid, &["--tool", "edit-metadata", "--options", &options]);
    assert_eq!(code, 0, "{report}");
    let (code, checked) = convert(hybrid.to_str().unwrap(), &out, &["--tool", "validate-invoice", "--test"]);
    assert_eq!(
        (code, &checked["report"]["valid"], &checked["report"]["broken"]),
        (0, &true.into(), &serde_json::json!([]))
    );
    assert_eq!(checked["warnings"][0]["code"], "test_mark_missing");
}

#[test]
fn signatures_of_office_documents_end_with_a_warning_or_an_error() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("out");
    let word = signed(&fixture("letter.docx"), "_xmlsignatures/sig1.xml", directory.path().join("signed.docx"));
    let text = signed(&fixture("letter.odt"), "META-INF/documentsignatures.xml", directory.path().join("signed.odt"));
    for (source, tool, options) in [
        (&word, "office-to-pdf", "{}"),
        (&text, "office-to-pdf", "{}"),
        (&word, "convert-office", r#"{"format": "odt"}"#),
        (&text, "merge-pdf", "{}"),
    ] {
        let more = ["--tool", tool, "--options", options];
        let (code, made) = convert(source, &out, &more);
        let warnings = made["warnings"].as_array().unwrap();
        let told = warnings.iter().filter(|warning| warning["code"] == "signature_invalidated").count();
        assert_eq!((code, told), (0, 1), "{tool}: {made}");
        let (code, refused) = convert(source, &out, &[&more[..], &["--keep-signatures"]].concat());
        assert_eq!((code, &refused["error"]["code"]), (1, &"document_signed".into()), "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("A source is signed, and {tool} would end")), "{message}");
    }
    let (code, read) = convert(&word, &out, &["--tool", "extract-document", "--keep-signatures"]);
    assert!(code == 0 && !read["warnings"].to_string().contains("signature_invalidated"), "{read}");
    let (code, plain) = convert(&fixture("letter.docx"), &out, &["--keep-signatures"]);
    assert_eq!(code, 0, "{plain}");
}

/// A package with one more part.
fn signed(package: &str, part: &str, to: PathBuf) -> String {
    std::fs::copy(package, &to).unwrap();
    let file = File::options().read(true).write(true).open(&to).unwrap();
    let mut archive = zip::ZipWriter::new_append(file).unwrap();
    archive.start_file(part, zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"<Signature xmlns='http://www.w3.org/2000/09/xmldsig#'/>").unwrap();
    archive.finish().unwrap();
    to.to_str().unwrap().to_owned()
}

/// LibreOffice 7.4 crashes on this document when it is warm.
#[test]
fn a_document_that_crashes_an_engine_is_converted_in_another_way() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("out.pdf");
    let (code, report) = convert(&fixture("signed-paragraph.odt"), &out, &[]);
    assert_eq!(code, 0, "{report}");
    let read = Command::new("pdftotext").arg(&out).arg("-").output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    assert!(text.starts_with("Confidential Signed paragraph."), "{text}");
}

#[test]
fn nothing_is_left_behind() {
    let (directory, temporary) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (page, out) = (directory.path().join("page.html"), directory.path().join("out.pdf"));
    std::fs::write(&page, "<p>x").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_worker"))
        .env("TMPDIR", temporary.path())
        .args(["convert", "--tool", "html-to-pdf", "--options", "{\"renderMode\":\"browser\"}", "--in"])
        .arg(&page)
        .arg("--out")
        .arg(&out)
        .status()
        .unwrap();
    assert!(status.success() && out.exists());
    let left: Vec<_> = temporary.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_failure_prints_its_reason_and_writes_nothing() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("out.pdf");
    let refused = |source: &str, more: &[&str]| {
        let (code, report) = convert(source, &out, more);
        assert_eq!(code, 1, "{report}");
        report["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(refused(&fixture("protected.xlsx"), &[]), "password_required");
    assert_eq!(refused(&fixture("trunc.docx"), &[]), "corrupt_document");
    assert_eq!(refused(&fixture("letter.odt"), &["--options", "{\"imageQuality\":0}"]), "validation_failed");
    assert_eq!(refused("/nowhere.docx", &[]), "validation_failed");
    assert_eq!(refused("http://127.0.0.1:9/a.docx", &[]), "source_forbidden");
    assert!(!out.exists());
}
