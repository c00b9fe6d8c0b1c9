//! Where two pictures differ.

use docmill_pdf_core::pdfium::{Bitmap, Rect};
use docmill_pdf_core::pixels::whole;

/// Colors that differ by more than this in one component look different to a reader.
const APART: u8 = 48;
/// The side of the compared squares in points, and how many pixels of one must differ.
const SQUARE: f32 = 6.0;
const DIFFERENT_PIXELS: u32 = 2;
/// Most areas of a page. If there are more, one area contains all changes.
const MOST_AREAS: usize = 200;

/// A page's picture on white, which may be larger than the page.
pub(crate) struct Picture {
    pub(crate) bitmap: Bitmap,
}

impl Picture {
    /// Puts a picture into the top left corner of a larger white one.
    pub(crate) fn on_canvas(bitmap: Bitmap, width: u32, height: u32) -> Self {
        if (bitmap.width, bitmap.height) == (width, height) {
            return Self { bitmap };
        }
        let row = width as usize * 4;
        let mut data = vec![255; row * height as usize];
        let own = bitmap.width as usize * 4;
        for (to, from) in data.chunks_exact_mut(row).zip(bitmap.data.chunks_exact(own)) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        }
        Self { bitmap: Bitmap { width, height, data, transparent: false } }
    }

    /// Whether a color differs from all others around this place, and from the shades between them. A line that moves by less
    /// than a pixel has other shades at its edges but counts as unchanged.
    fn lacks(&self, color: [u8; 3], x: usize, y: usize) -> bool {
        let (width, height) = (self.bitmap.width as usize, self.bitmap.height as usize);
        let around = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
        let (mut least, mut most) = ([u8::MAX; 3], [0; 3]);
        for y in around(y, height) {
            for x in around(x, width) {
                let at = (y * width + x) * 4;
                let color = self.bitmap.data.get(at..at + 3).unwrap_or_default();
                for ((least, most), part) in least.iter_mut().zip(&mut most).zip(color) {
                    (*least, *most) = ((*least).min(*part), (*most).max(*part));
                }
            }
        }
        let range = least.iter().zip(most);
        color
            .iter()
            .zip(range)
            .any(|(part, (least, most))| *part < least.saturating_sub(APART) || *part > most.saturating_add(APART))
    }
}

/// The areas that differ between two pictures of one size, in points from the top left corner, from top to bottom.
pub(crate) fn areas(before: &Picture, after: &Picture, dpi: f32) -> Vec<Rect> {
    let (width, height) = (before.bitmap.width as usize, before.bitmap.height as usize);
    if (after.bitmap.width, after.bitmap.height) != (before.bitmap.width, before.bitmap.height) {
        return Vec::new();
    }
    let side = whole((SQUARE * dpi / 72.0).round()).max(2) as usize;
    let mut grid = Grid::new(width.div_ceil(side), height.div_ceil(side));
    let row = width * 4;
    let rows = before.bitmap.data.chunks_exact(row).zip(after.bitmap.data.chunks_exact(row));
    for (y, (one, other)) in rows.enumerate().filter(|(_, (one, other))| one != other) {
        let (one, other) = (one.as_chunks::<4>().0, other.as_chunks::<4>().0);
        for (x, (&[a @ .., _], &[b @ .., _])) in one.iter().zip(other).enumerate() {
            let differs = a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > APART);
            if differs && (after.lacks(a, x, y) || before.lacks(b, x, y)) {
                grid.count(x / side, y / side);
            }
        }
    }
    let points = |pixels: usize| pixels as f32 * 72.0 / dpi;
    let rect = |area: Area| Rect {
        x0: points(area.left * side),
        y0: points(area.top * side),
        x1: points((area.right * side).min(width)),
        y1: points((area.bottom * side).min(height)),
    };
    grid.areas().into_iter().map(rect).collect()
}

/// Squares over a picture, with the number of pixels that differ in each.
struct Grid {
    columns: usize,
    rows: usize,
    squares: Vec<u32>,
}

