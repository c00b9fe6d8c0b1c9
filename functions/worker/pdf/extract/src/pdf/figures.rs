//! The pictures of a page.

use docmill_formats::Format;
use docmill_pdf_core::image::{Encoding, PictureFormat, encode};
use docmill_pdf_core::pdfium::{Bitmap, Looks, Page, Rect};
use docmill_pdf_request::Failure;
use docmill_pdf_text::{Word, corners};

use super::super::model::{Figure, Id, Place};
use super::super::pictures::Pictures;
use super::vectors::{Vector, is_background};
use super::{Drawn, Kind};

/// Smaller pictures, in points, are ornaments and bullets.
const LEAST: f32 = 24.0;
/// The share of a page from which a picture may be a scan, on a page with other text.
const UNREAD: f32 = 0.4;
/// Pictures within this distance, in points, are parts of one.
const NEAR: f32 = 3.0;
/// Most figures of a page.
const MOST: usize = 200;
const DPI: f32 = 150.0;

/// Finds figures, and keeps their pictures.
#[derive(Debug)]
pub struct Drawings<'p, 'r> {
    /// What becomes of them.
    pub pictures: &'p mut Pictures<'r>,
    /// Most pixels of a bitmap.
    pub pixels: u64,
    /// Figures so far.
    pub count: usize,
}

impl Drawings<'_, '_> {
    /// The figures of a page, from top to bottom. `recognized`: words that are read in its pictures, which are no figures then.
    /// `vectors`: its drawings, whose pictures are parts of them.
    ///
    /// # Errors
    /// If a picture can't be drawn or kept.
    pub fn of(
        &mut self,
        page: &Page<'_>,
        number: u32,
        looks: &Looks,
        recognized: &[Word],
        vectors: Vec<Vector>,
    ) -> Result<Vec<Drawn>, Failure> {
        let mut areas = areas(&looks.pictures, page.size());
        areas.retain(|area| !recognized.iter().any(|word| area.contains(word.place.center())));
        areas.retain(|area| !vectors.iter().any(|vector| vector.area.contains(area.center())));
        let pictures = areas.into_iter().map(|area| (area, Kind::Picture));
        let mut areas: Vec<(Rect, Kind)> =
            pictures.chain(vectors.into_iter().map(|vector| (vector.area, Kind::Drawing(vector.text)))).collect();
        areas.sort_by(|(a, _), (b, _)| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
        let mut figures = Vec::with_capacity(areas.len());
        let mut drawn = None;
        for (area, kind) in areas {
            self.count += 1;
            let place = Some(Place { page: number, corners: corners(&area) });
            let mut figure = Figure { id: Id::figure(self.count), place, file: None, data: None, text: None };
            if self.pictures.wanted() {
                let drawn = match &drawn {
                    Some(drawn) => drawn,
                    None => drawn.insert(self.draw(page)?),
                };
                let cut = cut(drawn, &area, drawn.width as f32 / page.size().0);
                let encoding = Encoding { format: PictureFormat::Png, quality: 0, grayscale: false, dpi: Some(DPI) };
                self.pictures.keep(&mut figure, Format::Png, &encode(&cut, &encoding)?)?;
            }
            figures.push(Drawn { area, figure, kind });
        }
        Ok(figures)
    }

    fn draw(&self, page: &Page<'_>) -> Result<Bitmap, Failure> {
        let (width, height) = page.size();
        let most = (self.pixels as f32 / (width * height).max(1.0)).sqrt();
        let scale = (DPI / 72.0).min(most);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let pixels = |points: f32| ((points * scale).floor() as u32).max(1);
        page.render_content(pixels(width), pixels(height))
    }
}

/// The pictures over much of a page in which no words are: they may be scans.
pub fn unread(looks: &Looks, size: (f32, f32), words: &[Word]) -> Vec<Rect> {
    let is_large = |area: &Rect| area.width() * area.height() >= size.0 * size.1 * UNREAD;
    let is_empty = |area: &Rect| !words.iter().any(|word| area.contains(word.place.center()));
    let pictures = looks.pictures.iter().take(MOST).copied();
    pictures.filter(|area| is_large(area) && is_empty(area)).collect()
}

/// Where the figures of a page are, from top to bottom.
fn areas(pictures: &[Rect], (width, height): (f32, f32)) -> Vec<Rect> {
    let page = Rect { x0: 0.0, y0: 0.0, x1: width, y1: height };
    let mut found: Vec<Rect> = Vec::new();
    for picture in pictures.iter().take(MOST) {
        let mut area = picture.within(&page);
        if area.width() <= 0.0 || area.height() <= 0.0 || is_background(&area, &page) {
            continue;
        }
        // A picture can join several that are apart.
        while let Some(at) = found.iter().position(|other| other.touches(&area, NEAR)) {
            area = area.union(&found.swap_remove(at));
        }
        found.push(area);
    }
    found.retain(|area| area.width() >= LEAST && area.height() >= LEAST && !is_background(area, &page));
    found.sort_by(|a, b| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
    found
}

fn cut(drawn: &Bitmap, area: &Rect, scale: f32) -> Bitmap {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
    let pixel = |points: f32, most: u32| ((points * scale).round().max(0.0) as u32).min(most);
    let (left, top) = (pixel(area.x0, drawn.width - 1), pixel(area.y0, drawn.height - 1));
    let width = pixel(area.x1, drawn.width).saturating_sub(left).max(1);
    let height = pixel(area.y1, drawn.height).saturating_sub(top).max(1);
    let row = |at: u32| {
        let start = (at as usize * drawn.width as usize + left as usize) * 4;
        drawn.data.get(start..start + width as usize * 4).unwrap_or_default()
    };
    let data = (top..top + height).flat_map(row).copied().collect();
    Bitmap { width, height, data, transparent: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x0: f32, y0: f32, x1: f32, y1: f32) -> Rect {
        Rect { x0, y0, x1, y1 }
    }

    #[test]
    fn parts_of_one_picture_are_one_figure_and_backgrounds_and_bullets_are_none() {
        let pictures = [
            rect(0.0, 0.0, 600.0, 800.0),
            rect(50.0, 500.0, 58.0, 508.0),
            rect(300.0, 300.0, 400.0, 400.0),
            rect(100.0, 100.0, 200.0, 150.0),
            rect(100.0, 151.0, 200.0, 200.0),
        ];
        let expected = [rect(100.0, 100.0, 200.0, 200.0), rect(300.0, 300.0, 400.0, 400.0)];
        assert_eq!(areas(&pictures, (600.0, 800.0)), expected);
    }

    #[test]
    fn a_figure_is_cut_out_of_the_page() {
        let data = (0..16u8).flat_map(|value| [value, value, value, 255]).collect();
        let drawn = Bitmap { width: 4, height: 4, data, transparent: false };
        let part = cut(&drawn, &rect(1.0, 2.0, 3.0, 4.0), 1.0);
        assert_eq!((part.width, part.height), (2, 2));
        let values: Vec<u8> = part.data.chunks(4).map(|pixel| pixel[0]).collect();
        assert_eq!(values, [9, 10, 13, 14]);
    }
}
