//! Workbooks: sheets are filled like other parts, and then everything that names their cells follows these.

mod moving;
mod parts;
mod references;
mod rows;
mod strings;
mod styles;

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::cell::Epoch;
use crate::fill::Filled;
use crate::format::Format;
use crate::markup::{self, CellFormat, Dialect, Origin, scan, value};
use crate::options::Delimiters;
use crate::package::{Changes, Package};
use crate::problem::{Failure, Problem};
use crate::relations::{self, Relation};
use crate::tree::Part;

pub(crate) use rows::Pass;

use references::{Sheets, cell};
use rows::{Rows, Written};
use strings::Strings;

const WORKBOOK: &str = "xl/workbook.xml";
const TYPES: &str = "[Content_Types].xml";
const CALCULATION: &str = "xl/calcChain.xml";

/// What a workbook has besides the parts with tags.
#[derive(Debug)]
pub(crate) struct Workbook {
    sheets: Vec<Sheet>,
    /// Parts that may change although they have no tags.
    texts: HashMap<String, String>,
}

#[derive(Debug)]
struct Sheet {
    name: String,
    part: String,
    /// Rows that are not blank.
    existing: Vec<u32>,
    /// Rows with data of its tables, of which one must be left.
    tables: Vec<RangeInclusive<u32>>,
    related: Vec<Relation>,
}

/// Reads the parts of a package while it may yet unpack so many bytes.
pub(crate) struct Reader<'a> {
    pub(crate) package: &'a mut Package,
    pub(crate) left: &'a mut usize,
    pub(crate) delimiters: &'a Delimiters,
    pub(crate) problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn text(&mut self, part: &str) -> Result<Option<String>, Failure> {
        if self.package.has(part) { self.package.text(part, self.left).map(Some) } else { Ok(None) }
    }

    fn needed(&mut self, part: &str) -> Result<String, Failure> {
        self.text(part)?.ok_or_else(|| Failure::Corrupt(format!("it has no part {part}")))
    }

    fn relations(&mut self, part: &str) -> Result<Vec<Relation>, Failure> {
        let source = self.text(&relations::part_of(part))?;
        source.map_or(Ok(Vec::new()), |source| relations::read(part, &source))
    }
}

/// The workbook, and its parts with tags.
pub(crate) fn open(mut reader: Reader<'_>) -> Result<(Workbook, Vec<Part>), Failure> {
    let source = reader.needed(WORKBOOK)?;
    let related = reader.relations(WORKBOOK)?;
    let of_kind = |kind: &str| related.iter().find(|relation| relation.kind == kind).map(|relation| &relation.target);
    let formats = match of_kind("styles").map(|part| reader.text(part)).transpose()?.flatten() {
        Some(source) => styles::formats(&source)?,
        None => Vec::new(),
    };
    let strings = match of_kind("sharedStrings").map(|part| reader.text(part)).transpose()?.flatten() {
        Some(source) => Strings::read(&source, reader.delimiters)?,
        None => Strings::default(),
    };
    let mut book = Workbook { sheets: Vec::new(), texts: HashMap::new() };
    let mut parts = Vec::new();
    let epoch = epoch(&source)?;
    for (name, part) in sheets(&source, &related)? {
        parts.extend(book.add(&mut reader, name, part, &strings, &formats, epoch)?);
    }
    book.texts.insert(WORKBOOK.to_owned(), source);
    for part in [TYPES.to_owned(), relations::part_of(WORKBOOK)] {
        let text = reader.needed(&part)?;
        book.texts.insert(part, text);
    }
    parts.extend(book.others(&mut reader)?);
    Ok((book, parts))
}

fn epoch(source: &str) -> Result<Epoch, Failure> {
    let markup = scan(source)?;
    let flag = markup.named("workbookPr").next().and_then(|(_, properties)| value(source, properties, "date1904"));
    Ok(if matches!(flag.as_deref(), Some("1" | "true")) { Epoch::Year1904 } else { Epoch::Year1900 })
}

/// Names and parts of sheets, in order.
fn sheets(source: &str, related: &[Relation]) -> Result<Vec<(String, String)>, Failure> {
    let markup = scan(source)?;
    let sheet = |element: &markup::Element<'_>| {
        let prefixed = |prefix: &str| value(source, element, &format!("{prefix}:id"));
        let id = prefixed("r").or_else(|| prefixed("d3p1"))?;
        let relation = related.iter().find(|relation| relation.id == id && relation.kind == "worksheet")?;
        Some((value(source, element, "name")?, relation.target.clone()))
    };
    Ok(markup.named("sheet").filter_map(|(_, element)| sheet(element)).collect())
}

impl Workbook {
    fn add(
        &mut self,
        reader: &mut Reader<'_>,
        name: String,
        part: String,
        strings: &Strings,
        formats: &[CellFormat],
        epoch: Epoch,
    ) -> Result<Option<Part>, Failure> {
        let (source, existing) = strings::prepared(reader.needed(&part)?, strings)?;
        let related = reader.relations(&part)?;
        let tables = self.related_texts(reader, &related)?;
        self.texts.insert(part.clone(), source.clone());
        let origin = Origin { part: &part, sheet: Some(markup::Sheet { name: &name, formats, epoch }) };
        let read = markup::read(&origin, source, Dialect::Cells, reader.delimiters, reader.problems)?;
        self.sheets.push(Sheet { name, part, existing, tables, related });
        Ok(read)
    }

