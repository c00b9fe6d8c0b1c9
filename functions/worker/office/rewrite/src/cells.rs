//! The text of a workbook's cells that should be on the pages of a PDF.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use quick_xml::events::BytesStart;
use serde::{Deserialize, Serialize};

use super::edit::{Tag, attribute, plain, scan};
use super::row_heights::{has_no_height, sheets};
use super::sheets::local;
use super::{MOST_BYTES, Package, open, part, short_part};

/// Most cells, and most bytes of their text. Those that follow are not looked at.
const MOST_CELLS: usize = 5_000;
const MOST_TEXT: usize = 200_000;

/// A cell with text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// As in a formula: `Sheet1!A1`.
    pub place: String,
    /// What it shows, as far as the package says.
    pub text: String,
}

/// Cells with text in rows, columns and sheets that are printed. None if the package can't be read.
pub fn printed_cells(source: &Path) -> Vec<Cell> {
    read(source).unwrap_or_else(|error| {
        eprintln!("cells are not compared: {:?}", error.kind());
        Vec::new()
    })
}

fn read(source: &Path) -> io::Result<Vec<Cell>> {
    let mut package = open(source)?;
    let workbook = part(&mut package, "xl/workbook.xml")?;
    // Which cells of a print range are printed depends on names and formulas.
    if workbook.contains("_xlnm.Print_Area") {
        return Ok(Vec::new());
    }
    let strings = strings(&mut package)?;
    let hidden = hidden_sheets(&workbook)?;
    let (mut cells, mut left) = (Vec::new(), MOST_TEXT);
    for (name, part) in sheets(&mut package)?.into_iter().filter(|(name, _)| !hidden.contains(name)) {
        let Some(xml) = short_part(&mut package, &part, MOST_BYTES)? else { continue };
        for (place, text) in texts(&xml, &strings)? {
            if cells.len() == MOST_CELLS || text.len() > left {
                return Ok(cells);
            }
            left -= text.len();
            cells.push(Cell { place: format!("{name}!{place}"), text });
        }
    }
    Ok(cells)
}

fn hidden_sheets(workbook: &str) -> io::Result<HashSet<String>> {
    let mut hidden = HashSet::new();
    scan(workbook, |_, tag| {
        let (Tag::Start(tag) | Tag::Empty(tag)) = tag else { return };
        if local(tag.name().as_ref()) == "sheet" && attribute(&tag, "state").is_some_and(|state| state != "visible") {
            hidden.extend(super::edit::value(&tag, "name"));
        }
    })?;
    Ok(hidden)
}

/// The texts that cells share.
fn strings(package: &mut Package) -> io::Result<Vec<String>> {
    let xml = part(package, "xl/sharedStrings.xml")?;
    let (mut strings, mut string, mut text) = (Vec::new(), Text::default(), String::new());
    scan(&xml, |range, tag| match tag {
        Tag::Start(tag) if local(tag.name().as_ref()) == "si" => text.clear(),
        Tag::Empty(tag) if local(tag.name().as_ref()) == "si" => strings.push(String::new()),
        Tag::End(name) if local(&name) == "si" => strings.push(std::mem::take(&mut text)),
        tag @ (Tag::Start(_) | Tag::Empty(_) | Tag::End(_)) => text.push_str(&string.visit(&xml, range, &tag)),
    })?;
    Ok(strings)
}

/// Reads the text of `t` elements, without the pronunciation of East Asian text.
#[derive(Default)]
struct Text {
    start: Option<usize>,
    is_phonetic: bool,
}

impl Text {
    fn visit(&mut self, xml: &str, range: Range<usize>, tag: &Tag<'_>) -> String {
        match tag {
            Tag::Start(tag) if local(tag.name().as_ref()) == "rPh" => self.is_phonetic = true,
            Tag::End(name) if local(name) == "rPh" => self.is_phonetic = false,
            Tag::Start(tag) if local(tag.name().as_ref()) == "t" && !self.is_phonetic => self.start = Some(range.end),
            Tag::End(name) if local(name) == "t" => {
                let text = self.start.take().and_then(|start| plain(xml, &(start..range.start)));
                return text.unwrap_or_default();
            }
            Tag::Start(_) | Tag::Empty(_) | Tag::End(_) => {}
        }
        String::new()
    }
}

/// Where a cell's text is.
enum Source {
    Shared,
    Inline,
}

/// Places and texts of a sheet's cells, without those in hidden rows and columns, and below merged ones.
fn texts(xml: &str, strings: &[String]) -> io::Result<Vec<(String, String)>> {
    let (mut texts, mut merged, mut hidden_columns) = (Vec::new(), Vec::new(), Vec::new());
    let (mut row_is_shown, mut cell, mut value) = (false, None::<(String, Source, String)>, None);
    let mut inline = Text::default();
    scan(xml, |range, tag| {
        if let Some((_, Source::Inline, text)) = &mut cell {
            text.push_str(&inline.visit(xml, range.clone(), &tag));
        }
        match tag {
            Tag::Start(tag) => match local(tag.name().as_ref()) {
                "row" => row_is_shown = is_shown(&tag),
                "c" if row_is_shown && texts.len() < MOST_CELLS => cell = started(&tag),
                "v" => value = Some(range.end),
                _ => {}
            },
            Tag::Empty(tag) => match local(tag.name().as_ref()) {
                "col" => hidden_columns.extend(hidden_column(&tag)),
                "mergeCell" => merged.extend(attribute(&tag, "ref").and_then(|area| Area::read(&area))),
                _ => {}
            },
            Tag::End(name) => match local(&name) {
                "v" => {
                    let index =
                        value.take().and_then(|start| xml.get(start..range.start)?.trim().parse::<usize>().ok());
                    if let Some((_, Source::Shared, text)) = &mut cell {
                        *text = index.and_then(|index| strings.get(index)).cloned().unwrap_or_default();
                    }
                }
                "c" => texts.extend(cell.take().map(|(place, _, text)| (place, text))),
                _ => {}
            },
        }
    })?;
    texts.retain(|(place, text)| {
        let Some(at) = place_of(place) else { return false };
        // Escaped control characters are printed as nothing.
        !text.trim().is_empty()
            && !text.contains("_x")
            && !hidden_columns.iter().any(|columns| columns.contains(&at.0))
            && !merged.iter().any(|area: &Area| area.hides(at))
    });
    Ok(texts)
}

