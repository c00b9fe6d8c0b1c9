//! Polygons and rectangles.

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::rectangle::Rectangle;

pub(super) type Point = (f32, f32);

/// Farther than any page reaches.
pub(super) const FAR: f32 = 1e7;

pub(super) fn corners(rectangle: Rectangle, matrix: Matrix) -> [Point; 4] {
    let Rectangle { left, bottom, right, top } = rectangle;
    [(left, bottom), (right, bottom), (right, top), (left, top)].map(|(x, y)| matrix.apply(x, y))
}

pub(super) fn inverse(Matrix([a, b, c, d, e, f]): Matrix) -> Option<Matrix> {
    let determinant = f64::from(a) * f64::from(d) - f64::from(b) * f64::from(c);
    let all = [a, b, c, d, e, f];
    if determinant.abs() < 1e-12 || all.iter().any(|number| !number.is_finite()) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
    let divided = |number: f64| (number / determinant) as f32;
    let [a, b, c, d, e, f] = all.map(f64::from);
    Some(Matrix([divided(d), divided(-b), divided(-c), divided(a), divided(c * f - d * e), divided(b * e - a * f)]))
}

pub(super) fn grown(area: Rectangle, by: f32) -> Rectangle {
    Rectangle { left: area.left - by, bottom: area.bottom - by, right: area.right + by, top: area.top + by }
}

pub(super) fn holds(area: Rectangle, (x, y): Point) -> bool {
    area.left < x && x < area.right && area.bottom < y && y < area.top
}

pub(super) fn encloses(outer: Rectangle, inner: Rectangle) -> bool {
    outer.left <= inner.left && outer.bottom <= inner.bottom && outer.right >= inner.right && outer.top >= inner.top
}

pub(super) fn meets(one: Rectangle, other: Rectangle) -> bool {
    one.left < other.right && other.left < one.right && one.bottom < other.top && other.bottom < one.top
}

/// The smallest rectangle around points. `None` without a point, or with one that is not a number.
pub(super) fn bounds(points: impl IntoIterator<Item = Point>) -> Option<Rectangle> {
    let mut bounds: Option<Rectangle> = None;
    for (x, y) in points {
        if !(x.is_finite() && y.is_finite()) {
            return None;
        }
        let Rectangle { left, bottom, right, top } =
            bounds.unwrap_or(Rectangle { left: x, bottom: y, right: x, top: y });
        bounds = Some(Rectangle { left: left.min(x), bottom: bottom.min(y), right: right.max(x), top: top.max(y) });
    }
    bounds
}

/// The part of a polygon within a rectangle, by Sutherland and Hodgman: winding numbers inside it stay what they are.
pub(super) fn clip(polygon: &[Point], to: Rectangle) -> Vec<Point> {
    let half = |points: Vec<Point>, inside: &dyn Fn(Point) -> f32| {
        let mut kept = Vec::with_capacity(points.len() + 4);
        let befores = points.last().into_iter().chain(&points);
        for (before, point) in befores.zip(&points) {
            let (one, other) = (inside(*before), inside(*point));
            if (one >= 0.0) != (other >= 0.0) {
                let part = one / (one - other);
                kept.push((before.0 + part * (point.0 - before.0), before.1 + part * (point.1 - before.1)));
            }
            if other >= 0.0 {
                kept.push(*point);
            }
        }
        kept
    };
    let points = half(polygon.to_vec(), &|(x, _)| x - to.left);
    let points = half(points, &|(x, _)| to.right - x);
    let points = half(points, &|(_, y)| y - to.bottom);
    half(points, &|(_, y)| to.top - y)
}

#[expect(clippy::cast_possible_truncation, reason = "it only needs fewer digits")]
pub(super) fn size(polygon: &[Point]) -> f32 {
    let next = polygon.iter().cycle().skip(1);
    let twice: f64 =
        polygon.iter().zip(next).map(|(a, b)| f64::from(a.0) * f64::from(b.1) - f64::from(b.0) * f64::from(a.1)).sum();
    (twice / 2.0).abs() as f32
}

/// The share of a polygon that is in a rectangle, from 0 to 1. A polygon without area counts by its centre.
pub(super) fn overlap(polygon: &[Point], area: Rectangle) -> f32 {
    let whole = size(polygon);
    if whole > 1e-6 {
        return size(&clip(polygon, area)) / whole;
    }
    let count = polygon.len().max(1) as f32;
    let sum = polygon.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    f32::from(u8::from(holds(area, (sum.0 / count, sum.1 / count))))
}

/// The parts of a polygon outside of a rectangle.
pub(super) fn outside(polygon: &[Point], area: Rectangle) -> Vec<Vec<Point>> {
    let Rectangle { left, bottom, right, top } = area;
    let around = [
        Rectangle { left: -FAR, bottom: -FAR, right: left, top: FAR },
        Rectangle { left: right, bottom: -FAR, right: FAR, top: FAR },
        Rectangle { left, bottom: -FAR, right, top: bottom },
        Rectangle { left, bottom: top, right, top: FAR },
    ];
    around.into_iter().map(|part| clip(polygon, part)).filter(|part| part.len() > 2).collect()
}

/// The parts of a line outside of a rectangle.
pub(super) fn line_outside((from, to): (Point, Point), area: Rectangle) -> Vec<(Point, Point)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enters, mut leaves) = (0.0f32, 1.0f32);
    let sides =
        [(-dx, from.0 - area.left), (dx, area.right - from.0), (-dy, from.1 - area.bottom), (dy, area.top - from.1)];
    for (speed, distance) in sides {
        if speed == 0.0 {
            if distance <= 0.0 {
                return vec![(from, to)];
            }
        } else if speed < 0.0 {
            enters = enters.max(distance / speed);
        } else {
            leaves = leaves.min(distance / speed);
        }
    }
    if enters >= leaves {
        return vec![(from, to)];
    }
    let at = |part: f32| (from.0 + part * dx, from.1 + part * dy);
    let mut parts = Vec::new();
    if enters > 0.0 {
        parts.push((from, at(enters)));
    }
    if leaves < 1.0 {
        parts.push((at(leaves), to));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rectangle = Rectangle { left: 2.0, bottom: 2.0, right: 4.0, top: 4.0 };

    #[test]
    fn what_is_outside_is_all_that_is_not_inside() {
        let square = [(0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0)];
        assert!((overlap(&square, AREA) - 4.0 / 36.0).abs() < 1e-6);
        let left: f32 = outside(&square, AREA).iter().map(|part| size(part)).sum();
        assert!((left - 32.0).abs() < 1e-4);
        assert!((overlap(&[(3.0, 3.0); 4], AREA) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn lines_are_cut_where_they_enter_and_leave() {
        assert_eq!(line_outside(((0.0, 3.0), (6.0, 3.0)), AREA), [((0.0, 3.0), (2.0, 3.0)), ((4.0, 3.0), (6.0, 3.0))]);
        assert_eq!(line_outside(((0.0, 5.0), (6.0, 5.0)), AREA).len(), 1);
        assert_eq!(line_outside(((2.5, 3.0), (3.5, 3.0)), AREA), []);
    }

    #[test]
    fn an_inverse_undoes_its_matrix() {
        let matrix = Matrix([2.0, 1.0, -1.0, 3.0, 5.0, 7.0]);
        let (x, y) = matrix.then(inverse(matrix).unwrap()).apply(11.0, 13.0);
        assert!((x - 11.0).abs() < 1e-3 && (y - 13.0).abs() < 1e-3);
        assert_eq!(inverse(Matrix([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])), None);
    }
}
