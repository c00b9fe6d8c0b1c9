//! Mends a sheet whose rows have moved: row numbers, formulas, and other references to cells.

use std::collections::HashSet;
use std::ops::Range;

use docmill_package::markup::{Element, Markup, attribute, scan, value};

use super::edits::{Budget, Edits};
use super::formula::cell;
use super::ranges::{copies, first_row, list, of_row, one};
use super::references::{At, Sheets, moved};
use super::rows::Rows;
use super::shared::{self, Shared};
use crate::problem::Failure;

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
/// Elements that need content.
const CONTAINERS: [&str; 10] = [
    "mergeCells",
    "hyperlinks",
    "dataValidations",
    "protectedRanges",
    "ignoredErrors",
    "conditionalFormattings",
    "sparklines",
    "sparklineGroups",
    "ext",
    "extLst",
];

/// What is mended.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) text: &'a str,
    pub(super) shared: &'a Shared,
}

/// A sheet while it is mended.
struct Sheet<'a> {
    name: &'a str,
    source: &'a str,
    shared: &'a Shared,
    markup: Markup<'a>,
    sheets: &'a Sheets,
    /// None if its rows are where they were.
    rows: Option<&'a Rows>,
    edits: Edits<'a>,
}

/// Its formulas lose their values, which are those of the template.
pub(super) fn mended(source: Source<'_>, sheets: &Sheets, budget: &Budget) -> Result<String, Failure> {
    let Source { name, text, shared } = source;
    let rows = sheets.rows(name);
    let (markup, edits) = (scan(text)?, Edits::new(budget));
    let mut sheet = Sheet { name, source: text, shared, markup, sheets, rows, edits };
    sheet.rows_and_cells()?;
    if sheets.have_moved() {
        sheet.formulas_elsewhere()?;
        sheet.links()?;
    }
    if let Some(rows) = rows {
        sheet.ranges(rows)?;
        sheet.extensions(rows)?;
        sheet.breaks(rows)?;
        sheet.containers();
        sheet.stand_ins(rows)?;
    }
    Ok(sheet.edits.applied(text))
}

