//! Whether the words on both sides of a gap are columns, which are read one after the other.

use docmill_pdf_core::pdfium::Rect;

use super::scripts::is_cjk;
use super::words::Word;

/// The narrowest gap between columns, in ems.
pub(super) const GUTTER: f32 = 0.9;
/// The least lines of a column, and words in each on average: table cells have fewer.
const COLUMN_LINES: usize = 3;
const COLUMN_WORDS: f32 = 2.2;
/// The narrowest column, in ems, and the least share of it that its lines fill on average.
const COLUMN_WIDTH: f32 = 8.0;
const COLUMN_FILL: f32 = 0.6;
/// Words further apart, in ems, are cells of a table, unless they are in less than this share of the lines.
const CELL_GAP: f32 = 1.05;
const CELLS: f32 = 0.5;
/// How much wider, in ems, gaps between the rows of a table are than those between lines, and the most lines of a row on average.
const ROW_GAP: f32 = 0.2;
const ROW_LINES: usize = 4;
/// The fewest lines of a text and of what stands beside it. Lines are at one height up to this distance, in ems; in columns of text,
/// fewer than this share of them are.
const BESIDE_LINES: usize = 8;
const LEVEL: f32 = 0.12;
const LEVEL_LINES: f32 = 0.5;
/// A block in other type stands apart, such as a letterhead: how far, in ems, how much smaller its type is at most, and which share of
/// its lines begin together. In rows, more than this share of the lines of the shorter side have others at their height.
const APART_GAP: f32 = 3.0;
const APART_SIZE: f32 = 0.85;
const APART_ALIGNED: f32 = 0.5;
const APART_LEVEL: f32 = 0.75;
const APART_FOOT: f32 = 0.25;
/// The widest gap between lines of text, in ems.
const LINE_GAP: f32 = 0.45;
/// Columns that are written one after the other: how many lines there are at least for each change of the side, and the share of a
/// column that its lines fill on average.
const TURN_LINES: usize = 4;
const WRITTEN_FILL: f32 = 0.4;

/// Two columns between two heights.
pub(super) struct Run {
    pub top: f32,
    pub bottom: f32,
    pub middle: f32,
}

/// The gaps that the spans leave between two ends.
pub(super) fn gaps(spans: &mut Vec<(f32, f32)>, x0: f32, x1: f32) -> Vec<(f32, f32)> {
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut end = x0;
    let mut free = Vec::new();
    for (from, to) in spans.drain(..).chain([(x1, x1)]) {
        if from > end {
            free.push((end, from));
        }
        end = end.max(to);
    }
    free
}

/// Whether there is running text on both sides. A side may have further columns, whose lines need not be at the same heights.
pub(super) fn are_columns(words: &[Word], run: &Run, em: f32) -> bool {
    let inside = |word: &&Word| (run.top..=run.bottom).contains(&word.area.center().1);
    let (left, right): (Vec<&Word>, Vec<&Word>) =
        words.iter().filter(inside).partition(|word| word.area.center().0 < run.middle);
    let sides = [left, right];
    if are_texts(&sides, em) {
        return true;
    }
    let columns: Vec<Vec<&Word>> = sides.iter().flat_map(|side| strips(side, em)).collect();
    columns.len() > sides.len() && are_texts(&columns, em)
        || is_text_beside(&sides, em)
        || are_apart(&sides, em)
        || are_written_apart(&sides, turns(words.iter().filter(inside), run.middle), em)
}

/// How often words, in content order, change between the sides.
fn turns<'w>(words: impl Iterator<Item = &'w Word>, middle: f32) -> usize {
    let sides: Vec<bool> = words.map(|word| word.area.center().0 < middle).collect();
    sides.windows(2).filter(|pair| pair.first() != pair.last()).count()
}

/// Whether the content has one side after the other, each of several lines of text: that of tables has rows.
fn are_written_apart(sides: &[Vec<&Word>; 2], turns: usize, em: f32) -> bool {
    sides.iter().all(|side| {
        let lines = group(side);
        lines.len() >= COLUMN_LINES.max(turns * TURN_LINES)
            && side.len() as f32 >= lines.len() as f32 * COLUMN_WORDS
            && is_filled(side, &lines, WRITTEN_FILL, em)
    })
}

