//! Running headers, footers and page numbers: lines in the margins that repeat from page to page, or that say what they are.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use docmill_pdf_core::pdfium::Rect;

use super::PageContent;
use super::margins;
use super::order::{self, Line};
use super::styles::Styles;
use super::wording;
use super::words::Word;

/// The share of a page's height at the top and bottom where they can be.
const EDGE: f32 = 0.09;
/// Heights within this distance, in points, are the same.
const NEAR: f32 = 3.0;
/// They are not larger than the text by more than this factor.
const AS_LARGE: f32 = 1.03;
/// On how many pages a line is at least that repeats without any difference, and one that counts the pages, which headings do, too, or is small.
const REPEATED: usize = 3;
const COUNTED: usize = 2;
/// Type that is smaller than the text by this factor repeats on fewer pages.
const SMALLER: f32 = 0.9;
/// Numbers of a line that may count the pages.
const NUMBERS: usize = 12;
/// A line that is told by its wording has nothing as near as that, in ems of its type.
const ALONE: f32 = 1.0;

/// The lines that repeat in the margins of a document's pages.
#[derive(Debug, Default)]
pub(super) struct Running {
    seen: HashMap<Key, usize>,
    pages: usize,
}

/// Lines with the same key say the same at the same height.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    is_top: bool,
    /// The distance from the edge, in steps of [`NEAR`].
    height: i32,
    /// The hash of the text, with a number that counts the pages as its difference to the page's.
    text: u64,
}

impl Running {
    /// Notes the lines in a page's margins.
    pub(super) fn add(&mut self, page: &PageContent) {
        let edge: Vec<Word> = page.words.iter().filter(|word| at_edge(word, page.height)).cloned().collect();
        let keys: HashSet<Key> = order::lines(edge).iter().flat_map(|line| keys(line, page)).collect();
        for key in keys {
            *self.seen.entry(key).or_default() += 1;
        }
        self.pages += 1;
    }

    /// Whether the document has enough pages for lines to repeat.
    pub(super) fn is_possible(&self) -> bool {
        self.pages >= COUNTED
    }

    /// Takes the running lines from a page's words. Others stay: what is dropped has to repeat at one place, on three pages and a
    /// third of all (on two if it counts them, or is smaller than the text), in type no larger than the text, or to be worded like
    /// a page's number or an imprint. On so few pages that nothing can repeat, what stands apart in the margins is dropped, too.
    pub(super) fn take(&self, page: &mut PageContent, styles: &Styles) -> Vec<Line> {
        let mut apart = if self.pages < REPEATED { margins::take(page, styles) } else { Vec::new() };
        let height = page.height;
        let edge: Vec<Word> = page.words.extract_if(.., |word| at_edge(word, height)).collect();
        let lines = order::lines(edge);
        let areas: Vec<Rect> = lines.iter().map(|line| line.area).collect();
        let is_worded = |line: &Line| {
            !page.ruling.has_row(&line.area)
                && is_alone(line, page, &areas)
                && wording::is_running(line, styles.body * SMALLER, self.pages == 1)
        };
        let (running, others): (Vec<Line>, Vec<Line>) = lines
            .into_iter()
            .partition(|line| self.is(line, page, styles) || is_worded(line) && !styles.is_heading(line));
        page.words.extend(others.into_iter().flat_map(|line| line.words));
        apart.extend(running);
        apart
    }

    fn is(&self, line: &Line, page: &PageContent, styles: &Styles) -> bool {
        if line.size() > styles.body * AS_LARGE {
            return false;
        }
        let part = self.pages / 3 + 1;
        let is_heading = styles.is_heading(line);
        let least = if !is_heading && line.size() < styles.body * SMALLER { COUNTED } else { REPEATED };
        let mut keys = keys(line, page);
        let is_repeated = keys.next().is_some_and(|same| self.count(&same) >= part.max(least));
        is_repeated || !is_heading && keys.any(|counting| self.count(&counting) >= part.max(COUNTED))
    }

    /// On how many pages it is, within the distance that makes no difference.
    fn count(&self, key: &Key) -> usize {
        let at = |height| self.seen.get(&Key { height, ..*key }).copied().unwrap_or(0);
        (key.height - 1..=key.height + 1).map(at).sum()
    }
}

/// Whether a line is the outermost of its page and has space around it.
fn is_alone(line: &Line, page: &PageContent, edge: &[Rect]) -> bool {
    let is_top = line.area.center().1 < page.height / 2.0;
    let near = line.size() * ALONE;
    let is_free = |area: &Rect| match is_top {
        true => area.y0 > line.area.y1 + near,
        false => area.y1 < line.area.y0 - near,
    };
    let others = page.words.iter().map(|word| &word.area).chain(edge.iter().filter(|area| **area != line.area));
    let mut beside = others.filter(|area| (area.center().1 < page.height / 2.0) == is_top);
    beside.all(is_free)
}

fn at_edge(word: &Word, height: f32) -> bool {
    word.area.y1 < height * EDGE || word.area.y0 > height * (1.0 - EDGE)
}

/// The line's key as it is, and those in which one of its numbers counts the pages.
fn keys<'l>(line: &Line, page: &'l PageContent) -> impl Iterator<Item = Key> + use<'l> {
    let middle = line.area.center().1;
    let is_top = middle < page.height / 2.0;
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
    let height = ((if is_top { middle } else { page.height - middle }) / NEAR).round() as i32;
    let text = line.text();
    let numbers = numbers(&text);
    let number = i64::from(page.number);
    let counting = numbers.into_iter().filter_map({
        let text = text.clone();
        move |(from, to)| {
            let (before, after) = (text.get(..from)?, text.get(to..)?);
            let difference = text.get(from..to)?.parse::<i64>().ok()? - number;
            Some(format!("{before}\u{0}{difference}\u{0}{after}"))
        }
    });
    [text].into_iter().chain(counting).map(move |text| Key { is_top, height, text: hash(&text) })
}

/// The same for the same text. It takes less room than that.
fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Where the first numbers of a text are.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let is_full = found.len() == NUMBERS;
        match found.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            Some(_) if is_full => break,
            Some(_) | None => found.push((at, at + 1)),
        }
    }
    found
}
