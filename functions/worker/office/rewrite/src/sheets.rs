//! Row heights and views of sheets.
//!
//! LibreOffice recalculates the height of each row unless it was set by hand; Excel prints the saved heights. Rows with wrapped text
//! are left to LibreOffice, because it may break lines differently, and no line must be cut off.
//!
//! A view says to which cell the sheet is scrolled. LibreOffice would print a sheet on a single page from there on.

use std::io;
use std::ops::Range;

use quick_xml::events::BytesStart;

use super::edit::{Edit, Edited, Tag, apply, attribute, scan};
use super::{Losses, Package, part};

/// Without these, no row has a height, and no view is scrolled.
pub(super) const SIGNS: [&str; 2] = [" ht=\"", SCROLLED];

/// The attribute with the first cell of a scrolled view.
const SCROLLED: &str = " topLeftCell=";

/// Whether each cell format wraps text. `None` if the formats are not where Excel puts them.
pub(super) type Wrapping = Option<Vec<bool>>;

pub(super) fn is_page(name: &str) -> bool {
    name.strip_prefix("xl/worksheets/").is_some_and(|name| name.ends_with(".xml") && !name.contains('/'))
}

pub(super) fn wrapping(package: &mut Package) -> io::Result<Wrapping> {
    wrapping_in(&part(package, "xl/styles.xml")?)
}

fn wrapping_in(styles: &str) -> io::Result<Wrapping> {
    let (mut wrapping, mut inside) = (None::<Vec<bool>>, false);
    scan(styles, |_, tag| match tag {
        Tag::Start(tag) | Tag::Empty(tag) => match local(tag.name().as_ref()) {
            "cellXfs" => (wrapping, inside) = (Some(Vec::new()), true),
            "xf" if inside => wrapping.iter_mut().for_each(|formats| formats.push(false)),
            "alignment" if inside && wraps(&tag) => {
                wrapping.iter_mut().filter_map(|formats| formats.last_mut()).for_each(|format| *format = true);
            }
            _ => {}
        },
        Tag::End(name) => inside &= local(&name) != "cellXfs",
    })?;
    Ok(wrapping)
}

pub(super) fn wraps(alignment: &BytesStart<'_>) -> bool {
    let is = |name, values: [&str; 2]| attribute(alignment, name).is_some_and(|value| values.contains(&value.as_str()));
    is("wrapText", ["1", "true"]) || ["horizontal", "vertical"].iter().any(|name| is(name, ["justify", "distributed"]))
}

/// A name without its prefix, since some programs write `x:row`.
pub(super) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, name)| name)
}

pub(super) fn edited(xml: &str, wrapping: &Wrapping) -> io::Result<Edited> {
    let (mut edits, mut row) = (Vec::new(), None);
    let has_formats = wrapping.is_some();
    let wraps = |cell: &BytesStart<'_>| wrapping.as_ref().and_then(|formats| formats.get(format(cell))) == Some(&true);
    scan(xml, |range, tag| match tag {
        Tag::Start(tag) => match local(tag.name().as_ref()) {
            "sheetView" => edits.extend(scrolled_back(xml, range)),
            "row" if has_formats => row = kept(&tag, range.start),
            "c" if wraps(&tag) => row = None,
            _ => {}
        },
        Tag::Empty(tag) => match local(tag.name().as_ref()) {
            "sheetView" => edits.extend(scrolled_back(xml, range)),
            "row" if has_formats => edits.extend(kept(&tag, range.start)),
            _ => {}
        },
        Tag::End(name) if local(&name) == "row" => edits.extend(row.take()),
        Tag::End(_) => {}
    })?;
    Ok(Edited { xml: apply(xml, edits), losses: Losses::default() })
}

/// The edit that removes the first cell of a view.
fn scrolled_back(xml: &str, view: Range<usize>) -> Option<Edit> {
    let start = view.start + xml.get(view.clone())?.find(SCROLLED)?;
    let value = start + SCROLLED.len();
    let quote = xml.get(value..view.end)?.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    let length = xml.get(value + 1..view.end)?.find(quote)?;
    Some(Edit::removal(start..value + 1 + length + 1))
}

