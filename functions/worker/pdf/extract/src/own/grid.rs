//! Tables while they are read: cells find their places as those of HTML do, without covering each other.

use super::text::Text;

/// As many as a sheet has. Text of further ones is added to the last.
pub(super) const MOST_COLUMNS: usize = 16_384;

#[derive(Debug, Default)]
pub(super) struct Grid {
    pub(super) cells: Vec<GridCell>,
    /// Rows begun.
    rows: usize,
    columns: usize,
    column: usize,
    /// By column: the cell in or above the current row, and the row that ends it.
    covered: Vec<Cover>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Cover {
    cell: usize,
    until: usize,
}

#[derive(Debug)]
pub(super) struct GridCell {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) header: bool,
    pub(super) text: Text,
}

impl Grid {
    pub(super) fn next_row(&mut self) {
        self.rows += 1;
        self.column = 0;
    }

    fn row(&self) -> usize {
        self.rows.saturating_sub(1)
    }

    fn is_free(&self, column: usize) -> bool {
        self.covered.get(column).is_none_or(|cover| cover.until <= self.row())
    }

    /// Leaves places empty.
    pub(super) fn skip(&mut self, columns: usize) {
        self.column = self.column.saturating_add(columns).min(MOST_COLUMNS);
    }

    /// Goes to a column of the row.
    pub(super) fn seek(&mut self, column: usize) {
        self.column = column.min(MOST_COLUMNS);
    }

    /// Rows begun.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a cell in the next free place of the row. It covers fewer columns than it asks for if others are in its way.
    pub(super) fn cell(&mut self, columns: usize, rows: usize, header: bool, text: Text) {
        if self.rows == 0 {
            self.next_row();
        }
        while !self.is_free(self.column) {
            self.column += 1;
        }
        if self.column >= MOST_COLUMNS {
            if let Some(last) = self.cells.last_mut() {
                last.text.append(Text::plain(" "));
                last.text.append(text);
            }
            return;
        }
        let most = columns.clamp(1, MOST_COLUMNS - self.column);
        let free = (self.column..self.column + most).take_while(|column| self.is_free(*column)).count();
        let end = self.column + free;
        if self.covered.len() < end {
            self.covered.resize(end, Cover::default());
        }
        let row = self.row();
        let cover = Cover { cell: self.cells.len(), until: row.saturating_add(rows.max(1)) };
        self.covered.iter_mut().take(end).skip(self.column).for_each(|place| *place = cover);
        self.cells.push(GridCell { row, column: self.column, rows: rows.max(1), columns: free, header, text });
        self.column = end;
        self.columns = self.columns.max(end);
    }

    /// Lets the cell above the next place go on into this row. `false`: there is none.
    pub(super) fn extend(&mut self, columns: usize) -> bool {
        let row = self.row();
        let Some(above) = self.covered.get(self.column).filter(|cover| row > 0 && cover.until == row).copied() else {
            return false;
        };
        let Some(cell) = self.cells.get_mut(above.cell).filter(|cell| cell.column == self.column) else { return false };
        cell.rows += 1;
        let end = cell.column + cell.columns;
        for place in self.covered.iter_mut().take(end).skip(self.column) {
            place.until = row + 1;
        }
        self.column = end.max(self.column + columns.min(MOST_COLUMNS));
        true
    }

    /// Rows and columns of the whole table.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    pub(super) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| cell.text.is_blank())
    }

    /// The cells' text, in rows of tabs.
    pub(super) fn lines(&self) -> String {
        let mut whole = String::new();
        let mut before: Option<usize> = None;
        for cell in &self.cells {
            match before {
                Some(row) if row == cell.row => whole.push('\t'),
                Some(_) => whole.push('\n'),
                None => {}
            }
            before = Some(cell.row);
            whole.push_str(cell.text.to_plain().replace(['\n', '\t'], " ").trim());
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(grid: &Grid) -> Vec<(String, usize, usize, usize, usize)> {
        grid.cells.iter().map(|cell| (cell.text.to_plain(), cell.row, cell.column, cell.rows, cell.columns)).collect()
    }

    #[test]
    fn cells_never_cover_each_other() {
        let mut grid = Grid::default();
        grid.next_row();
        grid.cell(1, 2, true, Text::plain("a"));
        grid.cell(1, 1, true, Text::plain("b"));
        grid.cell(1, 3, true, Text::plain("c"));
        grid.next_row();
        grid.cell(5, 1, false, Text::plain("d"));
        grid.cell(1, 1, false, Text::plain("e"));
        assert_eq!(
            places(&grid),
            [
                ("a".to_owned(), 0, 0, 2, 1),
                ("b".to_owned(), 0, 1, 1, 1),
                ("c".to_owned(), 0, 2, 3, 1),
                ("d".to_owned(), 1, 1, 1, 1),
                ("e".to_owned(), 1, 3, 1, 1),
            ]
        );
        assert_eq!(grid.size(), (2, 4));
        assert_eq!(grid.lines(), "a\tb\tc\nd\te");
    }

    #[test]
    fn cells_go_on_below() {
        let mut grid = Grid::default();
        grid.next_row();
        grid.cell(2, 1, false, Text::plain("a"));
        grid.cell(1, 1, false, Text::plain("b"));
        grid.next_row();
        assert!(grid.extend(2));
        grid.cell(1, 1, false, Text::plain("c"));
        grid.next_row();
        grid.cell(1, 1, false, Text::plain("d"));
        assert!(!grid.extend(1), "the cell above begins elsewhere");
        assert_eq!(
            places(&grid),
            [
                ("a".to_owned(), 0, 0, 2, 2),
                ("b".to_owned(), 0, 2, 1, 1),
                ("c".to_owned(), 1, 2, 1, 1),
                ("d".to_owned(), 2, 0, 1, 1),
            ]
        );
    }
}
