//! The objects of a page: paths, pictures and text, also inside forms.

use std::ffi::{c_float, c_int};

use super::ffi::{Handle, ImageMetadata, MatrixF};
use super::{Page, Rect};

/// `FPDF_PAGEOBJ_TEXT`, `…_PATH`, `…_IMAGE`, `…_SHADING` and `…_FORM`.
const TEXT: c_int = 1;
pub(super) const PATH: c_int = 2;
pub(super) const IMAGE: c_int = 3;
pub(super) const SHADING: c_int = 4;
const FORM: c_int = 5;
/// `FPDF_TEXTRENDERMODE_INVISIBLE` and `…_CLIP`.
pub(super) const INVISIBLE: c_int = 3;
const CLIP: c_int = 7;
/// How deeply nested forms are searched.
const DEPTH: u8 = 4;
/// Most visited objects of a page: forms can be drawn many times.
const OBJECTS: usize = 500_000;

/// A picture on a page.
#[derive(Clone, Copy, Debug)]
pub struct PlacedPicture {
    /// Where it is.
    pub area: Rect,
    /// Dots per inch as the page shows it.
    pub dpi: f32,
}

/// An object, and the matrices of the forms around it, outermost first.
pub(super) struct Found<'m> {
    pub(super) handle: Handle,
    /// The page's own object: itself, or the outermost form around it.
    pub(super) top: Handle,
    pub(super) kind: c_int,
    matrices: &'m [MatrixF],
}

impl Found<'_> {
    pub(super) fn is_text(&self) -> bool {
        self.kind == TEXT
    }
}

