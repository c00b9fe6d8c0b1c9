//! Rows of workbooks that have no height. Excel gives them the height that their cells need when it opens the file, which most
//! generators rely on; LibreOffice gives them the default height.

use std::io;
use std::path::Path;

use memchr::memmem;
use quick_xml::events::BytesStart;

use super::edit::{Tag, attribute, scan, value};
use super::sheets::{local, wraps};
use super::{MOST_BYTES, Package, open, part, short_part};

const WORKBOOK: &str = "xl/workbook.xml";

/// Rows of a sheet whose height LibreOffice has to find, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The sheet's name.
    pub sheet: String,
    /// The first row.
    pub first: i32,
    /// The last row, included.
    pub last: i32,
}

/// The rows of a workbook that have no height, and cells that may need more than the default one. None if the package can't be read:
/// it is then left to LibreOffice as it is.
pub fn rows_without_height(source: &Path) -> Vec<Rows> {
    read(source).unwrap_or_else(|error| {
        eprintln!("rows keep the default height: {:?}", error.kind());
        Vec::new()
    })
}

fn read(source: &Path) -> io::Result<Vec<Rows>> {
    let mut package = open(source)?;
    let tall = tall_formats(&part(&mut package, "xl/styles.xml")?)?;
    if !tall.contains(&true) {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for (name, part) in sheets(&mut package)? {
        let Some(xml) = short_part(&mut package, &part, MOST_BYTES)? else { continue };
        let ranges = ranges(&xml, &tall)?;
        rows.extend(ranges.into_iter().map(|(first, last)| Rows { sheet: name.clone(), first, last }));
    }
    Ok(rows)
}

/// Names and parts of the sheets.
pub(super) fn sheets(package: &mut Package) -> io::Result<Vec<(String, String)>> {
    let relations = package.relations(WORKBOOK)?;
    let mut sheets = Vec::new();
    scan(&part(package, WORKBOOK)?, |_, tag| {
        let (Tag::Start(tag) | Tag::Empty(tag)) = tag else { return };
        if local(tag.name().as_ref()) != "sheet" {
            return;
        }
        let part = id(&tag).and_then(|id| relations.part(&id).map(str::to_owned));
        sheets.extend(value(&tag, "name").zip(part));
    })?;
    Ok(sheets)
}

/// The relation of a tag, whatever its prefix.
fn id(tag: &BytesStart<'_>) -> Option<String> {
    let mut attributes = tag.attributes();
    let mut readable = attributes.with_checks(false).map_while(Result::ok);
    let found = readable.find(|attribute| attribute.key.as_ref().ends_with(":id"))?;
    Some(found.value.into_owned())
}

/// Whether the cells of each format may need more than the default height: they wrap or turn their text, or have a larger font than
/// the workbook's first one, which the default height is made for.
fn tall_formats(styles: &str) -> io::Result<Vec<bool>> {
    let (mut sizes, mut formats) = (Vec::<f64>::new(), Vec::<bool>::new());
    let mut inside = String::new();
    scan(styles, |_, tag| match tag {
        Tag::Start(tag) | Tag::Empty(tag) => {
            let name = tag.name();
            match local(name.as_ref()) {
                list @ ("fonts" | "cellXfs") => list.clone_into(&mut inside),
                "font" if inside == "fonts" => sizes.push(0.0),
                "sz" if inside == "fonts" => {
                    let size = attribute(&tag, "val").and_then(|size| size.parse().ok());
                    sizes.last_mut().into_iter().zip(size).for_each(|(last, size)| *last = size);
                }
                "xf" if inside == "cellXfs" => {
                    let font = attribute(&tag, "fontId").and_then(|font| font.parse::<usize>().ok());
                    let size = font.and_then(|font| sizes.get(font));
                    formats.push(size.zip(sizes.first()).is_some_and(|(size, first)| size > first));
                }
                "alignment" if inside == "cellXfs" && (wraps(&tag) || turns(&tag)) => {
                    formats.last_mut().into_iter().for_each(|format| *format = true);
                }
                _ => {}
            }
        }
        Tag::End(name) => {
            if local(&name) == inside {
                inside.clear();
            }
        }
    })?;
    Ok(formats)
}

fn turns(alignment: &BytesStart<'_>) -> bool {
    attribute(alignment, "textRotation").is_some_and(|angle| angle != "0")
}

/// The ranges of rows without a height that are shown and have content in a cell of a tall format.
fn ranges(xml: &str, tall: &[bool]) -> io::Result<Vec<(i32, i32)>> {
    /// A sheet that has this hides all rows but those that say otherwise.
    const HIDES_ROWS: &str = "zeroHeight=\"1\"";
    let mut ranges = Vec::<(i32, i32)>::new();
    if memmem::find(xml.as_bytes(), HIDES_ROWS.as_bytes()).is_some() {
        return Ok(ranges);
    }
    // The number of the row, if it may be added, and of the last row.
    let (mut open, mut number) = (None, 0);
    scan(xml, |_, tag| match tag {
        Tag::Start(tag) => match local(tag.name().as_ref()) {
            "row" => {
                // Rows without a number follow one another.
                number = attribute(&tag, "r").and_then(|row| row.parse().ok()).unwrap_or(number + 1);
                open = (number > 0 && has_no_height(&tag)).then_some(number - 1);
            }
            "c" if tall.get(format(&tag)) == Some(&true) => {
                let Some(row) = open.take() else { return };
                match ranges.last_mut() {
                    Some((_, last)) if last.checked_add(1) == Some(row) => *last = row,
                    Some(_) | None => ranges.push((row, row)),
                }
            }
            _ => {}
        },
        Tag::Empty(tag) if local(tag.name().as_ref()) == "row" => {
            number = attribute(&tag, "r").and_then(|row| row.parse().ok()).unwrap_or(number + 1);
        }
        Tag::Empty(_) | Tag::End(_) => {}
    })?;
    Ok(ranges)
}

pub(super) fn has_no_height(row: &BytesStart<'_>) -> bool {
    let is_hidden = attribute(row, "hidden").is_some_and(|hidden| hidden == "1" || hidden == "true");
    attribute(row, "ht").is_none() && !is_hidden
}

/// The number of a cell's format.
fn format(cell: &BytesStart<'_>) -> usize {
    attribute(cell, "s").and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_may_be_tall_wrap_turn_or_have_large_letters() {
        let styles = "<styleSheet><fonts><font><sz val=\"11\"/></font><font><sz val=\"24\"/></font><font/></fonts>\
            <cellStyleXfs><xf><alignment wrapText=\"1\"/></xf></cellStyleXfs><cellXfs><xf fontId=\"0\"/>\
            <xf fontId=\"0\"><alignment wrapText=\"1\"/></xf><xf fontId=\"1\"/><xf fontId=\"2\"/>\
            <xf><alignment textRotation=\"90\"/></xf><xf><alignment textRotation=\"0\"/></xf></cellXfs></styleSheet>";
        assert_eq!(tall_formats(styles).unwrap(), [false, true, true, false, true, false]);
    }

    #[test]
    fn rows_are_those_without_a_height_that_show_tall_cells() {
        let row = |attributes: &str, cell: &str| format!("<x:row {attributes}>{cell}</x:row>");
        let (tall, plain, empty) = ("<x:c s=\"1\"><x:v>1</x:v></x:c>", "<c s=\"0\"><v>1</v></c>", "<c s=\"1\"/>");
        let sheet = [
            row("r=\"1\"", tall),
            row("r=\"2\"", tall),
            row("r=\"3\" ht=\"15\"", tall),
            row("r=\"4\"", plain),
            row("r=\"5\"", empty),
            row("r=\"6\" hidden=\"1\"", tall),
            "<row r=\"7\"/>".to_owned(),
            row("", &format!("{plain}{tall}{tall}")),
            row("r=\"x\"", tall),
        ];
        assert_eq!(ranges(&sheet.concat(), &[false, true]).unwrap(), [(0, 1), (7, 8)]);
        let hiding = format!("<sheetFormatPr zeroHeight=\"1\"/>{}", sheet[0]);
        assert_eq!(ranges(&hiding, &[false, true]).unwrap(), []);
    }
}
