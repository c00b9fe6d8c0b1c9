//! The contrast of text with what is behind it, by WCAG 2 (success criterion 1.4.3). PDF/UA-1 does not ask for it.

use std::collections::HashMap;

use docmill_pdf_core::pdfium::{Background, Bitmap, Character, Looks, Page, Rect, TextLook};
use docmill_pdf_request::Failure;
use serde::Serialize;

/// Most places that are told. All are counted.
const PLACES: usize = 100;
/// Larger text needs less contrast: from this size in points, or from the second one if it is bold.
const LARGE: f32 = 18.0;
const LARGE_IF_BOLD: f32 = 14.0;
/// The contrast that text needs.
const LEAST: f32 = 4.5;
const LEAST_IF_LARGE: f32 = 3.0;
/// What is behind text is of one color if so many of its pixels in a hundred are.
const PLAIN: usize = 35;
/// Pixels of a page, at most.
const PIXELS: f32 = 4_000_000.0;
/// How far from each other, in heights of the text, parts of one line are.
const GAP: f32 = 1.5;

/// The contrast of a document's text.
#[derive(Debug, Default, Serialize)]
pub struct Contrast {
    /// How many pieces of text were measured.
    pub measured: usize,
    /// How many could not be: they are on pictures or patterns.
    pub unmeasured: usize,
    /// How many have too little contrast.
    pub low: usize,
    /// The first hundred of these.
    pub places: Vec<LowContrast>,
}

/// Text with too little contrast.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LowContrast {
    /// Counted from 1.
    pub page: u32,
    /// As in [`crate::Place`].
    #[serde(rename = "box")]
    pub corners: [f32; 4],
    /// From 1 to 21.
    pub ratio: f32,
    /// What text of this size needs.
    pub required: f32,
    /// Such as `#767676`.
    pub color: String,
    /// Likewise.
    pub background: String,
}

/// Text of one color on a line.
struct Piece {
    area: Rect,
    color: [u8; 4],
    is_large: bool,
}

impl Contrast {
    /// Measures a page. `number`: counted from 1.
    ///
    /// # Errors
    /// If the page can't be read or drawn.
    pub fn add(&mut self, page: &Page<'_>, number: u32) -> Result<(), Failure> {
        let pieces = pieces(page)?;
        if pieces.is_empty() {
            return Ok(());
        }
        let (width, height) = page.size();
        let scale = (PIXELS / (width * height).max(1.0)).sqrt().min(1.0);
        let pixels = |points: f32| whole(points * scale).max(1);
        let picture = page.render(pixels(width), pixels(height), Background::Color([255; 3]))?;
        for piece in pieces {
            let Some(background) = behind(&picture, &piece.area, scale) else {
                self.unmeasured += 1;
                continue;
            };
            self.measured += 1;
            let color = over(piece.color, background);
            let ratio = ratio(color, background);
            let required = if piece.is_large { LEAST_IF_LARGE } else { LEAST };
            if ratio >= required {
                continue;
            }
            self.low += 1;
            if self.places.len() < PLACES {
                let Rect { x0, y0, x1, y1 } = piece.area;
                self.places.push(LowContrast {
                    page: number,
                    corners: [x0, y0, x1, y1].map(|corner| (corner * 100.0).round() / 100.0),
                    ratio: (ratio * 100.0).floor() / 100.0,
                    required,
                    color: named(color),
                    background: named(background),
                });
            }
        }
        Ok(())
    }
}

/// The visible text of a page.
fn pieces(page: &Page<'_>) -> Result<Vec<Piece>, Failure> {
    let looks = page.looks();
    let mut pieces: Vec<Piece> = Vec::new();
    for character in page.text()?.characters(true) {
        let Some(color) = looks.of(&character).and_then(|look| shown(&look, &looks, &character)) else { continue };
        let is_large = character.size >= LARGE || character.font.bold && character.size >= LARGE_IF_BOLD;
        let area = character.area;
        match pieces.last_mut() {
            Some(last) if last.color == color && last.is_large == is_large && is_next(&last.area, &area) => {
                last.area = last.area.union(&area);
            }
            _ => pieces.push(Piece { area, color, is_large }),
        }
    }
    Ok(pieces)
}

/// The color of a character that can be seen.
fn shown(look: &TextLook, looks: &Looks, character: &Character) -> Option<[u8; 4]> {
    let center = character.area.center();
    let is_covered = || looks.shapes.iter().any(|shape| shape.order > look.order && shape.area.contains(center));
    let color = look.color.filter(|[.., alpha]| *alpha > 0)?;
    (!look.is_invisible && !look.is_layered && !is_covered()).then_some(color)
}

fn is_next(before: &Rect, area: &Rect) -> bool {
    let height = area.height().max(1.0);
    (before.y0 - area.y0).abs() < height / 2.0 && area.x0 - before.x1 < height * GAP && area.x0 > before.x0 - height
}

/// The color of most pixels there. `None` if there is no such color.
fn behind(picture: &Bitmap, area: &Rect, scale: f32) -> Option<[u8; 3]> {
    let (left, right) = (whole((area.x0 - 1.0) * scale), whole((area.x1 + 1.0) * scale).min(picture.width));
    let (top, bottom) = (whole((area.y0 - 1.0) * scale), whole((area.y1 + 1.0) * scale).min(picture.height));
    let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
    let mut all = 0;
    for row in picture
        .data
        .chunks_exact(picture.width as usize * 4)
        .skip(top as usize)
        .take(bottom.saturating_sub(top) as usize)
    {
        for pixel in row.as_chunks::<4>().0.iter().skip(left as usize).take(right.saturating_sub(left) as usize) {
            let [red, green, blue, _] = *pixel;
            *counts.entry([red, green, blue]).or_default() += 1;
            all += 1;
        }
    }
    let (color, count) = counts.into_iter().max_by_key(|(color, count)| (*count, *color))?;
    (count * 100 >= all * PLAIN).then_some(color)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the sizes of pages, and never below 0")]
fn whole(number: f32) -> u32 {
    number.max(0.0).round() as u32
}

/// A color with an alpha, drawn over another one.
fn over([red, green, blue, alpha]: [u8; 4], background: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = background;
    let mixed = |above: u8, below: u8| {
        let sum = u32::from(above) * u32::from(alpha) + u32::from(below) * (255 - u32::from(alpha));
        u8::try_from(sum / 255).unwrap_or(u8::MAX)
    };
    [mixed(red, r), mixed(green, g), mixed(blue, b)]
}

/// From 1 to 21 (WCAG 2, contrast ratio).
fn ratio(one: [u8; 3], other: [u8; 3]) -> f32 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// From 0 to 1 (WCAG 2, relative luminance).
fn luminance(color: [u8; 3]) -> f32 {
    let [red, green, blue] = color.map(|part| {
        let part = f32::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn named([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_standard() {
        assert!((ratio([0; 3], [255; 3]) - 21.0).abs() < 0.01);
        // The lightest gray on white that is enough, and the next one.
        assert!(ratio([0x76; 3], [255; 3]) >= LEAST && ratio([0x77; 3], [255; 3]) < LEAST);
        assert_eq!(over([0, 0, 0, 128], [255; 3]), [127; 3]);
    }
}
