//! Mends a sheet whose rows have moved: their numbers, formulas, and whatever names cells.

use std::collections::HashMap;
use std::ops::Range;

use super::references::{At, Sheets, cell, column_number, copied, moved};
use super::rows::Rows;
use crate::markup::{Element, Markup, applied, attribute, scan, value};
use crate::problem::Failure;

/// Elements that are there once for each copy of their cells, with the attribute that names these, and their container.
const COPIED: [(&str, &str); 2] = [("mergeCell", "ref"), ("hyperlink", "ref")];
/// Elements for lists of ranges.
const LISTS: [&str; 4] = ["conditionalFormatting", "dataValidation", "protectedRange", "ignoredError"];
/// Elements for one range, or one cell.
const RANGES: [(&str, &str); 8] = [
    ("autoFilter", "ref"),
    ("sortState", "ref"),
    ("sortCondition", "ref"),
    ("dimension", "ref"),
    ("pane", "topLeftCell"),
    ("sheetView", "topLeftCell"),
    ("selection", "activeCell"),
    ("selection", "sqref"),
];
const CONTAINERS: [&str; 4] = ["mergeCells", "hyperlinks", "dataValidations", "protectedRanges"];

/// A sheet while it is mended.
struct Sheet<'a> {
    name: &'a str,
    source: &'a str,
    markup: Markup<'a>,
    sheets: &'a Sheets,
    /// None if its rows are where they were.
    rows: Option<&'a Rows>,
    edits: Vec<(Range<usize>, String)>,
}

/// Its formulas lose their values, which are those of the template.
pub(super) fn mended(name: &str, source: &str, sheets: &Sheets) -> Result<String, Failure> {
    let rows = sheets.get(&name.to_lowercase());
    let mut sheet = Sheet { name, source, markup: scan(source)?, sheets, rows, edits: Vec::new() };
    sheet.rows_and_cells();
    sheet.formulas_elsewhere();
    if let Some(rows) = rows {
        sheet.ranges(rows);
        sheet.breaks(rows);
        sheet.containers();
        sheet.stand_ins(rows);
    }
    let edits = sheet.edits;
    Ok(applied(source, edits))
}

