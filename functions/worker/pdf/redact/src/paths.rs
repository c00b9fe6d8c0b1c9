//! Paths of content, and what is left of them outside areas.

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::rectangle::Rectangle;
use lopdf::Object;
use lopdf::content::Operation;

use super::shapes::{self, Point, bounds, encloses, grown, holds, meets};

/// Number of lines that replace a curve.
const PIECES: u8 = 24;

#[derive(Clone, Debug)]
enum Segment {
    Line(Point),
    Curve(Point, Point, Point),
}

#[derive(Clone, Debug)]
struct Subpath {
    start: Point,
    segments: Vec<Segment>,
    closed: bool,
}

/// The path under construction, in the coordinates of its content.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    subpaths: Vec<Subpath>,
    at: Point,
}

/// How a path is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Fill,
    Stroke,
}

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.subpaths.is_empty()
    }

    /// Adds an operation that constructs paths. Returns false for others.
    pub(super) fn push(&mut self, operator: &str, n: &[f32]) -> bool {
        match (operator, n) {
            ("m", [x, y]) => self.begin((*x, *y)),
            ("l", [x, y]) => self.add(Segment::Line((*x, *y)), (*x, *y)),
            ("c", [x1, y1, x2, y2, x, y]) => self.add(Segment::Curve((*x1, *y1), (*x2, *y2), (*x, *y)), (*x, *y)),
            ("v", [x2, y2, x, y]) => self.add(Segment::Curve(self.at, (*x2, *y2), (*x, *y)), (*x, *y)),
            ("y", [x1, y1, x, y]) => self.add(Segment::Curve((*x1, *y1), (*x, *y), (*x, *y)), (*x, *y)),
            ("re", [x, y, w, h]) => {
                self.begin((*x, *y));
                for point in [(x + w, *y), (x + w, y + h), (*x, y + h)] {
                    self.add(Segment::Line(point), point);
                }
                self.close();
            }
            ("h", _) => self.close(),
            ("m" | "l" | "c" | "v" | "y" | "re", _) => {}
            _ => return false,
        }
        true
    }

    fn begin(&mut self, at: Point) {
        self.at = at;
        self.subpaths.push(Subpath { start: at, segments: Vec::new(), closed: false });
    }

    fn add(&mut self, segment: Segment, to: Point) {
        // After a closed subpath, the next one begins where that one began.
        if self.subpaths.last().is_none_or(|last| last.closed) {
            self.begin(self.at);
        }
        if let Some(last) = self.subpaths.last_mut() {
            last.segments.push(segment);
        }
        self.at = to;
    }

    pub(super) fn close(&mut self) {
        if let Some(last) = self.subpaths.last_mut() {
            last.closed = true;
            self.at = last.start;
        }
    }

    /// In page coordinates.
    pub(super) fn bounds(&self, matrix: Matrix) -> Option<Rectangle> {
        bounds(self.subpaths.iter().flat_map(Subpath::points).map(|(x, y)| matrix.apply(x, y)))
    }

    /// The rest outside the areas, which are in page coordinates. `None` if nothing was removed. `margin`: how much wider a
    /// stroke is than its line, on the page.
    pub(super) fn without(&self, matrix: Matrix, areas: &[Rectangle], paint: Paint, margin: f32) -> Option<Self> {
        let inverse = shapes::inverse(matrix)?;
        let mut left = Vec::with_capacity(self.subpaths.len());
        let mut changed = false;
        for subpath in &self.subpaths {
            match subpath.without(matrix, inverse, areas, paint, margin) {
                Some(parts) => {
                    changed = true;
                    left.extend(parts);
                }
                None => left.push(subpath.clone()),
            }
        }
        changed.then_some(Self { subpaths: left, at: self.at })
    }

    pub(super) fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        let mut push = |operator: &str, points: &[Point]| {
            let operands = points.iter().flat_map(|(x, y)| [Object::Real(*x), Object::Real(*y)]).collect();
            operations.push(Operation::new(operator, operands));
        };
        for subpath in &self.subpaths {
            push("m", &[subpath.start]);
            for segment in &subpath.segments {
                match segment {
                    Segment::Line(to) => push("l", &[*to]),
                    Segment::Curve(one, two, to) => push("c", &[*one, *two, *to]),
                }
            }
            if subpath.closed {
                push("h", &[]);
            }
        }
        operations
    }
}

