//! A document as the data model of XPath: nodes in document order, each a number.

mod read;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;
use std::iter::successors;
use std::rc::Rc;

use foldhash::fast::RandomState;

pub(crate) use read::{Fault, read};

/// A node's place in document order.
pub(crate) type NodeId = u32;

/// What stands for no node.
pub(super) const NONE: NodeId = u32::MAX;

/// The name of an element or attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) space: Rc<str>,
    pub(crate) local: Rc<str>,
    /// As it is written, with its prefix.
    pub(crate) written: Rc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Root,
    Element(u32),
    Attribute(u32),
    Text,
    Comment,
    Instruction,
}

#[derive(Debug)]
pub(super) struct Node {
    kind: Kind,
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    /// The first child. Attributes are no children: they are the nodes right after their element.
    first: NodeId,
    attributes: u32,
    /// The node after the last descendant.
    end: NodeId,
    line: u32,
    text: Option<Rc<str>>,
}

#[derive(Debug)]
pub(crate) struct Document {
    nodes: Vec<Node>,
    names: Vec<Name>,
    /// Of all these names.
    locals: HashSet<Rc<str>, RandomState>,
}

impl Document {
    pub(crate) const ROOT: NodeId = 0;

    fn node(&self, id: NodeId) -> &Node {
        #[expect(clippy::indexing_slicing, reason = "ids come from this document only, and none is ever removed")]
        &self.nodes[id as usize]
    }

    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    pub(crate) fn line(&self, id: NodeId) -> u32 {
        self.node(id).line
    }

    pub(crate) fn name(&self, id: NodeId) -> Option<&Name> {
        match self.node(id).kind {
            Kind::Element(name) | Kind::Attribute(name) => self.names.get(name as usize),
            Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => None,
        }
    }

    /// All names of elements and attributes, by their numbers in [`Kind`].
    pub(crate) fn names(&self) -> &[Name] {
        &self.names
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).parent)
    }

    pub(crate) fn next(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).next)
    }

    pub(crate) fn previous(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).previous)
    }

    pub(crate) fn first_child(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).first)
    }

    pub(crate) fn attributes(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id + 1..id + 1 + self.node(id).attributes
    }

    /// All nodes within this one, attributes too.
    pub(crate) fn within(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id + 1..self.node(id).end
    }

    /// The root element.
    pub(crate) fn root_element(&self) -> Option<NodeId> {
        let mut child = self.first_child(Self::ROOT);
        while let Some(id) = child {
            if matches!(self.kind(id), Kind::Element(_)) {
                return Some(id);
            }
            child = self.next(id);
        }
        None
    }

    /// The elements at a path of local names, such as `Item/Name`, in document order. A step may be one of several names: `Name|ID`.
    pub(crate) fn at(&self, from: NodeId, path: &str) -> Vec<NodeId> {
        // Most documents have few of the names that may be asked for.
        let is_there = |step: &str| step.split('|').any(|name| self.locals.contains(name));
        if !path.split('/').all(is_there) {
            return Vec::new();
        }
        let mut found = Vec::new();
        self.find(from, path, &mut found);
        found
    }

    fn find(&self, from: NodeId, path: &str, found: &mut Vec<NodeId>) {
        let (step, rest) = path.split_once('/').map_or((path, None), |(step, rest)| (step, Some(rest)));
        let has_alternatives = step.contains('|');
        let is_called = |name: &Name| {
            if has_alternatives { step.split('|').any(|wanted| wanted == &*name.local) } else { *name.local == *step }
        };
        for id in successors(self.first_child(from), |&id| self.next(id)) {
            match (self.name(id).is_some_and(is_called), rest) {
                (false, _) => {}
                (true, Some(rest)) => self.find(id, rest, found),
                (true, None) => found.push(id),
            }
        }
    }

    /// The text of a node. Most elements have one text, which is shared.
    pub(crate) fn text(&self, id: NodeId) -> Rc<str> {
        let node = self.node(id);
        match node.kind {
            Kind::Root | Kind::Element(_) => {
                let mut texts = self.within(id).filter(|&inner| self.kind(inner) == Kind::Text);
                let Some(first) = texts.next() else { return Rc::from("") };
                let first = self.own_text(first);
                let Some(second) = texts.next() else { return first };
                let mut all = String::from(&*first);
                all.push_str(&self.own_text(second));
                for more in texts {
                    all.push_str(&self.own_text(more));
                }
                Rc::from(all)
            }
            Kind::Attribute(_) | Kind::Text | Kind::Comment | Kind::Instruction => self.own_text(id),
        }
    }

    fn own_text(&self, id: NodeId) -> Rc<str> {
        self.node(id).text.clone().unwrap_or_else(|| Rc::from(""))
    }

    /// Where a node is, as an XPath of names as they are written: `/ubl:Invoice[1]/cac:InvoiceLine[2]`.
    pub(crate) fn path(&self, id: NodeId) -> String {
        let mut steps: Vec<Cow<'_, str>> = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at {
            match self.kind(node) {
                Kind::Root => break,
                Kind::Element(_) => steps.push(Cow::Owned(format!("{}[{}]", self.written(node), self.place(node)))),
                Kind::Attribute(_) => steps.push(Cow::Owned(format!("@{}", self.written(node)))),
                Kind::Text => steps.push(Cow::Borrowed("text()")),
                Kind::Comment => steps.push(Cow::Borrowed("comment()")),
                Kind::Instruction => steps.push(Cow::Borrowed("processing-instruction()")),
            }
            at = self.parent(node);
        }
        if steps.is_empty() {
            return "/".to_owned();
        }
        steps.iter().rev().fold(String::new(), |path, step| path + "/" + step)
    }

    pub(crate) fn written(&self, id: NodeId) -> &str {
        self.name(id).map_or("", |name| &*name.written)
    }

    /// Which of its siblings of the same name an element is, from 1.
    fn place(&self, id: NodeId) -> usize {
        let mut place = 1;
        let mut before = self.previous(id);
        while let Some(node) = before {
            if self.kind(node) == self.kind(id) {
                place += 1;
            }
            before = self.previous(node);
        }
        place
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}