/// Whether a column is wide, its lines fill this share of it on average, and few have cells.
fn is_filled(column: &[&Word], lines: &[(Rect, Vec<usize>)], share: f32, em: f32) -> bool {
    let (width, count) = (width_of(column), lines.len() as f32);
    let filled: f32 = lines.iter().map(|(area, _)| area.width()).sum::<f32>() / count;
    width > COLUMN_WIDTH * em
        && filled / width >= share
        && lines.iter().filter(|(_, members)| has_cells(column, members, em)).count() as f32 <= count * CELLS
}

fn width_of(side: &[&Word]) -> f32 {
    side.iter().map(|word| word.area).reduce(|area, other| area.union(&other)).map_or(0.0, |area| area.width())
}

/// Whether one side is running text beside something else, such as a table, whose lines are at other heights.
fn is_text_beside(sides: &[Vec<&Word>; 2], em: f32) -> bool {
    let [left, right] = sides;
    let lines = [group(left), group(right)];
    let [one, other] = &lines;
    is_text(left, one, em) != is_text(right, other, em)
        && one.len().min(other.len()) >= BESIDE_LINES
        && !are_rows(&lines, em)
        && !are_level(one, other, em)
        && !are_level(other, one, em)
}

/// Whether both sides are blocks of lines in type of different sizes, far from each other, such as an address beside a letterhead.
fn are_apart(sides: &[Vec<&Word>; 2], em: f32) -> bool {
    let [left, right] = sides;
    let [Some(ends), Some(begins)] = [
        left.iter().map(|word| word.area.x1).max_by(f32::total_cmp),
        right.iter().map(|word| word.area.x0).min_by(f32::total_cmp),
    ] else {
        return false;
    };
    let sizes = [left, right].map(|side| median(side.iter().map(|word| word.size).collect()));
    let [one, other] = [group(left), group(right)];
    let (shorter, longer) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
    begins - ends >= em * APART_GAP
        && sizes[0].min(sizes[1]) <= sizes[0].max(sizes[1]) * APART_SIZE
        && shorter.len() >= COLUMN_LINES
        && [(left, &one), (right, &other)].into_iter().all(|(side, lines)| is_block(side, lines, em))
        && !are_on_one_foot(shorter, longer, em)
}

/// Whether most of these lines stand on one line with another: type of different sizes has its feet at one height, and not its middle.
fn are_on_one_foot(lines: &[(Rect, Vec<usize>)], others: &[(Rect, Vec<usize>)], em: f32) -> bool {
    let is_level =
        |(area, _): &&(Rect, Vec<usize>)| others.iter().any(|(other, _)| (other.y1 - area.y1).abs() < em * APART_FOOT);
    lines.iter().filter(is_level).count() as f32 > lines.len() as f32 * APART_LEVEL
}

/// Whether most lines begin at the same place, few have cells, and no gap parts all of them.
fn is_block(side: &[&Word], lines: &[(Rect, Vec<usize>)], em: f32) -> bool {
    let starts: Vec<f32> = lines.iter().map(|(area, _)| area.x0).collect();
    let usual = median(starts.clone());
    let count = lines.len() as f32;
    strips(side, em).len() == 1
        && starts.iter().filter(|start| (**start - usual).abs() < em * GUTTER).count() as f32 >= count * APART_ALIGNED
        && lines.iter().filter(|(_, members)| has_cells(side, members, em)).count() as f32 <= count * CELLS
}

/// Whether many of these lines have others at their height.
fn are_level(lines: &[(Rect, Vec<usize>)], others: &[(Rect, Vec<usize>)], em: f32) -> bool {
    let is_level = |(area, _): &&(Rect, Vec<usize>)| {
        let y = area.center().1;
        let next = others.partition_point(|(other, _)| other.center().1 < y);
        let near = others.iter().skip(next.saturating_sub(1)).take(2);
        near.map(|(other, _)| (other.center().1 - y).abs()).any(|off| off < em * LEVEL)
    };
    lines.iter().filter(is_level).count() as f32 >= lines.len() as f32 * LEVEL_LINES
}

