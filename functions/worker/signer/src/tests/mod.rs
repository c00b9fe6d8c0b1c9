mod authority;
mod hierarchy;
mod proof;

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_domain::time::Timestamp;
use docmill_egress::EgressPolicy;
use docmill_engine::{Limits, Operation};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_pdf_signatures::sign::{Certify, Draft, Position, Wanted};
use docmill_pdf_signatures::{Indication, roots_of, verify};
use serde_json::Value;

use super::*;
use crate::tests::authority::Answers;

const UNSIGNED: &[u8] = include_bytes!("../../../pdf/signatures/tests/fixtures/unsigned.pdf");
const ROOT: &str = include_str!("../../../pdf/signatures/tests/fixtures/keys/root.pem");

fn key(name: &str, password: &str) -> Value {
    let path = format!("{}/../pdf/signatures/tests/fixtures/keys/{name}.p12", env!("CARGO_MANIFEST_DIR"));
    json!({"pkcs12": STANDARD.encode(std::fs::read(path).unwrap()), "password": password})
}

/// A prepared file, and where its gap is.
fn prepared() -> (Vec<u8>, [usize; 2]) {
    let draft = Draft::open(UNSIGNED, "").unwrap();
    let wanted = Wanted {
        spot: draft.spot(None).unwrap(),
        position: Position { page: draft.page(0).unwrap(), rectangle: [0.0; 4] },
        look: None,
        certify: Certify::No,
        reason: None,
        location: None,
        contact: None,
        time: clock::now(),
        reserved: 32 << 10,
    };
    let made = draft.prepare(wanted).unwrap();
    ([UNSIGNED, &made.update].concat(), [made.gap.start, made.gap.end])
}

async fn sign_with(key: Value, gap: Option<[usize; 2]>) -> Result<(Vec<u8>, Value), Failure> {
    let (_, own) = prepared();
    let options = json!({"key": key, "prepared": {"field": "Signature1", "gap": gap.unwrap_or(own)}});
    let (signed, report, _) = run(options, None).await?;
    Ok((signed, report))
}

/// With an authority that answers like this.
async fn sign_stamped(level: &str, answers: Answers) -> Result<(Vec<u8>, Value, Vec<Warning>), Failure> {
    let folder = tempfile::tempdir().unwrap();
    let port = authority::start(answers, folder.path());
    let (_, gap) = prepared();
    let url = format!("http://127.0.0.1:{port}/tsa?secret");
    let prepared = json!({"field": "Signature1", "gap": gap});
    run(json!({"key": key("p256", "secret"), "level": level, "timestampUrl": url, "prepared": prepared}), Some(port))
        .await
}

/// What a signature gives: the bytes of its files, the report and the warnings.
struct Made {
    files: Vec<Vec<u8>>,
    report: Value,
    warnings: Vec<Warning>,
}

async fn convert(options: Value, port: Option<u16>) -> Result<Made, Failure> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("prepared.pdf");
    std::fs::write(&path, prepared().0).unwrap();
    let task = Task {
        operation: Operation::Seal,
        sources: vec![Source::File(docmill_pdf_request::Source::new(path, Format::Pdf))],
        options: &options,
        scratch: scratch.path(),
        deadline: Instant::now() + Duration::from_secs(30),
        limits: &Limits::default(),
        fonts: &NO_FONTS,
        account: None,
    };
    let exceptions = port.map(|port| format!("127.0.0.1:{port}")).unwrap_or_default();
    let fetcher = Fetcher::new(EgressPolicy::new(exceptions.parse().unwrap()))?;
    let made = Signer::new(fetcher, None).convert(task).await?;
    let files = made.artifacts.iter().map(|artifact| std::fs::read(&artifact.path).unwrap()).collect();
    Ok(Made { files, report: made.report.unwrap(), warnings: made.warnings })
}

/// The signed file, the report and the warnings.
async fn run(options: Value, port: Option<u16>) -> Result<(Vec<u8>, Value, Vec<Warning>), Failure> {
    let Made { mut files, report, warnings } = convert(options, port).await?;
    assert_eq!(files.len(), 1);
    Ok((files.remove(0), report, warnings))
}

