//! ocr-pdf: puts an invisible text layer over scanned pages.

use docmill_domain::counted;
use docmill_pdf_core::image::{Encoding, PictureFormat, encode};
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::pages;
use docmill_pdf_core::pdfium::{Page, View};
use docmill_pdf_core::space;
use docmill_pdf_core::transform::{move_annotation, wrap_contents};
use docmill_pdf_ocr::{How, LOW_CONFIDENCE, Orienter, PageText, Reader, TextLayer};
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request, Warning};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::{Assembly, invisible, open_deferring, overlay};
use lopdf::{Object, ObjectId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{options, pdf, raster};
use crate::Engines;

const RESULT: &str = "result.pdf";
/// The most pages listed in the report and in a warning.
const MOST_REPORTED: usize = 1000;
const MOST_TOLD: usize = 10;
/// The JPEG quality of pictures that replace pages.
const QUALITY: u8 = 85;
/// Bytes of a pixel of such a picture while it is drawn.
const PIXEL_BYTES: u64 = 4;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct Options {
    languages: Vec<String>,
    mode: Mode,
    deskew: bool,
    rotate: bool,
    dpi: Option<f32>,
}

impl Default for Options {
    fn default() -> Self {
        Self { languages: vec!["eng".to_owned()], mode: Mode::SkipText, deskew: false, rotate: false, dpi: None }
    }
}

/// What happens to pages that have text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Mode {
    /// Keeps them as they are.
    SkipText,
    /// Removes their invisible text, and reads what is not visible text.
    Redo,
    /// Replaces them by pictures, and reads those.
    Force,
}

/// The outcome for one page.
enum Done {
    Skipped,
    Read {
        text: Box<PageText>,
        /// The file of the picture that replaces the page.
        picture: Option<String>,
    },
}

pub(super) fn run(engines: &Engines, request: &Request) -> Result<Outcome, Failure> {
    let options: Options = options(request)?;
    let done = read(engines, request, &options)?;
    let opened = open_deferring(&engines.libraries, request, 0)?.without_claim();
    let (mut document, mut warnings) = (opened.document, opened.warnings);
    let tree = pages::read(&mut document, request.limits.pages)?;
    if tree.pages.len() != done.len() {
        return Err(Failure::new(
            ErrorCode::CorruptDocument,
            "The PDF is damaged: its number of pages is unclear. Open it in the program that made it and save it again.",
            "pdfium and lopdf count different pages",
        ));
    }
    if options.mode == Mode::Redo {
        invisible::remove_text(&mut document, &tree.pages)?;
    }
    let mut layer = TextLayer::new(&mut document);
    for (page, done) in tree.pages.iter().zip(&done) {
        let Done::Read { text, picture } = done else { continue };
        if let Some(picture) = picture {
            replace(&mut document, *page, &request.directory.join(picture))?;
        }
        let (asked, rest) = asked(&options, text.view);
        turn(&mut document, *page, asked);
        layer.add(&mut document, *page, text, rest);
    }
    layer.finish(&mut document);
    let mut source = Source::read(document, request.limits.pages)?.deferring(opened.held);
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    warnings.extend(warn(&options, &done));
    let report = report(&options, &done);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: Some(report), warnings })
}

/// Reads the pages, one after the other.
fn read(engines: &Engines, request: &Request, options: &Options) -> Result<Vec<Done>, Failure> {
    let tesseract = engines.tesseract()?;
    // Its models are loaded for the first page that is read.
    let mut loaded: Option<Reader> = None;
    let mut orienter = Orienter::new(tesseract);
    if options.rotate && !orienter.is_there() {
        return Err(no_model());
    }
    let session = engines.libraries.pdfium()?.session();
    let source = super::only_source(request)?;
    let document = raster::open(&engines.libraries, &session, request, source)?;
    let Options { dpi, rotate, deskew, .. } = *options;
    let how = How { dpi, rotate, deskew, straighten: true, pixels: request.limits.pixels };
    let count = raster::page_count(&document, request)?;
    (0..count)
        .map(|index| {
            let page = document.page(index)?;
            let has_text = page.text()?.string().chars().any(|c| !c.is_whitespace() && !c.is_control());
            if has_text && options.mode == Mode::SkipText {
                return Ok(Done::Skipped);
            }
            let without = if has_text && options.mode == Mode::Redo { page.visible_text() } else { Vec::new() };
            let reader = match &mut loaded {
                Some(reader) => reader,
                none => none.insert(reader(engines, &options.languages)?),
            };
            let text = docmill_pdf_ocr::read(&page, reader, &mut orienter, &how, &without)?;
            let replaced = has_text && options.mode == Mode::Force;
            let picture = replaced.then(|| draw(&page, index, text.dpi, request)).transpose()?;
            Ok(Done::Read { text: Box::new(text), picture })
        })
        .collect()
}

