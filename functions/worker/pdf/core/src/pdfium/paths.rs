//! The form of drawn paths: whether they are straight, boxes, or part of a drawing.

use std::ffi::{c_float, c_int};

use super::ffi::Handle;
use super::objects::{Found, PATH};
use super::{Page, Rect};

/// `FPDF_SEGMENT_BEZIERTO` and `…_MOVETO`.
const BEZIER: c_int = 1;
const MOVE: c_int = 2;
/// Most points of a path that are looked at: a table drawn as one path has five for each box.
const POINTS: c_int = 4_000;
/// A side shorter than that, in points, is that of a rule.
const THIN: f32 = 3.0;
/// How far from an edge a point may be to lie on it, as a share of the path's sides.
const ON_EDGE: f32 = 0.02;

/// What a path looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A horizontal or vertical rule.
    Rule,
    /// A rectangle, also with round corners, or an ellipse.
    Box,
    /// Anything else: lines that are neither horizontal nor vertical, curves, polygons.
    Free,
}

/// A path that the page strokes or fills.
#[derive(Clone, Copy, Debug)]
pub struct DrawnPath {
    /// Where it is.
    pub area: Rect,
    /// What it looks like.
    pub form: Form,
    /// Whether it is filled.
    pub is_filled: bool,
    /// The number of its points, those of curves included.
    pub parts: usize,
}

/// The points of a part of a path that begins anew, in the path's own coordinates.
type Subpath = Vec<(f32, f32)>;

impl Page<'_> {
    /// The first of the page's paths, at most `most`. A path of rules and boxes alone, such as all of a table's, counts as these.
    pub fn drawn_paths(&self, most: usize) -> Vec<DrawnPath> {
        self.each_path(most, |_, parts| parts)
    }

    /// The areas of at most `most` rules and boxes, and of other paths. Without areas in white, as editors put behind text.
    pub fn paths(&self, most: usize) -> Vec<Rect> {
        self.each_path(most, |path, parts| {
            let is_white = self.is_white(path);
            let areas = parts.into_iter().filter(|part| !is_white || is_thin(&part.area));
            areas.map(|part| part.area).collect()
        })
    }

    /// What `take` makes of the parts of each path, up to `most` in all.
    fn each_path<T>(&self, most: usize, take: impl Fn(Handle, Vec<DrawnPath>) -> Vec<T>) -> Vec<T> {
        let mut found = Vec::new();
        self.walk(&mut |object| {
            if object.kind == PATH {
                found.extend(take(object.handle, self.parts_of(object, most - found.len())));
            }
            found.len() < most
        });
        found
    }

    /// What a path draws.
    fn parts_of(&self, object: &Found<'_>, most: usize) -> Vec<DrawnPath> {
        let is_filled = self.is_filled(object.handle);
        let (Some(area), Some(subpaths)) = (self.bounds(object), self.subpaths(object.handle)) else {
            return Vec::new();
        };
        if (2..=most).contains(&subpaths.len()) {
            let part = |subpath: &Subpath| {
                let area = self.area_of(object, subpath)?;
                let form = form(&area, subpath);
                (form != Form::Free).then_some(DrawnPath { area, form, is_filled, parts: subpath.len() })
            };
            if let Some(parts) = subpaths.iter().map(part).collect() {
                return parts;
            }
        }
        let form = form(&area, &subpaths.concat());
        vec![DrawnPath { area, form, is_filled, parts: self.count_of_segments(object.handle) }]
    }

    fn count_of_segments(&self, path: Handle) -> usize {
        // SAFETY: The object is the open page's, and a path.
        let count = self.session().api.FPDFPath_CountSegments.map_or(0, |count| unsafe { count(path) });
        usize::try_from(count).unwrap_or(0)
    }

    /// The subpaths of a path, with the points through which they go.
    fn subpaths(&self, path: Handle) -> Option<Vec<Subpath>> {
        let api = self.session().api;
        let (count, get) = (api.FPDFPath_CountSegments?, api.FPDFPath_GetPathSegment?);
        let (kind, point) = (api.FPDFPathSegment_GetType?, api.FPDFPathSegment_GetPoint?);
        // SAFETY: The object is the open page's, and a path.
        let count = unsafe { count(path) }.min(POINTS);
        let (mut subpaths, mut controls): (Vec<Subpath>, usize) = (Vec::new(), 0);
        for at in 0..count {
            let (mut x, mut y): (c_float, c_float) = (0.0, 0.0);
            // SAFETY: As above; the index is below the count, and the numbers live during the call.
            let (known, kind) = unsafe {
                let segment = get(path, at);
                (point(segment, &raw mut x, &raw mut y) != 0, kind(segment))
            };
            if kind == MOVE || subpaths.is_empty() {
                subpaths.push(Subpath::new());
            }
            // A curve has two control points and its end.
            controls = if kind == BEZIER { controls + 1 } else { 0 };
            if known
                && (kind != BEZIER || controls % 3 == 0)
                && let Some(subpath) = subpaths.last_mut()
            {
                subpath.push((x, y));
            }
        }
        subpaths.retain(|subpath| subpath.len() > 1);
        Some(subpaths)
    }

    /// The area that a subpath covers on the page.
    fn area_of(&self, object: &Found<'_>, subpath: &[(f32, f32)]) -> Option<Rect> {
        let ((left, right), (bottom, top)) = extent(subpath);
        self.placed(object, [left, bottom, right, top])
    }
}

