//! Space between the cells of a table in a text document. LibreOffice leaves it out, so cells get it as margins above and below, and
//! rows are as high as in Word: 17.6 points instead of 16.1 for 12-point letters with 0.75 points around each cell.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Tag, attribute};

/// The tables around a place in the text, the innermost one last.
#[derive(Default)]
pub(super) struct SpacedTables(Vec<Table>);

#[derive(Default)]
struct Table {
    /// Twips on each side of a cell.
    spacing: i64,
    is_in_margins: bool,
    has_top: bool,
    has_bottom: bool,
}

impl SpacedTables {
    pub(super) fn visit(&mut self, range: Range<usize>, tag: &Tag<'_>) -> Option<Edit> {
        match tag {
            Tag::Start(tag) if tag.name().as_ref() == "w:tbl" => self.0.push(Table::default()),
            Tag::Start(tag) if tag.name().as_ref() == "w:tblCellMar" => self.0.last_mut()?.is_in_margins = true,
            Tag::End(name) if name == "w:tblCellMar" => self.0.last_mut()?.is_in_margins = false,
            Tag::End(name) if name == "w:tblPr" => return self.0.last()?.missing_margins(range.start),
            Tag::End(name) if name == "w:tbl" => drop(self.0.pop()),
            Tag::Empty(tag) => return self.0.last_mut()?.visit(range, tag),
            Tag::Start(_) | Tag::End(_) => {}
        }
        None
    }
}

impl Table {
    fn visit(&mut self, range: Range<usize>, tag: &BytesStart<'_>) -> Option<Edit> {
        let name = tag.name();
        let side = match name.as_ref() {
            "w:tblCellSpacing" => {
                self.spacing = twips(tag).unwrap_or(0);
                return None;
            }
            "w:top" if self.is_in_margins => {
                self.has_top = true;
                "top"
            }
            "w:bottom" if self.is_in_margins => {
                self.has_bottom = true;
                "bottom"
            }
            _ => return None,
        };
        let margin = twips(tag)?.checked_add(self.spacing)?;
        (self.spacing > 0).then(|| Edit::new(range, element(side, margin)))
    }

    /// `end`: of the table's properties.
    fn missing_margins(&self, end: usize) -> Option<Edit> {
        let sides = [("top", self.has_top), ("bottom", self.has_bottom)];
        let missing: String =
            sides.iter().filter(|(_, has)| !has).map(|(side, _)| element(side, self.spacing)).collect();
        (self.spacing > 0 && !missing.is_empty())
            .then(|| Edit::new(end..end, format!("<w:tblCellMar>{missing}</w:tblCellMar>")))
    }
}

fn element(side: &str, margin: i64) -> String {
    format!("<w:{side} w:w=\"{margin}\" w:type=\"dxa\"/>")
}

fn twips(tag: &BytesStart<'_>) -> Option<i64> {
    let is_absolute = attribute(tag, "w:type").as_deref() == Some("dxa");
    attribute(tag, "w:w").filter(|_| is_absolute)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::texts::edited;

    fn table(properties: &str) -> String {
        format!(
            "<w:tbl><w:tblPr>{properties}</w:tblPr><w:tr><w:trPr><w:tblCellSpacing w:w=\"15\" w:type=\"dxa\"/></w:trPr></w:tr></w:tbl>"
        )
    }

    fn changed(properties: &str) -> Option<String> {
        edited(&table(properties), None).unwrap().xml
    }

    #[test]
    fn cells_get_the_space_between_them_as_margins() {
        let spacing = "<w:tblCellSpacing w:w=\"15\" w:type=\"dxa\"/>";
        let margins = |top: u32, bottom: u32| {
            format!(
                "<w:tblCellMar><w:top w:w=\"{top}\" w:type=\"dxa\"/><w:left w:w=\"7\" w:type=\"dxa\"/>\
                 <w:bottom w:w=\"{bottom}\" w:type=\"dxa\"/></w:tblCellMar>"
            )
        };
        let borders = "<w:tblBorders><w:top w:val=\"single\"/></w:tblBorders>";
        assert_eq!(
            changed(&format!("{spacing}{borders}{}", margins(15, 0))).unwrap(),
            table(&format!("{spacing}{borders}{}", margins(30, 15)))
        );
        let added =
            "<w:tblCellMar><w:top w:w=\"15\" w:type=\"dxa\"/><w:bottom w:w=\"15\" w:type=\"dxa\"/></w:tblCellMar>";
        assert_eq!(changed(spacing).unwrap(), table(&format!("{spacing}{added}")));
        for stays in [margins(15, 0), spacing.replace("dxa", "nil"), spacing.replace("15", "0")] {
            assert_eq!(changed(&stays), None);
        }
    }
}
