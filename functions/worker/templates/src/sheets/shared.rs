//! Formulas that cells share: one cell has it, and the others name it.

use std::collections::HashMap;

use docmill_package::markup::{Element, Markup, value};

use super::formula::{cell, column_number};
use super::references::copied;

/// A sheet's shared formulas, as the template has them: the row that has one may be hidden.
#[derive(Debug, Default)]
pub(super) struct Shared(HashMap<String, Vec<First>>);

/// The cell that has a shared formula.
#[derive(Debug)]
struct First {
    /// Row and column.
    place: (u32, u32),
    formula: String,
}

impl Shared {
    pub(super) fn read(markup: &Markup<'_>, source: &str) -> Self {
        let mut all: HashMap<String, Vec<First>> = HashMap::new();
        for (index, formula) in markup.named("f") {
            let Some(group) = group(source, formula) else { continue };
            let text = markup.text(index);
            let name = formula.parent.and_then(|around| value(source, markup.elements.get(around)?, "r"));
            if let Some(place) = name.as_deref().and_then(place).filter(|_| !text.is_empty()) {
                all.entry(group).or_default().push(First { place, formula: text });
            }
        }
        for group in all.values_mut() {
            group.sort_by_key(|first| first.place);
        }
        Self(all)
    }

    /// A group's formula for a cell of the template.
    pub(super) fn formula(&self, group: &str, name: &str) -> Option<String> {
        let own = place(name)?;
        let group = self.0.get(group)?;
        let before = group.partition_point(|first| first.place <= own).saturating_sub(1);
        let First { place: first, formula } = group.get(before)?;
        Some(copied(formula, i64::from(own.1) - i64::from(first.1), i64::from(own.0) - i64::from(first.0)))
    }
}

/// The group of a shared formula.
pub(super) fn group(source: &str, formula: &Element<'_>) -> Option<String> {
    value(source, formula, "si").filter(|_| value(source, formula, "t").as_deref() == Some("shared"))
}

fn place(name: &str) -> Option<(u32, u32)> {
    cell(name).map(|cell| (cell.row, column_number(cell.column)))
}
