//! How sure roles are: the share of blocks like this one that were right in strangers' documents.
//!
//! Rules find roles; small trees (`trees.rs`) say how often rules are right. `tests/extract/calibration.py` makes them, and knows the
//! same of a block as `seen.rs`.

mod seen;
mod trees;

use std::collections::HashMap;

use self::seen::Seen;
use crate::model::{Block, Document, Page, Reason, Role, TextSource};

/// A tree of tests.
enum Tree {
    /// If the feature is at most so much, the first, else the second.
    If(Feature, f64, &'static Self, &'static Self),
    /// So many were right.
    Is(f32),
}

/// What trees know of a block.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "trees may not ask for all")]
enum Feature {
    /// What the rule says that found the role.
    Rule,
    Words,
    /// Shares of its characters.
    Digits,
    Letters,
    /// Whether its last character ends a sentence, or is a colon.
    Ends,
    Colon,
    /// Whether its first character is a small or a capital letter.
    Lower,
    Capital,
    /// The share of its letters.
    Capitals,
    /// Whether some, or all, of it has another style.
    Styled,
    Bold,
    /// On how many pages it is.
    Pages,
    /// The blocks before and after it on the same page.
    Before(Near),
    After(Near),
    Table(OfTable),
}

/// What trees know of a neighbour.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "trees may not ask for all")]
enum Near {
    /// How far it is, in tenths of an inch.
    Gap,
    /// Whether it has the same role, or is a table.
    Same,
    IsTable,
}

/// What trees know of a table.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "trees may not ask for all")]
enum OfTable {
    Rows,
    Columns,
    /// The share of its places that have text, and of its cells that are over several.
    Filled,
    Spans,
    /// The share of its rows that have one text.
    Single,
    /// On average.
    CellWords,
    /// The share of its texts without letters.
    Numbers,
    /// How many texts the first column has, by its rows.
    First,
}

impl Tree {
    fn right(&self, seen: &Seen<'_>) -> f32 {
        match self {
            Self::If(feature, most, then, otherwise) => {
                if seen.value(*feature) <= *most {
                    then.right(seen)
                } else {
                    otherwise.right(seen)
                }
            }
            Self::Is(share) => *share,
        }
    }
}

/// Says how sure the roles of all blocks are. Roles that tags say are sure as they are.
pub(super) fn judge(document: &mut Document) {
    let sure: Vec<Option<f32>> = Seen::all(document).into_iter().map(|seen| seen.and_then(|seen| of(&seen))).collect();
    let of_page = |page: &Page| (page.number, if page.source == TextSource::Ocr { page.confidence } else { 1.0 });
    let read: HashMap<u32, f32> = document.pages.iter().map(of_page).collect();
    for (block, sure) in document.blocks.iter_mut().zip(sure) {
        if let Some(sure) = sure {
            let read = block.places.first().and_then(|place| read.get(&place.page));
            block.confidence = rounded(sure * read.copied().unwrap_or(1.0));
        }
    }
}

fn of(seen: &Seen<'_>) -> Option<f32> {
    Some(tree(seen.block)?.right(seen))
}

fn rounded(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn tree(block: &Block) -> Option<&'static Tree> {
    if block.reason == Reason::Structure {
        return None;
    }
    match block.role {
        Role::Title | Role::Heading { .. } => Some(&trees::HEADING),
        Role::Paragraph => Some(&trees::PARAGRAPH),
        Role::Item { .. } => Some(&trees::ITEM),
        Role::Table { .. } => Some(&trees::TABLE),
        Role::Code => Some(&trees::CODE),
        Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Caption { .. }
        | Role::Figure { .. }
        | Role::Formula
        | Role::FormField { .. } => None,
    }
}

#[cfg(test)]
mod tests;
