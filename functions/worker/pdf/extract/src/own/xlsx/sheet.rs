//! Reads a sheet's cells.

use std::collections::HashMap;
use std::mem;
use std::rc::Rc;

use docmill_package::Relations;
use docmill_pdf_request::Failure;
use quick_xml::events::BytesStart;

use super::cells::{Values, area, place};
use super::scan::{Piece, attribute, is_on, number, scan};
use crate::own::package::too_large;
use crate::own::sheet::{Cell, MOST_ROWS, Row, Sheet};
use crate::own::text::{Style, Text};

/// A sheet, and the ids of the parts that describe its tables.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) sheet: Sheet,
    pub(super) tables: Vec<String>,
    links: HashMap<(usize, usize), Rc<str>>,
}

/// The cell that is being read.
#[derive(Default)]
struct Current {
    kind: String,
    style: usize,
    column: usize,
    value: String,
    in_value: bool,
}

/// Reads at most `room` bytes of text.
pub(super) fn read(source: &str, values: &Values, relations: &Relations, room: u64) -> Result<Read, Failure> {
    let mut read = Read::default();
    let (mut cell, mut room) = (Current::default(), room);
    scan(source, |piece| {
        match piece {
            Piece::Start("c", start) => cell = read.cell(start),
            Piece::Start("v", _) => cell.in_value = true,
            Piece::Start("t", _) => cell.in_value = cell.kind == "inlineStr",
            Piece::Text(text) if cell.in_value => cell.value.push_str(text),
            Piece::End("v" | "t") => cell.in_value = false,
            Piece::End("c") => {
                let cell = mem::take(&mut cell);
                let text = values.text(&cell.kind, cell.style, &cell.value);
                let left = room.checked_sub(text.len() as u64);
                room = left.ok_or_else(|| too_large("text beyond the limit"))?;
                read.end_cell(&cell, &text);
            }
            Piece::Start(name, start) => read.other(name, start, relations),
            Piece::Text(_) | Piece::End(_) => {}
        }
        Ok(())
    })?;
    read.link();
    Ok(read)
}

impl Read {
    /// Places that are left out follow the one before.
    fn cell(&self, start: &BytesStart<'_>) -> Current {
        let after = self.sheet.rows.last().and_then(|row| row.cells.last()).map_or(0, |cell| cell.column + 1);
        let column = attribute(start, "r").and_then(|at| place(&at)).map_or(after, |(_, column)| column);
        let kind = attribute(start, "t").unwrap_or_default();
        Current { kind, style: number(start, "s").unwrap_or(0), column, ..Current::default() }
    }

    fn end_cell(&mut self, cell: &Current, text: &str) {
        let is_number = matches!(cell.kind.as_str(), "" | "n");
        if let Some(row) = self.sheet.rows.last_mut().filter(|_| !text.trim().is_empty()) {
            row.cells.push(Cell { column: cell.column, text: Text::plain(text), is_number });
        }
    }

    fn other(&mut self, name: &str, start: &BytesStart<'_>, relations: &Relations) {
        let sheet = &mut self.sheet;
        match name {
            "row" => {
                let after = sheet.rows.last().map_or(0, |row| row.number + 1);
                let number = number(start, "r").and_then(|row: usize| row.checked_sub(1)).unwrap_or(after);
                let number = number.min(MOST_ROWS - 1);
                sheet.rows.push(Row { number, is_hidden: is_on(start, "hidden"), cells: Vec::new() });
            }
            "col" if is_on(start, "hidden") => {
                if let (Some(first), Some(last)) = (number::<usize>(start, "min"), number(start, "max")) {
                    sheet.hide_columns(first.saturating_sub(1), last);
                }
            }
            "pane" if attribute(start, "state").is_some_and(|state| state.starts_with("frozen")) => {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                let frozen = number::<f64>(start, "ySplit").map_or(0, |rows| rows.clamp(0.0, 1e6) as usize);
                sheet.frozen = frozen;
            }
            "mergeCell" => {
                let area = attribute(start, "ref").and_then(|text| area(&text));
                sheet.merged.extend(area.map(|area| ((area.top, area.left), area)));
            }
            "tablePart" => self.tables.extend(attribute(start, "id")),
            "hyperlink" => {
                let address = attribute(start, "id").and_then(|id| relations.address(&id).map(Rc::from));
                let place = || attribute(start, "location").map(|place| format!("#{place}").into());
                let area = attribute(start, "ref").and_then(|text| area(&text));
                if let (Some(target), Some(area)) = (address.or_else(place), area) {
                    self.links.insert((area.top, area.left), target);
                }
            }
            _ => {}
        }
    }

    /// Links follow the cells.
    fn link(&mut self) {
        for row in &mut self.sheet.rows {
            for cell in &mut row.cells {
                if let Some(link) = self.links.get(&(row.number, cell.column)) {
                    let style = Style { link: Some(Rc::clone(link)), ..Style::default() };
                    let plain = mem::take(&mut cell.text).to_plain();
                    cell.text.push(&plain, &style);
                }
            }
        }
    }
}
