//! Affine maps of a page's space (ISO 32000-1, 8.3.4).

use lopdf::Object;

/// `[a b c d e f]`: maps (x, y) to (ax + cy + e, bx + dy + f).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The matrix of six operands. `None` for others.
    pub(super) fn of(operands: &[Object]) -> Option<Self> {
        let numbers: Vec<f64> = operands.iter().filter_map(number).collect();
        numbers.try_into().ok().map(Self)
    }

    pub(super) const fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This map, and then the other.
    pub(super) fn then(self, Self([a, b, c, d, e, f]): Self) -> Self {
        let [p, q, r, s, t, u] = self.0;
        Self([p * a + q * c, p * b + q * d, r * a + s * c, r * b + s * d, t * a + u * c + e, t * b + u * d + f])
    }

    /// The height of a point's image.
    pub(super) fn height(self, (x, y): (f64, f64)) -> f64 {
        let [_, b, _, d, _, f] = self.0;
        b * x + d * y + f
    }
}

pub(super) fn number(object: &Object) -> Option<f64> {
    match object {
        Object::Integer(number) => Some(*number as f64),
        Object::Real(number) => Some(f64::from(*number)),
        Object::Null
        | Object::Boolean(_)
        | Object::Name(_)
        | Object::String(..)
        | Object::Array(_)
        | Object::Dictionary(_)
        | Object::Stream(_)
        | Object::Reference(_) => None,
    }
}
