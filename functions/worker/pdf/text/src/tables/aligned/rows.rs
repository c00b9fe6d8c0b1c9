//! The rows of a table without rules: lines whose words stand in columns.

use docmill_pdf_core::pdfium::Rect;

use super::super::super::order::Line;
use super::super::super::words::Word;
use super::{CLOSE, COLUMN_GAP, PADDING};

/// The least gap between the cells of a line that shows that it is a row, in ems.
const CELL_GAP: f32 = 1.05;
const TYPED_GAP: f32 = 0.9;
const GAPS: [f32; 2] = [COLUMN_GAP, CLOSE];
/// Most lines of the headers above the first row.
pub(super) const HEAD_LINES: usize = 3;
/// The middles of lines of text are further apart than that, in ems.
const ONE_ROW: f32 = 0.9;
/// Most lines of one row: a page of lines that all lie closer is no table, and would be read again from each of its lines.
const ROW_LINES: usize = 50;
/// Lines with more words, one times the other, are not compared.
const COMPARED: usize = 40_000;
/// The widest gap between rows, in ems.
const ROW_GAP: f32 = 1.9;
/// Type that is larger than the table's by this factor is a heading after it.
const LARGER: f32 = 1.15;
/// The fewest characters of a rule that is typed.
const TYPED_RULE: usize = 8;
/// One of so many cells under a header may be empty.
const MOST_EMPTY: usize = 3;

/// Words of a line without a wide gap between them.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) area: Rect,
    pub(super) words: Vec<Word>,
}

fn pieces(line: &Line, gap: f32) -> Vec<Piece> {
    let mut words: Vec<&Word> = line.words.iter().collect();
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let mut pieces: Vec<Piece> = Vec::new();
    for word in words {
        match pieces.last_mut() {
            Some(piece) if word.area.x0 - piece.area.x1 < word.size * least_gap(word, gap) => {
                piece.area = piece.area.union(&word.area);
                piece.words.push(word.clone());
            }
            Some(_) | None => pieces.push(Piece { area: word.area, words: vec![word.clone()] }),
        }
    }
    with_signs(pieces)
}

/// Joins signs that stand apart to their numbers: they are at the other side of the cell.
fn with_signs(pieces: Vec<Piece>) -> Vec<Piece> {
    let is_only = |piece: &Piece, is: fn(&str) -> bool| matches!(&piece.words[..], [only] if is(&only.text));
    let begins = |piece: &Piece| piece.words.first().is_some_and(|word| word.text.starts_with(is_of_number));
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match joined.last_mut() {
            Some(last)
                if is_only(last, is_sign) && begins(&piece) || is_only(&piece, is_end) && is_near(last, &piece) =>
            {
                last.area = last.area.union(&piece.area);
                last.words.extend(piece.words);
            }
            Some(_) | None => joined.push(piece),
        }
    }
    joined
}

pub(super) fn is_sign(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥")
}

fn is_end(text: &str) -> bool {
    matches!(text, "%" | ")" | ")%")
}

fn is_near(number: &Piece, end: &Piece) -> bool {
    end.area.x0 - number.area.x1 < size_of(end) * CELL_GAP
}

fn is_of_number(c: char) -> bool {
    c.is_numeric() || matches!(c, '(' | '-' | '−' | '–' | '—' | '.')
}

/// The gap between cells before a word, in ems. A space of a typewriter is as wide as a letter.
pub(super) fn least_gap(word: &Word, gap: f32) -> f32 {
    if word.font.fixed { gap.max(TYPED_GAP) } else { gap }
}

/// The lines at the start that have several pieces each, or continue a cell.
pub(super) fn run(
    mut lines: impl Iterator<Item = VisualRow> + Clone,
    leading: f32,
) -> Option<(Vec<Vec<Piece>>, usize)> {
    let mut run = Run { leading, ..Run::default() };
    while let Some(line) = lines.next() {
        if !run.take(line, lines.clone()) {
            break;
        }
    }
    run.finish()
}

/// Rows that may be a table's.
#[derive(Default)]
struct Run {
    /// The line spacing of text.
    leading: f32,
    rows: Vec<Vec<Piece>>,
    /// How many lines each row has.
    counts: Vec<usize>,
    /// The columns, from left to right.
    occupied: Vec<(f32, f32)>,
    above: Option<Line>,
    has_head: bool,
    /// The number of rows without the single pieces at the end that continue no cell.
    certain: usize,
}

impl Run {
    /// Whether the next line goes on with the table. `below`: the lines after it.
    fn take(&mut self, row: VisualRow, below: impl Iterator<Item = VisualRow> + Clone) -> bool {
        let VisualRow { line, count } = row;
        if is_typed_rule(&line)
            && let Some(last) = self.counts.last_mut()
        {
            *last += count;
            self.above = Some(line);
            return true;
        }
        if self.above.as_ref().is_some_and(|above| line.area.y0 - above.area.y1 > line.size() * ROW_GAP) {
            return false;
        }
        let (pieces, is_row) = self.read_cells(&line, below);
        let is_taken = if is_row { self.take_row(pieces, line.size()) } else { self.take_continuation(pieces, &line) };
        if is_taken {
            self.above = Some(line);
            self.counts.push(count);
        }
        is_taken
    }

