//! `tag-pdf`: the structure of a document as tags in its PDF.

use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::{Background, Document};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_core::writer::write_document;
use docmill_pdf_extract::pictures::{Images, Pictures};
use docmill_pdf_request::{Failure, Outcome, Request, Source};
use docmill_pdf_structure::open_deferring;
use docmill_pdf_tag::{AlternativeText, StandIns, Tagged};
use docmill_pdf_text::HeadersFooters;
use serde::Deserialize;
use serde_json::json;

use super::extract_document::Reader;
use super::pdf_pages::{Recognition, Recognize};
use super::{only_source, options, pdf, raster};
use crate::Engines;

const RESULT: &str = "result.pdf";
/// Most places in the report.
const MOST_REPORTED: usize = 1000;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    language: Option<String>,
    title: Option<String>,
    alternative_texts: Vec<AlternativeText>,
    existing: Existing,
}

/// What becomes of tags that a document has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Existing {
    #[default]
    Keep,
    Replace,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let Options { language, title, alternative_texts, existing }: Options = options(request)?;
    let mut given = docmill_pdf_tag::Options { language, title, alternative_texts, careful: false };
    for careful in [false, true] {
        given.careful = careful;
        let (outcome, is_risky) = make(engines, request, &given, existing, true)?;
        if !is_risky || looks_the_same(engines, request)? {
            return Ok(outcome);
        }
    }
    Ok(make(engines, request, &given, existing, false)?.0)
}

/// Makes the result, and says whether it may look different. `stands_in`: fonts are embedded for those that are missing.
fn make(
    engines: &Engines,
    request: &Request,
    given: &docmill_pdf_tag::Options,
    existing: Existing,
    stands_in: bool,
) -> Result<(Outcome, bool), Failure> {
    let opened = open_deferring(&engines.libraries, request, 0)?.with_sound_streams().without_claim();
    let (mut document, held, mut warnings) = (opened.document, opened.held, opened.warnings);
    let tree = pages::read(&mut document, request.limits.pages)?;
    let tagged = if existing == Existing::Keep && docmill_pdf_tag::is_tagged(&document) {
        docmill_pdf_tag::keep(&mut document, &tree.pages, given)
    } else {
        let structure = structure(engines, request)?;
        let session = engines.libraries.pdfium()?.session();
        let stand_ins = if stands_in { StandIns::Drawn(&session) } else { StandIns::None };
        let metrics = engines.libraries.fonts();
        docmill_pdf_tag::tag(&mut document, &tree.pages, &structure, metrics, &stand_ins, given)
    };
    warnings.extend(tagged.warnings.iter().cloned());
    document.prune_objects();
    write_document(document, &held, &request.limits, &request.directory.join(RESULT))?;
    let count = u32::try_from(tree.pages.len()).unwrap_or(u32::MAX);
    let outcome = Outcome { artifacts: vec![pdf(RESULT, count)], report: Some(report(&tagged)), warnings };
    Ok((outcome, tagged.is_risky))
}

/// Whether each pixel of all pages is the same as before.
fn looks_the_same(engines: &Engines, request: &Request) -> Result<bool, Failure> {
    let session = engines.libraries.pdfium()?.session();
    let source = only_source(request)?;
    let before = raster::open(&engines.libraries, &session, request, source)?;
    let made = Source::new(request.directory.join(RESULT), source.media);
    let after = raster::open(&engines.libraries, &session, request, &made)?;
    let draw = |document: &Document<'_>, index: u32| {
        let page = document.page(index)?;
        let (width, height) = page.size();
        let scale = (request.limits.pixels as f32 / (width * height).max(1.0)).sqrt().min(1.0);
        let pixels = |points: f32| whole((points * scale).round()).max(1);
        page.render(pixels(width), pixels(height), Background::Color([255; 3]))
    };
    for index in 0..before.pages() {
        if draw(&before, index)?.data != draw(&after, index)?.data {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The structure that the pages show.
fn structure(engines: &Engines, request: &Request) -> Result<docmill_pdf_extract::model::Document, Failure> {
    let session = engines.libraries.pdfium()?.session();
    // A step before has recognized what is scanned.
    let mut recognition = Recognition::new(engines, request, Recognize::Never, &[]);
    let mut pictures = Pictures::new(Images::None, &request.directory, &request.limits, String::new());
    let reader = Reader { engines, session: &session, request, pages: None, headers_footers: HeadersFooters::Keep };
    let most = request.limits.pages as usize;
    let (document, _) = reader.read(only_source(request)?, &mut recognition, &mut pictures, most)?;
    Ok(document)
}

/// What was done, without words of the document or of the request: a job shows its report to all keys of the account.
fn report(tagged: &Tagged) -> serde_json::Value {
    let figures: Vec<_> = tagged.undescribed.iter().take(MOST_REPORTED).map(|place| json!(place)).collect();
    json!({
        "tags": if tagged.is_kept { "kept" } else { "made" },
        "elements": tagged.elements,
        "language": tagged.language,
        "hasTitle": tagged.title.is_some(),
        "conforms": tagged.broken.as_ref().map(Vec::is_empty),
        "failed": tagged.broken,
        "figuresWithoutText": figures,
        "standIns": tagged.stood_in,
    })
}
