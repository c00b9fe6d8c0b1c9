//! Paints over parts of pictures.

use std::collections::HashSet;
use std::path::Path;

use docmill_pdf_core::deferred_pictures::DeferredPictures;
use docmill_pdf_core::image::deflate::Samples;
use docmill_pdf_core::image::image_stream;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::pdfium::Bitmap;
use docmill_pdf_core::picture::drawn::{self, Unfit};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_core::rectangle::Rectangle;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

use super::Unsafe;
use super::shapes::{Point, bounds, grown};
use docmill_pdf_core::Libraries;

/// Memory for each pixel while a picture is drawn and encoded, in bytes.
const PIXEL_BYTES: u64 = 12;

/// The parts of a picture to paint over.
#[derive(Debug)]
pub(super) struct Cover {
    /// Maps the picture, which is one unit wide and high, to the page; and the inverse.
    pub(super) matrix: Matrix,
    pub(super) inverse: Matrix,
    /// The areas to paint over, in page coordinates.
    pub(super) areas: Vec<Rectangle>,
    /// The visible part of the picture in page coordinates. `None` if all of it is visible.
    pub(super) clip: Option<Rectangle>,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Cover {
    /// Calls `each` with the index of each pixel in an area, and `hidden` with the index of each pixel outside of the clip.
    fn pixels(&self, mut each: impl FnMut(usize), mut hidden: impl FnMut(usize)) {
        let (width, height) = (self.width as f32, self.height as f32);
        let place = |x: u32, y: u32| self.matrix.apply((x as f32 + 0.5) / width, 1.0 - (y as f32 + 0.5) / height);
        let at = |x: u32, y: u32| y as usize * self.width as usize + x as usize;
        let [a, b, c, d, ..] = self.matrix.0;
        // Areas grow by half a pixel, so that no pixel at an edge is missed.
        let half = ((a.abs() + b.abs()) / width).max((c.abs() + d.abs()) / height) * 0.75;
        for area in &self.areas {
            let area = grown(*area, half);
            let Some([columns, rows]) = self.extent(area) else { continue };
            for y in rows.0..rows.1 {
                for x in columns.0..columns.1 {
                    if holds(area, place(x, y)) {
                        each(at(x, y));
                    }
                }
            }
        }
        if let Some(clip) = self.clip {
            for y in 0..self.height {
                for x in 0..self.width {
                    if !holds(clip, place(x, y)) {
                        hidden(at(x, y));
                    }
                }
            }
        }
    }

    /// The columns and rows of the picture that an area of the page may touch.
    fn extent(&self, area: Rectangle) -> Option<[(u32, u32); 2]> {
        let Rectangle { left, bottom, right, top } = area;
        let corners: [Point; 4] = [(left, bottom), (right, bottom), (right, top), (left, top)];
        let around = bounds(corners.map(|(x, y)| self.inverse.apply(x, y)))?;
        let range = |low: f32, high: f32, count: u32| {
            let low = whole((low * count as f32).floor() - 1.0);
            let high = whole((high * count as f32).ceil() + 1.0);
            (low.min(count), high.min(count))
        };
        Some([range(around.left, around.right, self.width), range(1.0 - around.top, 1.0 - around.bottom, self.height)])
    }
}

fn holds(area: Rectangle, (x, y): Point) -> bool {
    area.left <= x && x <= area.right && area.bottom <= y && y <= area.top
}

/// Makes pictures with parts painted over.
pub(super) trait Pictures {
    /// Adds the replacement of this picture.
    fn paint(&self, document: &mut Document, id: ObjectId, cover: &Cover) -> Result<ObjectId, Unsafe>;

    /// Whether decoders differ in how they read a picture's format. Such a picture is written again as it was decoded.
    fn reads_its_own_way(&self, document: &Document, id: ObjectId) -> bool;
}

/// Decodes pictures with pdfium.
pub(super) struct Painter<'e> {
    pub(super) libraries: &'e Libraries,
    /// For a file that pdfium reads.
    pub(super) file: &'e Path,
    pub(super) color: [u8; 3],
    pub(super) pixels: u64,
    pub(super) memory_bytes: u64,
    /// Paints nothing, for tests of the proof.
    pub(super) keeps: bool,
}