impl Page<'_> {
    /// The pictures that the page shows.
    pub fn pictures(&self) -> Vec<PlacedPicture> {
        let mut found = Vec::new();
        self.walk(&mut |object| {
            if object.kind == IMAGE {
                let placed = || Some(PlacedPicture { area: self.bounds(object)?, dpi: self.dpi(object)? });
                found.extend(placed());
            }
            true
        });
        found
    }

    /// The areas of text that can be seen.
    pub fn visible_text(&self) -> Vec<Rect> {
        let mode = self.session().api.FPDFTextObj_GetTextRenderMode;
        let mut found = Vec::new();
        self.walk(&mut |object| {
            // SAFETY: The object is the open page's, and a text.
            let hidden = || mode.is_some_and(|mode| matches!(unsafe { mode(object.handle) }, INVISIBLE | CLIP));
            if object.kind == TEXT && !hidden() {
                found.extend(self.bounds(object));
            }
            true
        });
        found
    }

    /// Calls `look` with every object until it returns false.
    pub(super) fn walk(&self, look: &mut dyn FnMut(&Found<'_>) -> bool) {
        let api = self.session().api;
        let mut left = OBJECTS;
        // SAFETY: The page is open.
        let count = unsafe { (api.FPDFPage_CountObjects)(self.handle) };
        for index in 0..count {
            // SAFETY: The page is open, and owns its objects. A bad index is answered with null.
            let object = unsafe { (api.FPDFPage_GetObject)(self.handle, index) };
            if !self.walk_into(object, object, &[], DEPTH, &mut left, look) {
                return;
            }
        }
    }

    fn walk_into(
        &self,
        handle: Handle,
        top: Handle,
        matrices: &[MatrixF],
        depth: u8,
        left: &mut usize,
        look: &mut dyn FnMut(&Found<'_>) -> bool,
    ) -> bool {
        let api = self.session().api;
        *left = left.saturating_sub(1);
        if handle.is_null() || *left == 0 {
            return *left > 0;
        }
        // SAFETY: The object is the open page's.
        let kind = unsafe { (api.FPDFPageObj_GetType)(handle) };
        if kind != FORM {
            return look(&Found { handle, top, kind, matrices });
        }
        let (1.., Some(count), Some(get), Some(matrix)) =
            (depth, api.FPDFFormObj_CountObjects, api.FPDFFormObj_GetObject, self.matrix(handle))
        else {
            return true;
        };
        let inner: Vec<MatrixF> = matrices.iter().copied().chain([matrix]).collect();
        // SAFETY: The object is a form.
        let count = unsafe { count(handle) }.max(0);
        (0..count).all(|index| {
            // SAFETY: As above. A bad index is answered with null.
            let part = unsafe { get(handle, index.unsigned_abs().into()) };
            self.walk_into(part, top, &inner, depth - 1, left, look)
        })
    }

    fn matrix(&self, object: Handle) -> Option<MatrixF> {
        let get = self.session().api.FPDFPageObj_GetMatrix?;
        let mut matrix = MatrixF::default();
        // SAFETY: The object is the open page's, and the matrix lives during the call.
        (unsafe { get(object, &raw mut matrix) } != 0).then_some(matrix)
    }

    /// Where a text starts, as the page is shown.
    pub(super) fn start(&self, text: &Found<'_>) -> Option<(f32, f32)> {
        let MatrixF { e, f, .. } = self.matrix(text.handle)?;
        let [x, y, ..] = text.matrices.iter().rev().fold([e, f, e, f], transform);
        let place = self.place(x, y, x, y);
        Some((place.x0, place.y0))
    }

    /// As the page is shown.
    pub(super) fn bounds(&self, object: &Found<'_>) -> Option<Rect> {
        let (mut left, mut bottom, mut right, mut top): (c_float, c_float, c_float, c_float) = Default::default();
        // SAFETY: The object is the open page's, and the numbers live during the call.
        let known = unsafe {
            let bounds = self.session().api.FPDFPageObj_GetBounds;
            bounds(object.handle, &raw mut left, &raw mut bottom, &raw mut right, &raw mut top)
        };
        let [left, bottom, right, top] = object.matrices.iter().rev().fold([left, bottom, right, top], transform);
        (known != 0).then(|| self.place(left, bottom, right, top))
    }

    /// Where a part of an object is, from its edges in the object's own coordinates: left, bottom, right, top.
    pub(super) fn placed(&self, object: &Found<'_>, edges: [f32; 4]) -> Option<Rect> {
        let own = self.matrix(object.handle)?;
        let matrices = std::iter::once(&own).chain(object.matrices.iter().rev());
        let [left, bottom, right, top] = matrices.fold(edges, transform);
        Some(self.place(left, bottom, right, top))
    }

    /// Dots per inch of a picture, the mean of both directions.
    fn dpi(&self, object: &Found<'_>) -> Option<f32> {
        let api = self.session().api;
        let mut metadata = ImageMetadata::default();
        // SAFETY: The object is a picture of this open page, and the structure lives during the call.
        let known = unsafe { (api.FPDFImageObj_GetImageMetadata?)(object.handle, self.handle, &raw mut metadata) };
        let placed = self.matrix(object.handle)?;
        let area = |m: &MatrixF| (m.a * m.d - m.b * m.c).abs();
        let points = object.matrices.iter().map(area).product::<f32>() * area(&placed);
        let pixels = metadata.width as f32 * metadata.height as f32;
        let dpi = (pixels / points).sqrt() * 72.0 / self.unit();
        (known != 0 && dpi.is_finite() && dpi > 0.0).then_some(dpi)
    }
}

/// The bounding box of a transformed rectangle.
fn transform([left, bottom, right, top]: [f32; 4], m: &MatrixF) -> [f32; 4] {
    let corners = [(left, bottom), (left, top), (right, bottom), (right, top)];
    let points = corners.map(|(x, y)| (m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f));
    let fold =
        |pick: fn(&(f32, f32)) -> f32, best: fn(f32, f32) -> f32, start| points.iter().map(pick).fold(start, best);
    [
        fold(|p| p.0, f32::min, f32::INFINITY),
        fold(|p| p.1, f32::min, f32::INFINITY),
        fold(|p| p.0, f32::max, f32::NEG_INFINITY),
        fold(|p| p.1, f32::max, f32::NEG_INFINITY),
    ]
}
