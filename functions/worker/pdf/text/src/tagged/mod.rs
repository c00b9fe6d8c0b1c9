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
    /// In the order of reading.
    pub nodes: Vec<Node>,
    /// Pieces that several elements claim.
    pub claimed_twice: usize,
}

/// An element of the document, the same on all pages that it is on.
pub type Element = u32;

/// A part of a page: the words whose tag has this number.
pub type Part = u32;

/// What is on a page by its tags.
#[derive(Debug, Serialize, Deserialize)]
pub enum Node {
    /// A block of text.
    Text {
        /// What it is.
        role: Role,
        /// The element that it is, or is a part of.
        of: Element,
        /// Its words.
        part: Part,
    },
    /// The number or bullet of the item that follows.
    Label {
        /// Its words.
        part: Part,
    },
    /// A table, or the part of one on this page.
    Table {
        /// The element that it is, or is a part of.
        of: Element,
        /// In their order.
        rows: Vec<Vec<Cell>>,
    },
}

/// What a block is by its tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Of the document.
    Title,
    /// With its level, from 1.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// With its depth, from 0.
    Item(u8),
    /// Of a table or figure.
    Caption,
    /// A footnote or endnote.
    Note,
    /// A program's text.
    Code,
    /// Mathematics.
    Formula,
    /// A table.
    Table,
}

/// A cell of a tagged table.
#[derive(Debug, Serialize, Deserialize)]
pub struct Cell {
    /// Its words.
    pub part: Part,
    /// Whether it heads a row or column.
    pub header: bool,
    /// How many it spans.
    pub rows: u16,
    /// How many it spans.
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
    /// What it is.
    pub role: Role,
    /// The element that it is, or is a part of.
    pub of: Element,
}

#[cfg(test)]
mod tests;
