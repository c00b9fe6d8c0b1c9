//! Drawn lines that part text. In points from the upper left corner.

use serde::{Deserialize, Serialize};

/// A rule across the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Horizontal {
    pub x0: f32,
    pub x1: f32,
    pub y: f32,
}

/// A rule down the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vertical {
    pub x: f32,
    pub y0: f32,
    pub y1: f32,
}
