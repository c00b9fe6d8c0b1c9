//! A sheet's cells, by areas between empty rows.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::mem;

use super::builder::Builder;
use super::grid::{Grid, MOST_COLUMNS};
use super::text::Text;
use crate::model::{Role, Why};

/// As many as a sheet has.
pub(super) const MOST_ROWS: usize = 1_048_576;
/// Most rows at the top that stay in view as heads. More are a part of the table.
const MOST_HEADS: usize = 5;

/// Rows and columns from 0, including the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) bottom: usize,
    pub(super) right: usize,
}

impl Area {
    fn contains(&self, row: usize, column: usize) -> bool {
        (self.top..=self.bottom).contains(&row) && (self.left..=self.right).contains(&column)
    }
}

#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) rows: Vec<Row>,
    /// By the place of their first cell.
    pub(super) merged: HashMap<(usize, usize), Area>,
    hidden_columns: HashSet<usize>,
    /// Rows that stay in view.
    pub(super) frozen: usize,
    /// Areas that head the columns of tables.
    pub(super) heads: Vec<Area>,
}

#[derive(Debug)]
pub(super) struct Row {
    pub(super) number: usize,
    pub(super) is_hidden: bool,
    pub(super) cells: Vec<Cell>,
}

#[derive(Debug)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) text: Text,
    pub(super) is_number: bool,
}

impl Sheet {
    /// Hides columns from the first to before the end.
    pub(super) fn hide_columns(&mut self, first: usize, end: usize) {
        self.hidden_columns.extend(first..end.min(MOST_COLUMNS));
    }

    /// All text, in rows of tabs.
    pub(super) fn lines(&self) -> String {
        let line = |row: &Row| row.cells.iter().map(|cell| cell.text.to_plain()).collect::<Vec<_>>().join("\t");
        self.rows.iter().map(line).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// Makes blocks of its areas.
    pub(super) fn write(mut self, builder: &mut Builder<'_, '_>) {
        self.rows.sort_by_key(|row| row.number);
        self.hide(builder);
        let mut rows = mem::take(&mut self.rows);
        rows.retain(|row| !row.cells.is_empty());
        let ends = self.ends(&rows);
        let reaches = |above: &Row, below: &Row| ends.get(&above.number).is_some_and(|end| *end >= below.number);
        let mut area: Vec<Row> = Vec::new();
        for row in rows {
            if area.last().is_some_and(|above| !reaches(above, &row)) {
                self.area(mem::take(&mut area), builder);
            }
            area.push(row);
        }
        self.area(area, builder);
    }

    /// Takes hidden rows, hidden columns and what merged cells cover out of the rows.
    fn hide(&mut self, builder: &mut Builder<'_, '_>) {
        let mut rows = mem::take(&mut self.rows);
        let mut coming: Vec<Area> = self.merged.values().copied().collect();
        coming.sort_unstable_by_key(|area| Reverse(area.top));
        let mut open: Vec<Area> = Vec::new();
        for row in &mut rows {
            while let Some(area) = coming.pop_if(|area| area.top <= row.number) {
                open.push(area);
            }
            open.retain(|area| area.bottom >= row.number);
            let covers = |area: &Area, column| {
                area.contains(row.number, column) && (area.top, area.left) != (row.number, column)
            };
            let is_hidden = |cell: &Cell| {
                row.is_hidden
                    || self.hidden_columns.contains(&cell.column)
                    || open.iter().any(|area| covers(area, cell.column))
            };
            let (hidden, shown): (Vec<_>, Vec<_>) = row.cells.drain(..).partition(is_hidden);
            row.cells = shown;
            let hidden: Vec<_> = hidden.into_iter().map(|cell| cell.text.to_plain()).collect();
            builder.hide(&hidden.join("\t"), Why::Invisible);
        }
        self.rows = rows;
    }

    /// By row: the last row of its area that is known from it, by merged cells or as the next one.
    fn ends(&self, rows: &[Row]) -> HashMap<usize, usize> {
        let mut areas: Vec<_> = self.merged.values().map(|area| (area.top, area.bottom)).collect();
        areas.sort_unstable_by(|a, b| b.cmp(a));
        let mut reach = 0;
        let mut ends = HashMap::new();
        for row in rows {
            while let Some((_, bottom)) = areas.pop_if(|(top, _)| *top <= row.number) {
                reach = reach.max(bottom);
            }
            ends.insert(row.number, reach.max(row.number + 1));
        }
        ends
    }

    fn area(&self, mut rows: Vec<Row>, builder: &mut Builder<'_, '_>) {
        let columns = || rows.iter().flat_map(|row| row.cells.iter().map(|cell| cell.column));
        let (Some(left), Some(right), Some(top)) = (columns().min(), columns().max(), rows.first()) else { return };
        if rows.len() == 1 && left == right {
            for cell in rows.drain(..).flat_map(|row| row.cells) {
                builder.block(Role::Paragraph, cell.text);
            }
            return;
        }
        let (top, is_full) = (top.number, top.cells.len() == right + 1 - left);
        let only_words = rows.first().is_some_and(|row| row.cells.iter().all(|cell| !cell.is_number));
        let names_columns = rows.len() > 1 && is_full && only_words && self.frozen == 0 && self.heads.is_empty();
        let is_head = |row, column| {
            let is_frozen = (1..=MOST_HEADS).contains(&self.frozen) && row < self.frozen;
            let is_named = names_columns && row == top;
            is_frozen || is_named || self.heads.iter().any(|area| area.contains(row, column))
        };
        let mut grid = Grid::default();
        for mut row in rows {
            while grid.rows() + top <= row.number {
                grid.next_row();
            }
            row.cells.sort_by_key(|cell| cell.column);
            for cell in row.cells {
                let merged = self.merged.get(&(row.number, cell.column));
                let (down, along) =
                    merged.map_or((1, 1), |area| (area.bottom - area.top + 1, area.right - area.left + 1));
                grid.seek(cell.column - left);
                grid.cell(along, down, is_head(row.number, cell.column), cell.text);
            }
        }
        builder.table(grid);
    }
}
