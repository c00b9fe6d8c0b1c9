//! Tables of texts and presentations.

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use crate::own::grid::Grid;
use crate::own::package::{attribute, elements, is};
use crate::own::text::Style;

/// Most times that one cell is repeated in a row of a text.
const MOST_REPEATS: usize = 1_000;

impl Reader<'_, '_, '_> {
    pub(super) fn table(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        let rows = rows(node, false);
        let cells: Vec<_> = rows.iter().flat_map(|(row, _)| elements(*row, "table-cell")).take(2).collect();
        if let [cell] = cells.as_slice() {
            // A frame around text.
            return self.blocks(*cell);
        }
        if self.in_text {
            return self.inner_table(&rows);
        }
        self.end_code();
        let mut grid = Grid::default();
        for (row, is_head) in rows {
            grid.next_row();
            for cell in elements(row, "table-cell") {
                let text = self.inside(cell)?;
                let number = |name| attribute(cell, name).and_then(|number| number.parse::<usize>().ok()).unwrap_or(1);
                for _ in 0..number("number-columns-repeated").min(MOST_REPEATS) {
                    grid.cell(number("number-columns-spanned"), number("number-rows-spanned"), is_head, text.clone());
                }
            }
        }
        self.builder.table(grid);
        self.show_pictures()
    }

    /// A table in a cell, which is text there: rows of tabs.
    fn inner_table(&mut self, rows: &[(Node<'_, '_>, bool)]) -> Result<(), Failure> {
        for (row, _) in rows {
            if !self.line.ends_line() {
                self.line.line_break();
            }
            for (number, cell) in elements(*row, "table-cell").enumerate() {
                let text = self.inside(cell)?.in_one_line();
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

/// The rows of a table, and whether each is in its head.
pub(super) fn rows<'a, 'i>(node: Node<'a, 'i>, in_head: bool) -> Vec<(Node<'a, 'i>, bool)> {
    let mut found = Vec::new();
    for part in node.children().filter(Node::is_element) {
        if is(part, "table-row") {
            found.push((part, in_head));
        } else if is(part, "table-header-rows") {
            found.extend(rows(part, true));
        } else if is(part, "table-rows") || is(part, "table-row-group") {
            found.extend(rows(part, in_head));
        }
    }
    found
}
