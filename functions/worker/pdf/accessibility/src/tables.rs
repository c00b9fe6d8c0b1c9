//! Tables: their parts, the grid of their cells, and which headers cells have.

use std::collections::HashSet;

use docmill_pdf_core::objects::{Lookup, decode};
use lopdf::{Dictionary, Document, Object};

use crate::rules::Rule;
use crate::tree::{Element, Tree};

/// Most rows and columns that a cell spans, and that a table has.
const MOST: usize = 10_000;
/// Most places in the grid of a table.
const PLACES: usize = 4_000_000;

/// What is wrong with a table's parts and its grid.
pub(crate) fn of_table(document: &Document, tree: &Tree<'_>, table: usize) -> Vec<Rule> {
    let kids = tree.kid_types(table);
    let count = |kind: &str| kids.iter().filter(|kid| **kid == kind).count();
    let mut found = Vec::new();
    let mut find = |is: bool, rule: Rule| found.extend(is.then_some(rule));
    find(count("THead") > 1, Rule::TwoHeads);
    find(count("TFoot") > 1, Rule::TwoFeet);
    find(count("TFoot") > 0 && count("TBody") == 0, Rule::FootWithoutBody);
    find(count("THead") > 0 && count("TBody") == 0, Rule::HeadWithoutBody);
    find(count("Caption") > 1, Rule::TwoCaptions);
    let inner = kids.get(1..kids.len().saturating_sub(1)).unwrap_or_default();
    find(inner.contains(&"Caption"), Rule::CaptionInside);
    if let Err(rule) = Grid::of(document, tree, table) {
        found.push(rule);
    }
    found
}

/// The cells of a table without a header, if this element is one.
pub(crate) fn of_cells(document: &Document, tree: &Tree<'_>, table: usize) -> Vec<(usize, Rule)> {
    let is_table = tree.elements.get(table).is_some_and(|element| element.role.standard() == Some("Table"));
    let grid = if is_table { Grid::of(document, tree, table).ok() } else { None };
    grid.map(|grid| grid.without_header(document, tree)).unwrap_or_default()
}

#[derive(Debug)]
struct Cell {
    element: usize,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

#[derive(Debug)]
struct Grid(Vec<Cell>);

impl Grid {
    fn of(document: &Document, tree: &Tree<'_>, table: usize) -> Result<Self, Rule> {
        let rows = rows(tree, table);
        let width = rows.first().map_or(0, |row| row.iter().map(|cell| span(document, tree, *cell, b"ColSpan")).sum());
        if width > MOST || rows.len() > MOST || width * rows.len() > PLACES {
            return Ok(Self(Vec::new()));
        }
        let mut taken = vec![vec![false; width]; rows.len()];
        let (mut cells, mut is_within) = (Vec::new(), true);
        for (row, listed) in rows.iter().enumerate() {
            let mut column = 0;
            for &element in listed {
                let is_taken = |column: &usize| taken.get(row).and_then(|row| row.get(*column)) == Some(&true);
                column = (column..width).find(|column| !is_taken(column)).unwrap_or(width);
                let rows = row..row + span(document, tree, element, b"RowSpan");
                let columns = column..column + span(document, tree, element, b"ColSpan");
                column = columns.end;
                is_within &= rows.end <= taken.len();
                take(&mut taken, &rows, &columns)?;
                cells.push(Cell { element, rows, columns });
            }
        }
        if !taken.iter().all(|row| row.iter().all(|is_taken| *is_taken)) {
            return Err(Rule::RowTooShort);
        }
        if is_within { Ok(Self(cells)) } else { Err(Rule::RowsMissing) }
    }

