//! watermark-pdf: puts text, pictures, pages and codes on pages, also page numbers, headers and Bates numbers.

mod codes;
mod fields;
mod look;
mod mark;
mod marks;
mod options;
mod place;

use std::collections::{BTreeMap, HashMap};

use docmill_formats::Format;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_request::{ErrorCode, Failure, Outcome, Request};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::overlay::{self, Drawing, Layer, Role};
use docmill_pdf_structure::{Assembly, open_deferring};
use lopdf::{Document, ObjectId};

pub(super) use self::codes::code_form;
use self::mark::Mark;
use self::marks::Maker;
use self::options::{Options, Stamp};
use super::{options, page_indices, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";

/// The most marks in a document, where each tile is one.
const MOST_DRAWINGS: usize = 4_000_000;

/// A stamp's mark, which gets its place when its page is drawn.
struct Chosen<'s> {
    stamp: &'s Stamp,
    mark: Mark,
}

/// By the page's index.
type Marks<'s> = BTreeMap<u32, Vec<Chosen<'s>>>;

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    pdf_comes_first(request)?;
    let stamps = options::<Options>(request)?.stamps(request)?;
    let opened = open_deferring(libraries, request, 0)?.without_claim();
    let mut warnings = opened.warnings;
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let (mut maker, mut marks) = (Maker::new(libraries, request), Marks::new());
    for stamp in &stamps {
        let option = format!("{}pages", stamp.path);
        let chosen = page_indices(stamp.look.pages.as_deref(), &option, source.pages.len(), request.limits.pages)?;
        add(&mut maker, stamp, &mut source, &chosen, &mut marks)?;
    }
    warnings.extend(maker.warnings());
    let mut left = MOST_DRAWINGS;
    for (index, marks) in marks {
        if let Some(page) = source.pages.get(index as usize) {
            draw(&mut source.document, *page, &marks, &mut left)?;
        }
    }
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    warnings.extend(assembled.warnings);
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings })
}

/// Pictures are accepted as stamps, so one can be sent alone.
pub(super) fn pdf_comes_first(request: &Request) -> Result<(), Failure> {
    match request.sources.first() {
        Some(source) if source.media != Format::Pdf => {
            let message =
                format!("The first source is a {} file. Send the PDF first, then pictures.", source.media.extension());
            Err(Failure::new(ErrorCode::UnsupportedFormat, message, "the first source is no PDF"))
        }
        Some(_) | None => Ok(()),
    }
}

fn refuse(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::RenderFailed, message, "watermark: options do not fit together")
}

/// Adds a stamp to the marks of the chosen pages.
fn add<'s>(
    maker: &mut Maker<'_>,
    stamp: &'s Stamp,
    source: &mut Source,
    chosen: &[u32],
    marks: &mut Marks<'s>,
) -> Result<(), Failure> {
    let made = maker.marks(stamp, source, chosen)?;
    let mut translucent = HashMap::new();
    for (index, mark) in chosen.iter().zip(made) {
        let Some(mut mark) = mark else { continue };
        if stamp.look.opacity < 1.0 {
            let form = mark.form;
            mark.form =
                *translucent.entry(form).or_insert_with(|| see_through(&mut source.document, form, stamp.look.opacity));
        }
        marks.entry(*index).or_default().push(Chosen { stamp, mark });
    }
    Ok(())
}

/// Draws the marks of a page. `left` is what the document may yet have.
fn draw(document: &mut Document, page: ObjectId, marks: &[Chosen<'_>], left: &mut usize) -> Result<(), Failure> {
    let Ok(dictionary) = document.get_dictionary(page) else { return Ok(()) };
    let space = PageSpace::of(document, dictionary);
    for layer in [Layer::Under, Layer::Over] {
        let of_layer = marks.iter().filter(|chosen| chosen.stamp.look.layer == layer);
        let drawings: Vec<Drawing> = of_layer
            .flat_map(|Chosen { stamp, mark }| {
                let places = place::place(&stamp.look, mark, space);
                places.into_iter().map(|place| Drawing { form: mark.form, matrix: mark.matrix.then(place), mark: None })
            })
            .collect();
        *left = left.checked_sub(drawings.len()).ok_or_else(|| {
            refuse(format!("The document would have more than {MOST_DRAWINGS} marks: use fewer or larger tiles, or choose fewer `pages`."))
        })?;
        if !drawings.is_empty() {
            overlay::draw(document, page, &drawings, layer, Role::Artifact);
        }
    }
    Ok(())
}

fn see_through(document: &mut Document, form: ObjectId, opacity: f32) -> ObjectId {
    let bounds = document
        .get_object(form)
        .ok()
        .and_then(|form| form.as_stream().ok()?.dict.get(b"BBox").ok().cloned())
        // A picture is the unit square.
        .unwrap_or_else(|| Rectangle::of_size(1.0, 1.0).to_object());
    overlay::translucent(document, form, bounds, opacity)
}
