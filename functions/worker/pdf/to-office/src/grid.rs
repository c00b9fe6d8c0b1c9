//! The places of a table's rows, each covered by one cell.

use docmill_pdf_extract::model::{Cell, Table};

/// A part of a row as it is written.
#[derive(Debug)]
pub(crate) struct Place<'t> {
    /// `None`: the cell above reaches into the row, or nothing is there.
    pub cell: Option<&'t Cell>,
    pub column: usize,
    pub span: usize,
    pub merge: Merge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merge {
    No,
    /// It reaches over so many rows.
    Begins(usize),
    GoesOn,
}

/// The cell that reaches down into the next rows at a column.
#[derive(Clone, Copy)]
struct Reach {
    /// The row in which the column is free again.
    until: usize,
    span: usize,
    /// The row and the place where it begins.
    from: (usize, usize),
}

/// The places of each row from left to right, which cover all of it. No cell with text is covered by another one.
pub(crate) fn rows(table: &Table) -> Vec<Vec<Place<'_>>> {
    let mut reaches: Vec<Option<Reach>> = vec![None; table.columns];
    let mut rows: Vec<Vec<Place<'_>>> = Vec::with_capacity(table.rows);
    for (row, cells) in table.places().enumerate() {
        let mut places = Vec::new();
        let mut column = 0;
        while column < cells.len() {
            let reach = reaches.get(column).copied().flatten().filter(|reach| reach.until > row);
            let covers_other = |span: usize| cells.iter().skip(column).take(span).any(Option::is_some);
            if let Some(reach) = reach.filter(|reach| !covers_other(reach.span)) {
                let from = rows.get_mut(reach.from.0).and_then(|places| places.get_mut(reach.from.1));
                if let Some(from) = from {
                    from.merge = Merge::Begins(row + 1 - reach.from.0);
                }
                places.push(Place { cell: None, column, span: reach.span, merge: Merge::GoesOn });
                column += reach.span;
                continue;
            }
            let cell = cells.get(column).copied().flatten();
            let wanted = cell.map_or(1, |cell| cell.column_span.clamp(1, cells.len() - column));
            // Up to the next cell, or one that reaches down from above.
            let is_free = |at: &usize| {
                cells.get(*at).is_some_and(Option::is_none)
                    && reaches.get(*at).copied().flatten().is_none_or(|reach| reach.until <= row)
            };
            let span = 1 + (column + 1..column + wanted).take_while(is_free).count();
            let until = cell.map_or(1, |cell| cell.row_span.clamp(1, table.rows - row)) + row;
            if let Some(slot) = reaches.get_mut(column) {
                *slot = (until > row + 1).then_some(Reach { until, span, from: (row, places.len()) });
            }
            places.push(Place { cell, column, span, merge: Merge::No });
            column += span;
        }
        rows.push(places);
    }
    rows
}

/// How many rows at the start have nothing but headers.
pub(crate) fn headers(table: &Table) -> usize {
    let body = table.cells.iter().filter(|cell| !cell.header).map(|cell| cell.row).min();
    body.unwrap_or(usize::from(table.rows > 1))
}

#[cfg(test)]
mod tests {
    use docmill_pdf_extract::model::Id;

    use super::*;

    fn cell(row: usize, column: usize, spans: (usize, usize)) -> Cell {
        let (row_span, column_span) = spans;
        let text = format!("{row}{column}");
        Cell {
            row,
            column,
            row_span,
            column_span,
            header: row == 0,
            text,
            place: None,
            spans: Vec::new(),
            look: None,
            words: Vec::new(),
        }
    }

    fn written(cells: Vec<Cell>, rows: usize, columns: usize) -> Vec<Vec<(Option<String>, usize, Merge)>> {
        let table = Table { id: Id::table(1), rows, columns, cells };
        let place = |place: &Place<'_>| (place.cell.map(|cell| cell.text.clone()), place.span, place.merge);
        super::rows(&table).iter().map(|places| places.iter().map(place).collect()).collect()
    }

    #[test]
    fn spans_cover_rows_and_columns_and_never_other_cells() {
        let some = |text: &str| Some(text.to_owned());
        let rows = written(vec![cell(0, 0, (2, 1)), cell(0, 1, (1, 2)), cell(1, 1, (1, 1)), cell(2, 2, (1, 9))], 3, 3);
        assert_eq!(rows[0], [(some("00"), 1, Merge::Begins(2)), (some("01"), 2, Merge::No)]);
        assert_eq!(rows[1], [(None, 1, Merge::GoesOn), (some("11"), 1, Merge::No), (None, 1, Merge::No)]);
        assert_eq!(rows[2], [(None, 1, Merge::No), (None, 1, Merge::No), (some("22"), 1, Merge::No)]);
        // A cell that claims the place of another one.
        let rows = written(vec![cell(0, 0, (3, 2)), cell(1, 1, (1, 1))], 2, 2);
        assert_eq!(rows[0], [(some("00"), 2, Merge::No)]);
        assert_eq!(rows[1], [(None, 1, Merge::No), (some("11"), 1, Merge::No)]);
    }
}
