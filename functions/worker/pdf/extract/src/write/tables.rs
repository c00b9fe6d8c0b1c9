//! Tables as CSV. A cell that spans others has its text at its first place.

use std::borrow::Cow;

use docmill_domain::spreadsheet;

use super::super::model::Table;

pub(super) fn csv(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in table.places() {
        let texts = row.into_iter().map(|cell| cell.map_or(Cow::Borrowed(""), |cell| spreadsheet::cell(&cell.text)));
        writer.write_record(texts.map(Cow::into_owned))?;
    }
    writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))
}
