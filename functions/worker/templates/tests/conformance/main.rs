//! Templates as users of other engines write them: each result has the text that these would make, opens in LibreOffice, and is as
//! valid as its template by the rules of Microsoft's Open XML SDK and OASIS's schemas.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks for one shape")]

mod charts;
mod docxtemplater;
mod docxtpl;
mod easy_template_x;
mod files;
mod formats;
mod links;
mod slides;
mod subtemplates;
mod texts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use docmill_templates::{Format, Options, SubTemplate, Template};
use serde_json::Value;
use tempfile::TempDir;

use texts::texts;

/// A template with data, and the texts of the paragraphs or cells that it becomes.
struct Case {
    name: &'static str,
    format: Format,
    template: Vec<u8>,
    data: Value,
    options: Options,
    subs: Vec<SubTemplate>,
    texts: Vec<String>,
}

impl Case {
    fn new(name: &'static str, format: Format, template: Vec<u8>, data: Value, texts: &[&str]) -> Self {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Self { name, format, template, data, options: Options::default(), subs: Vec::new(), texts }
    }

    /// A Word document with this body.
    fn word(name: &'static str, body: &str, data: Value, texts: &[&str]) -> Self {
        Self::new(name, Format::Docx, files::word(body), data, texts)
    }

    /// With another Word document, HTML or Markdown of the job.
    fn with(mut self, name: &str, format: Format, bytes: Vec<u8>) -> Self {
        self.subs.push(SubTemplate { name: name.to_owned(), format, bytes });
        self
    }

    fn filled(&self) -> Vec<u8> {
        let template = Template::open_with(self.template.clone(), self.format, self.options.clone(), &self.subs);
        let result = template.and_then(|template| template.render(&self.data));
        result.unwrap_or_else(|failure| panic!("{}: {failure:?}", self.name)).bytes
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The lines that a command prints.
fn lines(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// What the validator has against each file.
fn violations(files: &[PathBuf]) -> Vec<BTreeSet<String>> {
    let python = lines(Command::new(root().join("infra/setup.sh")).args(["python", "templates"])).concat();
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/validate.py");
    let found = lines(Command::new(python).arg("-B").arg(program).args(files));
    assert_eq!(found.len(), files.len());
    found.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of those files that LibreOffice opens and prints.
fn opened(files: &[PathBuf], directory: &Path) -> BTreeSet<String> {
    let profile = format!("-env:UserInstallation=file://{}", directory.join("profile").display());
    let made = directory.join("pdfs");
    let mut office = Command::new("soffice");
    office.args([&profile, "--headless", "--convert-to", "pdf", "--outdir"]).arg(&made).args(files);
    lines(&mut office);
    let stem = |file: std::io::Result<std::fs::DirEntry>| file.unwrap().path().file_stem().unwrap().to_owned();
    std::fs::read_dir(made).unwrap().map(|file| stem(file).into_string().unwrap()).collect()
}

#[test]
fn every_feature_makes_a_document_as_valid_as_its_template() {
    let cases = [
        docxtemplater::cases(),
        docxtpl::cases(),
        easy_template_x::cases(),
        formats::cases(),
        subtemplates::cases(),
        charts::cases(),
        slides::cases(),
        links::cases(),
    ];
    let cases: Vec<Case> = cases.into_iter().flatten().collect();
    let directory = TempDir::new().unwrap();
    let (mut templates, mut results, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (number, case) in cases.iter().enumerate() {
        let file = |kind: &str| directory.path().join(format!("{kind}-{number}.{}", case.format.format().extension()));
        let filled = case.filled();
        let found = texts(&filled, case.format);
        if found != case.texts {
            wrong.push(format!("{}: {found:?} instead of {:?}", case.name, case.texts));
        }
        for (kind, bytes, files) in [("template", &case.template, &mut templates), ("result", &filled, &mut results)] {
            std::fs::write(file(kind), bytes).unwrap();
            files.push(file(kind));
        }
    }
    let judged = violations(&[templates, results.clone()].concat());
    let (before, after) = judged.split_at(cases.len());
    let printed = opened(&results, directory.path());
    for (number, ((case, before), after)) in cases.iter().zip(before).zip(after).enumerate() {
        let new: Vec<_> = after.difference(before).collect();
        if !new.is_empty() {
            wrong.push(format!("{}: {new:#?}", case.name));
        }
        if !printed.contains(&format!("result-{number}")) {
            wrong.push(format!("{}: LibreOffice can't open it", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn templates_of_the_suite_are_valid_and_the_validator_sees_what_is_not() {
    let directory = TempDir::new().unwrap();
    let write = |name: &str, bytes: Vec<u8>| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let twice = "<w:p><w:bookmarkStart w:id=\"1\" w:name=\"a\"/><w:bookmarkEnd w:id=\"1\"/></w:p>";
    let files = [
        write("valid.docx", files::word(&files::paragraph("text"))),
        write("order.docx", files::word("<w:p><w:r><w:t>text</w:t><w:rPr/></w:r></w:p>")),
        write("cell.docx", files::word("<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc/></w:tr></w:tbl>")),
        write("ids.docx", files::word(&twice.repeat(2))),
        write("relation.docx", files::word("<w:p><w:hyperlink r:id=\"none\"/></w:p>")),
        write("valid.pptx", files::slide(&files::shape(2, "text"))),
        write("valid.xlsx", files::sheet("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>text</t></is></c></row>")),
        write("valid.odt", files::open_text("<text:p>text</text:p>")),
        write("order.odt", files::open_text("<table:table-row/>")),
    ];
    for (file, found) in files.iter().zip(violations(&files)) {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(found.is_empty(), name.starts_with("valid"), "{name}: {found:#?}");
    }
}
