//! Headers over several columns, which stand in the middle of them.

use docmill_pdf_core::pdfium::Rect;

use super::super::super::order::Line;
use super::super::super::rules::Horizontal;
use super::super::super::words::Word;
use super::cells::place;
use super::rows::{Piece, least_gap, overlap, size_of};

/// The share of columns with a cell in a row below headers over several.
const FULL: f32 = 0.7;
/// How far the middle of a header may be from that of its columns, as a share of their width.
const OFF_MIDDLE: f32 = 0.12;
/// The most columns of a table whose headers are looked at, and the most headers of a line.
const COLUMNS: usize = 60;
/// How far a line may be above the table whose header it is, in ems, and how large it may be by the table's type.
const NEAR: f32 = 1.3;
const LARGER: f32 = 1.15;
/// The least gap between headers of two columns, in ems.
const HEADER_GAP: f32 = 0.5;
/// Most lines of headers above a table.
const MOST_LINES: usize = 8;
/// The second rule above the first row that is as wide as this share of the table is the table's top.
const TOP_RULES: usize = 2;
const WIDE: f32 = 0.8;
/// More words are a title.
const MOST_WORDS: usize = 8;

/// The columns of the pieces of each row that are headers over several: the first of them and their number, for each piece.
/// Empty for a row without such headers.
pub(super) fn spans(rows: &[Vec<Piece>], columns: &[(f32, f32)], rules: &[Horizontal]) -> Vec<Vec<(usize, usize)>> {
    let full = rows.iter().position(|row| row.len() as f32 >= columns.len() as f32 * FULL);
    let mut spans = vec![Vec::new(); rows.len()];
    for (row, spans) in rows.iter().zip(&mut spans).take(full.unwrap_or(0)) {
        *spans = over_rules(row, columns, rules).or_else(|| of_row(row, columns)).unwrap_or_default();
    }
    spans
}

/// The columns of each piece, if rules under some show that these are headers over several.
fn over_rules(row: &[Piece], columns: &[(f32, f32)], rules: &[Horizontal]) -> Option<Vec<(usize, usize)>> {
    let over = |from: f32, to: f32| {
        let first = columns.iter().position(|column| f32::midpoint(column.0, column.1) > from)?;
        let count = columns.iter().skip(first).take_while(|column| f32::midpoint(column.0, column.1) < to).count();
        (count > 0).then_some((first, count))
    };
    let ruled = |piece: &Piece| {
        let (x, y) = piece.area.center();
        let is_under =
            |rule: &&Horizontal| (y..piece.area.y1 + size_of(piece)).contains(&rule.y) && rule.x0 < x && x < rule.x1;
        let rule = rules.iter().filter(is_under).min_by(|a, b| a.y.total_cmp(&b.y))?;
        over(rule.x0, rule.x1).filter(|(_, count)| *count > 1 && *count < columns.len())
    };
    let spans: Vec<Option<(usize, usize)>> = row.iter().map(ruled).collect();
    if spans.iter().all(Option::is_none) {
        return None;
    }
    let spans = row.iter().zip(spans).map(|(piece, span)| span.unwrap_or_else(|| place(&piece.area, columns)));
    let spans: Vec<(usize, usize)> = spans.collect();
    spans.is_sorted_by(|a, b| a.0 + a.1 <= b.0).then_some(spans)
}

/// The lines above a table that are headers of its columns, from top to bottom: each word of them stands in a column, or they are
/// headers over several.
pub(super) fn above(
    lines: &[Line],
    rows: &[Vec<Piece>],
    columns: &[(f32, f32)],
    rules: &[Horizontal],
) -> Vec<Vec<Piece>> {
    let Some(mut below) = rows.first().and_then(|row| area_of(row)) else { return Vec::new() };
    let size = rows.iter().flatten().map(size_of).fold(0.0, f32::max);
    let table = (columns.first().map_or(0.0, |first| first.0), columns.last().map_or(0.0, |last| last.1));
    let mut left = TOP_RULES;
    let mut found: Vec<Vec<Piece>> = Vec::new();
    for line in lines.iter().rev().take(MOST_LINES) {
        left = left.saturating_sub(usize::from(is_ruled(line, &below, table, rules)));
        let is_near = below.y0 - line.area.y1 < size * NEAR && line.size() < size * LARGER;
        let Some(row) = (is_near && left > 0).then(|| in_columns(line, columns)).flatten() else { break };
        below = line.area;
        found.push(row);
    }
    while found.last().is_some_and(|row| is_title(row, columns)) {
        found.pop();
    }
    found.reverse();
    found
}

/// Whether a rule as wide as most of the table parts two lines.
fn is_ruled(above: &Line, below: &Rect, (from, to): (f32, f32), rules: &[Horizontal]) -> bool {
    let is_between = |rule: &&Horizontal| above.area.center().1 < rule.y && rule.y < below.center().1;
    rules.iter().filter(is_between).any(|rule| rule.x1.min(to) - rule.x0.max(from) > (to - from) * WIDE)
}

/// Whether a line stands over the first column alone, or in the middle of the table.
fn is_title(row: &[Piece], columns: &[(f32, f32)]) -> bool {
    let ([only], [first, second, .., last]) = (row, columns) else { return false };
    let off_middle = only.area.center().0 - f32::midpoint(first.0, last.1);
    overlap(*first, &only.area) > 0.0 && only.area.x0 < second.0 || off_middle.abs() < size_of(only)
}

/// The words of a line in each column, or the line as headers over several.
fn in_columns(line: &Line, columns: &[(f32, f32)]) -> Option<Vec<Piece>> {
    let row = vec![Piece { area: line.area, words: line.words.clone() }];
    if columns.len() <= 2 {
        return None;
    }
    parted(&row, columns).or_else(|| {
        let is_over = line.words.len() <= MOST_WORDS;
        (is_over && of_row(&row, columns).is_some_and(|spans| spans == [(1, columns.len() - 1)])).then_some(row)
    })
}

/// The words of a row in each column, if none reaches into the next one and all are further apart than words of a text.
pub(super) fn parted(row: &[Piece], columns: &[(f32, f32)]) -> Option<Vec<Piece>> {
    let mut words: Vec<&Word> = row.iter().flat_map(|piece| &piece.words).collect();
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let middles: Vec<f32> =
        columns.windows(2).filter_map(|pair| Some(f32::midpoint(pair.first()?.1, pair.get(1)?.0))).collect();
    let column = |x: f32| middles.partition_point(|middle| *middle <= x);
    let is_within = words.iter().all(|word| column(word.area.x0) == column(word.area.x1));
    let is_apart = words.windows(2).all(|pair| match pair {
        [a, b] => column(a.area.x0) == column(b.area.x0) || b.area.x0 - a.area.x1 >= b.size * least_gap(b, HEADER_GAP),
        _ => true,
    });
    if !is_within || !is_apart {
        return None;
    }
    words.chunk_by(|a, b| column(a.area.x0) == column(b.area.x0)).map(piece).collect()
}

fn piece(words: &[&Word]) -> Option<Piece> {
    let area = words.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
    Some(Piece { area, words: words.iter().map(|word| (*word).clone()).collect() })
}

fn area_of(row: &[Piece]) -> Option<Rect> {
    row.iter().map(|piece| piece.area).reduce(|a, b| a.union(&b))
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
        let off = |end: usize| columns.get(start..end).map_or(f32::INFINITY, |columns| off_middle(head, columns));
        let end = ends.min_by(|a, b| off(*a).total_cmp(&off(*b)))?;
        if off(end) > OFF_MIDDLE || end - start < 2 {
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
