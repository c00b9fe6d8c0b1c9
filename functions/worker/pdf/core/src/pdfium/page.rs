//! A page of an open PDF.

use std::ffi::c_int;

use docmill_pdf_request::Failure;
use serde::{Deserialize, Serialize};

use super::ffi::{Handle, RectF};
use super::{Document, Session, TextPage, document};
use crate::matrix::Matrix;
use crate::rectangle::Rectangle;
use crate::space::PageSpace;

/// Points from the upper left corner of the page as shown ([`PageSpace`]): `y` grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left.
    pub x0: f32,
    /// Top.
    pub y0: f32,
    /// Right.
    pub x1: f32,
    /// Bottom.
    pub y1: f32,
}

impl Rect {
    /// Negative if the sides are swapped.
    pub fn width(&self) -> f32 {
        self.x1 - self.x0
    }

    /// Negative if top and bottom are swapped.
    pub fn height(&self) -> f32 {
        self.y1 - self.y0
    }

    /// The smallest rectangle that contains both.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// The area, in square points.
    pub fn size(&self) -> f32 {
        self.width() * self.height()
    }

    /// The part of it that another one has, too.
    pub fn within(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Whether they overlap, or are nearer to each other than that.
    pub fn touches(&self, other: &Self, near: f32) -> bool {
        self.x0 <= other.x1 + near
            && other.x0 <= self.x1 + near
            && self.y0 <= other.y1 + near
            && other.y0 <= self.y1 + near
    }

    /// Whether both have the same upper left corner.
    pub fn starts_like(&self, other: &Self) -> bool {
        (self.x0 - other.x0).abs() < 0.01 && (self.y0 - other.y0).abs() < 0.01
    }

    /// Its middle: `x`, `y`.
    pub fn center(&self) -> (f32, f32) {
        (f32::midpoint(self.x0, self.x1), f32::midpoint(self.y0, self.y1))
    }

    /// Whether a point is in it or on its edge.
    pub fn contains(&self, (x, y): (f32, f32)) -> bool {
        self.x0 <= x && x <= self.x1 && self.y0 <= y && y <= self.y1
    }
}

/// A loaded page.
pub struct Page<'d> {
    pub(super) document: &'d Document<'d>,
    pub(super) handle: Handle,
    space: PageSpace,
    /// From the page's own space to the one as shown, which has its origin in the lower left corner.
    to_shown: Matrix,
}

impl std::fmt::Debug for Page<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").finish_non_exhaustive()
    }
}

impl<'d> Page<'d> {
    pub(super) fn open(document: &'d Document<'d>, index: u32) -> Result<Self, Failure> {
        let number = c_int::try_from(index).map_err(|_| document::corrupt("a page number beyond all".to_owned()))?;
        let api = document.session.api;
        // SAFETY: The document is open. A page that it does not have is answered with null.
        let handle = unsafe { (api.FPDF_LoadPage)(document.handle, number) };
        if handle.is_null() {
            return Err(document::corrupt("pdfium: a page can't be loaded".to_owned()));
        }
        let mut bounds = RectF::default();
        // SAFETY: The page is open until `drop`, and the rectangle lives during the call.
        let turns = unsafe {
            if !document.form.is_null() {
                (api.FORM_OnAfterLoadPage)(handle, document.form);
            }
            (api.FPDF_GetPageBoundingBox)(handle, &raw mut bounds);
            (api.FPDFPage_GetRotation)(handle)
        };
        let RectF { left, top, right, bottom } = bounds;
        let visible = Rectangle { left, bottom, right, top };
        let space = PageSpace { visible, rotation: i64::from(turns.rem_euclid(4)) * 90, unit: document.unit(index) };
        Ok(Self { document, handle, space, to_shown: space.to_shown() })
    }

    pub(super) fn session(&self) -> &'d Session<'d> {
        self.document.session
    }

    /// In points as shown.
    pub fn size(&self) -> (f32, f32) {
        self.space.size()
    }

    /// How far the page is turned when it is shown: 0, 90, 180 or 270 degrees clockwise.
    pub fn rotation(&self) -> u16 {
        u16::try_from(self.space.rotation).unwrap_or(0)
    }

    /// The characters of the page.
    ///
    /// # Errors
    /// If pdfium can't read them.
    pub fn text(&self) -> Result<TextPage<'_>, Failure> {
        TextPage::open(self)
    }

    pub(super) fn place(&self, left: f32, bottom: f32, right: f32, top: f32) -> Rect {
        let Rectangle { left, bottom, right, top } = self.to_shown.apply_to(Rectangle { left, bottom, right, top });
        let (_, height) = self.size();
        Rect { x0: left, y0: height - top, x1: right, y1: height - bottom }
    }

    /// How many points a unit of the page is as shown.
    pub(super) fn unit(&self) -> f32 {
        self.space.unit
    }

    /// The areas of at most `most` links with their addresses.
    pub fn links(&self, most: usize) -> Vec<(Rect, String)> {
        let api = self.session().api;
        let (mut position, mut link) = (0, std::ptr::null_mut());
        let mut found = Vec::new();
        // SAFETY: The page is open; position and link live during the calls; a link is owned by its page.
        while found.len() < most
            && unsafe { (api.FPDFLink_Enumerate)(self.handle, &raw mut position, &raw mut link) } != 0
        {
            let mut area = RectF::default();
            // SAFETY: The link was just given, and the rectangle lives during the call. A link without action gives null.
            let (known, action) =
                unsafe { ((api.FPDFLink_GetAnnotRect)(link, &raw mut area), (api.FPDFLink_GetAction)(link)) };
            if known == 0 || action.is_null() {
                continue;
            }
            let address = self.address(action);
            if !address.is_empty() {
                found.push((self.place(area.left, area.bottom, area.right, area.top), address));
            }
        }
        found
    }

    fn address(&self, action: Handle) -> String {
        const MOST: std::ffi::c_ulong = 8192;
        let read = self.session().api.FPDFAction_GetURIPath;
        // SAFETY: Action and document are alive. Without a buffer, the length is answered.
        let length = unsafe { read(self.document.handle, action, std::ptr::null_mut(), 0) };
        let Ok(bytes) = usize::try_from(length) else { return String::new() };
        if !(2..=MOST).contains(&length) {
            return String::new();
        }
        let mut buffer = vec![0u8; bytes];
        // SAFETY: As above; the buffer has the length that is said.
        unsafe { read(self.document.handle, action, buffer.as_mut_ptr().cast(), length) };
        let text = buffer.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        let api = self.session().api;
        // SAFETY: Text pages borrow the page, so that all of them are closed.
        unsafe {
            if !self.document.form.is_null() {
                (api.FORM_OnBeforeClosePage)(self.handle, self.document.form);
            }
            (api.FPDF_ClosePage)(self.handle);
        }
    }
}
