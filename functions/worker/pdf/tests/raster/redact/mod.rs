//! An attacker tries to recover a redacted word with other tools: poppler, qpdf, Tesseract.

mod catalogue;
mod hard;
mod looks;
mod sources;

use std::path::Path;
use std::process::Command;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use crate::{Run, run, source};
use catalogue::{Case, ELSEWHERE, PICTURES, TEXT};
use hard::HARD;
use sources::{PUBLIC, SECRET};

/// Only letters and digits in lower case, so that splitting a word does not hide it.
fn plain(text: &str) -> String {
    text.replace('\u{fb03}', "ffi")
        .replace('\u{fb00}', "ff")
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect::<String>()
        .to_lowercase()
}

fn output(program: &str, arguments: &[&str]) -> Vec<u8> {
    Command::new(program).args(arguments).output().unwrap().stdout
}

/// All readings of bytes: Latin letters, UTF-16, and hexadecimal strings.
fn readings(bytes: &[u8]) -> String {
    let latin: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let without_zeros: String = bytes.iter().filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
    let digits = latin.split('<').filter_map(|part| part.split('>').next());
    let hexadecimal: String = digits
        .flat_map(|digits| {
            let digits: Vec<u8> =
                digits.chars().filter_map(|c| c.to_digit(16)).filter_map(|d| u8::try_from(d).ok()).collect();
            digits
                .chunks(2)
                .map(|pair| char::from(pair.iter().fold(0, |byte, digit| byte << 4 | digit)))
                .collect::<Vec<_>>()
        })
        .filter(|c| *c != '\0')
        .collect();
    // The contents of parentheses, joined.
    let strings: String = latin.split('(').skip(1).filter_map(|part| part.split(')').next()).collect();
    [latin, without_zeros, hexadecimal, strings].map(|text| plain(&text)).join("\n")
}

/// Everything that can be extracted from a file, by method.
fn attack(file: &Path) -> Vec<(&'static str, String)> {
    let mut got = read(file);
    got.extend(look(file));
    got
}

/// What is in a file's bytes, objects and texts.
fn read(file: &Path) -> Vec<(&'static str, String)> {
    let path = file.to_str().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let mut got = vec![("bytes", readings(&std::fs::read(file).unwrap()))];
    for (way, arguments) in [("text", &[][..]), ("raw text", &["-raw"]), ("laid out text", &["-layout", "-nopgbrk"])] {
        let arguments: Vec<&str> = arguments.iter().copied().chain([path, "-"]).collect();
        got.push((way, plain(&String::from_utf8_lossy(&output("pdftotext", &arguments)))));
    }
    for arguments in [&[][..], &["-meta"], &["-struct-text"], &["-dests"], &["-js"], &["-url"], &["-custom"]] {
        let arguments: Vec<&str> = arguments.iter().copied().chain([path]).collect();
        got.push(("information", plain(&String::from_utf8_lossy(&output("pdfinfo", &arguments)))));
    }
    let unpacked = at("unpacked.pdf");
    output("qpdf", &["--qdf", "--object-streams=disable", "--decode-level=all", path, &unpacked]);
    got.push(("objects", readings(&std::fs::read(&unpacked).unwrap())));
    got.push((
        "files",
        plain(&String::from_utf8_lossy(&output("pdfdetach", &["-list", path])).replace("0 embedded files", "")),
    ));
    got
}

/// What a reader of its pages and pictures recognizes.
fn look(file: &Path) -> Vec<(&'static str, String)> {
    let path = file.to_str().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let mut got = Vec::new();
    output("pdftoppm", &["-r", "200", "-png", path, &at("page")]);
    output("pdfimages", &["-png", path, &at("picture")]);
    output("pdfimages", &["-all", path, &at("data")]);
    for entry in std::fs::read_dir(scratch.path()).unwrap() {
        let path = entry.unwrap().path();
        let (name, path) = (path.file_name().unwrap().to_str().unwrap().to_owned(), path.to_str().unwrap().to_owned());
        if name.starts_with("data") {
            got.push(("data of pictures", readings(&std::fs::read(&path).unwrap())));
        } else if name.ends_with(".png") {
            // As one block: nothing is skipped because it does not look like a text.
            let read = output("tesseract", &[&path, "-", "--psm", "6"]);
            got.push(("pictures", plain(&String::from_utf8_lossy(&read))));
        }
    }
    got
}

/// Redacts the word.
fn redact(file: &Path, more: Value) -> Run {
    let mut options = json!({"text": [{"literal": SECRET}]});
    options.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    run(Tool::RedactPdf, vec![source(file, Format::Pdf)], options)
}

/// Pages that keep their text.
const EDITED: [&str; 6] = [
    "plain text",
    "in a form",
    "in a form in forms",
    "a form on two pages",
    "hyphenated, in a text and a form",
    "two bytes for a glyph, with a map",
];

fn withstand(cases: &[Case]) {
    let mut leaks = Vec::new();
    for (name, make) in cases {
        let files = tempfile::tempdir().unwrap();
        let file = files.path().join("source.pdf");
        std::fs::write(&file, make()).unwrap();
        for more in [json!({}), json!({"metadata": false, "label": "hidden", "color": "#3366cc"})] {
            let made = redact(&file, more.clone());
            let Ok(outcome) = &made.result else {
                leaks.push(format!("{name} {more}: {}", made.failure()));
                continue;
            };
            let method = &outcome.report.as_ref().unwrap()["pages"][0]["method"];
            if method == "rasterized" && EDITED.contains(name) {
                leaks.push(format!("{name} {more}: the page became a picture"));
            }
            let result = made.path(&outcome.artifacts[0]);
            let secret = plain(SECRET);
            let got = attack(&result);
            leaks.extend(
                got.iter().filter(|(_, text)| text.contains(&secret)).map(|(way, _)| format!("{name} {more}: {way}")),
            );
            let public = plain(PUBLIC);
            let shown = |(way, text): &(&str, String)| matches!(*way, "text" | "pictures") && text.contains(&public);
            if !got.iter().any(shown) {
                leaks.push(format!("{name} {more}: what is not to be redacted is lost"));
            }
            let told = serde_json::to_string(outcome).unwrap();
            assert!(!plain(&told).contains(&secret), "{name}: the report tells the word");
        }
    }
    assert!(leaks.is_empty(), "{leaks:#?}");
}

#[test]
fn no_text_comes_back() {
    withstand(TEXT);
}

#[test]
fn no_picture_comes_back() {
    withstand(PICTURES);
}

#[test]
fn no_text_outside_pages_comes_back() {
    withstand(ELSEWHERE);
}

#[test]
fn no_text_that_is_hard_to_analyse_comes_back() {
    withstand(HARD);
}

#[test]
fn the_attacker_finds_the_word_where_nothing_is_redacted() {
    let unseen = ["bytes that show something else"];
    for (name, make) in TEXT.iter().chain(PICTURES).chain(HARD).filter(|(name, _)| !unseen.contains(name)) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), make()).unwrap();
        let has_secret = |got: Vec<(&str, String)>| got.iter().any(|(_, text)| text.contains(&plain(SECRET)));
        assert!(has_secret(read(file.path())) || has_secret(look(file.path())), "{name}: the attack is too weak");
    }
}

#[test]
fn a_pattern_that_is_not_one_is_an_error() {
    let file = crate::fixture("render.pdf");
    let run = run(Tool::RedactPdf, vec![source(&file, Format::Pdf)], json!({"text": [{"pattern": "("}]}));
    assert_eq!(run.failure().code, ErrorCode::RenderFailed);
}
