//! Signed files as people make them, the attacks on them that were published, and signatures of our own.
//!
//! `fixtures/make.py` makes the signed files with pyHanko. The attacks are made here, as their papers describe them: wrapping, incremental
//! saving and universal forgery (1 Trillion Dollar Refund, 2019), shadow documents (2021), certified documents (Breaking the Specification, 2021).

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod attacks;
mod certified;
mod genuine;
mod hostile;
mod keys;
mod signing;
mod update;

use docmill_domain::time::Timestamp;
use docmill_pdf_signatures::{ChangeKind, Indication, Options, Report, Signature, SubIndication, roots_of, verify};

/// A file of `fixtures/`.
fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}.pdf", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn roots() -> Vec<Vec<u8>> {
    roots_of(include_str!("../fixtures/root.pem")).unwrap()
}

/// The report, with the fixtures' authority trusted.
fn report(bytes: &[u8]) -> Report {
    report_with(bytes, "", &roots(), false)
}

fn report_with(bytes: &[u8], password: &str, roots: &[Vec<u8>], check_revocation: bool) -> Report {
    let time = Timestamp::parse("2026-11-28T00:00:00Z").unwrap();
    verify(bytes, &Options { password, roots, time, check_revocation }).unwrap()
}

/// The signature of the fixtures' signer.
fn first(bytes: &[u8]) -> Signature {
    report(bytes).signatures.into_iter().next().unwrap()
}

/// The kinds of changes and whether they are allowed, in order.
fn kinds(signature: &Signature) -> Vec<(ChangeKind, bool)> {
    signature.changes_after.iter().map(|change| (change.kind, change.allowed)).collect()
}

/// Asserts that a signature has failed for its form, with these words.
fn assert_failed(signature: &Signature, words: &str) {
    let found = (signature.indication, signature.sub_indication);
    assert_eq!(found, (Indication::TotalFailed, Some(SubIndication::FormatFailure)), "{}", signature.sentence);
    assert!(signature.sentence.contains(words), "{}", signature.sentence);
}

/// Asserts that a signature is doubtful for what was added, with these words.
fn assert_doubtful(signature: &Signature, words: &str) {
    let found = (signature.indication, signature.sub_indication);
    assert_eq!(
        found,
        (Indication::Indeterminate, Some(SubIndication::SigConstraintsFailure)),
        "{}",
        signature.sentence
    );
    assert!(signature.sentence.contains(words), "{}", signature.sentence);
}
