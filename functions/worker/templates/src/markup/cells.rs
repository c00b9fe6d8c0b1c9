//! Cells of spreadsheets: a cell whose text is nothing but a tag becomes a cell of the value's own kind.

use std::ops::Range;

use docmill_package::markup::{Markup, attribute, value};

use super::ends::without_tags;
use super::joined::Paragraph;
use super::reading::{Sheet, Tagged};
use super::sections::Section;
use crate::cell::Cell;

/// The name of the cell around an element, e.g. `B5`.
pub(super) fn name_of(markup: &Markup<'_>, source: &str, element: usize) -> Option<String> {
    let cell = markup.ancestors(element).find(|element| matches!(markup.local(*element), "c" | "comment"))?;
    let cell = markup.elements.get(cell)?;
    value(source, cell, if cell.local() == "c" { "r" } else { "ref" })
}

/// For each tag that is, besides ends of sections, the only text of a cell: that cell and its place.
pub(super) fn whole_cells(
    markup: &Markup<'_>,
    source: &str,
    sheet: &Sheet<'_>,
    paragraphs: &[Paragraph],
    found: &[Tagged],
    sections: &[Section],
) -> Vec<Option<(Range<usize>, Cell)>> {
    let mut tags: Vec<Vec<usize>> = vec![Vec::new(); paragraphs.len()];
    for (index, tagged) in found.iter().enumerate() {
        if let Some(own) = tags.get_mut(tagged.paragraph) {
            own.push(index);
        }
    }
    // A section inside of a cell repeats text.
    for section in sections.iter().filter(|section| !section.is_rows) {
        if let Some(own) = found.get(section.open).and_then(|open| tags.get_mut(open.paragraph)) {
            own.clear();
        }
    }
    let mut cells = vec![None; found.len()];
    for (paragraph, own) in paragraphs.iter().zip(tags) {
        let values = || own.iter().filter(|index| found.get(**index).is_some_and(|tagged| tagged.tag.is_written()));
        let (Some(tag), None) = (values().next(), values().nth(1)) else { continue };
        let tagged = own.iter().filter_map(|index| found.get(*index));
        let is_alone =
            without_tags(paragraph, tagged, 0..usize::MAX, |_| true).is_some_and(|rest| rest.trim().is_empty());
        let element = markup.ancestors(paragraph.element).find(|element| markup.local(*element) == "c");
        if let (true, Some(element), Some(cell)) = (is_alone, element, cells.get_mut(*tag)) {
            *cell = cell_at(markup, source, sheet, element);
        }
    }
    cells
}

fn cell_at(markup: &Markup<'_>, source: &str, sheet: &Sheet<'_>, element: usize) -> Option<(Range<usize>, Cell)> {
    let cell = markup.elements.get(element)?;
    let kept = |name: &str| {
        let value = attribute(source, cell.open.clone(), name).and_then(|range| source.get(range));
        value.map(|value| format!(" {name}=\"{value}\"")).unwrap_or_default()
    };
    let style = value(source, cell, "s").and_then(|style| style.parse().ok()).unwrap_or(0_usize);
    let format = sheet.formats.get(style).copied().unwrap_or_default();
    let attributes = kept("r") + &kept("s");
    Some((cell.range(), Cell { name: cell.name.to_owned(), attributes, format, epoch: sheet.epoch }))
}
