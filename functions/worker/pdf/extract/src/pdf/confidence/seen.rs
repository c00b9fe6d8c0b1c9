//! What the trees know of a block.

use std::collections::HashMap;
use std::mem::discriminant;

use super::{Feature, Near, OfTable};
use crate::model::{Block, Document, Id, Place, Role, Table};

/// Stands for a gap or a distance to nothing.
const NOTHING: f64 = -100.0;
const MOST: f64 = -99.0;
/// A tenth of an inch, in points.
const TENTH: f64 = 7.2;

/// A block, and what is around it.
pub(super) struct Seen<'d> {
    pub block: &'d Block,
    before: Option<&'d Block>,
    after: Option<&'d Block>,
    table: Option<&'d Table>,
}

impl<'d> Seen<'d> {
    /// The blocks of a document; `None`: no tree is asked.
    pub(super) fn all(document: &'d Document) -> Vec<Option<Self>> {
        let tables: HashMap<&str, &Table> = document.tables.iter().map(|table| (table.id.0.as_str(), table)).collect();
        let asked: Vec<(usize, &Block)> =
            document.blocks.iter().enumerate().filter(|(_, block)| is_asked(block)).collect();
        let mut all: Vec<Option<Self>> = document.blocks.iter().map(|_| None).collect();
        for (at, (number, block)) in asked.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|at| asked.get(at));
            let (before, after) = (before.map(|(_, block)| *block), asked.get(at + 1).map(|(_, block)| *block));
            let table =
                if let Role::Table { table: Id(id) } = &block.role { tables.get(id.as_str()).copied() } else { None };
            if let Some(seen) = all.get_mut(*number) {
                *seen = Some(Self { block, before, after, table });
            }
        }
        all
    }

    pub(super) fn value(&self, feature: Feature) -> f64 {
        match feature {
            Feature::Rule => f64::from(self.block.confidence),
            Feature::Words => count(self.block.text.split_whitespace()),
            Feature::Digits => self.share(|c| c.is_ascii_digit()),
            Feature::Letters => self.share(char::is_alphabetic),
            Feature::Ends => said(self.text().ends_with(['.', '!', '?', '…', '。'])),
            Feature::Colon => said(self.text().ends_with([':', '：'])),
            Feature::Lower => said(self.text().starts_with(char::is_lowercase)),
            Feature::Capital => said(self.text().starts_with(char::is_uppercase)),
            Feature::Capitals => {
                let count = |is: fn(char) -> bool| count(self.text().chars().filter(|c| is(*c)));
                count(char::is_uppercase) / count(char::is_alphabetic).max(1.0)
            }
            Feature::Styled => said(!self.block.spans.is_empty()),
            Feature::Bold => said(!self.block.spans.is_empty() && self.block.spans.iter().all(|span| span.bold)),
            Feature::Pages => count(self.block.places.iter()),
            Feature::Before(near) => self.near(near, Side::Before),
            Feature::After(near) => self.near(near, Side::After),
            Feature::Table(of) => self.table.map_or(0.0, |table| of_table(of, table)),
        }
    }

    fn text(&self) -> &str {
        self.block.text.trim()
    }

    fn share(&self, is: impl Fn(char) -> bool) -> f64 {
        count(self.text().chars().filter(|c| is(*c))) / count(self.text().chars()).max(1.0)
    }

    fn near(&self, near: Near, side: Side) -> f64 {
        let (other, own) = match side {
            Side::Before => (self.before.map(|other| (other, other.places.last())), self.block.places.first()),
            Side::After => (self.after.map(|other| (other, other.places.first())), self.block.places.last()),
        };
        let on_page = |(other, there): (&'d Block, Option<&'d Place>)| {
            let (here, there) = own.zip(there)?;
            (here.page == there.page).then_some((other, here.corners, there.corners))
        };
        let Some((other, here, there)) = other.and_then(on_page) else {
            return match near {
                Near::Gap => NOTHING,
                Near::Same | Near::IsTable => 0.0,
            };
        };
        let ([_, top, _, bottom], [_, other_top, _, other_bottom]) = (here, there);
        match (near, side) {
            (Near::Gap, Side::Before) => ((top - other_bottom) / TENTH).max(MOST),
            (Near::Gap, Side::After) => ((other_top - bottom) / TENTH).max(MOST),
            (Near::Same, _) => said(discriminant(&self.block.role) == discriminant(&other.role)),
            (Near::IsTable, _) => said(matches!(other.role, Role::Table { .. })),
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

/// Blocks that trees are asked about, or are neighbours of such ones.
fn is_asked(block: &Block) -> bool {
    !block.places.is_empty()
        && !matches!(
            block.role,
            Role::Header | Role::Footer | Role::Figure { .. } | Role::FormField { .. } | Role::Formula
        )
}

fn of_table(of: OfTable, table: &Table) -> f64 {
    let filled = || table.cells.iter().filter(|cell| !cell.text.is_empty());
    let (rows, of_filled) = (table.rows as f64, count(filled()).max(1.0));
    match of {
        OfTable::Rows => rows,
        OfTable::Columns => table.columns as f64,
        OfTable::Filled => count(filled()) / (rows * table.columns as f64).max(1.0),
        OfTable::Spans => {
            let wide = table.cells.iter().filter(|cell| cell.row_span > 1 || cell.column_span > 1);
            count(wide) / count(table.cells.iter()).max(1.0)
        }
        OfTable::Single => {
            let mut rows_of: HashMap<usize, usize> = HashMap::new();
            filled().for_each(|cell| *rows_of.entry(cell.row).or_default() += 1);
            count(rows_of.values().filter(|count| **count == 1)) / rows.max(1.0)
        }
        OfTable::CellWords => filled().map(|cell| count(cell.text.split_whitespace())).sum::<f64>() / of_filled,
        OfTable::Numbers => count(filled().filter(|cell| !cell.text.chars().any(char::is_alphabetic))) / of_filled,
        OfTable::First => count(filled().filter(|cell| cell.column == 0)) / rows.max(1.0),
    }
}

fn count<T>(all: impl Iterator<Item = T>) -> f64 {
    all.count() as f64
}

fn said(is: bool) -> f64 {
    if is { 1.0 } else { 0.0 }
}
