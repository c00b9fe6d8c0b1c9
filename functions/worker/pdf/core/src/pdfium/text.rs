//! The characters of a page, with their places.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use docmill_pdf_request::Failure;
use serde::{Deserialize, Serialize};

use super::document;
use super::ffi::{Handle, MatrixF, RectF};
use super::replaced::Replacements;
use super::{Page, Rect, Tag, TextObject};

/// Flags of a font descriptor.
const FIXED_PITCH: c_int = 1;
const ITALIC: c_int = 1 << 6;
const FORCE_BOLD: c_int = 1 << 18;
/// The size that pdfium gives characters without a font.
const NO_FONT: f64 = 1.0;
/// How far usual fonts reach above and below the baseline, in ems.
const ASCENT: f32 = 0.8;
const DESCENT: f32 = 0.2;

/// A font as its names and flags describe it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Font {
    /// Without the prefix of a subset, `ABCDEF+`.
    pub name: String,
    /// Of a heavy weight.
    pub bold: bool,
    /// Italic or oblique.
    pub italic: bool,
    /// All characters have the same width.
    pub fixed: bool,
}

impl Font {
    /// Whether text in both fonts has the same style.
    pub fn looks_like(&self, other: &Self) -> bool {
        (self.bold, self.italic, self.fixed) == (other.bold, other.italic, other.fixed)
    }
}

/// One character of a page, in the order of the content.
#[derive(Clone, Debug)]
pub struct Character {
    /// What it means.
    pub value: char,
    /// The character's place in its line: the font's height and the character's advance.
    pub area: Rect,
    /// A place on its baseline, if that is known.
    pub baseline: Option<Rect>,
    /// The displayed font size in points.
    pub size: f32,
    /// Whether a space or a line break comes before it.
    pub spaced: bool,
    /// Whether a space that the text itself has comes before it: pdfium adds others in gaps.
    pub parted: bool,
    /// The font that draws it.
    pub font: Rc<Font>,
    /// What draws it. The same for all characters without a style.
    pub object: TextObject,
    /// The direction of text on the shown page: 0, 90, 180 or 270 degrees clockwise.
    pub angle: u16,
    /// What tags say of it.
    pub tag: Tag,
}

/// The characters of a page, as pdfium finds them.
pub struct TextPage<'p> {
    page: &'p Page<'p>,
    handle: Handle,
    replacements: Replacements,
}

impl std::fmt::Debug for TextPage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextPage").finish_non_exhaustive()
    }
}

impl<'p> TextPage<'p> {
    pub(super) fn open(page: &'p Page<'p>) -> Result<Self, Failure> {
        let replacements =
            if page.session().loses_replaced_text { Replacements::take(page) } else { Replacements::default() };
        // SAFETY: The page is open, and outlives the text page.
        let handle = unsafe { (page.session().api.FPDFText_LoadPage)(page.handle) };
        if handle.is_null() {
            return Err(document::corrupt("pdfium: a page's text can't be read".to_owned()));
        }
        Ok(Self { page, handle, replacements })
    }

    /// The number of characters, including those that pdfium adds between words and lines.
    pub fn count(&self) -> usize {
        usize::try_from(self.units()).unwrap_or(0)
    }

    fn units(&self) -> c_int {
        // SAFETY: The text page is open.
        unsafe { (self.page.session().api.FPDFText_CountChars)(self.handle) }
    }

    /// Whether there is nothing but space.
    pub fn is_empty(&self) -> bool {
        self.string().chars().all(|c| c.is_whitespace() || c.is_control())
    }

