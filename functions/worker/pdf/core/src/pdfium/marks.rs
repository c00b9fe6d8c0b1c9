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
pub enum Mark {
    /// Not at all.
    #[default]
    None,
    /// It is decoration, or a running header or footer.
    Artifact,
    /// By this number, which is unique on the page.
    Content(u32),
}

/// What a character is in the document's structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tag {
    /// No tag covers it.
    #[default]
    None,
    /// Decoration, or a running header or footer.
    Artifact,
    /// In this part of its page.
    Part(u32),
}

/// The marks of a page.
#[derive(Debug, Default)]
pub struct Marks {
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
    /// How a character is marked.
    pub fn of(&self, character: &Character) -> Mark {
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

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn step(points: f32) -> i32 {
    points.round() as i32
}

impl Page<'_> {
    /// Reads the marks of the page's objects.
    pub fn marked_content(&self) -> Marks {
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

    /// The areas of all that is drawn for each number of marked content.
    pub fn areas_of_marks(&self) -> HashMap<u32, Rect> {
        let mut areas: HashMap<u32, Rect> = HashMap::new();
        let mut top = (std::ptr::null_mut(), Mark::None);
        self.walk(&mut |object| {
            if object.top != top.0 {
                top = (object.top, self.mark(object.top));
            }
            if let (Mark::Content(number), Some(area)) = (top.1, self.bounds(object)) {
                areas.entry(number).and_modify(|known| *known = known.union(&area)).or_insert(area);
            }
            true
        });
        areas
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::pdfium::Font;

    /// A text that starts at a place, runs in this direction, and is 100 points long and 10 high.
    fn run(start: (f32, f32), angle: u16, number: u32) -> Run {
        let (x, y) = start;
        let area = match angle {
            90 => Rect { x0: x - 2.0, y0: y, x1: x + 8.0, y1: y + 100.0 },
            180 => Rect { x0: x - 100.0, y0: y - 2.0, x1: x, y1: y + 8.0 },
            270 => Rect { x0: x - 8.0, y0: y - 100.0, x1: x + 2.0, y1: y },
            _ => Rect { x0: x, y0: y - 8.0, x1: x + 100.0, y1: y + 2.0 },
        };
        Run { start, area, mark: Mark::Content(number) }
    }

    fn marks(runs: &[Run]) -> Marks {
        let mut marks = Marks::default();
        runs.iter().for_each(|run| marks.add(*run));
        marks
    }

    /// A character of 10 points with this place on its baseline. `center`: the middle of its area.
    fn character((x, y): (f32, f32), center: (f32, f32), angle: u16) -> Character {
        Character {
            value: 'a',
            area: Rect { x0: center.0 - 2.0, y0: center.1 - 2.0, x1: center.0 + 2.0, y1: center.1 + 2.0 },
            baseline: Some(Rect { x0: x, y0: y, x1: x, y1: y }),
            size: 10.0,
            spaced: false,
            parted: false,
            font: Rc::new(Font::default()),
            object: TextObject::default(),
            angle,
            tag: Tag::None,
        }
    }

    #[test]
    fn a_character_is_of_the_last_text_that_starts_before_it_on_its_line() {
        let marks = marks(&[run((50.0, 100.0), 0, 1), run((90.0, 100.0), 0, 2), run((50.0, 112.0), 0, 3)]);
        let of = |x: f32, y: f32| marks.of(&character((x, y), (x + 2.0, y - 3.0), 0));
        assert_eq!([of(50.0, 100.0), of(85.0, 100.0)], [Mark::Content(1); 2]);
        assert_eq!([of(90.0, 100.0), of(120.0, 100.2)], [Mark::Content(2); 2]);
        assert_eq!(of(60.0, 112.0), Mark::Content(3));
        assert_eq!(of(60.0, 106.0), Mark::None, "between two lines");
        assert_eq!(of(40.0, 100.0), Mark::None, "before all texts");
        assert_eq!(of(250.0, 100.0), Mark::None, "far behind the last one");
    }

    #[test]
    fn texts_in_other_directions_have_their_own_order() {
        let of = |angle: u16, starts: [(f32, f32); 2], at: (f32, f32)| {
            marks(&[run(starts[0], angle, 1), run(starts[1], angle, 2)]).of(&character(at, at, angle))
        };
        assert_eq!(of(90, [(50.0, 100.0), (50.0, 140.0)], (50.0, 130.0)), Mark::Content(1), "downwards");
        assert_eq!(of(90, [(50.0, 100.0), (50.0, 140.0)], (50.0, 150.0)), Mark::Content(2));
        assert_eq!(of(270, [(50.0, 200.0), (50.0, 160.0)], (50.0, 170.0)), Mark::Content(1), "upwards");
        assert_eq!(of(270, [(50.0, 200.0), (50.0, 160.0)], (50.0, 150.0)), Mark::Content(2));
        assert_eq!(of(180, [(200.0, 50.0), (160.0, 50.0)], (170.0, 50.0)), Mark::Content(1), "upside down");
        assert_eq!(of(180, [(200.0, 50.0), (160.0, 50.0)], (150.0, 50.0)), Mark::Content(2));
    }

    #[test]
    fn a_character_whose_text_is_known_has_its_mark() {
        let text = TextObject::new(std::ptr::dangling_mut::<u64>().cast());
        let marks = Marks { texts: HashMap::from([(text, Mark::Artifact)]), ..marks(&[run((50.0, 100.0), 0, 1)]) };
        let at = character((60.0, 100.0), (62.0, 97.0), 0);
        assert_eq!(marks.of(&Character { object: text, ..at.clone() }), Mark::Artifact);
        assert_eq!(marks.of(&at), Mark::Content(1), "by its place");
        let other = TextObject::new(std::ptr::without_provenance_mut(1 << 20));
        assert_eq!(marks.of(&Character { object: other, ..at.clone() }), Mark::None, "a text without a mark");
        assert_eq!(marks.of(&Character { baseline: None, ..at }), Mark::None, "a place that is not known");
    }
}
