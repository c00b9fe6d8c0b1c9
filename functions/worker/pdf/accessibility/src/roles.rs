//! The types of elements, and what the role map makes of them.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document};

/// The standard types of ISO 32000-1:2008, 14.8.4, besides numbered headings.
const STANDARD: [&str; 45] = [
    "Annot",
    "Art",
    "BibEntry",
    "BlockQuote",
    "Caption",
    "Code",
    "Div",
    "Document",
    "Figure",
    "Form",
    "Formula",
    "H",
    "Index",
    "L",
    "LBody",
    "LI",
    "Lbl",
    "Link",
    "NonStruct",
    "Note",
    "P",
    "Part",
    "Private",
    "Quote",
    "RB",
    "RP",
    "RT",
    "Reference",
    "Ruby",
    "Sect",
    "Span",
    "TBody",
    "TD",
    "TFoot",
    "TH",
    "THead",
    "TOC",
    "TOCI",
    "TR",
    "Table",
    "WP",
    "WT",
    "Warichu",
    "Hn",
    "Artifact",
];

/// What a type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// One of the standard types.
    Standard {
        /// `Hn` for a numbered heading.
        name: &'static str,
        /// Of a numbered heading.
        level: Option<u32>,
        /// The role map gives it another meaning.
        remapped: bool,
    },
    /// Nothing says what it stands for.
    Unknown,
    /// The role map leads back to it. A standard type that is mapped to itself stays what it is.
    Circular(Option<&'static str>),
}

impl Role {
    /// The standard type; `Hn` for a numbered heading.
    pub fn standard(self) -> Option<&'static str> {
        match self {
            Self::Standard { name, .. } => Some(name),
            Self::Circular(name) => name,
            Self::Unknown => None,
        }
    }

    /// The level of a numbered heading.
    pub fn level(self) -> Option<u32> {
        match self {
            Self::Standard { level, .. } => level,
            Self::Unknown | Self::Circular(_) => None,
        }
    }
}

/// A document's role map.
#[derive(Debug, Default)]
pub struct Roles(HashMap<String, String>);

impl Roles {
    /// Of the root of a structure tree.
    pub fn read(document: &Document, root: &Dictionary) -> Self {
        let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        let map = document.child(root, b"RoleMap").into_iter().flatten();
        let pair =
            |(from, to): (&Vec<u8>, &lopdf::Object)| Some((text(from), text(document.resolve(to)?.as_name().ok()?)));
        Self(map.filter_map(pair).collect())
    }

    /// What a type stands for, by its name.
    pub fn of(&self, kind: &str) -> Role {
        if let Some((name, level)) = standard(kind) {
            let to = self.0.get(kind);
            return match to {
                Some(to) if to == kind => Role::Circular(Some(name)),
                to => Role::Standard { name, level, remapped: to.is_some() },
            };
        }
        let mut at = kind;
        for _ in 0..=self.0.len() {
            let Some(next) = self.0.get(at) else { return Role::Unknown };
            if let Some((name, level)) = standard(next) {
                return Role::Standard { name, level, remapped: false };
            }
            at = next;
        }
        Role::Circular(None)
    }
}

fn standard(kind: &str) -> Option<(&'static str, Option<u32>)> {
    let level = match kind.as_bytes() {
        [b'H', digit @ b'1'..=b'6'] => Some(u32::from(digit - b'0')),
        _ => None,
    };
    let name = if level.is_some() { "Hn" } else { kind };
    let known = STANDARD.iter().find(|known| **known == name)?;
    (level.is_some() || !matches!(kind, "Hn" | "Artifact")).then_some((known, level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_followed_to_standard_ones() {
        let pairs = [("Title", "Heading"), ("Heading", "H1"), ("P", "Span"), ("a", "b"), ("b", "a"), ("c", "Story")];
        let roles = Roles(pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).into());
        assert_eq!((roles.of("Title").standard(), roles.of("Title").level()), (Some("Hn"), Some(1)));
        assert_eq!(roles.of("P"), Role::Standard { name: "P", level: None, remapped: true });
        assert_eq!(
            (roles.of("a"), roles.of("c"), roles.of("H0")),
            (Role::Circular(None), Role::Unknown, Role::Unknown)
        );
        assert_eq!((roles.of("H6").level(), roles.of("H7")), (Some(6), Role::Unknown));
    }
}