/// Squares from `left` to `right`, excluding the latter.
#[derive(Clone, Copy)]
struct Area {
    left: usize,
    top: usize,
    right: usize,
    bottom: usize,
}

impl Grid {
    fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, squares: vec![0; columns * rows] }
    }

    fn count(&mut self, column: usize, row: usize) {
        if let Some(square) = self.squares.get_mut(row * self.columns + column) {
            *square += 1;
        }
    }

    /// Boxes around changed squares that touch or have one square between them.
    fn areas(mut self) -> Vec<Area> {
        let mut found = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                if self.take(column, row) {
                    found.push(self.follow(column, row));
                }
            }
        }
        if found.len() > MOST_AREAS {
            found = found.into_iter().reduce(Area::union).into_iter().collect();
        }
        found
    }

    /// Whether this square has changed. Also removes it from the grid.
    fn take(&mut self, column: usize, row: usize) -> bool {
        let square = self.squares.get_mut(row * self.columns + column);
        square.is_some_and(|count| std::mem::take(count) >= DIFFERENT_PIXELS)
    }

    fn follow(&mut self, column: usize, row: usize) -> Area {
        let mut area = Area { left: column, top: row, right: column + 1, bottom: row + 1 };
        let mut open = vec![(column, row)];
        while let Some((column, row)) = open.pop() {
            area = area.union(Area { left: column, top: row, right: column + 1, bottom: row + 1 });
            for near_row in row.saturating_sub(2)..(row + 3).min(self.rows) {
                for near_column in column.saturating_sub(2)..(column + 3).min(self.columns) {
                    if self.take(near_column, near_row) {
                        open.push((near_column, near_row));
                    }
                }
            }
        }
        area
    }
}

impl Area {
    fn union(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A white picture with black boxes: left, top, width, height.
    fn picture(boxes: &[(u32, u32, u32, u32)]) -> Picture {
        let (width, height) = (200, 100);
        let mut data = vec![255; (width * height * 4) as usize];
        for (left, top, wide, high) in boxes {
            for y in *top..top + high {
                for x in *left..left + wide {
                    let at = ((y * width + x) * 4) as usize;
                    data[at..at + 3].fill(0);
                }
            }
        }
        Picture { bitmap: Bitmap { width, height, data, transparent: false } }
    }

    #[test]
    fn each_change_has_its_area() {
        let (before, after) = (picture(&[(10, 10, 20, 20)]), picture(&[(10, 10, 20, 20), (120, 60, 30, 12)]));
        let found = areas(&before, &after, 72.0);
        assert_eq!(found.len(), 1, "{found:?}");
        let area = &found[0];
        assert!(area.x0 <= 120.0 && area.x1 >= 150.0 && area.y0 <= 60.0 && area.y1 >= 72.0, "{area:?}");
        assert!(area.x0 > 110.0 && area.x1 < 160.0 && area.y0 > 50.0 && area.y1 < 82.0, "{area:?}");
        let two = areas(&picture(&[(10, 10, 9, 9), (150, 80, 9, 9)]), &picture(&[]), 72.0);
        assert_eq!(two.len(), 2);
    }

    #[test]
    fn equal_pictures_and_tiny_shifts_have_no_areas() {
        let drawn = picture(&[(10, 10, 20, 20)]);
        assert!(areas(&drawn, &picture(&[(10, 10, 20, 20)]), 72.0).is_empty());
        assert!(areas(&drawn, &picture(&[(11, 10, 20, 20)]), 72.0).is_empty());
        assert!(!areas(&drawn, &picture(&[(15, 10, 20, 20)]), 72.0).is_empty());
    }

    #[test]
    fn a_smaller_page_is_compared_on_white() {
        let small = Bitmap { width: 100, height: 50, data: vec![255; 100 * 50 * 4], transparent: false };
        assert!(areas(&picture(&[]), &Picture::on_canvas(small, 200, 100), 72.0).is_empty());
    }
}
