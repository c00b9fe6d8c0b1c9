//! Tables: by their rules, or by words that align in columns.

mod aligned;
mod ruled;

pub(super) use aligned::aligned;
pub(crate) use ruled::{Horizontal as Rule, Ruling};
pub(super) use ruled::{grids, without_frames};

use super::inline;
use super::order::{self, Line};
use super::words::Word;

/// Columns of the two parts of a table over two pages begin within this distance, in points.
const SAME_COLUMN: f32 = 6.0;

#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The cells that begin in each row, from left to right.
    pub rows: Vec<Vec<Cell>>,
    /// Where columns begin.
    pub starts: Vec<f32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub lines: Vec<Line>,
    /// How many it spans.
    pub columns: usize,
    pub rows: usize,
}

impl Cell {
    fn of(words: Vec<Word>) -> Self {
        Self { lines: order::lines(words), columns: 1, rows: 1 }
    }

    pub(crate) fn text(&self) -> String {
        inline::text(&self.lines)
    }

    fn is_bold(&self) -> bool {
        self.lines.iter().all(|line| line.all(|word| word.font.bold))
    }
}

impl Table {
    /// Whether it has cells over several rows or columns, which pipes can't show.
    pub(crate) fn has_spans(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell.columns > 1 || cell.rows > 1)
    }

    /// How many rows at its start are headers: those in bold, or all that the first row reaches into.
    pub(crate) fn headers(&self) -> usize {
        let is_bold = |row: &Vec<Cell>| row.iter().all(Cell::is_bold) && row.iter().any(|cell| !cell.lines.is_empty());
        let bold = self.rows.iter().take_while(|row| is_bold(row)).count();
        if bold > 0 && bold < self.rows.len() {
            return bold;
        }
        let first = self.rows.first();
        let reach = first.and_then(|row| row.iter().map(|cell| cell.rows).max()).unwrap_or(1);
        reach.min(self.rows.len().saturating_sub(1)).max(1)
    }

    /// Whether another table on the next page has the same columns.
    pub(super) fn goes_on_in(&self, next: &Self) -> bool {
        self.starts.len() == next.starts.len()
            && self.starts.iter().zip(&next.starts).all(|(a, b)| (a - b).abs() < SAME_COLUMN)
    }

    /// Takes the rows of a table that goes on with this one, without the headers that it repeats.
    pub(super) fn append(&mut self, next: Self) {
        let same = |a: &Vec<Cell>, b: &Vec<Cell>| a.iter().map(Cell::text).eq(b.iter().map(Cell::text));
        let repeated = self.rows.iter().zip(&next.rows).take(self.headers()).take_while(|(a, b)| same(a, b)).count();
        self.rows.extend(next.rows.into_iter().skip(repeated));
    }
}
