//! How the objects of a page are drawn, and in which order: what tells whether its text can be seen.

use std::collections::{HashMap, HashSet};
use std::ffi::{c_int, c_uint};

use super::families::family;
use super::ffi::Handle;
use super::objects::{Found, IMAGE, INVISIBLE, PATH, SHADING};
use super::{Bands, Character, Font, Page, Rect};

/// Most shapes of a page. Text behind further ones counts as seen.
const SHAPES: usize = 20_000;
/// Smaller shapes cover no text.
const LEAST: f32 = 3.0;
/// The name of marks that put content on a layer, in UTF-16.
const LAYER: [u16; 2] = [b'O' as u16, b'C' as u16];

/// A text object of an open page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextObject(usize);

impl TextObject {
    pub(super) fn new(handle: Handle) -> Self {
        Self(handle.addr())
    }
}

/// How a text object is drawn.
#[derive(Clone, Copy, Debug)]
pub struct TextLook {
    /// Its place in the order of drawing.
    pub order: usize,
    /// Drawn without ink.
    pub is_invisible: bool,
    /// Red, green, blue and alpha. `None` for patterns.
    pub color: Option<[u8; 4]>,
    /// On a layer, which may be off.
    pub is_layered: bool,
}

/// Something that covers what was drawn before.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its place in the order of drawing.
    pub order: usize,
    /// What it covers.
    pub area: Rect,
    /// What with.
    pub paint: Paint,
}

/// What a shape is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Red, green and blue.
    Color([u8; 3]),
    /// Pictures, patterns, shadings.
    Other,
}

/// How everything on a page is drawn.
#[derive(Debug, Default)]
pub struct Looks {
    texts: HashMap<TextObject, TextLook>,
    /// Where texts are, for copies of pdfium that don't tell which one draws a character.
    places: Option<Bands<TextLook>>,
    /// In the order of drawing.
    pub shapes: Vec<Shape>,
    /// The areas of pictures.
    pub pictures: Vec<Rect>,
    /// How far fonts reach, by family.
    reaches: HashMap<String, Reach>,
    /// The fonts whose reach is known, in pdfium.
    fonts: HashSet<usize>,
}

/// How far the letters of a font may reach above and below the baseline, in ems. pdfium's boxes are one em high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Above the baseline.
    pub above: f32,
    /// Below it.
    pub below: f32,
}

impl Looks {
    /// How far a font reaches. `None` if it is not known: fonts without a name are drawings, each of which has its own box.
    pub fn reach(&self, font: &Font) -> Option<Reach> {
        self.reaches.get(&family(&font.name)).copied().filter(|_| !font.name.is_empty())
    }

    /// How a character is drawn. `None` if it is not known.
    pub fn of(&self, character: &Character) -> Option<TextLook> {
        if character.object != TextObject::default() {
            return self.texts.get(&character.object).copied();
        }
        // Several texts may be at one place: if one can be seen, the character can.
        let at = character.area.center();
        let at_place = self.places.as_ref()?.at(at);
        at_place.max_by_key(|look| (!look.is_invisible, !look.is_layered, look.order))
    }
}