    /// Reads the pieces of a line, and whether they are cells.
    fn read_cells(&mut self, line: &Line, below: impl Iterator<Item = VisualRow> + Clone) -> (Vec<Piece>, bool) {
        let close = match self.rows.len() {
            0 => head(line, below),
            // Two lines of text with wide spaces may align by chance.
            1 if !self.has_head => None,
            _ => GAPS.into_iter().map(|gap| pieces(line, gap)).find(|row| is_in_columns(row, &self.occupied)),
        };
        self.has_head |= close.is_some();
        let is_row = close.is_some() || pieces(line, CELL_GAP).len() >= 2;
        (close.unwrap_or_else(|| pieces(line, COLUMN_GAP)), is_row)
    }

    fn take_row(&mut self, row: Vec<Piece>, size: f32) -> bool {
        if self.occupied.len() > 1 && row.iter().all(|piece| self.crossed(piece) > 1) {
            return false;
        }
        for piece in &row {
            occupy(&mut self.occupied, &piece.area, size);
        }
        self.rows.push(row);
        self.certain = self.rows.len();
        true
    }

    /// A piece that may continue the cell above.
    fn take_continuation(&mut self, row: Vec<Piece>, line: &Line) -> bool {
        let Some(above) = &self.above else { return false };
        let size = line.size();
        if size > above.size() * LARGER || row.len() > 1 || row.iter().any(|piece| self.crossed(piece) != 1) {
            return false;
        }
        let is_close = line.area.center().1 - above.area.center().1 < size * self.leading + PADDING;
        // In the first column, text under the table looks like that, too.
        let is_first =
            row.iter().any(|piece| self.occupied.first().is_some_and(|span| overlap(*span, &piece.area) > 0.0));
        self.rows.push(row);
        if is_close && !is_first {
            self.certain = self.rows.len();
        }
        true
    }

    /// How many columns a piece is in.
    fn crossed(&self, piece: &Piece) -> usize {
        self.occupied.iter().filter(|span| overlap(**span, &piece.area) > 0.0).count()
    }

    /// The rows, and the number of their lines. A table has two at least.
    fn finish(mut self) -> Option<(Vec<Vec<Piece>>, usize)> {
        self.rows.truncate(self.certain);
        (self.rows.len() >= 2).then(|| (self.rows, self.counts.iter().take(self.certain).sum()))
    }
}

/// Lines that are closer than those of text: the cells of a row whose texts have different numbers of lines, each in the middle of the row.
#[derive(Clone)]
pub(super) struct VisualRow {
    line: Line,
    /// How many lines it is.
    count: usize,
}

pub(super) fn visual_rows<'l>(
    lines: impl Iterator<Item = &'l Line> + Clone,
) -> impl Iterator<Item = VisualRow> + Clone {
    let is_one = |above: &Line, below: &Line| {
        below.area.center().1 - above.area.center().1 < below.size() * ONE_ROW && !is_over(above, below)
    };
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

/// Whether a word of a line stands above one of another: they are lines of one column.
fn is_over(above: &Line, below: &Line) -> bool {
    let is_above = |word: &Word, other: &Word| overlap((word.area.x0, word.area.x1), &other.area) > 0.0;
    above.words.len() * below.words.len() <= COMPARED
        && above.words.iter().any(|word| below.words.iter().any(|other| is_above(word, other)))
}

/// The cells of a line of headers, which may be close to each other. Some may go on in the lines between them and the first row.
fn head(line: &Line, below: impl Iterator<Item = VisualRow> + Clone) -> Option<Vec<Piece>> {
    GAPS.into_iter().find_map(|gap| {
        let row = pieces(line, gap);
        let below = below.clone().filter(|row| !is_typed_rule(&row.line));
        let mut below = below.take(HEAD_LINES).map(|row| pieces(&row.line, gap));
        let first = below.find(|cells| are_apart(cells) || !is_below(cells, &row))?;
        is_head(&row, &first).then_some(row)
    })
}

/// How many cells a line has by the gaps between them alone.
pub(super) fn cell_count(line: &Line) -> usize {
    pieces(line, CELL_GAP).len()
}

/// Whether a line is a rule that is typed: hyphens, equals signs or the like alone.
pub(crate) fn is_typed_rule(line: &Line) -> bool {
    let mut characters = line.words.iter().flat_map(|word| word.text.chars());
    line.words.iter().map(|word| word.text.len()).sum::<usize>() >= TYPED_RULE
        && characters.all(|c| matches!(c, '-' | '=' | '_' | '–' | '—' | '─' | '━' | '═'))
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

pub(super) fn size_of(piece: &Piece) -> f32 {
    piece.words.first().map_or(10.0, |word| word.size)
}

pub(super) fn overlap((from, to): (f32, f32), area: &Rect) -> f32 {
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
