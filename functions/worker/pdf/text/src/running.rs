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

/// The share of a page's height at the top and bottom where they can be, and where the outermost line can be.
const EDGE: f32 = 0.09;
const OUTERMOST: f32 = 0.125;
/// Heights within this distance, in points, are the same.
const NEAR: f32 = 3.0;
/// They are not larger than the text by more than this factor.
const AS_LARGE: f32 = 1.03;
/// On how many pages a line is at least that repeats without any difference, and one that counts the pages, which headings do, too, or is small.
const REPEATED: usize = 3;
const COUNTED: usize = 2;
/// Type that is smaller than the text by this factor repeats on fewer pages.
const SMALLER: f32 = 0.9;
/// Larger type is running if it is on most pages, of which there are so many.
const EVERYWHERE: usize = 4;
/// Type that is larger than the text by this factor is running if it is on nine of ten pages, of which there are so many.
const MUCH_LARGER: f32 = 1.6;
const MANY: usize = 6;
/// A page's number that says so is larger by this factor at most.
const LARGER: f32 = 1.3;
/// Words of a line that are further apart, in ems, may be different lines.
const PART_GAP: f32 = 1.5;
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
        let edge: Vec<Word> =
            page.words.iter().filter(|word| is_within(&word.area, page.height, OUTERMOST)).cloned().collect();
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
    /// third of all (on two if it counts them, or is smaller than the text; on most in larger type), or to be worded like a page's
    /// number or an imprint. A page's number that says so needs no space around it. On so few pages that nothing can repeat, what
    /// stands apart in the margins is dropped, too.
    pub(super) fn take(&self, page: &mut PageContent, styles: &Styles) -> Vec<Line> {
        let mut apart = if self.pages < REPEATED { margins::take(page, styles) } else { Vec::new() };
        let height = page.height;
        let edge: Vec<Word> = page.words.extract_if(.., |word| is_within(&word.area, height, OUTERMOST)).collect();
        let lines = order::lines(edge);
        let areas: Vec<Rect> = lines.iter().map(|line| line.area).collect();
        let is_worded = |line: &Line| {
            !page.ruling.has_row(&line.area)
                && is_alone(line, page, &areas)
                && wording::is_running(line, styles.body * SMALLER, self.pages == 1)
        };
        let is_at_edge = |line: &Line| is_within(&line.area, height, EDGE);
        let can_repeat =
            |line: &Line| is_at_edge(line) || !page.ruling.has_row(&line.area) && is_alone(line, page, &areas);
        let (running, others): (Vec<Line>, Vec<Line>) = lines.into_iter().partition(|line| {
            can_repeat(line) && self.is(line, page, styles)
                || is_at_edge(line) && is_worded(line) && !styles.is_heading(line)
        });
        let is_named = |part: &Line| part.size() <= styles.body * LARGER && wording::is_named_page(part);
        let may_be = |line: &Line| is_at_edge(line) && !page.ruling.has_row(&line.area) && wording::names_page(line);
        let (named, others): (Vec<Line>, Vec<Line>) = others
            .into_iter()
            .flat_map(|line| if may_be(&line) { parts(&line) } else { vec![line] })
            .partition(is_named);
        page.words.extend(others.into_iter().flat_map(|line| line.words));
        apart.extend(running);
        apart.extend(named);
        apart
    }

    fn is(&self, line: &Line, page: &PageContent, styles: &Styles) -> bool {
        if line.size() > styles.body * AS_LARGE {
            return self.is_everywhere(line, page, styles);
        }
        let part = self.pages / 3 + 1;
        let is_heading = styles.is_heading(line);
        let least = if !is_heading && line.size() < styles.body * SMALLER { COUNTED } else { REPEATED };
        let mut keys = keys(line, page);
        let is_repeated = keys.next().is_some_and(|same| self.count(&same) >= part.max(least));
        is_repeated || !is_heading && keys.any(|counting| self.count(&counting) >= part.max(COUNTED))
    }

    /// Whether a line in larger type than the text is on most pages.
    fn is_everywhere(&self, line: &Line, page: &PageContent, styles: &Styles) -> bool {
        let least = match line.size() > styles.body * MUCH_LARGER {
            true => (self.pages - self.pages / 10).max(MANY),
            false => (self.pages / 2 + 1).max(EVERYWHERE),
        };
        keys(line, page).any(|key| self.count(&key) >= least)
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

/// Whether a place is within this share of the page's height from its top or bottom.
fn is_within(area: &Rect, height: f32, share: f32) -> bool {
    area.y1 < height * share || area.y0 > height * (1.0 - share)
}

/// The parts of a line that stand apart.
fn parts(line: &Line) -> Vec<Line> {
    let is_far = |a: &Word, b: &Word| (b.area.x0 - a.area.x1).max(a.area.x0 - b.area.x1) > a.size * PART_GAP;
    line.words.chunk_by(|a, b| !is_far(a, b)).flat_map(|words| order::lines(words.to_vec())).collect()
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

#[cfg(test)]
mod tests {
    use super::super::tests::{Written, line, written};
    use super::*;

    const TEXT: &str = "some words of a sentence that runs on over its lines";

    /// What is taken from each page of a document whose pages have four lines of text from 120 points, and these.
    fn taken(pages: &[&[Written]]) -> Vec<Vec<String>> {
        let text = || (0..4u8).map(|at| line(TEXT, 120.0 + f32::from(at) * 15.0, 10.0));
        let numbered = (1..).zip(pages);
        let mut pages: Vec<PageContent> = numbered
            .map(|(number, lines)| written(number, &text().chain(lines.iter().cloned()).collect::<Vec<_>>()))
            .collect();
        let mut running = Running::default();
        pages.iter().for_each(|page| running.add(page));
        let styles = Styles { body: 10.0, leading: 1.3 };
        pages.iter_mut().map(|page| running.take(page, &styles).iter().map(Line::text).collect()).collect()
    }

    #[test]
    fn larger_type_is_running_if_it_is_on_most_pages() {
        let head = [line("Annual Report", 30.0, 12.0)];
        let title = [line("Annual Report", 30.0, 20.0)];
        let other = [line("Results", 30.0, 12.0)];
        assert_eq!(
            taken(&[&head, &head, &head, &head, &other]),
            [vec!["Annual Report"], vec!["Annual Report"], vec!["Annual Report"], vec!["Annual Report"], vec![]]
        );
        assert!(taken(&[&title, &title, &title, &title]).iter().all(Vec::is_empty), "much larger, on few pages");
        assert!(taken(&[title.as_slice(); 6]).iter().all(|lines| lines.as_slice() == ["Annual Report"]), "much larger");
        assert!(taken(&[&head, &head, &head]).iter().all(Vec::is_empty), "few pages");
        assert!(
            taken(&[&head, &head, &head, &head, &other, &other, &other, &other]).iter().all(Vec::is_empty),
            "half of the pages"
        );
    }

    #[test]
    fn the_outermost_line_can_be_further_in_if_it_has_space_around_it() {
        let head = |number: u8, top: f32| vec![line(&format!("{number} Annual Report"), top, 10.0)];
        let pages = |top: f32| (1..=4).map(|number| head(number, top)).collect::<Vec<_>>();
        let taken = |pages: Vec<Vec<Written>>| taken(&pages.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert!(taken(pages(85.0)).iter().all(|lines| lines.len() == 1));
        assert!(taken(pages(105.0)).iter().all(Vec::is_empty), "the text's first line");
        let below = pages(89.0).into_iter().map(|head| [vec![line("Results", 75.0, 10.0)], head].concat());
        assert!(taken(below.collect()).iter().all(Vec::is_empty), "right below another");
    }

    #[test]
    fn a_number_that_says_that_it_is_a_pages_needs_no_space_around_it() {
        let foot =
            [line("Bank of the Valley", 745.0, 9.0), line("Page 1/1", 756.0, 9.0), line("Account 17", 767.0, 9.0)];
        assert_eq!(taken(&[&foot]), [["Page 1/1"]]);
        assert!(taken(&[&[line("Pages 1/1 are missing", 756.0, 9.0)]]).iter().all(Vec::is_empty));
    }

    #[test]
    fn a_number_that_says_so_is_told_from_words_far_beside_it() {
        let mut page = written(1, &[line("Account 17", 756.0, 9.0), line(TEXT, 120.0, 10.0)]);
        page.words
            .extend([("Seite", 300.0), ("1/1", 326.0)].map(|(text, left)| Word::at(text, left, 756.0, 9.0, false)));
        let mut running = Running::default();
        running.add(&page);
        let lines = running.take(&mut page, &Styles { body: 10.0, leading: 1.3 });
        assert_eq!(lines.iter().map(Line::text).collect::<Vec<_>>(), ["Seite 1/1"]);
        assert!(page.words.iter().any(|word| word.text == "Account"));
    }
}
