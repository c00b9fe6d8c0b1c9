//! Tables without rules around their cells: words that align in columns over several lines.

mod cells;
mod heads;
mod rows;
mod texts;

use docmill_pdf_core::pdfium::Rect;

use self::cells::cells;
use self::rows::{Piece, overlap, run, size_of, visual_rows};
use super::super::order::Line;
use super::super::rules::Horizontal;
use super::super::words::Word;
use super::{Cell, Table, is_number};

/// The least gap between columns, in ems.
const COLUMN_GAP: f32 = 0.7;
/// The same where a row has one cell above or below each of another: words are closer.
const CLOSE: f32 = 0.42;
/// The same where all rows leave a column white.
const WHITE: f32 = 0.36;
/// The least rows with words on both sides of a white column.
const WHITE_ROWS: usize = 4;
/// More than lines of one cell are apart, in points.
const PADDING: f32 = 2.0;
/// The most lines that can cross the gap between two columns: cells over both.
const CROSSING: f32 = 0.12;
/// The least rows with a cell on both sides of two columns that are as close as words.
const BESIDE: usize = 4;
/// Lines of which so many have signs of formulas are no table.
const FORMULAS: f32 = 0.34;
/// Signs of the font Symbol that stand in tables, too: degrees, plus or minus, comparisons, bullets, Greek units.
const PLAIN_SIGNS: [char; 7] = ['\u{f0b0}', '\u{f0b1}', '\u{f0a3}', '\u{f0b3}', '\u{f0b7}', '\u{f06d}', '\u{f057}'];
/// Cells in the line of a typewriter's table at least: fewer are found in programs and letters.
const TYPED_CELLS: usize = 4;

/// A table of numbers has so many rows and columns at least, this share of the lines and of its cells, and begins within so many lines.
const LEAST: usize = 3;
const MOST: f32 = 0.7;
const FILLED: f32 = 0.5;
const HEADERS: usize = 8;

/// Lines that are a table.
pub(crate) struct Aligned {
    pub lines: usize,
    /// How many lines above it are its first rows.
    pub above: usize,
    pub area: Rect,
    pub table: Table,
}

/// Where a table may be.
pub(crate) struct Surroundings<'s> {
    /// The lines above, up to another table.
    pub above: &'s [Line],
    /// How far apart lines of text are, in ems.
    pub leading: f32,
    /// Those that part rows.
    pub rules: &'s [Horizontal],
}

/// The table that begins with the first of these lines.
pub(crate) fn aligned<'l>(
    lines: impl Iterator<Item = &'l Line> + Clone,
    Surroundings { above, leading, rules }: &Surroundings<'_>,
) -> Option<Aligned> {
    let (rows, taken) = run(visual_rows(lines), *leading)?;
    let mut rows = at_white_columns(rows);
    let columns = columns(&rows);
    if columns.len() < 2 || !is_table(&rows, &columns) {
        return None;
    }
    let head = heads::above(above, &rows, &columns, rules);
    let above = head.len();
    rows.splice(0..0, head);
    let area = rows.iter().flatten().map(|piece| piece.area).reduce(|a, b| a.union(&b))?;
    let table = cells(rows, above, &columns, *leading, rules);
    (table.rows.len() >= 2).then_some(Aligned { lines: taken, above, area, table })
}

/// Whether most of these lines are rows of a table, half of whose cells have numbers or signs alone.
pub(crate) fn is_of_numbers(lines: &[Line]) -> bool {
    let around = Surroundings { above: &[], leading: 1.0, rules: &[] };
    let starts = 0..lines.len().min(HEADERS);
    let from = |at: usize| lines.get(at..).and_then(|lines| Some((lines.len(), aligned(lines.iter(), &around)?)));
    let Some((left, Aligned { lines: taken, table, .. })) = starts.into_iter().find_map(from) else { return false };
    let cells: Vec<&Cell> = table.rows.iter().flatten().filter(|cell| !cell.lines.is_empty()).collect();
    let (rows, columns) = (table.rows.len(), table.starts.len());
    let numbers = cells.iter().filter(|cell| !cell.text().chars().any(char::is_alphabetic)).count();
    rows >= LEAST
        && columns >= LEAST
        && taken as f32 >= left as f32 * MOST
        && cells.len() as f32 >= (rows * columns) as f32 * FILLED
        && numbers * 2 >= cells.len()
}

/// Whether a line is a row of cells by itself, even if it is as close to the line above as those of a paragraph are.
pub(crate) fn is_typed_row(line: &Line) -> bool {
    line.all(|word| word.font.fixed) && rows::cell_count(line) >= TYPED_CELLS
}

pub(crate) use rows::is_typed_rule;

