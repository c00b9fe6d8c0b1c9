//! Where a document has which of the names that the rules know: most rules are about names that it has not.

use std::ops::Range;

use super::ast::{Axis, Step, Test};
use super::names::{NameId, Names};
use crate::xml::{Document, Kind, NodeId};

#[derive(Debug)]
pub(super) struct Index {
    /// By the document's numbers of names.
    names: Vec<Option<NameId>>,
    /// By the rules' numbers, in document order.
    elements: Vec<Vec<NodeId>>,
    /// By the rules' numbers: whether an attribute has the name.
    attributes: Vec<bool>,
}

impl Index {
    pub(super) fn new(document: &Document, names: &Names) -> Self {
        let mut index = Self {
            names: document.names().iter().map(|name| names.find(&name.space, &name.local)).collect(),
            elements: vec![Vec::new(); names.known()],
            attributes: vec![false; names.known()],
        };
        for id in document.within(Document::ROOT) {
            let kind = document.kind(id);
            let Some(name) = index.name(kind) else { continue };
            if let (Kind::Element(_), Some(elements)) = (kind, index.elements.get_mut(name as usize)) {
                elements.push(id);
            } else if let Some(has) = index.attributes.get_mut(name as usize) {
                *has = true;
            }
        }
        index
    }

    /// The rules' number of a node's name.
    fn name(&self, kind: Kind) -> Option<NameId> {
        match kind {
            Kind::Element(name) | Kind::Attribute(name) => self.names.get(name as usize).copied().flatten(),
            Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => None,
        }
    }

    /// The elements of a name in a part of the document.
    pub(super) fn elements(&self, name: NameId, part: Range<NodeId>) -> &[NodeId] {
        let all = self.elements.get(name as usize).map(Vec::as_slice).unwrap_or_default();
        let from = all.partition_point(|&id| id < part.start);
        let to = all.partition_point(|&id| id < part.end);
        all.get(from..to).unwrap_or_default()
    }

    /// Whether no node of the document passes a step.
    pub(super) fn lacks(&self, step: &Step) -> bool {
        match step {
            Step::Axis(Axis::Attribute, Test::Name(name), _) => {
                !self.attributes.get(*name as usize).is_some_and(|&has| has)
            }
            Step::Axis(_, Test::Name(name), _) => self.elements.get(*name as usize).is_none_or(Vec::is_empty),
            Step::Axis(..) | Step::Each(_) => false,
        }
    }

    pub(super) fn passes(&self, document: &Document, id: NodeId, axis: Axis, test: &Test) -> bool {
        let kind = document.kind(id);
        let is_principal = match kind {
            Kind::Element(_) => axis != Axis::Attribute,
            Kind::Attribute(_) => axis == Axis::Attribute,
            Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => false,
        };
        match test {
            Test::Node => true,
            Test::Text => kind == Kind::Text,
            Test::Comment => kind == Kind::Comment,
            Test::Element => matches!(kind, Kind::Element(_)),
            Test::AnyName => is_principal,
            Test::Name(name) => is_principal && self.name(kind) == Some(*name),
            Test::Space(space) => is_principal && document.name(id).is_some_and(|name| name.space == *space),
            Test::Local(local) => is_principal && document.name(id).is_some_and(|name| name.local == *local),
        }
    }
}
