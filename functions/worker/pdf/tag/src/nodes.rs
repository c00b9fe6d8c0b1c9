//! The elements of the structure tree before they are written.

use std::collections::BTreeMap;

use docmill_pdf_core::headings::HeadingLevels;
use docmill_pdf_core::pdfium::Rect;
use lopdf::ObjectId;

/// An element, by its place in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) usize);

/// The order of an element's parts: by their place in the reading order, then as they were added.
pub(super) type Order = (u32, u32);

/// The standard type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Document,
    /// From 1 to 6.
    Heading(u8),
    Paragraph,
    List {
        is_ordered: bool,
    },
    Item,
    Label,
    Body,
    Table,
    Row,
    Header(Scope),
    Cell,
    Figure,
    Caption,
    Note,
    Code,
    Formula,
    Link,
    Form,
    Annotation,
}

/// What a header cell is the header of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Column,
    Row,
}

impl Tag {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Document => "Document",
            Self::Heading(level) => match level {
                0 | 1 => "H1",
                2 => "H2",
                3 => "H3",
                4 => "H4",
                5 => "H5",
                6.. => "H6",
            },
            Self::Paragraph => "P",
            Self::List { .. } => "L",
            Self::Item => "LI",
            Self::Label => "Lbl",
            Self::Body => "LBody",
            Self::Table => "Table",
            Self::Row => "TR",
            Self::Header(_) => "TH",
            Self::Cell => "TD",
            Self::Figure => "Figure",
            Self::Caption => "Caption",
            Self::Note => "Note",
            Self::Code => "Code",
            Self::Formula => "Formula",
            Self::Link => "Link",
            Self::Form => "Form",
            Self::Annotation => "Annot",
        }
    }

    /// Whether it stays without content: a table is a grid.
    const fn may_be_empty(self) -> bool {
        matches!(self, Self::Row | Self::Header(_) | Self::Cell)
    }
}

/// A part of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kid {
    Node(NodeId),
    Content(Content),
    /// An annotation on a page.
    Object {
        annotation: ObjectId,
        page: usize,
    },
}

impl Kid {
    pub(super) fn is(&self, node: NodeId) -> bool {
        matches!(self, Self::Node(id) if *id == node)
    }
}

/// Marked content.
#[derive(Clone, Copy, Debug)]
pub(super) struct Content {
    /// Counted from 0.
    pub(super) page: usize,
    /// The form that it is in. `None`: it is in the page's own content.
    pub(super) form: Option<ObjectId>,
    pub(super) number: u32,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) tag: Tag,
    pub(super) kids: Vec<(Order, Kid)>,
    /// Alternative text.
    pub(super) alternative: Option<String>,
    /// BCP 47, if it differs from the document's.
    pub(super) language: Option<String>,
    /// How many rows and columns a cell spans.
    pub(super) spans: (usize, usize),
    /// The page, counted from 0, and the area of a figure.
    pub(super) area: Option<(usize, Rect)>,
}

/// The tree.
#[derive(Debug)]
pub(super) struct Nodes(Vec<Node>);

impl Nodes {
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn new() -> Self {
        let mut nodes = Self(Vec::new());
        nodes.push(Tag::Document);
        nodes
    }

    fn push(&mut self, tag: Tag) -> NodeId {
        let id = NodeId(self.0.len());
        self.0.push(Node { tag, kids: Vec::new(), alternative: None, language: None, spans: (1, 1), area: None });
        id
    }

    /// Adds an element below another one.
    pub(super) fn add(&mut self, parent: NodeId, order: u32, tag: Tag) -> NodeId {
        let id = self.push(tag);
        self.put(parent, order, Kid::Node(id));
        id
    }

