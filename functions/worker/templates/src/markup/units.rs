//! What a section repeats: text in a paragraph, paragraphs, rows of a table, or an element that its tag names.

use std::ops::Range;

use docmill_package::markup::Markup;

use super::ends::Ends;
use super::reading::Tagged;

const CELLS: [&str; 4] = ["tc", "table-cell", "covered-table-cell", "c"];
const ROWS: [&str; 3] = ["tr", "table-row", "row"];
/// The name of a sheet's row in tags. Prefixes don't matter.
const SHEET_ROW: &str = "row";
/// Elements around paragraphs that a section may repeat whole.
const BLOCKS: [&str; 3] = ["list-item", "sdt", "list-header"];

#[derive(Debug)]
pub(super) struct Unit {
    pub(super) range: Range<usize>,
    /// Whole paragraphs, so that paragraphs with nothing but the section's tags go.
    pub(super) is_blocks: bool,
    /// Rows of a sheet.
    pub(super) is_rows: bool,
    /// Rows of a sheet with nothing but the section's tags, which go.
    pub(super) gone: Vec<Range<usize>>,
}

impl Unit {
    fn of(range: Range<usize>) -> Self {
        Self { range, is_blocks: false, is_rows: false, gone: Vec::new() }
    }
}

/// Fails with a sentence for the template's designer.
pub(super) fn unit(markup: &Markup<'_>, ends: &Ends<'_>) -> Result<Unit, String> {
    if let crate::tag::Tag::Open(opening) = &ends.first.tag
        && let Some(element) = &opening.element
    {
        return named(markup, ends, element);
    }
    let Some((first, last)) = ends.elements() else { return inside(markup, ends) };
    if first == last {
        return inside(markup, ends);
    }
    let Some(common) = common(markup, first, last) else { return Err(apart(ends)) };
    let cell = |element: usize| below(markup, element, common).filter(|e| CELLS.contains(&markup.local(*e))).last();
    match (cell(first), cell(last)) {
        (Some(first), Some(last)) => rows(markup, ends, first, last),
        (None, None) => blocks(markup, ends, common, first, last),
        (Some(_), None) => Err(format!("The section `{}` begins in a table and ends after it.", ends.first.text)),
        (None, Some(_)) => Err(format!("The section `{}` begins before a table and ends in it.", ends.first.text)),
    }
}

fn apart(ends: &Ends<'_>) -> String {
    format!("The section `{}` doesn't begin and end in the same part of the text.", ends.first.text)
}

/// The elements around `element` inside of `outer`, innermost first, with itself.
fn below(markup: &Markup<'_>, element: usize, outer: usize) -> impl Iterator<Item = usize> {
    markup.ancestors(element).take_while(move |element| *element != outer)
}

fn siblings(markup: &Markup<'_>, first: usize, last: usize) -> bool {
    let parent = |element: usize| markup.elements.get(element).and_then(|element| element.parent);
    parent(first) == parent(last)
}

/// From one element's begin to another's end.
fn from_to(markup: &Markup<'_>, first: usize, last: usize) -> Range<usize> {
    markup.range(first).start..markup.range(last).end
}

fn named(markup: &Markup<'_>, ends: &Ends<'_>, name: &str) -> Result<Unit, String> {
    let around = |tagged: &Tagged| {
        let element = tagged.pieces.first()?.element;
        markup.ancestors(element).find(|element| {
            markup.elements.get(*element).is_some_and(|e| e.name == name || (name == SHEET_ROW && e.local() == name))
        })
    };
    match (around(ends.first), around(ends.last)) {
        (Some(first), Some(last)) if siblings(markup, first, last) => {
            Ok(Unit { is_rows: markup.local(first) == "row", ..Unit::of(from_to(markup, first, last)) })
        }
        _ => Err(format!("The section `{}` is not in an element `{name}`.", ends.first.text)),
    }
}

