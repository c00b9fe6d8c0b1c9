//! Reads texts at paths of local names.

use super::Identifier;
use crate::xml::{Document, NodeId};

/// Characters of a text that are told. Notes may be whole terms of delivery.
const TEXT: usize = 100_000;

/// An element, or the place of one that is missing: nothing is found there.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    document: &'a Document,
    node: Option<NodeId>,
}

impl<'a> Element<'a> {
    pub(super) const fn new(document: &'a Document, node: NodeId) -> Self {
        Self { document, node: Some(node) }
    }

    /// The elements at a path, in document order.
    pub(super) fn all(self, path: &str) -> Vec<Self> {
        let found = self.node.map(|node| self.document.at(node, path)).unwrap_or_default();
        found.into_iter().map(|node| Self { node: Some(node), ..self }).collect()
    }

    /// The first element at a path.
    pub(super) fn first(self, path: &str) -> Option<Self> {
        self.all(path).into_iter().next()
    }

    /// The same, which may be missing.
    pub(super) fn at(self, path: &str) -> Self {
        self.first(path).unwrap_or(Self { node: None, ..self })
    }

    /// The first text at a path that is not empty.
    pub(super) fn text(self, path: &str) -> Option<String> {
        self.all(path).into_iter().find_map(Self::own)
    }

    /// The same as a date.
    pub(super) fn date(self, path: &str) -> Option<String> {
        self.text(path).map(date)
    }

    /// The text of the element itself.
    pub(super) fn own(self) -> Option<String> {
        let text = self.document.text(self.node?);
        let text = text.trim();
        if text.len() > TEXT {
            return Some(text.chars().take(TEXT).collect());
        }
        (!text.is_empty()).then(|| text.to_owned())
    }

    pub(super) fn attribute(self, name: &str) -> Option<String> {
        let mut attributes = self.document.attributes(self.node?);
        let found = attributes.find(|&attribute| self.document.written(attribute) == name)?;
        Self { node: Some(found), ..self }.own()
    }

    /// The first identifier at a path, with its scheme.
    pub(super) fn identifier(self, path: &str) -> Option<Identifier> {
        self.identifiers(path).into_iter().next()
    }

    pub(super) fn identifiers(self, path: &str) -> Vec<Identifier> {
        self.all(path).into_iter().filter_map(|element| element.identified("schemeID")).collect()
    }

    /// The element as an identifier of the scheme that an attribute names.
    pub(super) fn identified(self, scheme: &str) -> Option<Identifier> {
        Some(Identifier { value: self.own()?, scheme: self.attribute(scheme) })
    }
}

/// The text of the amount in a currency. An amount that names none is in any.
pub(super) fn amount_in(amounts: &[Element<'_>], currency: Option<&str>) -> Option<String> {
    let is_in = |amount: &&Element<'_>| {
        let own = amount.attribute("currencyID");
        own.is_none_or(|own| currency.is_none_or(|currency| own == currency))
    };
    amounts.iter().find(is_in).and_then(|amount| amount.own())
}

/// CII writes `20261129`.
pub(super) fn date(written: String) -> String {
    let is_short = written.len() == 8 && written.bytes().all(|byte| byte.is_ascii_digit());
    match (written.get(..4), written.get(4..6), written.get(6..)) {
        (Some(year), Some(month), Some(day)) if is_short => format!("{year}-{month}-{day}"),
        _ => written,
    }
}
