//! Pages that are read by the tags of their document, where these are sound.

mod blocks;
mod judge;
mod lines;

use serde::{Deserialize, Serialize};

pub(super) use blocks::page_blocks;
pub(super) use judge::Census;

/// The structure of a page: what is on it, in the order of reading.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Structure {
    pub nodes: Vec<Node>,
    /// Pieces that several elements claim.
    pub claimed_twice: usize,
}

/// An element of the document, the same on all pages that it is on.
pub type Element = u32;

/// A part of a page: the words whose tag has this number.
pub type Part = u32;

#[derive(Debug, Serialize, Deserialize)]
pub enum Node {
    Text {
        role: Role,
        of: Element,
        part: Part,
    },
    /// The number or bullet of the item that follows.
    Label {
        part: Part,
    },
    Table {
        of: Element,
        rows: Vec<Vec<Cell>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    Title,
    Heading(u8),
    Paragraph,
    /// With its depth, from 0.
    Item(u8),
    Caption,
    Note,
    Code,
    Formula,
    Table,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Cell {
    pub part: Part,
    pub header: bool,
    pub rows: u16,
    pub columns: u16,
}

impl Node {
    /// All parts that it has.
    fn parts(&self) -> Vec<Part> {
        match self {
            Self::Text { part, .. } | Self::Label { part } => vec![*part],
            Self::Table { rows, .. } => rows.iter().flatten().map(|cell| cell.part).collect(),
        }
    }
}

/// What the tags say of a block.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tagged {
    pub role: Role,
    pub of: Element,
}

#[cfg(test)]
mod tests;
