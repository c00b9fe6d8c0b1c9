//! Tables whose cells have rules around them.

use std::collections::BTreeSet;

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::super::order;
use super::super::rules::{Horizontal, Vertical};
use super::super::words::Word;
use super::{Cell, Table, lines};

/// Rules within this distance, in points, count as one.
pub(super) const NEAR: f32 = 3.0;
/// The share of a cell's side that a rule covers.
const COVERED: f32 = 0.5;
/// The least gap between words of two cells without a rule between them, in ems.
const GAP: f32 = 0.7;
/// Cells with more words are text.
const MOST_WORDS: usize = 500;
/// How far such a gap may be from the edge of its columns, in points.
const EDGE: f32 = 1.0;
/// The same between words of two rows, from line to line, and how far words may reach over the edge, both in ems.
const BLANK: f32 = 0.6;
const CROSSED: f32 = 0.25;
/// The share of rows beside which words stand where a column of the table has no rules.
const BESIDE: f32 = 0.8;
/// Words of one row are at the same height up to that, in ems.
const LEVEL: f32 = 0.12;
/// The most words of a row that are compared.
const COMPARED: usize = 100;
/// The least places where pieces of rules meet that part a row.
const LEAST_SEAMS: usize = 2;
/// Columns and rows without a word that are narrower than that, in points, are the space between double rules.
const DOUBLE: f32 = 8.0;
/// The least height of a row without words, as a share of the lowest row with words.
const ROW_SHARE: f32 = 0.9;

/// The edges of a ruled table's cells, from left to right and from top to bottom, and the rules between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The vertical edges.
    pub xs: Vec<f32>,
    /// The horizontal edges.
    pub ys: Vec<f32>,
    /// The horizontal rules.
    pub across: Vec<Horizontal>,
    /// The vertical rules.
    pub down: Vec<Vertical>,
    /// Where the pieces of all vertical rules meet, from top to bottom, without a rule across.
    pub seams: Vec<f32>,
    /// Whether only the pieces of its horizontal rules show its columns.
    pub is_sewn: bool,
}

/// What is ruled on a page: grids, and horizontal rules that belong to none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ruling {
    /// Those of several rows.
    pub grids: Vec<Grid>,
    /// Grids of one row: the end of a table that began on the page before, or no table.
    pub rows: Vec<Grid>,
    /// From top to bottom.
    pub rules: Vec<Horizontal>,
}

/// A grid that may be a table.
#[derive(Debug)]
pub struct Ruled<'g> {
    /// Around its cells.
    pub area: Rect,
    grid: &'g Grid,
}

impl Ruled<'_> {
    /// Whether at least this share of its cells have text.
    pub fn is_filled(&self, words: &[Word], share: f32) -> bool {
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
    /// Each grid of several rows.
    pub fn tables(&self) -> impl Iterator<Item = Ruled<'_>> {
        self.grids.iter().map(|grid| Ruled { area: grid.area(), grid })
    }

    /// Whether something in this place is in a grid.
    pub(crate) fn has_row(&self, area: &Rect) -> bool {
        self.grids.iter().chain(&self.rows).any(|grid| grid.area().contains(area.center()))
    }

    /// Leaves out the rules and grids in an area.
    pub fn clear(&mut self, area: &Rect) {
        self.grids.retain(|grid| !area.contains(grid.area().center()));
        self.rows.retain(|grid| !area.contains(grid.area().center()));
        self.rules.retain(|rule| !area.contains((f32::midpoint(rule.x0, rule.x1), rule.y)));
    }
}