/// Parts pieces where all rows below the first leave a column white.
fn at_white_columns(rows: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let size = rows.iter().flatten().map(size_of).fold(0.0, f32::max);
    let white = white_columns(rows.get(1..).unwrap_or_default(), size * WHITE);
    if white.is_empty() {
        return rows;
    }
    let is_parted = |left: &Word, right: &Word| {
        let is_between = |middle: &f32| left.area.x1 < *middle && *middle < right.area.x0;
        let are_numbers = [left, right].into_iter().all(|word| is_number(std::slice::from_ref(word)));
        let least = if are_numbers { WHITE } else { rows::least_gap(right, WHITE) };
        !rows::is_sign(&left.text) && right.area.x0 - left.area.x1 >= size * least && white.iter().any(is_between)
    };
    let parts = |piece: Piece| {
        let parts = piece.words.chunk_by(|left, right| !is_parted(left, right));
        let part = |words: &[Word]| {
            let area = words.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
            Some(Piece { area, words: words.to_vec() })
        };
        parts.filter_map(part).collect::<Vec<_>>()
    };
    rows.into_iter().map(|row| row.into_iter().flat_map(parts).collect()).collect()
}

/// The middles of columns of this width that no row has a word in, and several have words on both sides of.
fn white_columns(rows: &[Vec<Piece>], least: f32) -> Vec<f32> {
    let words = |row: &[Piece]| {
        row.iter().flat_map(|piece| &piece.words).map(|word| (word.area.x0, word.area.x1)).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<(f32, f32)>> = rows.iter().map(|row| words(row)).collect();
    let mut spans: Vec<(f32, f32)> = rows.concat();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut end = f32::MAX;
    let mut white = Vec::new();
    for (from, to) in spans {
        if from - end >= least {
            white.push(f32::midpoint(end, from));
        }
        end = if end == f32::MAX { to } else { end.max(to) };
    }
    let has_both = |middle: f32, row: &[(f32, f32)]| {
        row.iter().any(|(_, to)| *to < middle) && row.iter().any(|(from, _)| *from > middle)
    };
    white.retain(|middle| rows.iter().filter(|row| has_both(*middle, row)).count() >= WHITE_ROWS);
    white
}

/// Where columns begin and end: between them is space on nearly all lines.
fn columns(rows: &[Vec<Piece>]) -> Vec<(f32, f32)> {
    let full = rows.iter().map(Vec::len).max().unwrap_or(0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
    let most = (rows.len() as f32 * CROSSING) as usize + usize::from(rows.len() >= 4);
    // Where pieces begin (`true`) and end.
    let mut ends: Vec<(f32, bool)> =
        rows.iter().flatten().flat_map(|piece| [(piece.area.x0, true), (piece.area.x1, false)]).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let widest = |allowed: usize| {
        let mut columns: Vec<(f32, f32)> = Vec::new();
        let (mut depth, mut start) = (0usize, 0.0);
        for (x, begins) in &ends {
            let before = depth;
            depth = if *begins { depth + 1 } else { depth.saturating_sub(1) };
            if before <= allowed && depth > allowed {
                start = *x;
            } else if before > allowed && depth <= allowed {
                columns.push((start, *x));
            }
        }
        let size = rows.iter().flatten().flat_map(|piece| &piece.words).map(|word| word.size).fold(0.0, f32::max);
        let is_over = |piece: &Piece, span: &(f32, f32)| overlap(*span, &piece.area) > 0.0;
        let has_both = |row: &&Vec<Piece>, left: &(f32, f32), right: &(f32, f32)| {
            row.windows(2).any(|pair| matches!(pair, [a, b] if is_over(a, left) && is_over(b, right)))
        };
        columns.dedup_by(|next, last| {
            let joined = next.0 - last.1 < size * COLUMN_GAP * 0.6
                && rows.iter().filter(|row| has_both(row, last, next)).count() < BESIDE;
            if joined {
                last.1 = next.1;
            }
            joined
        });
        columns
    };
    // Spaces that no line crosses, unless there are rows with more cells than that.
    let clear = widest(0);
    if clear.len() >= full || most == 0 {
        return clear;
    }
    let crossed = widest(most);
    if crossed.len() > clear.len() && crossed.len() <= full { crossed } else { clear }
}

/// Whether the lines are more than text that happens to align.
fn is_table(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let several = rows.iter().filter(|row| row.len() >= 2).count();
    let wide = rows.iter().filter(|row| row.len() * 2 > columns.len()).count();
    if several * 2 < rows.len() || wide * 3 < rows.len() || several < 2 || several == 2 && columns.len() < 3 {
        return false;
    }
    let formulas = rows.iter().filter(|row| row.iter().flat_map(|piece| &piece.words).any(is_of_formula)).count();
    if formulas >= 2 && formulas as f32 >= rows.len() as f32 * FORMULAS {
        return false;
    }
    !texts::are_texts(rows, columns)
}

/// Whether a word has a sign of formulas: in the font Symbol, or a letter for mathematics.
fn is_of_formula(word: &Word) -> bool {
    let is_symbol = word.font.name.starts_with("Symbol") || word.font.name.starts_with("MT-Extra");
    word.text.chars().any(|c| {
        matches!(c, '\u{1d400}'..='\u{1d7ff}')
            || is_symbol && matches!(c, '\u{f020}'..='\u{f0ff}') && !PLAIN_SIGNS.contains(&c)
    })
}

#[cfg(test)]
mod tests;
