//! Reading order: column by column, lines from top to bottom, words along their line.

use docmill_pdf_core::pdfium::Rect;
use serde::{Deserialize, Serialize};

use super::PageContent;
use super::columns::{GUTTER, Run, are_columns, gaps, group, median};
use super::rules::Horizontal;
use super::scripts::is_rtl;
use super::words::{JOINED, Word};

/// Most white gaps that are followed at once.
const SHAFTS: usize = 40;
/// The labels of a figure leave many gaps that are taller than those between columns.
const CANDIDATES: usize = 40;
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
