//! Pictures of places in a document, for the report that people read.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use docmill_pdf_core::image::{Encoding, PictureFormat, encode};
use docmill_pdf_core::pdfium::{Background, Bitmap, Document};
use docmill_pdf_request::Failure;

/// Pictures of a report. Its size would grow without limit.
const MOST: usize = 40;
/// What is shown around a place, in points.
const AROUND: f32 = 24.0;
/// Pixels of a point.
const SCALE: f32 = 1.5;
/// Pixels of a page, at most.
const PIXELS: f32 = 8_000_000.0;
const QUALITY: u8 = 75;
/// The frame around a place: its color, and its width in pixels.
const FRAME: [u8; 4] = [200, 0, 40, 255];
const WIDTH: u32 = 2;

/// A place: its page from 1, and its box in hundredths of a point.
type Key = (u32, [i64; 4]);

/// The pictures by place.
pub(super) struct Pictures(BTreeMap<Key, String>);

impl Pictures {
    /// Draws the first of these places.
    pub(super) fn draw(document: &Document<'_>, places: &[(u32, [f32; 4])]) -> Result<Self, Failure> {
        let mut by_page: BTreeMap<u32, Vec<[f32; 4]>> = BTreeMap::new();
        for (page, corners) in places.iter().take(MOST) {
            by_page.entry(*page).or_default().push(*corners);
        }
        let mut made = BTreeMap::new();
        for (number, boxes) in by_page {
            let page = document.page(number.saturating_sub(1))?;
            let (width, height) = page.size();
            let scale = (PIXELS / (width * height).max(1.0)).sqrt().min(SCALE);
            let whole =
                page.render(pixels(width * scale).max(1), pixels(height * scale).max(1), Background::Color([255; 3]))?;
            for corners in boxes {
                let encoding = Encoding { format: PictureFormat::Jpeg, quality: QUALITY, grayscale: false, dpi: None };
                if let Some(part) = part(&whole, corners.map(|corner| corner * scale), AROUND * scale) {
                    let data = BASE64_STANDARD.encode(encode(&part, &encoding)?);
                    made.insert(key(number, corners), format!("data:image/jpeg;base64,{data}"));
                }
            }
        }
        Ok(Self(made))
    }

    /// The address of a picture's data.
    pub(super) fn of(&self, page: u32, corners: [f32; 4]) -> Option<String> {
        self.0.get(&key(page, corners)).cloned()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "places are on pages")]
fn key(page: u32, corners: [f32; 4]) -> Key {
    (page, corners.map(|corner| (corner * 100.0).round() as i64))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes of pages, and never below 0")]
fn pixels(number: f32) -> u32 {
    number.max(0.0).round() as u32
}

/// The part of a picture around a box, which is framed. `None` if the box is not on the page.
fn part(whole: &Bitmap, [left, top, right, bottom]: [f32; 4], around: f32) -> Option<Bitmap> {
    let within = |from: f32, to: f32, size: u32| {
        let (from, to) = (pixels(from).min(size), pixels(to).min(size));
        (from < to).then_some((from, to))
    };
    let (x0, x1) = within(left - around, right + around, whole.width)?;
    let (y0, y1) = within(top - around, bottom + around, whole.height)?;
    let row = whole.width as usize * 4;
    let rows = whole.data.chunks_exact(row).skip(y0 as usize).take((y1 - y0) as usize);
    let mut data: Vec<u8> =
        rows.flat_map(|row| row.get(x0 as usize * 4..x1 as usize * 4).unwrap_or_default()).copied().collect();
    let (width, height) = (x1 - x0, y1 - y0);
    let frame = [pixels(left), pixels(top), pixels(right), pixels(bottom)];
    let on_frame = |x: u32, y: u32| {
        let [left, top, right, bottom] = frame;
        let is_within = |more: u32| x + more >= left && x < right + more && y + more >= top && y < bottom + more;
        is_within(WIDTH) && !is_within(0)
    };
    for (y, row) in (y0..).zip(data.chunks_exact_mut(width as usize * 4)) {
        for (x, pixel) in (x0..).zip(row.as_chunks_mut::<4>().0) {
            if on_frame(x, y) {
                *pixel = FRAME;
            }
        }
    }
    Some(Bitmap { width, height, data, transparent: false })
}
