//! Drawn lines that part text. In points from the upper left corner.

use serde::{Deserialize, Serialize};

/// A rule across the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Horizontal {
    /// Its left end.
    pub x0: f32,
    /// Its right end.
    pub x1: f32,
    /// How far down it is.
    pub y: f32,
}

/// A rule down the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vertical {
    /// How far to the right it is.
    pub x: f32,
    /// Its upper end.
    pub y0: f32,
    /// Its lower end.
    pub y1: f32,
}
