//! Rows that tables repeat on each page. If they are higher than a page, LibreOffice prints what fits on one and drops the rest; Word
//! prints all of it once.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, attribute};

/// Rows up to this height, in points, are repeated: less than the text of a page, since the height is an estimate.
const HIGHEST: f64 = 400.0;
/// The width of a cell that does not say it.
const WIDTH: f64 = 150.0;
/// The size of letters without one, the height of a line and the width of a letter as parts of it.
const SIZE: f64 = 11.0;
const LINE: f64 = 1.2;
const LETTER: f64 = 0.5;
/// Margins at the sides of a cell.
const SIDES: f64 = 10.8;

/// The tables around a place in the text, the innermost one last.
#[derive(Default)]
pub(super) struct HeaderRows(Vec<Table>);

#[derive(Default)]
struct Table {
    /// The height of the repeated rows so far.
    height: f64,
    row: Row,
}

#[derive(Default)]
struct Row {
    repeats: Option<Range<usize>>,
    /// The height of the highest cell.
    height: f64,
    cell: Cell,
}

#[derive(Default)]
struct Cell {
    width: Option<f64>,
    height: f64,
    /// Bytes of text in the paragraph, and the start of the text that is read.
    letters: usize,
    text: Option<usize>,
    size: Option<f64>,
}

impl HeaderRows {
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Option<Edit> {
        match tag {
            Tag::Start(tag) if tag.name().as_ref() == "w:tbl" => self.0.push(Table::default()),
            Tag::End(name) if name == "w:tbl" => {
                let inner = self.0.pop()?;
                if let Some(outer) = self.0.last_mut() {
                    outer.row.cell.height += inner.row.height;
                }
            }
            Tag::Start(tag) => self.0.last_mut()?.start(range, tag),
            Tag::Empty(tag) => self.0.last_mut()?.property(range, tag),
            Tag::End(name) => return self.0.last_mut()?.end(range, name),
        }
        None
    }
}

impl Table {
    fn start(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        match tag.name().as_ref() {
            "w:tr" => self.row = Row::default(),
            "w:tc" => self.row.cell = Cell::default(),
            "w:p" => self.row.cell.letters = 0,
            "w:t" => self.row.cell.text = Some(range.end),
            _ => {}
        }
    }

    fn property(&mut self, range: Range<usize>, tag: &BytesStart<'_>) {
        let number = |name| attribute(tag, name).and_then(|number| number.parse::<f64>().ok());
        match tag.name().as_ref() {
            "w:tblHeader" => {
                let is_off =
                    attribute(tag, "w:val").is_some_and(|value| ["0", "false", "off"].contains(&value.as_str()));
                self.row.repeats = (!is_off).then_some(range);
            }
            "w:tcW" if attribute(tag, "w:type").as_deref() == Some("dxa") => {
                self.row.cell.width = number("w:w").map(|twips| twips / 20.0);
            }
            "w:sz" => self.row.cell.size = number("w:val").map(|halves| halves / 2.0).or(self.row.cell.size),
            "w:br" => self.row.cell.height += SIZE * LINE,
            "w:p" => self.row.cell.height += SIZE * LINE,
            _ => {}
        }
    }

    fn end(&mut self, range: Range<usize>, name: &str) -> Option<Edit> {
        let Self { height, row } = self;
        match name {
            "w:t" => row.cell.letters += row.cell.text.take().map_or(0, |start| range.start.saturating_sub(start)),
            "w:p" => row.cell.end_paragraph(),
            "w:tc" => row.height = row.height.max(row.cell.height),
            "w:tr" => {
                let place = row.repeats.take()?;
                if *height + row.height > HIGHEST {
                    return Some(Edit::removal(place));
                }
                *height += row.height;
            }
            _ => {}
        }
        None
    }
}

impl Cell {
    fn end_paragraph(&mut self) {
        let size = self.size.unwrap_or(SIZE);
        let width = (self.width.unwrap_or(WIDTH) - SIDES).max(size);
        let lines = (self.letters as f64 * size * LETTER / width).ceil().max(1.0);
        self.height += lines * size * LINE;
        self.letters = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;

    fn table(mark: &str, words: usize) -> String {
        let text = "word ".repeat(words);
        format!(
            "<w:tbl><w:tblPr><w:tblLayout w:type=\"fixed\"/></w:tblPr><w:tr><w:trPr>{mark}</w:trPr><w:tc><w:tcPr><w:tcW w:w=\"4320\" w:type=\"dxa\"/></w:tcPr>\
             <w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        )
    }

    #[test]
    fn only_low_rows_are_repeated() {
        let mark = "<w:tblHeader/>";
        assert_eq!(edited(&table(mark, 2_000), None).unwrap().xml.unwrap(), table("", 2_000));
        for (mark, words) in [(mark, 20), (mark, 150), ("<w:tblHeader w:val=\"0\"/>", 2_000), ("", 2_000)] {
            assert_eq!(edited(&table(mark, words), None).unwrap().xml, None, "{mark} {words}");
        }
    }

    #[test]
    fn repeated_rows_count_together_and_with_tables_in_them() {
        let rows = |marks: [&str; 2]| {
            let row = |mark| format!("<w:tr><w:trPr>{mark}</w:trPr><w:tc>{}</w:tc></w:tr>", "<w:p/>".repeat(20));
            format!("<w:tbl>{}</w:tbl>", marks.map(row).concat())
        };
        let mark = "<w:tblHeader/>";
        assert_eq!(edited(&rows([mark, mark]), None).unwrap().xml.unwrap(), rows([mark, ""]));
        let nested =
            |mark| format!("<w:tbl><w:tr><w:trPr>{mark}</w:trPr><w:tc>{}</w:tc></w:tr></w:tbl>", table("", 2_000));
        assert_eq!(edited(&nested(mark), None).unwrap().xml.unwrap(), nested(""));
    }
}
