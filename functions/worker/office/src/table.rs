//! Separated values: how many columns a table has, and how wide they should be.
//!
//! LibreOffice makes each column as wide as its longest cell, up to a limit at which it cuts text. A title above the table would push
//! the second column off the page; here it spills over the empty cells beside it, and long text wraps.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Columns of a sheet since LibreOffice 7.4.
const MOST_COLUMNS: usize = 16_384;

/// Columns with longer cells wrap them, in characters.
const LONGEST: usize = 90;

/// Most titles that are looked at. A table with more lines of one cell is a list.
const MOST_TITLES: usize = 200;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Table {
    /// Of the widest row.
    pub(super) columns: usize,
    pub(super) titles: Vec<Title>,
    /// Columns that wrap their text, counted from 0.
    pub(super) wrapped: Vec<i32>,
}

/// A cell that is alone in its row, and longer than the cells of its column. Row and column are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Title {
    pub(super) row: i32,
    pub(super) column: i32,
    pub(super) text: String,
}

impl Table {
    /// Reads the file once.
    pub(super) fn read(path: &Path, separator: u8) -> io::Result<Self> {
        let mut rows =
            csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_path(path)?;
        let (mut record, mut columns, mut next_row) = (csv::ByteRecord::new(), 0, 0);
        let (mut titles, mut lengths) = (Vec::new(), Vec::<usize>::new());
        loop {
            let line = rows.position().line();
            if !rows.read_byte_record(&mut record).map_err(io::Error::other)? {
                break;
            }
            // The reader skips empty lines, which are rows too.
            let inner = record.iter().flatten().filter(|byte| **byte == b'\n').count() as u64;
            let skipped = rows.position().line().saturating_sub(line + inner + 1);
            let row = i32::try_from(skipped).unwrap_or(i32::MAX).saturating_add(next_row);
            next_row = row.saturating_add(1);
            columns = columns.max(record.len());
            let mut full = record.iter().enumerate().filter(|(_, cell)| !cell.trim_ascii().is_empty());
            match (full.next(), full.next()) {
                (Some((column, cell)), None) if titles.len() <= MOST_TITLES && !cell.contains(&b'\n') => {
                    let text = String::from_utf8_lossy(cell).into_owned();
                    titles.extend(i32::try_from(column).ok().map(|column| Title { row, column, text }));
                }
                _ => note_lengths(&record, &mut lengths),
            }
        }
        Ok(Self::of(columns.min(MOST_COLUMNS), titles, &lengths))
    }

    /// `lengths`: of the longest cell of each column, without titles.
    fn of(columns: usize, mut titles: Vec<Title>, lengths: &[usize]) -> Self {
        let length = |column: i32| usize::try_from(column).ok().and_then(|column| lengths.get(column)).copied();
        if titles.len() > MOST_TITLES {
            titles.clear();
        }
        titles.retain(|title| {
            let has_neighbour = usize::try_from(title.column).is_ok_and(|column| column + 1 < columns);
            has_neighbour && length(title.column).is_some_and(|longest| title.text.chars().count() > longest)
        });
        let wrapped = (0..).zip(lengths).filter(|(_, longest)| **longest > LONGEST).map(|(column, _)| column);
        Self { columns, titles, wrapped: wrapped.take(columns).collect() }
    }

    /// Whether columns have other widths than LibreOffice gives them.
    pub(super) fn is_fitted(&self) -> bool {
        !self.titles.is_empty() || !self.wrapped.is_empty()
    }
}

/// Counts the characters of each cell's longest line.
fn note_lengths(record: &csv::ByteRecord, lengths: &mut Vec<usize>) {
    for (column, cell) in record.iter().enumerate().take(MOST_COLUMNS) {
        let letters = |line: &[u8]| line.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        let length = cell.split(|byte| *byte == b'\n').map(letters).max().unwrap_or(0);
        if column == lengths.len() {
            lengths.push(0);
        }
        if let Some(longest) = lengths.get_mut(column) {
            *longest = length.max(*longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: impl AsRef<[u8]>) -> Table {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), content).unwrap();
        Table::read(file.path(), b';').unwrap()
    }

    #[test]
    fn the_widest_row_counts() {
        assert_eq!(read(b"a;b\n\"1;2\n3\";4;\xff\n5\n").columns, 3);
        assert_eq!(read("").columns, 0);
        assert_eq!(read(";".repeat(20_000)).columns, MOST_COLUMNS);
    }

    #[test]
    fn titles_are_alone_and_longer_than_their_column() {
        let table =
            read("Report of the year;;\n\n\na;b;c\n\"two\nlines\";2;3\nSum\n;Über alles, alone;\n;;last in the row\n");
        let title = |row, column, text: &str| Title { row, column, text: text.to_owned() };
        assert_eq!(table.titles, [title(0, 0, "Report of the year"), title(6, 1, "Über alles, alone")]);
        assert_eq!(read("a list\nof lines\n").titles, []);
        assert!(!read("a;b\n1;2\n").is_fitted());
    }

    #[test]
    fn columns_with_long_text_wrap() {
        let long = "word ".repeat(30);
        assert_eq!(read(format!("a;{long};c\n")).wrapped, [1]);
        assert_eq!(read(format!("{long}\na;b\n")).wrapped, [0_i32; 0], "a title");
        assert_eq!(read(format!("a;\"{}\"\n", "line\n".repeat(90))).wrapped, [0_i32; 0]);
    }

    #[test]
    fn fuzz_tables() {
        docmill_fuzz::fuzz("tables", &[], |bytes| {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("table.csv");
            std::fs::write(&path, bytes).unwrap();
            let separator = crate::import::guess_separator(&path).unwrap();
            Table::read(&path, separator).unwrap();
        });
    }
}
