//! The paragraphs of a document's body, with what Word knows about each: its style, its number, its section.

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use super::find::{own, shown};
use crate::numbering::{Format, Marker, Numbering, Suffix};
use crate::styles::{Properties, Styles};
use crate::tree::{attribute, child, is, path, value};

/// A paragraph.
#[derive(Debug)]
pub(super) struct Paragraph<'a, 'i> {
    pub(super) node: Node<'a, 'i>,
    pub(super) properties: Properties,
    pub(super) number: Option<Number>,
    /// The number of its section, from 0.
    pub(super) section: usize,
    /// Whether it is part of a block with a table of contents, such as its title.
    pub(super) is_in_contents: bool,
}

/// The number of a paragraph as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) label: String,
    pub(super) suffix: Suffix,
    /// Its level in its list, from 0.
    pub(super) level: usize,
}

/// A section.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// Where the text of its first paragraph begins in the source.
    pub(super) start: Option<usize>,
    /// The number of its first page, if its pages are counted anew.
    pub(super) first_number: Option<u32>,
    pub(super) format: PageFormat,
    pub(super) begins: Begins,
    /// The width of its lines, in twentieths of a point.
    pub(super) line_width: Option<i64>,
}

/// On which page a section begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Begins {
    #[default]
    Next,
    Same,
    Even,
    Odd,
}

/// How the numbers of pages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageFormat {
    format: Format,
    in_dashes: bool,
}

impl PageFormat {
    pub(super) fn of(name: &str) -> Self {
        Self { format: Format::of(name), in_dashes: name == "numberInDash" }
    }

    pub(super) fn written(self, number: u32) -> String {
        let number = self.format.written(number);
        if self.in_dashes { format!("- {number} -") } else { number }
    }
}

/// A document's body.
#[derive(Debug, Default)]
pub(super) struct Story<'a, 'i> {
    pub(super) paragraphs: Vec<Paragraph<'a, 'i>>,
    pub(super) sections: Vec<Section>,
    by_node: HashMap<NodeId, usize>,
    bookmarks: HashMap<&'a str, Bookmark<'a, 'i>>,
    /// The largest id of a bookmark.
    pub(super) largest_id: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Bookmark<'a, 'i> {
    pub(super) start: Node<'a, 'i>,
    /// Where it ends in the source.
    pub(super) end: Option<usize>,
}

/// Whether a paragraph is there only for the end of a section. Word does not count it in lists.
fn only_ends_section(paragraph: Node<'_, '_>) -> bool {
    let has_section = child(paragraph, "pPr").is_some_and(|own| child(own, "sectPr").is_some());
    has_section && !paragraph.children().any(|part| matches!(part.tag_name().name(), "r" | "hyperlink" | "sdt" | "ins"))
}

impl<'a, 'i> Story<'a, 'i> {
    pub(super) fn read(body: Node<'a, 'i>, styles: &Styles, numbering: &mut Numbering) -> Self {
        let mut story = Self::default();
        let mut names: HashMap<&str, &str> = HashMap::new();
        let mut sections = Vec::new();
        for node in shown(body) {
            match node.tag_name().name() {
                "p" => {
                    let paragraph = story.paragraph(node, styles, numbering, sections.len());
                    story.by_node.insert(node.id(), story.paragraphs.len());
                    story.paragraphs.push(paragraph);
                }
                "sectPr" => sections.push(section(node)),
                "bookmarkStart" => {
                    let (Some(id), Some(name)) = (attribute(node, "id"), attribute(node, "name")) else { continue };
                    names.insert(id, name);
                    story.largest_id = story.largest_id.max(id.parse().unwrap_or(0));
                    story.bookmarks.entry(name).or_insert(Bookmark { start: node, end: None });
                }
                "bookmarkEnd" => {
                    let bookmark = attribute(node, "id").and_then(|id| story.bookmarks.get_mut(names.get(id)?));
                    if let Some(bookmark) = bookmark.filter(|bookmark| bookmark.end.is_none()) {
                        bookmark.end = Some(node.range().start);
                    }
                }
                _ => {}
            }
        }
        // Some programs leave the properties of the last section out.
        if story.paragraphs.last().is_some_and(|last| last.section >= sections.len()) {
            sections.push(Section::default());
        }
        for paragraph in story.paragraphs.iter().rev() {
            if let Some(section) = sections.get_mut(paragraph.section) {
                section.start = Some(content_start(paragraph.node));
            }
        }
        story.sections = sections;
        story
    }

