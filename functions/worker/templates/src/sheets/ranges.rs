//! Ranges outside of formulas: of merged cells, formats, tables, comments.

use super::edits::Budget;
use super::formula::{Cell, cell};
use super::rows::Rows;
use crate::problem::Failure;

/// The two ends of `B5:C7` or `B5`, the upper one first.
fn ends(range: &str) -> Option<(Cell<'_>, Cell<'_>)> {
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let (first, last) = (cell(first)?, cell(last)?);
    Some(if first.row <= last.row { (first, last) } else { (last, first) })
}

fn named(columns: (&str, &str), rows: (u32, u32)) -> String {
    let (first, last) = (format!("{}{}", columns.0, rows.0), format!("{}{}", columns.1, rows.1));
    if first == last { first } else { format!("{first}:{last}") }
}

/// The first row of a range or a list of ranges.
pub(super) fn first_row(ranges: &str) -> Option<u32> {
    ends(ranges.split_whitespace().next()?).map(|(first, _)| first.row)
}

/// A range as it is now: over all copies of its rows. `None` if nothing is left.
pub(super) fn one(rows: &Rows, range: &str) -> Option<String> {
    let Some((first, last)) = ends(range) else { return Some(range.to_owned()) };
    let span = rows.span((first.row, None), (last.row, None))?;
    let span = if range.contains(':') { span } else { (span.0, span.0) };
    let whole = named((first.column, last.column), span);
    Some(if range.contains(':') && !whole.contains(':') { format!("{whole}:{whole}") } else { whole })
}

/// The range of an array's formula, as it is for the row in which that stands.
pub(super) fn of_row(rows: &Rows, range: &str, row: Option<u32>) -> String {
    let Some((first, last)) = ends(range) else { return range.to_owned() };
    let span = rows.span((first.row, row), (last.row, row));
    span.map_or_else(|| range.to_owned(), |span| named((first.column, last.column), span))
}

/// A range for each copy of its rows, with the first of these.
pub(super) fn copies(rows: &Rows, range: &str) -> Vec<(Option<u32>, String)> {
    let Some((first, last)) = ends(range) else { return vec![(None, range.to_owned())] };
    let blocks = rows.blocks(first.row, last.row).into_iter();
    blocks.map(|block| (Some(block.0), named((first.column, last.column), block))).collect()
}

/// A list of ranges, with one for copies that follow each other.
pub(super) fn list(rows: &Rows, ranges: &str, budget: &Budget) -> Result<String, Failure> {
    let mut all = String::new();
    for range in ranges.split_whitespace() {
        let named = match ends(range) {
            Some((first, last)) => {
                let blocks = joined(rows.blocks(first.row, last.row)).into_iter();
                blocks.map(|block| named((first.column, last.column), block)).collect()
            }
            None => vec![range.to_owned()],
        };
        for range in named {
            budget.take(range.len() + 1)?;
            if !all.is_empty() {
                all.push(' ');
            }
            all.push_str(&range);
        }
    }
    Ok(all)
}

fn joined(blocks: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for block in blocks {
        match joined.last_mut() {
            Some(last) if last.1 + 1 == block.0 => last.1 = block.1,
            _ => joined.push(block),
        }
    }
    joined
}
