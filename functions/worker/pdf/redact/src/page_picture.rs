//! Pictures of pages that can't be edited safely.

use docmill_pdf_core::pdfium::{self, Bitmap, Rect};
use docmill_pdf_core::pixels::whole;
use docmill_pdf_request::Failure;
use lopdf::Stream;

use super::{Redaction, Unsafe, pictures};

const DPI: f32 = 200.0;
/// Bytes of a pixel while the picture is made.
const PIXEL_BYTES: u64 = 12;

/// Draws a page, counted from 0, with the areas painted over.
pub(super) fn draw(redaction: &Redaction<'_>, number: u32, areas: &[Rect]) -> Result<Stream, Failure> {
    let limits = &redaction.request.limits;
    let session = redaction.libraries.pdfium()?.session();
    let drawn = pdfium::Document::open(&session, &redaction.files.prepared, None)?;
    let page = drawn.page(number)?;
    let (width, height) = page.size();
    let most = (limits.memory_bytes / PIXEL_BYTES / 2).min(limits.pixels) as f32;
    let dpi = DPI.min(72.0 * (most / (width * height).max(1.0)).sqrt());
    let side = |points: f32| whole((points * dpi / 72.0).round()).max(1);
    let mut bitmap = page.render_content(side(width), side(height))?;
    for area in areas {
        paint_over(&mut bitmap, (width, height), area, redaction.cover.color);
    }
    pictures::of_page(&bitmap).map_err(|Unsafe(cause)| Failure::internal(cause))
}

fn paint_over(bitmap: &mut Bitmap, (width, height): (f32, f32), area: &Rect, [r, g, b]: [u8; 3]) {
    let (across, down) = (bitmap.width as f32 / width, bitmap.height as f32 / height);
    let range = |from: f32, to: f32, scale: f32, most: u32| {
        let (from, to) = (whole((from * scale).floor() - 1.0), whole((to * scale).ceil() + 1.0));
        from.min(most) as usize..to.min(most) as usize
    };
    let columns = range(area.x0, area.x1, across, bitmap.width);
    for y in range(area.y0, area.y1, down, bitmap.height) {
        let row = y * bitmap.width as usize;
        let pixels = bitmap.data.get_mut((row + columns.start) * 4..(row + columns.end) * 4).unwrap_or_default();
        pixels.chunks_exact_mut(4).for_each(|pixel| pixel.copy_from_slice(&[r, g, b, 255]));
    }
}
