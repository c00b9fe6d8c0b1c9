//! Tables: by their rules, or by words that align in columns.

mod aligned;
mod lines;
mod ruled;
mod seams;
mod touching;

pub(super) use aligned::{Surroundings, aligned, is_of_numbers, is_typed_row, is_typed_rule};
pub(super) use lines::is_coarse;
pub use ruled::Ruling;
pub(super) use ruled::{Grid, without_frames};
pub(super) use seams::with_headers;
pub use touching::grids;

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::inline;
use super::order::{self, Line};
use super::places;
use super::tagged::Element;
use super::words::Word;

/// Columns of the two parts of a table over two pages begin within this distance, in points.
const SAME_COLUMN: f32 = 6.0;

/// Rows of cells.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Table {
    /// The cells that begin in each row, from left to right.
    pub rows: Vec<Vec<Cell>>,
    /// Where columns begin.
    pub starts: Vec<f32>,
    /// The parts on further pages.
    pub continued: Vec<Part>,
    /// Whether its cells have rules around them.
    pub is_ruled: bool,
    /// By the tags of the document.
    pub element: Option<Element>,
}

/// The part of a table on a page on which it goes on, from this row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Part {
    /// From 1.
    pub page: u32,
    /// From 0.
    pub row: usize,
    /// As the page is shown.
    pub area: Rect,
    /// Where the page repeats the headers, which are no rows again.
    pub repeated: Option<Rect>,
}

/// A cell that may span several rows and columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// From top to bottom.
    pub lines: Vec<Line>,
    /// How many it spans.
    pub columns: usize,
    /// How many it spans.
    pub rows: usize,
    /// Whether it is tagged as one.
    pub header: bool,
}

impl Cell {
    fn of(words: Vec<Word>) -> Self {
        Self { lines: order::lines(words), columns: 1, rows: 1, header: false }
    }

    /// Its lines as running text.
    pub fn text(&self) -> String {
        inline::text(&self.lines)
    }

    fn is_bold(&self) -> bool {
        self.lines.iter().all(|line| line.all(|word| word.font.bold))
    }
}

impl Table {
    /// Whether it has cells over several rows or columns, which pipes can't show.
    pub fn has_spans(&self) -> bool {
        self.rows.iter().flatten().any(|cell| cell.columns > 1 || cell.rows > 1)
    }

    /// How many rows at its start are headers: those in bold, or all that the first row reaches into.
    pub fn headers(&self) -> usize {
        let is_bold = |row: &Vec<Cell>| row.iter().all(Cell::is_bold) && row.iter().any(|cell| !cell.lines.is_empty());
        let is_tagged = |row: &Vec<Cell>| row.iter().all(|cell| cell.header) && !row.is_empty();
        let tagged = self.rows.iter().take_while(|row| is_tagged(row)).count();
        if tagged > 0 && tagged < self.rows.len() {
            return tagged;
        }
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
        if self.element.is_some() || next.element.is_some() {
            return self.element == next.element;
        }
        self.starts.len() == next.starts.len()
            && self.starts.iter().zip(&next.starts).all(|(a, b)| (a - b).abs() < SAME_COLUMN)
    }

    /// The cells with their rows and columns, counted from 0.
    pub fn placed(&self) -> impl Iterator<Item = (usize, usize, &Cell)> {
        // How many rows more the cell above reaches down, by column.
        let mut taken: Vec<usize> = Vec::new();
        self.rows.iter().enumerate().flat_map(move |(row, cells)| {
            let mut column = 0;
            let mut placed = Vec::with_capacity(cells.len());
            let mut next: Vec<usize> = taken.iter().map(|rows| rows.saturating_sub(1)).collect();
            for cell in cells {
                while taken.get(column).is_some_and(|rows| *rows > 0) {
                    column += 1;
                }
                placed.push((row, column, cell));
                let end = column + cell.columns;
                next.resize(next.len().max(end), 0);
                next.iter_mut().take(end).skip(column).for_each(|rows| *rows = cell.rows.saturating_sub(1));
                column = end;
            }
            taken = next;
            placed
        })
    }