fn judged(signed: &[u8]) -> docmill_pdf_signatures::Signature {
    let roots = roots_of(ROOT).unwrap();
    let options = docmill_pdf_signatures::Options {
        password: "",
        roots: &roots,
        time: Timestamp::parse("2030-12-01T00:00:00Z").unwrap(),
        check_revocation: false,
    };
    verify(signed, &options).unwrap().signatures.remove(0)
}

#[tokio::test]
async fn a_prepared_file_is_signed() {
    let (signed, report) = sign_with(key("rsa", "secret"), None).await.unwrap();
    assert_eq!(report, json!({"field": "Signature1", "signer": "Rita RSA", "level": "B-B", "timestamp": null}));
    let found = judged(&signed);
    assert_eq!((found.indication, found.covers_whole_document), (Indication::TotalPassed, true), "{}", found.sentence);
    assert!(signed.starts_with(UNSIGNED));
}

#[tokio::test]
async fn a_key_that_can_not_sign_is_refused() {
    for (name, password, words) in [
        ("rsa", "wrong", "`key.password`"),
        ("expired", "secret", "from 2024-01-01 to 2025-01-01"),
        ("encrypts", "secret", "not for signatures"),
        ("no-key", "secret", "no key that can sign"),
        ("no-certificate", "secret", "None of the certificates"),
    ] {
        let failure = sign_with(key(name, password), None).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::InvalidSignatureKey, "{name}");
        assert!(failure.message.contains(words) && !failure.cause.contains("secret"), "{name}: {}", failure.message);
    }
    let failure = sign_with(json!({"pkcs12": "???", "password": ""}), None).await.unwrap_err();
    assert!(failure.message.contains("base64"), "{}", failure.message);
}

/// A child under a document's control can't have something else written over.
#[tokio::test]
async fn only_an_empty_gap_is_written_over() {
    let (_, [start, end]) = prepared();
    for gap in [[start + 1, end], [start, end + 1], [0, 10], [end, start], [start, usize::MAX], [0, end]] {
        let failure = sign_with(key("rsa", "secret"), Some(gap)).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::Internal, "{gap:?}");
    }
}

#[tokio::test]
async fn a_time_stamp_is_asked_of_the_authority() {
    for level in ["B-B", "B-T"] {
        let (signed, report, warnings) = sign_stamped(level, Answers::Rightly).await.unwrap();
        assert_eq!((&report["level"], warnings.len()), (&json!("B-T"), 0));
        let found = judged(&signed);
        assert_eq!((found.indication, found.level), (Indication::TotalPassed, Some("B-T")), "{}", found.sentence);
        let stamp = found.timestamp.unwrap();
        assert!(stamp.intact && stamp.trusted);
        assert_eq!(
            (Some(stamp.time.as_str()), stamp.authority.as_deref()),
            (report["timestamp"].as_str(), Some("Signing Stamps"))
        );
    }
}

#[tokio::test]
async fn without_a_time_stamp_the_level_decides() {
    for (answers, words) in [
        (Answers::AnOlderQuestion, "is of something else"),
        (Answers::Forged, "can't be verified"),
        (Answers::Refusal, "has refused"),
        (Answers::Nonsense, "can't be read"),
        (Answers::Failure, "does not answer properly"),
    ] {
        let failure = sign_stamped("B-T", answers).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::SigningFailed, "{answers:?}");
        assert!(failure.message.contains(words) && !failure.message.contains("secret"), "{}", failure.message);
        let (signed, report, warnings) = sign_stamped("B-B", answers).await.unwrap();
        assert_eq!((warnings[0].code.as_str(), &report["level"]), ("timestamp_missing", &json!("B-B")));
        assert_eq!((judged(&signed).level, judged(&signed).indication), (Some("B-B"), Indication::TotalPassed));
    }
}

#[tokio::test]
async fn an_authority_that_is_not_public_is_not_asked() {
    let (_, gap) = prepared();
    let prepared = json!({"field": "Signature1", "gap": gap});
    let url = "http://127.0.0.1:9/";
    let options = json!({"key": key("p256", "secret"), "level": "B-T", "timestampUrl": url, "prepared": prepared});
    let failure = run(options, None).await.unwrap_err();
    assert!(failure.message.contains("Use a public address"), "{}", failure.message);
}
