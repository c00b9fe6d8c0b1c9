//! `tag-pdf`: the structure of a document as tags in its PDF.

use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::{Background, Document};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_core::writer::write_document;
use docmill_pdf_extract::model;
use docmill_pdf_extract::pdf::Keep;
use docmill_pdf_extract::pictures::{Images, Pictures};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Source, Warning};
use docmill_pdf_structure::metadata::PdfUa;
use docmill_pdf_structure::open_deferring;
use docmill_pdf_tag::headings::{self, Heading};
use docmill_pdf_tag::{AlternativeText, Corrected, StandIns, Tagged};
use docmill_pdf_text::HeadersFooters;
use serde::Deserialize;
use serde_json::{Value, json};

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
    headings: Vec<Heading>,
    existing: Existing,
    standard: Standard,
    structure: Option<Value>,
}

/// What the result says that it is, if it is.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Standard {
    #[default]
    PdfUa1,
    PdfUa2,
}

impl From<Standard> for PdfUa {
    fn from(standard: Standard) -> Self {
        match standard {
            Standard::PdfUa1 => Self::One,
            Standard::PdfUa2 => Self::Two,
        }
    }
}

/// What becomes of tags that a document has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Existing {
    #[default]
    Keep,
    /// They stay, and what PDF/UA asks for besides is added.
    Repair,
    Replace,
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let Options { language, title, alternative_texts, headings, existing, standard, structure }: Options =
        options(request)?;
    let corrected = structure.map(corrected).transpose()?;
    let existing = if corrected.is_some() { Existing::Replace } else { existing };
    let given =
        docmill_pdf_tag::Options { language, title, alternative_texts, standard: standard.into(), careful: false };
    let mut wanted = Wanted { given, existing, corrected, headings, stands_in: true, structure: None };
    for careful in [false, true] {
        wanted.given.careful = careful;
        let (outcome, is_risky) = make(engines, request, &mut wanted)?;
        if !is_risky || looks_the_same(engines, request)? {
            return Ok(outcome);
        }
    }
    wanted.stands_in = false;
    Ok(make(engines, request, &mut wanted)?.0)
}

/// What is to be made.
struct Wanted {
    given: docmill_pdf_tag::Options,
    existing: Existing,
    corrected: Option<Corrected>,
    headings: Vec<Heading>,
    /// Fonts are embedded for those that are missing.
    stands_in: bool,
    /// What the pages show, with what the caller corrects: read once, however often tags are made.
    structure: Option<Shown>,
}

/// What pages show, and what the caller's headings could not correct.
type Shown = (model::Document, Option<Warning>);

impl Wanted {
    fn read(&self, engines: &Engines, request: &Request, repairs: bool) -> Result<Shown, Failure> {
        let mut structure = structure(engines, request)?;
        if let Some(corrected) = &self.corrected {
            structure = corrected.clone().with_words_of(structure);
        }
        let warning = if repairs { None } else { headings::correct(&mut structure, &self.headings) };
        Ok((structure, warning))
    }
}

/// The structure that a person has corrected.
fn corrected(structure: Value) -> Result<Corrected, Failure> {
    // The error may quote the document.
    serde_json::from_value(structure).map_err(|_| {
        let message = "`structure` is not the JSON that extract-document makes: each block needs `id` and `role`.";
        Failure::new(ErrorCode::RenderFailed, message, "structure: another form")
    })
}

/// Makes the result, and says whether it may look different.
fn make(engines: &Engines, request: &Request, wanted: &mut Wanted) -> Result<(Outcome, bool), Failure> {
    let opened = open_deferring(&engines.libraries, request, 0)?.with_sound_streams().without_claim();
    let (mut document, held, mut warnings) = (opened.document, opened.held, opened.warnings);
    let tree = pages::read(&mut document, request.limits.pages)?;
    let has_tags = docmill_pdf_tag::is_tagged(&document);
    let tagged = if wanted.existing == Existing::Keep && has_tags {
        docmill_pdf_tag::keep(&mut document, &tree.pages, &wanted.given)
    } else {
        let repairs = wanted.existing == Existing::Repair && has_tags;
        let read = match wanted.structure.take() {
            Some(read) => read,
            None => wanted.read(engines, request, repairs)?,
        };
        let (structure, warning) = wanted.structure.insert(read);
        warnings.extend(warning.clone());
        let session = engines.libraries.pdfium()?.session();
        let stand_ins = if wanted.stands_in { StandIns::Drawn(&session) } else { StandIns::None };
        if repairs {
            docmill_pdf_tag::repair(&mut document, &tree.pages, structure, &stand_ins, &wanted.given)
        } else {
            let metrics = engines.libraries.fonts();
            docmill_pdf_tag::tag(&mut document, &tree.pages, structure, metrics, &stand_ins, &wanted.given)
        }
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
fn structure(engines: &Engines, request: &Request) -> Result<model::Document, Failure> {
    let session = engines.libraries.pdfium()?.session();
    // A step before has recognized what is scanned.
    let mut recognition = Recognition::new(engines, request, Recognize::Never, &[]);
    let mut pictures = Pictures::new(Images::None, &request.directory, &request.limits, String::new());
    let keep = Keep { headers_footers: HeadersFooters::Keep, words: true };
    let reader = Reader { engines, session: &session, request, pages: None, keep };
    let most = request.limits.pages as usize;
    let (document, _) = reader.read(only_source(request)?, &mut recognition, &mut pictures, most)?;
    Ok(document)
}

/// What was done, without words of the document or of the request: a job shows its report to all keys of the account.
fn report(tagged: &Tagged) -> serde_json::Value {
    let figures: Vec<_> = tagged.undescribed.iter().take(MOST_REPORTED).map(|place| json!(place)).collect();
    json!({
        "tags": tagged.origin,
        "elements": tagged.elements,
        "language": tagged.language,
        "hasTitle": tagged.title.is_some(),
        "conforms": tagged.broken.as_ref().map(Vec::is_empty),
        "failed": tagged.broken,
        "figuresWithoutText": figures,
        "standIns": tagged.stood_in,
    })
}
