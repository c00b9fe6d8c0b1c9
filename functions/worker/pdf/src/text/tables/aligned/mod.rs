//! Tables without rules around their cells: words that align in columns over several lines.

use crate::pdfium::Rect;

use super::super::order::Line;
use super::super::words::Word;
use super::ruled::Horizontal;
use super::{Cell, Table};

/// The least gap between the cells of a line that shows that it is a row, and between columns, in ems.
const CELL_GAP: f32 = 1.05;
const COLUMN_GAP: f32 = 0.7;
/// The same where all rows leave a column white, or a row has one cell above or below each of another: words are closer.
const CLOSE: f32 = 0.42;
const GAPS: [f32; 2] = [COLUMN_GAP, CLOSE];
/// Most lines of the headers above the first row.
const HEAD_LINES: usize = 3;
/// The middles of lines of text are further apart than that, in ems.
const ONE_ROW: f32 = 0.9;
/// Most lines of one row: a page of lines that all lie closer is no table, and would be read again from each of its lines.
const ROW_LINES: usize = 50;
/// The least rows with words on both sides of a white column.
const WHITE_ROWS: usize = 4;
/// The widest gap between rows, in ems.
const ROW_GAP: f32 = 1.9;
/// Type that is larger than the table's by this factor is a heading after it.
const LARGER: f32 = 1.15;
/// More than lines of one cell are apart, in points.
const PADDING: f32 = 2.0;
/// One of so many cells under a header may be empty.
const MOST_EMPTY: usize = 3;
/// The most lines that can cross the gap between two columns: cells over both.
const CROSSING: f32 = 0.12;
/// The share of the first column's cells that end with a colon in a list of names and values.
const NAMED: f32 = 0.6;

/// Lines that are a table.
pub(in crate::text) struct Aligned {
    pub lines: usize,
    pub area: Rect,
    pub table: Table,
}

/// Words of a line without a wide gap between them.
#[derive(Clone)]
struct Piece {
    area: Rect,
    words: Vec<Word>,
}

/// The table that begins with the first of these lines. `leading`: how far apart lines of text are, in ems. `rules`: those that
/// part rows.
pub(in crate::text) fn aligned<'l>(
    lines: impl Iterator<Item = &'l Line> + Clone,
    leading: f32,
    rules: &[Horizontal],
) -> Option<Aligned> {
    let (rows, taken) = run(visual_rows(lines), leading)?;
    let rows = at_white_columns(rows);
    let columns = columns(&rows);
    if columns.len() < 2 || !is_table(&rows, &columns) {
        return None;
    }
    let area = rows.iter().flatten().map(|piece| piece.area).reduce(|a, b| a.union(&b))?;
    let table = cells(rows, &columns, leading, rules);
    (table.rows.len() >= 2).then_some(Aligned { lines: taken, area, table })
}

fn pieces(line: &Line, gap: f32) -> Vec<Piece> {
    let mut words: Vec<&Word> = line.words.iter().collect();
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let mut pieces: Vec<Piece> = Vec::new();
    for word in words {
        match pieces.last_mut() {
            Some(piece) if word.area.x0 - piece.area.x1 < word.size * gap => {
                piece.area = piece.area.union(&word.area);
                piece.words.push(word.clone());
            }
            Some(_) | None => pieces.push(Piece { area: word.area, words: vec![word.clone()] }),
        }
    }
    pieces
}

/// The lines at the start that have several pieces each, or continue a cell.
fn run(mut lines: impl Iterator<Item = VisualRow> + Clone, leading: f32) -> Option<(Vec<Vec<Piece>>, usize)> {
    let mut rows: Vec<Vec<Piece>> = Vec::new();
    let mut occupied: Vec<(f32, f32)> = Vec::new();
    let mut above: Option<Line> = None;
    let mut has_head = false;
    // Without the single pieces at the end that continue no cell.
    let mut certain = 0;
    let mut counts: Vec<usize> = Vec::new();
    while let Some(VisualRow { line, count }) = lines.next() {
        let size = line.size();
        if above.as_ref().is_some_and(|above| line.area.y0 - above.area.y1 > size * ROW_GAP) {
            break;
        }
        let close = match rows.len() {
            0 => head(&line, lines.clone()),
            // Two lines of text with wide spaces may align by chance.
            1 if !has_head => None,
            _ => GAPS.into_iter().map(|gap| pieces(&line, gap)).find(|row| is_in_columns(row, &occupied)),
        };
        has_head |= close.is_some();
        let is_row = close.is_some() || pieces(&line, CELL_GAP).len() >= 2;
        let row = close.unwrap_or_else(|| pieces(&line, COLUMN_GAP));
        if !is_row {
            if rows.is_empty() {
                return None;
            }
            if above.as_ref().is_some_and(|above| size > above.size() * LARGER) {
                break;
            }
            let crossed = |piece: &Piece| occupied.iter().filter(|span| overlap(**span, &piece.area) > 0.0).count();
            if row.len() > 1 || row.iter().any(|piece| crossed(piece) != 1) {
                break;
            }
            let step = above.as_ref().map(|above| line.area.center().1 - above.area.center().1);
            let is_close = step.is_some_and(|step| step < size * leading + PADDING);
            // In the first column, text under the table looks like that, too.
            let is_first =
                row.iter().any(|piece| occupied.first().is_some_and(|span| overlap(*span, &piece.area) > 0.0));
            rows.push(row);
            if is_close && !is_first {
                certain = rows.len();
            }
        } else {
            let crosses = row
                .iter()
                .filter(|piece| occupied.iter().filter(|span| overlap(**span, &piece.area) > 0.0).count() > 1);
            if occupied.len() > 1 && crosses.count() == row.len() {
                break;
            }
            for piece in &row {
                occupy(&mut occupied, &piece.area, size);
            }
            rows.push(row);
            certain = rows.len();
        }
        above = Some(line);
        counts.push(count);
    }
    rows.truncate(certain);
    (rows.len() >= 2).then(|| (rows, counts.iter().take(certain).sum()))
}

