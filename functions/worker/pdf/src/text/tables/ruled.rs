//! Tables whose cells have rules around them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::pdfium::Rect;

use super::super::order;
use super::super::rules::{Horizontal, Vertical};
use super::super::words::Word;
use super::{Cell, Table};

/// The most rules of a page: finding those that touch takes quadratic time.
const RULES: usize = 1_500;
/// Rules within this distance, in points, count as one.
const NEAR: f32 = 3.0;
/// The share of a cell's side that a rule covers.
const COVERED: f32 = 0.5;
/// The least gap between words of two cells without a rule between them, in ems.
const GAP: f32 = 0.7;
/// Cells with more words are text.
const MOST_WORDS: usize = 500;
/// How far such a gap may be from the edge of its columns, in points.
const EDGE: f32 = 1.0;

/// The edges of a ruled table's cells, from left to right and from top to bottom, and the rules between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grid {
    pub xs: Vec<f32>,
    pub ys: Vec<f32>,
    pub across: Vec<Horizontal>,
    pub down: Vec<Vertical>,
}

/// What is ruled on a page: grids, and horizontal rules that belong to none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ruling {
    pub grids: Vec<Grid>,
    /// Grids of one row: the end of a table that began on the page before, or no table.
    pub rows: Vec<Grid>,
    pub rules: Vec<Horizontal>,
}

/// A grid that may be a table.
pub(crate) struct Ruled<'g> {
    pub area: Rect,
    grid: &'g Grid,
}

impl Ruled<'_> {
    /// Whether at least this share of its cells have text.
    pub(crate) fn is_filled(&self, words: &[Word], share: f32) -> bool {
        let cell = |word: &Word| {
            let (x, y) = word.area.center();
            let at = |edges: &[f32], value: f32| edges.partition_point(|edge| *edge <= value);
            (at(&self.grid.xs, x), at(&self.grid.ys, y))
        };
        let inside = words.iter().filter(|word| self.area.contains(word.area.center()));
        let filled: BTreeSet<(usize, usize)> = inside.map(cell).collect();
        let cells = (self.grid.xs.len() - 1) * (self.grid.ys.len() - 1);
        filled.len() as f32 >= cells as f32 * share
    }
}

impl Ruling {
    pub(crate) fn tables(&self) -> impl Iterator<Item = Ruled<'_>> {
        self.grids.iter().map(|grid| Ruled { area: grid.area(), grid })
    }

    /// Leaves out the rules and grids in an area.
    pub(crate) fn clear(&mut self, area: &Rect) {
        self.grids.retain(|grid| !area.contains(grid.area().center()));
        self.rows.retain(|grid| !area.contains(grid.area().center()));
        self.rules.retain(|rule| !area.contains((f32::midpoint(rule.x0, rule.x1), rule.y)));
    }
}

/// Edges between columns: a row, and the column to the left.
type Edges = BTreeSet<(usize, usize)>;

/// A cell of a grid before its words are known.
#[derive(Clone, Debug)]
struct Place {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
    words: Vec<Word>,
    turned: Vec<Word>,
}

impl Grid {
    pub(in crate::text) fn area(&self) -> Rect {
        let end = |edges: &[f32]| edges.last().copied().unwrap_or(0.0);
        let start = |edges: &[f32]| edges.first().copied().unwrap_or(0.0);
        Rect { x0: start(&self.xs), y0: start(&self.ys), x1: end(&self.xs), y1: end(&self.ys) }
    }

    /// The table with these words. Empty rows and columns are left out.
    /// `turned`: those that run in another direction, with their places in the direction of the others.
    pub(in crate::text) fn table(&self, words: Vec<Word>, turned: Vec<(Word, Rect)>) -> Table {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let (mut places, mut index) = self.places(&Edges::new());
        let edges = self.white_edges(&places, &index, &words);
        if !edges.is_empty() {
            (places, index) = self.places(&edges);
        }
        for word in words {
            if let Some(place) = self.place_of(&word.area, &index).and_then(|at| places.get_mut(at)) {
                place.words.push(word);
            }
        }
        for (word, area) in turned {
            if let Some(place) = self.place_of(&area, &index).and_then(|at| places.get_mut(at)) {
                place.turned.push(word);
            }
        }
        let filled = || places.iter().filter(|place| !place.words.is_empty() || !place.turned.is_empty());
        let used_columns: Vec<bool> = (0..columns).map(|at| filled().any(|place| place.column == at)).collect();
        let used_rows: Vec<bool> = (0..rows).map(|at| filled().any(|place| place.row == at)).collect();
        let count =
            |used: &[bool], from: usize, length: usize| used[from..from + length].iter().filter(|is| **is).count();
        let starts = self.xs.iter().zip(&used_columns).filter(|(_, is)| **is).map(|(x, _)| *x).collect();
        let mut table =
            Table { rows: vec![Vec::new(); count(&used_rows, 0, rows)], starts, is_ruled: true, ..Table::default() };
        for place in places {
            let (wide, high) =
                (count(&used_columns, place.column, place.columns), count(&used_rows, place.row, place.rows));
            let at = count(&used_rows, 0, place.row);
            if wide > 0
                && high > 0
                && let Some(row) = table.rows.get_mut(at)
            {
                let mut cell = Cell { columns: wide, rows: high, ..Cell::of(place.words) };
                cell.lines.extend(order::lines(place.turned));
                row.push(cell);
            }
        }
        table.rows.retain(|row| !row.is_empty());
        table
    }

