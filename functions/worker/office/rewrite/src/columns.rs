//! Columns of tables in text documents. Word makes them as wide as their words, and LibreOffice, which stores widths as parts of the
//! table's, rounds them: a word that just fits would break.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, attribute};

/// Twips that a column gets, a fifth of a point: more than the rounding, and too little to be seen.
const WIDER: i64 = 4;

/// The tables around a place in the text, the innermost one last.
#[derive(Default)]
pub(super) struct Tables(Vec<Table>);

#[derive(Default)]
struct Table {
    /// Its column widths are fixed, whatever the content.
    is_fixed: bool,
    edits: Vec<Edit>,
    cell: Cell,
}

#[derive(Default)]
struct Cell {
    width: Option<(Range<usize>, i64)>,
    columns: Option<i64>,
}

impl Tables {
    /// The edits of a table at its end.
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Vec<Edit> {
        match tag {
            Tag::Start(tag) if tag.name().as_ref() == "w:tbl" => self.0.push(Table::default()),
            Tag::End(name) if name == "w:tbl" => return self.0.pop().map(Table::edits).unwrap_or_default(),
            Tag::End(name) if name == "w:tcPr" => self.0.last_mut().map(Table::end_cell).unwrap_or_default(),
            Tag::Empty(tag) => self.0.last_mut().map(|table| table.visit(range, tag)).unwrap_or_default(),
            Tag::Start(_) | Tag::End(_) => {}
        }
        Vec::new()
    }
}

impl Table {
    fn visit(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "w:tblLayout" => self.is_fixed = attribute(tag, "w:type").as_deref() == Some("fixed"),
            "w:gridCol" => self.edits.extend(number(tag, "w:w").map(|width| {
                let width = width + WIDER;
                Edit::new(range, format!("<w:gridCol w:w=\"{width}\"/>"))
            })),
            "w:tcW" if attribute(tag, "w:type").as_deref() == Some("dxa") => {
                self.cell.width = number(tag, "w:w").map(|width| (range, width));
            }
            "w:gridSpan" => self.cell.columns = number(tag, "w:val"),
            _ => {}
        }
    }

    fn end_cell(&mut self) {
        let Cell { width, columns } = std::mem::take(&mut self.cell);
        self.edits.extend(width.filter(|(_, width)| *width > 0).map(|(range, width)| {
            let width = width + WIDER * columns.unwrap_or(1);
            Edit::new(range, format!("<w:tcW w:w=\"{width}\" w:type=\"dxa\"/>"))
        }));
    }

    fn edits(self) -> Vec<Edit> {
        if self.is_fixed { Vec::new() } else { self.edits }
    }
}

/// Word writes at most 31,680 twips, or 22 inches, and 63 columns.
fn number(tag: &BytesStart<'_>, name: &str) -> Option<i64> {
    attribute(tag, name)?.parse().ok().filter(|number| (0..=31_680).contains(number))
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;

    fn table(layout: &str, widths: [u32; 4]) -> String {
        let [first, second, cell, both] = widths;
        format!(
            "<w:tbl><w:tblPr>{layout}</w:tblPr><w:tblGrid><w:gridCol w:w=\"{first}\"/><w:gridCol w:w=\"{second}\"/></w:tblGrid>\
             <w:tr><w:tc><w:tcPr><w:tcW w:w=\"{cell}\" w:type=\"dxa\"/></w:tcPr><w:p/></w:tc>\
             <w:tc><w:tcPr><w:tcW w:w=\"0\" w:type=\"auto\"/></w:tcPr><w:p/></w:tc></w:tr>\
             <w:tr><w:tc><w:tcPr><w:tcW w:w=\"{both}\" w:type=\"dxa\"/><w:gridSpan w:val=\"2\"/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>"
        )
    }

    #[test]
    fn columns_that_word_fits_to_their_words_get_room_for_rounding() {
        let fitted = table("", [404, 6004, 404, 6408]);
        assert_eq!(edited(&table("", [400, 6000, 400, 6400]), None).unwrap().xml.unwrap(), fitted);
        assert!(edited(&table("<w:tblLayout w:type=\"fixed\"/>", [400, 6000, 400, 6400]), None).unwrap().xml.is_none());
    }

    #[test]
    fn a_table_in_a_table_has_a_layout_of_its_own() {
        let fixed = table("<w:tblLayout w:type=\"fixed\"/>", [400, 6000, 400, 6400]);
        let nested = |widths| table("", widths).replacen("<w:p/>", &fixed, 1);
        assert_eq!(edited(&nested([400, 6000, 400, 6400]), None).unwrap().xml.unwrap(), nested([404, 6004, 404, 6408]));
    }
}
