//! Reading order: column by column, lines from top to bottom, words along their line.

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::PageContent;
use super::rules::Horizontal;
use super::scripts::{is_cjk, is_rtl};
use super::words::{JOINED, Word};

/// The narrowest gap between columns, in ems.
const GUTTER: f32 = 0.9;
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
/// The widest gap between lines of text, in ems.
const LINE_GAP: f32 = 0.45;
/// Most white gaps that are followed at once.
const SHAFTS: usize = 40;
const CANDIDATES: usize = 8;
const DEPTH: u8 = 6;

/// Words side by side, in reading order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Around its words.
    pub area: Rect,
    /// In reading order.
    pub words: Vec<Word>,
    /// Whether it is read from right to left.
    pub rtl: bool,
}

impl Line {
    /// The em of most of its characters.
    pub fn size(&self) -> f32 {
        let mut sizes: Vec<(f32, usize)> = Vec::new();
        for word in &self.words {
            let size = (word.size * 2.0).round() / 2.0;
            match sizes.iter_mut().find(|(known, _)| (*known - size).abs() < 0.1) {
                Some((_, count)) => *count += word.text.len(),
                None => sizes.push((size, word.text.len())),
            }
        }
        sizes.into_iter().max_by_key(|(_, count)| *count).map_or(0.0, |(size, _)| size)
    }

    /// Its words with spaces between.
    pub fn text(&self) -> String {
        join(self.words.iter().map(|word| word.text.as_str()))
    }

    /// Whether `is` holds for each of its words.
    pub fn all(&self, is: impl Fn(&Word) -> bool) -> bool {
        self.words.iter().all(is)
    }
}

fn join<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.fold(String::new(), |mut text, word| {
        if !text.is_empty() {
            text.push(' ');
        }
        text + word
    })
}

/// The page's text, line by line, with an empty line between blocks.
pub fn plain(page: PageContent) -> String {
    let mut text = String::new();
    for block in blocks(page.words, &[]).into_iter().chain([page.aside]) {
        if !text.is_empty() && !block.is_empty() {
            text.push('\n');
        }
        let mut above: Option<(f32, f32)> = None;
        for line in lines(block) {
            let size = line.size();
            // A gap as high as a line separates paragraphs.
            if above.is_some_and(|(bottom, em)| line.area.y0 - bottom > em.min(size) * 0.8) {
                text.push('\n');
            }
            above = Some((line.area.y1, size));
            text.push_str(&line.text());
            text.push('\n');
        }
    }
    text
}

/// The page's words in reading order: column by column, line by line.
pub fn words_in_order(page: PageContent) -> impl Iterator<Item = Word> {
    let blocks = blocks(page.words, &[]).into_iter().chain([page.aside]);
    blocks.flat_map(lines).flat_map(|line| line.words)
}

/// The parts of a page in reading order. Columns are not parted where several of the `rules` cross both.
pub(super) fn blocks(words: Vec<Word>, rules: &[Horizontal]) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    part(words, DEPTH, rules, &mut found);
    found
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

fn part(words: Vec<Word>, depth: u8, rules: &[Horizontal], found: &mut Vec<Vec<Word>>) {
    let em = median(words.iter().map(|word| word.size).collect());
    let bands = bands(&words, em);
    let run = (depth > 0 && words.len() >= 8).then(|| column_run(&words, &bands, em, rules)).flatten();
    let Some(Run { top, bottom, middle }) = run else {
        if !words.is_empty() {
            found.push(words);
        }
        return;
    };
    let (mut above, mut left, mut right, mut below) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for word in words {
        let (x, y) = word.area.center();
        match (y < top, y > bottom, x < middle) {
            (true, _, _) => above.push(word),
            (_, true, _) => below.push(word),
            (_, _, true) => left.push(word),
            (_, _, false) => right.push(word),
        }
    }
    let rtl = left.iter().chain(&right).filter(|word| word.is_rtl()).count() * 2 > left.len() + right.len();
    let (first, second) = if rtl { (right, left) } else { (left, right) };
    part(above, depth - 1, rules, found);
    part(first, depth - 1, rules, found);
    part(second, depth - 1, rules, found);
    part(below, depth - 1, rules, found);
}

