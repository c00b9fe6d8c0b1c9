//! The mark of test jobs: a large "TEST" over every page.

use docmill_formats::Format;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_request::{Failure, Outcome, Request};
use docmill_pdf_structure::assembly::Source;
use docmill_pdf_structure::overlay::{self, Drawing, Layer, Role};
use docmill_pdf_structure::{Assembly, metadata, open_deferring};
use lopdf::{Document, Object, ObjectId, Stream, dictionary};

use super::{archive, mark_picture, only_source, pdf};
use docmill_pdf_core::Libraries;

const RESULT: &str = "result.pdf";
/// The mark's text, and its width in Helvetica Bold, in em.
const TEXT: &str = "TEST";
const WIDTH_EM: f32 = 2.556;
/// Height of a capital letter of Helvetica, in em.
const CAPITAL_EM: f32 = 0.718;
/// The outlines of the letters in a box of 5 × 7, from the top, for documents that allow neither transparency nor a font that is not
/// embedded.
const T: &str = "0 0 m 5 0 l 5 1.4 l 3.2 1.4 l 3.2 7 l 1.8 7 l 1.8 1.4 l 0 1.4 l s";
const E: &str = "0 0 m 5 0 l 5 1.4 l 1.4 1.4 l 1.4 2.8 l 5 2.8 l 5 4.2 l 1.4 4.2 l 1.4 5.6 l 5 5.6 l 5 7 l 0 7 l s";
const S: &str = "0 0 m 5 0 l 5 1.4 l 1.4 1.4 l 1.4 2.8 l 5 2.8 l 5 7 l 0 7 l 0 5.6 l 3.6 5.6 l 3.6 4.2 l 0 4.2 l s";
/// The distance from one letter to the next, and the size of the box.
const STEP: f32 = 6.5;
const BOX: [f32; 2] = [3.0 * STEP + 5.0, 7.0];
/// The size of the small mark in the corner, in points.
const SMALL: f32 = 12.0;

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let source = only_source(request)?;
    if source.media != Format::Pdf {
        return mark_picture::run(request, source);
    }
    let opened = open_deferring(libraries, request, 0)?;
    // What claims to be PDF/A or PDF/UA stays so.
    let statement = metadata::statement(&opened.document);
    let mut source = Source::read(opened.document, request.limits.pages)?.deferring(opened.held);
    let word = if statement.has_claims() { add_outlines(&mut source.document) } else { add_word(&mut source.document) };
    for page in source.pages.clone() {
        let Ok(dictionary) = source.document.get_dictionary(page) else { continue };
        let space = PageSpace::of(&source.document, dictionary);
        // Upright, because programs that extract text split slanted words into letters.
        let drawings = [diagonal(space.size()), corner()].map(|place| Drawing {
            form: word,
            matrix: place.then(space.shown_to_page()),
            mark: None,
        });
        overlay::draw(&mut source.document, page, &drawings, Layer::Over, Role::Artifact);
    }
    let assembled = Assembly::whole(&request.directory.join(RESULT), &request.limits, &mut source)?;
    if statement.pdfa().is_some_and(|(part, _)| part == "1") {
        archive::unpack(libraries, request)?;
    }
    Ok(Outcome { artifacts: vec![pdf(RESULT, assembled.pages)], report: None, warnings: opened.warnings })
}

/// The word, in a unit of one em, centred on the origin.
fn add_word(document: &mut Document) -> ObjectId {
    let font = dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica-Bold" };
    let state = dictionary! { "Type" => "ExtGState", "ca" => 0.3, "CA" => 0.3 };
    let half = WIDTH_EM / 2.0;
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Form",
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font }, "ExtGState" => dictionary! { "G" => state } },
        "BBox" => vec![Object::Real(-half), Object::Real(-0.5), Object::Real(half), Object::Real(0.75)],
    };
    let content = format!("/G gs 0.8 0.1 0.1 rg BT /F 1 Tf {} {} Td ({TEXT}) Tj ET", -half, -CAPITAL_EM / 2.0);
    document.add_object(Stream::new(head, content.into_bytes()))
}

/// The word as outlines of the same size, in a red that does not depend on the document's output intent.
fn add_outlines(document: &mut Document) -> ObjectId {
    let white = vec![Object::Real(0.9505), 1.into(), Object::Real(1.089)];
    let red = Object::Array(vec!["CalRGB".into(), dictionary! { "WhitePoint" => white }.into()]);
    let (half, unit) = (WIDTH_EM / 2.0, WIDTH_EM / BOX[0]);
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "Resources" => dictionary! { "ColorSpace" => dictionary! { "Red" => red } },
        "BBox" => vec![Object::Real(-half - unit), Object::Real(-0.5), Object::Real(half + unit), Object::Real(0.5)],
    };
    let top = unit * BOX[1] / 2.0;
    let letters = [T, E, S, T].join(&format!("\n1 0 0 1 {STEP} 0 cm\n"));
    let content = format!("/Red CS 0.8 0.1 0.1 SC 0.25 w {unit} 0 0 {} {} {top} cm\n{letters}", -unit, -half);
    document.add_object(Stream::new(head, content.into_bytes()))
}

/// Along the rising diagonal of a page of this size as a viewer shows it.
fn diagonal((width, height): (f32, f32)) -> Matrix {
    let along = 0.7 * width.hypot(height) / WIDTH_EM;
    // A long narrow page has a long diagonal and no room for letters of that size.
    let size = along.min(0.8 * width.min(height));
    let angle = height.atan2(width).to_degrees();
    Matrix::scale(size).then(Matrix::rotation(angle)).then(Matrix::translation(width / 2.0, height / 2.0))
}

/// Small and upright in the lower left corner of the page as a viewer shows it.
fn corner() -> Matrix {
    Matrix::scale(SMALL).then(Matrix::translation(SMALL * (WIDTH_EM / 2.0 + 0.5), SMALL))
}
