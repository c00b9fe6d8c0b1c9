//! The space of a page and the one that a viewer shows. Every tool that reads or sets positions goes through here.

use lopdf::{Dictionary, Document};

use super::matrix::Matrix;
use super::objects::Lookup;
use super::rectangle::Rectangle;

/// Larger units are mistakes: PDF 2.0 allows pages of 75,000 units.
const LARGEST_UNIT: f32 = 75_000.0;

/// How a viewer shows a page: cut to its visible box, turned clockwise, and enlarged by its unit.
///
/// The shown space has its origin in the lower left corner of what is shown, and its unit is a point, 1/72 inch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageSpace {
    /// In the page's own units.
    pub visible: Rectangle,
    /// 0, 90, 180 or 270 degrees.
    pub rotation: i64,
    /// Points of one of the page's units.
    pub unit: f32,
}

impl PageSpace {
    /// The space of a page that has its inherited entries.
    pub fn of(document: &Document, page: &Dictionary) -> Self {
        let unit = page.get(b"UserUnit").ok().and_then(|unit| document.number(unit));
        Self { visible: visible_box(document, page), rotation: rotation(document, page), unit: sound_unit(unit) }
    }

    /// The space of a page with these boxes, turned so far, and with a unit as it is written.
    pub fn with_boxes(media: Option<Rectangle>, crop: Option<Rectangle>, rotation: i64, unit: Option<f32>) -> Self {
        Self { visible: visible(media, crop), rotation, unit: sound_unit(unit) }
    }

    /// The same page turned further clockwise.
    pub fn turned(self, degrees: i64) -> Self {
        Self { rotation: (self.rotation + degrees).rem_euclid(360), ..self }
    }

    /// Width and height in points as shown.
    pub fn size(self) -> (f32, f32) {
        let (width, height) = (self.visible.width() * self.unit, self.visible.height() * self.unit);
        if self.rotation % 180 == 0 { (width, height) } else { (height, width) }
    }

    /// From the page's own space to the shown one.
    pub fn to_shown(self) -> Matrix {
        let turned = Matrix::rotation(-(self.rotation as f32));
        let shown = turned.apply_to(self.visible);
        turned.then(Matrix::translation(-shown.left, -shown.bottom)).then(Matrix::scale(self.unit))
    }

    /// From the shown space to the page's own.
    pub fn shown_to_page(self) -> Matrix {
        let shown = Matrix::rotation(-(self.rotation as f32)).apply_to(self.visible);
        Matrix::scale(self.unit.recip())
            .then(Matrix::translation(shown.left, shown.bottom))
            .then(Matrix::rotation(self.rotation as f32))
    }
}

/// The visible part of a page, in its own units. The page must have its inherited entries.
pub fn visible_box(document: &Document, page: &Dictionary) -> Rectangle {
    let rectangle = |key: &[u8]| Rectangle::parse(document, page.get(key).ok()?);
    visible(rectangle(b"MediaBox"), rectangle(b"CropBox"))
}

fn visible(media: Option<Rectangle>, crop: Option<Rectangle>) -> Rectangle {
    let media = media.unwrap_or(Rectangle::LETTER);
    crop.and_then(|crop| crop.intersection(media)).unwrap_or(media)
}

/// Degrees by which a viewer turns the page clockwise: 0, 90, 180 or 270.
pub fn rotation(document: &Document, page: &Dictionary) -> i64 {
    let degrees = document.integer(page, b"Rotate").unwrap_or(0).rem_euclid(360);
    degrees - degrees % 90
}

/// Width and height in points as a viewer shows the page.
pub fn shown_size(document: &Document, page: &Dictionary) -> (f32, f32) {
    PageSpace::of(document, page).size()
}

/// A unit that can be used: 1 instead of one that is missing or absurd.
pub(crate) fn sound_unit(unit: Option<f32>) -> f32 {
    unit.filter(|unit| *unit > 0.0 && (LARGEST_UNIT.recip()..=LARGEST_UNIT).contains(unit)).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lower left quarter of a page, whose origin is outside, in units of half an inch.
    fn space(rotation: i64) -> PageSpace {
        let visible = Rectangle { left: -10.0, bottom: 5.0, right: 30.0, top: 25.0 };
        PageSpace { visible, rotation, unit: 36.0 }
    }

    #[test]
    fn the_corners_of_a_page_go_where_a_viewer_shows_them() {
        // Where the page's lower left corner is shown.
        for (rotation, size, corner) in [
            (0, (1440.0, 720.0), (0.0, 0.0)),
            (90, (720.0, 1440.0), (0.0, 1440.0)),
            (180, (1440.0, 720.0), (1440.0, 720.0)),
            (270, (720.0, 1440.0), (720.0, 0.0)),
        ] {
            assert_eq!(
                (space(rotation).size(), space(rotation).to_shown().apply(-10.0, 5.0)),
                (size, corner),
                "{rotation}"
            );
        }
        assert_eq!(space(270).turned(90), space(0));
    }

    #[test]
    fn what_is_shown_leads_back_to_the_page() {
        for rotation in [0, 90, 180, 270] {
            let there = space(rotation).to_shown().apply(3.0, 7.0);
            let (x, y) = space(rotation).shown_to_page().apply(there.0, there.1);
            assert!((x - 3.0).abs() < 1e-4 && (y - 7.0).abs() < 1e-4, "{rotation}: {x} {y}");
        }
    }

    #[test]
    fn units_that_no_page_has_are_left_out() {
        let units = [None, Some(0.0), Some(-2.0), Some(f32::NAN), Some(1e9), Some(2.5)];
        assert_eq!(units.map(sound_unit), [1.0, 1.0, 1.0, 1.0, 1.0, 2.5]);
    }
}