/// A formula's references, or a list of ranges, as they are in XML.
fn escaped(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

impl Sheet<'_> {
    fn attribute(&self, element: &Element<'_>, name: &str) -> Option<(Range<usize>, String)> {
        let place = attribute(self.source, element.open.clone(), name)?;
        Some((place, value(self.source, element, name)?))
    }

    fn rows_and_cells(&mut self) {
        let mut shared = HashMap::new();
        let (mut number, mut counted) = (None, 0);
        let mut edits = Vec::new();
        for (index, element) in self.markup.elements.iter().enumerate() {
            match element.local() {
                "row" if self.markup.is_sheet_row(index) => {
                    number = self.rows.and_then(|rows| rows.numbers.get(counted)).copied();
                    counted += 1;
                    if let (Some(number), Some((place, _))) = (number, self.attribute(element, "r")) {
                        edits.push((place, number.to_string()));
                    }
                }
                "c" => {
                    let Some((place, name)) = self.attribute(element, "r") else { continue };
                    let Some(old) = cell(&name) else { continue };
                    if let Some(number) = number {
                        edits.push((place, format!("{}{number}", old.column)));
                    }
                    self.formula(index, element, &name, number, &mut shared, &mut edits);
                }
                _ => {}
            }
        }
        self.edits.append(&mut edits);
    }

    /// A cell's formula. Shared ones become each cell's own if rows have moved.
    fn formula(
        &self,
        index: usize,
        element: &Element<'_>,
        name: &str,
        number: Option<u32>,
        shared: &mut HashMap<String, (String, String)>,
        edits: &mut Vec<(Range<usize>, String)>,
    ) {
        let Some((formula, f)) = self.markup.inside(index).find(|(_, child)| child.local() == "f") else { return };
        edits.extend(
            self.markup
                .inside(index)
                .filter(|(_, child)| child.local() == "v")
                .map(|(_, v)| (v.range(), String::new())),
        );
        edits.extend(
            attribute(self.source, element.open.clone(), "t").map(|kind| (with_name(self.source, kind), String::new())),
        );
        let mut text = self.markup.text(formula);
        if self.sheets.is_empty() {
            return;
        }
        let at = At { sheet: self.name, row: number };
        let group =
            self.attribute(f, "si").filter(|_| self.attribute(f, "t").is_some_and(|(_, kind)| kind == "shared"));
        if let Some((_, group)) = group {
            match shared.get(&group) {
                Some((first, formula)) if text.is_empty() => text = as_copied(formula, first, name).unwrap_or_default(),
                _ => drop(shared.insert(group, (name.to_owned(), text.clone()))),
            }
            let own = format!("<{0}>{1}</{0}>", f.name, escaped(&moved(&text, at, self.sheets)));
            edits.push((f.range(), own));
            return;
        }
        let new = moved(&text, at, self.sheets);
        if new != text {
            edits.push((f.open.end..f.close.start, escaped(&new)));
        }
        for name in ["ref", "r1", "r2"] {
            if let (Some(rows), Some((place, old))) = (self.rows, self.attribute(f, name)) {
                edits.push((place, own_range(rows, &old, number)));
            }
        }
    }

    /// Formulas of conditional formats, validations and extensions, which see the sheet from their first cell.
    fn formulas_elsewhere(&mut self) {
        if self.sheets.is_empty() {
            return;
        }
        let mut edits = Vec::new();
        for (index, element) in self.markup.elements.iter().enumerate() {
            let is_formula = matches!(element.local(), "formula" | "formula1" | "formula2")
                || (element.local() == "f" && element.prefix() == "xm");
            let is_list = element.local() == "sqref" && element.prefix() == "xm";
            let has_formula = self.markup.inside(index).any(|(_, child)| child.local() == "f");
            if (!is_formula && !is_list) || has_formula {
                continue;
            }
            let text = self.markup.text(index);
            let new = match (is_list, self.rows) {
                (true, Some(rows)) => list(rows, &text),
                (true, None) => continue,
                (false, rows) => {
                    let row = rows.and_then(|rows| rows.row(self.first_row_around(index)?, None));
                    moved(&text, At { sheet: self.name, row }, self.sheets)
                }
            };
            if new != text {
                edits.push((element.open.end..element.close.start, escaped(&new)));
            }
        }
        self.edits.append(&mut edits);
    }

    fn first_row_around(&self, element: usize) -> Option<u32> {
        let list = self
            .markup
            .ancestors(element)
            .find_map(|around| value(self.source, self.markup.elements.get(around)?, "sqref"))?;
        let first = list.split_whitespace().next()?;
        Some(cell(first.split(':').next()?)?.row)
    }

    fn ranges(&mut self, rows: &Rows) {
        let mut edits = Vec::new();
        for element in &self.markup.elements {
            let local = element.local();
            if let Some((_, name)) = COPIED.iter().find(|(known, _)| *known == local)
                && let Some((place, old)) = self.attribute(element, name)
            {
                edits.push((element.range(), self.copies(rows, element, &place, &old)));
            }
            if LISTS.contains(&local)
                && let Some((place, old)) = self.attribute(element, "sqref")
            {
                match list(rows, &old) {
                    new if new.is_empty() => edits.push((element.range(), String::new())),
                    new => edits.push((place, new)),
                }
            }
            for (_, name) in RANGES.iter().filter(|(known, _)| *known == local) {
                if let Some((place, old)) = self.attribute(element, name) {
                    edits.push((place, one(rows, &old).unwrap_or_else(|| "A1".to_owned())));
                }
            }
        }
        self.edits.append(&mut edits);
    }

    /// An element for each copy of the cells that it names.
    fn copies(&self, rows: &Rows, element: &Element<'_>, place: &Range<usize>, old: &str) -> String {
        let whole = element.range();
        let (before, after) = (self.source.get(whole.start..place.start), self.source.get(place.end..whole.end));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        areas(rows, old).iter().map(|area| format!("{before}{area}{after}")).collect()
    }

    /// Page breaks after rows.
    fn breaks(&mut self, rows: &Rows) {
        let mut edits = Vec::new();
        for (index, element) in self.markup.named("brk") {
            let is_row = self.markup.ancestors(index).any(|around| self.markup.local(around) == "rowBreaks");
            if let (true, Some((place, old))) = (is_row, self.attribute(element, "id"))
                && let Some(row) = old.parse().ok().and_then(|row| rows.span((row, None), (row, None)))
            {
                edits.push((place, row.1.to_string()));
            }
        }
        self.edits.append(&mut edits);
    }

    /// Containers without content go; others are counted by who reads them.
    fn containers(&mut self) {
        let mut edits = Vec::new();
        for (index, element) in self.markup.elements.iter().enumerate() {
            if !CONTAINERS.contains(&element.local()) {
                continue;
            }
            let is_gone =
                |inner: &Element<'_>| self.edits.iter().any(|(range, text)| *range == inner.range() && text.is_empty());
            let children = || self.markup.inside(index).filter(|(_, inner)| inner.parent == Some(index));
            if children().all(|(_, inner)| is_gone(inner)) {
                edits.push((element.range(), String::new()));
            } else if let Some(count) = attribute(self.source, element.open.clone(), "count") {
                edits.push((with_name(self.source, count), String::new()));
            }
        }
        self.edits.append(&mut edits);
    }

    fn stand_ins(&mut self, rows: &Rows) {
        let Some((index, data)) = self.markup.named("sheetData").next() else { return };
        let name = self.markup.inside(index).next().map_or_else(
            || if data.prefix().is_empty() { "row".to_owned() } else { format!("{}:row", data.prefix()) },
            |(_, row)| row.name.to_owned(),
        );
        let end = data.close.start;
        let stand_ins = rows.stand_ins.iter().map(|stand_in| {
            let at = stand_in.at.unwrap_or(end);
            (at..at, format!("<{name} r=\"{}\"/>", stand_in.number))
        });
        self.edits.extend(stand_ins);
    }
}

