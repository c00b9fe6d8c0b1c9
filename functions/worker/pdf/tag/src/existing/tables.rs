//! Tables: every row has as many cells as its table, and header cells say what they are about.

use docmill_pdf_accessibility::attribute;
use docmill_pdf_core::objects::{Lookup, count};
use lopdf::{Document, Object, dictionary};

use super::tree::{Index, Kid, Tree};

/// Most places in the grid of a table, and most rows and columns that a cell spans.
const PLACES: usize = 4_000_000;
const SPAN: usize = 10_000;

/// Mends a table, whose parts are in each other as they should be.
pub(super) fn mend(document: &mut Document, tree: &mut Tree, table: Index) {
    let rows = rows(tree, table);
    let cells: Vec<Vec<Index>> = rows.iter().map(|(row, _)| tree.elements_in(*row)).collect();
    if let Some(widths) = place(document, tree, &cells) {
        let width = widths.iter().copied().max().unwrap_or(0);
        for ((row, _), own) in rows.iter().zip(widths) {
            for _ in own..width {
                let cell = tree.add(document, "TD", Vec::new());
                tree.edit(*row, |row| row.kids.push(Kid::Element(cell)));
            }
        }
    }
    for ((_, is_head), cells) in rows.iter().zip(&cells) {
        let is_row_of_headers = *is_head || cells.iter().all(|cell| tree.kind(*cell) == "TH");
        for (column, cell) in cells.iter().enumerate() {
            if tree.kind(*cell) == "TH" && !has_scope(document, tree, *cell) {
                let scope = if column == 0 && !is_row_of_headers { "Row" } else { "Column" };
                set(document, tree, *cell, "Scope", Some(Object::Name(scope.into())));
            }
        }
    }
}

/// The rows of a table, and whether they are in its head.
fn rows(tree: &Tree, table: Index) -> Vec<(Index, bool)> {
    let mut found = Vec::new();
    for part in tree.elements_in(table) {
        match tree.kind(part) {
            "TR" => found.push((part, false)),
            kind @ ("THead" | "TBody" | "TFoot") => {
                found.extend(tree.elements_in(part).into_iter().map(|row| (row, kind == "THead")));
            }
            _ => {}
        }
    }
    found
}

/// Places cells as HTML does, and shortens spans that leave the table or meet other cells. How many places each row takes; `None`: the
/// table is too large.
fn place(document: &Document, tree: &mut Tree, cells: &[Vec<Index>]) -> Option<Vec<usize>> {
    let mut taken: Vec<Vec<bool>> = vec![Vec::new(); cells.len()];
    let mut places = 0;
    for (row, listed) in cells.iter().enumerate() {
        let mut column = 0;
        for cell in listed {
            let is_taken = |column: usize| taken.get(row).and_then(|row| row.get(column)) == Some(&true);
            while is_taken(column) {
                column += 1;
            }
            let wanted = (span(document, tree, *cell, "RowSpan"), span(document, tree, *cell, "ColSpan"));
            let columns = (column..column + wanted.1).take_while(|column| !is_taken(*column)).count().max(1);
            let down = wanted.0.min(cells.len() - row);
            let is_free = |row: &Vec<bool>| row.iter().skip(column).take(columns).all(|is_taken| !is_taken);
            let rows = taken.iter().skip(row).take(down).take_while(|row| is_free(row)).count().max(1);
            places += rows * columns;
            if places > PLACES {
                return None;
            }
            for places in taken.iter_mut().skip(row).take(rows) {
                places.resize(places.len().max(column + columns), false);
                places.iter_mut().skip(column).take(columns).for_each(|place| *place = true);
            }
            for (key, wanted, got) in [("RowSpan", wanted.0, rows), ("ColSpan", wanted.1, columns)] {
                if wanted != got {
                    set(document, tree, *cell, key, (got > 1).then(|| count(got).into()));
                }
            }
            column += columns;
        }
    }
    // A place that is free left of a taken one counts: a cell is added for it.
    Some(taken.iter().map(|row| row.iter().filter(|is_taken| **is_taken).count()).collect())
}

fn span(document: &Document, tree: &Tree, cell: Index, key: &str) -> usize {
    let entries = tree.get(cell).map(|cell| &cell.entries);
    let span = entries.and_then(|entries| attribute(document, entries, b"Table", key.as_bytes())?.as_i64().ok());
    span.and_then(|span| usize::try_from(span).ok()).unwrap_or(1).clamp(1, SPAN)
}

fn has_scope(document: &Document, tree: &Tree, cell: Index) -> bool {
    let scope = tree.get(cell).and_then(|cell| attribute(document, &cell.entries, b"Table", b"Scope"));
    matches!(scope.and_then(|scope| scope.as_name().ok()), Some(b"Row" | b"Column" | b"Both"))
}

/// Sets an attribute of a cell before those that it has.
fn set(document: &Document, tree: &mut Tree, cell: Index, key: &str, value: Option<Object>) {
    let Some(element) = tree.get(cell) else { return };
    let mut all: Vec<Object> = match document.value(&element.entries, b"A") {
        Some(Object::Array(all)) => all.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    for entry in &mut all {
        if let Some(mut entries) = document.dictionary(entry).filter(|entries| entries.has(key.as_bytes())).cloned() {
            entries.remove(key.as_bytes());
            *entry = entries.into();
        }
    }
    // One says so for its class too.
    let value = value.unwrap_or(Object::Integer(1));
    let mut own = dictionary! { "O" => "Table" };
    own.set(key, value);
    all.insert(0, own.into());
    tree.edit(cell, |cell| cell.entries.set("A", all));
}
