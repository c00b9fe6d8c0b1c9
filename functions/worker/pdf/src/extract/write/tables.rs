//! Tables as CSV. A cell that spans others has its text at its first place.

use std::borrow::Cow;

use super::super::model::Table;

/// Characters with which spreadsheets begin a formula, also in their wide forms.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

pub(super) fn csv(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in table.places() {
        let texts = row.into_iter().map(|cell| cell.map_or(Cow::Borrowed(""), |cell| harmless(&cell.text)));
        writer.write_record(texts.map(Cow::into_owned))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}

/// A document is a stranger's text: spreadsheets run what begins like a formula, unless an apostrophe is before it. Numbers stay
/// numbers.
fn harmless(text: &str) -> Cow<'_, str> {
    if text.trim_start_matches(' ').starts_with(FORMULA) && !is_number(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '%' | ' ' | '\u{a0}' | '\u{202f}');
    text.strip_prefix(['+', '-']).is_some_and(|unsigned| unsigned.chars().all(is_part))
}
