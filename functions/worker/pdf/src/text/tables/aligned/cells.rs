//! The cells of rows: pieces in one column that are as close as lines of text are one.

use super::super::super::rules::Horizontal;
use super::super::super::words::Word;
use super::super::{Cell, Table};
use super::PADDING;
use super::rows::{Piece, overlap, size_of};
use crate::pdfium::Rect;

/// The fewest numbers of a column of numbers.
const LEAST_NUMBERS: usize = 3;

/// Part of a cell: lines of one column that are as close as lines of text.
struct Chunk {
    column: usize,
    columns: usize,
    y0: f32,
    y1: f32,
    words: Vec<Word>,
}

pub(super) fn cells(rows: Vec<Vec<Piece>>, columns: &[(f32, f32)], leading: f32, rules: &[Horizontal]) -> Table {
    let by_line = is_by_line(&rows, columns, leading, rules);
    let numbered = with_numbers(&rows, columns);
    let mut chunks: Vec<Chunk> = Vec::new();
    let pieces =
        rows.into_iter().zip(numbered).flat_map(|(row, numbered)| row.into_iter().map(move |piece| (piece, numbered)));
    for (piece, numbered) in pieces {
        let (column, wide) = place(&piece.area, columns);
        let size = size_of(&piece);
        let y = piece.area.center().1;
        let above = chunks.iter_mut().rev().find(|chunk| chunk.column == column);
        match above {
            Some(chunk)
                if chunk.columns == wide
                    && (same_line(chunk, &piece.area)
                        || !by_line
                            && !numbered
                            && y - last_y(chunk) < size * leading + PADDING
                            && !is_parted(last_y(chunk), y, &piece.area, rules)) =>
            {
                chunk.y0 = chunk.y0.min(piece.area.y0);
                chunk.y1 = chunk.y1.max(piece.area.y1);
                chunk.words.extend(piece.words);
            }
            Some(_) | None => {
                chunks.push(Chunk { column, columns: wide, y0: piece.area.y0, y1: piece.area.y1, words: piece.words })
            }
        }
    }
    let mut table = Table { starts: columns.iter().map(|column| column.0).collect(), ..Table::default() };
    for row in grouped(chunks) {
        table.rows.push(filled(row, columns.len()));
    }
    join_headers(&mut table);
    table
}

/// Joins columns of which one has only the headers and the next only what is below them, since they align otherwise.
fn join_headers(table: &mut Table) {
    let is_plain = |row: &Vec<Cell>| row.iter().all(|cell| cell.columns == 1);
    let mut at = 0;
    while at + 1 < table.starts.len() && table.rows.iter().all(is_plain) {
        let filled = |row: &Vec<Cell>, at: usize| row.get(at).is_some_and(|cell| !cell.lines.is_empty());
        let both = table.rows.iter().any(|row| filled(row, at) && filled(row, at + 1));
        let count = |at: usize| table.rows.iter().filter(|row| filled(row, at)).count();
        let headers = |at: usize| table.rows.iter().take(2).filter(|row| filled(row, at)).count();
        let is_header = |at: usize| count(at) == headers(at);
        if both || !is_header(at) && !is_header(at + 1) {
            at += 1;
            continue;
        }
        for row in &mut table.rows {
            let next = row.remove(at + 1);
            if let Some(cell) = row.get_mut(at).filter(|cell| cell.lines.is_empty()) {
                *cell = next;
            }
        }
        table.starts.remove(at + 1);
    }
}

fn same_line(chunk: &Chunk, area: &Rect) -> bool {
    (last_y(chunk) - area.center().1).abs() < area.height() * 0.3
}

fn last_y(chunk: &Chunk) -> f32 {
    chunk.words.last().map_or(chunk.y1, |word| word.area.center().1)
}

/// Whether a rule lies between two lines.
fn is_parted(above: f32, below: f32, area: &Rect, rules: &[Horizontal]) -> bool {
    rules
        .iter()
        .any(|rule| above < rule.y && rule.y < below && rule.x0 <= area.center().0 && area.center().0 <= rule.x1)
}

