//! Tables of contents, written anew if they do not list what they should.

use std::collections::HashMap;
use std::ops::Range;

use roxmltree::Node;

use super::Document;
use super::compute;
use super::entries::{Choice, Entry};
use super::find::{Field, Shape};
use super::results::Results;
use super::story::content_start;
use super::writing::{Lines, Separator};
use crate::tree::{attribute, child, is, value};

/// A table of contents or an index as it is written.
pub(super) struct Place<'a, 'i> {
    first: Node<'a, 'i>,
    last: Node<'a, 'i>,
    /// What is between the signs of the field's result, in the source.
    result: Range<usize>,
    /// The paragraphs of its entries.
    paragraphs: Vec<Node<'a, 'i>>,
    /// Whether the last paragraph has an entry, too.
    ends_in_entry: bool,
    /// The section that the last entry ends, with columns of its own.
    section: Option<Node<'a, 'i>>,
    /// The first paragraph ends a section too, and has no entry.
    begins_apart: bool,
}

/// Bookmarks of headings that have none.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// By the place of the heading's text.
    names: HashMap<usize, String>,
    next_id: u32,
}

impl Anchors {
    /// The name of a heading's bookmark, which is inserted if it has none.
    fn of(&mut self, document: &Document<'_, '_>, results: &mut Results<'_>, entry: &Entry<'_, '_, '_>) -> String {
        let node = entry.paragraph.node;
        if let Some(name) = document.story.contents_bookmark(node) {
            return name.to_owned();
        }
        let start = content_start(node);
        if let Some(name) = self.names.get(&start) {
            return name.clone();
        }
        self.next_id = self.next_id.max(document.story.largest_id).saturating_add(1);
        let mut number = 500_000_000_usize.saturating_add(start);
        while document.story.bookmark(&format!("_Toc{number}")).is_some() {
            number += 1;
        }
        let (prefix, id, name) = (results.prefix, self.next_id, format!("_Toc{number}"));
        let open = format!("<{prefix}bookmarkStart {prefix}id=\"{id}\" {prefix}name=\"{name}\"/>");
        results.edit(start..start, open);
        let end = node.last_child().map_or(start, |last| last.range().end).max(start);
        results.edit(end..end, format!("<{prefix}bookmarkEnd {prefix}id=\"{id}\"/>"));
        self.names.insert(start, name.clone());
        name
    }
}

/// What became of a table of contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Its entries are right. Their page numbers are fields of their own.
    AsItWas,
    Rewritten,
    /// It can't be computed.
    Left,
}

/// Brings a table of contents up to date. `all`: the results of all tables of contents.
pub(super) fn update(
    document: &Document<'_, '_>,
    results: &mut Results<'_>,
    anchors: &mut Anchors,
    field: &Field<'_, '_>,
    all: &[Range<usize>],
) -> Outcome {
    let Some(choice) = Choice::read(&field.instruction) else { return Outcome::Left };
    let Some(place) = Place::of(field) else { return Outcome::Left };
    let entries = choice.entries(document, results, all);
    if entries.is_empty() {
        return Outcome::Left;
    }
    if place.lists(document, field, &entries) {
        results.is_clean(field);
        return Outcome::AsItWas;
    }
    let lines = lines(document, results, &choice, field, &place);
    let numbered = numbered(field);
    let mut written = Vec::with_capacity(entries.len());
    for entry in &entries {
        let anchor = anchors.of(document, results, entry);
        let page = (entry.level >= numbered.0 && entry.level <= numbered.1).then(String::new);
        let page = page.or_else(|| {
            let place = document.story.bookmark(&anchor).map(|bookmark| bookmark.start.range().start);
            let start = place.unwrap_or_default().max(content_start(entry.paragraph.node));
            compute::page(document, entry.paragraph, start, None).ok().or_else(|| Some("1".to_owned()))
        });
        let page = page.filter(|page| !page.is_empty());
        written.push((lines.properties(entry), lines.content(entry, &anchor, page.as_deref())));
    }
    place.write(results, field, &written);
    Outcome::Rewritten
}

/// The levels without page numbers; an empty range if all have them.
fn numbered(field: &Field<'_, '_>) -> (u8, u8) {
    if !field.instruction.has('n') {
        return (1, 0);
    }
    let range = field.instruction.after('n').and_then(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
    });
    range.unwrap_or((1, 9))
}

