//! Moving, scaling and rotating positions.

use super::rectangle::Rectangle;

/// `[a b c d e f]`, as for PDF's `cm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [f32; 6]);

impl Matrix {
    /// Moves to the right and up.
    pub fn translation(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// Enlarges by `factor`, around the origin.
    pub fn scale(factor: f32) -> Self {
        Self([factor, 0.0, 0.0, factor, 0.0, 0.0])
    }

    /// Counter-clockwise.
    pub fn rotation(degrees: f32) -> Self {
        let right_angle = |turned: f32| (turned.round() - turned).abs() < f32::EPSILON;
        let (sine, cosine) = degrees.to_radians().sin_cos();
        // Quarter turns are exact, so that rounding does not skew pages.
        let exact = right_angle(degrees / 90.0);
        let (sine, cosine) = if exact { (sine.round(), cosine.round()) } else { (sine, cosine) };
        Self([cosine, sine, -sine, cosine, 0.0, 0.0])
    }

    /// This one first, then `next`.
    pub fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [a2, b2, c2, d2, e2, f2]) = (self.0, next.0);
        Self([
            a * a2 + b * c2,
            a * b2 + b * d2,
            c * a2 + d * c2,
            c * b2 + d * d2,
            e * a2 + f * c2 + e2,
            e * b2 + f * d2 + f2,
        ])
    }

    /// The transformed point.
    pub fn apply(self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }

    /// The smallest upright rectangle around the transformed one.
    pub fn apply_to(self, rectangle: Rectangle) -> Rectangle {
        let Rectangle { left, bottom, right, top } = rectangle;
        let corners = [(left, bottom), (right, bottom), (left, top), (right, top)].map(|(x, y)| self.apply(x, y));
        Rectangle {
            left: corners.iter().map(|corner| corner.0).fold(f32::INFINITY, f32::min),
            bottom: corners.iter().map(|corner| corner.1).fold(f32::INFINITY, f32::min),
            right: corners.iter().map(|corner| corner.0).fold(f32::NEG_INFINITY, f32::max),
            top: corners.iter().map(|corner| corner.1).fold(f32::NEG_INFINITY, f32::max),
        }
    }

    /// As the operator `cm` takes it.
    pub fn operands(self) -> String {
        let [a, b, c, d, e, f] = self.0;
        format!("{a} {b} {c} {d} {e} {f}")
    }

    /// Fits a size into `cell`, centred.
    pub fn fit(inner: (f32, f32), cell: Rectangle) -> Self {
        let factor = (cell.width() / inner.0).min(cell.height() / inner.1);
        Self::scale(factor).then(Self::translation(
            cell.left + (cell.width() - inner.0 * factor) / 2.0,
            cell.bottom + (cell.height() - inner.1 * factor) / 2.0,
        ))
    }
}