/// Lines that are closer than those of text: the cells of a row whose texts have different numbers of lines, each in the middle of the row.
#[derive(Clone)]
struct VisualRow {
    line: Line,
    /// How many lines it is.
    count: usize,
}

fn visual_rows<'l>(lines: impl Iterator<Item = &'l Line> + Clone) -> impl Iterator<Item = VisualRow> + Clone {
    let is_one = |above: &Line, below: &Line| below.area.center().1 - above.area.center().1 < below.size() * ONE_ROW;
    let mut lines = lines.peekable();
    std::iter::repeat_with(move || {
        let mut last = lines.next()?;
        let mut row = VisualRow { line: last.clone(), count: 1 };
        while row.count < ROW_LINES
            && let Some(below) = lines.next_if(|below| is_one(last, below))
        {
            row.line.area = row.line.area.union(&below.area);
            row.line.words.extend(below.words.iter().cloned());
            row.count += 1;
            last = below;
        }
        Some(row)
    })
    .map_while(|row| row)
}

/// The cells of a line of headers, which may be close to each other. Some may go on in the lines between them and the first row.
fn head(line: &Line, below: impl Iterator<Item = VisualRow> + Clone) -> Option<Vec<Piece>> {
    GAPS.into_iter().find_map(|gap| {
        let row = pieces(line, gap);
        let mut below = below.clone().take(HEAD_LINES).map(|row| pieces(&row.line, gap));
        let first = below.find(|cells| are_apart(cells) || !is_below(cells, &row))?;
        is_head(&row, &first).then_some(row)
    })
}

fn are_apart(cells: &[Piece]) -> bool {
    cells.windows(2).any(|pair| match pair {
        [left, right] => right.area.x0 - left.area.x1 >= size_of(right) * CELL_GAP,
        _ => false,
    })
}

fn is_above(piece: &Piece, cell: &Piece) -> bool {
    overlap((piece.area.x0, piece.area.x1), &cell.area) > 0.0
}

/// Whether each of these pieces is below one of a row.
fn is_below(cells: &[Piece], row: &[Piece]) -> bool {
    cells.len() < row.len() && cells.iter().all(|cell| row.iter().filter(|piece| is_above(piece, cell)).count() == 1)
}

/// Whether a row has one cell above each of the row below, and few above nothing.
fn is_head(row: &[Piece], below: &[Piece]) -> bool {
    let under = |piece: &Piece| below.iter().filter(|cell| is_above(piece, cell)).count();
    let over = |cell: &Piece| row.iter().filter(|piece| is_above(piece, cell)).count();
    let empty = row.iter().filter(|piece| under(piece) == 0).count();
    are_apart(below)
        && below.iter().all(|cell| over(cell) == 1)
        && row.iter().all(|piece| under(piece) <= 1)
        && empty * MOST_EMPTY <= row.len()
}

/// Whether a line has several pieces, each in a column of its own.
fn is_in_columns(row: &[Piece], occupied: &[(f32, f32)]) -> bool {
    let column = |piece: &Piece| {
        let mut over = (0..).zip(occupied).filter(|(_, span)| overlap(**span, &piece.area) > 0.0);
        let first: Option<(usize, _)> = over.next();
        first.filter(|_| over.next().is_none()).map(|(at, _)| at)
    };
    let columns: Option<Vec<usize>> = row.iter().map(column).collect();
    row.len() >= 2 && columns.is_some_and(|columns| columns.is_sorted_by(|a, b| a < b))
}