/// The words of a side between the vertical gaps through all of it.
fn strips<'w>(side: &[&'w Word], em: f32) -> Vec<Vec<&'w Word>> {
    let Some(area) = side.iter().map(|word| word.area).reduce(|area, other| area.union(&other)) else {
        return Vec::new();
    };
    let mut spans = side.iter().map(|word| (word.area.x0, word.area.x1)).collect();
    let free = gaps(&mut spans, area.x0, area.x1).into_iter();
    let gutters: Vec<f32> =
        free.filter(|(from, to)| to - from >= em * GUTTER).map(|(from, to)| f32::midpoint(from, to)).collect();
    let mut strips = vec![Vec::new(); gutters.len() + 1];
    for word in side {
        if let Some(strip) = strips.get_mut(gutters.partition_point(|x| *x < word.area.center().0)) {
            strip.push(*word);
        }
    }
    strips
}

/// Whether each of these is running text, and they are not columns of one table.
fn are_texts(columns: &[Vec<&Word>], em: f32) -> bool {
    let lines: Vec<_> = columns.iter().map(|column| group(column)).collect();
    !are_rows(&lines, em) && columns.iter().zip(&lines).all(|(column, lines)| is_text(column, lines, em))
}

fn is_text(column: &[&Word], lines: &[(Rect, Vec<usize>)], em: f32) -> bool {
    let is_running = column.len() as f32 / lines.len() as f32 >= COLUMN_WORDS
        || column.iter().any(|word| word.text.chars().any(is_cjk));
    lines.len() >= COLUMN_LINES && is_running && is_filled(column, lines, COLUMN_FILL, em)
}

/// Whether words of a line are as far apart as cells. A bullet or a number may be as far from its item.
fn has_cells(column: &[&Word], members: &[usize], em: f32) -> bool {
    let mut words: Vec<&Word> = members.iter().filter_map(|at| column.get(*at).copied()).collect();
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let is_marker = |word: &&Word| !word.text.chars().any(char::is_alphabetic);
    let markers = usize::from(words.first().is_some_and(is_marker));
    words.windows(2).skip(markers).any(|pair| match pair {
        [left, right] => right.area.x0 - left.area.x1 >= em * CELL_GAP,
        _ => false,
    })
}

/// Whether columns of text are those of one table: wide gaps between their lines are often at the same height.
fn are_rows(columns: &[Vec<(Rect, Vec<usize>)>], em: f32) -> bool {
    let usual = columns.iter().map(|lines| usual_gap(lines)).fold(em * LINE_GAP, f32::min);
    let mut areas: Vec<&Rect> = columns.iter().flatten().map(|(area, _)| area).collect();
    areas.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    let mut bottom = f32::MAX;
    let mut gaps = 0;
    for area in areas {
        gaps += usize::from(area.y0 - bottom > usual + em * ROW_GAP);
        bottom = if bottom == f32::MAX { area.y1 } else { bottom.max(area.y1) };
    }
    let lines = columns.iter().map(Vec::len).max().unwrap_or(0);
    gaps >= 2 && (gaps + 1) * ROW_LINES >= lines
}

/// The gap between lines that are close.
fn usual_gap(lines: &[(Rect, Vec<usize>)]) -> f32 {
    let steps = lines.windows(2);
    let mut steps: Vec<f32> = steps
        .filter_map(|pair| if let [(above, _), (below, _)] = pair { Some(below.y0 - above.y1) } else { None })
        .collect();
    steps.sort_by(f32::total_cmp);
    steps.get(steps.len() / 5).copied().unwrap_or(f32::MAX)
}

/// The vertical extents of lines, from top to bottom, with the words of each.
pub(super) fn group(words: &[&Word]) -> Vec<(Rect, Vec<usize>)> {
    let mut order: Vec<(usize, &Word)> = words.iter().copied().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| a.area.center().1.total_cmp(&b.area.center().1));
    let mut lines: Vec<(Rect, Vec<usize>)> = Vec::new();
    for (index, word) in order {
        let y = word.area.center().1;
        let fits = |area: &Rect| {
            let middle = area.center().1;
            (y - middle).abs() < word.size * 0.45
                || (y > area.y0 + area.height() * 0.2 && y < area.y1 - area.height() * 0.2)
        };
        match lines.iter_mut().rev().take(3).find(|(area, _)| fits(area)) {
            Some((area, line)) => {
                *area = area.union(&word.area);
                line.push(index);
            }
            None => lines.push((word.area, vec![index])),
        }
    }
    lines
}

pub(super) fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(10.0)
}
