//! Grey pictures of pages for OCR: without annotations, and turned upright.

use std::ffi::c_int;

use docmill_pdf_request::{ErrorCode, Failure};

use super::bitmap::Target;
use super::ffi::{MatrixF, RectF};
use super::{Page, Rect};

/// `FPDFBitmap_Gray`.
const FORMAT: c_int = 1;
/// `FPDF_GRAYSCALE`.
const FLAGS: c_int = 0x08;

/// A grey picture: one byte for each pixel, row by row without padding.
#[derive(Clone, Debug)]
pub struct GreyBitmap {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// From 0, black, to 255, white.
    pub data: Vec<u8>,
    /// Pixels per inch of the page.
    pub dpi: f32,
}

/// Clockwise rotation of a page relative to how it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// 0, 90, 180 or 270.
    pub turn: u16,
    /// Additional degrees around the centre of the page, whose size does not change.
    pub skew: f32,
}

impl Page<'_> {
    /// Width and height of the rotated page in points.
    pub fn view_size(&self, view: View) -> (f32, f32) {
        let (width, height) = self.size();
        if view.turn.is_multiple_of(180) { (width, height) } else { (height, width) }
    }

    /// From the page as shown to the rotated page, in points from the upper left corner.
    fn view_matrix(&self, view: View) -> MatrixF {
        let ((width, height), (new_width, new_height)) = (self.size(), self.view_size(view));
        let degrees = f32::from(view.turn) + view.skew;
        let (sin, cos) = degrees.to_radians().sin_cos();
        // Rotates around the centre of the shown page, which becomes the centre of the rotated one.
        let (x, y) = (width / 2.0, height / 2.0);
        MatrixF {
            a: cos,
            b: sin,
            c: -sin,
            d: cos,
            e: new_width / 2.0 - (cos * x - sin * y),
            f: new_height / 2.0 - (sin * x + cos * y),
        }
    }

    /// The bounding box of an area after rotation.
    pub fn view_area(&self, view: View, area: &Rect) -> Rect {
        let m = self.view_matrix(view);
        let corners = [(area.x0, area.y0), (area.x1, area.y0), (area.x0, area.y1), (area.x1, area.y1)];
        let points = corners.map(|(x, y)| (m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f));
        let point = |(x, y)| Rect { x0: x, y0: y, x1: x, y1: y };
        points.iter().copied().map(point).reduce(|one, other| one.union(&other)).unwrap_or_default()
    }

    /// The bounding box, on the page as shown, of an area of the rotated page.
    pub fn shown_area(&self, view: View, area: &Rect) -> Rect {
        if view == View::default() {
            return *area;
        }
        let m = self.view_matrix(view);
        // A rotation is undone by its transpose.
        let back = |x: f32, y: f32| (m.a * (x - m.e) + m.b * (y - m.f), m.c * (x - m.e) + m.d * (y - m.f));
        let corners = [(area.x0, area.y0), (area.x1, area.y0), (area.x0, area.y1), (area.x1, area.y1)];
        let point = |(x, y)| Rect { x0: x, y0: y, x1: x, y1: y };
        let points = corners.map(|(x, y)| point(back(x, y)));
        points.into_iter().reduce(|one, other| one.union(&other)).unwrap_or_default()
    }

    /// Draws the page in grey on white. The caller has limited the resolution.
    ///
    /// # Errors
    /// If the bitmap can't be made.
    pub fn render_grey(&self, dpi: f32, view: View) -> Result<GreyBitmap, Failure> {
        let too_large = || Failure::new(ErrorCode::RenderFailed, "The picture of this page is too large.", "bitmap");
        let scale = dpi / 72.0;
        let (width, height) = self.view_size(view);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let [width, height] = [width, height].map(|side| ((side * scale).round() as u32).max(1));
        let (w, h) =
            (c_int::try_from(width).map_err(|_| too_large())?, c_int::try_from(height).map_err(|_| too_large())?);
        // pdfium aligns rows to four bytes.
        let stride = w.checked_add(3).ok_or_else(too_large)? / 4 * 4;
        let row_bytes = usize::try_from(stride).map_err(|_| too_large())?;
        let bytes = row_bytes.checked_mul(height as usize).ok_or_else(too_large)?;
        let mut data = vec![255u8; bytes];
        let api = self.session().api;
        // SAFETY: The memory has `stride` bytes for each row, and outlives the bitmap, which is destroyed below.
        let handle = unsafe { (api.FPDFBitmap_CreateEx)(w, h, FORMAT, data.as_mut_ptr().cast(), stride) };
        let bitmap = Target::of(self.session(), handle).ok_or_else(too_large)?;
        if view.skew == 0.0 {
            let quarters = c_int::from(view.turn / 90);
            // SAFETY: Bitmap and page are alive, on the one thread that holds the session.
            unsafe { (api.FPDF_RenderPageBitmap)(bitmap.handle, self.handle, 0, 0, w, h, quarters, FLAGS) };
        } else {
            let m = self.view_matrix(view);
            // pdfium draws pages in their own units.
            let [a, b, c, d] = [m.a, m.b, m.c, m.d].map(|number| number * scale * self.unit());
            let [e, f] = [m.e, m.f].map(|number| number * scale);
            let matrix = MatrixF { a, b, c, d, e, f };
            let clip = RectF { left: 0.0, top: 0.0, right: width as f32, bottom: height as f32 };
            let render = api.FPDF_RenderPageBitmapWithMatrix;
            // SAFETY: As above; matrix and rectangle live during the call.
            unsafe { render(bitmap.handle, self.handle, &raw const matrix, &raw const clip, FLAGS) };
        }
        drop(bitmap);
        if stride != w {
            for row in 1..height as usize {
                let from = row * row_bytes;
                data.copy_within(from..from + width as usize, row * width as usize);
            }
            data.truncate(width as usize * height as usize);
        }
        Ok(GreyBitmap { width, height, data, dpi })
    }
}
