//! What a signature looks like: a picture, lines of text and a QR code, beside each other in a box.

use docmill_codes::{QuietZone, Symbology};
use docmill_pdf_core::Libraries;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_request::{Failure, Request, Warning};
use docmill_pdf_signatures::sign::Look;
use docmill_pdf_structure::label::{self, Align};
use docmill_pdf_structure::stamp;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use serde::Deserialize;

use super::{Place, glyphs, refuse};
use crate::tools::watermark::code_form;

/// Between parts, and between parts and the edge, in points.
const GAP: f32 = 3.0;
/// In points. Text that does not fit is smaller.
const TEXT_SIZE: f32 = 10.0;
const COLOR: &str = "#000000";
/// Modules of light around a code.
const QUIET_ZONE: f32 = 2.0;

/// What is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Appearance {
    page: Option<usize>,
    #[serde(rename = "box")]
    area: Option<[f32; 4]>,
    text: Vec<String>,
    source: Option<usize>,
    qr_code: Option<String>,
}

impl Appearance {
    /// Counted from 0.
    pub(super) fn page(&self) -> usize {
        self.page.unwrap_or(1).saturating_sub(1)
    }

    /// The picture, by its place among the sources.
    pub(super) const fn source(&self) -> Option<usize> {
        self.source
    }

    /// Left, top, right and bottom on the shown page.
    pub(super) const fn area(&self) -> Option<[f32; 4]> {
        self.area
    }
}

/// A part of the look: an object, its size, and the matrix from its units to a box of that size.
struct Part {
    form: ObjectId,
    size: (f32, f32),
    matrix: Matrix,
    grows: bool,
}

/// Draws the look as objects that are numbered from here on.
pub(super) fn draw(
    libraries: &Libraries,
    request: &Request,
    appearance: &Appearance,
    free_number: u32,
    place: Place,
) -> Result<(Look, Vec<Warning>), Failure> {
    let mut document = Document::with_version("1.7");
    document.max_id = free_number.saturating_sub(1);
    let (parts, warnings) = parts(libraries, request, appearance, &mut document)?;
    let mut content = String::new();
    let mut objects = Dictionary::new();
    for (number, (part, cell)) in parts.iter().zip(cells(&parts, place)).enumerate() {
        let name = format!("P{number}");
        let matrix = part.matrix.then(fit(part, cell));
        content.push_str(&format!("q {} cm /{name} Do Q\n", matrix.operands()));
        objects.set(name, part.form);
    }
    let turned = Matrix::rotation(place.rotation);
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => Rectangle::of_size(place.width, place.height).to_object(),
        "Matrix" => turned.0.map(Object::Real).to_vec(), "Resources" => dictionary! { "XObject" => objects },
    };
    let form = document.add_object(Stream::new(head, content.into_bytes()));
    glyphs::list(&mut document);
    Ok((Look { form, objects: document.objects }, warnings))
}

/// From left to right.
fn parts(
    libraries: &Libraries,
    request: &Request,
    appearance: &Appearance,
    document: &mut Document,
) -> Result<(Vec<Part>, Vec<Warning>), Failure> {
    let (mut parts, mut warnings) = (Vec::new(), Vec::new());
    if let Some(source) = appearance.source {
        if source == 0 || source >= request.sources.len() {
            return Err(refuse(format!(
                "`appearance.source` names source {source}, which does not exist: count from 1, after the PDF."
            )));
        }
        let (picture, told) = stamp::load(libraries, request, source, document)?;
        warnings.extend(told);
        let stamp::Stamp { form, width, height, matrix } = picture;
        parts.push(Part { form, size: (width, height), matrix, grows: true });
    }
    let text = appearance.text.join("\n").replace("{date}", &request.now.day());
    if !text.trim().is_empty() {
        let style = label::Look { size: TEXT_SIZE, color: COLOR, align: Align::Start };
        let (labels, missing) = label::add(libraries.fonts(), document, &[text], style)?;
        warnings.extend(missing.warning());
        parts.extend(labels.into_iter().flatten().map(|label| Part {
            form: label.form,
            size: (label.width, label.height),
            matrix: label.matrix,
            grows: false,
        }));
    }
    if let Some(text) = &appearance.qr_code {
        let mut code = docmill_codes::encode_text(Symbology::Qr, text)
            .map_err(|_| refuse("`appearance.qrCode` is too long for a code. Shorten it."))?;
        code.quiet_zone = QuietZone { horizontal: QUIET_ZONE, vertical: QUIET_ZONE };
        let form = document.add_object(code_form(&code, COLOR)?);
        parts.push(Part { form, size: code.full_size(), matrix: Matrix::scale(1.0), grows: true });
    }
    Ok((parts, warnings))
}

/// The cells of the parts: pictures and codes get the width that they need at full height, at most their share, and text the rest.
fn cells(parts: &[Part], place: Place) -> Vec<Rectangle> {
    let gap = GAP.min(place.width.min(place.height) / 10.0);
    let height = place.height - 2.0 * gap;
    let share = (place.width - gap) / parts.len().max(1) as f32 - gap;
    let wanted = |part: &Part| if part.grows { (height * part.size.0 / part.size.1).min(share) } else { share };
    let fixed: f32 = parts.iter().filter(|part| part.grows).map(|part| wanted(part) + gap).sum();
    let texts = parts.iter().filter(|part| !part.grows).count().max(1) as f32;
    let rest = (place.width - gap - fixed) / texts - gap;
    let mut left = gap;
    parts
        .iter()
        .map(|part| {
            let alone = parts.len() == 1;
            let width = if alone {
                place.width - 2.0 * gap
            } else if part.grows {
                wanted(part)
            } else {
                rest
            };
            let cell = Rectangle { left, bottom: gap, right: left + width, top: gap + height };
            left += width + gap;
            cell
        })
        .collect()
}

/// Pictures fill their cell. Text has its size, or less if there is no room, and begins on the left.
fn fit(part: &Part, cell: Rectangle) -> Matrix {
    if part.grows {
        return Matrix::fit(part.size, cell);
    }
    let (width, height) = part.size;
    let factor = (cell.width() / width).min(cell.height() / height).min(1.0);
    let bottom = cell.bottom + (cell.height() - height * factor) / 2.0;
    Matrix::scale(factor).then(Matrix::translation(cell.left, bottom))
}
