//! Workbooks: sheets are filled like other parts, and then everything that names their cells follows these.

mod edits;
mod formula;
mod moving;
mod parts;
mod pictures;
mod ranges;
mod references;
mod rows;
mod shared;
mod strings;
mod styles;

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use crate::cell::{CellFormat, Epoch};
use crate::fill::Filled;
use crate::format::Format;
use crate::markup::{self, Dialect, Origin};
use crate::options::Delimiters;
use crate::problem::{Failure, Problem};
use crate::tree::Part;

pub(crate) use parts::chart;
pub(crate) use pictures::place_pictures;
pub(crate) use references::Sheets;

use docmill_package::markup::{scan, value};
use docmill_package::{Changes, Memory, Package, Relation, relations, types};
use edits::Budget;
use formula::cell;
use rows::{Rows, Written};
use shared::Shared;
use strings::{Prepared, Strings};

pub(crate) const WORKBOOK: &str = "xl/workbook.xml";
const CALCULATION: &str = "xl/calcChain.xml";
/// Bytes of a sheet's name. Programs allow 31 characters.
const LONGEST_NAME: usize = 255;
/// Parts of a sheet that follow its rows.
const FOLLOWING: [&str; 6] = ["table", "drawing", "comments", "threadedComment", "vmlDrawing", "pivotTable"];
const UNPACKS_TO_TOO_MUCH: &str = "The template is too large when it is unpacked: many cells share a long text.";
const GROWS_TOO_MUCH: &str = "The workbook would become too large where formulas, links and formats follow repeated rows. Use less data, or divide it.";

/// What a workbook has besides the parts with tags.
#[derive(Debug)]
pub(crate) struct Workbook {
    sheets: Vec<Sheet>,
    /// Parts that may change although they have no tags.
    texts: HashMap<String, String>,
    pivot_caches: Vec<String>,
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
    shared: Shared,
}

/// What changes when a workbook is filled.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) changes: Changes,
    /// Formulas that still name the cells of the template.
    pub(crate) kept: Vec<String>,
    /// Where rows have gone.
    pub(crate) sheets: Sheets,
}

/// Reads the parts of a workbook.
pub(crate) struct Reader<'a> {
    pub(crate) package: &'a mut Package<Memory>,
    pub(crate) delimiters: &'a Delimiters,
    pub(crate) problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn relations(&mut self, part: &str) -> Result<Vec<Relation>, Failure> {
        let source = self.package.text(&relations::part_of(part))?;
        Ok(source.map_or(Ok(Vec::new()), |source| relations::internal(part, &source))?)
    }
}

/// The workbook, and its parts with tags.
pub(crate) fn open(mut reader: Reader<'_>) -> Result<(Workbook, Vec<Part>), Failure> {
    let source = reader.package.needed(WORKBOOK)?;
    let related = reader.relations(WORKBOOK)?;
    let of_kind = |kind: &str| related.iter().find(|relation| relation.kind == kind).map(|relation| &relation.target);
    let formats = match of_kind("styles").map(|part| reader.package.text(part)).transpose()?.flatten() {
        Some(source) => styles::formats(&source)?,
        None => Vec::new(),
    };
    let strings = match of_kind("sharedStrings").map(|part| reader.package.text(part)).transpose()?.flatten() {
        Some(source) => Strings::read(&source, reader.delimiters)?,
        None => Strings::default(),
    };
    let mut book = Workbook { sheets: Vec::new(), texts: HashMap::new(), pivot_caches: Vec::new() };
    let mut parts = Vec::new();
    let epoch = epoch(&source)?;
    for (name, part) in named(&source, &related)? {
        parts.extend(book.add(&mut reader, name, part, &strings, &formats, epoch)?);
    }
    book.texts.insert(WORKBOOK.to_owned(), source);
    for part in [types::PART.to_owned(), relations::part_of(WORKBOOK)] {
        let text = reader.package.needed(&part)?;
        book.texts.insert(part, text);
    }
    for Relation { target, .. } in related.iter().filter(|relation| relation.kind == "pivotCacheDefinition") {
        if book.keep(&mut reader, target)?.is_some() {
            book.pivot_caches.push(target.clone());
        }
    }
    parts.extend(book.others(&mut reader)?);
    Ok((book, parts))
}

fn epoch(source: &str) -> Result<Epoch, Failure> {
    let markup = scan(source)?;
    let flag = markup.named("workbookPr").next().and_then(|(_, properties)| value(source, properties, "date1904"));
    Ok(if matches!(flag.as_deref(), Some("1" | "true")) { Epoch::Year1904 } else { Epoch::Year1900 })
}

