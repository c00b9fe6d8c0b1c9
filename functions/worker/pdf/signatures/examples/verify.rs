//! Prints the report of a file: `cargo run -p docmill-pdf-signatures --example verify -- FILE [ROOTS.pem [revocation]]`.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "a program for developers")]

use docmill_domain::time::Timestamp;
use docmill_pdf_signatures::{Options, roots_of, verify};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().expect("a file");
    let bytes = std::fs::read(file).expect("the file can be read");
    let roots = arguments.get(1).map(|path| std::fs::read_to_string(path).expect("the roots can be read"));
    let roots = roots.map(|pem| roots_of(&pem).expect("certificates")).unwrap_or_default();
    let check_revocation = arguments.get(2).is_some();
    let now = Timestamp::parse("2026-11-28T00:00:00Z").expect("a time");
    let options = Options { password: "", roots: &roots, time: now, check_revocation };
    match verify(&bytes, &options) {
        Ok(report) => println!("{}", serde_json::to_string_pretty(&report).expect("JSON")),
        Err(error) => println!("{{\"error\": \"{error}\"}}"),
    }
}
