//! Paper sizes by name.

use serde::Deserialize;

/// A named size, in portrait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) enum Paper {
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    Letter,
    Legal,
    Tabloid,
    Ledger,
}

impl Paper {
    /// Width and height in points.
    pub(crate) const fn points(self) -> (f32, f32) {
        match self {
            Self::A0 => (2383.94, 3370.39),
            Self::A1 => (1683.78, 2383.94),
            Self::A2 => (1190.55, 1683.78),
            Self::A3 => (841.89, 1190.55),
            Self::A4 => (595.28, 841.89),
            Self::A5 => (419.53, 595.28),
            Self::A6 => (297.64, 419.53),
            Self::Letter => (612.0, 792.0),
            Self::Legal => (612.0, 1008.0),
            Self::Tabloid => (792.0, 1224.0),
            Self::Ledger => (1224.0, 792.0),
        }
    }
}
