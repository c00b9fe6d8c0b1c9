//! Where marks go on pages.

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::pixels::whole;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::space::PageSpace;

use super::look::{Look, Position};
use super::mark::Mark;

/// Space between tiles, in tile heights.
const TILE_GAP: f32 = 1.0;
/// The most tiles on one page.
const MOST_TILES: f32 = 400.0;

/// Where the mark's box goes, in page units: one place, or one for each tile.
pub(super) fn place(look: &Look, mark: &Mark, space: PageSpace) -> Vec<Matrix> {
    let turned = Matrix::rotation(look.rotation);
    let (width, height) = space.size();
    let (page, shown) = (Rectangle::of_size(width, height), space.shown_to_page());
    let bounds = turned.apply_to(Rectangle::of_size(mark.width, mark.height));
    let (inner_width, inner_height) = (page.width() - 2.0 * look.margin, page.height() - 2.0 * look.margin);
    let fits = (inner_width / bounds.width()).min(inner_height / bounds.height());
    let factor = if mark.shrinks && look.position != Position::Tile { fits.clamp(0.05, 1.0) } else { 1.0 };
    let box_matrix = turned.then(Matrix::scale(factor));
    let bounds = box_matrix.apply_to(Rectangle::of_size(mark.width, mark.height));
    let at = |left: f32, bottom: f32| {
        box_matrix.then(Matrix::translation(left - bounds.left, bottom - bounds.bottom)).then(shown)
    };
    let Some((column, row)) = look.position.cell() else { return tiles(mark, bounds, page, at) };
    let along = |cell: f32, length: f32, own: f32| {
        let free = length - own;
        // Keep the margin at an edge, unless there is less room.
        look.margin.min(free / 2.0) * (1.0 - cell) + (free - look.margin.min(free / 2.0)) * cell
    };
    vec![at(along(column, page.width(), bounds.width()), along(row, page.height(), bounds.height()))]
}

impl Position {
    /// Share of the free space to the left and below: 0, 0.5 or 1.
    const fn cell(self) -> Option<(f32, f32)> {
        Some(match self {
            Self::TopLeft => (0.0, 1.0),
            Self::Top => (0.5, 1.0),
            Self::TopRight => (1.0, 1.0),
            Self::Left => (0.0, 0.5),
            Self::Center => (0.5, 0.5),
            Self::Right => (1.0, 0.5),
            Self::BottomLeft => (0.0, 0.0),
            Self::Bottom => (0.5, 0.0),
            Self::BottomRight => (1.0, 0.0),
            Self::Tile => return None,
        })
    }
}

/// Tiles over the whole page; every other row is shifted by half a tile.
fn tiles(mark: &Mark, bounds: Rectangle, page: Rectangle, at: impl Fn(f32, f32) -> Matrix) -> Vec<Matrix> {
    let gap = TILE_GAP * mark.height.min(mark.width);
    let (mut step_x, mut step_y) = (bounds.width() + gap, bounds.height() + gap);
    let tiles = (page.width() / step_x + 2.0) * (page.height() / step_y + 1.0);
    if tiles > MOST_TILES {
        let apart = (tiles / MOST_TILES).sqrt() * 1.1;
        (step_x, step_y) = (step_x * apart, step_y * apart);
    }
    let rows = whole((page.height() / step_y).ceil()) as usize;
    let columns = whole((page.width() / step_x).ceil()) as usize + 1;
    let positions = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    positions
        .map(|(row, column)| {
            let shift = if row % 2 == 1 { -step_x / 2.0 } else { 0.0 };
            at(column as f32 * step_x + shift, row as f32 * step_y + gap / 2.0)
        })
        .collect()
}