    fn paragraph(
        &self,
        node: Node<'a, 'i>,
        styles: &Styles,
        numbering: &mut Numbering,
        sections: usize,
    ) -> Paragraph<'a, 'i> {
        let own = child(node, "pPr");
        let mut properties = styles.of_paragraph(own.and_then(|own| value(own, "pStyle")));
        if let Some(own) = own {
            properties.add_paragraph(own);
        }
        let list = properties.list.filter(|list| *list != 0 && !only_ends_section(node));
        let level = properties.list_level.unwrap_or(0);
        let number = list.and_then(|list| match numbering.next(list, level)? {
            Marker::Number { label, suffix, .. } => Some(Number { label, suffix, level }),
            Marker::Bullet | Marker::None => None,
        });
        // Paragraphs of a box are on the page of the one around it.
        let around = node.ancestors().skip(1).find_map(|around| self.by_node.get(&around.id()));
        let section = around.and_then(|around| self.paragraphs.get(*around)).map_or(sections, |around| around.section);
        let mut blocks = node.ancestors().filter(|around| is(*around, "sdt"));
        let is_in_contents = blocks.any(|block| {
            let gallery = path(block, &["sdtPr", "docPartObj", "docPartGallery"]);
            gallery.and_then(|gallery| attribute(gallery, "val")) == Some("Table of Contents")
        });
        Paragraph { node, properties, number, section, is_in_contents }
    }

    /// The paragraph that a node is in.
    pub(super) fn around(&self, node: Node<'_, '_>) -> Option<&Paragraph<'a, 'i>> {
        node.ancestors().find_map(|around| self.paragraphs.get(*self.by_node.get(&around.id())?))
    }

    /// The place of the paragraph that a node is in.
    pub(super) fn place_of(&self, node: Node<'_, '_>) -> Option<usize> {
        node.ancestors().find_map(|around| self.by_node.get(&around.id()).copied())
    }

    pub(super) fn bookmark(&self, name: &str) -> Option<Bookmark<'a, 'i>> {
        self.bookmarks.get(name).copied()
    }

    /// The last paragraph that begins before a place.
    pub(super) fn before(&self, place: usize) -> Option<&Paragraph<'a, 'i>> {
        let next = self.paragraphs.partition_point(|paragraph| paragraph.node.range().start < place);
        self.paragraphs.get(next.checked_sub(1)?)
    }

    /// The paragraph in which a bookmark begins, or which follows it.
    pub(super) fn at_bookmark(&self, bookmark: Bookmark<'_, '_>) -> Option<&Paragraph<'a, 'i>> {
        let start = bookmark.start.range().start;
        let next = self.paragraphs.partition_point(|paragraph| paragraph.node.range().start < start);
        self.around(bookmark.start).or_else(|| self.paragraphs.get(next))
    }

    /// The bookmark of contents in a paragraph.
    pub(super) fn contents_bookmark(&self, paragraph: Node<'a, 'i>) -> Option<&'a str> {
        let names = own(paragraph).filter(|node| is(*node, "bookmarkStart")).filter_map(|node| attribute(node, "name"));
        names.filter(|name| name.starts_with("_Toc")).find(|name| self.bookmarks.contains_key(name))
    }
}

/// Where a paragraph's content begins in the source: behind its properties.
pub(super) fn content_start(paragraph: Node<'_, '_>) -> usize {
    let properties = child(paragraph, "pPr").map(|properties| properties.range().end);
    let first = || paragraph.first_child().map(|first| first.range().start);
    properties.or_else(first).unwrap_or(paragraph.range().end)
}

fn section(node: Node<'_, '_>) -> Section {
    let numbers = child(node, "pgNumType");
    let numbered = |name| numbers.and_then(|numbers| attribute(numbers, name));
    let begins = match value(node, "type") {
        Some("continuous") => Begins::Same,
        Some("evenPage") => Begins::Even,
        Some("oddPage") => Begins::Odd,
        Some(_) | None => Begins::Next,
    };
    let size = |element: &str, name: &str| -> Option<i64> { attribute(child(node, element)?, name)?.parse().ok() };
    let margins = size("pgMar", "left").zip(size("pgMar", "right")).map(|(left, right)| left + right);
    let gutter = size("pgMar", "gutter").unwrap_or(0);
    Section {
        start: None,
        first_number: numbered("start").and_then(|start| start.parse().ok()),
        format: numbered("fmt").map(PageFormat::of).unwrap_or_default(),
        begins,
        line_width: size("pgSz", "w").zip(margins).map(|(width, margins)| width - margins - gutter),
    }
}