/// Loads the models of these languages.
pub(super) fn reader(engines: &Engines, languages: &[String]) -> Result<Reader, Failure> {
    engines.tesseract()?.reader(&languages.join("+")).ok_or_else(no_model)
}

fn no_model() -> Failure {
    Failure::internal("a model of Tesseract is not installed")
}

/// Draws a page in color to a file, and returns the file's name.
fn draw(page: &Page<'_>, index: u32, dpi: f32, request: &Request) -> Result<String, Failure> {
    let size = raster::size(page.size(), &raster::Fit::Dpi(dpi), request.limits.memory_bytes / PIXEL_BYTES)?;
    let bitmap = page.render_content(size.width, size.height)?;
    let encoding = Encoding { format: PictureFormat::Jpeg, quality: QUALITY, grayscale: false, dpi: None };
    let file = format!("page-{}.jpg", index + 1);
    std::fs::write(request.directory.join(&file), encode(&bitmap, &encoding)?).map_err(|error| Failure::io(&error))?;
    Ok(file)
}

/// Puts a picture in place of what a page draws. Its annotations stay.
fn replace(document: &mut lopdf::Document, id: ObjectId, picture: &std::path::Path) -> Result<(), Failure> {
    let data = std::fs::read(picture).map_err(|error| Failure::io(&error))?;
    std::fs::remove_file(picture).map_err(|error| Failure::io(&error))?;
    let stream =
        docmill_pdf_core::image::jpeg(&data).ok_or_else(|| Failure::internal("a picture of our own can't be read"))?;
    overlay::show_picture(document, id, stream);
    Ok(())
}

/// The part of a page's rotation that was asked for, and the rest, by which only its text layer is rotated.
fn asked(options: &Options, view: View) -> (View, View) {
    let part = |is_asked: bool| View {
        turn: if options.rotate == is_asked { view.turn } else { 0 },
        skew: if options.deskew == is_asked { view.skew } else { 0.0 },
    };
    (part(true), part(false))
}

/// Rotates a page.
fn turn(document: &mut lopdf::Document, id: ObjectId, view: View) {
    let Ok(page) = document.get_dictionary(id) else { return };
    let rotation = space::rotation(document, page);
    if view.skew != 0.0 {
        let visible = space::visible_box(document, page);
        let (x, y) = (f32::midpoint(visible.left, visible.right), f32::midpoint(visible.bottom, visible.top));
        let about = Matrix::translation(-x, -y).then(Matrix::rotation(-view.skew));
        let matrix = about.then(Matrix::translation(x, y));
        let annotations: Vec<ObjectId> =
            document.array(page, b"Annots").iter().filter_map(|annotation| annotation.as_reference().ok()).collect();
        let contents = page.get(b"Contents").cloned().ok();
        for annotation in annotations {
            move_annotation(document, annotation, matrix);
        }
        wrap_contents(document, id, contents, &format!("q {} cm\n", matrix.operands()), "\nQ\n");
    }
    if view.turn != 0
        && let Ok(page) = document.get_dictionary_mut(id)
    {
        page.set("Rotate", Object::Integer((rotation + i64::from(view.turn)) % 360));
    }
}