    /// The number of the cell that a word with this area is in.
    fn place_of(&self, area: &Rect, index: &[usize]) -> Option<usize> {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let (x, y) = area.center();
        let column = self.xs.partition_point(|edge| *edge <= x).clamp(1, columns) - 1;
        let row = self.ys.partition_point(|edge| *edge <= y).clamp(1, rows) - 1;
        index.get(row * columns + column).copied()
    }

    /// Where words of one row stand in several columns without a rule between them, as between shaded rows: the row, and the
    /// column to the left. Cells over several rows stay as they are.
    fn white_edges(&self, places: &[Place], index: &[usize], words: &[Word]) -> Edges {
        let mut inside: Vec<Vec<&Word>> = vec![Vec::new(); places.len()];
        for word in words {
            if let Some(own) = self.place_of(&word.area, index).and_then(|at| inside.get_mut(at)) {
                own.push(word);
            }
        }
        let mut edges = Edges::new();
        for (place, words) in places.iter().zip(inside) {
            if place.columns == 1 || place.rows > 1 || words.len() > MOST_WORDS {
                continue;
            }
            let gaps = gaps(words);
            let is_white = |x: f32| gaps.iter().any(|(from, to)| from - EDGE <= x && x <= to + EDGE);
            let columns = place.column..place.column + place.columns - 1;
            edges.extend(columns.filter(|column| is_white(self.xs[column + 1])).map(|column| (place.row, column)));
        }
        edges
    }

    /// The cells, row by row, and the one at each crossing of a row and a column. `edges`: those without a rule.
    fn places(&self, edges: &Edges) -> (Vec<Place>, Vec<usize>) {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let mut places: Vec<Place> = Vec::new();
        let mut index = vec![usize::MAX; columns * rows];
        for row in 0..rows {
            for column in 0..columns {
                if index[row * columns + column] != usize::MAX {
                    continue;
                }
                let mut wide = 1;
                while column + wide < columns
                    && index[row * columns + column + wide] == usize::MAX
                    && !edges.contains(&(row, column + wide - 1))
                    && !self.has_right(row, column + wide - 1)
                {
                    wide += 1;
                }
                let mut high = 1;
                while row + high < rows && (column..column + wide).all(|at| !self.has_bottom(row + high - 1, at)) {
                    high += 1;
                }
                for at in row..row + high {
                    index[at * columns + column..at * columns + column + wide].fill(places.len());
                }
                places.push(Place { row, column, rows: high, columns: wide, words: Vec::new(), turned: Vec::new() });
            }
        }
        (places, index)
    }

    fn has_right(&self, row: usize, column: usize) -> bool {
        let (x, from, to) = (self.xs[column + 1], self.ys[row], self.ys[row + 1]);
        let on = self.down.iter().filter(|rule| (rule.x - x).abs() <= NEAR);
        covered(on.map(|rule| (rule.y0, rule.y1)), from, to)
    }

    fn has_bottom(&self, row: usize, column: usize) -> bool {
        let (y, from, to) = (self.ys[row + 1], self.xs[column], self.xs[column + 1]);
        let on = self.across.iter().filter(|rule| (rule.y - y).abs() <= NEAR);
        covered(on.map(|rule| (rule.x0, rule.x1)), from, to)
    }
}

/// The gaps between words that are white over the whole height of their cell.
fn gaps(mut words: Vec<&Word>) -> Vec<(f32, f32)> {
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let mut gaps = Vec::new();
    let mut reach = f32::INFINITY;
    for word in words {
        if word.area.x0 - reach >= word.size * GAP {
            gaps.push((reach, word.area.x0));
        }
        reach = if reach.is_finite() { reach.max(word.area.x1) } else { word.area.x1 };
    }
    gaps
}

/// Whether pieces cover most of a side.
fn covered(pieces: impl Iterator<Item = (f32, f32)>, from: f32, to: f32) -> bool {
    let length: f32 = pieces.map(|(start, end)| (end.min(to) - start.max(from)).max(0.0)).sum();
    length >= (to - from) * COVERED
}