impl Pictures for Painter<'_> {
    fn paint(&self, document: &mut Document, id: ObjectId, cover: &Cover) -> Result<ObjectId, Unsafe> {
        let pixels = u64::from(cover.width) * u64::from(cover.height);
        if pixels > self.pixels || pixels.saturating_mul(PIXEL_BYTES) > self.memory_bytes / 2 {
            return Err(Unsafe("a picture that is too large"));
        }
        let stream = document.get_object(id).and_then(Object::as_stream).map_err(|_| Unsafe("no picture"))?;
        let is_stencil = document.value(&stream.dict, b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(false));
        let is_lossy = filters(document, &stream.dict).any(|filter| matches!(filter, b"DCTDecode" | b"JPXDecode"));
        let mut bitmap = self.decode(document, id, cover)?;
        let [r, g, b] = self.color;
        let data = std::cell::RefCell::new(&mut bitmap.data);
        let set = |at: usize, pixel: [u8; 4]| {
            if let Some(bytes) = data.borrow_mut().get_mut(at * 4..at * 4 + 4) {
                bytes.copy_from_slice(&pixel);
            }
        };
        let (covered, blank) =
            if is_stencil { ([0, 0, 0, 0], [0, 0, 0, 0]) } else { ([r, g, b, 255], [255, 255, 255, 255]) };
        if !self.keeps {
            cover.pixels(|at| set(at, covered), |at| set(at, blank));
        }
        let (mut stream, mask) = if is_stencil {
            (stencil(&bitmap)?, None)
        } else {
            let alpha: Vec<u8> = bitmap.data.as_chunks().0.iter().map(|[.., alpha]: &[u8; 4]| *alpha).collect();
            let mask = alpha.iter().any(|alpha| *alpha != 255).then_some(alpha);
            (opaque(&bitmap, is_lossy)?, mask)
        };
        if let Some(mask) = mask {
            let mask = image_stream(bitmap.width, bitmap.height, Samples::Gray, &mask)
                .map_err(|_| Unsafe("a mask that can't be written"))?;
            let mask = document.add_object(mask);
            stream.dict.set("SMask", mask);
        }
        Ok(document.add_object(stream))
    }

    fn reads_its_own_way(&self, document: &Document, id: ObjectId) -> bool {
        let differs = |filter: &[u8]| matches!(filter, b"JBIG2Decode" | b"JPXDecode" | b"CCITTFaxDecode");
        let stream = document.get_object(id).and_then(Object::as_stream);
        stream.is_ok_and(|stream| filters(document, &stream.dict).any(differs))
    }
}

impl Painter<'_> {
    /// The picture as drawn by pdfium on a transparent page.
    fn decode(&self, document: &Document, id: ObjectId, cover: &Cover) -> Result<Bitmap, Unsafe> {
        let size = (cover.width, cover.height);
        let bitmap = drawn::draw(self.libraries, self.file, document, &DeferredPictures::NOTHING, id, size);
        bitmap.map_err(|Unfit(reason)| Unsafe(reason))
    }
}

fn filters<'d>(document: &'d Document, picture: &'d Dictionary) -> impl Iterator<Item = &'d [u8]> {
    let filter = document.value(picture, b"Filter");
    let list = match filter {
        Some(Object::Array(filters)) => filters.iter().filter_map(|filter| document.resolve(filter)).collect(),
        other => other.into_iter().collect::<Vec<_>>(),
    };
    list.into_iter().filter_map(|filter| filter.as_name().ok())
}

/// A pixel is either painted or not.
fn stencil(bitmap: &Bitmap) -> Result<Stream, Unsafe> {
    let row = bitmap.width.div_ceil(8) as usize;
    let mut bits = vec![0u8; row * bitmap.height as usize];
    let (pixels, _) = bitmap.data.as_chunks::<4>();
    for (at, [.., alpha]) in pixels.iter().enumerate() {
        let (x, y) = (at % bitmap.width as usize, at / bitmap.width as usize);
        // 0 is painted.
        if *alpha < 128
            && let Some(eight) = bits.get_mut(y * row + x / 8)
        {
            *eight |= 0x80 >> (x % 8);
        }
    }
    let mut stream = image_stream(bitmap.width, bitmap.height, Samples::Bits, &bits)
        .map_err(|_| Unsafe("a stencil that can't be written"))?;
    stream.dict.remove(b"ColorSpace");
    stream.dict.set("ImageMask", true);
    Ok(stream)
}

fn opaque(bitmap: &Bitmap, is_lossy: bool) -> Result<Stream, Unsafe> {
    drawn::opaque(bitmap, is_lossy).map_err(|Unfit(reason)| Unsafe(reason))
}

/// A page as a picture: lossless if it has few colors, or as a JPEG if it looks like a photograph.
pub(super) fn of_page(bitmap: &Bitmap) -> Result<Stream, Unsafe> {
    const FEW: usize = 4096;
    let mut colors = HashSet::new();
    let is_photograph = bitmap.data.as_chunks::<4>().0.iter().any(|[red, green, blue, _]| {
        colors.insert([*red, *green, *blue]);
        colors.len() > FEW
    });
    opaque(bitmap, is_photograph)
}
