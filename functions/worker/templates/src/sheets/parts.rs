//! Mends what refers to sheets: names, tables, charts, drawings, comments, and the workbook itself.

use std::ops::Range;

use docmill_package::markup::{Element, Markup, applied, attribute, scan, value};

use super::ranges::one;
use super::references::{At, Sheets, moved};
use super::rows::{MOST_ROWS, Rows};
use crate::problem::Failure;

type Edits = Vec<(Range<usize>, String)>;

/// The workbook: names follow their cells, and programs calculate it when they open it.
pub(super) fn workbook(source: &str, sheets: &Sheets) -> Result<String, Failure> {
    const RECALCULATE: &str = "fullCalcOnLoad";
    let markup = scan(source)?;
    let mut edits = Vec::new();
    formulas(&markup, "definedName", sheets, &mut edits);
    match markup.named("calcPr").next() {
        Some((_, calculation)) => edits.push(set(source, calculation, RECALCULATE, "1")),
        None => {
            let before = ["definedNames", "externalReferences", "functionGroups", "sheets"];
            let last = before.iter().find_map(|name| markup.named(name).next());
            if let Some((_, last)) = last {
                let prefix = last.name.strip_suffix(last.local()).unwrap_or_default();
                let at = last.range().end;
                edits.push((at..at, format!("<{prefix}calcPr {RECALCULATE}=\"1\"/>")));
            }
        }
    }
    Ok(applied(source, edits))
}

/// A chart: its ranges, without the values that they had in the template.
pub(crate) fn chart(source: &str, sheets: &Sheets) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    formulas(&markup, "f", sheets, &mut edits);
    Ok(applied(source, edits))
}

pub(super) fn without_caches(source: String) -> Result<String, Failure> {
    let markup = scan(&source)?;
    let is_cache = |element: &&Element<'_>| matches!(element.local(), "numCache" | "strCache" | "multiLvlStrCache");
    let caches: Edits =
        markup.elements.iter().filter(is_cache).map(|element| (element.range(), String::new())).collect();
    Ok(applied(&source, caches))
}

fn formulas(markup: &Markup<'_>, local: &str, sheets: &Sheets, edits: &mut Edits) {
    for (index, element) in markup.named(local) {
        let text = markup.text(index);
        let new = moved(&text, At { sheet: "", row: None }, sheets);
        if new != text {
            edits.push((element.open.end..element.close.start, quick_xml::escape::partial_escape(&new).into_owned()));
        }
    }
}

/// A table's part. Its sheet's rows have moved.
pub(super) fn table(source: &str, rows: &Rows) -> Result<String, Failure> {
    ranges(source, rows, &["table", "autoFilter", "sortState", "sortCondition"])
}

/// Comments, in either form. Those of rows that are gone go too.
pub(super) fn comments(source: &str, rows: &Rows) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for element in markup.elements.iter().filter(|element| matches!(element.local(), "comment" | "threadedComment")) {
        let Some(place) = attribute(source, element.open.clone(), "ref") else { continue };
        match value(source, element, "ref").and_then(|old| one(rows, &old)) {
            Some(new) => edits.push((place, new)),
            None => edits.push((element.range(), String::new())),
        }
    }
    Ok(applied(source, edits))
}

/// Where a pivot table is.
pub(super) fn pivot(source: &str, rows: &Rows) -> Result<String, Failure> {
    ranges(source, rows, &["location"])
}

/// The data of a pivot table: its range follows, and programs read it again when they open the workbook.
pub(super) fn pivot_cache(source: &str, sheets: &Sheets) -> Result<String, Failure> {
    const REFRESH: &str = "refreshOnLoad";
    let markup = scan(source)?;
    let mut edits = Vec::new();
    if let Some((_, cache)) = markup.named("pivotCacheDefinition").next() {
        edits.push(set(source, cache, REFRESH, "1"));
    }
    for (_, data) in markup.named("worksheetSource") {
        let rows = value(source, data, "sheet").and_then(|sheet| sheets.rows(&sheet));
        if let (Some(rows), Some(place), Some(old)) =
            (rows, attribute(source, data.open.clone(), "ref"), value(source, data, "ref"))
            && let Some(new) = one(rows, &old)
        {
            edits.push((place, new));
        }
    }
    Ok(applied(source, edits))
}

