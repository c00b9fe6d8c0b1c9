//! The order of reading: columns one after the other, lines from top to bottom, words along their line.

use crate::pdfium::Rect;

use super::PageContent;
use super::words::{Word, is_rtl};

/// The narrowest gap between columns, in ems.
const GUTTER: f32 = 0.9;
/// Columns have at least so many lines, and so many words in each on average: cells of tables have fewer.
const COLUMN_LINES: usize = 3;
const COLUMN_WORDS: f32 = 2.2;
/// The narrowest column, in ems, and how full its lines are on average.
const COLUMN_WIDTH: f32 = 8.0;
const COLUMN_FILL: f32 = 0.55;
/// Bands of a page that are looked at for columns that span some of them: the search is quadratic.
const BANDS: usize = 400;
const CANDIDATES: usize = 8;
const DEPTH: u8 = 6;

/// Words side by side, in the order of reading.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub area: Rect,
    pub words: Vec<Word>,
    pub rtl: bool,
}

impl Line {
    /// The em of most of its characters.
    pub(crate) fn size(&self) -> f32 {
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

    pub(crate) fn text(&self) -> String {
        join(self.words.iter().map(|word| word.text.as_str()))
    }

    pub(crate) fn all(&self, is: impl Fn(&Word) -> bool) -> bool {
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
pub(crate) fn plain(page: PageContent) -> String {
    let mut text = String::new();
    for block in blocks(page.words).into_iter().chain([page.aside]) {
        if !text.is_empty() && !block.is_empty() {
            text.push('\n');
        }
        let mut above: Option<(f32, f32)> = None;
        for line in lines(block) {
            let size = line.size();
            // A gap as high as a line parts paragraphs.
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

/// Parts of a page that are read one after the other.
pub(super) fn blocks(words: Vec<Word>) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    part(words, DEPTH, &mut found);
    found
}

fn part(words: Vec<Word>, depth: u8, found: &mut Vec<Vec<Word>>) {
    let em = median(words.iter().map(|word| word.size).collect());
    let bands = bands(&words, em);
    let run = (depth > 0 && words.len() >= 8).then(|| column_run(&words, &bands, em)).flatten();
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
    part(above, depth - 1, found);
    part(first, depth - 1, found);
    part(second, depth - 1, found);
    part(below, depth - 1, found);
}

/// Two columns, from one height to another.
struct Run {
    top: f32,
    bottom: f32,
    middle: f32,
}

/// A stripe over the whole width, with white above and below it, and the white that is in it from top to bottom.
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
        // Boxes are as high as their font: those of close lines overlap a little.
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

/// What the spans leave free between two ends. The spans are taken.
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

/// The highest run of bands that have two columns of text.
fn column_run(words: &[Word], bands: &[Band], em: f32) -> Option<Run> {
    if bands.len() > BANDS {
        return None;
    }
    let mut candidates: Vec<Run> = Vec::new();
    for (index, first) in bands.iter().enumerate() {
        let mut common: Vec<(f32, f32)> = first.gaps.clone();
        for (position, band) in bands.iter().enumerate().skip(index) {
            let narrowed: Vec<(f32, f32)> = common
                .iter()
                .flat_map(|(a, b)| band.gaps.iter().map(move |(c, d)| (a.max(*c), b.min(*d))))
                .filter(|(from, to)| to - from >= em * GUTTER)
                .collect();
            // A gap ends here, or the page does: what came before is a candidate.
            let ended = common.iter().filter(|old| !narrowed.iter().any(|new| new.0 < old.1 && new.1 > old.0));
            let bottom = if position > index { bands[position - 1].bottom } else { first.bottom };
            candidates.extend(ended.map(|gap| Run { top: first.top, bottom, middle: f32::midpoint(gap.0, gap.1) }));
            common = narrowed;
            if common.is_empty() {
                break;
            }
        }
        let bottom = bands.last().map_or(0.0, |band| band.bottom);
        candidates.extend(common.iter().map(|gap| Run { top: first.top, bottom, middle: f32::midpoint(gap.0, gap.1) }));
    }
    candidates.sort_by(|a, b| (b.bottom - b.top).total_cmp(&(a.bottom - a.top)));
    // Nested runs begin at the same gap: the highest of each gap is enough.
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
        .find(|run| are_columns(words, run, em))
}

/// Whether both sides read as running text.
fn are_columns(words: &[Word], run: &Run, em: f32) -> bool {
    let inside = |word: &&Word| (run.top..=run.bottom).contains(&word.area.center().1);
    let (left, right): (Vec<&Word>, Vec<&Word>) =
        words.iter().filter(inside).partition(|word| word.area.center().0 < run.middle);
    [left, right].into_iter().all(|side| {
        let lines = lines(side.iter().map(|word| (*word).clone()).collect());
        if lines.len() < COLUMN_LINES {
            return false;
        }
        let area = lines.iter().fold(lines[0].area, |area, line| area.union(&line.area));
        let filled: f32 = lines.iter().map(|line| line.area.width()).sum::<f32>() / lines.len() as f32;
        let has_cjk = side.iter().any(|word| word.text.chars().any(super::words::is_cjk));
        let words = side.len() as f32 / lines.len() as f32;
        area.width() > COLUMN_WIDTH * em && (words >= COLUMN_WORDS || has_cjk) && filled / area.width() >= COLUMN_FILL
    })
}

/// The lines of a part that has no columns.
pub(super) fn lines(mut words: Vec<Word>) -> Vec<Line> {
    // The tallest words of a line come first, so that raised and small ones join them.
    words.sort_by(|a, b| a.area.center().1.total_cmp(&b.area.center().1));
    let mut lines: Vec<(Rect, Vec<Word>)> = Vec::new();
    for word in words {
        let y = word.area.center().1;
        let fits = |area: &Rect| {
            let middle = area.center().1;
            (y - middle).abs() < word.size * 0.45
                || (y > area.y0 + area.height() * 0.2 && y < area.y1 - area.height() * 0.2)
        };
        match lines.iter_mut().rev().take(3).find(|(area, _)| fits(area)) {
            Some((area, line)) => {
                *area = area.union(&word.area);
                line.push(word);
            }
            None => lines.push((word.area, vec![word])),
        }
    }
    lines.into_iter().map(|(area, words)| line(area, words)).collect()
}

fn line(area: Rect, mut words: Vec<Word>) -> Line {
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let rtl = words.iter().flat_map(|word| word.text.chars()).filter(|c| is_rtl(*c)).count() * 2
        > words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic()).count();
    if rtl {
        words.reverse();
        turn_runs(&mut words);
    }
    Line { area, words, rtl }
}

/// In a line that runs to the left, words of other scripts and numbers still run to the right.
fn turn_runs(words: &mut [Word]) {
    let mut at = 0;
    while at < words.len() {
        let other = |word: &Word| !word.is_rtl() && word.text.chars().any(char::is_alphanumeric);
        let end = words[at..].iter().position(|word| !other(word)).map_or(words.len(), |length| at + length);
        if end > at {
            words[at..end].reverse();
            at = end;
        } else {
            at += 1;
        }
    }
}

pub(super) fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(10.0)
}