    /// All characters in the order of the content, without their places.
    pub fn string(&self) -> String {
        let get = self.page.session().api.FPDFText_GetUnicode;
        #[expect(clippy::cast_possible_truncation, reason = "a unit of UTF-16")]
        // SAFETY: The text page is open, and the index is below its count.
        let unit = |index| unsafe { get(self.handle, index) } as u16;
        char::decode_utf16((0..self.units()).map(unit))
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// All characters except spaces and line ends, which follow from the places. Without `styled` they have no font.
    pub fn characters(&self, styled: bool) -> Vec<Character> {
        let api = self.page.session().api;
        let mut fonts = Fonts::default();
        let mut pending = None;
        let (mut spaced, mut parted) = (true, false);
        let mut found: Vec<Character> = Vec::new();
        let mut replaced = std::ptr::null_mut();
        let style_of = |index, fonts: &mut Fonts| match styled {
            true => (fonts.get(self, index), self.object(index)),
            false => (Rc::clone(&fonts.last), TextObject::default()),
        };
        for index in 0..self.units() {
            if let Some(replacement) = self.replacements.of(self.page, self.handle, index) {
                let is_first = std::mem::replace(&mut replaced, replacement.mark) != replacement.mark;
                for value in replacement.text.chars().filter(|c| is_first && !c.is_control() && !c.is_whitespace()) {
                    found.extend(self.character(index, value, spaced, found.last(), style_of(index, &mut fonts)));
                    spaced = false;
                }
                continue;
            }
            // SAFETY: The text page is open, and the index is below its count.
            let unit = unsafe { (api.FPDFText_GetUnicode)(self.handle, index) };
            // Characters beyond 16 bits come as two units.
            let value = match unit {
                0xd800..0xdc00 => {
                    pending = Some(unit);
                    continue;
                }
                0xdc00..0xe000 => match pending.take() {
                    Some(high) => 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00),
                    None => continue,
                },
                // pdfium's code for a hyphen at the end of a line.
                2 | 0xfffe => u32::from('-'),
                other => other,
            };
            let Some(value) = char::from_u32(value).filter(|c| !c.is_control() && !c.is_whitespace()) else {
                spaced = true;
                parted |= unit == u32::from(' ') && self.is_own(index);
                continue;
            };
            if let Some(character) = self.character(index, value, spaced, found.last(), style_of(index, &mut fonts)) {
                found.push(Character { parted, ..character });
                (spaced, parted) = (false, false);
            }
        }
        found
    }

    /// Whether a character is the text's own, and not added by pdfium. Older versions give only the size of what has no font.
    fn is_own(&self, index: c_int) -> bool {
        let api = self.page.session().api;
        // SAFETY: The text page is open, and the index is below its count.
        unsafe {
            match api.FPDFText_IsGenerated {
                Some(is_generated) => is_generated(self.handle, index) != 1,
                None => (api.FPDFText_GetFontSize)(self.handle, index) != NO_FONT,
            }
        }
    }

    /// A character with the place of pdfium's character at this index. `None` if it has no place.
    fn character(
        &self,
        index: c_int,
        value: char,
        spaced: bool,
        before: Option<&Character>,
        (font, object): (Rc<Font>, TextObject),
    ) -> Option<Character> {
        let matrix = self.matrix(index);
        let turned = matrix.as_ref().filter(|matrix| matrix.a.abs() < matrix.b.abs());
        let mut area = self.area(index, is_arabic(value), turned)?;
        // All letters of a ligature have the same start. Only the ink shows the end.
        if before.is_some_and(|before| !spaced && before.area.starts_like(&area)) {
            let ink = self.area(index, true, turned);
            area = ink.map_or(area, |ink| Rect { x0: area.x0.min(ink.x0), x1: ink.x1, ..area });
        }
        let angle = self.angle(index, matrix.as_ref());
        let baseline = matrix.as_ref().map(|matrix| self.page.place(matrix.e, matrix.f, matrix.e, matrix.f));
        let fallback = if angle.is_multiple_of(180) { area.height() } else { area.width() };
        let size = matrix.map_or(0.0, |matrix| self.size(index, &matrix) * self.page.unit());
        let size = if size.is_finite() && size > 0.0 { size } else { fallback };
        Some(Character { value, area, baseline, size, spaced, parted: false, font, object, angle, tag: Tag::None })
    }

