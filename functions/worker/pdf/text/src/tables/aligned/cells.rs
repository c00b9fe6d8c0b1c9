//! The cells of rows: pieces in one column that are as close as lines of text are one.

use docmill_pdf_core::pdfium::Rect;

use super::super::super::rules::Horizontal;
use super::super::super::words::Word;
use super::super::{Cell, Table, is_number};
use super::PADDING;
use super::heads;
use super::rows::{HEAD_LINES, Piece, overlap, size_of};

/// The fewest numbers of a column of numbers.
const LEAST_NUMBERS: usize = 3;
/// The width of a space, in ems.
const SPACE: f32 = 0.3;
/// The least rows of a table in which one cell alone makes no column, and how far it may be from the one before it, in ems.
const LONE_ROWS: usize = 5;
const LONE_GAP: f32 = 1.3;

/// Part of a cell: lines of one column that are as close as lines of text.
struct Chunk {
    column: usize,
    columns: usize,
    y0: f32,
    y1: f32,
    words: Vec<Word>,
}

/// What tells whether a piece goes on with the lines above it in its column.
struct Joining<'r> {
    /// Whether each line is a row.
    by_line: bool,
    /// How far apart lines of text are, in ems.
    leading: f32,
    rules: &'r [Horizontal],
    /// How many lines at the start are headers, whose cells may have several.
    headers: usize,
    /// The number of the first line that is a row since it has numbers, and where the texts in the first column end.
    first_row: Option<usize>,
    names_end: f32,
}

impl Joining<'_> {
    /// Whether a piece in this line of the table is in the same cell as the chunk above.
    fn goes_on(&self, chunk: &Chunk, piece: &Piece, line: usize) -> bool {
        let y = piece.area.center().1;
        let is_new_name = chunk.column == 0
            && self.first_row.is_some_and(|first| first < line)
            && ends_name(chunk, piece, self.names_end);
        let is_row = self.by_line && line >= self.headers;
        let is_bold = |word: Option<&Word>| word.map(|word| word.font.bold);
        // A name in other type begins a group of rows.
        let is_group = chunk.column == 0 && is_bold(chunk.words.last()) != is_bold(piece.words.first());
        !(is_row || is_new_name || is_group)
            && y - last_y(chunk) < size_of(piece) * self.leading + PADDING
            && !is_parted(last_y(chunk), y, &piece.area, self.rules)
    }
}

/// The table of these rows. `above`: how many of them are headers that were found above the others.
pub(super) fn cells(
    mut rows: Vec<Vec<Piece>>,
    above: usize,
    columns: &[(f32, f32)],
    leading: f32,
    rules: &[Horizontal],
) -> Table {
    let own = rows.get(above..).unwrap_or_default();
    let by_line = is_by_line(own, columns, leading, rules);
    let numbered: Vec<bool> = std::iter::repeat_n(false, above).chain(with_numbers(own, columns)).collect();
    let first_row = numbered.iter().position(|numbered| *numbered);
    let headers = first_row.filter(|first| *first <= above + HEAD_LINES).unwrap_or(above);
    // Headers may be as close to each other as words.
    for row in rows.iter_mut().take(headers).filter(|row| row.len() > 1) {
        if let Some(parted) = heads::parted(row, columns) {
            *row = parted;
        }
    }
    let names = rows.iter().flatten().filter(|piece| place(&piece.area, columns) == (0, 1));
    let joining = Joining {
        by_line,
        leading,
        rules,
        headers,
        first_row,
        names_end: names.map(|piece| piece.area.x1).fold(f32::NEG_INFINITY, f32::max),
    };
    let spans = heads::spans(&rows, columns, rules);
    let repeating = repeating(&rows, columns);
    let mut chunks: Vec<Chunk> = Vec::new();
    let is_row: Vec<bool> =
        numbered.into_iter().zip(repeating).map(|(numbered, repeats)| numbered || repeats).collect();
    for (line, ((row, is_row), spans)) in rows.into_iter().zip(is_row).zip(spans).enumerate() {
        // A line of headers has others than that of the first column.
        let is_name = matches!(&row[..], [only] if place(&only.area, columns).0 == 0);
        let is_new = is_row || is_name && joining.by_line;
        for (at, piece) in row.into_iter().enumerate() {
            let (column, wide) = spans.get(at).copied().unwrap_or_else(|| place(&piece.area, columns));
            let above = chunks.iter_mut().rev().find(|chunk| chunk.column == column);
            match above.filter(|chunk| chunk.columns == wide) {
                Some(chunk) if same_line(chunk, &piece.area) || !is_new && joining.goes_on(chunk, &piece, line) => {
                    chunk.y0 = chunk.y0.min(piece.area.y0);
                    chunk.y1 = chunk.y1.max(piece.area.y1);
                    chunk.words.extend(piece.words);
                }
                Some(_) | None => chunks.push(Chunk {
                    column,
                    columns: wide,
                    y0: piece.area.y0,
                    y1: piece.area.y1,
                    words: piece.words,
                }),
            }
        }
    }
    let mut table = Table { starts: columns.iter().map(|column| column.0).collect(), ..Table::default() };
    for row in grouped(chunks) {
        table.rows.push(filled(row, columns.len()));
    }
    join_headers(&mut table);
    join_lone(&mut table);
    table
}

