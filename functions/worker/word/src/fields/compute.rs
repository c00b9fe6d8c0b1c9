//! What fields of one text show, from the layout and the rest of the document.

use std::collections::HashMap;

use roxmltree::Node;

use super::Document;
use super::find::{Field, own};
use super::results::Results;
use super::story::{Bookmark, PageFormat, Paragraph, content_start};
use crate::numbering::Format;
use crate::tree::{attribute, is};

/// Why a field stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Its result has nothing to do with the layout, or Word computes it each time.
    Unaffected,
    /// The layout is not known yet.
    Later,
    /// It is to be named in a warning.
    Unknown,
}

/// The numbers of captions so far.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    counts: HashMap<String, u32>,
    /// By the identifier: the heading after which it was counted last.
    restarted: HashMap<String, Option<usize>>,
}

/// What a field shows.
pub(super) fn computed(
    document: &Document<'_, '_>,
    results: &Results<'_>,
    sequences: &mut Sequences,
    field: &Field<'_, '_>,
) -> Result<String, Left> {
    let instruction = &field.instruction;
    let text = match instruction.kind.as_str() {
        "SEQ" => sequences.next(document, field)?,
        "PAGEREF" => page_of_bookmark(document, field)?,
        "PAGE" => page_of_place(document, field)?,
        "NUMPAGES" => count(document.marks.pages().ok_or(Left::Later)?, field)?,
        "SECTIONPAGES" => {
            let section = document.story.around(field.first()).ok_or(Left::Unknown)?.section;
            let pages = document.marks.pages_of_section(section, &document.story.sections);
            count(pages.ok_or_else(|| document.missing())?, field)?
        }
        "REF" => text_of_bookmark(document, results, field)?,
        "STYLEREF" => text_of_style(document, results, field)?,
        "DATE" | "TIME" | "SAVEDATE" => document.dates.written(field)?,
        "TOA" | "NOTEREF" => return Err(Left::Unknown),
        _ => return Err(Left::Unaffected),
    };
    Ok(cased(text, field))
}

/// In capitals or small letters, if the field says so.
fn cased(text: String, field: &Field<'_, '_>) -> String {
    let mut text = text;
    for look in field.instruction.all_after('*') {
        text = match look.to_lowercase().as_str() {
            "upper" => text.to_uppercase(),
            "lower" => text.to_lowercase(),
            "firstcap" => {
                let mut letters = text.chars();
                letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
            }
            _ => text,
        };
    }
    text
}

/// How a field writes numbers. `None`: as they are written anyway.
fn format_of(field: &Field<'_, '_>) -> Result<Option<Format>, Left> {
    let mut format = None;
    for look in field.instruction.all_after('*') {
        let upper = look.starts_with(char::is_uppercase);
        match look.to_lowercase().as_str() {
            "mergeformat" | "charformat" | "upper" | "lower" | "firstcap" | "caps" => {}
            "arabic" => format = Some(Format::Digits),
            "roman" => format = Some(Format::Roman { upper }),
            "alphabetic" => format = Some(Format::Letters { upper }),
            _ => return Err(Left::Unknown),
        }
    }
    if field.instruction.has('#') { Err(Left::Unknown) } else { Ok(format) }
}

fn count(number: u32, field: &Field<'_, '_>) -> Result<String, Left> {
    Ok(format_of(field)?.unwrap_or_default().written(number))
}

fn page_of_bookmark(document: &Document<'_, '_>, field: &Field<'_, '_>) -> Result<String, Left> {
    let name = field.instruction.argument().ok_or(Left::Unknown)?;
    if !field.instruction.has_only(&[]) {
        return Err(Left::Unknown);
    }
    let bookmark = document.story.bookmark(name).ok_or(Left::Unknown)?;
    let paragraph = document.story.at_bookmark(bookmark).ok_or(Left::Unknown)?;
    page(document, paragraph, place_of(bookmark, paragraph), format_of(field)?)
}

/// Where a bookmark's text begins.
fn place_of(bookmark: Bookmark<'_, '_>, paragraph: &Paragraph<'_, '_>) -> usize {
    bookmark.start.range().start.max(content_start(paragraph.node))
}

fn page_of_place(document: &Document<'_, '_>, field: &Field<'_, '_>) -> Result<String, Left> {
    let paragraph = document.story.around(field.first()).ok_or(Left::Unknown)?;
    page(document, paragraph, content_start(paragraph.node), format_of(field)?)
}

/// The number of the page of a place in a paragraph, in the format of its section if there is no other.
pub(super) fn page(
    document: &Document<'_, '_>,
    paragraph: &Paragraph<'_, '_>,
    place: usize,
    format: Option<Format>,
) -> Result<String, Left> {
    let sections = &document.story.sections;
    let number = document.marks.number(place, paragraph.section, sections).ok_or_else(|| document.missing())?;
    let own = || sections.get(paragraph.section).map(|section| section.format).unwrap_or_default();
    Ok(format.map_or_else(|| PageFormat::written(own(), number), |format| format.written(number)))
}

fn text_of_bookmark(document: &Document<'_, '_>, results: &Results<'_>, field: &Field<'_, '_>) -> Result<String, Left> {
    let name = field.instruction.argument().ok_or(Left::Unknown)?;
    let bookmark = document.story.bookmark(name).ok_or(Left::Unknown)?;
    let paragraph = document.story.at_bookmark(bookmark).ok_or(Left::Unknown)?;
    let is_number = ['n', 'r', 'w'].iter().any(|switch| field.instruction.has(*switch));
    if is_number && field.instruction.has_only(&['n', 'r', 'w', 't']) {
        return number_of(paragraph);
    }
    let end = bookmark.end.ok_or(Left::Unknown)?;
    // Further paragraphs and pictures are not copied, and neither are looks.
    if !field.instruction.has_only(&[]) || end > paragraph.node.range().end || field.has_more {
        return Err(Left::Unknown);
    }
    let start = bookmark.start.range().start;
    let inside = |node: &Node<'_, '_>| (start..end).contains(&node.range().start);
    let parts = own(paragraph.node).filter(inside);
    Ok(text_of(document, results, parts)).and_then(|text| if text.is_empty() { Err(Left::Unknown) } else { Ok(text) })
}

