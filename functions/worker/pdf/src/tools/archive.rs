//! Converts an opened document to PDF/A and writes it.

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::pages;
use docmill_pdf_core::writer::write_document;
use docmill_pdf_pdfa::{Level, Verdict};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request};
use docmill_pdf_structure::metadata::Schema;
use docmill_pdf_structure::open::Opened;
use lopdf::Document;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::pdf;
use docmill_pdf_core::Libraries;

pub(super) const RESULT: &str = "result.pdf";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnUnsupported {
    #[default]
    Fail,
    Warn,
}

/// The target, and what to do if it can't be reached.
pub(super) struct Archive {
    pub(super) level: Level,
    pub(super) on_unsupported: OnUnsupported,
    /// The name of the option for that.
    pub(super) option: &'static str,
    /// Added to the metadata.
    pub(super) schema: Option<Schema>,
}

/// Makes the result, with a report about the rules.
pub(super) fn make(
    libraries: &Libraries,
    request: &Request,
    opened: Opened,
    archive: Archive,
) -> Result<Outcome, Failure> {
    let Opened { mut document, held, mut warnings } = opened;
    let pages = pages::read(&mut document, request.limits.pages)?.pages;
    let verdict = docmill_pdf_pdfa::mend(&mut document, &held, &pages, archive.level, libraries.fonts())?;
    if !verdict.conforms() && archive.on_unsupported == OnUnsupported::Fail {
        return Err(refuse(&verdict, archive.option));
    }
    warnings.extend(docmill_pdf_pdfa::claim(&mut document, &verdict, archive.schema));
    write(request, document, &held)?;
    if archive.level == Level::One {
        unpack(libraries, request)?;
    }
    warnings.extend(docmill_pdf_pdfa::warnings(&verdict));
    let pages = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    Ok(Outcome { artifacts: vec![pdf(RESULT, pages)], report: Some(verdict.report()), warnings })
}

fn refuse(verdict: &Verdict, option: &str) -> Failure {
    let message = format!(
        "This PDF cannot become PDF/A-{}. {} Set `{option}` to `warn` to get it as far as it can be converted.",
        verdict.level.as_str(),
        verdict.summary()
    );
    Failure::new(ErrorCode::RenderFailed, message, format!("not PDF/A: {}", verdict.clauses()))
}

/// Writes all objects that are in use.
fn write(request: &Request, mut document: Document, held: &DeferredPictures) -> Result<(), Failure> {
    document.prune_objects();
    write_document(document, held, &request.limits, &request.directory.join(RESULT))
}

/// Moves the result's objects out of object streams, which PDF/A-1 does not allow.
pub(super) fn unpack(libraries: &Libraries, request: &Request) -> Result<(), Failure> {
    let (result, plain) = (request.directory.join(RESULT), request.directory.join("plain.pdf"));
    let job = json!({
        "inputFile": result, "outputFile": plain, "deterministicId": "", "objectStreams": "disable", "forceVersion": "1.4",
        "newlineBeforeEndstream": "", "decodeLevel": "none", "compressStreams": "n",
    });
    libraries.qpdf()?.run(&job)?;
    std::fs::rename(&plain, result).map_err(|error| Failure::io(&error))
}

/// A report with one more entry.
pub(super) fn with(report: Option<Value>, name: &str, value: Value) -> Option<Value> {
    let mut entries = match report {
        Some(Value::Object(entries)) => entries,
        Some(_) | None => Map::new(),
    };
    entries.insert(name.to_owned(), value);
    Some(Value::Object(entries))
}
