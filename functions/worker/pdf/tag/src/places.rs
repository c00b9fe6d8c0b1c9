//! What stands where on a page: found again by the place of a glyph, a path or a picture.

use std::collections::HashMap;

use docmill_pdf_core::pdfium::Rect;
use docmill_pdf_extract::model;

use super::nodes::NodeId;

/// The height of the strips by which words are found, in points.
const STRIP: f32 = 16.0;
/// A glyph may stand so far outside of its word, in points.
const NEAR: f32 = 0.6;
/// Pictures and paths that cover more of a page than this are its background.
const BACKGROUND: f32 = 0.8;

/// Whose a piece of content is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Node(NodeId),
    Artifact(Artifact),
}

/// What no part of the document's content is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Artifact {
    Header,
    Footer,
    Layout,
    Background,
}

impl Artifact {
    /// The property list of its marks.
    pub(super) const fn properties(self) -> &'static str {
        match self {
            Self::Header => "<</Type/Pagination/Subtype/Header>>",
            Self::Footer => "<</Type/Pagination/Subtype/Footer>>",
            Self::Layout => "<</Type/Layout>>",
            Self::Background => "<</Type/Background>>",
        }
    }
}

/// A piece's owner, and its place in the reading order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) owner: Owner,
    pub(super) order: u32,
}

/// A page's places, as it is shown.
#[derive(Debug, Default)]
pub(super) struct Places {
    words: Vec<(Rect, Found)>,
    strips: HashMap<i32, Vec<usize>>,
    /// Where the labels of list items are: their lines have only the text after it.
    labels: Vec<(Rect, Found)>,
    figures: Vec<(Rect, Found)>,
    hidden: Vec<Rect>,
    size: (f32, f32),
}

impl Places {
    pub(super) fn of_size(size: (f32, f32)) -> Self {
        Self { size, ..Self::default() }
    }

    pub(super) fn add_word(&mut self, area: Rect, found: Found) {
        let index = self.words.len();
        self.words.push((area, found));
        for strip in strip(area.y0 - NEAR)..=strip(area.y1 + NEAR).min(strip(area.y0) + 200) {
            self.strips.entry(strip).or_default().push(index);
        }
    }

    pub(super) fn add_label(&mut self, area: Rect, found: Found) {
        self.labels.push((area, found));
    }

    pub(super) fn add_figure(&mut self, area: Rect, found: Found) {
        self.figures.push((area, found));
    }

    pub(super) fn add_hidden(&mut self, area: Rect) {
        self.hidden.push(area);
    }

    /// What a glyph with this center is part of, if it is in a word or instead of one.
    pub(super) fn of_glyph(&self, center: (f32, f32)) -> Option<Found> {
        let in_strip = self.strips.get(&strip(center.1)).into_iter().flatten();
        let inside = in_strip.filter_map(|index| self.words.get(*index)).filter(|(area, _)| holds(area, center));
        let word = inside.min_by(|(a, _), (b, _)| a.size().total_cmp(&b.size()));
        let instead = || self.labels.iter().find(|(area, _)| area.contains(center));
        let (_, found) = word.or_else(instead).or_else(|| self.figure(center))?;
        Some(*found)
    }

    /// The same for text that is in no word: hidden, or not where its font says.
    pub(super) fn of_stray(&self, center: (f32, f32)) -> Found {
        if self.hidden.iter().any(|area| holds(area, center)) {
            return artifact(Artifact::Layout);
        }
        let nearest = self.words.iter().min_by(|(a, _), (b, _)| distance(a, center).total_cmp(&distance(b, center)));
        nearest.map_or(artifact(Artifact::Layout), |(_, found)| *found)
    }

    /// What a path or a picture in this area is part of.
    pub(super) fn of_drawing(&self, area: &Rect) -> Found {
        let page = self.size.0 * self.size.1;
        if area.size() > page * BACKGROUND {
            return artifact(Artifact::Background);
        }
        let label =
            self.labels.iter().find(|(label, _)| label.contains(area.center()) && area.height() <= label.height());
        let found = self.figure(area.center()).or(label);
        found.map_or(artifact(Artifact::Layout), |(_, found)| *found)
    }

    /// The place in the reading order of its last word.
    pub(super) fn last(&self) -> Option<u32> {
        self.words.iter().map(|(_, found)| found.order).max()
    }

    fn figure(&self, center: (f32, f32)) -> Option<&(Rect, Found)> {
        self.figures.iter().find(|(area, _)| holds(area, center))
    }

    /// The text block that is right before a place in the order of lines: its place in the reading order.
    pub(super) fn before(&self, area: &Rect) -> Option<u32> {
        let (x, y) = area.center();
        let above = self.words.iter().filter(|(word, _)| word.y0 <= y && (word.y1 < y || word.x0 <= x));
        let nearest = above.min_by(|(a, _), (b, _)| distance(a, (x, y)).total_cmp(&distance(b, (x, y))));
        nearest.or(self.words.first()).map(|(_, found)| found.order)
    }
}

pub(super) const fn artifact(kind: Artifact) -> Found {
    Found { owner: Owner::Artifact(kind), order: 0 }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn strip(y: f32) -> i32 {
    (y / STRIP).floor().clamp(-1e6, 1e6) as i32
}

fn holds(area: &Rect, (x, y): (f32, f32)) -> bool {
    area.x0 - NEAR <= x && x <= area.x1 + NEAR && area.y0 - NEAR <= y && y <= area.y1 + NEAR
}

fn distance(area: &Rect, (x, y): (f32, f32)) -> f32 {
    let (dx, dy) = ((area.x0 - x).max(x - area.x1).max(0.0), (area.y0 - y).max(y - area.y1).max(0.0));
    // The next word of a line is nearer than the next line.
    dx.hypot(dy * 2.0)
}

/// Where the structure has something on its page.
pub(super) fn rect(place: &model::Place) -> Rect {
    #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
    let [x0, y0, x1, y1] = place.corners.map(|number| number as f32);
    Rect { x0, y0, x1, y1 }
}