/// The text of some elements of a paragraph.
fn text_of<'a, 'i: 'a>(
    document: &Document<'_, '_>,
    results: &Results<'_>,
    parts: impl Iterator<Item = Node<'a, 'i>>,
) -> String {
    let mut text = String::new();
    for part in parts.filter(|part| !document.fields.unseen.contains(&part.id())) {
        match part.tag_name().name() {
            "t" => text.push_str(results.text(part)),
            "tab" => text.push('\t'),
            "noBreakHyphen" => text.push('\u{2011}'),
            _ => {}
        }
    }
    text
}

/// The number of a paragraph, if that does not depend on the place from which one refers to it.
fn number_of(paragraph: &Paragraph<'_, '_>) -> Result<String, Left> {
    let number = paragraph.number.as_ref().ok_or(Left::Unknown)?;
    let label = number.label.trim_end_matches('.').to_owned();
    let parts = label.split('.').filter(|part| part.chars().any(char::is_alphanumeric)).count();
    if number.level == 0 || parts == number.level + 1 { Ok(label) } else { Err(Left::Unknown) }
}

/// The nearest paragraph of a style before the field, or after it.
fn text_of_style(document: &Document<'_, '_>, results: &Results<'_>, field: &Field<'_, '_>) -> Result<String, Left> {
    let name = field.instruction.argument().ok_or(Left::Unknown)?.to_lowercase();
    let name = if name.parse::<u8>().is_ok() { format!("heading {name}") } else { name };
    let here = document.story.place_of(field.first()).ok_or(Left::Unknown)?;
    let has_style = |paragraph: &&Paragraph<'_, '_>| paragraph.properties.name.as_deref() == Some(name.as_str());
    let (before, after) = document.story.paragraphs.split_at(here.min(document.story.paragraphs.len()));
    let found = before.iter().rev().find(has_style).or_else(|| after.iter().find(has_style));
    let paragraph = found.ok_or(Left::Unknown)?;
    let instruction = &field.instruction;
    if ['n', 'r', 'w', 's'].iter().any(|switch| instruction.has(*switch)) {
        let number = number_of(paragraph)?;
        let digits = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-');
        return Ok(if instruction.has('s') && number.contains(|letter: char| letter.is_ascii_digit()) {
            number.chars().filter(|letter| digits(*letter)).collect()
        } else {
            number
        });
    }
    if !instruction.has_only(&[]) || field.has_more {
        return Err(Left::Unknown);
    }
    Ok(text_of(document, results, own(paragraph.node)))
}

impl Sequences {
    fn next(&mut self, document: &Document<'_, '_>, field: &Field<'_, '_>) -> Result<String, Left> {
        let instruction = &field.instruction;
        let name = instruction.argument().ok_or(Left::Unknown)?.to_lowercase();
        let format = format_of(field)?;
        if !instruction.has_only(&['c', 'n', 'r', 's']) {
            return Err(Left::Unknown);
        }
        if let Some(level) = instruction.after('s') {
            let level: u8 = level.parse().map_err(|_| Left::Unknown)?;
            let heading = document.heading_before(field.first(), level);
            if self.restarted.insert(name.clone(), heading) != Some(heading) {
                self.counts.insert(name.clone(), 0);
            }
        }
        let count = self.counts.entry(name).or_insert(0);
        match instruction.after('r').map(str::parse) {
            Some(number) => *count = number.map_err(|_| Left::Unknown)?,
            None if instruction.has('c') => {}
            None => *count = count.saturating_add(1),
        }
        let text = format.unwrap_or_default().written(*count);
        // `\h` hides it, unless it has a format.
        Ok(if instruction.has('h') && format.is_none() { String::new() } else { text })
    }
}

impl Document<'_, '_> {
    /// Why a page is not known.
    fn missing(&self) -> Left {
        if self.marks.is_laid_out() { Left::Unknown } else { Left::Later }
    }

    /// The place of the heading of a level, or of one above, that a node stands below.
    fn heading_before(&self, node: Node<'_, '_>, level: u8) -> Option<usize> {
        let here = self.story.place_of(node)?;
        let before = self.story.paragraphs.get(..=here)?;
        before.iter().rposition(|paragraph| heading_level(paragraph).is_some_and(|own| own <= level))
    }
}

/// The level of a built-in heading, from 1.
pub(super) fn heading_level(paragraph: &Paragraph<'_, '_>) -> Option<u8> {
    let level = paragraph.properties.name.as_deref()?.strip_prefix("heading ")?;
    level.trim().parse().ok().filter(|level| (1..=9).contains(level))
}

/// Whether a caption counts in this sequence.
pub(super) fn is_sequence(field: &Field<'_, '_>, name: &str) -> bool {
    field.instruction.kind == "SEQ"
        && field.instruction.argument().is_some_and(|argument| argument.eq_ignore_ascii_case(name))
}

/// The language of a field's first text.
pub(super) fn language<'a>(field: &Field<'a, '_>) -> Option<&'a str> {
    let run = field.first().parent()?;
    let look = run.children().find(|node| is(*node, "rPr"))?;
    attribute(look.children().find(|node| is(*node, "lang"))?, "val")
}