/// Names and parts of sheets, in order. Fails if two have the same part, or if a name is longer than any program allows.
pub(crate) fn named(source: &str, related: &[Relation]) -> Result<Vec<(String, String)>, Failure> {
    let markup = scan(source)?;
    let worksheets = related.iter().filter(|relation| relation.kind == "worksheet");
    let worksheets: HashMap<_, _> = worksheets.map(|relation| (relation.id.as_str(), &relation.target)).collect();
    let sheet = |element: &docmill_package::markup::Element<'_>| {
        let prefixed = |prefix: &str| value(source, element, &format!("{prefix}:id"));
        let id = prefixed("r").or_else(|| prefixed("d3p1"))?;
        Some((value(source, element, "name")?, (*worksheets.get(id.as_str())?).clone()))
    };
    let sheets: Vec<_> = markup.named("sheet").filter_map(|(_, element)| sheet(element)).collect();
    let parts: HashSet<_> = sheets.iter().map(|(_, part)| part).collect();
    if parts.len() < sheets.len() || sheets.iter().any(|(name, _)| name.len() > LONGEST_NAME) {
        return Err(Failure::Corrupt("its sheets have the same part, or too long names".to_owned()));
    }
    Ok(sheets)
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
        let source = reader.package.needed(&part)?;
        let left = usize::try_from(reader.package.left()).unwrap_or(usize::MAX);
        let budget = Budget::new(left, UNPACKS_TO_TOO_MUCH);
        let prepared = strings::prepared(source, strings, &budget).map_err(|failure| failure.in_part(&part))?;
        reader.package.spend((left - budget.left()) as u64);
        let Prepared { source, existing, shared } = prepared;
        let related = reader.relations(&part)?;
        let (related, tables) = self.related(reader, related)?;
        self.texts.insert(part.clone(), source.clone());
        let origin = Origin {
            part: &part,
            sheet: Some(markup::Sheet { name: &name, formats, epoch }),
            slide: None,
            links: None,
        };
        let read = markup::read(&origin, source, Dialect::Cells, reader.delimiters, reader.problems)?;
        self.sheets.push(Sheet { name, part, existing, tables, related, shared });
        Ok(read)
    }

    /// Keeps a part that may change. Returns its text unless the part is missing or kept already.
    fn keep(&mut self, reader: &mut Reader<'_>, part: &str) -> Result<Option<&str>, Failure> {
        if self.texts.contains_key(part) {
            return Ok(None);
        }
        let Some(text) = reader.package.text(part)? else { return Ok(None) };
        Ok(Some(self.texts.entry(part.to_owned()).or_insert(text)))
    }

    /// Keeps the parts that follow a sheet's rows. Returns these, and where its tables have data.
    fn related(
        &mut self,
        reader: &mut Reader<'_>,
        related: Vec<Relation>,
    ) -> Result<(Vec<Relation>, Vec<RangeInclusive<u32>>), Failure> {
        let (mut following, mut tables) = (Vec::new(), Vec::new());
        for relation in related.into_iter().filter(|relation| FOLLOWING.contains(&relation.kind.as_str())) {
            let Some(text) = self.keep(reader, &relation.target)? else { continue };
            if relation.kind == "table" {
                tables.extend(table_data(text)?);
            }
            following.push(relation);
        }
        Ok((following, tables))
    }

    /// Parts with tags besides sheets; charts are kept too.
    fn others(&mut self, reader: &mut Reader<'_>) -> Result<Vec<Part>, Failure> {
        let mut parts = Vec::new();
        for name in reader.package.names() {
            let Some(dialect) = Format::Xlsx.dialect(&name) else { continue };
            let mut text = match self.texts.get(&name) {
                Some(text) => text.clone(),
                None => reader.package.needed(&name)?,
            };
            if is_chart(&name) {
                text = parts::without_caches(text)?;
            }
            self.texts.insert(name.clone(), text.clone());
            let origin = Origin { part: &name, sheet: None, slide: None, links: None };
            parts.extend(markup::read(&origin, text, dialect, reader.delimiters, reader.problems)?);
        }
        Ok(parts)
    }

    /// The parts that change when some are filled. `bytes` limits what formulas, links and formats add.
    pub(crate) fn settle(&self, filled: Vec<(String, Filled)>, bytes: usize) -> Result<Settled, Failure> {
        if filled.is_empty() {
            return Ok(Settled::default());
        }
        let sheets = Sheets::new(self.sheets.iter().map(|sheet| sheet.name.as_str()), self.moved(&filled)?);
        let budget = Budget::new(bytes, GROWS_TOO_MUCH);
        let changed = filled.into_iter().map(|(part, filled)| (part, filled.text)).collect();
        let mut texts = Texts { kept: &self.texts, changed };
        for sheet in &self.sheets {
            sheet.settle(&mut texts, &sheets, &budget)?;
        }
        for name in self.texts.keys().filter(|name| is_chart(name)) {
            texts.rewrite(name, |text| parts::chart(text, &sheets))?;
        }
        for cache in &self.pivot_caches {
            texts.change(cache, |text| parts::pivot_cache(text, &sheets))?;
        }
        texts.change(WORKBOOK, |text| parts::workbook(text, &sheets))?;
        texts.change(types::PART, |text| parts::without(text, "Override", "PartName", CALCULATION))?;
        texts.change(&relations::part_of(WORKBOOK), |text| {
            parts::without(text, "Relationship", "Target", CALCULATION)
        })?;
        sheets.moved().try_for_each(Rows::check)?;
        let removed = HashSet::from([CALCULATION.to_owned()]);
        let changes = Changes { texts: texts.changed, removed, ..Changes::default() };
        Ok(Settled { changes, kept: sheets.kept(), sheets })
    }

    /// The rows of sheets that have moved, by the sheet's name in lower case.
    fn moved(&self, filled: &[(String, Filled)]) -> Result<HashMap<String, Rows>, Failure> {
        let filled: HashMap<_, _> = filled.iter().map(|(part, filled)| (part, filled)).collect();
        let mut moved = HashMap::new();
        for sheet in &self.sheets {
            if let Some(filled) = filled.get(&sheet.part) {
                let rows = sheet.rows(filled).map_err(|failure| failure.in_part(&sheet.part))?;
                if rows.have_moved() {
                    moved.insert(sheet.name.to_lowercase(), rows);
                }
            }
        }
        Ok(moved)
    }
}

