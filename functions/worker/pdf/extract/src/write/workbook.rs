//! All tables as one workbook, with a sheet for each. Nothing in it is a formula or a link.

use std::borrow::Cow;
use std::collections::HashSet;

use rust_xlsxwriter::{ColNum, Format, FormatAlign, RowNum, Workbook, Worksheet, XlsxError};

use super::super::model::{Cell, Table};

/// What a sheet has room for.
const MOST_ROWS: usize = 1 << 20;
const MOST_COLUMNS: usize = 1 << 14;
const MOST_UNITS: usize = 32_767;
/// The most places that cells of a workbook may cover together. Further cells are not merged.
const MOST_MERGED: usize = 1_000_000;
/// A double keeps so many digits.
const MOST_DIGITS: usize = 15;
const WIDEST_PIXELS: u32 = 480;

/// Whether a sheet has room for the table.
pub(super) fn fits(table: &Table) -> bool {
    table.rows <= MOST_ROWS && table.columns <= MOST_COLUMNS
}

pub(super) fn xlsx(tables: &[Table]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let mut writer = Writer::new();
    for (table, number) in tables.iter().zip(1..) {
        let sheet = workbook.add_worksheet();
        sheet.set_name(format!("Table {number}"))?;
        writer.write(table, sheet)?;
    }
    workbook.save_to_buffer()
}

struct Writer {
    text: Format,
    header: Format,
    /// By their decimals.
    numbers: Vec<Format>,
    /// How many places may still be merged.
    left: usize,
}

impl Writer {
    fn new() -> Self {
        let text = Format::new().set_text_wrap().set_align(FormatAlign::Top);
        let number = |decimals: usize| {
            let point = if decimals > 0 { "." } else { "" };
            Format::new().set_align(FormatAlign::Top).set_num_format(format!("0{point}{}", "0".repeat(decimals)))
        };
        let numbers = (0..=MOST_DIGITS).map(number).collect();
        Self { header: text.clone().set_bold(), text, numbers, left: MOST_MERGED }
    }

    fn write(&mut self, table: &Table, sheet: &mut Worksheet) -> Result<(), XlsxError> {
        let are_numbers = numeric_columns(table);
        let mut taken: HashSet<_> = table.cells.iter().map(|cell| (cell.row, cell.column)).collect();
        for cell in table.cells.iter().filter(|cell| cell.row < table.rows && cell.column < table.columns) {
            let (Ok(row), Ok(column)) = (RowNum::try_from(cell.row), ColNum::try_from(cell.column)) else { continue };
            let number = are_numbers.get(cell.column).filter(|are| **are && !is_text(cell)).and_then(|_| number(cell));
            if let Some(Number { value, decimals }) = number
                && let Some(format) = self.numbers.get(decimals)
            {
                sheet.write_number_with_format(row, column, value, format)?;
                continue;
            }
            let merged = self.merged(cell, table, &mut taken);
            let format = if cell.header { &self.header } else { &self.text };
            match merged {
                Some((last_row, last_column)) => {
                    sheet.merge_range(row, column, last_row, last_column, &clipped(&cell.text), format)?;
                }
                None if cell.text.is_empty() => {}
                None => {
                    sheet.write_string_with_format(row, column, clipped(&cell.text), format)?;
                }
            }
        }
        sheet.set_freeze_panes(header_rows(table), 0)?;
        sheet.set_autofit_max_width(WIDEST_PIXELS).autofit();
        Ok(())
    }

    /// The last place of a cell that covers others, if no other cell has one of them. They are taken from now on.
    fn merged(&mut self, cell: &Cell, table: &Table, taken: &mut HashSet<(usize, usize)>) -> Option<(RowNum, ColNum)> {
        let rows = cell.row..cell.row.saturating_add(cell.row_span).min(table.rows);
        let columns = cell.column..cell.column.saturating_add(cell.column_span).min(table.columns);
        let count = rows.len().saturating_mul(columns.len());
        if count < 2 || count > self.left {
            return None;
        }
        let covered = || {
            let places = rows.clone().flat_map(|row| columns.clone().map(move |column| (row, column)));
            places.filter(|place| *place != (cell.row, cell.column))
        };
        if covered().any(|place| taken.contains(&place)) {
            return None;
        }
        let last = (RowNum::try_from(rows.end - 1).ok()?, ColNum::try_from(columns.end - 1).ok()?);
        taken.extend(covered());
        self.left -= count;
        Some(last)
    }
}

/// How many of the first rows have nothing but headers.
fn header_rows(table: &Table) -> RowNum {
    let body = table.cells.iter().filter(|cell| !cell.header).map(|cell| cell.row).min();
    // A table of nothing but headers has no rows to scroll.
    body.and_then(|row| RowNum::try_from(row).ok()).unwrap_or_default()
}

struct Number {
    value: f64,
    decimals: usize,
}

/// Columns in which every cell with text is a number: in others, a sum would leave some out without a word.
fn numeric_columns(table: &Table) -> Vec<bool> {
    let mut are_numbers = vec![true; table.columns];
    for cell in table.cells.iter().filter(|cell| !is_text(cell) && number(cell).is_none()) {
        if let Some(column) = are_numbers.get_mut(cell.column) {
            *column = false;
        }
    }
    are_numbers
}

/// Whether a cell counts neither for nor against its column being one of numbers.
fn is_text(cell: &Cell) -> bool {
    cell.header || cell.row_span > 1 || cell.column_span > 1 || matches!(cell.text.trim(), "" | "-" | "–" | "—")
}

/// A number that reads the same in every country and loses nothing: no separators of thousands, no zeros before it as in `007`, and
/// not three decimals, which may be thousands.
fn number(cell: &Cell) -> Option<Number> {
    let text = cell.text.trim();
    let (sign, unsigned) = match text.strip_prefix(['-', '−']) {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (whole, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_safe = !whole.is_empty()
        && are_digits(whole)
        && are_digits(decimals)
        && (whole == "0" || !whole.starts_with('0'))
        && (decimals.is_empty() != unsigned.contains('.'))
        && (decimals.len() != 3 || whole == "0")
        && whole.len() + decimals.len() <= MOST_DIGITS;
    let value = is_safe.then(|| format!("{sign}{unsigned}").parse().ok()).flatten()?;
    Some(Number { value, decimals: decimals.len() })
}

/// As much of a text as a cell has room for, in units of UTF-16.
fn clipped(text: &str) -> Cow<'_, str> {
    // No text has more units than bytes.
    if text.len() <= MOST_UNITS {
        return Cow::Borrowed(text);
    }
    let mut units = 0;
    let kept = text.chars().take_while(|c| {
        units += c.len_utf16();
        units <= MOST_UNITS
    });
    Cow::Owned(kept.collect())
}
