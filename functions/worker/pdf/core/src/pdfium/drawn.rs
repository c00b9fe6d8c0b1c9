//! The glyphs by which pdfium shows the text of a font that is not embedded.

use std::ffi::{c_float, c_int, c_uint};

use super::Session;
use super::families::name_of;
use super::ffi::{Api, Handle};

/// `FPDF_SEGMENT_BEZIERTO` and `…_MOVETO`.
const BEZIER: c_int = 1;
const MOVE: c_int = 2;
/// Most points of a glyph.
const POINTS: c_int = 20_000;
/// Glyphs are measured at 64 pixels an em, with 64 parts of a pixel. What is so near to a whole thousandth of an em was one.
const NEAR: f64 = 0.13;

/// A part of an outline, in thousandths of an em.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Begins a contour at `[x, y]`.
    Move([f64; 2]),
    /// A line to `[x, y]`.
    Line([f64; 2]),
    /// A cubic curve: two control points and its end.
    Curve([f64; 6]),
}

/// A glyph as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnGlyph {
    /// In thousandths of an em.
    pub width: f64,
    /// Its contours, one after the other.
    pub outline: Vec<Segment>,
}

/// The font that pdfium takes, and its glyphs.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnFont {
    /// The name of the font.
    pub name: String,
    /// One for each character that was asked for, in that order.
    pub glyphs: Vec<DrawnGlyph>,
}

impl Session<'_> {
    /// The glyphs of these characters in the font of the first text of a document's first page. `None` if there is no such text, or
    /// if this copy of pdfium does not tell.
    pub fn drawn_glyphs(&self, pdf: &[u8], characters: &[char]) -> Option<DrawnFont> {
        let length = c_int::try_from(pdf.len()).ok()?;
        // SAFETY: The bytes outlive the document, which is closed below.
        let document = unsafe { (self.api.FPDF_LoadMemDocument)(pdf.as_ptr().cast(), length, std::ptr::null()) };
        if document.is_null() {
            return None;
        }
        // SAFETY: The document is open. Its page is closed before it, and everything of the page is read before that.
        unsafe {
            let page = (self.api.FPDF_LoadPage)(document, 0);
            let found = if page.is_null() { None } else { font_of(self.api, page, characters) };
            if !page.is_null() {
                (self.api.FPDF_ClosePage)(page);
            }
            (self.api.FPDF_CloseDocument)(document);
            found
        }
    }
}

/// # Safety
///
/// The page is open.
unsafe fn font_of(api: &Api, page: Handle, characters: &[char]) -> Option<DrawnFont> {
    // SAFETY: The page is open, and owns its objects. A bad index is answered with null.
    let font = unsafe {
        let text = (api.FPDFPage_GetObject)(page, 0);
        if text.is_null() {
            return None;
        }
        (api.FPDFTextObj_GetFont?)(text)
    };
    if font.is_null() {
        return None;
    }
    // SAFETY: The font is that of a text of the open page.
    let glyph = |character: &char| unsafe { glyph_of(api, font, u32::from(*character)) };
    let glyphs = characters.iter().map(glyph).collect::<Option<_>>()?;
    // SAFETY: As above.
    Some(DrawnFont { name: unsafe { name_of(api, font) }.unwrap_or_default(), glyphs })
}

/// # Safety
///
/// The font is that of a text of an open page.
unsafe fn glyph_of(api: &Api, font: Handle, character: c_uint) -> Option<DrawnGlyph> {
    let (glyph_width, glyph_path) = (api.FPDFFont_GetGlyphWidth?, api.FPDFFont_GetGlyphPath?);
    let (count, get) = (api.FPDFGlyphPath_CountGlyphSegments?, api.FPDFGlyphPath_GetGlyphPathSegment?);
    let (kind, point) = (api.FPDFPathSegment_GetType?, api.FPDFPathSegment_GetPoint?);
    let mut width: c_float = 0.0;
    let mut outline = Outline::default();
    // SAFETY: The caller vouches for the font. A path belongs to it; indexes are below the count, and the numbers live during the calls.
    unsafe {
        if glyph_width(font, character, 1000.0, &raw mut width) == 0 {
            return None;
        }
        // A glyph that draws nothing has no path.
        let path = glyph_path(font, character, 1000.0);
        let count = if path.is_null() { 0 } else { count(path) };
        if count > POINTS {
            return None;
        }
        for at in 0..count {
            let (mut x, mut y): (c_float, c_float) = (0.0, 0.0);
            let segment = get(path, at);
            if segment.is_null() || point(segment, &raw mut x, &raw mut y) == 0 {
                return None;
            }
            outline.add(kind(segment), [x, y].map(thousandths));
        }
    }
    Some(DrawnGlyph { width: f64::from(width), outline: outline.segments })
}

