//! Tables with merged cells, and those in cells.

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use crate::own::grid::Grid;
use crate::own::package::{attribute, child, path, switch};
use crate::own::text::{Style, Text};

impl Reader<'_, '_, '_> {
    pub(super) fn table(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let mut rows = Vec::new();
        gather(node, "tr", &mut rows);
        let mut cells = Vec::new();
        if let [row] = rows.as_slice() {
            gather(*row, "tc", &mut cells);
        }
        if let [cell] = cells.as_slice() {
            // A frame around text.
            return self.blocks(*cell);
        }
        if self.in_text {
            return self.inner_table(&rows);
        }
        self.end_code();
        let has_head = self.has_head(node);
        let mut grid = Grid::default();
        for (number, row) in rows.into_iter().enumerate() {
            let is_head = number == 0 && has_head;
            self.row(row, is_head, &mut grid)?;
            if self.builder.is_full() {
                break;
            }
        }
        self.builder.table(grid);
        self.show_pictures()
    }

    /// Whether the table's style sets its first row apart.
    fn has_head(&self, node: Node<'_, '_>) -> bool {
        let Some(properties) = child(node, "tblPr") else { return false };
        let style = child(properties, "tblStyle").and_then(|style| attribute(style, "val"));
        let Some(look) = child(properties, "tblLook") else { return false };
        let bits = attribute(look, "val").and_then(|bits| u32::from_str_radix(bits, 16).ok());
        let is_on = match attribute(look, "firstRow") {
            Some(on) => matches!(on, "1" | "true" | "on"),
            None => bits.is_some_and(|bits| bits & 0x20 != 0),
        };
        is_on && style.is_some_and(|style| self.styles.has_first_row(style))
    }

    fn row(&mut self, row: Node<'_, '_>, is_head: bool, grid: &mut Grid) -> Result<(), Failure> {
        let properties = child(row, "trPr");
        let property = |name| properties.and_then(|properties| child(properties, name));
        if property("del").is_some() {
            return Ok(());
        }
        let mut cells = Vec::new();
        gather(row, "tc", &mut cells);
        if property("hidden").is_some_and(switch) {
            for cell in cells {
                let text = self.inside(cell)?.to_plain();
                self.hide(&text);
            }
            return Ok(());
        }
        let is_head = is_head || property("tblHeader").is_some_and(switch);
        grid.next_row();
        let before = property("gridBefore").and_then(|node| attribute(node, "val")?.parse().ok());
        grid.skip(before.unwrap_or(0));
        for cell in cells {
            let span = path(cell, &["tcPr", "gridSpan"]).and_then(|node| attribute(node, "val")?.parse().ok());
            let merge = path(cell, &["tcPr", "vMerge"]);
            let goes_on = merge.is_some_and(|merge| attribute(merge, "val") != Some("restart"));
            let text = self.inside(cell)?;
            if !goes_on || !text.is_blank() || !grid.extend(span.unwrap_or(1)) {
                grid.cell(span.unwrap_or(1), 1, is_head, text);
            }
        }
        Ok(())
    }

    /// A table in a cell, which is text there: rows of tabs.
    fn inner_table(&mut self, rows: &[Node<'_, '_>]) -> Result<(), Failure> {
        for row in rows {
            if !self.line.ends_line() {
                self.line.line_break();
            }
            let mut cells = Vec::new();
            gather(*row, "tc", &mut cells);
            for (number, cell) in cells.into_iter().enumerate() {
                let text: Text = self.inside(cell)?.in_one_line();
                if number > 0 {
                    self.line.push("\t", &Style::default());
                }
                self.line.append(text);
            }
        }
        self.line.line_break();
        Ok(())
    }
}

/// Rows or cells, also those in content controls and of insertions.
fn gather<'a, 'i>(node: Node<'a, 'i>, name: &str, found: &mut Vec<Node<'a, 'i>>) {
    for part in node.children().filter(Node::is_element) {
        match part.tag_name().name() {
            own if own == name => found.push(part),
            "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => gather(part, name, found),
            _ => {}
        }
    }
}