    /// `drawn`: as long as the ink. Advances of joined letters belong to other shapes of them. `turned`: the matrix of a character
    /// that is turned by a quarter.
    fn area(&self, index: c_int, drawn: bool, turned: Option<&MatrixF>) -> Option<Rect> {
        let loose = self.loose(index);
        let area = match (loose, turned) {
            (Some(loose), None) if !drawn => loose,
            (Some(loose), None) => {
                let ink = self.ink(index)?;
                RectF { left: ink.left, right: ink.right, ..loose }
            }
            (Some(loose), Some(matrix)) if drawn || loose.left >= loose.right || loose.bottom >= loose.top => {
                self.turned(index, loose, matrix)?
            }
            (Some(loose), Some(_)) => loose,
            (None, _) => self.ink(index)?,
        };
        Some(self.page.place(area.left, area.bottom, area.right, area.top))
    }

    /// The box of a turned character, which has only its start in some versions of pdfium: from there to the end of its ink, and as
    /// high as usual fonts are.
    fn turned(&self, index: c_int, loose: RectF, matrix: &MatrixF) -> Option<RectF> {
        let ink = self.ink(index)?;
        let em = matrix.c.signum() * self.size(index, matrix);
        let (low, high) = (matrix.e - em * DESCENT, matrix.e + em * ASCENT);
        let (left, right) =
            if loose.left < loose.right { (loose.left, loose.right) } else { (low.min(high), low.max(high)) };
        let (bottom, top) = if matrix.b > 0.0 { (loose.bottom, ink.top) } else { (ink.bottom, loose.top) };
        Some(RectF { left, top: top.max(bottom), right, bottom: bottom.min(top) })
    }

    /// The font's height and the character's advance. `None` if this version of pdfium can't tell.
    fn loose(&self, index: c_int) -> Option<RectF> {
        let get = self.page.session().api.FPDFText_GetLooseCharBox?;
        let mut area = RectF::default();
        // SAFETY: The text page is open, the index is below its count, and the rectangle lives during the call.
        (unsafe { get(self.handle, index, &raw mut area) } != 0).then_some(area)
    }

    /// The bounds of what is drawn.
    fn ink(&self, index: c_int) -> Option<RectF> {
        let (mut left, mut right, mut bottom, mut top) = (0.0, 0.0, 0.0, 0.0);
        // SAFETY: As above.
        let known = unsafe {
            let get = self.page.session().api.FPDFText_GetCharBox;
            get(self.handle, index, &raw mut left, &raw mut right, &raw mut bottom, &raw mut top)
        };
        #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
        let area = RectF { left: left as f32, top: top as f32, right: right as f32, bottom: bottom as f32 };
        (known != 0).then_some(area)
    }

    fn object(&self, index: c_int) -> TextObject {
        let get = self.page.session().api.FPDFText_GetTextObject;
        // SAFETY: The text page is open, and the index is below its count.
        get.map_or_else(TextObject::default, |get| TextObject::new(unsafe { get(self.handle, index) }))
    }

    fn matrix(&self, index: c_int) -> Option<MatrixF> {
        let get = self.page.session().api.FPDFText_GetMatrix?;
        let mut matrix = MatrixF::default();
        // SAFETY: The text page is open, the index is below its count, and the matrix lives during the call.
        (unsafe { get(self.handle, index, &raw mut matrix) } != 0).then_some(matrix)
    }

