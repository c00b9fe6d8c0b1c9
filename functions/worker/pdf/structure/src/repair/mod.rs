//! One repair for all tools: of PDFs that were cut off, lost objects, or have other pages than they say.
//!
//! libqpdf rewrites what it can read. What it can't read is rebuilt from the objects that are in the file, or else copied by pdfium. The
//! page tree of each is set right, and a warning says what is missing.

mod pages;
mod rebuild;

use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_core::pdfium;
use docmill_pdf_core::qpdf::survey::{self, Condition};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Source, Tool, Warning};
use lopdf::Document;

use crate::open::{Search, load_again};
use docmill_pdf_core::Libraries;

/// The names of repaired sources.
const PREFIX: &str = "mended-";

/// A request whose damaged sources are replaced by repaired ones.
#[derive(Debug)]
pub struct Mended {
    /// The same request with the repaired sources.
    pub request: Request,
    warnings: Vec<Warning>,
}

impl Mended {
    /// The outcome of the tool for this request, with what was repaired. The repaired sources are removed.
    ///
    /// # Errors
    /// What the tool fails with, or that a repaired source can't be removed.
    pub fn ended(self, outcome: Result<Outcome, Failure>) -> Result<Outcome, Failure> {
        for source in self.request.sources.iter().filter(|source| is_mended(source)) {
            std::fs::remove_file(&source.path).map_err(|error| Failure::io(&error))?;
        }
        let Outcome { artifacts, report, warnings } = outcome?;
        let others = warnings.into_iter().filter(|warning| warning.code != "repaired");
        Ok(Outcome { artifacts, report, warnings: self.warnings.into_iter().chain(others).collect() })
    }
}

/// Repairs damaged sources of a tool that would read them with pages missing, and not know. `None` if nothing is to be done.
pub fn before(libraries: &Libraries, request: &Request) -> Option<Mended> {
    if !reads_pages_unchecked(request.tool) {
        return None;
    }
    // pdfium may read what qpdf can't, without a word.
    let is_unsound = |source: &Source| condition(source).is_some_and(|condition| condition != Condition::Sound);
    request.sources.iter().any(is_unsound).then(|| mend(libraries, request, is_unsound))?
}

/// Repairs the sources of a tool that has failed, if that may be why. `None` if nothing could be repaired.
pub fn after(libraries: &Libraries, request: &Request, failure: &Failure) -> Option<Mended> {
    // Results of our own are judged as they are, and signatures are of the bytes that they came with.
    if matches!(request.tool, Tool::KeepEvidence | Tool::Verify | Tool::VerifySignatures) {
        return None;
    }
    if failure.code == ErrorCode::CorruptDocument {
        let is_sound = |source: &Source| condition(source) == Some(Condition::Sound);
        // If qpdf finds nothing wrong, its own version of the file may be easier to read.
        let all_sound = request.sources.iter().all(|source| source.media != Format::Pdf || is_sound(source));
        return mend(libraries, request, |source| source.media == Format::Pdf && (all_sound || !is_sound(source)));
    }
    // A document may say that it has more pages than it has.
    (failure.code == ErrorCode::PageLimitExceeded).then(|| mend(libraries, request, is_damaged))?
}

/// What qpdf finds. `None` if the source is no PDF.
fn condition(source: &Source) -> Option<Condition> {
    (source.media == Format::Pdf).then(|| survey::condition(&source.path, source.password.as_deref()))
}

/// Whether qpdf can read a source, but only by repairing it.
fn is_damaged(source: &Source) -> bool {
    condition(source) == Some(Condition::Damaged)
}

/// Whether a source is a repaired one.
pub fn is_mended(source: &Source) -> bool {
    source.path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX))
}

/// Whether the tool reads pages by pdfium, which takes a document at its word.
const fn reads_pages_unchecked(tool: Tool) -> bool {
    match tool {
        Tool::PdfToImages
        | Tool::Thumbnail
        | Tool::PdfToText
        | Tool::PdfToOffice
        | Tool::ExtractDocument
        | Tool::CompareDocuments
        | Tool::CompressPdf
        | Tool::OcrPdf
        | Tool::RedactPdf
        | Tool::TagPdf => true,
        Tool::MergePdf
        | Tool::SplitPdf
        | Tool::OrganizePdf
        | Tool::ProtectPdf
        | Tool::UnlockPdf
        | Tool::WatermarkPdf
        | Tool::ImagesToPdf
        | Tool::InspectDocument
        | Tool::VerifySignatures
        | Tool::SignPdf
        | Tool::ValidateInvoice
        | Tool::ReadInvoice
        | Tool::CheckAccessibility
        | Tool::EditMetadata
        | Tool::FlattenPdf
        | Tool::FillForm
        | Tool::PdfToPdfa
        | Tool::RenderTemplate
        | Tool::RenderMarkdown
        | Tool::RenderEmail
        | Tool::UpdateFields
        | Tool::KeepEvidence
        | Tool::Verify
        | Tool::MarkTest => false,
    }
}

