//! Tables of separated values.

use csv::ReaderBuilder;
use docmill_pdf_request::Failure;

use super::builder::Builder;
use super::grid::Grid;
use super::package::damaged;
use super::text::Text;

/// Bytes in which the separator is looked for.
const SAMPLE: usize = 64 << 10;

pub(super) fn read(text: &str, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let text = text.trim_start_matches('\u{feff}');
    let (separator, text) = match declared(text) {
        Some(declared) => declared,
        None => (separator(text), text),
    };
    let mut reader =
        ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows: Vec<csv::StringRecord> = Vec::new();
    for row in reader.records() {
        rows.push(row.map_err(|_| damaged("a row can't be read"))?);
    }
    let has_head = rows.len() > 1 && rows.first().is_some_and(|row| row.iter().all(is_name));
    let mut grid = Grid::default();
    for (number, row) in rows.iter().enumerate() {
        grid.next_row();
        for value in row {
            grid.cell(1, 1, has_head && number == 0, Text::plain(value));
        }
    }
    builder.table(grid);
    Ok(())
}

/// The separator of a first line such as `sep=;`, and the text after it.
fn declared(text: &str) -> Option<(u8, &str)> {
    let (line, rest) = text.split_once('\n')?;
    match line.trim_end_matches('\r').strip_prefix("sep=")?.as_bytes() {
        [separator] => Some((*separator, rest)),
        _ => None,
    }
}

/// The one that gives the most rows of equally many values, more than one. Quoted ones don't count. Commas are in many texts and
/// numbers, so that each other one goes before.
fn separator(text: &str) -> u8 {
    let end = (0..=text.len().min(SAMPLE)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let sample = text.get(..end).unwrap_or_default();
    let score = |separator: u8| {
        let mut reader =
            ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(sample.as_bytes());
        let widths: Vec<_> = reader.records().map_while(Result::ok).map(|row| row.len()).collect();
        let first = widths.first().copied().unwrap_or(0);
        let equal = widths.iter().filter(|width| **width == first).count();
        if first < 2 { 0 } else { equal * 100 / widths.len() }
    };
    b",|;\t".iter().copied().max_by_key(|separator| score(*separator)).filter(|best| score(*best) > 0).unwrap_or(b',')
}

/// Whether a value may name a column.
fn is_name(value: &str) -> bool {
    !value.trim().is_empty() && value.trim().parse::<f64>().is_err()
}
