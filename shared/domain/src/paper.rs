//! Paper sizes by name.

use serde::Deserialize;

/// A named size, in portrait; `Ledger` is `Tabloid` in landscape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Paper {
    /// 841 × 1189 mm.
    A0,
    /// 594 × 841 mm.
    A1,
    /// 420 × 594 mm.
    A2,
    /// 297 × 420 mm.
    A3,
    /// 210 × 297 mm.
    A4,
    /// 148 × 210 mm.
    A5,
    /// 105 × 148 mm.
    A6,
    /// 8.5 × 11 in.
    Letter,
    /// 8.5 × 14 in.
    Legal,
    /// 11 × 17 in.
    Tabloid,
    /// 17 × 11 in.
    Ledger,
}

impl Paper {
    /// Width and height.
    pub const fn millimetres(self) -> (f64, f64) {
        match self {
            Self::A0 => (841.0, 1189.0),
            Self::A1 => (594.0, 841.0),
            Self::A2 => (420.0, 594.0),
            Self::A3 => (297.0, 420.0),
            Self::A4 => (210.0, 297.0),
            Self::A5 => (148.0, 210.0),
            Self::A6 => (105.0, 148.0),
            Self::Letter => (215.9, 279.4),
            Self::Legal => (215.9, 355.6),
            Self::Tabloid => (279.4, 431.8),
            Self::Ledger => (431.8, 279.4),
        }
    }

    /// Width and height in points, as PDF files have them: with two decimals.
    pub fn points(self) -> (f32, f32) {
        let points = |millimetres: f64| ((millimetres / 25.4 * 7200.0).round() / 100.0) as f32;
        let (width, height) = self.millimetres();
        (points(width), points(height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_points_are_the_usual_ones() {
        assert_eq!(Paper::A4.points(), (595.28, 841.89));
        assert_eq!(Paper::A0.points(), (2383.94, 3370.39));
        assert_eq!(Paper::A3.points(), (841.89, 1190.55));
        assert_eq!(Paper::A5.points(), (419.53, 595.28));
        assert_eq!(Paper::Legal.points(), (612.0, 1008.0));
        assert_eq!(Paper::Letter.points(), (612.0, 792.0));
        assert_eq!(Paper::Ledger.points(), (1224.0, 792.0));
    }
}
