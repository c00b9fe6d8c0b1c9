//! Places as the results have them.

use docmill_pdf_core::pdfium::Rect;

use super::words::Word;

/// Left, top, right and bottom, in points from the upper left corner of the page as shown.
pub(super) type Corners = [f64; 4];

/// What contains the words on the page as shown.
pub fn place<'w>(words: impl Iterator<Item = &'w Word>) -> Option<Rect> {
    words.map(|word| word.place).reduce(|a, b| a.union(&b))
}

/// Left, top, right and bottom, rounded.
pub fn corners(area: &Rect) -> Corners {
    [round(area.x0), round(area.y0), round(area.x1), round(area.y1)]
}

/// To hundredths.
pub fn round(points: f32) -> f64 {
    (f64::from(points) * 100.0).round() / 100.0
}
