//! Compares a document with the schemas.

use std::iter::successors;

use super::values::is_space;
use super::{Attribute, BETWEEN, Content, Grammar, Part, Symbol, Type, TypeId, Wanted};
use crate::xml::{Document, Kind, NodeId};

/// Faults that are told. Nobody reads more.
const FAULTS: usize = 100;
/// Names of elements in a message.
const NAMES: usize = 5;
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// What the schemas do not allow.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) node: NodeId,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Element,
    Attribute,
    Value,
}

impl FaultKind {
    /// As reports name it.
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Element => "XSD-ELEMENT",
            Self::Attribute => "XSD-ATTRIBUTE",
            Self::Value => "XSD-VALUE",
        }
    }
}

impl Grammar {
    /// What the schemas do not allow of a document, the first hundred.
    pub(crate) fn check(&self, document: &Document) -> Vec<Fault> {
        let mut looked_up = String::new();
        let symbols = document.names().iter().map(|name| {
            looked_up.clear();
            looked_up.extend([&*name.space, BETWEEN, &*name.local]);
            self.names.get(&looked_up).copied()
        });
        let mut check = Check { grammar: self, document, symbols: symbols.collect(), faults: Vec::new() };
        if let Some(root) = document.root_element() {
            match check.declared(root) {
                Some(of) => check.element(root, of),
                None => check.tell(FaultKind::Element, root, format!("{} is not declared.", document.written(root))),
            }
        }
        check.faults
    }
}