/// From where to where points reach, across and up.
fn extent(points: &[(f32, f32)]) -> ((f32, f32), (f32, f32)) {
    let all = |pick: fn(&(f32, f32)) -> f32| {
        let values = || points.iter().map(pick);
        (values().fold(f32::INFINITY, f32::min), values().fold(f32::NEG_INFINITY, f32::max))
    };
    (all(|point| point.0), all(|point| point.1))
}

fn is_thin(area: &Rect) -> bool {
    area.width() < THIN || area.height() < THIN
}

fn form(area: &Rect, points: &[(f32, f32)]) -> Form {
    if is_thin(area) {
        return Form::Rule;
    }
    let ((left, right), (bottom, top)) = extent(points);
    let (near_x, near_y) = ((right - left) * ON_EDGE, (top - bottom) * ON_EDGE);
    let is_on_edge =
        |&(x, y): &(f32, f32)| x - left <= near_x || right - x <= near_x || y - bottom <= near_y || top - y <= near_y;
    // The corners of a slanted line and of a triangle are on the edges too, the first of which comes back at the end.
    let corners = if points.first() == points.last() { points.len().saturating_sub(1) } else { points.len() };
    if corners > 3 && points.iter().all(is_on_edge) { Form::Box } else { Form::Free }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_the_points_of_a_path() {
        let area = Rect { x0: 0.0, y0: 0.0, x1: 100.0, y1: 50.0 };
        let rectangle = [(0.0, 0.0), (100.0, 0.0), (100.0, 50.0), (0.0, 50.0), (0.0, 0.0)];
        assert_eq!(form(&area, &rectangle), Form::Box);
        let round = [(5.0, 0.0), (95.0, 0.0), (100.0, 5.0), (100.0, 45.0), (95.0, 50.0), (5.0, 50.0), (0.0, 45.0)];
        assert_eq!(form(&area, &round), Form::Box);
        assert_eq!(form(&area, &[(0.0, 0.0), (100.0, 50.0)]), Form::Free, "a slanted line");
        assert_eq!(form(&area, &[(0.0, 0.0), (100.0, 0.0), (0.0, 50.0), (0.0, 0.0)]), Form::Free, "a part of a pie");
        assert_eq!(form(&area, &[(0.0, 0.0), (30.0, 50.0), (60.0, 20.0), (100.0, 40.0)]), Form::Free, "a curve");
        assert_eq!(form(&Rect { y1: 1.0, ..area }, &[(0.0, 0.0), (100.0, 1.0)]), Form::Rule);
    }
}
