//! check-accessibility: a PDF by the rules of PDF/UA-1, with what only people can judge.

mod pictures;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_pdf_accessibility::{Report, check};
use docmill_pdf_core::pdfium::Document;
use docmill_pdf_core::{Libraries, pages};
use docmill_pdf_request::{Failure, Outcome, Request};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::open_deferring;
use serde::Deserialize;
use serde_json::{Value, json};

use super::raster;
use super::report_file::{self, Shape};
use pictures::Pictures;

/// The job names so many broken rules.
const NAMED: usize = 10;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Options {
    format: Shape,
}

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let Options { format } = super::options(request)?;
    let source = super::only_source(request)?;
    let version = version(&source.path).map_err(|error| Failure::io(&error))?;
    let qpdf = libraries.qpdf()?;
    let permissions = if qpdf.is_encrypted(&source.path) {
        Some(qpdf.encryption(&source.path, source.password.as_deref())?.permissions)
    } else {
        None
    };
    let Opened { mut document, warnings, .. } = open_deferring(libraries, request, 0)?;
    let tree = pages::read(&mut document, request.limits.pages)?;
    let mut report = check(&document, &tree.pages, docmill_pdf_accessibility::File { version: &version, permissions });
    drop(document);
    let session = libraries.pdfium()?.session();
    let drawn = raster::open(libraries, &session, request, source)?;
    look(&mut report, &drawn)?;
    let artifact = match format {
        Shape::Json => report_file::json("accessibility.json", &report, request)?,
        Shape::Html => {
            let pictures = Pictures::draw(&drawn, &report.shown_places())?;
            let page = report.page(&|page, corners| pictures.of(page, corners));
            report_file::page("accessibility.html", &page, request)?
        }
    };
    Ok(Outcome {
        artifacts: vec![artifact],
        report: Some(summary(&report)),
        // That the copy to read has no password says nothing about the result.
        warnings: warnings.into_iter().filter(|warning| warning.code == "repaired").collect(),
    })
}

/// What pages tell once they are drawn: the contrast of their text, and where their tags are.
fn look(report: &mut Report, document: &Document<'_>) -> Result<(), Failure> {
    document.for_each_page(0..document.pages(), |index, page| {
        report.measure(page, index + 1);
        report.contrast.add(page, index + 1)
    })
}

/// The version that the first line names. Empty if it names none.
fn version(path: &Path) -> std::io::Result<String> {
    let mut line = Vec::new();
    File::open(path)?.take(16).read_to_end(&mut line)?;
    let line = String::from_utf8_lossy(&line);
    let said = line.strip_prefix("%PDF-").and_then(|rest| rest.split(['\r', '\n']).next());
    Ok(said.unwrap_or_default().to_owned())
}

/// What the job shows: nothing of the document itself.
fn summary(report: &Report) -> Value {
    let broken: Vec<_> = report.failed.iter().map(|finding| finding.rule.id()).collect();
    json!({
        "standard": report.standard,
        "passed": report.passed,
        "rules": report.rules,
        "failed": broken.len(),
        "broken": broken.iter().take(NAMED).collect::<Vec<_>>(),
        "questions": report.questions.len(),
        "lowContrast": report.contrast.low,
    })
}