fn size_of(piece: &Piece) -> f32 {
    piece.words.first().map_or(10.0, |word| word.size)
}

/// Parts pieces where all rows below the first leave a column white.
fn at_white_columns(rows: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let size = rows.iter().flatten().map(size_of).fold(0.0, f32::max);
    let white = white_columns(rows.get(1..).unwrap_or_default(), size * CLOSE);
    if white.is_empty() {
        return rows;
    }
    let is_parted = |left: &Word, right: &Word| {
        let is_between = |middle: &f32| left.area.x1 < *middle && *middle < right.area.x0;
        right.area.x0 - left.area.x1 >= size * CLOSE && white.iter().any(is_between)
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

fn overlap((from, to): (f32, f32), area: &Rect) -> f32 {
    to.min(area.x1) - from.max(area.x0)
}

/// Adds a piece to the columns so far, unless it lies over several.
fn occupy(spans: &mut Vec<(f32, f32)>, area: &Rect, size: f32) {
    let near = size * COLUMN_GAP * 0.5;
    let wide = Rect { x0: area.x0 - near, x1: area.x1 + near, ..*area };
    let mut touched = spans.iter_mut().filter(|span| overlap(**span, &wide) > 0.0);
    match (touched.next(), touched.next()) {
        (None, _) => {
            spans.push((area.x0, area.x1));
            spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        (Some(span), None) => *span = (span.0.min(area.x0), span.1.max(area.x1)),
        (Some(_), Some(_)) => {}
    }
}

/// Where columns begin and end: between them is space on nearly all lines.
fn columns(rows: &[Vec<Piece>]) -> Vec<(f32, f32)> {
    let full = rows.iter().map(Vec::len).max().unwrap_or(0);
    let most = (rows.len() as f32 * CROSSING) as usize + usize::from(rows.len() >= 4);
    let mut ends: Vec<(f32, i32)> = rows.iter().flatten().flat_map(|p| [(p.area.x0, 1), (p.area.x1, -1)]).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let widest = |allowed: usize| {
        let mut columns: Vec<(f32, f32)> = Vec::new();
        let (mut depth, mut start) = (0i32, 0.0);
        for (x, step) in &ends {
            let before = depth;
            depth += step;
            if before <= allowed as i32 && depth > allowed as i32 {
                start = *x;
            } else if before > allowed as i32 && depth <= allowed as i32 {
                columns.push((start, *x));
            }
        }
        let size = rows.iter().flatten().flat_map(|piece| &piece.words).map(|word| word.size).fold(0.0, f32::max);
        columns.dedup_by(|next, last| {
            let joined = next.0 - last.1 < size * COLUMN_GAP * 0.6;
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
    let first: Vec<&Piece> = rows.iter().filter_map(|row| row.first()).collect();
    let is_name = |piece: &&&Piece| piece.words.last().is_some_and(|word| word.text.ends_with([':', '：']));
    let names = first.iter().filter(is_name).count();
    let is_marker = |piece: &&&Piece| piece.words.len() == 1 && piece.area.width() < piece.words[0].size * 1.6;
    let markers = first.iter().filter(is_marker).count();
    let is_list = columns.len() == 2 && (names as f32 >= first.len() as f32 * NAMED || markers == first.len());
    !is_list
}

/// Part of a cell: lines of one column that are as close as lines of text.
struct Chunk {
    column: usize,
    columns: usize,
    y0: f32,
    y1: f32,
    words: Vec<Word>,
}

fn cells(rows: Vec<Vec<Piece>>, columns: &[(f32, f32)], leading: f32, rules: &[Horizontal]) -> Table {
    let by_line = is_by_line(&rows, columns, leading, rules);
    let mut chunks: Vec<Chunk> = Vec::new();
    for piece in rows.into_iter().flatten() {
        let (column, wide) = place(&piece.area, columns);
        let size = piece.words.first().map_or(10.0, |word| word.size);
        let y = piece.area.center().1;
        let above = chunks.iter_mut().rev().find(|chunk| chunk.column == column);
        match above {
            Some(chunk)
                if chunk.columns == wide
                    && (same_line(chunk, &piece.area)
                        || !by_line
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
        let size = b.words.first().map_or(10.0, |word| word.size);
        let (y0, y1) = (a.area.center().1, b.area.center().1);
        if y1 - y0 < size * leading + PADDING && !is_parted(y0, y1, &b.area, rules) {
            close += 1;
            let is_first = |piece: &Piece| place(&piece.area, columns).0 == 0;
            full += usize::from(below.len() * 4 >= columns.len() * 3 && is_first(b) && is_first(a));
        }
    }
    full * 5 >= close * 4
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

#[cfg(test)]
mod tests;
