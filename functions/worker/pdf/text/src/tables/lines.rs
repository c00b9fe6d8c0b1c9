//! Rows between rules that hold several rows of numbers, a line each.

use super::super::order::Line;
use super::super::words::Word;
use super::{Cell, Table, is_number};

/// The least lines that would be rows in the cells of a table that rules part too little.
const COARSE: usize = 4;
/// How far lines of one row may differ in height, in ems.
const ON_LINE: f32 = 0.4;

/// Parts the rows of a table into lines where these are rows. Rows that share a cell stay.
pub(super) fn split(table: &mut Table) {
    // The first row that no cell of those above reaches into.
    let mut free = 0;
    for (at, row) in std::mem::take(&mut table.rows).into_iter().enumerate() {
        let high = row.iter().map(|cell| cell.rows).max().unwrap_or(1);
        match high == 1 && free <= at && has_rows(&row) {
            true => table.rows.extend(rows_of(&row)),
            false => table.rows.push(row),
        }
        free = free.max(at + high);
    }
}

/// Whether each line of the first cell is beside a number in a cell that has only numbers, and no line is anywhere else: texts that
/// go on in the next line would have some without a number beside them.
fn has_rows(row: &[Cell]) -> bool {
    let Some((first, others)) = row.split_first() else { return false };
    first.lines.len() > 1
        && others.iter().any(|cell| has_numbers(cell) && cell.lines.len() == first.lines.len())
        && others.iter().flat_map(|cell| &cell.lines).all(|line| line_of(first, line).is_some())
}

/// Whether a cell has several lines that are a number each. A hyphen at the end of a line breaks one over two.
fn has_numbers(cell: &Cell) -> bool {
    let is_whole = |line: &Line| line.words.last().is_some_and(|word| !word.text.ends_with('-'));
    cell.lines.len() > 1 && cell.lines.iter().all(|line| is_whole(line) && is_number(&line.words))
}

/// The number of the cell's line that is beside another.
fn line_of(cell: &Cell, other: &Line) -> Option<usize> {
    let middle = other.area.center().1;
    cell.lines.iter().position(|line| (line.area.center().1 - middle).abs() < other.size() * ON_LINE)
}

/// Whether rules part a table into less than its rows and columns: cells have several lines that are numbers, or that end with one
/// apart from the rest.
pub(crate) fn is_coarse(table: &Table) -> bool {
    let is_row = |line: &Line| {
        let is_apart = |pair: &[Word]| matches!(pair, [a, b] if b.area.x0 - a.area.x1 > a.size);
        let last = line.words.windows(2).rposition(is_apart);
        last.and_then(|at| line.words.get(at + 1..)).is_some_and(is_number)
    };
    let count = |row: &Vec<Cell>| {
        let in_columns: Vec<usize> = row.iter().filter(|cell| has_numbers(cell)).map(|cell| cell.lines.len()).collect();
        // One number may be broken over two lines.
        let in_columns =
            if in_columns.len() > 1 || in_columns.iter().any(|lines| *lines > 2) { in_columns.iter().sum() } else { 0 };
        let others = row.iter().filter(|cell| !has_numbers(cell));
        in_columns + others.flat_map(|cell| &cell.lines).filter(|line| is_row(line)).count()
    };
    table.rows.iter().map(count).sum::<usize>() >= COARSE
}

fn rows_of(row: &[Cell]) -> Vec<Vec<Cell>> {
    let Some(first) = row.first() else { return Vec::new() };
    let part = |cell: &Cell, at: usize| {
        let lines = cell.lines.iter().filter(|line| line_of(first, line) == Some(at)).cloned().collect();
        Cell { lines, ..cell.clone() }
    };
    (0..first.lines.len()).map(|at| row.iter().map(|cell| part(cell, at)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::order;
    use super::*;

    #[test]
    fn rows_below_a_cell_over_several_are_parted_and_those_beside_it_are_not() {
        let row = |table: Table| table.rows.into_iter().next().unwrap();
        let lines = || row(table(&[&[("Girls", 10.0), ("Boys", 22.0)], &[("1,530", 10.0), ("1,253", 22.0)]]));
        let mut head = row(table(&[&[("Sex", 0.0)], &[("Number", 0.0)]]));
        head[0].rows = 2;
        let mut found = Table { rows: vec![head, lines(), lines()], ..Table::default() };
        split(&mut found);
        assert_eq!(found.rows.len(), 4);
    }

    fn table(cells: &[&[(&str, f32)]]) -> Table {
        let cell = |lines: &&[(&str, f32)]| {
            let words = lines.iter().map(|(text, top)| Word::at(text, 50.0, *top, 10.0, false));
            Cell {
                lines: words.flat_map(|word| order::lines(vec![word])).collect(),
                columns: 1,
                rows: 1,
                header: false,
            }
        };
        Table { rows: vec![cells.iter().map(cell).collect()], ..Table::default() }
    }

    fn texts(mut table: Table) -> Vec<Vec<String>> {
        split(&mut table);
        table.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect()
    }

    #[test]
    fn numbers_beside_each_line_of_the_first_cell_are_rows() {
        let found =
            texts(table(&[&[("Girls", 10.0), ("Boys", 22.0)], &[("1,530", 10.0), ("1,253", 22.0)], &[("x", 22.0)]]));
        assert_eq!(found, [["Girls", "1,530", ""], ["Boys", "1,253", "x"]]);
    }

    #[test]
    fn a_text_of_several_lines_is_one_row() {
        let several = [("Girls and", 10.0), ("boys", 22.0)];
        assert_eq!(texts(table(&[&several, &[("1,530", 22.0)]])).len(), 1);
        assert_eq!(texts(table(&[&several, &[("some", 10.0), ("words", 22.0)]])).len(), 1);
        assert_eq!(texts(table(&[&several, &[("1", 10.0), ("2", 22.0)], &[("3", 34.0)]])).len(), 1);
        assert_eq!(texts(table(&[&several, &[("2026-04-", 10.0), ("03", 22.0)]])).len(), 1);
    }
}
