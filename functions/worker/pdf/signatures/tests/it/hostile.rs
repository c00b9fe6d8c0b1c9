//! Files that were made to break the reader: it ends with a result, within limits.

use super::*;
use crate::update::{Update, object};

#[test]
fn tables_in_a_circle_end() {
    let unsigned = fixture("unsigned");
    let text: Vec<u8> = unsigned.clone();
    let start = crate::update::table(&text);
    let at = memchr::memmem::find(&text, b"trailer\n<< ").unwrap() + 11;
    let ring = [&text[..at], format!("/Prev {start} ").as_bytes(), &text[at..]].concat();
    let time = Timestamp(0);
    let options = Options { password: "", roots: &[], time, check_revocation: false };
    assert!(verify(&ring, &options).unwrap_err().to_string().contains("circle"));
    assert!(verify(b"%PDF-1.7\n", &options).is_err() && verify(b"", &options).is_err());
}

#[test]
fn fields_and_pages_in_a_circle_end() {
    let signed = fixture("approval");
    let ring = object(&signed, 6).replacen("<<", "<< /Kids [6 0 R] ", 1);
    let pages = object(&signed, 2).replace("/Kids [3 0 R]", "/Kids [2 0 R 2 0 R]");
    assert_failed(&first(&Update::of(&signed).put(6, &ring).finish()), "");
    assert_failed(&first(&Update::of(&signed).put(2, &pages).finish()), "");
    let deep = "[".repeat(100_000);
    let found = first(&Update::of(&signed).put(4, &deep).finish());
    assert_failed(&found, "");
}

#[test]
fn fuzz_signatures() {
    let roots = roots();
    docmill_fuzz::fuzz("signatures", &["../../functions/worker/pdf/signatures/tests/fixtures"], |bytes| {
        let time = Timestamp::parse("2026-11-28T00:00:00Z").unwrap();
        let options = Options { password: "", roots: &roots, time, check_revocation: true };
        if let Ok(report) = verify(bytes, &options) {
            for signature in &report.signatures {
                assert!(!signature.sentence.is_empty());
                assert_eq!(signature.sub_indication.is_none(), signature.indication == Indication::TotalPassed);
            }
        }
    });
}