fn rows(markup: &Markup<'_>, ends: &Ends<'_>, first: usize, last: usize) -> Result<Unit, String> {
    let row = |cell: usize| markup.ancestors(cell).find(|element| ROWS.contains(&markup.local(*element)));
    match (row(first), row(last)) {
        (Some(first), Some(last)) if siblings(markup, first, last) => {
            if markup.local(first) == "row" {
                return Ok(sheet_rows(markup, ends, first, last));
            }
            Ok(Unit::of(from_to(markup, first, last)))
        }
        _ => Err(format!("The section `{}` doesn't begin and end in rows of the same table.", ends.first.text)),
    }
}

/// Rows of a sheet. If its first or last row has nothing but ends of sections, that goes.
fn sheet_rows(markup: &Markup<'_>, ends: &Ends<'_>, first: usize, last: usize) -> Unit {
    let (mut range, mut gone) = (from_to(markup, first, last), Vec::new());
    if first != last {
        if ends.is_bare_row(markup, first) {
            range.start = markup.range(first).end;
            gone.push(markup.range(first));
        }
        if ends.is_bare_row(markup, last) {
            range.end = markup.range(last).start;
            gone.push(markup.range(last));
        }
    }
    Unit { is_rows: true, gone, ..Unit::of(range) }
}

fn blocks(markup: &Markup<'_>, ends: &Ends<'_>, common: usize, first: usize, last: usize) -> Result<Unit, String> {
    let block = |element: usize| below(markup, element, common).last();
    let (Some(first_block), Some(last_block)) = (block(first), block(last)) else { return Err(apart(ends)) };
    if !(ends.begins_paragraph() && ends.ends_paragraph()) {
        return inside(markup, ends);
    }
    let whole = |block: usize, paragraph: usize| block == paragraph || BLOCKS.contains(&markup.local(block));
    if !(whole(first_block, first) && whole(last_block, last)) {
        return Err(apart(ends));
    }
    // A paragraph with nothing but the section's tag is not repeated.
    let goes = |tagged: &Tagged, block: usize, paragraph: usize| ends.is_bare(tagged) && block == paragraph;
    let start = markup.range(first_block);
    let end = markup.range(last_block);
    let start = if goes(ends.first, first_block, first) { start.end } else { start.start };
    let end = if goes(ends.last, last_block, last) { end.start } else { end.end };
    Ok(Unit { is_blocks: true, ..Unit::of(start..end) })
}

/// From the end of the one tag to the begin of the other. What is between must be as deep at its end as at its begin.
fn inside(markup: &Markup<'_>, ends: &Ends<'_>) -> Result<Unit, String> {
    let (Some(first), Some(last)) = (ends.first.pieces.last(), ends.last.pieces.first()) else {
        return Err(apart(ends));
    };
    let chain = |one: usize, other: usize| -> Vec<&str> {
        below_common(markup, one, other).filter_map(|element| Some(markup.elements.get(element)?.name)).collect()
    };
    if chain(first.element, last.element) != chain(last.element, first.element) {
        return Err(format!(
            "The section `{}` begins and ends in different kinds of text, e.g. a link. Put both tags inside or outside of it.",
            ends.first.text
        ));
    }
    Ok(Unit::of(ends.first.end()..ends.last.start()))
}

/// The elements around `one` that are not around `other`.
fn below_common(markup: &Markup<'_>, one: usize, other: usize) -> impl Iterator<Item = usize> {
    let common = common(markup, one, other);
    markup.ancestors(one).take_while(move |element| Some(*element) != common)
}

/// The innermost element around both. Each has a higher number than what is around it.
fn common(markup: &Markup<'_>, one: usize, other: usize) -> Option<usize> {
    let around = |element: usize| markup.elements.get(element)?.parent;
    let (mut one, mut other) = (one, other);
    while one != other {
        (one, other) = if one > other { (around(one)?, other) } else { (one, around(other)?) };
    }
    Some(one)
}