/// Two columns between two heights.
struct Run {
    top: f32,
    bottom: f32,
    middle: f32,
}

/// A band over the whole width between horizontal gaps, and the vertical gaps within it.
struct Band {
    top: f32,
    bottom: f32,
    gaps: Vec<(f32, f32)>,
}

fn bands(words: &[Word], em: f32) -> Vec<Band> {
    let mut sorted: Vec<&Rect> = words.iter().map(|word| &word.area).collect();
    sorted.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    let (x0, x1) = sorted.iter().fold((f32::MAX, f32::MIN), |(x0, x1), area| (x0.min(area.x0), x1.max(area.x1)));
    let mut bands = Vec::new();
    let mut members: Vec<(f32, f32)> = Vec::new();
    let (mut top, mut bottom) = (0.0, 0.0);
    for area in sorted {
        // Boxes are as high as their font, so those of close lines overlap a little.
        if !members.is_empty() && area.y0 > bottom - em * 0.25 {
            bands.push(Band { top, bottom, gaps: gaps(&mut members, x0, x1) });
        }
        if members.is_empty() {
            (top, bottom) = (area.y0, area.y1);
        }
        bottom = bottom.max(area.y1);
        members.push((area.x0, area.x1));
    }
    if !members.is_empty() {
        bands.push(Band { top, bottom, gaps: gaps(&mut members, x0, x1) });
    }
    bands
}