/// Edges of cells without a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct White {
    /// A row, and the column to the left of the edge.
    right: BTreeSet<(usize, usize)>,
    /// The row above the edge, and a column.
    below: BTreeSet<(usize, usize)>,
}

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
    /// Around its cells.
    pub fn area(&self) -> Rect {
        let end = |edges: &[f32]| edges.last().copied().unwrap_or(0.0);
        let start = |edges: &[f32]| edges.first().copied().unwrap_or(0.0);
        Rect { x0: start(&self.xs), y0: start(&self.ys), x1: end(&self.xs), y1: end(&self.ys) }
    }

    /// Whether it may be a part of its table: no rule parts the columns of some row whose words stand apart, as between shaded rows, or
    /// words stand beside most of its rows.
    pub fn may_be_part(&self, words: &[Word]) -> bool {
        let area = self.area();
        let on_rows = words.iter().filter(|word| (area.y0..area.y1).contains(&word.area.center().1));
        let mut rows: Vec<(Vec<&Word>, Vec<&Word>)> = vec![Default::default(); self.ys.len()];
        for word in on_rows {
            let (x, y) = word.area.center();
            if let Some((inside, beside)) = rows.get_mut(self.ys.partition_point(|edge| *edge <= y).saturating_sub(1)) {
                if (area.x0..area.x1).contains(&x) { inside.push(word) } else { beside.push(word) }
            }
        }
        rows.truncate(self.ys.len().saturating_sub(1));
        let is_level = |(inside, beside): &&(Vec<&Word>, Vec<&Word>)| {
            let is_beside =
                |word: &Word, other: &Word| (word.area.center().1 - other.area.center().1).abs() < word.size * LEVEL;
            beside.iter().take(COMPARED).any(|word| inside.iter().take(COMPARED).any(|other| is_beside(word, other)))
        };
        rows.iter().filter(is_level).count() as f32 >= rows.len() as f32 * BESIDE
            || rows.into_iter().enumerate().any(|(row, (inside, _))| self.is_open(row) && !gaps(inside).is_empty())
    }

    /// Whether no rule parts the columns of a row.
    fn is_open(&self, row: usize) -> bool {
        !(0..self.xs.len().saturating_sub(2)).any(|column| self.has_right(row, column))
    }

    /// The rows with words, and those that a form leaves to be filled: empty ones with cells, about as high as others.
    fn used_rows(&self, mut has_words: Vec<bool>) -> Vec<bool> {
        let height = |row: usize| self.ys.get(row + 1).zip(self.ys.get(row)).map_or(0.0, |(bottom, top)| bottom - top);
        let filled = has_words.iter().enumerate().filter(|(_, has)| **has).map(|(row, _)| height(row));
        let lowest = filled.fold(f32::MAX, f32::min) * ROW_SHARE;
        for (row, used) in has_words.iter_mut().enumerate() {
            *used = *used || height(row) >= lowest.max(DOUBLE) && !self.is_open(row);
        }
        has_words
    }

    /// The table with these words. Empty columns are left out, and empty rows without cells.
    /// `turned`: those that run in another direction, with their places in the direction of the others.
    pub fn table(&self, words: Vec<Word>, turned: Vec<(Word, Rect)>) -> Table {
        self.without_double_rules(&words).with_seams(&words).filled(words, turned)
    }

    /// The grid with an edge at each place where the pieces of rules meet, if they part rows there, and not the lines of a row: each part
    /// has words in the first column and another one.
    fn with_seams(mut self, words: &[Word]) -> Self {
        let Some(first) = self.xs.get(1).copied() else { return self };
        let (Some(x0), Some(x1)) = (self.xs.first().copied(), self.xs.last().copied()) else { return self };
        let is_row = |from: f32, to: f32| {
            let inside = || words.iter().map(|word| word.area.center()).filter(|(_, y)| (from..to).contains(y));
            inside().any(|(x, _)| x < first) && inside().any(|(x, _)| x > first)
        };
        let mut added = Vec::new();
        for edges in self.ys.windows(2) {
            let [top, bottom] = edges else { continue };
            let inner = || self.seams.iter().copied().filter(|y| (*top..*bottom).contains(y));
            let ends: Vec<f32> = std::iter::once(*top).chain(inner()).chain([*bottom]).collect();
            let are_rows = ends.windows(2).all(|ends| matches!(ends, [from, to] if is_row(*from, *to)));
            if inner().count() >= LEAST_SEAMS && are_rows {
                added.extend(inner());
            }
        }
        self.across.extend(added.iter().map(|y| Horizontal { x0, x1, y: *y }));
        self.ys.extend(added);
        self.ys.sort_by(f32::total_cmp);
        self
    }

    fn filled(&self, words: Vec<Word>, turned: Vec<(Word, Rect)>) -> Table {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let (mut places, mut index) = self.places(&White::default());
        let white = self.white(&places, &index, &words);
        if white != White::default() {
            (places, index) = self.places(&white);
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
        let used_rows = self.used_rows((0..rows).map(|at| filled().any(|place| place.row == at)).collect());
        let count = |used: &[bool], from: usize, length: usize| {
            used.iter().skip(from).take(length).filter(|is_used| **is_used).count()
        };
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
        lines::split(&mut table);
        table
    }

    /// The grid with one edge for each two that are close to each other: the one with the longer rules.
    fn without_double_rules(&self, words: &[Word]) -> Self {
        let mut grid = self.clone();
        let mut at = 0;
        while let [Some(left), Some(right)] = [grid.xs.get(at).copied(), grid.xs.get(at + 1).copied()] {
            let has_word = || words.iter().any(|word| (left..right).contains(&word.area.center().0));
            if right - left >= DOUBLE || grid.xs.len() <= 3 || has_word() {
                at += 1;
                continue;
            }
            let length =
                |x: f32| grid.down.iter().filter(|rule| is_near(rule.x, x)).map(|rule| rule.y1 - rule.y0).sum::<f32>();
            let (kept, other, index) =
                if length(left) < length(right) { (right, left, at) } else { (left, right, at + 1) };
            grid.down.iter_mut().filter(|rule| is_near(rule.x, other)).for_each(|rule| rule.x = kept);
            grid.xs.remove(index);
        }
        grid
    }

    /// The number of the cell that a word with this area is in.
    fn place_of(&self, area: &Rect, index: &[usize]) -> Option<usize> {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let (x, y) = area.center();
        let column = self.xs.partition_point(|edge| *edge <= x).clamp(1, columns) - 1;
        let row = self.ys.partition_point(|edge| *edge <= y).clamp(1, rows) - 1;
        index.get(row * columns + column).copied()
    }

    /// The edges without a rule at which the words of a cell part, as between shaded rows.
    fn white(&self, places: &[Place], index: &[usize], words: &[Word]) -> White {
        let mut inside: Vec<Vec<&Word>> = vec![Vec::new(); places.len()];
        for word in words {
            if let Some(own) = self.place_of(&word.area, index).and_then(|at| inside.get_mut(at)) {
                own.push(word);
            }
        }
        let mut white = White::default();
        for (place, words) in places.iter().zip(inside).filter(|(_, words)| words.len() <= MOST_WORDS) {
            if place.rows > 1 {
                white.below.extend(self.white_below(place, &words));
            } else if place.columns > 1 {
                white.right.extend(self.white_right(place, words));
            }
        }
        white
    }

    /// Where words of one row stand in several columns.
    fn white_right(&self, place: &Place, words: Vec<&Word>) -> Vec<(usize, usize)> {
        let gaps = gaps(words);
        let is_white = |x: f32| gaps.iter().any(|(from, to)| from - EDGE <= x && x <= to + EDGE);
        let columns = place.column..place.column + place.columns - 1;
        let is_white_after = |column: &usize| self.xs.get(column + 1).is_some_and(|x| is_white(*x));
        columns.filter(is_white_after).map(|column| (place.row, column)).collect()
    }

    /// Where words of one cell stand in several rows, with as much as a line between them where the rows of other cells meet.
    fn white_below(&self, place: &Place, words: &[&Word]) -> Vec<(usize, usize)> {
        let edge = |row: &usize| self.ys.get(row + 1).copied().unwrap_or(f32::INFINITY);
        let is_crossed = |row: &usize| {
            words.iter().any(|word| {
                word.area.y0 + word.size * CROSSED < edge(row) && edge(row) < word.area.y1 - word.size * CROSSED
            })
        };
        let is_between = |row: &usize| {
            let (above, below): (Vec<&&Word>, Vec<&&Word>) =
                words.iter().partition(|word| word.area.center().1 < edge(row));
            let end = above.iter().map(|word| word.area.y1).reduce(f32::max);
            let start = below.iter().map(|word| (word.area.y0, word.size)).reduce(|a, b| if a.0 < b.0 { a } else { b });
            end.zip(start).is_some_and(|(end, (start, size))| start - end >= size * BLANK)
        };
        let rows: Vec<usize> = (place.row..place.row + place.rows - 1).filter(|row| !is_crossed(row)).collect();
        let between: Vec<usize> = rows.iter().copied().filter(is_between).collect();
        if between.is_empty() {
            return Vec::new();
        }
        let above = rows.iter().rfind(|row| words.iter().all(|word| word.area.center().1 > edge(row)));
        let below = rows.iter().find(|row| words.iter().all(|word| word.area.center().1 < edge(row)));
        between.iter().chain(above).chain(below).map(|row| (*row, place.column)).collect()
    }

    /// The cells, row by row, and the one at each crossing of a row and a column.
    fn places(&self, white: &White) -> (Vec<Place>, Vec<usize>) {
        let (columns, rows) = (self.xs.len() - 1, self.ys.len() - 1);
        let mut places: Vec<Place> = Vec::new();
        let mut index = vec![usize::MAX; columns * rows];
        let is_free = |index: &[usize], row: usize, column: usize| {
            index.get(row * columns + column).is_some_and(|place| *place == usize::MAX)
        };
        for row in 0..rows {
            for column in 0..columns {
                if !is_free(&index, row, column) {
                    continue;
                }
                let mut wide = 1;
                while column + wide < columns
                    && is_free(&index, row, column + wide)
                    && !white.right.contains(&(row, column + wide - 1))
                    && !self.has_right(row, column + wide - 1)
                {
                    wide += 1;
                }
                let mut high = 1;
                let has_bottom = |row: usize, at| self.has_bottom(row, at) || white.below.contains(&(row, at));
                while row + high < rows && (column..column + wide).all(|at| !has_bottom(row + high - 1, at)) {
                    high += 1;
                }
                for at in row..row + high {
                    let crossings = index.iter_mut().skip(at * columns + column).take(wide);
                    crossings.for_each(|place| *place = places.len());
                }
                places.push(Place { row, column, rows: high, columns: wide, words: Vec::new(), turned: Vec::new() });
            }
        }
        (places, index)
    }

    fn has_right(&self, row: usize, column: usize) -> bool {
        let (Some(x), Some(from), Some(to)) = (self.xs.get(column + 1), self.ys.get(row), self.ys.get(row + 1)) else {
            return false;
        };
        let on = self.down.iter().filter(|rule| (rule.x - x).abs() <= NEAR);
        covered(on.map(|rule| (rule.y0, rule.y1)), *from, *to)
    }

    fn has_bottom(&self, row: usize, column: usize) -> bool {
        let (Some(y), Some(from), Some(to)) = (self.ys.get(row + 1), self.xs.get(column), self.xs.get(column + 1))
        else {
            return false;
        };
        let on = self.across.iter().filter(|rule| (rule.y - y).abs() <= NEAR);
        covered(on.map(|rule| (rule.x0, rule.x1)), *from, *to)
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

fn is_near(a: f32, b: f32) -> bool {
    (a - b).abs() <= NEAR
}

/// Whether pieces cover most of a side.
fn covered(pieces: impl Iterator<Item = (f32, f32)>, from: f32, to: f32) -> bool {
    let length: f32 = pieces.map(|(start, end)| (end.min(to) - start.max(from)).max(0.0)).sum();
    length >= (to - from) * COVERED
}

/// The grids without frames, largest first. A grid is a frame if most of its words are in other grids; if not, these are parts of
/// its cells.
pub(crate) fn without_frames(mut grids: Vec<Grid>, words: &[Word]) -> Vec<Grid> {
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

#[cfg(test)]
mod tests {
    use super::super::touching::grids;
    use super::*;

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
