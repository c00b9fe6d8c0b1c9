//! Finds the grids that drawn rules make.

use std::collections::BTreeMap;

use docmill_pdf_core::pdfium::Rect;

use super::super::rules::{Horizontal, Vertical};
use super::ruled::{Grid, NEAR, Ruling};
use super::seams;

/// The most rules of a page: finding those that touch takes quadratic time.
const RULES: usize = 1_500;
/// How far a shade behind text is from the sides of its cell, in points; its share of the cell's width; and how much taller that may be.
const INSET: std::ops::Range<f32> = NEAR..10.0;
const SHADE: f32 = 0.6;
const TALLER: f32 = 6.0;
/// Most paths of a page among which pieces of shaded rows are looked for, and most pieces of rules.
const PIECES: usize = 5_000;
/// A grid is open where at least so many rules reach so far beyond it, in points.
const OPEN_RULES: usize = 2;
const OPEN: f32 = 12.0;
/// Shorter rules and smaller boxes, in points, are no edges of cells. Shorter pieces are not looked at.
pub(super) const NARROWEST: f32 = 15.0;
pub(super) const LOWEST: f32 = 6.0;
const SHORTEST: f32 = 1.0;
/// Pieces of one rule differ by that much at most, in points.
pub(super) const ON_LINE: f32 = 1.0;

/// A piece of a rule: how far down or to the right it is, and where it begins and ends.
pub(super) type Piece = (f32, f32, f32);

/// Finds the grids on a page from the outlines of its paths.
pub fn grids(paths: &[Rect], (width, height): (f32, f32)) -> Ruling {
    let (mut across, mut down): (Vec<Piece>, Vec<Piece>) = (Vec::new(), Vec::new());
    // Of boxes, which may be shades: they may be parted where cells are not.
    let (mut sides_across, mut sides_down) = (Vec::new(), Vec::new());
    for path in &with_bands(paths) {
        let (w, h) = (path.width(), path.height());
        if across.len() + down.len() + sides_down.len() * 2 > PIECES {
            return Ruling::default();
        }
        // The page's background is not a cell.
        if w > width * 0.97 && h > height * 0.97 {
            continue;
        }
        if h < NEAR && w > NEAR {
            across.push((path.center().1, path.x0, path.x1));
        } else if w < NEAR && h > SHORTEST {
            down.push((path.center().0, path.y0, path.y1));
        } else if w > NARROWEST && h > LOWEST {
            sides_across.extend([path.y0, path.y1].map(|y| (y, path.x0, path.x1)));
            sides_down.extend([path.x0, path.x1].map(|x| (x, path.y0, path.y1)));
        }
    }
    let (edges, rows) = (seams::columns(&across, &down), seams::rows(&down));
    across.extend(sides_across);
    down.extend(sides_down.into_iter().chain(edges.iter().copied()));
    let across: Vec<Horizontal> =
        joined(across, NARROWEST).into_iter().map(|(y, x0, x1)| Horizontal { x0, x1, y }).collect();
    let down: Vec<Vertical> = joined(down, LOWEST).into_iter().map(|(x, y0, y1)| Vertical { x, y0, y1 }).collect();
    if across.len() + down.len() > RULES {
        return Ruling::default();
    }
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
    let mut found: BTreeMap<usize, (Vec<Horizontal>, Vec<Vertical>)> = BTreeMap::new();
    let count = across.len();
    for (at, rule) in across.into_iter().enumerate() {
        found.entry(groups.root(at)).or_default().0.push(rule);
    }
    for (at, rule) in down.into_iter().enumerate() {
        found.entry(groups.root(count + at)).or_default().1.push(rule);
    }
    let mut ruling = Ruling::default();
    for (across, down) in found.into_values() {
        let mut xs = distinct(down.iter().map(|rule| rule.x).collect());
        let mut ys = distinct(across.iter().map(|rule| rule.y).collect());
        extend(&mut xs, across.iter().map(|rule| (rule.x0, rule.x1)));
        extend(&mut ys, down.iter().map(|rule| (rule.y0, rule.y1)));
        if xs.len() >= 3 && ys.len() >= 3 {
            let seams = between(&rows, &xs, &ys);
            let is_sewn = down.iter().all(|rule| edges.iter().any(|(x, ..)| (x - rule.x).abs() <= NEAR));
            ruling.grids.push(Grid { xs, ys, across, down, seams, is_sewn });
            continue;
        }
        ruling.rules.extend(across.iter().cloned());
        if xs.len() >= 3 && ys.len() == 2 {
            ruling.rows.push(Grid { xs, ys, across, down, seams: Vec::new(), is_sewn: false });
        }
    }
    ruling
}