/// An attribute with its name and the space before it, around the place of its value.
fn with_name(source: &str, place: Range<usize>) -> Range<usize> {
    let start = source.get(..place.start).and_then(|before| before.rfind(char::is_whitespace)).unwrap_or(place.start);
    start..place.end + 1
}

fn as_copied(formula: &str, first: &str, name: &str) -> Option<String> {
    let (first, own) = (cell(first)?, cell(name)?);
    let columns = i64::from(column_number(own.column)) - i64::from(column_number(first.column));
    Some(copied(formula, columns, i64::from(own.row) - i64::from(first.row)))
}

/// The two ends of `B5:C7` or `B5`.
fn ends(range: &str) -> Option<(&str, u32, &str, u32)> {
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let (first, last) = (cell(first)?, cell(last)?);
    Some((first.column, first.row, last.column, last.row))
}

fn named(columns: (&str, &str), rows: (u32, u32)) -> String {
    let (first, last) = (format!("{}{}", columns.0, rows.0), format!("{}{}", columns.1, rows.1));
    if first == last { first } else { format!("{first}:{last}") }
}

/// A range as it is now: over all copies of its rows. `None` if nothing is left.
pub(super) fn one(rows: &Rows, range: &str) -> Option<String> {
    let Some((left, top, right, bottom)) = ends(range) else { return Some(range.to_owned()) };
    let span = rows.span((top, None), (bottom, None))?;
    let span = if range.contains(':') { span } else { (span.0, span.0) };
    let whole = named((left, right), span);
    Some(if range.contains(':') && !whole.contains(':') { format!("{whole}:{whole}") } else { whole })
}

/// The range of an array's formula, as it is for the row in which that stands.
fn own_range(rows: &Rows, range: &str, row: Option<u32>) -> String {
    let Some((left, top, right, bottom)) = ends(range) else { return range.to_owned() };
    rows.span((top, row), (bottom, row)).map_or_else(|| range.to_owned(), |span| named((left, right), span))
}

/// A range for each copy of its rows.
fn areas(rows: &Rows, range: &str) -> Vec<String> {
    let Some((left, top, right, bottom)) = ends(range) else { return vec![range.to_owned()] };
    rows.blocks(top, bottom).into_iter().map(|block| named((left, right), block)).collect()
}

/// A list of ranges, with one for copies that follow each other.
fn list(rows: &Rows, ranges: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for range in ranges.split_whitespace() {
        let Some((left, top, right, bottom)) = ends(range) else {
            all.push(range.to_owned());
            continue;
        };
        let mut joined: Vec<(u32, u32)> = Vec::new();
        for block in rows.blocks(top, bottom) {
            match joined.last_mut() {
                Some(last) if last.1 + 1 == block.0 => last.1 = block.1,
                _ => joined.push(block),
            }
        }
        all.extend(joined.into_iter().map(|block| named((left, right), block)));
    }
    all.join(" ")
}