/// A formula's references, or a list of ranges, as they are in XML.
fn escaped(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

impl<'a> Sheet<'a> {
    fn attribute(&self, element: usize, name: &str) -> Option<(Range<usize>, String)> {
        let element = self.markup.elements.get(element)?;
        let place = attribute(self.source, element.open.clone(), name)?;
        Some((place, value(self.source, element, name)?))
    }

    /// The elements with one of these names.
    fn named(&self, names: &[&str]) -> Vec<usize> {
        let elements = self.markup.elements.iter().enumerate();
        elements.filter(|(_, element)| names.contains(&element.local())).map(|(index, _)| index).collect()
    }

    fn local(&self, element: usize) -> &str {
        self.markup.local(element)
    }

    /// What is between an element's tags.
    fn content(&self, element: usize) -> Range<usize> {
        self.markup.elements.get(element).map_or(0..0, |element| element.open.end..element.close.start)
    }

    fn moved(&self, formula: &str, row: Option<u32>) -> String {
        moved(formula, At { sheet: self.name, row }, self.sheets)
    }

    fn rows_and_cells(&mut self) -> Result<(), Failure> {
        let (mut number, mut counted) = (None, 0);
        for index in self.named(&["row", "c"]) {
            if self.local(index) == "c" {
                self.cell(index, number)?;
            } else if self.markup.is_sheet_row(index) {
                number = self.rows.and_then(|rows| rows.numbers.get(counted)).copied();
                counted += 1;
                if let (Some(number), Some((place, old))) = (number, self.attribute(index, "r"))
                    && old != number.to_string()
                {
                    self.edits.replace(place, number.to_string())?;
                }
            }
        }
        Ok(())
    }

    /// `number` is its new row.
    fn cell(&mut self, index: usize, number: Option<u32>) -> Result<(), Failure> {
        let Some((place, name)) = self.attribute(index, "r") else { return Ok(()) };
        let Some(old) = cell(&name) else { return Ok(()) };
        if let Some(number) = number.filter(|number| *number != old.row) {
            self.edits.replace(place, format!("{}{number}", old.column))?;
        }
        let child =
            |local: &str| self.markup.inside(index).find(|(_, child)| child.local() == local).map(|(child, _)| child);
        let (formula, result) = (child("f"), child("v"));
        let Some(formula) = formula else { return Ok(()) };
        if let Some(result) = result {
            self.edits.remove(self.markup.range(result));
        }
        if let Some((kind, _)) = self.attribute(index, "t") {
            self.edits.remove(with_name(self.source, kind));
        }
        if self.sheets.have_moved() { self.formula(formula, &name, number) } else { Ok(()) }
    }

    /// The formula of a cell with this name in the template. Shared ones become each cell's own.
    fn formula(&mut self, formula: usize, name: &str, number: Option<u32>) -> Result<(), Failure> {
        let text = self.markup.text(formula);
        let Some(element) = self.markup.elements.get(formula) else { return Ok(()) };
        if let Some(group) = shared::group(self.source, element) {
            let text = if text.is_empty() { self.shared.formula(&group, name).unwrap_or_default() } else { text };
            let own = format!("<{0}>{1}</{0}>", element.name, escaped(&self.moved(&text, number)));
            return self.edits.replace(element.range(), own);
        }
        let new = self.moved(&text, number);
        if new != text {
            self.edits.replace(self.content(formula), escaped(&new))?;
        }
        for name in ["ref", "r1", "r2"] {
            if let (Some(rows), Some((place, old))) = (self.rows, self.attribute(formula, name)) {
                self.edits.replace(place, of_row(rows, &old, number))?;
            }
        }
        Ok(())
    }

    /// Formulas of conditional formats, validations and extensions, which see the sheet from their first cell.
    fn formulas_elsewhere(&mut self) -> Result<(), Failure> {
        for index in self.named(&["formula", "formula1", "formula2", "f"]) {
            let is_cells = self.local(index) == "f" && !self.has_prefix(index, "xm");
            if is_cells || self.markup.inside(index).any(|(_, child)| child.local() == "f") {
                continue;
            }
            let text = self.markup.text(index);
            let row = self.rows.and_then(|rows| rows.row(self.first_row_around(index)?, None));
            let new = self.moved(&text, row);
            if new != text {
                self.edits.replace(self.content(index), escaped(&new))?;
            }
        }
        Ok(())
    }

    fn has_prefix(&self, element: usize, prefix: &str) -> bool {
        self.markup.elements.get(element).is_some_and(|element| element.prefix() == prefix)
    }

    fn first_row_around(&self, element: usize) -> Option<u32> {
        let attribute = |around| value(self.source, self.markup.elements.get(around)?, "sqref");
        first_row(&self.markup.ancestors(element).find_map(attribute)?)
    }

    /// Links, of which each copy of their cells has one, and places in the workbook that they lead to.
    fn links(&mut self) -> Result<(), Failure> {
        for index in self.named(&["hyperlink"]) {
            if let (Some(rows), Some((_, cells))) = (self.rows, self.attribute(index, "ref")) {
                self.copied(index, rows, "ref", &cells)?;
            } else if let Some((place, old)) = self.attribute(index, "location") {
                self.edits.replace(place, quick_xml::escape::escape(self.moved(&old, None)).into_owned())?;
            }
        }
        Ok(())
    }

    fn ranges(&mut self, rows: &Rows) -> Result<(), Failure> {
        for index in self.named(&["mergeCell"]) {
            if let Some((_, cells)) = self.attribute(index, "ref") {
                self.copied(index, rows, "ref", &cells)?;
            }
        }
        for index in self.named(&LISTS) {
            let Some((place, old)) = self.attribute(index, "sqref") else { continue };
            match list(rows, &old, self.edits.budget)? {
                new if new.is_empty() => self.edits.remove(self.markup.range(index)),
                new => self.edits.replace(place, new)?,
            }
        }
        for (local, name) in RANGES {
            for index in self.named(&[local]) {
                if let Some((place, old)) = self.attribute(index, name) {
                    self.edits.replace(place, one(rows, &old).unwrap_or_else(|| "A1".to_owned()))?;
                }
            }
        }
        Ok(())
    }

    /// An element for each copy of the cells that its attribute names, with its place in the workbook.
    fn copied(&mut self, element: usize, rows: &Rows, name: &str, cells: &str) -> Result<(), Failure> {
        let place = self.attribute(element, name).map(|(place, _)| place);
        let location = self.attribute(element, "location");
        let all = self.repeated(element, copies(rows, cells), |row, area| {
            let cells = place.clone().map(|place| (place, area));
            let location = location
                .as_ref()
                .map(|(place, old)| (place.clone(), quick_xml::escape::escape(self.moved(old, row)).into_owned()));
            cells.into_iter().chain(location).collect()
        })?;
        self.edits.replace(self.markup.range(element), all)
    }

    /// An element once for each copy of its cells, with these edits of the sheet.
    fn repeated(
        &self,
        element: usize,
        copies: Vec<(Option<u32>, String)>,
        edits: impl Fn(Option<u32>, String) -> Vec<(Range<usize>, String)>,
    ) -> Result<String, Failure> {
        let range = self.markup.range(element);
        let source = self.source.get(range.clone()).unwrap_or_default();
        let within = |(place, new): (Range<usize>, String)| (place.start - range.start..place.end - range.start, new);
        let mut all = String::new();
        for (row, area) in copies {
            self.edits.budget.take(source.len() + area.len())?;
            let own = edits(row, area).into_iter().map(within).collect();
            all.push_str(&docmill_package::markup::applied(source, own));
        }
        Ok(all)
    }

    /// What extensions of a sheet are for: formats, validations and sparklines.
    fn extensions(&mut self, rows: &Rows) -> Result<(), Failure> {
        for index in self.named(&["sqref"]) {
            if !self.has_prefix(index, "xm") {
                continue;
            }
            let around = self.markup.elements.get(index).and_then(|element| element.parent);
            let text = self.markup.text(index);
            match around.filter(|around| self.local(*around) == "sparkline") {
                Some(sparkline) => self.sparkline(sparkline, index, rows, &text)?,
                None => match (list(rows, &text, self.edits.budget)?, around) {
                    (new, Some(around)) if new.is_empty() => self.edits.remove(self.markup.range(around)),
                    (new, _) => self.edits.replace(self.content(index), new)?,
                },
            }
        }
        Ok(())
    }

    /// A sparkline has one cell, so that each copy of this has one.
    fn sparkline(&mut self, sparkline: usize, cells: usize, rows: &Rows, text: &str) -> Result<(), Failure> {
        let data = self.markup.inside(sparkline).find(|(_, child)| child.local() == "f").map(|(index, _)| index);
        let all = self.repeated(sparkline, copies(rows, text), |row, area| {
            let data = data.map(|data| (self.content(data), escaped(&self.moved(&self.markup.text(data), row))));
            std::iter::once((self.content(cells), area)).chain(data).collect()
        })?;
        self.edits.replace(self.markup.range(sparkline), all)
    }

    /// Page breaks after rows.
    fn breaks(&mut self, rows: &Rows) -> Result<(), Failure> {
        for index in self.named(&["brk"]) {
            let is_row = self.markup.ancestors(index).any(|around| self.local(around) == "rowBreaks");
            if let (true, Some((place, old))) = (is_row, self.attribute(index, "id"))
                && let Some(row) = old.parse().ok().and_then(|row| rows.span((row, None), (row, None)))
            {
                self.edits.replace(place, row.1.to_string())?;
            }
        }
        Ok(())
    }

    /// Containers without content go; others are counted by who reads them.
    fn containers(&mut self) {
        let mut gone: HashSet<Range<usize>> = self.edits.removed().cloned().collect();
        let mut left = vec![(0_usize, false); self.markup.elements.len()];
        // Inner elements come after those around them.
        for index in (0..self.markup.elements.len()).rev() {
            let Some(element) = self.markup.elements.get(index) else { continue };
            let (kept, had_content) = left.get(index).copied().unwrap_or_default();
            let is_container = CONTAINERS.contains(&element.local());
            if is_container && had_content && kept == 0 {
                // A group of sparklines has their colors too.
                let whole = element.parent.filter(|_| element.local() == "sparklines").unwrap_or(index);
                for range in [element.range(), self.markup.range(whole)] {
                    if gone.insert(range.clone()) {
                        self.edits.remove(range);
                    }
                }
            } else if is_container && let Some(count) = attribute(self.source, element.open.clone(), "count") {
                self.edits.remove(with_name(self.source, count));
            }
            let is_kept = usize::from(!gone.contains(&element.range()));
            if let Some(around) = element.parent.and_then(|parent| left.get_mut(parent)) {
                *around = (around.0 + is_kept, true);
            }
        }
    }

    fn stand_ins(&mut self, rows: &Rows) -> Result<(), Failure> {
        let Some((index, data)) = self.markup.named("sheetData").next() else { return Ok(()) };
        let name = self.markup.inside(index).next().map_or_else(
            || if data.prefix().is_empty() { "row".to_owned() } else { format!("{}:row", data.prefix()) },
            |(_, row): (usize, &Element<'_>)| row.name.to_owned(),
        );
        let end = data.close.start;
        for stand_in in &rows.stand_ins {
            let row = format!("<{name} r=\"{}\"/>", stand_in.number);
            self.edits.insert(stand_in.at.unwrap_or(end), row)?;
        }
        Ok(())
    }
}

/// An attribute with its name and the space before it, around the place of its value.
fn with_name(source: &str, place: Range<usize>) -> Range<usize> {
    let start = source.get(..place.start).and_then(|before| before.rfind(char::is_whitespace)).unwrap_or(place.start);
    start..place.end + 1
}