/// The edges of rows over the whole width of a grid that are not where rules across are.
fn between(rows: &[Piece], xs: &[f32], ys: &[f32]) -> Vec<f32> {
    let (Some(x0), Some(x1)) = (xs.first(), xs.last()) else { return Vec::new() };
    let is_ruled = |y: f32| ys.iter().any(|edge| (edge - y).abs() <= 2.0 * LOWEST);
    let is_whole = |(y, from, to): &&Piece| *from <= x0 + NEAR && *to >= x1 - NEAR && !is_ruled(*y);
    distinct(rows.iter().filter(is_whole).map(|(y, _, _)| *y).collect())
}

/// The paths without shades behind lines of text, and with each narrow box joined to the wider one that it touches in its row: some
/// programs shade rows in pieces.
fn with_bands(paths: &[Rect]) -> Vec<Rect> {
    if paths.len() > PIECES {
        return paths.to_vec();
    }
    let is_box = |path: &Rect| path.width() >= NEAR && path.height() > LOWEST;
    // Shades behind the lines of a cell's text.
    let is_shade = |path: &Rect| {
        let is_around = |cell: &Rect| {
            let (left, right) = (path.x0 - cell.x0, cell.x1 - path.x1);
            (cell.y0 - ON_LINE..cell.y1).contains(&path.y0)
                && path.y1 <= cell.y1 + ON_LINE
                && INSET.contains(&left)
                && INSET.contains(&right)
                && path.width() > cell.width() * SHADE
                && cell.height() < path.height() * TALLER
        };
        is_box(path) && paths.iter().any(|cell| is_box(cell) && is_around(cell))
    };
    let (narrow, mut joined): (Vec<Rect>, Vec<Rect>) =
        paths.iter().filter(|path| !is_shade(path)).partition(|path| is_box(path) && path.width() <= NARROWEST);
    for piece in narrow {
        let is_beside = |other: &&mut Rect| {
            is_box(other)
                && (other.y0 - piece.y0).abs() <= ON_LINE
                && (other.y1 - piece.y1).abs() <= ON_LINE
                && other.x0 - ON_LINE <= piece.x1
                && piece.x0 <= other.x1 + ON_LINE
        };
        if let Some(other) = joined.iter_mut().find(is_beside) {
            *other = other.union(&piece);
        }
    }
    joined
}

/// Adds the ends of a grid that is open there: several rules reach beyond the last that crosses them.
fn extend(edges: &mut Vec<f32>, rules: impl Iterator<Item = (f32, f32)> + Clone) {
    let (Some(first), Some(last)) = (edges.first().copied(), edges.last().copied()) else { return };
    let start = rules.clone().map(|rule| rule.0).fold(f32::INFINITY, f32::min);
    let end = rules.clone().map(|rule| rule.1).fold(f32::NEG_INFINITY, f32::max);
    let at_start = rules.clone().filter(|rule| rule.0 - start <= NEAR).count();
    let at_end = rules.filter(|rule| end - rule.1 <= NEAR).count();
    if start < first - OPEN && at_start >= OPEN_RULES {
        edges.insert(0, start);
    }
    if end > last + OPEN && at_end >= OPEN_RULES {
        edges.push(end);
    }
}

