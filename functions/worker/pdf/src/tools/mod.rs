//! The tools. Each reads its options, and runs its steps in order.

mod archive;
mod check_accessibility;
mod compare;
mod compress;
mod extract_document;
mod fill_form;
mod fit_pictures;
mod flatten;
mod images_to_pdf;
mod inspect;
mod invoice_file;
mod mark;
mod mark_picture;
mod merge;
mod metadata;
mod ocr_pdf;
mod organize;
mod pdf_pages;
mod pdf_to_images;
mod pdf_to_office;
mod pdf_to_pdfa;
mod pdf_to_text;
mod protect;
mod raster;
mod read_invoice;
pub(crate) mod redact;
mod render_email;
mod render_markdown;
mod render_template;
mod report_file;
mod sign_pdf;
mod signed;
mod split;
mod tag_pdf;
mod thumbnail;
mod update_fields;
mod validate_invoice;
mod verify;
mod verify_signatures;
mod watermark;
mod words;

use std::path::Path;

use docmill_domain::page_range::{PageRange, RangeError};
use docmill_formats::Format;
use docmill_pdf_core::{filters, long_numbers};
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Limits, Outcome, Request, Source, Tool, Warning};
use docmill_pdf_structure::repair;
use serde::de::DeserializeOwned;

use crate::Engines;

const STREAMS_REPAIRED: &str =
    "The PDF has damaged data. What can be read of it was used, as other programs do. Check the result.";

/// Hands a request to its tool. Says what was damaged, and if a source was signed, and the result is not.
pub(crate) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    long_numbers::forget();
    filters::forget();
    let mut outcome = run_with_repairs(engines, request)?;
    if filters::saw_damage() && !outcome.warnings.iter().any(|warning| warning.code == "repaired") {
        outcome.warnings.insert(0, Warning::new("repaired", STREAMS_REPAIRED));
    }
    outcome.warnings.extend(signed::invalidated(request, &outcome)?);
    Ok(outcome)
}

/// Hands a request to its tool, with damaged sources repaired.
fn run_with_repairs(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    if let Some(mended) = repair::before(&engines.libraries, request) {
        let outcome = dispatch(engines, &mended.request);
        return mended.ended(outcome);
    }
    let failure = match dispatch(engines, request) {
        Err(failure) => failure,
        ended @ Ok(_) => return ended,
    };
    let Some(mended) = repair::after(&engines.libraries, request, &failure) else { return Err(failure) };
    let outcome = dispatch(engines, &mended.request);
    mended.ended(outcome)
}

fn dispatch(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let libraries = &engines.libraries;
    match request.tool {
        Tool::MergePdf => merge::run(libraries, request),
        Tool::SplitPdf => split::run(libraries, request),
        Tool::OrganizePdf => organize::run(libraries, request),
        Tool::CompressPdf => compress::run(libraries, request),
        Tool::ProtectPdf => protect::protect(libraries, request),
        Tool::UnlockPdf => protect::unlock(libraries, request),
        Tool::WatermarkPdf => watermark::run(libraries, request),
        Tool::PdfToImages => pdf_to_images::run(libraries, request),
        Tool::Thumbnail => thumbnail::run(libraries, request),
        Tool::ImagesToPdf => images_to_pdf::run(libraries, request),
        Tool::PdfToText => pdf_to_text::run(engines, request),
        Tool::PdfToOffice => pdf_to_office::run(engines, request),
        Tool::ExtractDocument => extract_document::run(engines, request),
        Tool::InspectDocument => inspect::run(libraries, request),
        Tool::VerifySignatures => verify_signatures::run(libraries, request),
        Tool::SignPdf => sign_pdf::run(libraries, request),
        Tool::ValidateInvoice => validate_invoice::run(libraries, request),
        Tool::ReadInvoice => read_invoice::run(libraries, request),
        Tool::CheckAccessibility => check_accessibility::run(libraries, request),
        Tool::EditMetadata => metadata::run(libraries, request),
        Tool::FlattenPdf => flatten::run(libraries, request),
        Tool::FillForm => fill_form::run(libraries, request),
        Tool::PdfToPdfa => pdf_to_pdfa::run(libraries, request),
        Tool::TagPdf => tag_pdf::run(engines, request),
        Tool::OcrPdf => ocr_pdf::run(engines, request),
        Tool::CompareDocuments => compare::run(libraries, request),
        Tool::RedactPdf => redact::run(engines, request),
        Tool::RenderTemplate => render_template::run(request),
        Tool::RenderMarkdown => render_markdown::run(request),
        Tool::RenderEmail => render_email::run(request),
        Tool::UpdateFields => update_fields::run(libraries, request),
        Tool::KeepEvidence => sign_pdf::keep_evidence(request),
        Tool::Verify => verify::run(libraries, request),
        Tool::MarkTest => mark::run(libraries, request),
    }
}

/// Reads a tool's options, which the API has checked against its schema: an error is our own bug.
fn options<T: DeserializeOwned>(request: &Request) -> Result<T, Failure> {
    let value = if request.options.is_null() { serde_json::json!({}) } else { request.options.clone() };
    serde_json::from_value(value).map_err(|error| Failure::internal(format!("options: {error}")))
}

/// The pages that an option or a source selects, counted from 0; all pages without a range.
fn page_indices(text: Option<&str>, option: &str, pages: usize, limit: u32) -> Result<Vec<u32>, Failure> {
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    let Some(text) = text else { return Ok((0..pages).collect()) };
    let refuse =
        |error: RangeError| Failure::new(ErrorCode::RenderFailed, format!("`{option}`: {error}"), "page range");
    text.parse::<PageRange>().and_then(|range| range.resolve(pages, limit)).map_err(refuse)
}

/// The one result of a tool, named after its source.
fn pdf(file: &str, pages: u32) -> Artifact {
    Artifact { pages: Some(pages), ..Artifact::new(file, Format::Pdf) }
}

/// A source's name without its extension.
fn stem(name: Option<&str>) -> Option<String> {
    let stem = Path::new(name?).file_stem()?.to_str()?.trim();
    (!stem.is_empty()).then(|| stem.to_owned())
}

/// The source of a tool that takes one.
fn only_source(request: &Request) -> Result<&Source, Failure> {
    match request.sources.as_slice() {
        [source] => Ok(source),
        sources => Err(Failure::internal(format!("{} sources for a tool that takes one", sources.len()))),
    }
}

fn within_output(bytes: u64, limits: &Limits) -> Result<(), Failure> {
    if bytes <= limits.output_bytes {
        return Ok(());
    }
    let most = limits.output_bytes >> 20;
    let message = format!("The result is larger than {most} MiB, which is the limit. Select fewer pages.");
    Err(Failure::new(ErrorCode::RenderFailed, message, "result beyond the limit"))
}