    /// Takes the rows of a table on another page that goes on with this one, without the headers that it repeats.
    pub(super) fn append(&mut self, next: Self, page: u32, area: Rect) {
        let same = |a: &Vec<Cell>, b: &Vec<Cell>| a.iter().map(Cell::text).eq(b.iter().map(Cell::text));
        let repeated = self.rows.iter().zip(&next.rows).take(self.headers()).take_while(|(a, b)| same(a, b)).count();
        let (headers, rows) = next.rows.split_at(repeated);
        let words = headers.iter().flatten().flat_map(|cell| &cell.lines).flat_map(|line| &line.words);
        self.continued.push(Part { page, row: self.rows.len(), area, repeated: places::place(words) });
        self.rows.extend(rows.iter().cloned());
    }
}

/// Whether these words are a number, perhaps with a sign, a currency or marks of significance.
fn is_number(words: &[Word]) -> bool {
    let mut characters = words.iter().flat_map(|word| word.text.chars());
    let is_part = |c: char| {
        c.is_numeric()
            || matches!(c, '.' | ',' | '-' | '−' | '–' | '+' | '%' | '(' | ')' | '\'' | '’' | '$' | '€' | '£' | '¥')
            || matches!(c, '*' | '†' | '‡')
    };
    characters.clone().any(char::is_numeric) && characters.all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with columns at these places.
    fn table(starts: &[f32], rows: &[&[&str]]) -> Table {
        let cell = |text: &&str| Cell::of(vec![Word::at(text, 0.0, 0.0, 10.0, false)]);
        let rows = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        Table { rows, starts: starts.to_vec(), ..Table::default() }
    }

    #[test]
    fn a_table_goes_on_in_one_with_the_same_columns_and_has_its_header_once() {
        let mut first = table(&[50.0, 200.0], &[&["Item", "Price"], &["Apple", "1"]]);
        let next = table(&[51.0, 199.0], &[&["Item", "Price"], &["Pear", "2"]]);
        assert!(first.goes_on_in(&next));
        assert!(!first.goes_on_in(&table(&[50.0, 230.0], &[&["a", "b"]])));
        assert!(!first.goes_on_in(&table(&[50.0], &[&["a"]])));
        first.append(next, 2, Rect::default());
        first.append(table(&[50.0, 200.0], &[&["Plum", "3"]]), 3, Rect::default());
        let names: Vec<String> = first.rows.iter().map(|row| row[0].text()).collect();
        assert_eq!(names, ["Item", "Apple", "Pear", "Plum"]);
        let part = |part: &Part| (part.page, part.row, part.repeated.is_some());
        assert_eq!(first.continued.iter().map(part).collect::<Vec<_>>(), [(2, 2, true), (3, 3, false)]);
    }

    #[test]
    fn cells_are_placed_beside_those_that_reach_down() {
        let mut found = table(&[50.0, 100.0, 150.0], &[&["tall", "wide"], &["a", "b"], &["c", "d", "e"]]);
        found.rows[0][0].rows = 2;
        found.rows[0][1].columns = 2;
        let places: Vec<(usize, usize, String)> =
            found.placed().map(|(row, column, cell)| (row, column, cell.text())).collect();
        let expected =
            [(0, 0, "tall"), (0, 1, "wide"), (1, 1, "a"), (1, 2, "b"), (2, 0, "c"), (2, 1, "d"), (2, 2, "e")];
        assert_eq!(places, expected.map(|(row, column, text)| (row, column, text.to_owned())));
    }

    #[test]
    fn headers_are_bold_or_as_high_as_the_first_row() {
        let mut found = table(&[50.0, 200.0], &[&["a", "b"], &["c", "d"], &["e", "f"]]);
        assert_eq!((found.headers(), found.has_spans()), (1, false));
        found.rows[0][0].rows = 2;
        assert_eq!((found.headers(), found.has_spans()), (2, true));
        let bold = |text: &str| Cell::of(vec![Word::at(text, 0.0, 0.0, 10.0, true)]);
        found.rows[0] = vec![bold("a"), bold("b")];
        assert_eq!(found.headers(), 1);
    }
}
