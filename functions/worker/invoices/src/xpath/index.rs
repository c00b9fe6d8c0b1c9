//! Where a document has which of the names that the rules know: most rules are about names that it has not.

use std::ops::Range;

use super::ast::{Axis, Named, Step, Test};
use super::names::{NameId, Names};
use crate::xml::{Document, Kind, NodeId};

/// Elements of a name that are looked at one by one.
const FEW: usize = 8;
/// No name that the rules know.
const UNKNOWN: NameId = NameId::MAX;

#[derive(Debug)]
pub(super) struct Index {
    /// The rules' numbers of names, by node.
    names: Vec<NameId>,
    /// The elements that have one, by these numbers, in document order.
    elements: Vec<NodeId>,
    /// By the rules' numbers: where its elements begin among all. One more says where the last end.
    starts: Vec<usize>,
    /// By the rules' numbers: whether an attribute has the name.
    attributes: Vec<bool>,
}

impl Index {
    pub(super) fn new(document: &Document, names: &Names) -> Self {
        let known = |name: &crate::xml::Name| names.find(&name.space, &name.local).unwrap_or(UNKNOWN);
        let by_number: Vec<NameId> = document.names().iter().map(known).collect();
        let mut attributes = vec![false; names.known()];
        // How many elements have the name before, and then where those of the name itself go.
        let mut places = vec![0; names.known() + 1];
        let all = document.within(Document::ROOT);
        let mut of_nodes = Vec::with_capacity(all.end as usize);
        of_nodes.resize(all.start as usize, UNKNOWN);
        for id in all.clone() {
            let (number, is_element) = match document.kind(id) {
                Kind::Element(number) => (number, true),
                Kind::Attribute(number) => (number, false),
                Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => {
                    of_nodes.push(UNKNOWN);
                    continue;
                }
            };
            let name = by_number.get(number as usize).copied().unwrap_or(UNKNOWN);
            of_nodes.push(name);
            if !is_element {
                if let Some(has) = attributes.get_mut(name as usize) {
                    *has = true;
                }
            } else if let Some(count) = places.get_mut((name as usize).saturating_add(1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        let starts = places.clone();
        let mut elements = vec![0; sum];
        for id in all.filter(|&id| matches!(document.kind(id), Kind::Element(_))) {
            let name = of_nodes.get(id as usize).copied().unwrap_or(UNKNOWN);
            if let Some(place) = places.get_mut(name as usize)
                && let Some(element) = elements.get_mut(*place)
            {
                *element = id;
                *place += 1;
            }
        }
        Self { names: of_nodes, elements, starts, attributes }
    }

    fn all(&self, name: NameId) -> &[NodeId] {
        let place = name as usize;
        let (from, to) = (self.starts.get(place), self.starts.get(place.saturating_add(1)));
        from.zip(to).and_then(|(from, to)| self.elements.get(*from..*to)).unwrap_or_default()
    }

    /// The elements of a name in a part of the document.
    pub(super) fn elements(&self, name: NameId, part: Range<NodeId>) -> &[NodeId] {
        let all = self.all(name);
        let from = all.partition_point(|&id| id < part.start);
        let to = all.partition_point(|&id| id < part.end);
        all.get(from..to).unwrap_or_default()
    }

    /// The elements of a name within a node, if they are so few that its children need not be looked at one by one.
    pub(super) fn few(&self, document: &Document, of: NodeId, test: &Test) -> Option<&[NodeId]> {
        let Test::Name(name) = test else { return None };
        Some(self.elements(*name, document.within(of))).filter(|elements| elements.len() <= FEW)
    }

    pub(super) fn has(&self, named: Named) -> bool {
        match named {
            Named::Element(name) => !self.all(name).is_empty(),
            Named::Attribute(name) => self.attributes.get(name as usize).is_some_and(|&has| has),
        }
    }

    /// Whether no node of the document passes a step.
    pub(super) fn lacks(&self, step: &Step) -> bool {
        step.named().is_some_and(|named| !self.has(named))
    }

    pub(super) fn passes(&self, document: &Document, id: NodeId, axis: Axis, test: &Test) -> bool {
        let is_principal = || match document.kind(id) {
            Kind::Element(_) => axis != Axis::Attribute,
            Kind::Attribute(_) => axis == Axis::Attribute,
            Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => false,
        };
        match test {
            Test::Node => true,
            Test::Text => document.kind(id) == Kind::Text,
            Test::Comment => document.kind(id) == Kind::Comment,
            Test::Element => matches!(document.kind(id), Kind::Element(_)),
            Test::AnyName => is_principal(),
            Test::Name(name) => self.names.get(id as usize) == Some(name) && is_principal(),
            Test::Space(space) => is_principal() && document.name(id).is_some_and(|name| name.space == *space),
            Test::Local(local) => is_principal() && document.name(id).is_some_and(|name| name.local == *local),
        }
    }
}
