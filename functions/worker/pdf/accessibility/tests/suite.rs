//! veraPDF's own files for PDF/UA-1: each breaks the rules that veraPDF names (README.md).

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use docmill_pdf_accessibility::{File, Rule, check};
use lopdf::Document;
use zip::ZipArchive;

const FILES: &[u8] = include_bytes!("verapdf.zip");
const VERDICTS: &str = include_str!("verapdf.txt");

fn broken(bytes: &[u8]) -> BTreeSet<&'static str> {
    let version = String::from_utf8_lossy(&bytes[5..8]).into_owned();
    let mut document = Document::load_mem(bytes).unwrap();
    let permissions = document.encryption_state.as_ref().map(|state| state.permissions().bits().cast_signed());
    let pages = docmill_pdf_core::pages::read(&mut document, 100).unwrap();
    let report = check(&document, &pages.pages, File { version: &version, permissions });
    report.failed.iter().map(|finding| finding.rule.id()).collect()
}

#[test]
fn each_file_breaks_the_rules_that_verapdf_names() {
    let mut archive = ZipArchive::new(Cursor::new(FILES)).unwrap();
    let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    let mut compared = 0;
    for line in VERDICTS.lines() {
        let (name, rules) = line.split_once(':').unwrap();
        let mut bytes = Vec::new();
        archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        // Rules about font programs are not checked here.
        let expected: BTreeSet<_> = rules.split_whitespace().filter(|rule| ids.contains(rule)).collect();
        assert_eq!(broken(&bytes), expected, "{name}");
        compared += 1;
    }
    assert_eq!(compared, archive.len());
}
