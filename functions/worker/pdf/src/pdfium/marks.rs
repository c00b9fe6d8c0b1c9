//! Marked content: what ties the text and the pictures of a page to the tags of its document.

use std::collections::HashMap;
use std::ffi::c_int;

use serde::{Deserialize, Serialize};

use super::ffi::Handle;
use super::objects::IMAGE;
use super::{Character, Page, Rect, TextObject};

/// The name of marks around what is not part of the document's text, in UTF-16.
const ARTIFACT: [u16; 8] =
    [b'A' as u16, b'r' as u16, b't' as u16, b'i' as u16, b'f' as u16, b'a' as u16, b'c' as u16, b't' as u16];
/// A character is drawn by a text whose baseline is within this distance of its own, in points.
const SAME_LINE: f32 = 0.4;
/// How far a character may reach beyond the box of its text, in ems.
const BEYOND: f32 = 0.5;

/// How a part of a page is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mark {
    #[default]
    None,
    /// It is decoration, or a running header or footer.
    Artifact,
    /// By this number, which is unique on the page.
    Content(u32),
}

/// What a character is in the document's structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Tag {
    /// No tag covers it.
    #[default]
    None,
    Artifact,
    /// In this part of its page.
    Part(u32),
}

/// The marks of a page.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    texts: HashMap<TextObject, Mark>,
    /// For copies of pdfium that don't tell which text draws a character: texts by the heights at which they start, and by the
    /// distances from the left.
    runs: HashMap<(Axis, i32), Vec<Run>>,
    /// The areas of marked pictures.
    pub pictures: Vec<(u32, Rect)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Axis {
    Height,
    Left,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// Where its first character starts, as the page is shown.
    start: (f32, f32),
    area: Rect,
    mark: Mark,
}

impl Marks {
    pub(crate) fn of(&self, character: &Character) -> Mark {
        if character.object != TextObject::default() {
            return self.texts.get(&character.object).copied().unwrap_or_default();
        }
        let Some(start) = character.baseline.map(|place| (place.x0, place.y0)) else { return Mark::None };
        let center = character.area.center();
        let axis = if character.angle.is_multiple_of(180) { Axis::Height } else { Axis::Left };
        // How far along its direction a place is.
        let along = |(x, y): (f32, f32)| match character.angle {
            90 => y,
            180 => -x,
            270 => -y,
            _ => x,
        };
        let across = axis.of(start);
        let beyond = character.size * BEYOND;
        let is_drawn_by = |run: &&Run| {
            let Rect { x0, y0, x1, y1 } = run.area;
            let area = Rect { x0: x0 - beyond, y0: y0 - beyond, x1: x1 + beyond, y1: y1 + beyond };
            (axis.of(run.start) - across).abs() < SAME_LINE
                && along(run.start) < along(start) + SAME_LINE
                && area.contains(center)
        };
        let key = step(across);
        let near = (key - 1..=key + 1).filter_map(|key| self.runs.get(&(axis, key))).flatten();
        // The last one that starts before it, or at its place.
        let run = near.filter(is_drawn_by).max_by(|a, b| along(a.start).total_cmp(&along(b.start)));
        run.map_or(Mark::None, |run| run.mark)
    }

    fn add(&mut self, run: Run) {
        for axis in [Axis::Height, Axis::Left] {
            self.runs.entry((axis, step(axis.of(run.start)))).or_default().push(run);
        }
    }
}

impl Axis {
    const fn of(self, (x, y): (f32, f32)) -> f32 {
        match self {
            Self::Height => y,
            Self::Left => x,
        }
    }
}

fn step(points: f32) -> i32 {
    points.round() as i32
}

impl Page<'_> {
    pub(crate) fn marked_content(&self) -> Marks {
        let tells = self.session().api.FPDFText_GetTextObject.is_some();
        let mut marks = Marks::default();
        let mut top = (std::ptr::null_mut(), Mark::None);
        self.walk(&mut |object| {
            // The numbers in a form are the form's own.
            if object.top != top.0 {
                top = (object.top, self.mark(object.top));
            }
            let mark = top.1;
            if object.is_text() {
                if tells {
                    marks.texts.insert(TextObject::new(object.handle), mark);
                } else if let (Some(start), Some(area)) = (self.start(object), self.bounds(object)) {
                    marks.add(Run { start, area, mark });
                }
            } else if object.kind == IMAGE
                && let (Mark::Content(number), Some(area)) = (mark, self.bounds(object))
            {
                marks.pictures.push((number, area));
            }
            true
        });
        marks
    }

    /// The innermost mark of an object.
    fn mark(&self, object: Handle) -> Mark {
        let Some(number) = self.session().api.FPDFPageObjMark_GetParamIntValue else { return Mark::None };
        let of = |mark: Handle| {
            let mut value: c_int = -1;
            // SAFETY: The mark is the open page's, the key ends with a NUL, and the number lives during the call.
            if unsafe { number(mark, c"MCID".as_ptr(), &raw mut value) } != 0 {
                return u32::try_from(value).ok().map(Mark::Content);
            }
            self.is_named(mark, &ARTIFACT).then_some(Mark::Artifact)
        };
        self.marks(object).into_iter().rev().find_map(of).unwrap_or_default()
    }
}