impl Page<'_> {
    /// Reads all objects of the page, those of forms too.
    pub fn looks(&self) -> Looks {
        let mut looks = Looks::default();
        let mut places = Vec::new();
        let mut order = 0;
        self.walk(&mut |object| {
            order += 1;
            if object.is_text() {
                let look = self.text_look(object, order);
                looks.texts.insert(TextObject::new(object.handle), look);
                self.reach(object.handle, &mut looks);
                if self.session().api.FPDFText_GetTextObject.is_none() {
                    // Letters without ascenders are lower than their boxes.
                    let area = self.bounds(object).filter(|_| places.len() < SHAPES);
                    let taller = |area: Rect| {
                        let more = area.height() * 0.5;
                        Rect { y0: area.y0 - more, y1: area.y1 + more, x0: area.x0 - 1.0, x1: area.x1 + 1.0 }
                    };
                    places.extend(area.map(|area| (taller(area), look)));
                }
            } else if let Some(paint) = self.paint(object)
                && looks.shapes.len() < SHAPES
                && let Some(area) = self.bounds(object)
                && area.width() >= LEAST
                && area.height() >= LEAST
            {
                looks.shapes.push(Shape { order, area, paint });
                if object.kind == IMAGE {
                    looks.pictures.push(area);
                }
            }
            true
        });
        looks.places = Some(Bands::new(places, self.size().1));
        looks
    }

    fn text_look(&self, object: &Found<'_>, order: usize) -> TextLook {
        let mode = self.session().api.FPDFTextObj_GetTextRenderMode;
        // SAFETY: The object is the open page's, and a text.
        let is_invisible = mode.is_some_and(|mode| unsafe { mode(object.handle) } == INVISIBLE);
        TextLook { order, is_invisible, color: self.fill(object.handle), is_layered: self.is_layered(object.handle) }
    }

    /// Notes how far the font of a text reaches, once for each font.
    fn reach(&self, text: Handle, looks: &mut Looks) -> Option<()> {
        let api = self.session().api;
        let (ascent, descent) = (api.FPDFFont_GetAscent?, api.FPDFFont_GetDescent?);
        let font = self.font(text).filter(|font| looks.fonts.insert(font.addr()))?;
        let (mut above, mut below) = (0.0, 0.0);
        // SAFETY: The font is that of a text of the open page; the numbers live during the calls.
        let known = unsafe { ascent(font, 1.0, &raw mut above) != 0 && descent(font, 1.0, &raw mut below) != 0 };
        if known {
            looks.reaches.insert(self.family_of(font)?, Reach { above, below: -below });
        }
        Some(())
    }

    /// What a path, picture or shading paints its area with. `None` if it leaves most of it as it was.
    fn paint(&self, object: &Found<'_>) -> Option<Paint> {
        match object.kind {
            IMAGE | SHADING => Some(Paint::Other),
            PATH if self.is_filled(object.handle) => match self.fill(object.handle) {
                Some([red, green, blue, u8::MAX]) => Some(Paint::Color([red, green, blue])),
                Some(_) => None,
                None => Some(Paint::Other),
            },
            _ => None,
        }
    }

    pub(super) fn is_filled(&self, path: Handle) -> bool {
        self.draw_mode(path).is_some_and(|(is_filled, _)| is_filled)
    }

    /// Whether a path is an area in white without an outline.
    pub(super) fn is_white(&self, path: Handle) -> bool {
        self.draw_mode(path) == Some((true, false)) && self.fill(path) == Some([u8::MAX; 4])
    }

    /// Whether a path is filled, and whether its outline is drawn.
    fn draw_mode(&self, path: Handle) -> Option<(bool, bool)> {
        let (mut fill, mut stroke): (c_int, c_int) = (0, 0);
        let mode = self.session().api.FPDFPath_GetDrawMode?;
        // SAFETY: The object is the open page's, and the numbers live during the call.
        let is_known = unsafe { mode(path, &raw mut fill, &raw mut stroke) } != 0;
        is_known.then_some((fill != 0, stroke != 0))
    }

    fn fill(&self, object: Handle) -> Option<[u8; 4]> {
        let get = self.session().api.FPDFPageObj_GetFillColor?;
        let mut color: [c_uint; 4] = [0; 4];
        let [red, green, blue, alpha] = &mut color;
        // SAFETY: The object is the open page's, and the numbers live during the call.
        let known = unsafe { get(object, red, green, blue, alpha) } != 0;
        known.then(|| color.map(|part| u8::try_from(part).unwrap_or(u8::MAX)))
    }

    fn is_layered(&self, object: Handle) -> bool {
        self.marks(object).into_iter().any(|mark| self.is_named(mark, &LAYER))
    }
}
