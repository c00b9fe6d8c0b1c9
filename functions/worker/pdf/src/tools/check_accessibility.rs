//! check-accessibility: a PDF by the rules of PDF/UA-1, with what only people can judge.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use docmill_formats::Format;
use docmill_pdf_accessibility::{Report, check};
use docmill_pdf_core::{Libraries, pages};
use docmill_pdf_request::{Artifact, Failure, Outcome, Request};
use docmill_pdf_structure::open::Opened;
use docmill_pdf_structure::open_deferring;
use serde_json::{Value, json};

const RESULT: &str = "accessibility.json";
/// The job names so many broken rules.
const NAMED: usize = 10;

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
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
    let report = check(&document, &tree.pages, docmill_pdf_accessibility::File { version: &version, permissions });
    let text = serde_json::to_vec_pretty(&report).map_err(|_| Failure::internal("json"))?;
    super::within_output(text.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(RESULT), text).map_err(|error| Failure::io(&error))?;
    Ok(Outcome {
        artifacts: vec![Artifact::new(RESULT, Format::Json)],
        report: Some(summary(&report)),
        // That the copy to read has no password says nothing about the result.
        warnings: warnings.into_iter().filter(|warning| warning.code == "repaired").collect(),
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
    })
}
