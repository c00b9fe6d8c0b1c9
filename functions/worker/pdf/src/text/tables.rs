//! Finds tables by their rules, or by words that align in columns.

use crate::pdfium::Rect;

use super::order::{self, Line};
use super::words::Word;

/// The most rules of a page: finding those that touch takes quadratic time.
const RULES: usize = 1_500;
/// Rules within this distance, in points, count as one.
const NEAR: f32 = 3.0;

/// The edges of a ruled table's cells, from left to right and from top to bottom.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
}

impl Grid {
    pub(super) fn area(&self) -> Rect {
        let end = |edges: &[f32]| edges.last().copied().unwrap_or(0.0);
        let start = |edges: &[f32]| edges.first().copied().unwrap_or(0.0);
        Rect { x0: start(&self.xs), y0: start(&self.ys), x1: end(&self.xs), y1: end(&self.ys) }
    }

    /// The words of each cell, row by row. Empty rows and columns are left out.
    pub(super) fn fill(&self, words: Vec<Word>) -> Vec<Vec<Vec<Word>>> {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let mut cells = vec![vec![Vec::new(); columns]; rows];
        for word in words {
            let (x, y) = word.area.center();
            let column = self.xs.partition_point(|edge| *edge <= x).clamp(1, columns) - 1;
            let row = self.ys.partition_point(|edge| *edge <= y).clamp(1, rows) - 1;
            cells[row][column].push(word);
        }
        cells.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        let used: Vec<bool> = (0..columns).map(|column| cells.iter().any(|row| !row[column].is_empty())).collect();
        for row in &mut cells {
            let mut column = 0;
            row.retain(|_| {
                column += 1;
                used[column - 1]
            });
        }
        cells
    }
}

struct Horizontal {
    x0: f32,
    x1: f32,
    y: f32,
}

struct Vertical {
    x: f32,
    y0: f32,
    y1: f32,
}

/// Finds the grids on a page from the outlines of its paths.
pub(super) fn grids(paths: &[Rect], (width, height): (f32, f32)) -> Vec<Grid> {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for path in paths {
        let (w, h) = (path.width(), path.height());
        if across.len() + down.len() > RULES {
            return Vec::new();
        }
        // The page's background is not a cell.
        if w > width * 0.97 && h > height * 0.97 {
            continue;
        }
        if h < NEAR && w > 15.0 {
            across.push(Horizontal { x0: path.x0, x1: path.x1, y: path.center().1 });
        } else if w < NEAR && h > 6.0 {
            down.push(Vertical { x: path.center().0, y0: path.y0, y1: path.y1 });
        } else if w > 15.0 && h > 6.0 {
            across.extend([path.y0, path.y1].map(|y| Horizontal { x0: path.x0, x1: path.x1, y }));
            down.extend([path.x0, path.x1].map(|x| Vertical { x, y0: path.y0, y1: path.y1 }));
        }
    }
    // Short rules are dropped above, but a column's rule may consist of pieces as high as its rows.
    let mut groups = Groups::new(across.len() + down.len());
    for (i, rule) in across.iter().enumerate() {
        for (j, other) in down.iter().enumerate() {
            let touches = rule.x0 - 2.0 <= other.x
                && other.x <= rule.x1 + 2.0
                && other.y0 - 2.0 <= rule.y
                && rule.y <= other.y1 + 2.0;
            if touches {
                groups.unite(i, across.len() + j);
            }
        }
    }
    let mut found: Vec<(usize, Vec<f32>, Vec<f32>)> = Vec::new();
    let mut add = |group: usize, x: Option<f32>, y: Option<f32>| match found.iter_mut().find(|known| known.0 == group) {
        Some((_, xs, ys)) => {
            xs.extend(x);
            ys.extend(y);
        }
        None => found.push((group, x.into_iter().collect(), y.into_iter().collect())),
    };
    for (i, rule) in across.iter().enumerate() {
        add(groups.root(i), None, Some(rule.y));
    }
    for (j, rule) in down.iter().enumerate() {
        add(groups.root(across.len() + j), Some(rule.x), None);
    }
    let grids = found.into_iter().map(|(_, xs, ys)| Grid { xs: distinct(xs), ys: distinct(ys) });
    grids.filter(|grid| grid.xs.len() >= 3 && grid.ys.len() >= 3).collect()
}

/// The grids without frames, largest first. A grid is a frame if most of its words are in other grids; if not, these are parts of
/// its cells.
pub(super) fn without_frames(mut grids: Vec<Grid>, words: &[Word]) -> Vec<Grid> {
    grids.sort_by(|a, b| size(&b.area()).total_cmp(&size(&a.area())));
    let mut counts = vec![Words::default(); grids.len()];
    for word in words {
        let mut inner = false;
        for (grid, count) in grids.iter().zip(&mut counts).rev() {
            if grid.area().contains(word.area.center()) {
                count.all += 1;
                count.in_others += usize::from(std::mem::replace(&mut inner, true));
            }
        }
    }
    let is_frame = |count: &Words| count.in_others * 2 > count.all;
    grids.into_iter().zip(counts).filter(|(_, count)| !is_frame(count)).map(|(grid, _)| grid).collect()
}

