//! Places on a page that is turned so that its text is upright.

use docmill_pdf_core::pdfium::Rect;

/// The place of rotated text after the page is turned so that the text is upright.
pub(super) fn upright(area: &Rect, angle: u16, (width, height): (f32, f32)) -> Rect {
    match angle {
        90 => Rect { x0: area.y0, y0: width - area.x1, x1: area.y1, y1: width - area.x0 },
        180 => Rect { x0: width - area.x1, y0: height - area.y1, x1: width - area.x0, y1: height - area.y0 },
        270 => Rect { x0: height - area.y1, y0: area.x0, x1: height - area.y0, y1: area.x1 },
        _ => *area,
    }
}

/// The reverse of [`upright`]: the place on the page as shown.
pub(super) fn shown(area: &Rect, angle: u16, (width, height): (f32, f32)) -> Rect {
    upright(area, (360 - angle) % 360, if angle.is_multiple_of(180) { (width, height) } else { (height, width) })
}