/// Joins the pieces on one line that touch: many programs draw a rule in pieces as wide as a column or as high as a row, and short ones
/// for the space around text. What is not longer than `shortest` then is no rule.
fn joined(mut pieces: Vec<Piece>, shortest: f32) -> Vec<Piece> {
    pieces.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut joined: Vec<Piece> = Vec::new();
    for (at, from, to) in pieces {
        let mut on_line = joined.iter_mut().rev().take_while(|last| at - last.0 <= ON_LINE);
        match on_line.find(|last| from <= last.2 + NEAR && last.1 <= to + NEAR) {
            Some(last) => (last.1, last.2) = (last.1.min(from), last.2.max(to)),
            None => joined.push((at, from, to)),
        }
    }
    joined.retain(|(_, from, to)| to - from > shortest);
    joined
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
        while let Some(parent) = self.0.get(at).copied()
            && parent != at
        {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(own) = self.0.get_mut(at) {
                *own = above;
            }
            at = above;
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(root) = self.0.get_mut(a) {
            *root = b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::words::Word;
    use super::*;

    #[test]
    fn lines_that_touch_make_a_grid() {
        let rule = |y: f32| Rect { x0: 50.0, y0: y, x1: 250.0, y1: y + 0.5 };
        let bar = |x: f32| Rect { x0: x, y0: 100.0, x1: x + 0.5, y1: 160.0 };
        let far = Rect { x0: 50.0, y0: 500.0, x1: 250.0, y1: 500.5 };
        let paths = [rule(100.0), rule(130.0), rule(160.0), bar(50.0), bar(150.0), bar(250.0), far];
        let found = grids(&paths, (600.0, 800.0));
        assert_eq!((found.grids.len(), found.rules.len()), (1, 1));
        assert_eq!((found.grids[0].xs.len(), found.grids[0].ys.len()), (3, 3));
    }

    #[test]
    fn a_frame_is_no_table() {
        assert!(grids(&[Rect { x0: 50.0, y0: 50.0, x1: 300.0, y1: 300.0 }], (600.0, 800.0)).grids.is_empty());
    }

    #[test]
    fn pieces_of_rules_as_wide_as_columns_and_as_high_as_lines_make_one_grid() {
        let across = |y: f32| [50.0, 150.0].map(|x| Rect { x0: x, y0: y, x1: x + 100.0, y1: y + 0.5 });
        // The middle of the three lines of the second row touches no rule across.
        let tops = [100.0, 112.0, 124.0, 136.0];
        let down =
            tops.iter().flat_map(|y| [50.0, 150.0, 250.0].map(|x| Rect { x0: x, y0: *y, x1: x + 0.5, y1: y + 12.0 }));
        let paths: Vec<Rect> = [100.0, 112.0, 148.0].into_iter().flat_map(across).chain(down).collect();
        let found = grids(&paths, (600.0, 800.0));
        assert_eq!((found.grids.len(), found.rows.len(), found.rules.len()), (1, 0, 0));
        assert_eq!((found.grids[0].xs.len(), found.grids[0].ys.len()), (3, 3));
    }

    #[test]
    fn a_grid_without_rules_at_its_sides_reaches_as_far_as_those_across() {
        let across = |y: f32| Rect { x0: 50.0, y0: y, x1: 350.0, y1: y + 0.5 };
        let down = |x: f32| Rect { x0: x, y0: 100.0, x1: x + 0.5, y1: 160.0 };
        let paths = [across(100.0), across(130.0), across(160.0), down(150.0), down(250.0)];
        let found = grids(&paths, (600.0, 800.0));
        let area = found.grids[0].area();
        assert_eq!((area.x0, area.x1, found.grids[0].xs.len()), (50.0, 350.0, 4));
    }

    #[test]
    fn a_row_that_is_shaded_in_pieces_is_whole() {
        let piece = |x0: f32, x1: f32, y: f32| Rect { x0, y0: y, x1, y1: y + 15.0 };
        let row = |y: f32| [piece(50.0, 200.0, y), piece(200.0, 208.0, y), piece(208.0, 300.0, y)];
        let paths = [row(100.0), row(130.0)].concat();
        let found = grids(&paths, (600.0, 800.0));
        let whole = |grid: &Grid| grid.across.iter().all(|rule| (rule.x0, rule.x1) == (50.0, 300.0));
        assert_eq!(found.rows.iter().map(whole).collect::<Vec<_>>(), [true, true]);
    }

    #[test]
    fn a_shade_behind_the_lines_of_a_cell_is_no_cell() {
        let cell = |x0: f32, y0: f32, y1: f32| Rect { x0, y0, x1: x0 + 100.0, y1 };
        let cells =
            [cell(50.0, 100.0, 140.0), cell(150.0, 100.0, 140.0), cell(50.0, 140.0, 180.0), cell(150.0, 140.0, 180.0)];
        let shades = [100.0, 113.0, 126.0].map(|y| Rect { x0: 55.0, y0: y, x1: 145.0, y1: y + 13.0 });
        let found = grids(&[&cells[..], &shades].concat(), (600.0, 800.0));
        assert_eq!(
            (&found.grids[0].xs[..], &found.grids[0].ys[..]),
            (&[50.0, 150.0, 250.0][..], &[100.0, 140.0, 180.0][..])
        );
    }

    #[test]
    fn pieces_too_short_for_rules_go_on_with_those_beside_them() {
        // As Word does: a piece for the space above the text of each row.
        let across = |y: f32| [50.0, 150.0].map(|x| Rect { x0: x, y0: y, x1: x + 100.0, y1: y + 0.5 });
        let down = |x: f32, y0: f32, y1: f32| Rect { x0: x, y0, x1: x + 0.5, y1 };
        let rows = [(100.5, 105.5), (105.5, 130.0), (130.0, 135.0), (135.0, 160.0)];
        let sides = rows.into_iter().flat_map(|(y0, y1)| [50.0, 150.0, 250.0].map(|x| down(x, y0, y1)));
        let paths: Vec<Rect> = [100.0, 130.0, 160.0].into_iter().flat_map(across).chain(sides).collect();
        let found = grids(&paths, (600.0, 800.0));
        assert_eq!((found.grids.len(), found.grids[0].ys.len(), found.grids[0].seams.len()), (1, 3, 0));
    }

    #[test]
    fn rules_in_pieces_for_each_cell_show_columns_and_rows() {
        let across = |y: f32| [50.0, 150.0].map(|x| Rect { x0: x, y0: y, x1: x + 100.0, y1: y + 0.5 });
        let paths: Vec<Rect> = [100.0, 130.0, 160.0, 190.0].into_iter().flat_map(across).collect();
        let found = grids(&paths, (600.0, 800.0));
        let area = found.grids[0].area();
        assert_eq!((area.x0, area.x1, found.grids[0].xs.len()), (50.0, 250.0, 3));

        let down = |y: f32| [50.0, 150.0, 250.0].map(|x| Rect { x0: x, y0: y, x1: x + 0.5, y1: y + 30.0 });
        let ends = [70.0, 100.0, 190.0].map(|y| Rect { x0: 50.0, y0: y, x1: 250.0, y1: y + 0.5 });
        let paths: Vec<Rect> = [70.0, 100.0, 130.0, 160.0].into_iter().flat_map(down).chain(ends).collect();
        let found = grids(&paths, (600.0, 800.0));
        assert_eq!(found.grids[0].seams, [130.0, 160.0]);
        let words =
            [("a", 60.0, 105.0), ("1", 160.0, 105.0), ("b", 60.0, 135.0), ("2", 160.0, 135.0), ("c", 60.0, 165.0)];
        let words = |last: f32| {
            let last = ("3", 160.0, last);
            words.into_iter().chain([last]).map(|(text, x, y)| Word::at(text, x, y, 10.0, false)).collect::<Vec<_>>()
        };
        let rows = |words: Vec<Word>| found.grids[0].table(words, Vec::new()).rows.len();
        // A part without a word in the second column is a line of a row. The row above is empty: low beside that one row.
        assert_eq!((rows(words(165.0)), rows(words(145.0))), (1 + 3, 1));
    }
}