/// Gives an attribute a value, whether it is there or not.
fn set(source: &str, element: &Element<'_>, name: &str, value: &str) -> (Range<usize>, String) {
    match attribute(source, element.open.clone(), name) {
        Some(place) => (place, value.to_owned()),
        None => {
            let at = element.open.start + 1 + element.name.len();
            (at..at, format!(" {name}=\"{value}\""))
        }
    }
}

fn ranges(source: &str, rows: &Rows, elements: &[&str]) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for element in markup.elements.iter().filter(|element| elements.contains(&element.local())) {
        if let (Some(place), Some(old)) =
            (attribute(source, element.open.clone(), "ref"), value(source, element, "ref"))
            && let Some(new) = one(rows, &old)
        {
            edits.push((place, new));
        }
    }
    Ok(applied(source, edits))
}

/// Pictures, charts and shapes keep their size, and follow the row at their upper edge.
pub(super) fn drawing(source: &str, rows: &Rows) -> Result<String, Failure> {
    let markup = scan(source)?;
    let mut edits = Vec::new();
    for (from, _) in markup.named("from") {
        let Some((_, _, old)) = row_in(&markup, from) else { continue };
        let new = from_zero(rows, old).unwrap_or(old);
        let anchor = markup.elements.get(from).and_then(|element| element.parent);
        let to = anchor.and_then(|anchor| markup.inside(anchor).find(|(_, inner)| inner.local() == "to"));
        for (place, _, row) in
            [Some(from), to.map(|(to, _)| to)].into_iter().flatten().filter_map(|end| row_in(&markup, end))
        {
            let row = i64::from(row) + i64::from(new) - i64::from(old);
            edits.push((place, row.max(0).to_string()));
        }
    }
    Ok(applied(source, edits))
}

fn row_in(markup: &Markup<'_>, end: usize) -> Option<(Range<usize>, usize, u32)> {
    let (row, element) = markup.inside(end).find(|(_, inner)| inner.local() == "row")?;
    let number = markup.text(row).trim().parse().ok().filter(|number| *number < MOST_ROWS)?;
    Some((element.open.end..element.close.start, row, number))
}

/// Where a row is now, both counted from 0. `None` if it is gone.
fn from_zero(rows: &Rows, row: u32) -> Option<u32> {
    rows.row(row.checked_add(1)?, None)?.checked_sub(1)
}

/// The shapes of comments; those of rows that are gone go too. They are old markup, which is not always well-formed: then it stays.
pub(super) fn comment_shapes(source: &str, rows: &Rows) -> Option<String> {
    let markup = scan(source).ok()?;
    let mut edits = Vec::new();
    for (index, element) in markup.named("Row") {
        let Some(old) = markup.text(index).trim().parse().ok().filter(|row| *row < MOST_ROWS) else { continue };
        match (from_zero(rows, old), markup.ancestors(index).find(|around| markup.local(*around) == "shape")) {
            (Some(new), _) => edits.push((element.open.end..element.close.start, new.to_string())),
            (None, Some(shape)) => edits.push((markup.range(shape), String::new())),
            (None, None) => {}
        }
    }
    Some(applied(source, edits))
}

/// The order in which formulas were calculated is the template's: programs make it again.
pub(super) fn without(source: &str, element: &str, attribute_name: &str, part: &str) -> Result<String, Failure> {
    let markup = scan(source)?;
    let is_part = |candidate: &&(usize, &Element<'_>)| {
        value(source, candidate.1, attribute_name)
            .is_some_and(|name| name.rsplit('/').next() == part.rsplit('/').next())
    };
    let edits: Edits = markup
        .named(element)
        .filter(|candidate| is_part(&candidate))
        .map(|(_, element)| (element.range(), String::new()))
        .collect();
    Ok(applied(source, edits))
}
