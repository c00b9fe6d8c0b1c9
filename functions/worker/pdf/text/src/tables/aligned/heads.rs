//! Headers over several columns, which stand in the middle of them.

use docmill_pdf_core::pdfium::Rect;

use super::super::super::order::Line;
use super::rows::{Piece, overlap, size_of};

/// The share of columns with a cell in a row below headers over several.
const FULL: f32 = 0.7;
/// How far the middle of a header may be from that of its columns, as a share of their width.
const OFF_MIDDLE: f32 = 0.12;
/// The most columns of a table whose headers are looked at, and the most headers of a line.
const COLUMNS: usize = 60;
/// How far a line may be above the table whose header it is, in ems.
const NEAR: f32 = 1.3;
/// More words are a title.
const MOST_WORDS: usize = 8;

/// The columns of the pieces of each row that are headers over several: the first of them and their number, for each piece.
/// Empty for a row without such headers.
pub(super) fn spans(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> Vec<Vec<(usize, usize)>> {
    let full = rows.iter().position(|row| row.len() as f32 >= columns.len() as f32 * FULL);
    let mut spans = vec![Vec::new(); rows.len()];
    for (row, spans) in rows.iter().zip(&mut spans).take(full.unwrap_or(0)) {
        *spans = of_row(row, columns).unwrap_or_default();
    }
    spans
}

/// The line above a table as its first row, if it is a header over all columns but the first.
pub(super) fn above(line: &Line, rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> Option<Vec<Piece>> {
    let first = rows.first()?.iter().map(|piece| piece.area.y0).reduce(f32::min)?;
    let row = vec![Piece { area: line.area, words: line.words.clone() }];
    let size = line.words.first()?.size;
    let is_near = first - line.area.y1 < size * NEAR && columns.len() > 2 && line.words.len() <= MOST_WORDS;
    (is_near && of_row(&row, columns).is_some_and(|spans| spans == [(1, columns.len() - 1)])).then_some(row)
}

/// The columns of each piece, if all but the one over the first column are headers that share the columns after it between them.
fn of_row(row: &[Piece], columns: &[(f32, f32)]) -> Option<Vec<(usize, usize)>> {
    let is_first = |piece: &&Piece| columns.first().is_some_and(|span| overlap(*span, &piece.area) > 0.0);
    let own = row.iter().take_while(is_first).count();
    let heads = row.get(own..)?;
    let count = columns.len().checked_sub(1)?;
    if own > 1 || heads.is_empty() || heads.len() * 2 > count || columns.len() > COLUMNS {
        return None;
    }
    let mut spans = vec![(0, 1); own];
    let mut start = 1;
    for (at, head) in heads.iter().enumerate() {
        let ends = match heads.get(at + 1) {
            None => columns.len()..=columns.len(),
            // Each header after it has a column at least.
            Some(_) => start + 1..=columns.len() - (heads.len() - at - 1),
        };
        let end = ends
            .min_by(|a, b| off_middle(head, &columns[start..*a]).total_cmp(&off_middle(head, &columns[start..*b])))?;
        if off_middle(head, &columns[start..end]) > OFF_MIDDLE || end - start < 2 {
            return None;
        }
        spans.push((start, end - start));
        start = end;
    }
    Some(spans)
}

/// How far the middle of a header is from that of these columns, as a share of their width. Infinite if it is not over them.
fn off_middle(head: &Piece, columns: &[(f32, f32)]) -> f32 {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return f32::INFINITY };
    let Rect { x0, x1, .. } = head.area;
    let slack = size_of(head);
    if x0 < first.0 - slack || x1 > last.1 + slack {
        return f32::INFINITY;
    }
    (f32::midpoint(x0, x1) - f32::midpoint(first.0, last.1)).abs() / (last.1 - first.0)
}