/// Whether each line is a row. That is so where lines that are as close as text have cells in most columns, the first included.
fn is_by_line(rows: &[Vec<Piece>], columns: &[(f32, f32)], leading: f32, rules: &[Horizontal]) -> bool {
    let (mut close, mut full) = (0, 0);
    for pair in rows.windows(2) {
        let [above, below] = pair else { continue };
        let (Some(a), Some(b)) = (above.first(), below.first()) else { continue };
        let size = size_of(b);
        let (y0, y1) = (a.area.center().1, b.area.center().1);
        if y1 - y0 < size * leading + PADDING && !is_parted(y0, y1, &b.area, rules) {
            close += 1;
            let is_first = |piece: &Piece| place(&piece.area, columns).0 == 0;
            full += usize::from(below.len() * 4 >= columns.len() * 3 && is_first(b) && is_first(a));
        }
    }
    full * 5 >= close * 4
}

/// For each line whether it has something in the first column and a number in a column of numbers: such lines are rows, since
/// numbers are not broken over lines.
fn with_numbers(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> Vec<bool> {
    let column = |piece: &Piece| place(&piece.area, columns).0;
    let mut counts = vec![(0, 0); columns.len()];
    // The first line has headers.
    for piece in rows.iter().skip(1).flatten() {
        if let Some((all, numbers)) = counts.get_mut(column(piece)) {
            *all += 1;
            *numbers += usize::from(is_number(piece));
        }
    }
    let of_numbers = |at: usize| {
        counts.get(at).is_some_and(|(all, numbers)| at > 0 && *numbers >= LEAST_NUMBERS && numbers * 5 >= all * 4)
    };
    let is_row = |row: &Vec<Piece>| {
        row.iter().any(|piece| column(piece) == 0)
            && row.iter().any(|piece| is_number(piece) && of_numbers(column(piece)))
    };
    rows.iter().map(is_row).collect()
}

/// Whether a piece is a number, perhaps with a sign or a currency.
fn is_number(piece: &Piece) -> bool {
    let mut characters = piece.words.iter().flat_map(|word| word.text.chars());
    let is_part = |c: char| {
        c.is_numeric()
            || matches!(c, '.' | ',' | '-' | '−' | '–' | '+' | '%' | '(' | ')' | '\'' | '’' | '$' | '€' | '£' | '¥')
    };
    characters.clone().any(char::is_numeric) && characters.all(is_part)
}

/// The column in which a piece begins, and how many it lies over.
fn place(area: &Rect, columns: &[(f32, f32)]) -> (usize, usize) {
    let over = |span: &(f32, f32)| overlap(*span, area) > 0.0;
    let Some(first) = columns.iter().position(over) else {
        let nearest = |span: &(f32, f32)| (area.center().0 - f32::midpoint(span.0, span.1)).abs();
        let best = columns.iter().enumerate().min_by(|a, b| nearest(a.1).total_cmp(&nearest(b.1)));
        return (best.map_or(0, |(at, _)| at), 1);
    };
    (first, columns.iter().skip(first).take_while(|span| over(span)).count().max(1))
}

/// Chunks that stand beside each other, from top to bottom.
fn grouped(mut chunks: Vec<Chunk>) -> Vec<Vec<Chunk>> {
    chunks.sort_by(|a, b| f32::midpoint(a.y0, a.y1).total_cmp(&f32::midpoint(b.y0, b.y1)));
    let mut rows: Vec<(f32, f32, Vec<Chunk>)> = Vec::new();
    for chunk in chunks {
        let beside = rows.iter_mut().rev().take(3).find(|(y0, y1, members)| {
            let shared = y1.min(chunk.y1) - y0.max(chunk.y0);
            shared > (y1 - y0).min(chunk.y1 - chunk.y0) * 0.5
                && members.iter().all(|other| other.column != chunk.column)
        });
        match beside {
            Some((y0, y1, members)) => {
                (*y0, *y1) = (y0.min(chunk.y0), y1.max(chunk.y1));
                members.push(chunk);
            }
            None => rows.push((chunk.y0, chunk.y1, vec![chunk])),
        }
    }
    rows.into_iter().map(|(_, _, members)| members).collect()
}

/// A row with its empty cells.
fn filled(mut row: Vec<Chunk>, columns: usize) -> Vec<Cell> {
    row.sort_by_key(|chunk| chunk.column);
    let mut cells = Vec::new();
    let mut at = 0;
    for chunk in row {
        while at < chunk.column {
            cells.push(Cell::of(Vec::new()));
            at += 1;
        }
        at = chunk.column + chunk.columns;
        cells.push(Cell { columns: chunk.columns, ..Cell::of(chunk.words) });
    }
    while at < columns {
        cells.push(Cell::of(Vec::new()));
        at += 1;
    }
    cells
}