    /// The em, in the page's units.
    fn size(&self, index: c_int, matrix: &MatrixF) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
        // SAFETY: The text page is open, and the index is below its count.
        let size = unsafe { (self.page.session().api.FPDFText_GetFontSize)(self.handle, index) } as f32;
        size * matrix.c.hypot(matrix.d)
    }

    fn angle(&self, index: c_int, matrix: Option<&MatrixF>) -> u16 {
        let clockwise = match (matrix, self.page.session().api.FPDFText_GetCharAngle) {
            // The usual case: upright text.
            (Some(MatrixF { a: 0.0.., c: 0.0, .. }), _) | (_, None) => 0.0,
            // SAFETY: The text page is open, and the index is below its count.
            (_, Some(get)) => unsafe { get(self.handle, index) },
        };
        #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
        let quarters = (clockwise / std::f32::consts::FRAC_PI_2).round() as i32 + i32::from(self.page.rotation() / 90);
        match quarters.rem_euclid(4) {
            1 => 90,
            2 => 180,
            3 => 270,
            _ => 0,
        }
    }
}

impl Drop for TextPage<'_> {
    fn drop(&mut self) {
        // SAFETY: It was opened once and is closed once, before its page.
        unsafe { (self.page.session().api.FPDFText_ClosePage)(self.handle) };
    }
}

/// Scripts whose letters join.
const fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{65f}' | '\u{66a}'..='\u{6ef}' | '\u{6fa}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// The fonts of one page, each described once.
#[derive(Default)]
struct Fonts {
    known: HashMap<(Vec<u8>, c_int), Rc<Font>>,
    /// The previous character's font, which is usually the next one's too.
    last: Rc<Font>,
    last_name: (Vec<u8>, c_int),
}

impl Fonts {
    fn get(&mut self, text: &TextPage<'_>, index: c_int) -> Rc<Font> {
        let mut name = [0u8; 128];
        let mut flags = 0;
        // SAFETY: The text page is open, the index is below its count, and the buffer has the length that is said.
        let length = unsafe {
            (text.page.session().api.FPDFText_GetFontInfo)(
                text.handle,
                index,
                name.as_mut_ptr().cast::<c_void>(),
                name.len() as std::ffi::c_ulong,
                &raw mut flags,
            )
        };
        // pdfium writes no name that is longer than the buffer.
        let length = usize::try_from(length).unwrap_or(0).saturating_sub(1);
        let name = name.get(..length).unwrap_or_default();
        if self.known.is_empty() || (self.last_name.0.as_slice(), self.last_name.1) != (name, flags) {
            let key = (name.to_vec(), flags);
            let described = || Rc::new(describe(&String::from_utf8_lossy(name), flags));
            self.last = Rc::clone(self.known.entry(key.clone()).or_insert_with(described));
            self.last_name = key;
        }
        Rc::clone(&self.last)
    }
}

/// A font's name without the prefix of a subset.
pub(super) fn whole_name(name: &str) -> &str {
    match name.split_once('+') {
        Some((prefix, rest)) if prefix.len() == 6 && prefix.bytes().all(|b| b.is_ascii_uppercase()) => rest,
        _ => name,
    }
}

/// The style that a font's name and flags describe.
fn describe(name: &str, flags: c_int) -> Font {
    let name = whole_name(name);
    let lower = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Font {
        bold: flags & FORCE_BOLD != 0 || has(&["bold", "black", "heavy", "demi", "cmbx"]) || lower.ends_with("medi"),
        italic: flags & ITALIC != 0 || has(&["italic", "oblique", "cmti", "-ital"]),
        // OCR writes its text in a font of one width, even where the scan has another.
        fixed: !has(&["glyphless"]) && (flags & FIXED_PITCH != 0 || has(&["mono", "courier", "consolas", "cmtt"])),
        name: name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fonts_name_says_its_style() {
        let font = describe("ABCDEF+LiberationSans-BoldItalic", 0);
        assert_eq!(font.name, "LiberationSans-BoldItalic");
        assert!(font.bold && font.italic && !font.fixed);
        assert!(describe("DejaVuSansMono", 0).fixed);
        assert!(describe("Any", FIXED_PITCH).fixed && !describe("GlyphLessFont", FIXED_PITCH).fixed);
    }
}