    pub(super) fn put(&mut self, parent: NodeId, order: u32, kid: Kid) {
        if let Some(node) = self.0.get_mut(parent.0) {
            let minor = u32::try_from(node.kids.len()).unwrap_or(u32::MAX);
            node.kids.push(((order, minor), kid));
        }
    }

    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        self.0.get(id.0)
    }

    pub(super) fn edit(&mut self, id: NodeId, edit: impl FnOnce(&mut Node)) {
        if let Some(node) = self.0.get_mut(id.0) {
            edit(node);
        }
    }

    pub(super) fn tag(&self, id: NodeId) -> Tag {
        self.get(id).map_or(Tag::Paragraph, |node| node.tag)
    }

    /// Whether an element has one of this type in it.
    pub(super) fn has(&self, id: NodeId, tag: Tag) -> bool {
        let kids = self.get(id).into_iter().flat_map(|node| &node.kids);
        kids.filter_map(node_of).any(|kid| self.tag(kid) == tag)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Node> {
        self.0.iter()
    }

    /// Sorts the parts of all elements, drops elements without content, and makes the levels of headings follow each other.
    pub(super) fn finish(&mut self) {
        for node in &mut self.0 {
            node.kids.sort_by_key(|(order, _)| *order);
        }
        // Parents come before the elements in them.
        for index in (0..self.0.len()).rev() {
            let Some(node) = self.0.get_mut(index) else { continue };
            let mut kids = std::mem::take(&mut node.kids);
            kids.retain(|(_, kid)| match kid {
                Kid::Node(id) => self
                    .get(*id)
                    .is_some_and(|node| !node.kids.is_empty() || node.tag.may_be_empty() || node.tag == Tag::Document),
                Kid::Content(_) | Kid::Object { .. } => true,
            });
            let only_grid = kids.iter().all(|(_, kid)| matches!(kid, Kid::Node(id) if self.is_empty(*id)));
            if let Some(node) = self.0.get_mut(index).filter(|node| node.tag != Tag::Table || !only_grid) {
                node.kids = kids;
            }
        }
        self.level();
    }

    /// How many elements there are in the finished tree, by their type.
    pub(super) fn count(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        let mut waiting = vec![Self::ROOT];
        while let Some(node) = waiting.pop().and_then(|id| self.get(id)) {
            *counts.entry(node.tag.name()).or_default() += 1;
            waiting.extend(node.kids.iter().filter_map(node_of));
        }
        counts
    }

    /// Whether no content is in an element.
    fn is_empty(&self, id: NodeId) -> bool {
        self.get(id).is_none_or(|node| {
            node.kids.iter().all(|(_, kid)| match kid {
                Kid::Node(id) => self.is_empty(*id),
                Kid::Content(_) | Kid::Object { .. } => false,
            })
        })
    }

    /// Gives headings levels without gaps.
    fn level(&mut self) {
        let mut levels = HeadingLevels::default();
        let order: Vec<NodeId> = self.0.first().into_iter().flat_map(|root| &root.kids).filter_map(node_of).collect();
        for id in order {
            let Tag::Heading(level) = self.tag(id) else { continue };
            let new = levels.next(level.into());
            self.edit(id, |node| node.tag = Tag::Heading(u8::try_from(new).unwrap_or(6)));
        }
    }
}

fn node_of((_, kid): &(Order, Kid)) -> Option<NodeId> {
    match kid {
        Kid::Node(id) => Some(*id),
        Kid::Content(_) | Kid::Object { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Kid {
        Kid::Content(Content { page: 0, form: None, number: 0 })
    }

    #[test]
    fn headings_skip_no_level_and_elements_without_content_go() {
        let mut nodes = Nodes::new();
        for (order, level) in (0..).zip([2, 4, 4, 3, 1, 6]) {
            let id = nodes.add(Nodes::ROOT, order, Tag::Heading(level));
            nodes.put(id, 0, content());
        }
        nodes.add(Nodes::ROOT, 9, Tag::Paragraph);
        let table = nodes.add(Nodes::ROOT, 10, Tag::Table);
        let row = nodes.add(table, 0, Tag::Row);
        nodes.add(row, 0, Tag::Cell);
        nodes.finish();
        let root = nodes.get(Nodes::ROOT).unwrap();
        let tags: Vec<&str> = root.kids.iter().filter_map(node_of).map(|id| nodes.tag(id).name()).collect();
        assert_eq!(tags, ["H1", "H2", "H2", "H2", "H1", "H2"]);
    }

    #[test]
    fn parts_are_in_the_order_of_reading() {
        let mut nodes = Nodes::new();
        let late = nodes.add(Nodes::ROOT, 7, Tag::Paragraph);
        let early = nodes.add(Nodes::ROOT, 3, Tag::Paragraph);
        nodes.put(late, 1, content());
        nodes.put(early, 1, content());
        nodes.finish();
        let kids: Vec<NodeId> = nodes.get(Nodes::ROOT).unwrap().kids.iter().filter_map(node_of).collect();
        assert_eq!(kids, [early, late]);
    }
}