    fn without_header(&self, document: &Document, tree: &Tree<'_>) -> Vec<(usize, Rule)> {
        let is = |cell: &&Cell, kind: &str| {
            tree.elements.get(cell.element).is_some_and(|element| element.role.standard() == Some(kind))
        };
        let headers: Vec<_> = self.0.iter().filter(|cell| is(cell, "TH")).collect();
        let ids: HashSet<String> =
            headers.iter().filter_map(|cell| tree.elements.get(cell.element)?.text(document, b"ID")).collect();
        let cells = self.0.iter().filter(|cell| is(cell, "TD") && !headers.is_empty());
        cells.filter_map(|cell| Some((cell.element, lacking(document, tree, cell, &headers, &ids)?))).collect()
    }
}

/// Takes the places of a cell.
fn take(taken: &mut [Vec<bool>], rows: &std::ops::Range<usize>, columns: &std::ops::Range<usize>) -> Result<(), Rule> {
    let within = rows.start..rows.end.min(taken.len());
    for row in taken.get_mut(within).into_iter().flatten() {
        for column in columns.clone() {
            let place = row.get_mut(column).ok_or(Rule::RowTooLong)?;
            if std::mem::replace(place, true) {
                return Err(Rule::CellsOverlap);
            }
        }
    }
    Ok(())
}

/// Why a cell has no header.
fn lacking(
    document: &Document,
    tree: &Tree<'_>,
    cell: &Cell,
    headers: &[&Cell],
    ids: &HashSet<String>,
) -> Option<Rule> {
    let named = tree.elements.get(cell.element).and_then(|element| attribute(document, element, b"Table", b"Headers"));
    let named: Vec<String> =
        named.and_then(|named| named.as_array().ok()).into_iter().flatten().filter_map(decode).collect();
    if !named.is_empty() {
        return (!named.iter().all(|id| ids.contains(id))).then_some(Rule::HeaderUnknown);
    }
    let near = headers.iter().filter_map(|header| {
        let (in_row, in_column) = (overlap(&header.rows, &cell.rows), overlap(&header.columns, &cell.columns));
        (in_row || in_column).then(|| (scope(document, tree, header), in_row, in_column))
    });
    let near: Vec<_> = near.collect();
    let is_header = near.iter().any(|(scope, in_row, in_column)| match scope {
        Some(Scope::Row) => *in_row,
        Some(Scope::Column) => *in_column,
        Some(Scope::Both) => true,
        None => false,
    });
    // A corner has none, and that is known if all headers beside and below it say what they are about.
    let is_corner = near.iter().all(|(scope, ..)| scope.is_some());
    (!is_header && !is_corner).then_some(Rule::HeaderScope)
}

/// What a header cell is about.
enum Scope {
    Row,
    Column,
    Both,
}

fn scope(document: &Document, tree: &Tree<'_>, header: &Cell) -> Option<Scope> {
    match attribute(document, tree.elements.get(header.element)?, b"Table", b"Scope")?.as_name().ok()? {
        b"Row" => Some(Scope::Row),
        b"Column" => Some(Scope::Column),
        b"Both" => Some(Scope::Both),
        _ => None,
    }
}

fn overlap(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The cells of each row, in order.
fn rows(tree: &Tree<'_>, table: usize) -> Vec<Vec<usize>> {
    let kind = |index: &usize| tree.elements.get(*index).and_then(|element| element.role.standard());
    let mut rows = Vec::new();
    for part in tree.kids(table) {
        match kind(&part) {
            Some("TR") => rows.push(part),
            Some("THead" | "TBody" | "TFoot") => {
                rows.extend(tree.kids(part).into_iter().filter(|row| kind(row) == Some("TR")));
            }
            _ => {}
        }
    }
    let cells =
        |row: usize| tree.kids(row).into_iter().filter(|cell| matches!(kind(cell), Some("TH" | "TD"))).collect();
    rows.into_iter().map(cells).collect()
}

fn span(document: &Document, tree: &Tree<'_>, cell: usize, key: &[u8]) -> usize {
    let span = tree.elements.get(cell).and_then(|element| attribute(document, element, b"Table", key)?.as_i64().ok());
    span.and_then(|span| usize::try_from(span).ok()).unwrap_or(1).clamp(1, MOST)
}

/// An attribute of an element, of its own or of its classes.
pub(crate) fn attribute<'d>(
    document: &'d Document,
    element: &Element<'d>,
    owner: &[u8],
    key: &[u8],
) -> Option<&'d Object> {
    let own = entries(document, element.entries, b"A").into_iter();
    let root = document.catalog().ok().and_then(|catalog| document.child(catalog, b"StructTreeRoot"));
    let map = root.and_then(|root| document.child(root, b"ClassMap"));
    let classes =
        listed(document, element.entries, b"C").into_iter().filter_map(|name| document.resolve(name)?.as_name().ok());
    let of_classes = classes.flat_map(|name| map.map(|map| entries(document, map, name)).unwrap_or_default());
    let mut all = own.chain(of_classes).filter(|entries| document.name(entries, b"O") == Some(owner));
    all.find_map(|entries| document.value(entries, key))
}

/// A member that is an object or an array of them.
fn listed<'d>(document: &'d Document, entries: &'d Dictionary, key: &[u8]) -> Vec<&'d Object> {
    match document.value(entries, key) {
        Some(Object::Array(parts)) => parts.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

/// The dictionaries of a member, without the numbers of their revisions.
fn entries<'d>(document: &'d Document, entries: &'d Dictionary, key: &[u8]) -> Vec<&'d Dictionary> {
    listed(document, entries, key).into_iter().filter_map(|part| document.dictionary(part)).collect()
}
