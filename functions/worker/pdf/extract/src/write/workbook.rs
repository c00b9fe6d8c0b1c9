//! All tables as one workbook, with a sheet for each. Nothing in it is a formula or a link.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use rust_xlsxwriter::{ColNum, Format, FormatAlign, RowNum, Workbook, Worksheet, XlsxError};

use super::super::model::{Cell, Document, Role, Table};

/// What a sheet has room for.
const MOST_ROWS: usize = 1 << 20;
const MOST_COLUMNS: usize = 1 << 14;
const MOST_UNITS: usize = 32_767;
const MOST_NAME: usize = 31;
/// The most places that cells of a workbook may cover together. Further cells are not merged.
const MOST_MERGED: usize = 1_000_000;
/// A double keeps so many digits.
const MOST_DIGITS: usize = 15;
const WIDEST_PIXELS: u32 = 480;

/// Whether a sheet has room for the table.
pub(super) fn fits(table: &Table) -> bool {
    table.rows <= MOST_ROWS && table.columns <= MOST_COLUMNS
}

/// A workbook of these tables, with a name for each sheet.
pub(super) fn xlsx(tables: &[Table], names: &[String]) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    let mut writer = Writer::new();
    for (table, name) in tables.iter().zip(names) {
        let sheet = workbook.add_worksheet();
        sheet.set_name(name)?;
        writer.write(table, sheet)?;
    }
    workbook.save_to_buffer()
}

/// `Table 1` and so on.
pub(super) fn numbered(tables: &[Table]) -> Vec<String> {
    (1..=tables.len()).map(|number| format!("Table {number}")).collect()
}

/// The captions of tables as far as sheets have room for them, each once; the number of those that have none.
pub(super) fn captioned(document: &Document) -> Vec<String> {
    let blocks = document.blocks.iter();
    let tables: HashMap<&str, &str> = blocks
        .clone()
        .filter_map(|block| {
            if let Role::Table { table } = &block.role { Some((table.0.as_str(), block.id.0.as_str())) } else { None }
        })
        .collect();
    let captions: HashMap<&str, &str> = blocks
        .filter_map(|block| {
            if let Role::Caption { of: Some(of) } = &block.role {
                Some((of.0.as_str(), block.text.as_str()))
            } else {
                None
            }
        })
        .collect();
    let mut taken = HashSet::new();
    let name = |(table, number): (&Table, usize)| {
        let caption =
            tables.get(table.id.0.as_str()).and_then(|block| captions.get(block)).map(|text| sheet_name(text));
        let numbers = (number..).map(|number| format!("Table {number}"));
        let mut names = caption.filter(|name| !name.is_empty()).into_iter().chain(numbers);
        names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
    };
    document.tables.iter().zip(1..).map(name).collect()
}

/// A text as the name of a sheet, which has at most 31 characters, and not all of them.
fn sheet_name(text: &str) -> String {
    let is_forbidden = |c: char| c.is_control() || matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\');
    let words = text.split(|c: char| is_forbidden(c) || c.is_whitespace()).filter(|word| !word.is_empty());
    let mut units = 0;
    let name = words.collect::<Vec<_>>().join(" ");
    let kept: String = name
        .chars()
        .take_while(|c| {
            units += c.len_utf16();
            units <= MOST_NAME
        })
        .collect();
    let name = kept.trim_matches(['\'', ' ']).to_owned();
    // Excel keeps this name for itself.
    if name.eq_ignore_ascii_case("history") { String::new() } else { name }
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
