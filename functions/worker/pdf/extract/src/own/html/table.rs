//! Tables of data. Many others only place what is in them.

use scraper::node::Element;

use super::element::{NodeRef, is_named};

/// Whether a table has rows of data. `below`: without those of tables in it.
pub(super) fn is_data(table: NodeRef<'_>, element: &Element) -> bool {
    if matches!(element.attr("role"), Some("presentation" | "none")) {
        return false;
    }
    let (mut rows, mut most) = (0, 0);
    for (row, in_head) in self::rows(table) {
        let cells: Vec<_> = cells(row).collect();
        if in_head || cells.iter().any(|cell| is_named(*cell, "th")) {
            return true;
        }
        rows += 1;
        most = most.max(cells.len());
    }
    if table.children().any(|child| is_named(child, "caption")) {
        return true;
    }
    let places = |node: NodeRef<'_>| {
        node.value().as_element().is_some_and(|element| {
            matches!(element.name(), "table" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "form" | "blockquote" | "hr")
        })
    };
    rows > 1 && most > 1 && !table.descendants().skip(1).any(places)
}

/// The table's own rows, and whether each is in its head.
pub(super) fn rows(table: NodeRef<'_>) -> impl Iterator<Item = (NodeRef<'_>, bool)> {
    table.children().flat_map(|part| {
        let in_head = is_named(part, "thead");
        let is_part = in_head || is_named(part, "tbody") || is_named(part, "tfoot");
        let own = is_named(part, "tr").then_some(part);
        let below = is_part.then(|| part.children().filter(|child| is_named(*child, "tr"))).into_iter().flatten();
        own.into_iter().chain(below).map(move |row| (row, in_head))
    })
}

pub(super) fn cells(row: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    row.children().filter(|child| is_named(*child, "td") || is_named(*child, "th"))
}

/// How many rows and columns a cell covers. `rowspan="0"` goes to the end.
pub(super) fn spans(cell: &Element) -> (usize, usize) {
    let number = |name| cell.attr(name).and_then(|value| value.trim().parse::<usize>().ok());
    let rows = match number("rowspan") {
        Some(0) => usize::MAX,
        Some(rows) => rows,
        None => 1,
    };
    (rows, number("colspan").unwrap_or(1).clamp(1, 1_000))
}