/// Finds the grids on a page from the outlines of its paths.
pub(in crate::text) fn grids(paths: &[Rect], (width, height): (f32, f32)) -> Ruling {
    let (mut across, mut down) = (Vec::new(), Vec::new());
    for path in paths {
        let (w, h) = (path.width(), path.height());
        if across.len() + down.len() > RULES {
            return Ruling::default();
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
        let xs = distinct(down.iter().map(|rule| rule.x).collect());
        let ys = distinct(across.iter().map(|rule| rule.y).collect());
        if xs.len() >= 3 && ys.len() >= 3 {
            ruling.grids.push(Grid { xs, ys, across, down });
            continue;
        }
        ruling.rules.extend(across.iter().cloned());
        if xs.len() >= 3 && ys.len() == 2 {
            ruling.rows.push(Grid { xs, ys, across, down });
        }
    }
    ruling.rules = joined(ruling.rules);
    ruling
}

/// Rules at one height that touch are one.
fn joined(mut rules: Vec<Horizontal>) -> Vec<Horizontal> {
    rules.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x0.total_cmp(&b.x0)));
    let mut joined: Vec<Horizontal> = Vec::new();
    for rule in rules {
        match joined
            .iter_mut()
            .rev()
            .take_while(|last| rule.y - last.y <= 1.0)
            .find(|last| rule.x0 <= last.x1 + NEAR && last.x0 <= rule.x1 + NEAR)
        {
            Some(last) => (last.x0, last.x1) = (last.x0.min(rule.x0), last.x1.max(rule.x1)),
            None => joined.push(rule),
        }
    }
    joined
}

/// The grids without frames, largest first. A grid is a frame if most of its words are in other grids; if not, these are parts of
/// its cells.
pub(in crate::text) fn without_frames(mut grids: Vec<Grid>, words: &[Word]) -> Vec<Grid> {
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
        assert_eq!((found.grids.len(), found.rules.len()), (1, 1));
        assert_eq!((found.grids[0].xs.len(), found.grids[0].ys.len()), (3, 3));
    }

    #[test]
    fn cells_between_shaded_rows_are_apart_without_rules() {
        let shade = |x: f32, y: f32| Rect { x0: x, y0: y, x1: x + 100.0, y1: y + 30.0 };
        let frame = Rect { x0: 50.0, y0: 100.0, x1: 250.0, y1: 190.0 };
        let paths = [frame, shade(50.0, 100.0), shade(150.0, 100.0), shade(50.0, 160.0), shade(150.0, 160.0)];
        let grid = grids(&paths, (600.0, 800.0)).grids.remove(0);
        let table = |between: [(&'static str, f32); 2]| {
            let rows = [[("a", 60.0), ("b", 160.0)], between, [("c", 60.0), ("d", 160.0)]];
            let words = rows
                .iter()
                .zip([110.0, 140.0, 170.0])
                .flat_map(|(row, y)| row.iter().map(move |(text, x)| Word::at(text, *x, y, 10.0, false)));
            let table = grid.table(words.collect(), Vec::new());
            table.rows[1].iter().map(|cell| (cell.text(), cell.columns)).collect::<Vec<_>>()
        };
        assert_eq!(table([("e", 60.0), ("f", 160.0)]), [("e".to_owned(), 1), ("f".to_owned(), 1)]);
        // One text over both columns, with a space where they meet.
        assert_eq!(table([("both", 127.0), ("columns", 151.0)]), [("both columns".to_owned(), 2)]);
    }

    #[test]
    fn a_frame_is_no_table() {
        assert!(grids(&[Rect { x0: 50.0, y0: 50.0, x1: 300.0, y1: 300.0 }], (600.0, 800.0)).grids.is_empty());
    }

    #[test]
    fn a_cell_reaches_as_far_as_no_rule_parts_it() {
        let across = |x0: f32, x1: f32, y: f32| Rect { x0, y0: y, x1, y1: y + 0.5 };
        let down = |x: f32, y0: f32, y1: f32| Rect { x0: x, y0, x1: x + 0.5, y1 };
        let paths = [
            across(50.0, 350.0, 100.0),
            across(150.0, 350.0, 130.0),
            across(50.0, 350.0, 160.0),
            across(50.0, 350.0, 190.0),
            down(50.0, 100.0, 190.0),
            down(150.0, 100.0, 190.0),
            down(250.0, 130.0, 190.0),
            down(350.0, 100.0, 190.0),
        ];
        let grid = grids(&paths, (600.0, 800.0)).grids.remove(0);
        let words = [
            ("tall", 60.0, 125.0),
            ("wide", 240.0, 110.0),
            ("a", 160.0, 140.0),
            ("b", 260.0, 140.0),
            ("c", 60.0, 170.0),
        ];
        let table = grid.table(words.map(|(text, x, y)| Word::at(text, x, y, 10.0, false)).to_vec(), Vec::new());
        let shape = |cell: &Cell| (cell.text(), cell.columns, cell.rows);
        let rows: Vec<Vec<_>> = table.rows.iter().map(|row| row.iter().map(shape).collect()).collect();
        let cell = |text: &str, columns, rows| (text.to_owned(), columns, rows);
        assert_eq!(rows[0], [cell("tall", 1, 2), cell("wide", 2, 1)]);
        assert_eq!(rows[1], [cell("a", 1, 1), cell("b", 1, 1)]);
        assert_eq!(rows[2], [cell("c", 1, 1), cell("", 1, 1), cell("", 1, 1)]);
    }
}