/// The gaps that the spans leave between two ends.
fn gaps(spans: &mut Vec<(f32, f32)>, x0: f32, x1: f32) -> Vec<(f32, f32)> {
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

/// A vertical gap through several bands, starting at the one with this top.
#[derive(Clone, Copy)]
struct Shaft {
    top: f32,
    from: f32,
    to: f32,
}

impl Shaft {
    fn narrowed(self, (from, to): (f32, f32)) -> Self {
        Self { from: self.from.max(from), to: self.to.min(to), ..self }
    }

    /// Whether another gap, as far as it is known yet, lies within this one.
    fn has(&self, other: &Self) -> bool {
        self.top <= other.top && self.from <= other.from && self.to >= other.to
    }
}

/// The tallest run of bands with two columns of text.
fn column_run(words: &[Word], bands: &[Band], em: f32, rules: &[Horizontal]) -> Option<Run> {
    let mut candidates = runs(bands, em);
    candidates.sort_by(|a, b| (b.bottom - b.top).total_cmp(&(a.bottom - a.top)));
    // Nested runs end at the same gap, so the tallest of each gap is enough.
    let mut tried: Vec<(f32, f32)> = Vec::new();
    candidates
        .into_iter()
        .filter(|run| {
            let known = tried.iter().any(|(middle, bottom)| (middle - run.middle).abs() < em && *bottom == run.bottom);
            if !known {
                tried.push((run.middle, run.bottom));
            }
            !known
        })
        .take(CANDIDATES)
        .find(|run| !is_crossed(run, em, rules) && are_columns(words, run, em))
}

/// The runs of bands that share a vertical gap, from its first band to its last.
fn runs(bands: &[Band], em: f32) -> Vec<Run> {
    let mut found = Vec::new();
    let mut open: Vec<Shaft> = Vec::new();
    let mut bottom = 0.0;
    for band in bands {
        let mut next: Vec<Shaft> = Vec::new();
        for shaft in &open {
            let mut ends = true;
            for gap in &band.gaps {
                let narrowed = shaft.narrowed(*gap);
                if narrowed.to - narrowed.from >= em * GUTTER {
                    ends = false;
                    add(&mut next, narrowed);
                }
            }
            if ends {
                found.push(run(shaft, bottom));
            }
        }
        for (from, to) in &band.gaps {
            if to - from >= em * GUTTER {
                add(&mut next, Shaft { top: band.top, from: *from, to: *to });
            }
        }
        open = next;
        bottom = band.bottom;
    }
    found.extend(open.iter().map(|shaft| run(shaft, bottom)));
    found
}

fn run(shaft: &Shaft, bottom: f32) -> Run {
    Run { top: shaft.top, bottom, middle: f32::midpoint(shaft.from, shaft.to) }
}

/// Adds a gap that no other one contains. A page with more than a few dozen has no columns.
fn add(open: &mut Vec<Shaft>, shaft: Shaft) {
    if open.len() < SHAFTS && !open.iter().any(|other| other.has(&shaft)) {
        open.retain(|other| !shaft.has(other));
        open.push(shaft);
    }
}

/// Whether rules of a table's rows lie across the gap.
fn is_crossed(run: &Run, em: f32, rules: &[Horizontal]) -> bool {
    let crosses = |rule: &&Horizontal| {
        (run.top..=run.bottom).contains(&rule.y) && rule.x0 < run.middle - em && run.middle + em < rule.x1
    };
    rules.iter().filter(crosses).count() >= 2
}

/// Whether there is running text on both sides. A side may have further columns, whose lines need not be at the same heights.
fn are_columns(words: &[Word], run: &Run, em: f32) -> bool {
    let inside = |word: &&Word| (run.top..=run.bottom).contains(&word.area.center().1);
    let (left, right): (Vec<&Word>, Vec<&Word>) =
        words.iter().filter(inside).partition(|word| word.area.center().0 < run.middle);
    let sides = [left, right];
    if are_texts(&sides, em) {
        return true;
    }
    let columns: Vec<Vec<&Word>> = sides.iter().flat_map(|side| strips(side, em)).collect();
    columns.len() > sides.len() && are_texts(&columns, em) || is_text_beside(&sides, em)
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
    let Some(area) = column.iter().map(|word| word.area).reduce(|area, other| area.union(&other)) else {
        return false;
    };
    if column.len() < COLUMN_LINES || area.width() <= COLUMN_WIDTH * em {
        return false;
    }
    let count = lines.len() as f32;
    let filled: f32 = lines.iter().map(|(area, _)| area.width()).sum::<f32>() / count;
    let is_running =
        column.len() as f32 / count >= COLUMN_WORDS || column.iter().any(|word| word.text.chars().any(is_cjk));
    lines.len() >= COLUMN_LINES
        && is_running
        && filled / area.width() >= COLUMN_FILL
        && lines.iter().filter(|(_, members)| has_cells(column, members, em)).count() as f32 <= count * CELLS
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

/// The lines of a part without columns.
pub(super) fn lines(words: Vec<Word>) -> Vec<Line> {
    let groups = group(&words.iter().collect::<Vec<_>>());
    let mut words: Vec<Option<Word>> = words.into_iter().map(Some).collect();
    groups
        .into_iter()
        .map(|(area, members)| {
            line(area, members.into_iter().filter_map(|index| words.get_mut(index)?.take()).collect())
        })
        .collect()
}

/// The vertical extents of lines, from top to bottom, with the words of each.
fn group(words: &[&Word]) -> Vec<(Rect, Vec<usize>)> {
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

fn line(area: Rect, mut words: Vec<Word>) -> Line {
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let rtl = words.iter().flat_map(|word| word.text.chars()).filter(|c| is_rtl(*c)).count() * 2
        > words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
    if rtl {
        words.reverse();
        turn_runs(&mut words);
        words = close_numbers(words);
    }
    Line { area, words, rtl }
}

/// Reorders a right-to-left line: numbers and words of other scripts still run to the right.
fn turn_runs(words: &mut [Word]) {
    let runs_right = |word: &Word| !word.is_rtl() && word.text.chars().any(char::is_alphanumeric);
    for run in words.chunk_by_mut(|a, b| runs_right(a) == runs_right(b)) {
        if run.first().is_some_and(runs_right) {
            run.reverse();
        }
    }
}

/// Joins punctuation to the number on its right.
fn close_numbers(words: Vec<Word>) -> Vec<Word> {
    let mut joined: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        match joined.last_mut() {
            Some(last)
                if !last.is_rtl()
                    && word.text.chars().all(|c| c.is_ascii_punctuation())
                    && (last.area.x0 - word.area.x1).abs() < word.size * JOINED =>
            {
                last.text.push_str(&word.text);
                last.area = last.area.union(&word.area);
                last.place = last.place.union(&word.place);
            }
            Some(_) | None => joined.push(word),
        }
    }
    joined
}

pub(super) fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(10.0)
}