    /// Keeps the parts that follow a sheet's rows. Returns where its tables have data.
    fn related_texts(
        &mut self,
        reader: &mut Reader<'_>,
        related: &[Relation],
    ) -> Result<Vec<RangeInclusive<u32>>, Failure> {
        let mut tables = Vec::new();
        for Relation { kind, target, .. } in related {
            if !matches!(kind.as_str(), "table" | "drawing" | "comments" | "vmlDrawing") {
                continue;
            }
            let Some(text) = reader.text(target)? else { continue };
            if kind == "table" {
                tables.extend(table_data(&text)?);
            }
            self.texts.insert(target.clone(), text);
        }
        Ok(tables)
    }

    /// Parts with tags besides sheets; charts are kept too.
    fn others(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Part>, Failure> {
        let mut parts = Vec::new();
        for name in reader.package.names() {
            let Some(dialect) = Format::Xlsx.dialect(&name) else { continue };
            let mut text = match self.texts.get(&name) {
                Some(text) => text.clone(),
                None => reader.needed(&name)?,
            };
            if is_chart(&name) {
                text = parts::without_caches(text)?;
            }
            self.texts.insert(name.clone(), text.clone());
            let origin = Origin { part: &name, sheet: None };
            parts.extend(markup::read(&origin, text, dialect, reader.delimiters, reader.problems)?);
        }
        Ok(parts)
    }

    /// The parts that change when some are filled.
    pub(crate) fn settle(&self, filled: Vec<(String, Filled)>) -> Result<Changes, Failure> {
        let mut changes = Changes::default();
        if filled.is_empty() {
            return Ok(changes);
        }
        let mut rows = Sheets::new();
        for (part, filled) in &filled {
            if let Some(sheet) = self.sheets.iter().find(|sheet| sheet.part == *part) {
                rows.insert(sheet.name.to_lowercase(), sheet.rows(filled)?);
            }
        }
        rows.retain(|_, rows| rows.have_moved());
        let mut texts = self.texts.clone();
        texts.extend(filled.into_iter().map(|(part, filled)| (part, filled.text)));
        for sheet in &self.sheets {
            sheet.settle(&mut texts, &rows)?;
        }
        for (name, text) in &mut texts {
            if is_chart(name) {
                *text = parts::chart(text, &rows)?;
            }
        }
        change(&mut texts, WORKBOOK, |text| parts::workbook(text, &rows))?;
        change(&mut texts, TYPES, |text| parts::without(text, "Override", "PartName", CALCULATION))?;
        change(&mut texts, &relations::part_of(WORKBOOK), |text| {
            parts::without(text, "Relationship", "Target", CALCULATION)
        })?;
        texts.retain(|name, text| is_chart(name) || self.texts.get(name) != Some(text));
        changes.texts = texts;
        changes.removed.insert(CALCULATION.to_owned());
        Ok(changes)
    }
}

fn change(
    texts: &mut HashMap<String, String>,
    part: &str,
    changed: impl Fn(&str) -> Result<String, Failure>,
) -> Result<(), Failure> {
    if let Some(text) = texts.get_mut(part) {
        *text = changed(text)?;
    }
    Ok(())
}

impl Sheet {
    fn rows(&self, filled: &Filled) -> Result<Rows, Failure> {
        let markup = scan(&filled.text)?;
        let number = |(_, row): (usize, &markup::Element<'_>)| {
            let original = value(&filled.text, row, "r")?.parse().ok()?;
            Some(Written { original, at: row.open.start })
        };
        let written: Vec<_> =
            markup.named("row").filter(|(row, _)| markup.is_sheet_row(*row)).filter_map(number).collect();
        Rows::new(&self.existing, &written, &filled.passes, &self.tables)
    }

    /// Mends the sheet, and what belongs to it.
    fn settle(&self, texts: &mut HashMap<String, String>, rows: &Sheets) -> Result<(), Failure> {
        change(texts, &self.part, |text| moving::mended(&self.name, text, rows))?;
        let Some(rows) = rows.get(&self.name.to_lowercase()) else { return Ok(()) };
        for Relation { kind, target, .. } in &self.related {
            change(texts, target, |text| match kind.as_str() {
                "table" => parts::table(text, rows),
                "drawing" => parts::drawing(text, rows),
                "comments" => parts::comments(text, rows),
                "vmlDrawing" => Ok(parts::comment_shapes(text, rows).unwrap_or_else(|| text.to_owned())),
                _ => Ok(text.to_owned()),
            })?;
        }
        Ok(())
    }
}

fn is_chart(part: &str) -> bool {
    part.starts_with("xl/charts/chart")
}

/// The rows of a table between its header and its totals.
fn table_data(source: &str) -> Result<Option<RangeInclusive<u32>>, Failure> {
    let markup = scan(source)?;
    let Some((_, table)) = markup.named("table").next() else { return Ok(None) };
    let count =
        |name: &str, usual: u32| value(source, table, name).and_then(|count| count.parse().ok()).unwrap_or(usual);
    let range = value(source, table, "ref").unwrap_or_default();
    let Some((first, last)) = range.split_once(':').and_then(|(first, last)| Some((cell(first)?.row, cell(last)?.row)))
    else {
        return Ok(None);
    };
    let data = first.saturating_add(count("headerRowCount", 1))..=last.saturating_sub(count("totalsRowCount", 0));
    Ok((!data.is_empty()).then_some(data))
}
