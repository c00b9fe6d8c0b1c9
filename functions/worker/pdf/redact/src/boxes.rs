//! The boxes that show where something was redacted.

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space;
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_core::transform::wrap_contents;
use docmill_pdf_request::Failure;
use docmill_pdf_structure::label::{self, Align, Label, Look};
use docmill_pdf_structure::overlay::{self, Drawing, Layer, Role};
use lopdf::{Document, ObjectId};

use super::Cover;
use super::shapes::meets;

/// Size of a label in points before it is fitted into its box, and the lowest box with a label.
const LABEL_SIZE: f32 = 10.0;
const LOWEST_LABEL: f32 = 5.0;
/// Space around a label as a share of the box's height.
const LABEL_MARGIN: f32 = 0.15;

/// The areas in the page's own units.
pub(super) fn on_page(document: &Document, page: ObjectId, areas: &[Rect]) -> Vec<Rectangle> {
    let Ok(dictionary) = document.get_dictionary(page) else { return Vec::new() };
    let space = PageSpace::of(document, dictionary);
    let ((_, height), matrix) = (space.size(), space.shown_to_page());
    let upright =
        |area: &Rect| Rectangle { left: area.x0, bottom: height - area.y1, right: area.x1, top: height - area.y0 };
    areas.iter().map(|area| matrix.apply_to(upright(area))).collect()
}

/// Draws a page's boxes with their labels.
pub(super) fn draw(
    document: &mut Document,
    fonts: &Fonts,
    page: ObjectId,
    areas: &[Rect],
    cover: &Cover<'_>,
) -> Result<(), Failure> {
    if areas.is_empty() {
        return Ok(());
    }
    let areas = on_page(document, page, areas);
    fill(document, page, &areas, cover.color);
    let Some(text) = cover.label else { return Ok(()) };
    let [r, g, b] = cover.label_color();
    let color = format!("#{r:02x}{g:02x}{b:02x}");
    let look = Look { size: LABEL_SIZE, color: &color, align: Align::Center };
    let (labels, _) = label::add(fonts, document, &[text.to_owned()], look)?;
    let Some(label) = labels.into_iter().flatten().next() else { return Ok(()) };
    let rotation = document.get_dictionary(page).map_or(0, |page| space::rotation(document, page));
    let drawings: Vec<Drawing> =
        labelled(areas).into_iter().map(|area| in_box(&label, area, rotation as f32)).collect();
    overlay::draw(document, page, &drawings, Layer::Over, Role::Artifact);
    Ok(())
}

fn fill(document: &mut Document, page: ObjectId, areas: &[Rectangle], color: [u8; 3]) {
    let [r, g, b] = color.map(|part| f32::from(part) / 255.0);
    let mut content = format!("\nQ\n/Artifact BMC\nq {r} {g} {b} rg\n");
    for area in areas {
        content.push_str(&format!("{} {} {} {} re\n", area.left, area.bottom, area.width(), area.height()));
    }
    content.push_str("f\nQ\nEMC\n");
    let contents = document.get_dictionary(page).ok().and_then(|page| page.get(b"Contents").cloned().ok());
    wrap_contents(document, page, contents, "q\n", &content);
}

/// The boxes that get a label: those that overlap have one.
fn labelled(areas: Vec<Rectangle>) -> Vec<Rectangle> {
    let mut labelled: Vec<Rectangle> = Vec::new();
    for area in areas {
        let is_high = area.width().min(area.height()) >= LOWEST_LABEL;
        if is_high && !labelled.iter().any(|other| meets(*other, area)) {
            labelled.push(area);
        }
    }
    labelled
}

/// A label in a box, upright as the page is shown.
fn in_box(label: &Label, area: Rectangle, rotation: f32) -> Drawing {
    let turned = Matrix::rotation(rotation);
    let shown = turned.apply_to(Rectangle::of_size(label.width, label.height));
    let turned = turned.then(Matrix::translation(-shown.left, -shown.bottom));
    let margin = LABEL_MARGIN * area.width().min(area.height());
    let inner = Rectangle {
        left: area.left + margin,
        bottom: area.bottom + margin,
        right: area.right - margin,
        top: area.top - margin,
    };
    let fitted = Matrix::fit((shown.width(), shown.height()), inner);
    Drawing { form: label.form, matrix: label.matrix.then(turned).then(fitted), mark: None }
}