/// Repairs those sources that `should` be.
fn mend(libraries: &Libraries, request: &Request, should: impl Fn(&Source) -> bool) -> Option<Mended> {
    let mut mended = Mended { request: request.clone(), warnings: Vec::new() };
    for (position, source) in mended.request.sources.iter_mut().enumerate() {
        if !should(source) || is_mended(source) {
            continue;
        }
        let path = request.directory.join(format!("{PREFIX}{position}.pdf"));
        // What can't be repaired stays as it is: the tool says what is wrong with it.
        let Ok(missing) = repair(libraries, request, source, &path) else { continue };
        let message = format!("The PDF is damaged and has been repaired{missing}. Check the result.");
        let detail = source.name.clone().filter(|_| request.sources.len() > 1);
        mended.warnings.push(Warning { detail, ..Warning::new("repaired", message) });
        let damaged_bytes = std::fs::metadata(&source.path).ok().map(|file| file.len());
        *source = Source { path, password: None, damaged_bytes, ..source.clone() };
    }
    (!mended.warnings.is_empty()).then_some(mended)
}

/// Who reads a damaged file, in this order: the first one that finds pages counts.
#[derive(Clone, Copy, Debug)]
enum Reader {
    Qpdf,
    /// Our search for objects.
    Search,
    Pdfium,
}

/// Writes a repaired copy of a source without protection, and says what is missing.
fn repair(libraries: &Libraries, request: &Request, source: &Source, path: &Path) -> Result<String, Failure> {
    let scratch = with_suffix(path, "normalized");
    let mut refused = None;
    for reader in [Reader::Qpdf, Reader::Search, Reader::Pdfium] {
        let found = match reader {
            Reader::Qpdf => normalized(libraries, source, request, &scratch).map(|document| (document, false)),
            Reader::Search => rebuilt(source, request, &scratch),
            Reader::Pdfium => copied(libraries, source, request, &scratch).map(|document| (document, false)),
        };
        let found = found.and_then(|(mut document, is_cut)| {
            let pages = pages::set_right(&mut document, request.limits.pages)?;
            document.save(path).map_err(|error| Failure::io(&error))?;
            Ok(pages.missing(is_cut))
        });
        match found {
            Err(failure) if failure.code == ErrorCode::CorruptDocument => refused = refused.or(Some(failure)),
            ended => return ended,
        }
    }
    Err(refused.unwrap_or_else(|| Failure::internal("no reader")))
}

/// What qpdf reads of a file.
fn normalized(libraries: &Libraries, source: &Source, request: &Request, scratch: &Path) -> Result<Document, Failure> {
    libraries.qpdf()?.normalize(&source.path, source.password.as_deref(), scratch)?;
    taken(request, scratch)
}

/// What pdfium reads of a file.
fn copied(libraries: &Libraries, source: &Source, request: &Request, scratch: &Path) -> Result<Document, Failure> {
    let session = libraries.pdfium()?.session();
    let file = pdfium::Document::open(&session, &source.path, source.password.as_deref())?;
    file.copy(scratch, request.limits.output_bytes)?;
    taken(request, scratch)
}

/// The document of a file that was written for this alone.
fn taken(request: &Request, scratch: &Path) -> Result<Document, Failure> {
    let document = load_again(scratch, &request.limits, Search::No);
    std::fs::remove_file(scratch).map_err(|error| Failure::io(&error))?;
    document
}

/// What is in a file that qpdf can't read, and whether its end is missing.
fn rebuilt(source: &Source, request: &Request, scratch: &Path) -> Result<(Document, bool), Failure> {
    let mut bytes = std::fs::read(&source.path).map_err(|error| Failure::io(&error))?;
    let is_cut = rebuild::is_cut(&bytes);
    rebuild::add_header(&mut bytes);
    rebuild::end_stream(&mut bytes);
    let load = |bytes: &[u8]| {
        std::fs::write(scratch, bytes).map_err(|error| Failure::io(&error))?;
        load_again(scratch, &request.limits, Search::Yes).and_then(rebuild::with_catalog)
    };
    // By its own trailer, or by the catalog among its objects.
    let document =
        load(&bytes).or_else(|failure| if rebuild::add_catalog(&mut bytes) { load(&bytes) } else { Err(failure) });
    std::fs::remove_file(scratch).map_err(|error| Failure::io(&error))?;
    Ok((document?, is_cut))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    path.with_extension(suffix)
}