/// How many words a grid holds, and how many of these are in smaller grids, too.
#[derive(Clone, Debug, Default)]
struct Words {
    all: usize,
    in_others: usize,
}

fn size(area: &Rect) -> f32 {
    area.width() * area.height()
}

fn distinct(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_by(f32::total_cmp);
    values.dedup_by(|next, kept| *next - *kept <= NEAR);
    values
}

/// Groups of rules that touch.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
    }
}

/// Splits a line's words at wide gaps.
pub(super) fn cells(line: &Line) -> Vec<Vec<Word>> {
    let mut cells: Vec<Vec<Word>> = Vec::new();
    for word in &line.words {
        let gap = cells
            .last()
            .and_then(|cell| cell.last())
            .map(|last| if line.rtl { last.area.x0 - word.area.x1 } else { word.area.x0 - last.area.x1 });
        match (gap, cells.last_mut()) {
            (Some(gap), Some(cell)) if gap < word.size * 1.1 => cell.push(word.clone()),
            _ => cells.push(vec![word.clone()]),
        }
    }
    cells
}

/// The number of lines at the start that form a table without rules, and its cells. `None` without a table.
pub(super) fn unruled<'l>(mut lines: impl Iterator<Item = &'l Line>) -> Option<(usize, Vec<Vec<Vec<Word>>>)> {
    let mut above = lines.next()?;
    let first = cells(above);
    if first.len() < 2 {
        return None;
    }
    let mut rows = vec![first];
    let mut taken = 1;
    for line in lines {
        let size = line.size();
        let gap = line.area.y0 - std::mem::replace(&mut above, line).area.y1;
        if gap > size * 1.5 {
            break;
        }
        let next = cells(line);
        if next.len() >= 2 {
            rows.push(next);
        } else if let (Some(row), [cell]) = (rows.last_mut(), next.as_slice()) {
            // A continued cell lies right below its start, and never in the first column.
            let start = cell.first().map_or(0.0, |word| word.area.x0);
            let column =
                row.iter().skip(1).position(|above| above.first().is_some_and(|w| (w.area.x0 - start).abs() < size));
            match column.and_then(|column| row.get_mut(column + 1)) {
                Some(above) if gap < size * 0.5 => above.extend(cell.iter().cloned()),
                _ => break,
            }
        }
        taken += 1;
    }
    let columns = columns(&rows);
    let wide = rows.iter().filter(|row| row.len() == columns.len()).count();
    let enough = (rows.len() >= 3 || rows.len() == 2 && columns.len() >= 3) && wide * 2 >= rows.len();
    if columns.len() < 2 || !enough {
        return None;
    }
    let place = |row: Vec<Vec<Word>>| {
        let mut placed = vec![Vec::new(); columns.len()];
        for cell in row {
            let start = cell.first().map_or(0.0, |word| word.area.x0);
            let column = columns.iter().position(|column| start < column.1).unwrap_or(columns.len() - 1);
            placed[column].extend(cell);
        }
        placed
    };
    Some((taken, rows.into_iter().map(place).collect()))
}

/// The extents of the columns: overlapping cells share one.
fn columns(rows: &[Vec<Vec<Word>>]) -> Vec<(f32, f32)> {
    let mut spans: Vec<(f32, f32)> = rows
        .iter()
        .flatten()
        .filter_map(|cell| {
            let area = cell.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
            Some((area.x0, area.x1))
        })
        .collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    for (from, to) in spans {
        match columns.last_mut() {
            Some(last) if from < last.1 => last.1 = last.1.max(to),
            _ => columns.push((from, to)),
        }
    }
    columns
}

/// The words of a cell as lines.
pub(super) fn cell_lines(cell: Vec<Word>) -> Vec<Line> {
    order::lines(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_touch_make_a_grid() {
        let rule = |y: f32| Rect { x0: 50.0, y0: y, x1: 250.0, y1: y + 0.5 };
        let bar = |x: f32| Rect { x0: x, y0: 100.0, x1: x + 0.5, y1: 160.0 };
        let far = Rect { x0: 50.0, y0: 500.0, x1: 250.0, y1: 500.5 };
        let paths = [rule(100.0), rule(130.0), rule(160.0), bar(50.0), bar(150.0), bar(250.0), far];
        let found = grids(&paths, (600.0, 800.0));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].xs.len(), found[0].ys.len()), (3, 3));
    }

    #[test]
    fn a_frame_is_no_table() {
        assert_eq!(grids(&[Rect { x0: 50.0, y0: 50.0, x1: 300.0, y1: 300.0 }], (600.0, 800.0)), []);
    }
}
