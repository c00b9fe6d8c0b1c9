//! Reads texts at paths of local names.

use super::Identifier;
use crate::xml::{Document, NodeId};

/// Characters of a text that are told. Notes may be whole terms of delivery.
const TEXT: usize = 100_000;

pub(super) struct Reader<'a> {
    pub(super) document: &'a Document,
}

impl Reader<'_> {
    /// The elements at a path, in document order.
    pub(super) fn all(&self, from: NodeId, path: &str) -> Vec<NodeId> {
        self.document.at(from, path)
    }

    /// The first element at a path.
    pub(super) fn first(&self, from: NodeId, path: &str) -> Option<NodeId> {
        self.all(from, path).into_iter().next()
    }

    /// The first text at a path that is not empty.
    pub(super) fn text(&self, from: NodeId, path: &str) -> Option<String> {
        self.all(from, path).into_iter().find_map(|id| self.own(id))
    }

    /// The same as a date.
    pub(super) fn date(&self, from: NodeId, path: &str) -> Option<String> {
        self.text(from, path).map(date)
    }

    /// The text of an element.
    pub(super) fn own(&self, id: NodeId) -> Option<String> {
        let text: String = self.document.text(id).trim().chars().take(TEXT).collect();
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn attribute(&self, id: NodeId, name: &str) -> Option<String> {
        self.document.attributes(id).find(|&id| self.document.written(id) == name).and_then(|id| self.own(id))
    }

    /// The first identifier at a path, with its scheme.
    pub(super) fn identifier(&self, from: NodeId, path: &str) -> Option<Identifier> {
        self.identifiers(from, path).into_iter().next()
    }

    pub(super) fn identifiers(&self, from: NodeId, path: &str) -> Vec<Identifier> {
        self.all(from, path).into_iter().filter_map(|id| self.identified(id, "schemeID")).collect()
    }

    /// An element as an identifier of the scheme that an attribute names.
    pub(super) fn identified(&self, id: NodeId, scheme: &str) -> Option<Identifier> {
        Some(Identifier { value: self.own(id)?, scheme: self.attribute(id, scheme) })
    }

    /// The text of the amount in a currency. An amount that names none is in any.
    pub(super) fn amount_in(&self, amounts: &[NodeId], currency: Option<&str>) -> Option<String> {
        let is_in = |id: &&NodeId| {
            let own = self.attribute(**id, "currencyID");
            own.is_none_or(|own| currency.is_none_or(|currency| own == currency))
        };
        amounts.iter().find(is_in).and_then(|&id| self.own(id))
    }
}

/// CII writes `20261129`.
pub(super) fn date(written: String) -> String {
    let is_short = written.len() == 8 && written.bytes().all(|byte| byte.is_ascii_digit());
    match (written.get(..4), written.get(4..6), written.get(6..)) {
        (Some(year), Some(month), Some(day)) if is_short => format!("{year}-{month}-{day}"),
        _ => written,
    }
}
