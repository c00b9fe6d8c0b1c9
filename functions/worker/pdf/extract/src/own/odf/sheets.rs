//! Spreadsheets: a heading for each sheet, and a table for each area of cells.

use docmill_pdf_request::Failure;
use roxmltree::Node;

use super::Reader;
use super::table::rows;
use crate::model::{Role, Why};
use crate::own::grid::MOST_COLUMNS;
use crate::own::package::{attribute, elements, is, too_large};
use crate::own::sheet::{Area, Cell, MOST_ROWS, Row, Sheet};
use crate::own::text::Text;

/// What a cell takes besides its text: a few bytes can repeat one very often.
const CELL: usize = 16;

impl Reader<'_, '_, '_> {
    pub(super) fn sheets(&mut self, node: Node<'_, '_>) -> Result<(), Failure> {
        for table in elements(node, "table") {
            let name = attribute(table, "name").unwrap_or_default();
            let sheet = self.sheet(table)?;
            if self.styles.of("table", attribute(table, "style-name")).hidden == Some(true) {
                self.builder.hide(&format!("{name}\n{}", sheet.lines()), Why::Invisible);
                self.pictures.clear();
                continue;
            }
            self.builder.block(Role::Heading { level: 1 }, Text::plain(name));
            sheet.write(self.builder);
            for shapes in elements(table, "shapes") {
                self.blocks(shapes)?;
            }
            self.show_pictures()?;
        }
        Ok(())
    }

    fn sheet(&mut self, table: Node<'_, '_>) -> Result<Sheet, Failure> {
        let mut sheet = Sheet::default();
        hide_columns(table, &mut sheet);
        let (mut number, mut room) = (0, self.builder.room());
        for (row, is_head) in rows(table, false) {
            let repeated = count(row, "number-rows-repeated");
            let cells = self.cells(row, number, is_head, &mut sheet)?;
            let is_hidden = matches!(attribute(row, "visibility"), Some("collapse" | "filter"));
            let bytes: usize = cells.iter().map(|(_, cell)| cell.to_plain().len() + CELL).sum();
            let copies = if cells.is_empty() { 0 } else { repeated.min(MOST_ROWS.saturating_sub(number)) };
            for copy in 0..copies {
                // Each copy is counted before it is made.
                room = room.checked_sub(bytes as u64).ok_or_else(|| too_large("text beyond the limit"))?;
                let cell = |(column, text): &(usize, Text)| {
                    let is_number = is_number(text);
                    Cell { column: *column, text: text.clone(), is_number }
                };
                sheet.rows.push(Row { number: number + copy, is_hidden, cells: cells.iter().map(cell).collect() });
            }
            number = number.saturating_add(repeated);
        }
        Ok(sheet)
    }

    /// The cells of a row that have text, by their columns.
    fn cells(
        &mut self,
        row: Node<'_, '_>,
        number: usize,
        is_head: bool,
        sheet: &mut Sheet,
    ) -> Result<Vec<(usize, Text)>, Failure> {
        let (mut column, mut cells): (usize, Vec<(usize, Text)>) = (0, Vec::new());
        let mut room = self.builder.room();
        for cell in row.children().filter(|part| is(*part, "table-cell") || is(*part, "covered-table-cell")) {
            let repeated = count(cell, "number-columns-repeated");
            let text = self.inside(cell)?;
            let (down, along) = (count(cell, "number-rows-spanned"), count(cell, "number-columns-spanned"));
            if down > 1 || along > 1 {
                let (bottom, right) = ((number + down).min(MOST_ROWS), (column + along).min(MOST_COLUMNS));
                let area = Area { top: number, left: column, bottom: bottom.max(1) - 1, right: right.max(1) - 1 };
                sheet.merged.insert((number, column), area);
            }
            if !text.is_blank() {
                let bytes = (text.to_plain().len() + CELL) as u64;
                for copy in 0..repeated.min(MOST_COLUMNS.saturating_sub(column)) {
                    room = room.checked_sub(bytes).ok_or_else(|| too_large("text beyond the limit"))?;
                    cells.push((column + copy, text.clone()));
                }
            }
            column = column.saturating_add(repeated);
        }
        if let (true, Some((left, _)), Some((right, _))) = (is_head, cells.first(), cells.last()) {
            sheet.heads.push(Area { top: number, left: *left, bottom: number, right: *right });
        }
        Ok(cells)
    }
}

fn count(node: Node<'_, '_>, name: &str) -> usize {
    attribute(node, name).and_then(|number| number.parse().ok()).unwrap_or(1).clamp(1, MOST_ROWS)
}

fn is_number(text: &Text) -> bool {
    text.to_plain().trim().trim_end_matches('%').replace(',', "").parse::<f64>().is_ok()
}

fn hide_columns(table: Node<'_, '_>, sheet: &mut Sheet) {
    let mut at = 0_usize;
    for column in table.descendants().filter(|node| is(*node, "table-column")) {
        let end = at.saturating_add(count(column, "number-columns-repeated"));
        if matches!(attribute(column, "visibility"), Some("collapse" | "filter")) {
            sheet.hide_columns(at, end);
        }
        at = end;
    }
}