/// The edit that keeps a row's height, if it was not set by hand.
fn kept(row: &BytesStart<'_>, start: usize) -> Option<Edit> {
    let height: f64 = attribute(row, "ht")?.parse().ok()?;
    let place = start + "<".len() + row.name().as_ref().len();
    let is_measured = attribute(row, "customHeight").is_none() && height > 0.0;
    is_measured.then(|| Edit::new(place..place, " customHeight=\"1\""))
}

/// The number of a cell's format.
fn format(cell: &BytesStart<'_>) -> usize {
    attribute(cell, "s").and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: &str = "<styleSheet><cellStyleXfs><xf><alignment wrapText=\"1\"/></xf></cellStyleXfs><cellXfs><xf/>\
        <xf><alignment wrapText=\"1\"/></xf><xf><alignment horizontal=\"center\"/></xf><xf><alignment \
        vertical=\"justify\"/></xf></cellXfs><dxfs><dxf><alignment wrapText=\"1\"/></dxf></dxfs></styleSheet>";

    fn changed(row: &str) -> Option<String> {
        edited(row, &wrapping_in(STYLES).unwrap()).unwrap().xml
    }

    #[test]
    fn formats_that_wrap_are_known_by_their_number() {
        assert_eq!(wrapping_in(STYLES).unwrap(), Some(vec![false, true, false, true]));
        assert_eq!(wrapping_in("").unwrap(), None);
        assert!(edited("<row ht=\"20\"/>", &None).unwrap().xml.is_none());
    }

    #[test]
    fn rows_keep_their_heights_unless_their_text_wraps() {
        let row = |attributes: &str, cells: &str| format!("<x:row r=\"1\"{attributes}>{cells}</x:row>");
        let cell = "<x:c r=\"A1\" s=\"2\"><x:v>1</x:v></x:c>";
        let kept = format!("<x:row customHeight=\"1\" r=\"1\" ht=\"15.75\">{cell}</x:row>");
        assert_eq!(changed(&row(" ht=\"15.75\"", cell)).unwrap(), kept);
        assert_eq!(changed("<row ht=\"60\"/>").unwrap(), "<row customHeight=\"1\" ht=\"60\"/>");
        // An empty cell's format wraps nothing.
        assert!(changed(&row(" ht=\"15.75\"", "<x:c s=\"1\"/>")).is_some());
        let wrapped = row(" ht=\"15.75\"", "<x:c s=\"1\"><x:v>1</x:v></x:c>");
        let by_hand = row(" ht=\"15.75\" customHeight=\"1\"", cell);
        for left in [wrapped, by_hand, row("", cell), row(" ht=\"0\"", cell)] {
            assert_eq!(changed(&left), None, "{left}");
        }
    }

    #[test]
    fn views_are_scrolled_back() {
        let sheet = |view: &str| format!("<sheetViews>{view}</sheetViews><row/>");
        let given = sheet("<sheetView topLeftCell=\"C30\" workbookViewId=\"0\"><pane topLeftCell=\"B2\"/></sheetView>");
        let left = sheet("<sheetView workbookViewId=\"0\"><pane topLeftCell=\"B2\"/></sheetView>");
        assert_eq!(edited(&given, &None).unwrap().xml.unwrap(), left);
        assert_eq!(changed(&sheet("<x:sheetView topLeftCell='C30'/>")).unwrap(), sheet("<x:sheetView/>"));
        assert_eq!(changed(&sheet("<sheetView topLeftCell=x/>")), None);
    }

    #[test]
    fn sheets_are_parts_that_are_edited() {
        assert!(is_page("xl/worksheets/sheet1.xml"));
        assert!(!is_page("xl/worksheets/_rels/sheet1.xml.rels") && !is_page("xl/styles.xml"));
    }
}
