//! How a mark looks, and where it goes.

use docmill_pdf_structure::overlay::Layer;
use serde::Deserialize;

/// A mark's look and place.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) position: Position,
    pub(super) margin: f32,
    pub(super) opacity: f32,
    pub(super) rotation: f32,
    /// In points. `None`: the usual size of a watermark, or less if that does not fit.
    pub(super) font_size: Option<f32>,
    pub(super) color: String,
    pub(super) width: Option<f32>,
    pub(super) pages: Option<String>,
    pub(super) layer: Layer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Position {
    TopLeft,
    Top,
    TopRight,
    Left,
    Center,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
    Tile,
}
