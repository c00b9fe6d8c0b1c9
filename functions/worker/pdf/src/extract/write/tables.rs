//! Tables as CSV. A cell that spans others has its text at its first place.

use super::super::model::Table;

/// Characters with which spreadsheets begin a formula, also in their wide forms.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

pub(super) fn csv(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let mut rows = vec![vec![String::new(); table.columns]; table.rows];
    for cell in &table.cells {
        if let Some(place) = rows.get_mut(cell.row).and_then(|row| row.get_mut(cell.column)) {
            *place = harmless(&cell.text);
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().try_for_each(|row| writer.write_record(row))?;
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// A document is a stranger's text: spreadsheets run what begins like a formula, unless an apostrophe is before it. Numbers stay
/// numbers.
fn harmless(text: &str) -> String {
    if text.trim_start_matches(' ').starts_with(FORMULA) && !is_number(text) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

fn is_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '%' | ' ' | '\u{a0}' | '\u{202f}');
    text.strip_prefix(['+', '-']).is_some_and(|unsigned| unsigned.chars().all(is_part))
}
