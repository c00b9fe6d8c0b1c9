//! Workbooks: a heading for each sheet, and a table for each area of cells, as the sheet shows them.

mod cells;
mod format;
mod scan;
mod sheet;

use std::path::Path;

use docmill_package::Relations;
use docmill_pdf_request::Failure;

use self::cells::Values;
use self::scan::{Piece, attribute, scan};
use super::builder::Builder;
use super::drawing;
use super::package::{Package, attribute as value, child, core_title, elements, main_part, tree};
use super::sheet::Area;
use super::text::Text;
use crate::model::{Role, Why};

struct Entry {
    name: String,
    part: String,
    is_hidden: bool,
}

pub(super) fn read(path: &Path, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let mut package = Package::open(path)?;
    if let Some(title) = core_title(&mut package)? {
        builder.title(&title);
    }
    let main = main_part(&mut package, "xl/workbook.xml")?;
    let relations = package.relations(&main)?;
    let (entries, from_1904) = entries(&package.required(&main)?, &relations)?;
    let values = values(&mut package, &relations, from_1904)?;
    for entry in entries {
        let Some(source) = package.text(&entry.part)? else { continue };
        let relations = package.relations(&entry.part)?;
        let mut read = sheet::read(&source, &values, &relations, builder.room())?;
        drop(source);
        if entry.is_hidden {
            builder.hide(&format!("{}\n{}", entry.name, read.sheet.lines()), Why::Invisible);
            continue;
        }
        builder.block(Role::Heading { level: 1 }, Text::plain(&entry.name));
        read.sheet.heads = heads(&mut package, &relations, &read.tables)?;
        read.sheet.write(builder);
        if let Some(drawing) = relations.of_kind("drawing") {
            drawings(&mut package, drawing, builder)?;
        }
    }
    Ok(())
}

/// The sheets in their order, and whether days are counted from 1904.
fn entries(workbook: &str, relations: &Relations) -> Result<(Vec<Entry>, bool), Failure> {
    let tree = tree(workbook)?;
    let root = tree.root_element();
    let from_1904 = child(root, "workbookPr").and_then(|node| value(node, "date1904"));
    let sheets = child(root, "sheets").into_iter().flat_map(|sheets| elements(sheets, "sheet"));
    let entries = sheets.filter_map(|sheet| {
        let part = relations.part(value(sheet, "id")?)?.to_owned();
        let is_hidden = matches!(value(sheet, "state"), Some("hidden" | "veryHidden"));
        Some(Entry { name: value(sheet, "name").unwrap_or_default().to_owned(), part, is_hidden })
    });
    Ok((entries.collect(), from_1904.is_some_and(|on| matches!(on, "1" | "true"))))
}

fn values(package: &mut Package, relations: &Relations, from_1904: bool) -> Result<Values, Failure> {
    let mut values = Values::new(from_1904);
    if let Some(part) = relations.of_kind("sharedStrings")
        && let Some(source) = package.text(part)?
    {
        values.strings = strings(&source)?;
    }
    if let Some(part) = relations.of_kind("styles")
        && let Some(source) = package.text(part)?
    {
        let tree = tree(&source)?;
        values.read_formats(tree.root_element());
    }
    Ok(values)
}

/// The strings that cells share. How they are pronounced is left out.
fn strings(source: &str) -> Result<Vec<String>, Failure> {
    let mut strings: Vec<String> = Vec::new();
    let (mut in_text, mut in_reading) = (false, false);
    scan(source, |piece| {
        match piece {
            Piece::Start("si", _) => strings.push(String::new()),
            Piece::Start("rPh", _) => in_reading = true,
            Piece::End("rPh") => in_reading = false,
            Piece::Start("t", _) => in_text = true,
            Piece::End("t") => in_text = false,
            Piece::Text(text) if in_text && !in_reading => {
                if let Some(last) = strings.last_mut() {
                    last.push_str(text);
                }
            }
            Piece::Start(..) | Piece::End(_) | Piece::Text(_) => {}
        }
        Ok(())
    })?;
    Ok(strings)
}

/// The areas that head the columns of the sheet's tables.
fn heads(package: &mut Package, relations: &Relations, tables: &[String]) -> Result<Vec<Area>, Failure> {
    let mut heads = Vec::new();
    for part in tables.iter().filter_map(|id| relations.part(id)) {
        let Some(source) = package.text(part)? else { continue };
        scan(&source, |piece| {
            if let Piece::Start("table", start) = piece {
                let area = attribute(start, "ref").and_then(|area| cells::area(&area));
                let rows = attribute(start, "headerRowCount").map_or(Some(1), |rows| rows.parse().ok());
                let is_headed = rows.is_some_and(|rows: usize| rows > 0);
                heads.extend(area.filter(|_| is_headed).map(|area| Area { bottom: area.top, ..area }));
            }
            Ok(())
        })?;
    }
    Ok(heads)
}

/// Pictures, charts and boxes of text over the cells.
fn drawings(package: &mut Package, part: &str, builder: &mut Builder<'_, '_>) -> Result<(), Failure> {
    let relations = package.relations(part)?;
    let Some(source) = package.text(part)? else { return Ok(()) };
    let tree = tree(&source)?;
    for node in tree.descendants() {
        match node.tag_name().name() {
            "pic" => {
                let (text, id) = drawing::picture(node);
                let bytes = drawing::file(builder, package, &relations, id)?;
                builder.figure(text, bytes.as_deref())?;
            }
            "chart" => {
                if let Some(part) = value(node, "id").and_then(|id| relations.part(id)) {
                    let words = drawing::chart_words(package, part)?;
                    builder.figure(&words, None)?;
                }
            }
            "txBody" => {
                for paragraph in elements(node, "p") {
                    let texts = paragraph.descendants().filter(|node| node.tag_name().name() == "t");
                    let text: String = texts.filter_map(|node| node.text()).collect();
                    builder.block(Role::Paragraph, Text::plain(&text));
                }
            }
            _ => {}
        }
    }
    Ok(())
}
