//! Tables: their parts, the grid of their cells, and which headers cells have.

use std::collections::{HashMap, HashSet};

use docmill_pdf_core::objects::{Lookup, decode};
use lopdf::{Dictionary, Document, Object};

use crate::rules::Rule;
use crate::tree::Tree;

/// Most rows and columns that a cell spans, and that a table has.
const MOST: usize = 10_000;
/// Most places in the grid of a table.
const PLACES: usize = 4_000_000;

/// What is wrong with a table's parts, by the types of its kids.
pub(crate) fn parts(kids: &[&str]) -> Vec<Rule> {
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
    found
}

#[derive(Debug)]
struct Cell {
    element: usize,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
}

/// The cells of a table with their places.
#[derive(Debug)]
pub(crate) struct Grid(Vec<Cell>);

impl Grid {
    /// Fails with the rule that the places of its cells break.
    pub(crate) fn of(document: &Document, tree: &Tree<'_>, table: usize) -> Result<Self, Rule> {
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

    /// The cells without a header.
    pub(crate) fn without_header(&self, document: &Document, tree: &Tree<'_>) -> Vec<(usize, Rule)> {
        let is = |cell: &&Cell, kind: &str| {
            tree.elements.get(cell.element).is_some_and(|element| element.role.standard() == Some(kind))
        };
        let mut headers = Headers::default();
        self.0.iter().filter(|cell| is(cell, "TH")).for_each(|cell| headers.add(document, tree, cell));
        if headers.by_row.is_empty() {
            return Vec::new();
        }
        let cells = self.0.iter().filter(|cell| is(cell, "TD"));
        cells.filter_map(|cell| Some((cell.element, headers.lacking(document, tree, cell)?))).collect()
    }
}

/// What a header cell is about.
#[derive(Clone, Copy)]
enum Scope {
    Row,
    Column,
    Both,
}

/// The header cells of a table, by what they may be about.
#[derive(Default)]
struct Headers {
    ids: HashSet<String>,
    by_row: HashMap<usize, Vec<Option<Scope>>>,
    by_column: HashMap<usize, Vec<Option<Scope>>>,
}

impl Headers {
    fn add(&mut self, document: &Document, tree: &Tree<'_>, cell: &Cell) {
        let Some(element) = tree.elements.get(cell.element) else { return };
        let scope =
            attribute(document, element.entries, b"Table", b"Scope").and_then(|scope| match scope.as_name().ok()? {
                b"Row" => Some(Scope::Row),
                b"Column" => Some(Scope::Column),
                b"Both" => Some(Scope::Both),
                _ => None,
            });
        self.ids.extend(element.text(document, b"ID"));
        cell.rows.clone().for_each(|row| self.by_row.entry(row).or_default().push(scope));
        cell.columns.clone().for_each(|column| self.by_column.entry(column).or_default().push(scope));
    }

    /// Why a cell has no header.
    fn lacking(&self, document: &Document, tree: &Tree<'_>, cell: &Cell) -> Option<Rule> {
        let named = attribute(document, tree.elements.get(cell.element)?.entries, b"Table", b"Headers");
        let named: Vec<String> =
            named.and_then(|named| named.as_array().ok()).into_iter().flatten().filter_map(decode).collect();
        if !named.is_empty() {
            return (!named.iter().all(|id| self.ids.contains(id))).then_some(Rule::HeaderUnknown);
        }
        let in_rows = || cell.rows.clone().filter_map(|row| self.by_row.get(&row)).flatten();
        let in_columns = || cell.columns.clone().filter_map(|column| self.by_column.get(&column)).flatten();
        let is_header = in_rows().any(|scope| matches!(scope, Some(Scope::Row | Scope::Both)))
            || in_columns().any(|scope| matches!(scope, Some(Scope::Column | Scope::Both)));
        // A corner has none, and that is known if all headers beside and below it say what they are about.
        let is_corner = in_rows().chain(in_columns()).all(Option::is_some);
        (!is_header && !is_corner).then_some(Rule::HeaderScope)
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
    let span =
        tree.elements.get(cell).and_then(|element| attribute(document, element.entries, b"Table", key)?.as_i64().ok());
    span.and_then(|span| usize::try_from(span).ok()).unwrap_or(1).clamp(1, MOST)
}

/// An attribute of an element (by its dictionary), of its own or of its classes.
pub fn attribute<'d>(document: &'d Document, element: &'d Dictionary, owner: &[u8], key: &[u8]) -> Option<&'d Object> {
    let own = entries(document, element, b"A").into_iter();
    let root = document.catalog().ok().and_then(|catalog| document.child(catalog, b"StructTreeRoot"));
    let map = root.and_then(|root| document.child(root, b"ClassMap"));
    let classes = document.listed(element, b"C").iter().filter_map(|name| document.resolve(name)?.as_name().ok());
    let of_classes = classes.flat_map(|name| map.map(|map| entries(document, map, name)).unwrap_or_default());
    let mut all = own.chain(of_classes).filter(|entries| document.name(entries, b"O") == Some(owner));
    all.find_map(|entries| document.value(entries, key))
}

/// The dictionaries of a member, without the numbers of their revisions.
fn entries<'d>(document: &'d Document, entries: &'d Dictionary, key: &[u8]) -> Vec<&'d Dictionary> {
    document.listed(entries, key).iter().filter_map(|part| document.dictionary(part)).collect()
}