impl Subpath {
    /// Its corners, and the control points of its curves.
    fn points(&self) -> impl Iterator<Item = Point> + '_ {
        std::iter::once(self.start).chain(self.segments.iter().flat_map(|segment| match segment {
            Segment::Line(to) => vec![*to],
            Segment::Curve(one, two, to) => vec![*one, *two, *to],
        }))
    }

    fn without(
        &self,
        matrix: Matrix,
        inverse: Matrix,
        areas: &[Rectangle],
        paint: Paint,
        margin: f32,
    ) -> Option<Vec<Self>> {
        let points: Vec<Point> = self.points().map(|(x, y)| matrix.apply(x, y)).collect();
        let Some(around) = bounds(points.iter().copied()) else { return Some(Vec::new()) };
        let wide = grown(around, margin.max(0.01));
        let hit: Vec<Rectangle> = areas.iter().copied().filter(|area| meets(*area, wide)).collect();
        if hit.is_empty() {
            return None;
        }
        if hit.iter().any(|area| encloses(*area, around)) {
            return Some(Vec::new());
        }
        // Lines that pass through say nothing about the inside.
        if !points.iter().any(|point| hit.iter().any(|area| holds(*area, *point))) {
            return None;
        }
        let polygon = self.flat(matrix);
        let back = |points: Vec<Point>, closed: bool| {
            let mut points = points.into_iter().map(|(x, y)| inverse.apply(x, y));
            let start = points.next()?;
            Some(Self { start, segments: points.map(Segment::Line).collect(), closed })
        };
        let parts: Vec<Self> = match paint {
            Paint::Fill => {
                let mut polygons = vec![polygon];
                for area in hit {
                    polygons = polygons.iter().flat_map(|polygon| shapes::outside(polygon, area)).collect();
                }
                polygons.into_iter().filter_map(|polygon| back(polygon, true)).collect()
            }
            Paint::Stroke => {
                let ends = polygon.iter().copied().skip(1).chain(polygon.first().copied().filter(|_| self.closed));
                let mut lines: Vec<(Point, Point)> = polygon.iter().copied().zip(ends).collect();
                for area in hit {
                    lines = lines.into_iter().flat_map(|line| shapes::line_outside(line, area)).collect();
                }
                let chained = lines.chunk_by(|one, other| one.1 == other.0);
                chained
                    .filter_map(|lines| {
                        let first = lines.first().map(|line| line.0);
                        back(first.into_iter().chain(lines.iter().map(|line| line.1)).collect(), false)
                    })
                    .collect()
            }
        };
        Some(parts)
    }

    /// As a polygon on the page.
    fn flat(&self, matrix: Matrix) -> Vec<Point> {
        let mut at = self.start;
        let mut points = vec![at];
        for segment in &self.segments {
            match segment {
                Segment::Line(to) => {
                    points.push(*to);
                    at = *to;
                }
                Segment::Curve(one, two, to) => {
                    for piece in 1..=PIECES {
                        let t = f32::from(piece) / f32::from(PIECES);
                        let u = 1.0 - t;
                        let along = |a: f32, b: f32, c: f32, d: f32| {
                            u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
                        };
                        points.push((along(at.0, one.0, two.0, to.0), along(at.1, one.1, two.1, to.1)));
                    }
                    at = *to;
                }
            }
        }
        points.into_iter().map(|(x, y)| matrix.apply(x, y)).collect()
    }
}
