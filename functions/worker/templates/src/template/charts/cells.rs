//! The values in a workbook's cells.

use std::collections::HashMap;

use docmill_package::markup::{Markup, scan, value};
use docmill_package::relations;

use crate::package;
use crate::problem::Failure;
use crate::sheets::{WORKBOOK, area, place};

/// Most cells of a chart's range.
const MOST: usize = 10_000;
/// Bytes of a workbook's parts.
const MOST_BYTES: usize = 64 << 20;

/// By the sheet's name in lower case, and by column and row.
#[derive(Debug, Default)]
pub(super) struct Cells {
    sheets: HashMap<String, HashMap<(u32, u32), String>>,
}

impl Cells {
    /// Cells with formulas are left out: their values are not known.
    pub(super) fn read(workbook: Vec<u8>) -> Result<Self, Failure> {
        let mut package = package::open(workbook, MOST_BYTES)?;
        let book = package.text(WORKBOOK)?.unwrap_or_default();
        let related = package.text(&relations::part_of(WORKBOOK))?.unwrap_or_default();
        let related = relations::internal(WORKBOOK, &related)?;
        let strings = related.iter().find(|relation| relation.kind == "sharedStrings");
        let strings = match strings.map(|relation| package.text(&relation.target)).transpose()?.flatten() {
            Some(source) => strings_of(&source)?,
            None => Vec::new(),
        };
        let mut sheets = HashMap::new();
        for (name, part) in crate::sheets::named(&book, &related)? {
            if let Some(source) = package.text(&part)? {
                sheets.insert(name.to_lowercase(), cells_of(&source, &strings)?);
            }
        }
        Ok(Self { sheets })
    }

    /// The values of a range such as `Sheet1!$B$2:$B$5`. `None` if it is no range of one sheet, or has formulas.
    pub(super) fn values(&self, range: &str) -> Option<Vec<String>> {
        let (sheet, cells) = range.rsplit_once('!')?;
        let sheet = sheet.trim_matches('\'').replace("''", "'").to_lowercase();
        let sheet = self.sheets.get(&sheet)?;
        let (columns, rows) = area(cells)?;
        let count = columns.clone().count().checked_mul(rows.clone().count())?;
        if count > MOST {
            return None;
        }
        let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        let values: Vec<_> = places.map(|place| sheet.get(&place).cloned().unwrap_or_default()).collect();
        (!values.iter().any(|value| value == FORMULA)).then_some(values)
    }
}

/// Stands for the unknown value of a formula. No cell can have it.
const FORMULA: &str = "\0";

fn texts(markup: &Markup<'_>, around: usize) -> String {
    let runs = markup.inside(around).filter(|(index, inner)| {
        inner.local() == "t" && !markup.ancestors(*index).any(|outer| markup.local(outer) == "rPh")
    });
    runs.map(|(index, _)| markup.text(index)).collect()
}

fn strings_of(source: &str) -> Result<Vec<String>, Failure> {
    let markup = scan(source)?;
    Ok(markup.named("si").map(|(index, _)| texts(&markup, index)).collect())
}

fn cells_of(source: &str, strings: &[String]) -> Result<HashMap<(u32, u32), String>, Failure> {
    let markup = scan(source)?;
    let content = |index: usize, kind: &str| {
        let child = |name: &str| markup.inside(index).find(|(_, inner)| inner.local() == name).map(|(child, _)| child);
        if child("f").is_some() {
            return Some(FORMULA.to_owned());
        }
        if kind == "inlineStr" {
            return Some(texts(&markup, index));
        }
        let written = markup.text(child("v")?);
        if kind == "s" { strings.get(written.trim().parse::<usize>().ok()?).cloned() } else { Some(written) }
    };
    let cell = |(index, element): (usize, &docmill_package::markup::Element<'_>)| {
        let kind = value(source, element, "t").unwrap_or_default();
        Some((place(&value(source, element, "r")?)?, content(index, &kind)?))
    };
    Ok(markup.named("c").filter_map(cell).collect())
}