/// The texts of parts while they change.
struct Texts<'w> {
    /// As the template has them.
    kept: &'w HashMap<String, String>,
    changed: HashMap<String, String>,
}

impl Texts<'_> {
    fn get(&self, part: &str) -> Option<&str> {
        self.changed.get(part).or_else(|| self.kept.get(part)).map(String::as_str)
    }

    /// Changes a part if there is one.
    fn change(&mut self, part: &str, changed: impl Fn(&str) -> Result<String, Failure>) -> Result<(), Failure> {
        let new = self.mended(part, changed)?;
        let is_new = |new: &String| self.get(part) != Some(new);
        if let Some(new) = new.filter(is_new) {
            self.changed.insert(part.to_owned(), new);
        }
        Ok(())
    }

    /// The same for a part that is not kept as the archive has it.
    fn rewrite(&mut self, part: &str, changed: impl Fn(&str) -> Result<String, Failure>) -> Result<(), Failure> {
        if let Some(new) = self.mended(part, changed)? {
            self.changed.insert(part.to_owned(), new);
        }
        Ok(())
    }

    fn mended(&self, part: &str, changed: impl Fn(&str) -> Result<String, Failure>) -> Result<Option<String>, Failure> {
        self.get(part).map(changed).transpose().map_err(|failure| failure.in_part(part))
    }
}

impl Sheet {
    fn rows(&self, filled: &Filled) -> Result<Rows, Failure> {
        let markup = scan(&filled.text)?;
        let number = |(_, row): (usize, &docmill_package::markup::Element<'_>)| {
            let original = value(&filled.text, row, "r")?.parse().ok()?;
            Some(Written { original, at: row.open.start })
        };
        let written: Vec<_> =
            markup.named("row").filter(|(row, _)| markup.is_sheet_row(*row)).filter_map(number).collect();
        Rows::new(&self.existing, &written, &filled.passes, &self.tables)
    }

    /// Mends the sheet, and what belongs to it.
    fn settle(&self, texts: &mut Texts<'_>, sheets: &Sheets, budget: &Budget) -> Result<(), Failure> {
        texts.change(&self.part, |text| {
            let source = moving::Source { name: &self.name, text, shared: &self.shared };
            moving::mended(source, sheets, budget)
        })?;
        let Some(rows) = sheets.rows(&self.name) else { return Ok(()) };
        for Relation { kind, target, .. } in &self.related {
            texts.change(target, |text| match kind.as_str() {
                "table" => parts::table(text, rows),
                "drawing" => parts::drawing(text, rows),
                "comments" | "threadedComment" => parts::comments(text, rows),
                "pivotTable" => parts::pivot(text, rows),
                "vmlDrawing" => Ok(parts::comment_shapes(text, rows).unwrap_or_else(|| text.to_owned())),
                _ => Ok(text.to_owned()),
            })?;
        }
        Ok(())
    }
}

/// The column and row of a cell such as `$B$5`.
pub(crate) fn place(name: &str) -> Option<(u32, u32)> {
    let cell = cell(name)?;
    Some((formula::column_number(cell.column.trim_start_matches('$')), cell.row))
}

/// The columns and rows of one cell, or of a range of them.
pub(crate) fn area(range: &str) -> Option<(RangeInclusive<u32>, RangeInclusive<u32>)> {
    let (first, last) = range.split_once(':').unwrap_or((range, range));
    let (first, last) = (place(first)?, place(last)?);
    Some((first.0.min(last.0)..=first.0.max(last.0), first.1.min(last.1)..=first.1.max(last.1)))
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