/// Joins a column with one cell, which is the rest of the cell before it: a wide space parts them.
fn join_lone(table: &mut Table) {
    let is_plain = |row: &Vec<Cell>| row.iter().all(|cell| cell.columns == 1);
    if table.rows.len() < LONE_ROWS || !table.rows.iter().all(is_plain) {
        return;
    }
    for at in (1..table.starts.len()).rev() {
        let mut filled = table.rows.iter().filter(|row| row.get(at).is_some_and(|cell| !cell.lines.is_empty()));
        let (Some(row), None) = (filled.next(), filled.next()) else { continue };
        if !row.get(at - 1).zip(row.get(at)).is_some_and(|(left, lone)| are_close(left, lone)) {
            continue;
        }
        table.starts.remove(at);
        for row in &mut table.rows {
            let lone = row.remove(at);
            if let Some(left) = row.get_mut(at - 1).filter(|_| !lone.lines.is_empty()) {
                let words = left.lines.drain(..).chain(lone.lines).flat_map(|line| line.words).collect();
                *left = Cell { columns: left.columns, rows: left.rows, ..Cell::of(words) };
            }
        }
    }
}

/// Whether two cells have one line each, with a gap between them that is at most as wide as a letter.
fn are_close(left: &Cell, right: &Cell) -> bool {
    matches!((&left.lines[..], &right.lines[..]), ([a], [b]) if b.area.x0 - a.area.x1 < a.size() * LONE_GAP)
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

/// Whether a name ends with its last line: the next word would have fitted on it.
fn ends_name(chunk: &Chunk, next: &Piece, end: f32) -> bool {
    let (Some(last), Some(first)) = (chunk.words.last(), next.words.first()) else { return false };
    last.text.ends_with(':') || last.area.x1 + last.size * SPACE + first.area.width() < end
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
            *numbers += usize::from(is_number(&piece.words));
        }
    }
    let of_numbers = |at: usize| {
        counts.get(at).is_some_and(|(all, numbers)| at > 0 && *numbers >= LEAST_NUMBERS && numbers * 5 >= all * 4)
    };
    let is_row = |row: &Vec<Piece>| {
        row.iter().any(|piece| column(piece) == 0)
            && row.iter().any(|piece| is_number(&piece.words) && of_numbers(column(piece)))
    };
    rows.iter().map(is_row).collect()
}

/// For each line whether it has cells, the first included, of which one says the same as the line above: no cell repeats its line.
fn repeating(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> Vec<bool> {
    let texts = |piece: &Piece| piece.words.iter().map(|word| word.text.clone()).collect::<Vec<_>>();
    let is_same = |a: &Piece, b: &Piece| place(&a.area, columns) == place(&b.area, columns) && texts(a) == texts(b);
    let repeats = |above: &[Piece], row: &[Piece]| {
        row.len() >= 2
            && row.iter().any(|piece| place(&piece.area, columns).0 == 0)
            && row.iter().any(|piece| above.iter().any(|above| is_same(above, piece)))
    };
    let pairs = rows.windows(2).map(|pair| matches!(pair, [above, row] if repeats(above, row)));
    std::iter::once(false).chain(pairs).collect()
}

/// The column in which a piece begins, and how many it lies over.
pub(super) fn place(area: &Rect, columns: &[(f32, f32)]) -> (usize, usize) {
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