struct Check<'a> {
    grammar: &'a Grammar,
    document: &'a Document,
    /// The schemas' numbers of the document's names.
    symbols: Vec<Option<Symbol>>,
    faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    fn tell(&mut self, kind: FaultKind, node: NodeId, text: String) {
        if self.faults.len() < FAULTS {
            self.faults.push(Fault { kind, node, text });
        }
    }

    fn symbol(&self, node: NodeId) -> Option<Symbol> {
        match self.document.kind(node) {
            Kind::Element(name) | Kind::Attribute(name) => self.symbols.get(name as usize).copied().flatten(),
            Kind::Root | Kind::Text | Kind::Comment | Kind::Instruction => None,
        }
    }

    /// The type of an element that may stand alone.
    fn declared(&self, node: NodeId) -> Option<TypeId> {
        self.grammar.elements.get(&self.symbol(node)?).copied()
    }

    fn nodes(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let document = self.document;
        successors(document.first_child(node), move |&id| document.next(id))
    }

    fn elements(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<'a> {
        let document = self.document;
        self.nodes(node).filter(move |&id| matches!(document.kind(id), Kind::Element(_)))
    }

    /// The reader limits how deep elements nest.
    fn element(&mut self, node: NodeId, of: TypeId) {
        let grammar = self.grammar;
        let Some(of) = grammar.types.get(of) else { return };
        self.attributes(node, of);
        match &of.content {
            Content::Sequence(parts) => {
                self.no_text(node);
                self.sequence(node, parts);
            }
            Content::Choice(parts) => {
                self.no_text(node);
                self.choice(node, parts);
            }
            Content::Text(simple) => {
                if let Some(child) = self.elements(node).next() {
                    self.not_here(child, &[]);
                } else if let Some(wanted) = simple.fault(&self.document.text(node)) {
                    let text = format!("{} must be {wanted}.", self.document.written(node));
                    self.tell(FaultKind::Value, node, text);
                }
            }
        }
    }

    fn attributes(&mut self, node: NodeId, of: &Type) {
        let document = self.document;
        for id in document.attributes(node) {
            let Some(name) = document.name(id) else { continue };
            // Hints where schemas lie, which nobody follows. No element may be nil.
            if &*name.space == INSTANCE && &*name.local != "nil" {
                continue;
            }
            let known = of.attributes.iter().find(|known| name.space.is_empty() && *known.name == *name.local);
            match known {
                Some(known) => self.value(id, known),
                None => {
                    let text = format!("{} may not have the attribute {}.", document.written(node), name.written);
                    self.tell(FaultKind::Attribute, id, text);
                }
            }
        }
        for needed in of.attributes.iter().filter(|attribute| attribute.is_required) {
            let is_it = |id| document.name(id).is_some_and(|name| name.space.is_empty() && *name.local == *needed.name);
            if !document.attributes(node).any(is_it) {
                let text = format!("{} must have the attribute {}.", document.written(node), needed.name);
                self.tell(FaultKind::Attribute, node, text);
            }
        }
    }

    fn value(&mut self, id: NodeId, known: &Attribute) {
        let text = self.document.text(id);
        let fixed = known.fixed.as_deref().filter(|fixed| known.value.spaced(&text) != *fixed);
        if let Some(wanted) = known.value.fault(&text).or_else(|| fixed.map(str::to_owned)) {
            self.tell(FaultKind::Value, id, format!("The attribute {} must be {wanted}.", known.name));
        }
    }

    fn no_text(&mut self, node: NodeId) {
        let document = self.document;
        let is_text = |id: &NodeId| document.kind(*id) == Kind::Text && !document.text(*id).chars().all(is_space);
        if self.nodes(node).any(|id| is_text(&id)) {
            let text = format!("{} may not have text beside its elements.", document.written(node));
            self.tell(FaultKind::Element, node, text);
        }
    }

    /// No schema has a choice of ways to read the same elements, so each goes to the first part that it fits.
    fn sequence(&mut self, node: NodeId, parts: &'a [Part]) {
        let mut children = self.elements(node).peekable();
        // The part that took the last element, and the parts that may follow it.
        let mut open = parts;
        for (place, part) in parts.iter().enumerate() {
            let mut count = 0;
            while let Some(child) = children.next_if(|&child| count < part.most && self.fits(part, child)) {
                count += 1;
                open = parts.get(place + usize::from(count == part.most)..).unwrap_or_default();
                self.inner(child, part);
            }
            if count < part.least {
                let next = children.peek().copied();
                let later = parts.get(place + 1..).unwrap_or_default();
                if let Some(child) = next.filter(|&child| !later.iter().any(|part| self.fits(part, child))) {
                    return self.not_here(child, open);
                }
                let before = next.map(|next| format!(" before {}", self.document.written(next)));
                let text = format!("{} is missing{}.", part.label, before.unwrap_or_default());
                self.tell(FaultKind::Element, next.unwrap_or(node), text);
            }
        }
        if let Some(child) = children.next() {
            self.not_here(child, open);
        }
    }

    fn choice(&mut self, node: NodeId, parts: &'a [Part]) {
        let mut children = self.elements(node);
        let Some(first) = children.next() else {
            let text = format!("{} must have {}.", self.document.written(node), names(parts));
            return self.tell(FaultKind::Element, node, text);
        };
        match parts.iter().find(|part| self.fits(part, first)) {
            Some(part) => self.inner(first, part),
            None => self.not_here(first, parts),
        }
        if let Some(second) = children.next() {
            self.not_here(second, &[]);
        }
    }

    fn fits(&self, part: &Part, child: NodeId) -> bool {
        match &part.wanted {
            Wanted::Element(symbol, _) => self.symbol(child) == Some(*symbol),
            Wanted::Other(space) => {
                self.document.name(child).is_some_and(|name| !name.space.is_empty() && *name.space != **space)
            }
        }
    }

    fn inner(&mut self, child: NodeId, part: &Part) {
        let of = match part.wanted {
            Wanted::Element(_, of) => Some(of),
            Wanted::Other(_) => self.declared(child),
        };
        if let Some(of) = of {
            self.element(child, of);
        }
    }

    fn not_here(&mut self, child: NodeId, allowed: &[Part]) {
        // Up to the next element that must be there.
        let end = allowed.iter().position(|part| part.least > 0).map_or(allowed.len(), |place| place + 1);
        let allowed = allowed.get(..end).unwrap_or_default();
        let instead = if allowed.is_empty() { String::new() } else { format!(" Allowed: {}.", names(allowed)) };
        let text = format!("{} is not allowed here.{instead}", self.document.written(child));
        self.tell(FaultKind::Element, child, text);
    }
}

/// The names of some elements, shortened.
fn names(parts: &[Part]) -> String {
    let names: Vec<&str> = parts.iter().map(|part| part.label.as_str()).take(NAMES).collect();
    names.join(", ") + if parts.len() > NAMES { ", …" } else { "" }
}