fn lines(
    document: &Document<'_, '_>,
    results: &Results<'_>,
    choice: &Choice<'_>,
    field: &Field<'_, '_>,
    place: &Place<'_, '_>,
) -> Lines {
    let section = document.story.around(place.first).map_or(0, |paragraph| paragraph.section);
    let width = document.story.sections.get(section).and_then(|section| section.line_width);
    let mut lines = Lines::new(document.styles, results.prefix, width);
    lines.links = field.instruction.has('h');
    lines.of_captions = choice.is_of_captions();
    if let Some(separator) = field.instruction.after('p') {
        lines.separator = Separator::Text(separator.to_owned());
    }
    for paragraph in &place.paragraphs {
        let Some(properties) = child(*paragraph, "pPr") else { continue };
        let is_plain = child(properties, "sectPr").is_none() && child(properties, "pPrChange").is_none();
        if let (true, Some(style)) = (is_plain, value(properties, "pStyle")) {
            let has_tab = child(properties, "tabs")
                .is_some_and(|tabs| tabs.children().any(|tab| matches!(attribute(tab, "val"), Some("left" | "start"))));
            lines.keep(style, has_tab, results.written(properties));
        }
    }
    lines
}

impl<'a, 'i> Place<'a, 'i> {
    /// `None` if its paragraphs do not follow each other, or end sections.
    fn of(field: &Field<'a, 'i>) -> Option<Self> {
        Self::read(field).filter(|place| place.section.is_none() && !place.begins_apart)
    }

    /// The paragraph with an index's beginning may end a section, and so may its last entry.
    pub(super) fn of_index(field: &Field<'a, 'i>) -> Option<Self> {
        Self::read(field).filter(|place| !place.begins_apart || !place.has_entry(place.first) && !place.ends_in_entry)
    }

    fn read(field: &Field<'a, 'i>) -> Option<Self> {
        let Shape::Complex { separate, end, .. } = field.shape else { return None };
        let (opens, closes) = (separate?.parent()?, end.parent()?);
        let (first, last) = (opens.parent()?, closes.parent()?);
        let are_runs = is(opens, "r") && is(closes, "r") && is(first, "p") && is(last, "p");
        if !are_runs || opens == closes || first.parent() != last.parent() {
            return None;
        }
        let between = first.next_siblings().take_while(|node| *node != last).filter(Node::is_element);
        let mut paragraphs: Vec<_> = between.collect();
        const MARKS: [&str; 7] = [
            "bookmarkStart",
            "bookmarkEnd",
            "proofErr",
            "permStart",
            "permEnd",
            "commentRangeStart",
            "commentRangeEnd",
        ];
        if paragraphs.iter().any(|node| !is(*node, "p") && !MARKS.contains(&node.tag_name().name())) {
            return None;
        }
        paragraphs.retain(|node| is(*node, "p"));
        // The first one is `first`, if there are several.
        let section = |node: Node<'a, 'i>| child(node, "pPr").and_then(|own| child(own, "sectPr"));
        let (own, ends): (Vec<&Node<'a, 'i>>, Vec<&Node<'a, 'i>>) = paragraphs.iter().partition(|node| **node == first);
        let begins_apart = own.iter().any(|node| section(**node).is_some());
        let in_middle = ends.split_last().map_or(&[][..], |(_, middle)| middle);
        if in_middle.iter().any(|node| section(**node).is_some()) {
            return None;
        }
        let section = ends.last().and_then(|node| section(**node));
        let result = opens.range().end..closes.range().start;
        let mut place = Self { first, last, result, paragraphs, ends_in_entry: false, section, begins_apart };
        place.ends_in_entry = first != last && place.has_entry(last);
        if place.ends_in_entry || first == last {
            place.paragraphs.push(last);
        }
        Some(place)
    }

    fn has_entry(&self, node: Node<'_, '_>) -> bool {
        let range = node.range().start.max(self.result.start)..self.result.end;
        super::find::own(node).any(|part| is(part, "t") && range.contains(&part.range().start))
    }

    /// The tab stops of the first line in a style.
    pub(super) fn tab_stops(&self, style: &str) -> Option<Node<'a, 'i>> {
        let properties = self.paragraphs.iter().filter_map(|paragraph| child(*paragraph, "pPr"));
        let mut of_style = properties.filter(|own| value(*own, "pStyle") == Some(style));
        of_style.find_map(|own| child(own, "tabs"))
    }

    /// The letters of its lines, without empty ones.
    pub(super) fn texts(&self, document: &Document<'_, '_>) -> impl Iterator<Item = String> {
        self.paragraphs.iter().map(|paragraph| self.text(document, *paragraph)).filter(|text| !text.is_empty())
    }

