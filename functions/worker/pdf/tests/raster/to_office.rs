//! pdf-to-office: no text is lost, and what is made is valid and opens.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use docmill_formats::Format;
use docmill_package::markup::{scan, value};
use docmill_package::{Limits, Package};
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use super::{Run, fixture, run, source};

const SURVEY: &str = "../../../samples/tree-survey.pdf";
const SAMPLES: [&str; 9] = [
    SURVEY,
    "text.pdf",
    "forms.pdf",
    "pictures.pdf",
    "images.pdf",
    "layouts/rtl.pdf",
    "layouts/lists.pdf",
    "layouts/running.pdf",
    "layouts/headings.pdf",
];

fn made(name: &str, mut options: Value) -> Run {
    options["ocr"] = json!("never");
    run(Tool::PdfToOffice, vec![source(&fixture(name), Format::Pdf)], options)
}

/// The parts of a package, as text.
fn parts(run: &Run) -> BTreeMap<String, String> {
    let bytes = run.files().remove(0);
    let mut package = Package::read(bytes, Limits::CHECKED).unwrap();
    let names = package.names().into_iter().filter(|name| name.ends_with(".xml") || name.ends_with(".rels"));
    let names: Vec<String> = names.collect();
    names.into_iter().map(|name| (name.clone(), package.needed(&name).unwrap())).collect()
}

/// The letters of a text, without what is written in other ways: numbers of pages and notes, hyphens at line ends.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

/// The letters of all parts, and of the descriptions of pictures.
fn written(parts: &BTreeMap<String, String>) -> String {
    let mut all = String::new();
    for (_, part) in parts.iter().filter(|(name, _)| name.starts_with("word/") || name.starts_with("ppt/slides/")) {
        let markup = scan(part).unwrap();
        all.extend(markup.texts.iter().map(|text| letters(&text.text)));
        all.extend(
            markup.elements.iter().filter_map(|element| value(part, element, "descr")).map(|text| letters(&text)),
        );
        all.push('\n');
    }
    all
}

/// The blocks that extract-document finds.
fn blocks(name: &str) -> Vec<Value> {
    let options = json!({"headersFooters": "keep", "ocr": "never"});
    let run = run(Tool::ExtractDocument, vec![source(&fixture(name), Format::Pdf)], options);
    let document: Value = serde_json::from_slice(&run.files()[0]).unwrap();
    document["blocks"].as_array().unwrap().clone()
}

#[test]
fn no_text_is_lost() {
    for name in SAMPLES {
        let blocks = blocks(name);
        assert!(!blocks.is_empty(), "{name}");
        for options in [json!({}), json!({"layout": "exact"}), json!({"format": "pptx"})] {
            let written = written(&parts(&made(name, options.clone())));
            for block in &blocks {
                let text = letters(block["text"].as_str().unwrap());
                assert!(written.contains(&text), "{name} {options}: {block}");
            }
        }
    }
}

#[test]
fn structure_becomes_that_of_word() {
    let parts = parts(&made(SURVEY, json!({})));
    let document = &parts["word/document.xml"];
    for expected in ["w:val=\"Title\"", "<w:tblHeader/>", "w:val=\"Caption\"", "<w:pgSz "] {
        assert!(document.contains(expected), "{expected}: {document}");
    }
    let lists = self::parts(&made("layouts/lists.pdf", json!({})));
    assert!(lists["word/document.xml"].contains("<w:numPr>"), "{lists:?}");
    assert!(document.contains("<w:footnoteReference "), "{document}");
    assert!(parts["word/footnotes.xml"].contains("<w:footnoteRef/>"), "{parts:?}");
    let left = self::parts(&made("layouts/rtl.pdf", json!({})));
    assert!(left["word/document.xml"].contains("<w:bidi/>") && left["word/document.xml"].contains("<w:rtl/>"));
    let running = self::parts(&made("layouts/running.pdf", json!({})));
    assert!(
        running.iter().any(|(name, part)| name.starts_with("word/footer") && part.contains(" PAGE ")),
        "{running:?}"
    );
}

#[test]
fn a_workbook_needs_tables() {
    assert_eq!(made("text.pdf", json!({"format": "xlsx"})).failure().code, ErrorCode::RenderFailed);
    let run = made(SURVEY, json!({"format": "xlsx", "layout": "exact"}));
    assert!(run.warnings().contains(&"option_without_effect"));
    let workbook = parts(&run);
    assert!(
        workbook["xl/sharedStrings.xml"].contains("Poplar") && !workbook["xl/workbook.xml"].contains("\"Table 1\"")
    );
    assert_eq!(run.outcome().artifacts[0].media, Format::Xlsx);
}

#[test]
fn pictures_are_in_the_result_alone() {
    let run = made("images.pdf", json!({}));
    let parts = parts(&run);
    assert!(parts["word/document.xml"].contains("<pic:pic>"));
    let left: Vec<_> =
        std::fs::read_dir(run.directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["document.docx"]);
}

/// The lines that a command prints.
fn lines(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn results_are_valid_and_open_with_the_same_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let directory = tempfile::tempdir().unwrap();
    let mut files: Vec<(PathBuf, &str)> = Vec::new();
    for (at, name) in SAMPLES.into_iter().enumerate() {
        for (kind, extension, options) in [
            ("flow", "docx", json!({})),
            ("exact", "docx", json!({"layout": "exact"})),
            ("slides", "pptx", json!({"format": "pptx"})),
        ] {
            let file = directory.path().join(format!("{kind}-{at}.{extension}"));
            std::fs::write(&file, made(name, options).files().remove(0)).unwrap();
            files.push((file, name));
        }
    }
    // The Open XML SDK's rules.
    let python = lines(Command::new(root.join("infra/setup.sh")).args(["python", "templates"])).concat();
    let program = root.join("functions/worker/templates/tests/conformance/validate.py");
    let found = lines(Command::new(python).arg("-B").arg(program).args(files.iter().map(|(file, _)| file)));
    for ((file, name), line) in files.iter().zip(&found) {
        assert_eq!(line, "[]", "{}: {name}", file.display());
    }
    assert_eq!(files.len(), found.len());
    // LibreOffice.
    let profile = format!("-env:UserInstallation=file://{}", directory.path().join("profile").display());
    let made = directory.path().join("pdfs");
    let mut office = Command::new("soffice");
    office.args([&profile, "--headless", "--convert-to", "pdf", "--outdir"]).arg(&made);
    lines(office.args(files.iter().map(|(file, _)| file)));
    for (file, name) in &files {
        let pdf = made.join(file.file_stem().unwrap()).with_extension("pdf");
        let shown = lines(Command::new("pdftotext").arg(&pdf).arg("-")).join("\n");
        let (kept, all) = kept(name, &shown);
        // What pictures say is not shown.
        assert!(kept * 100 >= all * 95, "{}: {name}: {kept} of {all} letters in {shown}", file.display());
    }
}

/// How many letters of a source's blocks are in a text, and how many there are.
fn kept(name: &str, shown: &str) -> (usize, usize) {
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for letter in letters(shown).chars() {
        *counts.entry(letter).or_default() += 1;
    }
    let (mut kept, mut all) = (0, 0);
    for block in blocks(name).iter().filter(|block| block["role"] != "figure") {
        for letter in letters(block["text"].as_str().unwrap()).chars() {
            all += 1;
            if let Some(count) = counts.get_mut(&letter).filter(|count| **count > 0) {
                *count -= 1;
                kept += 1;
            }
        }
    }
    (kept, all)
}
