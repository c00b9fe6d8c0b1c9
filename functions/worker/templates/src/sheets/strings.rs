//! Brings what is needed to fill a sheet into its part: texts with tags, which other cells may share, and missing numbers.

use docmill_package::markup::{Element, Markup, attribute, scan, value};

use super::edits::{Budget, Edits};
use super::formula::{cell, column_name, column_number};
use super::rows::MOST_ROWS;
use super::shared::Shared;
use crate::options::Delimiters;
use crate::problem::Failure;

/// Most blank rows to write down.
const BLANK_ROWS: u32 = 10_000;

/// The workbook's texts.
#[derive(Debug, Default)]
pub(super) struct Strings {
    items: Vec<Item>,
}

#[derive(Debug)]
struct Item {
    /// As the workbook has it, with its runs.
    xml: String,
    has_tags: bool,
}

impl Strings {
    pub(super) fn read(source: &str, delimiters: &Delimiters) -> Result<Self, Failure> {
        let markup = scan(source)?;
        let Delimiters { open, close } = delimiters;
        let mut items: Vec<_> = markup
            .named("si")
            .map(|(element, si)| {
                let text = text_of(&markup, element);
                let xml = source.get(si.open.end..si.close.start.max(si.open.end)).unwrap_or_default().to_owned();
                let xml =
                    if si.prefix().is_empty() { xml } else { format!("<t>{}</t>", quick_xml::escape::escape(&*text)) };
                let has_tags = text.contains(open.as_str()) || text.contains(close.as_str());
                (Item { xml, has_tags }, text.contains(&format!("{open}=")))
            })
            .collect();
        // Other delimiters may be in any text.
        let change = items.iter().any(|(_, changes)| *changes);
        for (item, _) in &mut items {
            item.has_tags |= change;
        }
        Ok(Self { items: items.into_iter().map(|(item, _)| item).collect() })
    }
}

fn text_of(markup: &Markup<'_>, element: usize) -> String {
    let is_sound = |inner: usize| markup.ancestors(inner).any(|around| markup.local(around) == "rPh");
    let texts = markup.inside(element).filter(|(inner, child)| child.local() == "t" && !is_sound(*inner));
    texts.map(|(inner, _)| markup.text(inner)).collect()
}

/// A sheet that is ready to be filled.
#[derive(Debug)]
pub(super) struct Prepared {
    /// With tags in its own part, and a number at each row and cell.
    pub(super) source: String,
    /// The rows that are not blank.
    pub(super) existing: Vec<u32>,
    pub(super) shared: Shared,
}

/// The budget is what may yet be unpacked: many cells may share a long text.
pub(super) fn prepared(source: String, strings: &Strings, budget: &Budget) -> Result<Prepared, Failure> {
    let markup = scan(&source)?;
    let mut edits = Edits::new(budget);
    let (mut rows, mut tagged) = (Vec::new(), Vec::new());
    let (mut row, mut column) = (0_u32, 0_u32);
    for (index, element) in markup.elements.iter().enumerate() {
        match element.local() {
            "row" if markup.is_sheet_row(index) => {
                let written = value(&source, element, "r").map(|number| number.parse().unwrap_or_default());
                if written.is_none() {
                    edits.insert(after_name(element), format!(" r=\"{}\"", row + 1))?;
                }
                row =
                    Some(written.unwrap_or(row + 1)).filter(|row| (1..=MOST_ROWS).contains(row)).ok_or_else(no_row)?;
                column = 0;
                rows.push((row, element.open.start, element.name));
            }
            "c" if !rows.is_empty() => {
                let name = value(&source, element, "r");
                column = name.as_deref().and_then(cell).map_or(column + 1, |cell| column_number(cell.column));
                if let (None, Some(own)) = (name, column_name(column)) {
                    edits.insert(after_name(element), format!(" r=\"{own}{row}\""))?;
                }
                if let Some(item) = shared(&markup, &source, index, strings) {
                    inline(&markup, &source, index, item, &mut edits)?;
                    tagged.push(row);
                }
            }
            "is" => tagged.push(row),
            _ => {}
        }
    }
    let blank = blank_rows(&rows, &tagged);
    for (row, at, name) in &blank {
        edits.insert(*at, format!("<{name} r=\"{row}\"/>"))?;
    }
    let mut existing: Vec<_> =
        rows.iter().map(|(row, _, _)| *row).chain(blank.iter().map(|(row, _, _)| *row)).collect();
    existing.sort_unstable();
    existing.dedup();
    let shared = Shared::read(&markup, &source);
    Ok(Prepared { existing, shared, source: edits.applied(&source) })
}

fn no_row() -> Failure {
    Failure::Corrupt(format!("a row of a sheet has no number from 1 to {MOST_ROWS}"))
}

fn after_name(element: &Element<'_>) -> usize {
    element.open.start + 1 + element.name.len()
}

/// The shared text of a cell, if it may have tags.
fn shared<'s>(markup: &Markup<'_>, source: &str, index: usize, strings: &'s Strings) -> Option<&'s Item> {
    let cell = markup.elements.get(index)?;
    if value(source, cell, "t")? != "s" {
        return None;
    }
    let (number, _) = markup.inside(index).find(|(_, child)| child.local() == "v")?;
    strings.items.get(markup.text(number).trim().parse::<usize>().ok()?).filter(|item| item.has_tags)
}

fn inline(markup: &Markup<'_>, source: &str, index: usize, item: &Item, edits: &mut Edits<'_>) -> Result<(), Failure> {
    let Some(cell) = markup.elements.get(index) else { return Ok(()) };
    let Some(kind) = attribute(source, cell.open.clone(), "t") else { return Ok(()) };
    let prefix = cell.prefix();
    edits.replace(kind, "inlineStr".to_owned())?;
    let text = if prefix.is_empty() {
        format!("<is>{}</is>", item.xml)
    } else {
        edits.budget.take(item.xml.len())?;
        let inner = format!("<x>{}</x>", item.xml);
        let text = scan(&inner).map(|markup| text_of(&markup, 0)).unwrap_or_default();
        format!("<{prefix}:is><{prefix}:t>{}</{prefix}:t></{prefix}:is>", quick_xml::escape::escape(&*text))
    };
    edits.replace(cell.open.end..cell.close.start, text)
}

/// Rows that are not written down between rows with tags, each with the place before which it belongs.
fn blank_rows<'x>(rows: &[(u32, usize, &'x str)], tagged: &[u32]) -> Vec<(u32, usize, &'x str)> {
    let (Some(first), Some(last)) = (tagged.iter().min(), tagged.iter().max()) else { return Vec::new() };
    let mut blank = Vec::new();
    for pair in rows.windows(2) {
        let [(above, _, _), (below, at, name)] = pair else { continue };
        if above < first || below > last {
            continue;
        }
        let wanted = below.saturating_sub(above + 1);
        if blank.len() + usize::try_from(wanted).unwrap_or(usize::MAX) > usize::try_from(BLANK_ROWS).unwrap_or_default()
        {
            break;
        }
        blank.extend((above + 1..*below).map(|row| (row, *at, *name)));
    }
    blank
}