    /// Whether it lists these entries already.
    fn lists(&self, document: &Document<'_, '_>, field: &Field<'_, '_>, entries: &[Entry<'_, '_, '_>]) -> bool {
        let texts = self.paragraphs.iter().map(|paragraph| self.text(document, *paragraph));
        let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
        let pages = document
            .fields
            .all
            .iter()
            .filter(|page| page.instruction.kind == "PAGEREF" && self.result.contains(&page.start()));
        let has_pages = field.instruction.has('n') || pages.count() == entries.len();
        has_pages
            && texts.len() == entries.len()
            && texts.iter().zip(entries).all(|(text, entry)| *text == letters(&entry.text()))
    }

    /// The letters of an entry, without its page number.
    fn text(&self, document: &Document<'_, '_>, paragraph: Node<'_, '_>) -> String {
        let is_page = |node: Node<'_, '_>| {
            let start = node.range().start;
            let before = document.fields.all.partition_point(|field| field.start() < start);
            let fields = document.fields.all.get(..before).unwrap_or_default().iter().rev().take(4);
            fields.into_iter().any(|field| field.instruction.kind == "PAGEREF" && start < field.end())
        };
        let texts = super::find::own(paragraph).filter(|node| {
            is(*node, "t")
                && self.result.contains(&node.range().start)
                && !document.fields.unseen.contains(&node.id())
                && !is_page(*node)
        });
        letters(&texts.filter_map(|node| node.text()).collect::<String>())
    }

    /// Writes the lines of an index in place of the old ones, in the sections of these.
    pub(super) fn write_lines(&self, results: &mut Results<'_>, field: &Field<'_, '_>, lines: &[(String, String)]) {
        let mut lines = lines.to_vec();
        if let (Some(section), Some((properties, _))) = (self.section, lines.last_mut()) {
            let close = format!("</{}pPr>", results.prefix);
            *properties = format!("{}{}{close}", properties.trim_end_matches(&close), results.written(section));
        }
        if !self.begins_apart {
            return self.write(results, field, &lines);
        }
        let w = results.prefix;
        let written = lines.iter().map(|(properties, content)| format!("<{w}p>{properties}{content}</{w}p>"));
        let text = format!("</{w}p>{}{}{}", written.collect::<String>(), self.reopened(results), self.kept(results));
        results.edit(self.result.clone(), text);
        results.is_clean(field);
    }

    /// Writes the entries in place of the old ones: the properties of each paragraph, and its content.
    fn write(&self, results: &mut Results<'_>, field: &Field<'_, '_>, entries: &[(String, String)]) {
        let prefix = results.prefix;
        let mut text = String::new();
        let count = entries.len();
        for (index, (properties, content)) in entries.iter().enumerate() {
            if index > 0 {
                text.push_str(&format!("<{prefix}p>{properties}"));
            }
            text.push_str(content);
            if index + 1 < count {
                text.push_str(&format!("</{prefix}p>"));
            }
        }
        if !self.ends_in_entry {
            text.push_str(&format!("</{prefix}p>"));
            text.push_str(&self.reopened(results));
        }
        text.push_str(&self.kept(results));
        let first = child(self.first, "pPr");
        let at = first.map_or_else(|| content_start(self.first)..content_start(self.first), |own| own.range());
        if let Some((properties, _)) = entries.first() {
            results.edit(at, properties.clone());
        }
        results.edit(self.result.clone(), text);
        results.is_clean(field);
    }

    /// The beginning of the paragraph with the field's end.
    fn reopened(&self, results: &Results<'_>) -> String {
        if self.first == self.last {
            let own = child(self.first, "pPr").map_or("", |own| results.written(own));
            return format!("<{}p>{own}", results.prefix);
        }
        let start = self.last.range().start;
        results.slice(start..content_start(self.last)).to_owned()
    }

    /// Marks in the old result that belong to others outside.
    fn kept(&self, results: &Results<'_>) -> String {
        const PAIRS: [(&str, &str); 3] =
            [("bookmarkStart", "bookmarkEnd"), ("commentRangeStart", "commentRangeEnd"), ("permStart", "permEnd")];
        let around = self.first.parent().unwrap_or(self.first);
        let inside = around.descendants().filter(|node| node.is_element() && self.result.contains(&node.range().start));
        let marks: Vec<_> = inside.collect();
        let is_alone = |node: &&Node<'_, '_>| {
            let name = node.tag_name().name();
            let other = PAIRS.iter().find_map(|(open, close)| match name {
                name if name == *open => Some(*close),
                name if name == *close => Some(*open),
                _ => None,
            });
            let id = attribute(**node, "id");
            other.is_some_and(|other| !marks.iter().any(|mark| is(*mark, other) && attribute(*mark, "id") == id))
        };
        marks.iter().filter(is_alone).map(|node| results.written(*node)).collect()
    }
}

/// Spaces, tabs and marks of direction don't matter.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_whitespace() && !matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}'))
        .collect()
}