fn warn(options: &Options, done: &[Done]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if done.iter().all(|done| matches!(done, Done::Skipped)) {
        let message =
            "All pages have text already, and stay as they are. Set `mode` to `redo` to recognize them again.";
        warnings.push(Warning::new("nothing_recognized", message));
    }
    let confidence = |done: &Done| match done {
        Done::Read { text, .. } => text.text.confidence(),
        Done::Skipped => None,
    };
    warnings.extend(low_confidence((1..).zip(done.iter().map(confidence)), !options.rotate));
    warnings.extend(lying(options, done));
    warnings
}

/// Pages that were turned or levelled to be read, and stay as they lie.
fn lying(options: &Options, done: &[Done]) -> Option<Warning> {
    let rest = |done: &Done| match done {
        Done::Read { text, .. } => asked(options, text.view).1,
        Done::Skipped => View::default(),
    };
    let of = |is: fn(View) -> bool| {
        (1..).zip(done).filter(|(_, done)| is(rest(done))).map(|(number, _)| number).collect::<Vec<u32>>()
    };
    let (turned, askew) = (of(|view| view.turn != 0), of(|view| view.skew != 0.0));
    let mut facts = Vec::new();
    if !turned.is_empty() {
        let pages = numbers(&turned);
        facts.push(format!("These pages lie on their side or upside down: {pages}. To turn them, set `rotate: true`."));
    }
    if !askew.is_empty() {
        facts.push(format!("The lines of these pages slope: {}. To level them, set `deskew: true`.", numbers(&askew)));
    }
    (!facts.is_empty()).then(|| {
        Warning::new("scan_not_straight", format!("{} Their text was recognized all the same.", facts.join(" ")))
    })
}

/// A warning that lists the pages with low confidence. `rotates`: whether `rotate` may be set, and is not.
pub(super) fn low_confidence(pages: impl Iterator<Item = (u32, Option<f32>)>, rotates: bool) -> Option<Warning> {
    let is_low = |confidence: Option<f32>| confidence.is_some_and(|confidence| confidence < LOW_CONFIDENCE);
    let low: Vec<u32> = pages.filter(|(_, confidence)| is_low(*confidence)).map(|(number, _)| number).collect();
    if low.is_empty() {
        return None;
    }
    let help = if rotates { " If pages lie on their side, set `rotate: true`." } else { "" };
    let message = format!(
        "The text of {} is uncertain: {}. Check it, or send a sharper scan or other `languages`.{help}",
        counted(low.len() as u64, "page"),
        numbers(&low)
    );
    Some(Warning::new("low_confidence", message))
}

/// The first of these page numbers.
pub(super) fn numbers(pages: &[u32]) -> String {
    let more = if pages.len() > MOST_TOLD { ", …" } else { "" };
    let told: Vec<String> = pages.iter().take(MOST_TOLD).map(u32::to_string).collect();
    told.join(", ") + more
}

fn report(options: &Options, done: &[Done]) -> Value {
    let read = || done.iter().filter(|done| matches!(done, Done::Read { .. })).count();
    let pages: Vec<Value> =
        (1..).zip(done).take(MOST_REPORTED).map(|(number, done)| report_page(options, number, done)).collect();
    json!({
        "languages": options.languages,
        "recognized": read(),
        "skipped": done.len() - read(),
        "pages": pages,
    })
}

fn report_page(options: &Options, number: u32, done: &Done) -> Value {
    let Done::Read { text, .. } = done else { return json!({ "page": number, "status": "skipped" }) };
    let tenths = |number: f32| (f64::from(number) * 10.0).round() / 10.0;
    let mut page = json!({
        "page": number,
        "status": "recognized",
        "words": text.text.words(),
        "confidence": text.text.confidence().map(tenths),
        "dpi": text.dpi.round(),
    });
    let (done, _) = asked(options, text.view);
    let turn = (done.turn != 0).then(|| ("rotated".to_owned(), json!(done.turn)));
    let skew = (done.skew != 0.0).then(|| ("skew".to_owned(), json!(tenths(done.skew))));
    if let Some(page) = page.as_object_mut() {
        page.extend(turn.into_iter().chain(skew));
    }
    page
}