fn thousandths(ems: f32) -> f64 {
    let exact = f64::from(ems) * 1000.0;
    if (exact - exact.round()).abs() <= NEAR { exact.round() } else { exact }
}

#[derive(Default)]
struct Outline {
    segments: Vec<Segment>,
    /// The control points of a curve that has no end yet.
    controls: Vec<[f64; 2]>,
}

impl Outline {
    fn add(&mut self, kind: c_int, to: [f64; 2]) {
        match (kind, self.controls.as_slice()) {
            (BEZIER, [[a, b], [c, d]]) => {
                self.segments.push(Segment::Curve([*a, *b, *c, *d, to[0], to[1]]));
                self.controls.clear();
            }
            (BEZIER, _) => self.controls.push(to),
            (MOVE, _) => self.segments.push(Segment::Move(to)),
            _ => self.segments.push(Segment::Line(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pdfium;
    use super::*;

    /// A page with a letter of a font that is not embedded, whose codes are private characters.
    fn page(font: &str) -> Vec<u8> {
        let map = "1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <00> <FF> <E000> endbfrange";
        format!(
            "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F<</Type/Font{font}/ToUnicode 5 0 R>>>>>>>>endobj\n\
4 0 obj<</Length 18>>stream\nBT /F 9 Tf (I) Tj ET\nendstream endobj\n\
5 0 obj<</Length {}>>stream\n{map}\nendstream endobj\ntrailer<</Root 1 0 R/Size 6>>\n",
            map.len()
        )
        .into_bytes()
    }

    fn code(code: u8) -> char {
        char::from_u32(0xE000 + u32::from(code)).unwrap()
    }

    #[test]
    fn a_glyph_has_the_width_and_the_outline_that_is_drawn() {
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let pdf = page("/Subtype/Type1/BaseFont/Helvetica");
        let drawn = session.drawn_glyphs(&pdf, &[code(b'I'), code(b' '), code(b'M')]).unwrap();
        assert_eq!(drawn.glyphs.iter().map(|glyph| glyph.width).collect::<Vec<_>>(), [278.0, 278.0, 833.0]);
        let [capital, space, _] = drawn.glyphs.as_slice() else { panic!("{drawn:?}") };
        assert_eq!(space.outline, []);
        // An upright bar.
        assert!(matches!(capital.outline.first(), Some(Segment::Move([_, _]))), "{capital:?}");
        assert!(
            capital.outline.len() >= 4 && capital.outline.iter().skip(1).all(|part| matches!(part, Segment::Line(_)))
        );
        assert!(!drawn.name.is_empty());
    }

    #[test]
    fn stated_widths_count_and_what_is_no_font_has_no_glyphs() {
        let pdfium = Pdfium::load().unwrap();
        let session = pdfium.session();
        let narrow = page("/Subtype/TrueType/BaseFont/NoSuchFont/FirstChar 73/LastChar 73/Widths[400]");
        let drawn = session.drawn_glyphs(&narrow, &[code(b'I')]).unwrap();
        assert_eq!(drawn.glyphs[0].width, 400.0);
        assert_eq!(session.drawn_glyphs(b"%PDF-1.4 nothing", &['a']), None);
    }

    #[test]
    fn whole_thousandths_are_found_again() {
        assert_eq!(thousandths(1659.0 / 4096.0), 405.0);
        assert!((thousandths(0.5 / 4096.0 * 4.0) - 0.488).abs() < 0.001);
    }
}