fn is_shown(row: &BytesStart<'_>) -> bool {
    let height = attribute(row, "ht").and_then(|height| height.parse::<f64>().ok());
    has_no_height(row)
        || (height.is_some_and(|height| height > 0.0) && attribute(row, "hidden").is_none_or(|hidden| hidden == "0"))
}

fn started(cell: &BytesStart<'_>) -> Option<(String, Source, String)> {
    let source = match attribute(cell, "t")?.as_str() {
        "s" => Source::Shared,
        "inlineStr" => Source::Inline,
        _ => return None,
    };
    Some((attribute(cell, "r")?, source, String::new()))
}

fn hidden_column(column: &BytesStart<'_>) -> Option<std::ops::RangeInclusive<u32>> {
    let number = |name| attribute(column, name).and_then(|number| number.parse::<f64>().ok());
    let is_hidden = attribute(column, "hidden").is_some_and(|hidden| hidden != "0") || number("width") == Some(0.0);
    let [first, last] = ["min", "max"].map(|name| attribute(column, name).and_then(|number| number.parse().ok()));
    is_hidden.then_some(first?..=last?)
}

/// Merged cells, by the columns and rows of their corners.
struct Area {
    first: (u32, u32),
    last: (u32, u32),
}

impl Area {
    fn read(area: &str) -> Option<Self> {
        let (first, last) = area.split_once(':')?;
        Some(Self { first: place_of(first)?, last: place_of(last)? })
    }

    /// Whether a cell is in the area, and not its first one.
    fn hides(&self, at: (u32, u32)) -> bool {
        let within = |at, first, last| first <= at && at <= last;
        at != self.first && within(at.0, self.first.0, self.last.0) && within(at.1, self.first.1, self.last.1)
    }
}

/// Column and row of a place such as `AB12`, counted from 1.
fn place_of(place: &str) -> Option<(u32, u32)> {
    let digits = place.find(|letter: char| letter.is_ascii_digit())?;
    let (letters, row) = place.split_at_checked(digits)?;
    let column = letters.bytes().try_fold(0_u32, |column, letter| {
        let digit = letter.to_ascii_uppercase().checked_sub(b'A').filter(|digit| *digit < 26)?;
        column.checked_mul(26)?.checked_add(u32::from(digit) + 1)
    })?;
    Some((column, row.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sheet: &str) -> Vec<String> {
        let strings = ["zero", "one"].map(str::to_owned);
        texts(sheet, &strings).unwrap().into_iter().map(|(place, text)| format!("{place}={text}")).collect()
    }

    fn cell(place: &str, index: u32) -> String {
        format!("<c r=\"{place}\" t=\"s\"><v>{index}</v></c>")
    }

    #[test]
    fn cells_have_shared_and_inline_text() {
        let inline =
            "<c r=\"B1\" t=\"inlineStr\"><is><r><t>a &amp; </t></r><rPh><t>x</t></rPh><r><t>b</t></r></is></c>";
        let number = "<c r=\"C1\"><v>1</v></c><c r=\"D1\" t=\"str\"><f>A1</f><v>zero</v></c>";
        let sheet = format!("<row r=\"1\">{}{inline}{number}{}</row>", cell("A1", 1), cell("E1", 7));
        assert_eq!(read(&sheet), ["A1=one", "B1=a & b"]);
    }

    #[test]
    fn hidden_and_merged_cells_are_left_out() {
        let row = |attributes: &str, place| format!("<x:row {attributes}>{}</x:row>", cell(place, 0));
        let sheet = [
            "<cols><col min=\"2\" max=\"3\" hidden=\"1\"/></cols>".to_owned(),
            row("", "A1"),
            row("hidden=\"1\"", "A2"),
            row("ht=\"0\"", "A3"),
            row("ht=\"15\" hidden=\"0\"", "D4"),
            row("", "C5"),
            row("", "D6"),
            row("", "E7"),
            "<mergeCells><mergeCell ref=\"D6:E8\"/></mergeCells>".to_owned(),
        ];
        assert_eq!(read(&sheet.concat()), ["A1=zero", "D4=zero", "D6=zero"]);
    }

    #[test]
    fn places_are_columns_and_rows() {
        assert_eq!(place_of("A1"), Some((1, 1)));
        assert_eq!(place_of("AB12"), Some((28, 12)));
        assert_eq!(place_of("12"), Some((0, 12)));
        assert_eq!(place_of("Ä1"), None);
        assert_eq!(place_of("A"), None);
    }
}
